# pyright: reportIncompatibleMethodOverride=false, reportAssignmentType=false
"""Exact checks of counts of distinct items: the privacy cost of one event, and of one item.

The counter is 3-ary randomized response on every change of the count, (1/2, 1/4, 1/4), so that the
tight figures are those of as many responses as changes differ.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Final

import attrs

from antiphon.mechanisms import Distinct
from antiphon.mechanisms.counters.counter import QUERIES
from antiphon.mechanisms.distinct.distinct import Presence, Unit
from antiphon.numbers.exact import Log
from antiphon.protocol import EMPTY, LEFT, TOP, Claim, Coins, ContinualMechanism, Pure, Side, Status
from antiphon.protocol.chain import PostProcessor
from antiphon.protocol.spaces import Either, Finite, Integers, Signature
from antiphon.selfcheck.theorems.theorem import Check, Evidence, private, rows
from antiphon.verifiers import event_level, updates_and_queries

SECTION = (6, 4)
"""The position of this module's rows in ``antiphon verify``: after CM Thm 6.1, which they use."""
FIGURES: Final = {
    1: ("1/4", "0"), 2: ("5/16", "1/8", "1/16", "0"), 3: ("25/64", "3/16", "1/8", "1/16"),
}  # fmt: skip
"""The tight δ at e^ε = 1, 2, 3, …, by the number of updates in which the two worlds' counts change
differently."""
_CHANGES: Final = Integers(-1, 1)


@attrs.frozen
class NoisyChanges(ContinualMechanism[None, Any, Any]):
    """A toy counter: it answers each update -1, 0 or 1 by 3-ary randomized response, and ``COUNT``
    by ⊤. It is Log(2)-DP for one update that differs."""

    initial_state = None
    signature = Signature(Either((_CHANGES, QUERIES)), Either((_CHANGES, Finite((TOP,)))), _CHANGES)
    claims = (
        Claim(
            Pure(Log(2)), updates_and_queries(event_level(), QUERIES), Status.PROVED,
            "each answer doubles or halves",
        ),
    )  # fmt: skip

    def step(self, state: None, message: Any, coins: Coins) -> tuple[None, Any]:
        if type(message) is str:
            return None, TOP
        law = [Fraction(2 if value == message else 1, 4) for value in (-1, 0, 1)]
        return None, coins.categorical(law) - 1


@attrs.frozen
class OnlyNew(PostProcessor[Presence]):
    """A broken ``Distinct``: if an item is present already, it sends the counter no update."""

    deterministic = True
    initial_state = Presence()

    def is_over(self, state: Presence) -> None:
        return None

    def signature(self, right: Signature) -> Signature:
        return Distinct().signature(right)

    def step(
        self, state: Presence, side: Side, message: Any, coins: Coins
    ) -> tuple[Presence, Side, object]:
        state, to, change = Distinct().step(state, side, message, coins)
        return (state, LEFT, TOP) if side is LEFT and not change else (state, to, change)


def checks() -> Iterable[Check]:
    """The checks of counts of distinct items, with broken twins."""
    name = "Distinct items"
    made = rows(name, "one {0}, insert-only, 3 updates", _inserted, ("event", 2), ("item", 1))
    yield from made
    yield made[0].twin("an event, where only new items are counted", only_new=True)
    capped = rows(name, "one {0}, at most {2} changes of it, {3} updates", _deleted,
                  ("item", 1, 1, 3), ("item", 3, 3, 3), ("event", 2, 1, 3))  # fmt: skip
    yield from capped
    yield capped[0].twin("an item, which may change three times", flips=3)
    [window] = rows(name, "one event, a window of {0}, 4 updates", _window, (2,))
    yield window
    yield window.twin("an event, at the price of one change", changes=1)


def _inserted(unit: Unit, changes: int, *, only_new: bool = False) -> Evidence:
    processor = OnlyNew() if only_new else None
    return _decided(Distinct(unit=unit), changes, 3, (("a",), ("b",), EMPTY), processor)


def _deleted(unit: Unit, changes: int, most: int, rounds: int, *, flips: int = 0) -> Evidence:
    part = Distinct(unit=unit, deletions=True, flips=flips or most)
    return _decided(part, changes, rounds, (("a", True), ("a", False), EMPTY))


def _window(window: int, *, changes: int = 2) -> Evidence:
    return _decided(Distinct(window=window), changes, 4, (("a",), EMPTY))


def _decided(
    part: Distinct, changes: int, rounds: int, queries: Iterable[object],
    processor: PostProcessor[Any] | None = None,
) -> Evidence:  # fmt: skip
    """Evidence that ``part``, or ``processor`` in its place, has the tight δ of a count in which
    ``changes`` updates of the counter differ between the worlds."""
    claimed = [(Log(at), Fraction(delta)) for at, delta in enumerate(FIGURES[changes], start=1)]
    system, f = (processor or part) @ NoisyChanges(), part.lifting.outer
    return private(system, f, claimed, rounds, exactly=True, queries=queries)
