# pyright: reportIncompatibleMethodOverride=false, reportAssignmentType=false
"""Checks of sliding windows and of privacy by age, on finite counters."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import partial
from typing import Any, Final

import attrs

from antiphon.mechanisms import COUNT, Window
from antiphon.numbers.exact import ExactEpsilon, Log, epsilon
from antiphon.protocol import TOP, Coins, ContinualMechanism, PostProcessor
from antiphon.protocol.spaces import BITS, Either, Finite, Integers, Signature
from antiphon.selfcheck.specimens.counters import AddsBare
from antiphon.selfcheck.theorems.theorem import Check, Evidence, composed, private
from antiphon.verifiers.models import UntilAge, event_level, updates_and_queries

SECTION = (2, 15)
QUERIES: Final = Finite((COUNT,))
EVENT: Final = updates_and_queries(event_level(), QUERIES)
CURVE: Final[tuple[ExactEpsilon, ...]] = (epsilon(0), Log(2), Log(4))
ONE: Final = ((Log(2), Fraction(0)),)
"""The (ε, δ) of one randomized response with ε = ln 2."""


def checks() -> Iterable[Check]:
    """The checks of sliding windows and of privacy by age, with broken twins."""
    window = Check("Lemma 2.15", "Window(2) @ a counter of randomized bits, three updates", sliding)
    young = Check("Expiration", "parities of neighbouring bits: an update, and none after", aged)
    older = partial(aged, age=1, answers=2)
    old = Check("Expiration", "the same, and one update after it: two answers", older)
    yield from (window, young, old)
    yield window.twin("the newest update added without noise", processor=AddsBare() @ _WINDOW)
    yield young.twin("one more update, at the same claim", age=1)


@attrs.frozen
class RandomizedBits(ContinualMechanism[Any, Any, Any]):
    """A finite counter of randomized bits (RR with ε = ln 2) or, with ``parities``, of the
    randomized parities of neighbouring bits.

    State: the last bit, and the number of randomized ones.
    """

    parities: bool = False
    initial_state = 0, 0
    signature = Signature(Either((BITS, QUERIES)), Either((Finite((TOP,)), Integers())), BITS)

    def step(self, state: Any, message: Any, coins: Coins) -> tuple[Any, Any]:
        last, total = state
        if message == COUNT:
            return state, total
        bit = message ^ last if self.parities else message
        kept = coins.bernoulli(Fraction(2, 3))
        return (message, total + (bit if kept else 1 - bit)), TOP


_WINDOW: Final = Window(2)


def sliding(processor: PostProcessor[Any] = _WINDOW) -> Evidence:
    """Evidence that a counter's sliding-window counts are as private as its counts since the
    start."""
    system = processor @ RandomizedBits()
    return private(system, event_level(), composed(ONE, CURVE), 3, exactly=True)


def aged(age: int = 0, answers: int = 1) -> Evidence:
    """Evidence that an adversary that stops ``age`` updates after the differing one learns at most
    ``answers`` randomized responses."""
    system, f = RandomizedBits(parities=True), UntilAge(EVENT, age)
    return private(system, f, composed(ONE * answers, CURVE), 6, exactly=True)
