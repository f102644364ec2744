"""Examples ("specimens") of growing histograms (CM §7), for the self-check: all counts, or the
answers of one query."""

from collections.abc import Iterator
from fractions import Fraction
from operator import add
from typing import Any, Final

import attrs
import numpy as np

from antiphon.composition import ComplexMechanism, ExtConComp, guarantee
from antiphon.mechanisms import HSS, HSSWithoutTest, SquareRootCounter, TreeCounter
from antiphon.mechanisms.histograms import queries
from antiphon.mechanisms.histograms.continual import MOST, ContinualHistogram
from antiphon.mechanisms.histograms.hss import UntestedIntervals
from antiphon.mechanisms.histograms.intervals import Running
from antiphon.mechanisms.histograms.svt import HistogramMonitor, HistogramSVT
from antiphon.mechanisms.sparse_vector import AboveThreshold, SparseVector
from antiphon.protocol import BOTTOM, TOP, Pair, Pure, register, same
from antiphon.protocol.spaces import BITS, Either, Finite, Integers, Tuples
from antiphon.selfcheck.corpus.entry import Entry, Player, Truth, saying
from antiphon.selfcheck.corpus.specimen import HALF, Example, Link, Specimen, as_claimed, broken
from antiphon.verifiers.models import event_level, updates_and_queries

_STEPS: Final = Tuples((BITS, BITS))
_NOT_STEPS: Final = (
    0, (0,), (0, 1, 0), (0, True), (0, 2), (0, -1), (0, 1.0), [0, 1], np.array([0, 1])
)  # fmt: skip
_NOT_GROWTHS: Final = (0, (1, 0), ((1, 0), 0.5), ((2, 0), 1), ((1, 0, 0), 1), ((True, 0), 1))


def specimens() -> Iterator[Specimen]:
    """The examples of the continual histogram H, sparse vectors on a histogram, the histogram
    monitor, and HSS."""
    yield _continual_histogram()
    yield _histogram_svt()
    yield _monitor()
    yield _hss()
    yield _hss_without_test()


def _continual_histogram() -> Specimen:
    root = SquareRootCounter(horizon=4, rho=1)
    both = ContinualHistogram(counter=TreeCounter(horizon=4, epsilon=HALF), dimension=2)
    player = saying("(1, 1) | (0, 0) first", [Pair((1, 1), (0, 0)), *[same((0, 0))] * 3])
    one = attrs.evolve(both.claims[0], measure=Pure(HALF))
    return Specimen(
        Example(
            ContinualHistogram(counter=TreeCounter(horizon=16, epsilon=1), dimension=2), _NOT_STEPS
        ),
        Example(
            ContinualHistogram.pure(dimension=2, epsilon=1),
            ((0, -1), *_NOT_STEPS[:4]),
            queries=Tuples((Integers(0, 9), Integers(0, 9))),
        ),
        Example(ContinualHistogram(counter=root, dimension=2, delta=0.001), _NOT_STEPS),
        as_claimed("continual histogram", both, player, Truth(1.0)),
        broken("continual histogram, one item charged", both, one, player, Truth(1.0)),
    )


@register("antiphon.corpus.OneSensitiveTotal/1")
@attrs.frozen
class OneSensitiveTotal(queries.HistogramQuery):
    """A broken query: the sum of d counts, declared 1-sensitive, though an update moves it by d."""

    def __call__(self, counts: tuple[int, ...]) -> int:
        return sum(counts)

    def sensitivity(self, dimension: int) -> int:
        return 1


def _histogram_svt() -> Specimen:
    zeros = (0,) * 4
    differ = [Pair(((1,) * 4, 1), (zeros, 1)), *[same((zeros, 1))] * 4]
    player = saying("the first update differs", differ)
    largest = HistogramSVT(epsilon=1, query=queries.KthLargest(), histogram=zeros)
    total = HistogramSVT(epsilon=1, query=OneSensitiveTotal(), histogram=zeros)
    sums = broken("histogram sparse vector of a sum", total, largest.claims[0], player,
                  Truth(1.8362))  # fmt: skip
    return Specimen(
        Example(
            HistogramSVT(epsilon=1, query=queries.KthLargest(2), histogram=(0, 3)),
            _NOT_GROWTHS,
            queries=Tuples((_STEPS, Integers(-3, 12))),
        ),
        as_claimed("histogram sparse vector", largest, player, Truth(0.4057)),
        # A query of users' own code takes one histogram at a time, so few samples are affordable.
        attrs.evolve(sums, samples=9_900, thorough=20_000),
    )


