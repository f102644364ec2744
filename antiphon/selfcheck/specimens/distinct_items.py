"""Examples ("specimens") of counts of distinct items and of largest keys, for the self-check."""

from collections.abc import Iterator
from typing import Any, Final

from antiphon.composition.guarantees.guarantee import guarantee
from antiphon.mechanisms import (
    BufferedToeplitzCounter,
    Distinct,
    PresenceCounter,
    TopKeys,
    TreeCounter,
)
from antiphon.protocol import EMPTY, Pair, same
from antiphon.protocol.spaces import Arrays, Finite, Integers
from antiphon.selfcheck.corpus.entry import Entry, saying
from antiphon.selfcheck.corpus.specimen import Example, Link, Specimen, of_gaussian
from antiphon.selfcheck.specimens.counters import counted

_ONCE: Final = Finite((("a",), ("b",), EMPTY))
_BOTH_WAYS: Final = Finite((("a", True), ("a", False), ("b", True), EMPTY))
_PRESENT: Final = counted([Pair(0, 1), same(0), same(0), same(0), Pair(0, -1), *[same(0)] * 7])


def specimens() -> Iterator[Specimen]:
    """The examples of ``Distinct``, ``PresenceCounter`` and ``TopKeys``."""
    yield _distinct()
    yield Specimen(
        Example(PresenceCounter(horizon=64, window=8, rho=0.5),
                (-2, 2, True, 0.0, "counts", b"count", None, (0,))),
        *of_gaussian("presence counter", PresenceCounter, _PRESENT, horizon=12, window=4),
    )  # fmt: skip
    yield _top_keys()


def _distinct() -> Specimen:
    tree = TreeCounter(horizon=64, epsilon=1)
    both: Any = TreeCounter(horizon=64, epsilon=1, smallest=-1, sensitivity=1)
    short = TreeCounter(horizon=4, epsilon=1)
    counts, event = Distinct() @ short, saying("x₁ differs", [
        Pair(("a",), EMPTY), same(("a",)), same(EMPTY), same(EMPTY), same("count"),
    ])  # fmt: skip
    return Specimen(
        Link(part=Distinct(), right=tree, queries=_ONCE, answers=Integers()),
        Link(part=Distinct(window=2), right=both, queries=_ONCE, answers=Integers()),
        Link(part=Distinct(deletions=True, flips=2), right=both, queries=_BOTH_WAYS,
             answers=Integers()),
        Entry("distinct items", counts, guarantee(counts).claim(), (event,)),
    )  # fmt: skip


def _top_keys() -> Specimen:
    rows = BufferedToeplitzCounter(horizon=64, rho=1, dimension=3)
    part = TopKeys(keys=("a", "b", "c"), top=2)
    return Specimen(
        Link(part=part, right=rows, queries=rows.signature.updates, answers=Arrays((3,))),
    )
