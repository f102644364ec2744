"""The mechanisms that the composition theorems are checked on: heterogeneous, with state."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from antiphon.composition.creation import Create
from antiphon.mechanisms.leaky_bit import LeakyBit
from antiphon.mechanisms.randomized_response import RandomizedResponse
from antiphon.numbers.exact import ExactEpsilon, Log, epsilon
from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.measures.kinds import Approximate, Pure
from antiphon.protocol.messages import Ask, Pair, same
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
