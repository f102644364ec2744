# pyright: reportIncompatibleMethodOverride=false, reportAssignmentType=false
"""Exact checks of Theorem T1 (a bound on the total change over all counters), and a broken twin
that claims too small an ε."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Final

import attrs

from antiphon.boards.purse import UNIT, SharedPurse
from antiphon.composition import Create, ExtConComp
from antiphon.composition.accounting.bounds import times
from antiphon.mechanisms.counters.counter import QUERIES
from antiphon.numbers.exact import Log
from antiphon.protocol import TOP, Claim, Coins, ContinualMechanism, Pure, Status
from antiphon.protocol.spaces import Either, Finite, Integers, Signature
from antiphon.selfcheck.theorems.theorem import Check, Evidence, private, rows

SECTION = (6, 3)
"""The position of this module's rows in ``antiphon verify``: after CM Thm 6.1, which boards use."""
_LAWS: Final = ((4, 1, 1), (2, 2, 2), (1, 1, 4))
_TOLD: Final = -1
_SUMS: Final = Integers(0, 2)


@attrs.frozen
class ClampedSum(ContinualMechanism[int, Any, Any]):
    """A toy counter: a sum, at most 2, released once with geometric noise of ratio 1/2, clamped to
    [0, 2].

    One unit doubles a probability, or halves it. State: the sum, and -1 once it has been released.
    """

    initial_state = 0
    signature = Signature(Either((_SUMS, QUERIES)), Either((Finite((TOP,)), _SUMS)), _SUMS)
    claims = (Claim(Pure(Log(2)), UNIT, Status.PROVED, "each unit doubles or halves"),)

    def step(self, state: int, message: Any, coins: Coins) -> tuple[int, Any]:
        if state == _TOLD:
            return state, TOP
        if type(message) is int:
            return min(state + message, 2), TOP
        return _TOLD, coins.categorical([Fraction(each, 6) for each in _LAWS[state]])


def checks() -> Iterable[Check]:
    """The rows of ``antiphon verify`` on Theorem T1, and a broken twin."""
    made = rows("Thm T1", "{1} units of change over {0} sums", _purse, (1, 2), (2, 1), (2, 2))
    yield from made
    yield made[-1].twin("the same 2 units at the price of one", paid=1)


def _purse(counters: int, units: int, *, paid: int | None = None) -> Evidence:
    created = (Create(ClampedSum()),) * counters
    f = SharedPurse(created, units=units)
    price = times(Log(2), units if paid is None else paid), Fraction(0)
    return private(ExtConComp(), f, [price], 3 * counters, catalogue=created)
