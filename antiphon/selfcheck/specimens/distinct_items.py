"""Examples ("specimens") of counts of distinct items and of largest keys, for the self-check."""

import math
from collections.abc import Iterator
from typing import Final

import numpy as np

from antiphon.composition.guarantees.guarantee import guarantee
from antiphon.mechanisms import BufferedToeplitzCounter, Distinct, PresenceCounter, TreeCounter
from antiphon.mechanisms.counters.count_after import ExactSum
from antiphon.mechanisms.distinct.top_keys import TopKeys
from antiphon.protocol import EMPTY, Pair, same
from antiphon.protocol.spaces import Arrays, Finite, Integers
from antiphon.selfcheck.corpus import specimen
from antiphon.selfcheck.corpus.entry import Entry, Truth, saying
from antiphon.selfcheck.corpus.specimen import Example, Link, Specimen, as_claimed, broken, slow
from antiphon.selfcheck.specimens.counters import counted
from antiphon.selfcheck.theorems.distinct_items import NoisyChanges, OnlyNew

_ONCE: Final = Finite((("a",), ("b",), EMPTY))
_BOTH_WAYS: Final = Finite((("a", True), ("a", False), ("b", True), EMPTY))
_PRESENT: Final = counted([Pair(0, 1), same(0), Pair(0, -1)])


def specimens() -> Iterator[Specimen]:
    """The examples of ``Distinct``, ``PresenceCounter`` and ``TopKeys``."""
    yield _distinct()
    yield Specimen(
        Example(PresenceCounter(horizon=64, window=8, rho=0.5),
                (-2, 2, True, 0.0, "counts", b"count", None, (0,))),
        *specimen.of_gaussian("presence counter", PresenceCounter, _PRESENT, horizon=3, window=2),
    )  # fmt: skip
    yield _top_keys()


def _distinct() -> Specimen:
    tree = TreeCounter(horizon=64, epsilon=1)
    both: object = TreeCounter(horizon=64, epsilon=1, smallest=-1, sensitivity=1)
    counts, event = Distinct() @ NoisyChanges(), saying("x₂ differs", [
        same(("a",)), Pair(("a",), ("b",)), same(("b",)),
    ])  # fmt: skip
    own = guarantee(counts).claim()
    return Specimen(
        Link(part=Distinct(), right=tree, queries=_ONCE, answers=Integers()),
        Link(part=Distinct(window=2), right=both, queries=_ONCE, answers=Integers()),
        Link(part=Distinct(deletions=True, flips=2), right=both, queries=_BOTH_WAYS,
             answers=Integers()),
        Entry("distinct items", counts, own, (event,), Truth(2 * math.log(2))),
        broken("distinct items, only new ones counted", OnlyNew() @ NoisyChanges(), own, event,
               Truth(math.inf, delta=1.0)),
    )  # fmt: skip


def _top_keys() -> Specimen:
    rows = BufferedToeplitzCounter(horizon=64, rho=1, dimension=3)
    part = TopKeys(keys=("a", "b", "c"), top=2)
    two = TopKeys(keys=("a", "b"), top=2)
    named = two @ BufferedToeplitzCounter(dimension=2, horizon=1, rho=specimen.RHO)
    differ = counted([Pair(np.ones(2, np.int64), np.zeros(2, np.int64))])
    return Specimen(
        Link(part=part, right=rows, queries=rows.signature.updates, answers=Arrays((3,))),
        *slow(as_claimed("top keys", named, differ, specimen.gaussian_truth())),
        broken("top keys of exact counts", two @ ExactSum(dimension=2, horizon=1),
               named.claims[0], differ, Truth(math.inf, delta=1.0)),
    )  # fmt: skip
