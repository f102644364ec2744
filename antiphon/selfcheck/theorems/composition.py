"""Checks of Lemmas 4.6 and 4.7 and Theorems 4.10 and 4.12: concurrent composition.

A guarded mechanism is a post-processing of randomized response (the lemmas).
Each theorem is checked in two ways: the tight δ of a composition is at most that of Comp[RR…],
and the composition is equivalent to 𝒫 ∘* Comp[RR…], which is the proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import partial
from typing import TypeAlias, Union

import attrs

from antiphon.audit.simulated_composition import (
    CompositionSimulator,
    Parameters,
    Place,
    RandomizedResponses,
    by_index,
    composition_simulator,
    first_alike,
)
from antiphon.audit.simulators import Continuations, Lyu, Simulated, lyu, vadhan_wang
from antiphon.composition import Create, ExtConComp, validity
from antiphon.composition.suitable import Suitable
from antiphon.mechanisms.randomized_response import LeakyBit, RandomizedResponse
from antiphon.numbers.exact import ExactEpsilon, Log
from antiphon.protocol import BOTTOM, TOP, ContinualMechanism, Verification
from antiphon.selfcheck.theorems.components import (
    CURVE,
    LEAKY,
    PURE_RESPONSE,
    RESPONSE,
    ForgetsTheirs,
    ForgetsToCharge,
    first_unused,
    messages,
    threshold,
    walk,
    weakened,
)
from antiphon.selfcheck.theorems.finite import SECRET, WALK, FiniteAboveThreshold, promised
from antiphon.selfcheck.theorems.foundations import TENTH, simulated
from antiphon.selfcheck.theorems.theorem import (
    Check,
    Evidence,
    composed,
    in_both_worlds,
    private,
    same_views,
)
from antiphon.verifiers import Identifier, Verifier, bounded, event_level, neighbouring_start

BUDGET = ((Log(2), Fraction(13, 64)), (Log(3), Fraction(0)))
"""The heterogeneous parameters for the checks of Thm 4.12: (ln 2, 13/64) and (ln 3, 0)."""

SECTION = (4, 6)


def checks() -> Iterable[Check]:
    """The checks of this file's theorems on finite instances, each theorem with broken twins."""
    yield from _lemma_4_6()
    yield from _lemma_4_7()
    yield from _theorem_4_10()
    yield from _theorem_4_12()


def bounded_by_responses(
    f: Suitable,
    catalogue: Iterable[Create],
    rounds: int,
    most: int | None = None,
    parameters: Sequence[Parameters] = (),
) -> Evidence:
    """Evidence that V[f] ∘* I ∘* ExtConComp has at most the δ of Comp[RR…], at several ε."""
    claimed = composed(parameters or _parameters(f), CURVE)
    made = list(catalogue)
    return private(ExtConComp(), f, claimed, rounds, catalogue=made, max_creations=most)


def _parameters(f: Suitable) -> Sequence[Parameters]:
    if isinstance(f, validity.OfCreations):
        return [created.parameters for created in f.created]
    assert isinstance(f, validity.Budgeted)
    return f.parameters


def proof_by_simulation(
    f: Suitable,
    made: list[Create],
    count: int,
    rounds: int,
    simulator: CompositionSimulator | None = None,
) -> Evidence:
    """Evidence that V[f] ∘* I(b) ∘* ExtConComp ≡ V[f] ∘* 𝒫 ∘* Comp[RR…](b, …, b) for both b."""
    chosen = composition_simulator(f, rounds=rounds) if simulator is None else simulator
    responses = RandomizedResponses(chosen.parameters)
    systems = in_both_worlds(
        lambda b: Verifier(f) @ Identifier(b) @ ExtConComp(),
        lambda b: Verifier(f) @ chosen @ Identifier(b) @ responses,
    )
    return same_views(systems, rounds, messages(made, count))


# --- Theorem 4.10: fixed mechanisms --------------------------------------------------------


def _theorem_4_10() -> Iterable[Check]:
    two = Check("Thm 4.10", "RR ‖ walk", _two_fixed)
    simulated = Check("Thm 4.10", "M_{1/5} ‖ RR ≡ 𝒫 ∘* Comp[RR…]", _two_simulated)
    four, three = [RESPONSE, threshold(), walk(), LEAKY], [LEAKY, walk(), RESPONSE]
    fixed = validity.fixed_mechanisms
    yield Check("Thm 4.10", "RR ‖ AboveThreshold ‖ walk ‖ M_{1/5}",
                partial(bounded_by_responses, fixed(four), four, 11))  # fmt: skip
    yield Check("Thm 4.10", "M_{1/5} ‖ walk ‖ RR ≡ 𝒫 ∘* Comp[RR…]",
                partial(proof_by_simulation, fixed(three), three, 3, 6))  # fmt: skip
    yield from (two, simulated)
    yield two.twin("RR ‖ walk, f forgets f_i", kind=ForgetsTheirs)
    yield simulated.twin("M_{1/5} ‖ RR, 𝒫 feeds T_i another's sample", crossed=True)


