"""The mechanisms that the composition theorems are checked on: heterogeneous, with state."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import attrs

from antiphon.audit.simulated_composition import CompositionSimulator
from antiphon.composition.creation import Create
from antiphon.composition.suitable import Checked, Purse
from antiphon.composition.validity import FixedMechanisms, FixedParameters, SparseParallel
from antiphon.mechanisms.leaky_bit import LeakyBit
from antiphon.mechanisms.randomized_response import RandomizedResponse
from antiphon.numbers.exact import ExactEpsilon, Log, epsilon
from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.measures.kinds import Approximate, Pure
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.messages import Ask, Pair, identical, same
from antiphon.protocol.spaces import BITS, Signature
from antiphon.protocol.verification import Refused, Verification
from antiphon.selfcheck.theorems.parts.finite import SECRET, WALK, FiniteAboveThreshold, promised
from antiphon.verifiers.models import bounded, event_level, neighbouring_start

CURVE: tuple[ExactEpsilon, ...] = (epsilon(0), Log(2), Log(4), Log(9))
"""The ε at which a whole composition is checked."""
RESPONSE = Create(RandomizedResponse(epsilon=Log(2), delta=Fraction(1, 10)))
PURE_RESPONSE = Create(RandomizedResponse(epsilon=Log(3)))
LEAKY = Create(LeakyBit(delta=Fraction(1, 5)))


@cache
def threshold() -> Create:
    """AboveThreshold over two messages, at ε = ln 2."""
    return Create(promised(FiniteAboveThreshold(1), bounded(event_level(), 2), 2, epsilon=Log(2)))


@cache
def walk() -> Create:
    """The persistent walk over two messages, at its tight ε."""
    return Create(promised(WALK, bounded(event_level(), 2), 2))


@cache
def secret() -> Create:
    """An IM: its secret first bit, then two queries; at ε = ln 3/2 its δ is positive."""
    f = bounded(neighbouring_start(), 3)
    return Create(promised(SECRET, f, 3, epsilon=Log(Fraction(3, 2))))


def weakened(created: Create, growth: object, delta: object = 0) -> Create:
    """The same creation under a larger (ε, δ): ε = ln growth."""
    own = created.claim
    assert own is not None
    assert isinstance(own.measure, Approximate | Pure)
    measure = Approximate(Log(growth), delta)
    return Create(created.mechanism, Claim(measure, own.verification, Status.PROVED, own.source))


def messages(created: list[Create], count: int) -> list[Pair]:
    """The creations, and the pairs (0, 0), (0, 1), (1, 0) to the first ``count`` mechanisms."""
    sides = [(0, 0), (0, 1), (1, 0)]
    return [
        *map(same, created),
        *(Pair(Ask(zero, i), Ask(one, i)) for i in range(count) for zero, one in sides),
    ]


@attrs.frozen
class ForgetsTheirs(FixedMechanisms):
    """f^{α₁…α_k} that forgets to ask whether each pair sequence is f_i-valid."""

    def judge(self, child: Checked, query0: object, query1: object) -> Checked | Refused:
        differs = child.differed or not identical(query0, query1)
        return Checked(child.created, child.state, differs)


@column_safe
@attrs.frozen
class ForgetsToCharge(FixedParameters):
    """f^{ε₁,δ₁…} that forgets to take a creation's parameters out of the multiset."""

    def admit(self, purse: Purse, count: int, created: Create) -> Purse | Refused:
        after = FixedParameters.admit(self, purse, count, created)
        return after if type(after) is Refused else purse


@column_safe
@attrs.frozen
class ForgetsSparsity(SparseParallel):
    """f_∞ that forgets to charge a mechanism whose pair differs."""

    def differ(self, purse: Purse, created: Create) -> Purse | Refused:
        after = SparseParallel.differ(self, purse, created)
        return after if type(after) is Refused else purse


@attrs.frozen
class AtLengthTwo(Verification[int]):
    """f' of theory §2.1: ⊤ at length 2 only, so not prefix-closed.

    As an automaton it refuses the first pair; ``as_printed`` is the plain f'.
    """

    @property
    def initial_state(self) -> int:
        return 0

    def step(self, state: int, zero: object, one: object, /) -> int | Refused:
        return Refused("f' is ⊥ at length 1")

    @staticmethod
    def as_printed(length: int) -> bool:
        """f' of a sequence of that length."""
        return length == 2


@column_safe
@attrs.frozen
class NotPrefixClosed(SparseParallel):
    """f_∞ literally as printed: it judges the whole sequence of a mechanism in J by plain f'."""

    def judge(self, child: Checked, query0: object, query1: object) -> Checked | Refused:
        length = child.state + 1
        differs = child.differed or not identical(query0, query1)
        if differs and not AtLengthTwo.as_printed(length):
            return Refused("f' is ⊥")
        return Checked(child.created, length, differs)


@attrs.frozen
class BitEcho(ContinualMechanism[None, int, int]):
    """Repeats every bit: (0, 0)-DP w.r.t. ``AtLengthTwo``, under which nobody may ask."""

    @property
    def initial_state(self) -> None:
        return None

    @property
    def signature(self) -> Signature:
        return Signature(BITS, BITS, BITS)

    @property
    def claims(self) -> tuple[Claim, ...]:
        source = "vacuous: V[f'] halts at the first pair"
        return (Claim(Approximate(0, 0), AtLengthTwo(), Status.PROVED, source),)

    def step(self, state: None, message: int, coins: Coins) -> tuple[None, int]:
        return None, message


@attrs.frozen(eq=False)
class TakesAnySample(CompositionSimulator):
    """𝒫 that takes the first unused sample, whatever its parameters."""

    def _place(self, samples: tuple[object, ...], created: Create) -> int:
        return next(i for i, sample in enumerate(samples) if sample is not None)
