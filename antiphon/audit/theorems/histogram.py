"""A small HSS (CM Alg. 4, §7) for d = 1: counter, sparse vectors and Laplace tests at once.

Every sub-mechanism is finite and pure; its ε is its exact tight ε. The counter, all
sparse vectors together (k = 1) and all Laplace tests together (k = 1) make f' the
function f_∞ of three parameters (Thm 5.2), and Thm 6.1 lifts what it promises to HSS.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, partial
from typing import Any, NamedTuple

import attrs

from antiphon.audit.theorems.check import Check, Evidence, twin
from antiphon.audit.theorems.complex_mechanisms import lifted
from antiphon.audit.theorems.finite import (
    FiniteAboveThreshold,
    FiniteCounter,
    claiming,
    finite_laplace,
    promised,
)
from antiphon.composition.creation import Create
from antiphon.composition.functions import sparse_parallel
from antiphon.protocol.claims import Approximate
from antiphon.protocol.exact import Log
from antiphon.protocol.messages import BOTTOM, HALT, Ask
from antiphon.protocol.post_processor import LEFT, RIGHT, PostProcessor, Side
from antiphon.protocol.spaces import BITS, Integers, Signature
from antiphon.verifiers.functions import bounded, event_level, neighbouring_start
from antiphon.verifiers.relations import Within
from antiphon.verifiers.verification import Refused, Verification

ROUNDS = 3
CAP = 2
"""q(h) = min(h, CAP): monotone and 1-sensitive."""
THRESHOLDS = (1, 2, 3)
EVENT = bounded(event_level(), ROUNDS)


def checks() -> Iterable[Check]:
    """The rows."""
    name = f"HSS, d = 1, q = min(·, {CAP}), {ROUNDS} steps"
    yield Check("Thm 6.1, HSS", f"{name}; the interval that has ended is tested", _hss)
    yield Check("Thm 6.1, HSS", f"{name}; as printed, the new h and c = 0 are tested",
                partial(_hss, printed=True))  # fmt: skip
    yield twin("Thm 6.1, HSS", "c is not set to 0 after a firing", partial(_hss, resets=False))
    yield twin("Thm 6.1, HSS", "f' without the Laplace tests", partial(_hss, tests=False))


# --- the sub-mechanisms --------------------------------------------------------------------


@attrs.frozen
class SameThresholds(Verification[Any]):
    """f of SVT: streams (x, Thresh) that differ in one x, identical Thresh (theory §3)."""

    events: Verification[Any]

    @property
    def initial_state(self) -> Any:
        return self.events.initial_state

    def step(self, state: Any, zero: Any, one: Any, /) -> Any:
        if zero[1] != one[1]:
            return Refused("the thresholds of a pair differ")
        return self.events.step(state, zero, one)


@cache
def counter() -> Create:
    """H: fed the intervals' sums, of which at most one differs, by 1."""
    f = bounded(event_level(Within()), ROUNDS)
    return Create(promised(FiniteCounter(ROUNDS, CAP), f, ROUNDS))


@cache
def sparse_vectors() -> tuple[Create, ...]:
    """SVT_{q,h} for each h, all with the ε of the worst."""
    f = SameThresholds(EVENT)
    made = [FiniteAboveThreshold(3, base, CAP, THRESHOLDS) for base in range(CAP + 1)]
    tight = [promised(each, f, ROUNDS).claims[0].parameters[0] for each in made]
    worst = max((Log(1) if not isinstance(e, Log) else e for e in tight), key=lambda e: e.argument)
    return tuple(Create(claiming(each, Approximate(worst, 0), f)) for each in made)


@cache
def laplace() -> Create:
    """The test of q(c + h): one noisy number."""
    f = bounded(neighbouring_start(Within()), 1)
    return Create(promised(finite_laplace(CAP), f, 1))


# --- HSS -----------------------------------------------------------------------------------


