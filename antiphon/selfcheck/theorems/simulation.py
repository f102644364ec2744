"""Lemmas 4.6 and 4.7: a guarded mechanism is a post-processing of randomized response."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import partial
from typing import TypeAlias, Union

import attrs

from antiphon.audit.simulators import Continuations, Lyu, Simulated, lyu, vadhan_wang
from antiphon.mechanisms.leaky_bit import LeakyBit
from antiphon.mechanisms.randomized_response import RandomizedResponse
from antiphon.numbers.exact import ExactEpsilon, Log
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.messages import BOTTOM, TOP
from antiphon.protocol.verification import Verification
from antiphon.selfcheck.theorems.foundations import TENTH, simulated
from antiphon.selfcheck.theorems.parts.finite import SECRET, WALK, FiniteAboveThreshold, promised
from antiphon.selfcheck.theorems.theorem import Check, Evidence
from antiphon.verifiers.models import bounded, event_level, neighbouring_start

ROUNDS = 3
EVENT = bounded(event_level(), ROUNDS)
START = bounded(neighbouring_start(), ROUNDS)
Mechanism = ContinualMechanism

SECTION = (4, 6)


def checks() -> Iterable[Check]:
    """The rows."""
    yield from _lemma_4_6()
    yield from _lemma_4_7()


@attrs.frozen(eq=False)
class PrintedLyu(Lyu):
    """Lyu's simulator as the headings of CM §A.2.2-3 print it: ⊤ and ⊥ swapped (theory §2.1)."""

    def weights(self, state: Simulated, found: Continuations) -> list[Fraction] | None:
        if state.sample is not None:
            bit, flag = state.sample
            state = state._replace(sample=(bit, BOTTOM if flag is TOP else TOP))
        return Lyu.weights(self, state, found)


Instance: TypeAlias = tuple[
    str, ContinualMechanism, Union[Verification, None], Union[ExactEpsilon, None]
]
"""A name, M, f and ε; None: as M itself claims."""


def _lemma_4_6() -> Iterable[Check]:
    threshold = FiniteAboveThreshold(2)
    instances: tuple[Instance, ...] = (
        ("M_{1/10} (ε = 0)", LeakyBit(delta=TENTH), None, None),
        ("RR(ln 3, 1/7)", RandomizedResponse(epsilon=Log(3), delta=Fraction(1, 7)), None, None),
        ("AboveThreshold, ε = ln 2", threshold, EVENT, Log(2)),
        ("walk, ε = ln 3/2", WALK, EVENT, Log(Fraction(3, 2))),
        ("secret, ε = 0", SECRET, START, Fraction(0)),
    )
    rows = {
        name: Check("Lemma 4.6", f"Lyu: {name}", partial(_lyu, mechanism, f, epsilon))
        for name, mechanism, f, epsilon in instances
    }
    yield from rows.values()
    row, name = rows["AboveThreshold, ε = ln 2"], "AboveThreshold, ε = ln 2"
    yield row.twin(f"{name}, δ a tenth too small", shrink=Fraction(9, 10))
    yield row.twin(f"{name}, T fed by RR with too small an ε", fed=Log(Fraction(3, 2)))
    yield row.twin(f"{name}, ⊤ and ⊥ swapped as printed", printed=True)


def _with(
    mechanism: ContinualMechanism, f: Verification | None, epsilon: ExactEpsilon | None
) -> ContinualMechanism:
    return mechanism if f is None else promised(mechanism, f, ROUNDS, epsilon=epsilon)


def _lyu(
    system: Mechanism,
    verification: Verification | None,
    at: ExactEpsilon | None,
    *,
    shrink: Fraction = Fraction(1),
    fed: ExactEpsilon | None = None,
    printed: bool = False,
) -> Evidence:
    mechanism = _with(system, verification, at)
    claim = mechanism.claims[0]
    epsilon, delta = claim.parameters
    f = claim.verification
    simulator = lyu(mechanism, f, epsilon=epsilon, delta=delta * shrink, rounds=ROUNDS)
    if printed:
        simulator = PrintedLyu(mechanism, f, simulator.growth, delta=simulator.delta, rounds=ROUNDS)
    given = epsilon if fed is None else fed
    return simulated(simulator, mechanism, f, given, delta * shrink, ROUNDS)


def _lemma_4_7() -> Iterable[Check]:
    row = Check("Lemma 4.7", "Vadhan-Wang: walk, tight ε", partial(_pure, WALK, EVENT))
    yield row
    yield Check("Lemma 4.7", "Vadhan-Wang: secret, tight ε", lambda: _pure(SECRET, START))
    threshold = FiniteAboveThreshold(3)
    yield Check("Lemma 4.7", "Vadhan-Wang: AboveThreshold", lambda: _pure(threshold, EVENT))
    yield row.twin("walk, e^ε too small by 1/10", built=TENTH)
    yield row.twin("walk, T fed by RR with too small an ε", fed=TENTH)


def _pure(
    mechanism: Mechanism,
    f: Verification,
    *,
    built: Fraction = Fraction(0),
    fed: Fraction = Fraction(0),
) -> Evidence:
    """``built`` and ``fed``: by how much e^ε is too small in T, and in RR."""
    epsilon = promised(mechanism, f, ROUNDS).claims[0].parameters[0]
    assert isinstance(epsilon, Log)
    simulator = vadhan_wang(mechanism, f, epsilon=Log(epsilon.argument - built))
    given = Log(epsilon.argument - max(built, fed))
    return simulated(simulator, mechanism, f, given, Fraction(0), ROUNDS)
