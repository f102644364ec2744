# pyright: reportIncompatibleMethodOverride=false, reportAssignmentType=false
"""The finite mechanisms on which the composition theorems are checked: of different kinds, and with
state.

Also the mechanism that attains Theorems S and G (docs/sparse.md), with its f'.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any, Final

import attrs

from antiphon.composition import Create, validity
from antiphon.composition.suitable import Checked, Purse
from antiphon.mechanisms.randomized_response import LeakyBit, RandomizedResponse
from antiphon.numbers.exact import ExactEpsilon, Log, epsilon
from antiphon.protocol import Approximate, Claim, Coins, Pure, Status, column_safe
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.messages import Ask, Pair, identical, same
from antiphon.protocol.spaces import BITS, Finite, Integers, Signature
from antiphon.protocol.verification import Refused, Verification
from antiphon.selfcheck.theorems.finite import SECRET, WALK, FiniteAboveThreshold, promised
from antiphon.verifiers.models import bounded, event_level, neighbouring_start

CURVE: tuple[ExactEpsilon, ...] = (epsilon(0), Log(2), Log(4), Log(9))
"""The values of ε at which the privacy curve of a composition is checked."""
RESPONSE = Create(RandomizedResponse(epsilon=Log(2), delta=Fraction(1, 10)))
PURE_RESPONSE = Create(RandomizedResponse(epsilon=Log(3)))
LEAKY = Create(LeakyBit(delta=Fraction(1, 5)))


@cache
def threshold() -> Create:
    """The message that creates AboveThreshold for two messages, with ε = ln 2 and its tight δ."""
    return Create(promised(FiniteAboveThreshold(1), bounded(event_level(), 2), 2, epsilon=Log(2)))


@cache
def walk() -> Create:
    """The message that creates ``WALK``, a mechanism with two hidden states; its claim is its
    tight ε against two messages."""
    return Create(promised(WALK, bounded(event_level(), 2), 2))


@cache
def secret() -> Create:
    """The message that creates ``SECRET``, an IM whose first message chooses its state, for three
    messages; its claim is its tight δ at ε = ln(3/2)."""
    f = bounded(neighbouring_start(), 3)
    return Create(promised(SECRET, f, 3, epsilon=Log(Fraction(3, 2))))


def weakened(created: Create, growth: object, delta: object = 0) -> Create:
    """A creation of the same mechanism with the weaker claim (ε, δ), where ε = ln ``growth``."""
    own = created.claim
    assert own is not None
    assert isinstance(own.measure, Approximate | Pure)
    measure = Approximate(Log(growth), delta)
    return Create(created.mechanism, Claim(measure, own.verification, Status.PROVED, own.source))


def messages(created: list[Create], count: int) -> list[Pair]:
    """The messages to try: creations, and (0, 0), (0, 1), (1, 0) to the first ``count``
    mechanisms."""
    sides = [(0, 0), (0, 1), (1, 0)]
    return [
        *map(same, created),
        *(Pair(Ask(zero, i), Ask(one, i)) for i in range(count) for zero, one in sides),
    ]


@attrs.frozen
class ForgetsTheirs(validity.OfCreations):
    """A broken f for fixed mechanisms: it does not check the pairs of mechanism i by its f_i."""

    def judge(self, child: Checked, query0: object, query1: object) -> Checked | Refused:
        differs = child.differed or not identical(query0, query1)
        return Checked(child.created, child.state, differs)


@column_safe
@attrs.frozen
class ForgetsToCharge(validity.FixedInAdvance, validity.Budgeted):
    """A broken f for fixed parameters: a creation takes nothing out of the purse."""

    def admit(self, purse: Purse, count: int, created: Create) -> Purse | Refused:
        after = validity.FixedInAdvance.admit(self, purse, count, created)
        return after if type(after) is Refused else purse


@column_safe
@attrs.frozen
class ForgetsSparsity(validity.Sparse, validity.Budgeted):
    """A broken f_∞: a mechanism that sees a difference takes nothing out of the purse."""

    def differ(self, purse: Purse, created: Create) -> Purse | Refused:
        after = validity.Sparse.differ(self, purse, created)
        return after if type(after) is Refused else purse


@attrs.frozen
class AtLengthTwo(Verification[int]):
    """A function f' that is ⊤ on sequences of length 2 only, and so not closed under prefixes.

    As an automaton it refuses the first pair; ``as_printed`` is the plain f'.
    """

    initial_state = 0

    def step(self, state: int, zero: object, one: object, /) -> int | Refused:
        return Refused("f' is ⊥ at length 1")

    @staticmethod
    def as_printed(length: int) -> bool:
        """Whether f' accepts a sequence of this length."""
        return length == 2