class Steps(NamedTuple):
    """The state of ``SmallHistogram``."""

    phase: str
    """Which answer is awaited."""
    x: int
    interval: int
    """c: the sum since the last firing."""
    before: int
    """The sum of the interval that has just ended, until it has been tested."""
    h: int
    newer: int
    """H's answer, until it replaces h."""
    out: int
    threshold: int
    created: int
    vector: int
    """The index of the current SVT."""


@attrs.frozen
class SmallHistogram(PostProcessor[Steps]):
    """HSS (CM Alg. 4) for d = 1 with γ = ξ = 1 and Thresh at most 3, as a deterministic IPM.

    ``printed``: the comparison reads the new h and c = 0, as Alg. 4 prints it, instead
    of the interval that has just ended (theory §3). ``resets``: c ← 0 after a firing;
    False is a broken twin.
    """

    printed: bool = False
    resets: bool = True
    deterministic = True

    @property
    def initial_state(self) -> Steps:
        return Steps("", 0, 0, 0, 0, 0, 0, 1, 0, 1)

    def signature(self, right: Signature) -> Signature:
        return Signature(BITS, Integers(0, CAP), BITS)

    def step(self, state: Steps, side: Side, message: Any, coins: Any) -> Any:
        if side is LEFT:
            state = state._replace(x=message, interval=state.interval + message)
            if state.created:
                return self._ask_vector(state)
            return state._replace(phase="counter made", created=1), RIGHT, counter()
        if message is HALT:
            return state, LEFT, HALT
        answered: Any = getattr(self, "_" + state.phase.replace(" ", "_"))
        return answered(state, message)

    def _ask_vector(self, state: Steps) -> Any:
        question = Ask((state.x, state.threshold), state.vector)
        return state._replace(phase="vector", x=0), RIGHT, question

    def _new_vector(self, state: Steps) -> Any:
        after = state._replace(vector=state.created, created=state.created + 1)
        return after, RIGHT, sparse_vectors()[min(state.h, CAP)]

    def _counter_made(self, state: Steps, message: Any) -> Any:
        return self._new_vector(state._replace(phase="first vector made"))

    def _first_vector_made(self, state: Steps, message: Any) -> Any:
        return self._ask_vector(state)

    def _vector(self, state: Steps, message: Any) -> Any:
        if message is BOTTOM:
            return state._replace(phase=""), LEFT, state.out
        return state._replace(phase="counter"), RIGHT, Ask(state.interval, 0)

    def _counter(self, state: Steps, message: int) -> Any:
        """H has answered: h ← H(c), out ← q(h), and a Laplace mechanism for the test."""
        after = state._replace(
            phase="test made",
            newer=message,
            out=min(message, CAP),
            before=state.interval,
            interval=0 if self.resets else state.interval,
            created=state.created + 1,
        )
        return after, RIGHT, laplace()

    def _test_made(self, state: Steps, message: Any) -> Any:
        tested = state.newer if self.printed else state.h + state.before
        after = state._replace(phase="test", h=state.newer, newer=0, before=0)
        return after, RIGHT, Ask(min(tested, CAP), state.created - 1)

    def _test(self, state: Steps, message: int) -> Any:
        """Thresh grows if the noisy q(c + h) > Thresh − ξ; then a new SVT with the new h."""
        grown = min(state.threshold + 1, THRESHOLDS[-1])
        threshold = grown if message > state.threshold - 1 else state.threshold
        return self._new_vector(state._replace(phase="vector made", threshold=threshold))

    def _vector_made(self, state: Steps, message: Any) -> Any:
        return state._replace(phase=""), LEFT, state.out


def _hss(*, printed: bool = False, resets: bool = True, tests: bool = True) -> Evidence:
    """The three properties, and tight δ against Comp[RR] of the three ε (Thms 5.2, 6.1)."""
    parts = [counter(), sparse_vectors()[0]] + ([laplace()] if tests else [])
    inner = sparse_parallel([each.parameters for each in parts])
    return lifted(SmallHistogram(printed, resets), EVENT, inner, ROUNDS, 9 * ROUNDS)