def _monitor() -> Specimen:
    most, least = queries.KthLargest(1), queries.KthLargest(2)
    monitor = HistogramMonitor(
        mechanism=AboveThreshold(epsilon=1), queries=(most, least), dimension=2
    )
    system = ComplexMechanism(monitor)
    claim = guarantee(system).claim()
    # In one world the two counts end equal, in the other as far apart as possible.
    alike, update = same((1, 0)), Pair((1, 0), (0, 1))
    low = [same((least, 1))] * 4
    one = saying("(1, 0) | (0, 1)", [alike, update, *low, same((most, 2))])
    two = saying("(1, 0) | (0, 1), twice", [*[alike, update] * 2, *low, same((most, 3))])
    both = updates_and_queries(event_level(events=2), monitor.questions)
    often = attrs.evolve(claim, verification=both)
    several = SparseVector(epsilon=1, tops=3, share=Fraction(1, 5))
    tried = Link(
        part=HistogramMonitor(mechanism=several, queries=(least,), dimension=2),
        right=ExtConComp(),
        queries=Either((_STEPS, Tuples((Finite((least,)), Integers())))),
        answers=Finite((TOP, BOTTOM)),
    )
    return Specimen(
        tried,
        Entry("histogram monitor", system, claim, (one,), Truth(0.8255)),
        broken("histogram monitor, two updates differ", system, often, two, Truth(1.6780)),
    )


@register("antiphon.corpus.LargestFromAHundred/1")
@attrs.frozen
class LargestFromAHundred(queries.HistogramQuery):
    """The 1-sensitive query 100 + largest count; on large values the intervals of HSS are short."""

    def __call__(self, counts: tuple[int, ...]) -> int:
        return 100 + max(counts)

    def sensitivity(self, dimension: int) -> int:
        return 1


@register("antiphon.corpus.NoiselessHSS/1")
@attrs.frozen(kw_only=True)
class NoiselessHSS(UntestedIntervals):
    """A broken HSS: each interval starts from the exact counts, where HSS takes H's noisy answer.

    Refuted: its answer after the first interval is the exact value.
    """

    def answered(self, ended: Running, h: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(map(add, ended.interval.h, ended.c))


def _hss() -> Specimen:
    tested = ComplexMechanism(HSS(**_of_one_item(HSS, LargestFromAHundred())))
    return Specimen(
        *_tried(HSS(epsilon=1000, query=queries.KthLargest(2), dimension=2)),
        *_tried(HSS(epsilon=1, query=queries.CountAbove(1, width=2), dimension=2, printed=True)),
        _played(Entry("HSS", tested, guarantee(tested).claim(), (_ones(6),))),
    )


def _hss_without_test() -> Specimen:
    system = ComplexMechanism(HSSWithoutTest(**_of_one_item(HSSWithoutTest, queries.KthLargest())))
    told = ComplexMechanism(NoiselessHSS(**_of_one_item(HSSWithoutTest, queries.KthLargest())))
    claim = guarantee(system).claim()
    twice = queries.Scaled(queries.Total(), 2)
    return Specimen(
        *_tried(HSSWithoutTest(epsilon=1000, query=twice, dimension=2)),
        _played(Entry("HSS without tests", system, claim, (_ones(44),))),
        _played(broken("HSS without tests, sums told as they are", told, claim, _ones(44),
                       Truth(delta=0.9982))),
    )  # fmt: skip


def _tried(hss: HSS | HSSWithoutTest) -> tuple[Link, Example]:
    """Two examples of an HSS, as a post-processor and as a complex mechanism, for the tests."""
    return (
        Link(part=hss, right=ExtConComp(), queries=_STEPS, answers=Finite((BOTTOM,)), hops=5),
        Example(ComplexMechanism(hss), _NOT_STEPS),
    )


def _ones(length: int) -> Player:
    pairs = [Pair((1,), (0,)), *[same((1,))] * (length - 1)]
    return saying(f"1, then {length - 1} times 1 | 0, then those", pairs)


def _played(entry: Entry) -> Entry:
    """The entry with few samples, since interactions create different mechanisms and are slow."""
    return attrs.evolve(entry, samples=1_000, thorough=2_000)


def _of_one_item(kind: type[HSS | HSSWithoutTest], query: queries.HistogramQuery) -> dict[str, Any]:
    """The arguments of an HSS ``kind`` for one item. HSS cuts the stream into intervals, which end
    when its query has grown enough; ε = 3 is so large that most of them end."""
    epsilon = Fraction(3)
    share = epsilon / kind._shares  # pyright: ignore[reportPrivateUsage]
    counter = TreeCounter(horizon=3, epsilon=share, largest=MOST, sensitivity=1)
    histogram = ContinualHistogram(counter=counter, dimension=1)
    # With beta near 1, the error bound, and with it the thresholds of HSS, are small.
    return {"epsilon": epsilon, "query": query, "dimension": 1, "beta": 0.99,
            "histogram": histogram}  # fmt: skip