@column_safe
@attrs.frozen
class NotPrefixClosed(validity.Sparse, validity.Budgeted):
    """A broken f_∞: it asks f' only about all pairs of a mechanism so far, and about no prefix."""

    def judge(self, child: Checked, query0: object, query1: object) -> Checked | Refused:
        length = child.state + 1
        differs = child.differed or not identical(query0, query1)
        if differs and not AtLengthTwo.as_printed(length):
            return Refused("f' is ⊥")
        return Checked(child.created, length, differs)


@attrs.frozen
class BitEcho(ContinualMechanism[None, int, int]):
    """A mechanism that repeats every bit, and claims 0-DP w.r.t. an f not closed under prefixes."""

    initial_state = None
    signature = Signature(BITS, BITS, BITS)
    claims = (
        Claim(Approximate(0, 0), AtLengthTwo(), Status.PROVED, "V[f'] halts at the first pair"),
    )

    def step(self, state: None, message: int, coins: Coins) -> tuple[None, int]:
        return None, message


def first_unused(_: int, samples: tuple[object, ...], *__: object) -> int:
    """A wrong rule for the simulator 𝒫: to take the first unused sample of any RR_{ε,δ}."""
    return next(i for i, sample in enumerate(samples) if sample is not None)


ANNOUNCE, ACROSS, ALONG = 2, 3, 4
"""The public queries to ``Corners``, a walk over places: ANNOUNCE leads to R, Z or 0; from Z,
ACROSS leads to A or B, and ALONG to R or 0."""
START, ZERO, R, Z, A, B, OVER = "start", "0", "R", "Z", "A", "B", "over"
_PLACES: Final = (START, ZERO, R, Z, A, B, OVER)
_QUERIES: Final = Integers(0, ALONG)


@attrs.frozen
class OneDiffers(Verification[int]):
    """A function f: public queries, then a pair of bits: (0, 1) or, only if ``symmetric``, (1, 0).

    State: the number of pairs so far, up to ``public`` + 1; the pair of bits ends it.
    """

    symmetric: bool
    public: int = 2
    initial_state = 0

    @property
    def swap_symmetric(self) -> bool:  # type: ignore[override]
        return self.symmetric

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
    """The worst-case mechanism of Theorems S and G: public steps to one of the places 0, R, A, B,
    which decides how one bit is answered.

    ``ANNOUNCE`` goes to R or to ``other``: for Theorem G to Z (if δ is large, to Z or 0), for
    Theorem S to 0. From Z, ``ACROSS`` goes to A or B, and ``ALONG`` to R or 0. The bit is revealed
    at 0, and answered by RR_ε at R; with probability 1-1/E, E = e^ε, a 1 is revealed at A and a 0
    at B. Other answers tell nothing. Privacy: (ε, δ)-DP w.r.t. ``verification``, as a test finds.
    """

    growth: Fraction
    delta: Fraction
    other: str
    verification: OneDiffers
    initial_state = START
    signature = Signature(_QUERIES, Finite((*_PLACES, "told 0", "told 1", "-")), _QUERIES)

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
        """The two of the places 0, Z and R to which the query ``ANNOUNCE`` may lead, and the
        probability of the second. In all, R is reached w.p. 1-δ: at once, or from Z w.p. θ by the
        query ``ALONG``."""
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
    """The message that creates the worst case of Theorem G or, if ``symmetric``, of Theorem S."""
    f = OneDiffers(symmetric, public=1 if symmetric else 2)
    return Create(Corners(Fraction(growth), delta, ZERO if symmetric else Z, f))