def _two_fixed(*, kind: type[validity.OfCreations] = validity.FixedMechanisms) -> Evidence:
    made = (RESPONSE, walk())
    return bounded_by_responses(kind(made), made, 6)


def _two_simulated(*, crossed: bool = False) -> Evidence:
    made = [LEAKY, RESPONSE]
    f = validity.fixed_mechanisms(made)
    right = composition_simulator(f, rounds=5)
    wrong = CompositionSimulator(right.parameters[::-1], right.choose, by_index)
    return proof_by_simulation(f, made, 2, 5, wrong if crossed else right)


# --- Theorem 4.12: fixed parameters, mechanisms chosen adaptively ---------------------------


def _many() -> list[Create]:
    """Four creations, two for each of the parameters of ``BUDGET``."""
    return [threshold(), weakened(RESPONSE, 2, BUDGET[0][1]), weakened(walk(), 3), PURE_RESPONSE]


def _theorem_4_12() -> Iterable[Check]:
    two = Check("Thm 4.12", "any of four kinds for (ln 2, 13/64), (ln 3, 0)", _two_chosen)
    simulated = Check("Thm 4.12", "RR or RR(ln 3, 0), chosen adaptively ≡ 𝒫", _two_simulated_chosen)
    f, made = validity.fixed_parameters([*BUDGET, BUDGET[1]]), [RESPONSE, weakened(walk(), 3)]
    yield Check("Thm 4.12", "any of four kinds for (ln 2, 13/64), (ln 3, 0), (ln 3, 0)",
                partial(bounded_by_responses, f, _many(), 9))  # fmt: skip
    yield Check("Thm 4.12", "walk, RR or RR(ln 3, 0), chosen adaptively ≡ 𝒫",
                partial(proof_by_simulation, _for_two(), [*made, PURE_RESPONSE], 2, 5))  # fmt: skip
    yield from (two, simulated)
    yield two.twin("f forgets to charge a creation", kind=ForgetsToCharge)
    yield simulated.twin("𝒫 takes any unused sample", place=first_unused)


def _for_two() -> validity.FixedParameters:
    return validity.fixed_parameters([RESPONSE.parameters, BUDGET[1]])


def _two_chosen(*, kind: type[validity.Budgeted] = validity.FixedParameters) -> Evidence:
    f = kind(validity.fixed_parameters(BUDGET).parameters)
    return bounded_by_responses(f, _many(), 6, most=3)


def _two_simulated_chosen(*, place: Place = first_alike) -> Evidence:
    f = _for_two()
    right = composition_simulator(f, rounds=4)
    simulator = CompositionSimulator(right.parameters, right.choose, place)
    return proof_by_simulation(f, [RESPONSE, PURE_RESPONSE], 2, 4, simulator)


ROUNDS = 3
EVENT = bounded(event_level(), ROUNDS)
START = bounded(neighbouring_start(), ROUNDS)
Mechanism = ContinualMechanism


@attrs.frozen(eq=False)
class PrintedLyu(Lyu):
    """Lyu's simulator as in the headings of CM §A.2.2-3, which swap ⊤ and ⊥ (theory §2.1): a
    broken twin."""

    def weights(self, state: Simulated, found: Continuations) -> list[Fraction] | None:
        if state.sample is not None:
            bit, flag = state.sample
            state = state._replace(sample=(bit, BOTTOM if flag is TOP else TOP))
        return Lyu.weights(self, state, found)


Instance: TypeAlias = tuple[
    str, ContinualMechanism, Union[Verification, None], Union[ExactEpsilon, None]
]
"""An instance of a lemma: a name, a mechanism M, f and ε; None for f or ε means that of M's
claim."""


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
    """Evidence for Lemma 4.7. ``built`` and ``fed``: the amounts by which e^ε is too small in T,
    and in RR."""
    epsilon = promised(mechanism, f, ROUNDS).claims[0].parameters[0]
    assert isinstance(epsilon, Log)
    simulator = vadhan_wang(mechanism, f, epsilon=Log(epsilon.argument - built))
    given = Log(epsilon.argument - max(built, fed))
    return simulated(simulator, mechanism, f, given, Fraction(0), ROUNDS)
