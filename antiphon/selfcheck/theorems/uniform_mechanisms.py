# pyright: reportIncompatibleMethodOverride=false, reportAssignmentType=false
"""Exact checks of Theorem U: k-sparse parallel composition of *uniformly* private mechanisms, which
are still as private after any history of identical pairs."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Final

import attrs

from antiphon.composition import Create, sparse_parallel
from antiphon.protocol import Approximate, Claim, Coins, ContinualMechanism, Status
from antiphon.protocol.spaces import BITS, Integers, Signature
from antiphon.selfcheck.theorems.theorem import Check, Evidence, composed, of_creations, rows
from antiphon.verifiers import bounded, event_level

SECTION = (5, 3)
"""The position of this module's rows in ``antiphon verify``: after CM Thm 5.5, as an extension."""
ZERO: Final = Fraction(0)
_TWICE: Final = bounded(event_level(), 2)


@attrs.frozen
class FreshNoise(ContinualMechanism[int, Any, Any]):
    """A toy mechanism: each bit plus fresh noise, uniform on 0, …, 3. It is uniformly (0, 1/4)-DP.

    State: the number of answers.
    """

    initial_state = 0
    signature = Signature(BITS, Integers(0, 4), BITS)
    claims = (Claim(Approximate(0, Fraction(1, 4)), _TWICE, Status.PROVED, "exact tight δ"),)

    def step(self, state: int, message: int, coins: Coins) -> tuple[int, int]:
        return state + 1, message + coins.uniform_integer(4)


@attrs.frozen
class NoiseByHalves(ContinualMechanism[tuple[int, ...], Any, Any]):
    """A toy mechanism with noise bits R and N: its answers to bits x₁, x₂ are x₁ + N + R and x₁ +
    x₂ + R.

    It is (0, 3/4)-DP, and not uniformly: where y₁ shows that N = R, the second answer is exact.
    State: () before the first answer, then (x₁, R), then (0, 0, 0).
    """

    initial_state = ()
    signature = Signature(BITS, Integers(0, 3), BITS)
    claims = (Claim(Approximate(0, Fraction(3, 4)), _TWICE, Status.PROVED, "exact tight δ"),)

    def step(self, state: tuple[int, ...], message: int, coins: Coins) -> tuple[Any, int]:
        if not state:
            first, late = coins.uniform_integer(2), coins.uniform_integer(2)
            return (message, late), message + first + late
        if len(state) == 2:
            return (0, 0, 0), sum(state) + message
        return state, 0


def checks() -> Iterable[Check]:
    """The checks of Theorem U, with a broken twin."""
    text = "1 of {0} created, each bit with fresh noise on 0, …, 3"
    made = rows("Thm U", text, _created, (1,), (2,), (3,))
    yield from made
    yield made[-1].twin("1 of 3 with noise by halves, at the price of one", kind=NoiseByHalves)
    yield from rows("Thm U", "2 of {0} created, each bit with fresh noise", _created, (3, 2))


def _created(number: int, sparse: int = 1, *, kind: Any = FreshNoise) -> Evidence:
    """Evidence on ``number`` creations of one ``kind``, of which ``sparse`` may see a
    difference."""
    create = Create(kind())
    fixed = [create.parameters] * sparse
    f, claimed = sparse_parallel(fixed), composed(fixed, [ZERO])
    return of_creations(f, [create], claimed, 3 * number, number, exactly=True)
