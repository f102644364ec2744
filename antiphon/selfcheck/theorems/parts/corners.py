"""The mechanism that attains Theorems S and G (docs/sparse.md), and its f'."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import attrs

from antiphon.composition.creation import Create
from antiphon.numbers.exact import Log
from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.measures.kinds import Approximate
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.messages import identical
from antiphon.protocol.spaces import Finite, Integers, Signature
from antiphon.protocol.verification import Refused, Verification

ANNOUNCE, ACROSS, ALONG = 2, 3, 4
"""Public queries: where it stands; from Z to A or B; from Z to R or 0."""
START, ZERO, R, Z, A, B, OVER = "start", "0", "R", "Z", "A", "B", "over"
_PLACES: Final = (START, ZERO, R, Z, A, B, OVER)
_QUERIES: Final = Integers(0, ALONG)


@attrs.frozen
class OneDiffers(Verification[int]):
    """Public queries, then one pair of bits: (0, 1), or where it is ``symmetric`` (1, 0), too.

    State: how many pairs have come, up to ``public`` + 1; the pair of bits ends it.
    """

    symmetric: bool
    public: int = 2

    @property
    def swap_symmetric(self) -> bool:
        return self.symmetric

    @property
    def initial_state(self) -> int:
        return 0

    def step(self, state: int, zero: Any, one: Any, /) -> int | Refused:
        over = self.public + 1
        if state == over:
            return Refused("the pair of bits has come")
        if identical(zero, one):
            allowed = zero in (ANNOUNCE, ACROSS, ALONG) and state < self.public
            return state + 1 if allowed else Refused("no public query any more, or not this one")
        if (zero, one) == (0, 1) or (self.symmetric and (zero, one) == (1, 0)):
            return over
        return Refused("the two sides are not a pair of bits that may differ")


@attrs.frozen
class Corners(ContinualMechanism[str, int, str]):
    """A public walk over the polygon, and an answer to one bit from where it stands.

    ``ANNOUNCE`` goes to R or to ``other``: Z (to Z or 0, where δ is large), or 0 for Theorem S;
    at Z, ``ACROSS`` goes to A or B and ``ALONG`` to R or 0. A bit is told at 0 and answered by
    RR_ε at R; w.p. 1-1/E it is told at A if it is 1, at B if it is 0. Else nothing is said.
    Privacy: (ε, δ)-DP w.r.t. ``verification``; a test decides that exactly.
    """

    growth: Fraction
    delta: Fraction
    other: str
    verification: OneDiffers

    @property
    def initial_state(self) -> str:
        return START

    @property
    def signature(self) -> Signature:
        return Signature(_QUERIES, Finite((*_PLACES, "told 0", "told 1", "-")), _QUERIES)

    @property
    def claims(self) -> tuple[Claim, ...]:
        measure = Approximate(Log(self.growth), self.delta)
        return (Claim(measure, self.verification, Status.PROVED, "computed exactly"),)

    def step(self, state: str, message: int, coins: Any) -> tuple[str, str]:
        if message in (0, 1):
            return OVER, self._told(state, message, coins)
        after = self._moved(state, message, coins)
        return after, after

    def _moved(self, state: str, message: int, coins: Any) -> str:
        theta = (self.growth + 1) / (2 * self.growth)
        if state == START and message == ANNOUNCE:
            low, high, share = self._announced(theta)
            return high if coins.bernoulli(share) else low
        if state == Z and message == ACROSS:
            return A if coins.bernoulli(Fraction(1, 2)) else B
        if state == Z and message == ALONG:
            return R if coins.bernoulli(theta) else ZERO
        return state

    def _announced(self, theta: Fraction) -> tuple[str, str, Fraction]:
        """The two places around (1-δ, 1-δ) on the diagonal, and the share of the upper one."""
        height, heights = 1 - self.delta, {ZERO: Fraction(0), Z: theta, R: Fraction(1)}
        low, high = (Z, R) if height >= theta else (ZERO, Z)
        if self.other == ZERO:
            low, high = ZERO, R
        return low, high, (height - heights[low]) / (heights[high] - heights[low])

    def _told(self, state: str, bit: int, coins: Any) -> str:
        if state == ZERO:
            return f"told {bit}"
        if state == R:
            return f"told {bit if coins.bernoulli(self.growth / (self.growth + 1)) else 1 - bit}"
        if state == (A if bit else B) and coins.bernoulli(1 - 1 / self.growth):
            return f"told {bit}"
        return "-"


def corners(growth: int, delta: Fraction, *, symmetric: bool = False) -> Create:
    """The mechanism for Theorem G, or with a ``symmetric`` f' for Theorem S."""
    f = OneDiffers(symmetric, public=1 if symmetric else 2)
    return Create(Corners(Fraction(growth), delta, ZERO if symmetric else Z, f))
