"""The library's mechanisms on histograms (CM §7), as they claim to be, beside broken twins."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final

import attrs
import numpy as np

from antiphon.composition.complex_mechanism import ComplexMechanism
from antiphon.composition.guarantees import guarantee
from antiphon.mechanisms.counters import TreeCounter
from antiphon.mechanisms.histograms import (
    HSS,
    MOST,
    ContinualHistogram,
    HistogramMonitor,
    HistogramQuery,
    HistogramSVT,
    HSSWithoutTest,
    KthLargest,
)
from antiphon.mechanisms.multiplicative_weights import MultiplicativeWeights
from antiphon.mechanisms.sparse_vector import AboveThreshold
from antiphon.protocol.claims import Pure
from antiphon.protocol.messages import Pair, same
from antiphon.protocol.registry import register
from antiphon.selfcheck.corpus.entry import Entry, Player, Truth
from antiphon.selfcheck.corpus.inputs import saying
from antiphon.selfcheck.corpus.ours.answers import as_claimed, broken
from antiphon.selfcheck.corpus.ours.slips import NoiselessHSS, OneSensitiveTotal
from antiphon.verifiers.models import event_level, updates_and_queries

HALF: Final = Fraction(1, 2)


def mechanisms_on_histograms() -> Iterator[Entry]:
    """H, sparse vectors on a histogram that grows, HSS, and a hypothesis that is learned."""
    yield from _continual_histogram()
    yield from _sparse_vector()
    yield from _monitor()
    yield from _hss()
    yield from _learned()


def _continual_histogram() -> Iterator[Entry]:
    each = TreeCounter(horizon=4, epsilon=HALF)
    both = ContinualHistogram(counter=each, dimension=2)
    player = saying("(1, 1) | (0, 0) first", [Pair((1, 1), (0, 0)), *[same((0, 0))] * 3])
    yield as_claimed("continual histogram", both, player, Truth(1.0))
    claim = attrs.evolve(both.claims[0], measure=Pure(HALF))
    yield broken("continual histogram, one item charged", both, claim, player, Truth(1.0))


def _sparse_vector() -> Iterator[Entry]:
    zeros = (0,) * 4
    differ = [Pair(((1,) * 4, 1), (zeros, 1)), *[same((zeros, 1))] * 4]
    player = saying("the first update differs", differ)
    largest = HistogramSVT(epsilon=1, query=KthLargest(), histogram=zeros)
    yield as_claimed("histogram sparse vector", largest, player, Truth(0.4057))
    total = HistogramSVT(epsilon=1, query=OneSensitiveTotal(), histogram=zeros)
    yield attrs.evolve(
        broken("histogram sparse vector of a sum", total, largest.claims[0], player, Truth(1.8362)),
        samples=9_900,  # a query that is not the library's own is asked one histogram at a time
        thorough=20_000,
    )


def _monitor() -> Iterator[Entry]:
    most, least = KthLargest(1), KthLargest(2)
    monitor = HistogramMonitor(
        mechanism=AboveThreshold(epsilon=1), queries=(most, least), dimension=2
    )
    system = ComplexMechanism(monitor)
    claim = guarantee(system).claim()
    # Both counts are alike in one world, and as far apart as can be in the other.
    alike, update = same((1, 0)), Pair((1, 0), (0, 1))
    low = [same((least, 1))] * 4
    one = saying("(1, 0) | (0, 1)", [alike, update, *low, same((most, 2))])
    yield Entry("histogram monitor", system, claim, (one,), Truth(0.8255))
    two = saying("(1, 0) | (0, 1), twice", [*[alike, update] * 2, *low, same((most, 3))])
    both = updates_and_queries(event_level(events=2), monitor.questions)
    claim = attrs.evolve(claim, verification=both)
    yield broken("histogram monitor, two updates differ", system, claim, two, Truth(1.6780))


@register("antiphon.corpus.LargestFromAHundred/1")
@attrs.frozen
class LargestFromAHundred(HistogramQuery):
    """The largest count and 100, so that HSS has intervals that end soon. 1-sensitive."""

    def __call__(self, counts: tuple[int, ...]) -> int:
        return 100 + max(counts)


def _hss() -> Iterator[Entry]:
    """On streams in which an interval nearly always ends, with ε = 3 in all.

    Its sparse vectors are created with what has been answered before, so every interaction is
    played on its own.
    """
    tested = ComplexMechanism(HSS(**_of_one_item(HSS, LargestFromAHundred())))
    yield _played(Entry("HSS", tested, guarantee(tested).claim(), (_ones(6),)))
    system = ComplexMechanism(HSSWithoutTest(**_of_one_item(HSSWithoutTest, KthLargest())))
    claim = guarantee(system).claim()
    yield _played(Entry("HSS without tests", system, claim, (_ones(44),)))
    told = ComplexMechanism(NoiselessHSS(**_of_one_item(HSSWithoutTest, KthLargest())))
    yield _played(broken("HSS without tests, sums told as they are", told, claim, _ones(44),
                         Truth(delta=0.9982)))  # fmt: skip


def _ones(length: int) -> Player:
    pairs = [Pair((1,), (0,)), *[same((1,))] * (length - 1)]
    return saying(f"1, then {length - 1} times 1 | 0, then those", pairs)


def _played(entry: Entry) -> Entry:
    return attrs.evolve(entry, samples=1_000, thorough=2_000)


def _of_one_item(kind: type[HSS | HSSWithoutTest], query: HistogramQuery) -> dict[str, Any]:
    epsilon = Fraction(3)
    share = epsilon / kind._shares  # pyright: ignore[reportPrivateUsage]
    counter = TreeCounter(horizon=3, epsilon=share, largest=MOST, sensitivity=1)
    histogram = ContinualHistogram(counter=counter, dimension=1)
    # A bound that is meant to fail now and then: so Thresh is not far away.
    return {"epsilon": epsilon, "query": query, "dimension": 1, "beta": 0.99,
            "histogram": histogram}  # fmt: skip


def _learned() -> Iterator[Entry]:
    learner = MultiplicativeWeights(size=2, epsilon_each=1, updates=2, threshold=1, rate=0.5)
    system = ComplexMechanism(learner)
    rows, query = Pair(np.array([4, 0]), np.array([3, 1])), same(np.array([1.0, 0.0]))
    player = saying("4, 0 | 3, 1, and three queries", [rows, *[query] * 3])
    entry = Entry("multiplicative weights", system, guarantee(system).claim(), (player,))
    yield attrs.evolve(entry, samples=4_000, thorough=8_000)  # arrays, one interaction at a time
