"""Checks of Lemmas 4.6 and 4.7 and Theorems 4.10 and 4.12: concurrent composition.

A guarded mechanism is a post-processing of randomized response (the lemmas).
Each theorem is checked in two ways: the tight δ of a composition is at most that of Comp[RR…],
and the composition is equivalent to 𝒫 ∘* Comp[RR…], which is the proof.
"""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import partial
from typing import TypeAlias, Union

import attrs

from antiphon.audit import simulated_composition
from antiphon.audit.simulated_composition import CompositionSimulator, composition_simulator
from antiphon.audit.simulators import Continuations, Lyu, Simulated, lyu, vadhan_wang
from antiphon.composition import Create, ExtConComp, validity
from antiphon.composition.suitable import Suitable
from antiphon.mechanisms.randomized_response import LeakyBit, RandomizedResponse
from antiphon.numbers.exact import ExactEpsilon, Log
from antiphon.protocol import BOTTOM, TOP, ContinualMechanism, Verification
from antiphon.selfcheck.theorems import components, theorem
from antiphon.selfcheck.theorems.components import LEAKY, PURE_RESPONSE, RESPONSE, threshold, walk
from antiphon.selfcheck.theorems.finite import SECRET, WALK, FiniteAboveThreshold, promised
from antiphon.selfcheck.theorems.foundations import TENTH, simulated
from antiphon.verifiers import Identifier, Verifier, bounded, event_level, neighbouring_start

BUDGET = ((Log(2), Fraction(13, 64)), (Log(3), Fraction(0)))
"""The two fixed parameters (ε, δ) in the checks of Thm 4.12."""

SECTION = (4, 6)


def checks() -> Iterable[theorem.Check]:
    """The checks of Lemmas 4.6 and 4.7 and Theorems 4.10 and 4.12, with broken twins."""
    yield from _lemma_4_6()
    yield from _lemma_4_7()
    yield from _theorem_4_10()
    yield from _theorem_4_12()


def bounded_by_responses(
    f: Suitable, catalogue: Iterable[Create], rounds: int, most: int | None = None
) -> theorem.Evidence:
    """Evidence that the tight δ of ExtConComp w.r.t. f is at most that of Comp[RR…], at each ε."""
    if isinstance(f, validity.OfCreations):
        parameters: Sequence[theorem.Parameters] = [created.parameters for created in f.created]
    else:
        assert isinstance(f, validity.Budgeted)
        parameters = f.parameters
    claimed = theorem.composed(parameters, components.CURVE)
    return theorem.of_creations(f, catalogue, claimed, rounds, most)


def proof_by_simulation(
    f: Suitable,
    made: list[Create],
    count: int,
    rounds: int,
    simulator: CompositionSimulator | None = None,
) -> theorem.Evidence:
    """Evidence that V[f] ∘* I(b) ∘* ExtConComp ≡ V[f] ∘* 𝒫 ∘* Comp[RR…](b, …, b) for both b; 𝒫 is
    the paper's simulator or ``simulator``."""
    chosen = composition_simulator(f, rounds=rounds) if simulator is None else simulator
    responses = simulated_composition.RandomizedResponses(chosen.parameters)
    systems = theorem.in_both_worlds(
        lambda b: Verifier(f) @ Identifier(b) @ ExtConComp(),
        lambda b: Verifier(f) @ chosen @ Identifier(b) @ responses,
    )
    return theorem.same_views(systems, rounds, components.messages(made, count))


Decided: TypeAlias = Callable[..., partial[theorem.Evidence]]
bounding: Decided = partial(partial, bounded_by_responses)
proving: Decided = partial(partial, proof_by_simulation)
"""Functions that take the arguments of ``bounded_by_responses`` or ``proof_by_simulation``, and
return a function that decides a check; a twin changes one of these arguments."""


# --- checks of Theorem 4.10: fixed mechanisms ----------------------------------------------


def _theorem_4_10() -> Iterable[theorem.Check]:
    row, fixed = partial(theorem.Check, "Thm 4.10"), validity.fixed_mechanisms
    four, three = [RESPONSE, threshold(), walk(), LEAKY], [LEAKY, walk(), RESPONSE]
    pair, leaky = (RESPONSE, walk()), [LEAKY, RESPONSE]
    right, by_index = composition_simulator(fixed(leaky), rounds=5), simulated_composition.by_index
    crossed = CompositionSimulator(right.parameters[::-1], right.choose, by_index)
    bounded = bounding(f=fixed(pair), catalogue=pair, rounds=6)
    proof = proving(fixed(leaky), leaky, 2, 5, simulator=right)
    yield row("RR ‖ AboveThreshold ‖ walk ‖ M_{1/5}", bounding(fixed(four), four, 11))
    yield row("M_{1/5} ‖ walk ‖ RR ≡ 𝒫 ∘* Comp[RR…]", proving(fixed(three), three, 3, 6))
    yield (two := row("RR ‖ walk", bounded))
    yield (simulated := row("M_{1/5} ‖ RR ≡ 𝒫 ∘* Comp[RR…]", proof))
    yield two.twin("RR ‖ walk, f forgets f_i", f=components.ForgetsTheirs(pair))
    yield simulated.twin("M_{1/5} ‖ RR, 𝒫 feeds T_i another's sample", simulator=crossed)


# --- checks of Theorem 4.12: fixed parameters, mechanisms chosen adaptively -----------------


def _many() -> list[Create]:
    """Four creations, two for each of the fixed parameters (ε, δ)."""
    weak = components.weakened(RESPONSE, 2, BUDGET[0][1]), components.weakened(walk(), 3)
    return [threshold(), *weak, PURE_RESPONSE]


def _theorem_4_12() -> Iterable[theorem.Check]:
    row, fixed = partial(theorem.Check, "Thm 4.12"), validity.fixed_parameters
    one, pure = fixed([RESPONSE.parameters, BUDGET[1]]), [RESPONSE, PURE_RESPONSE]
    right = composition_simulator(one, rounds=4)
    unlike = CompositionSimulator(right.parameters, right.choose, components.first_unused)
    bounded = bounding(f=fixed(BUDGET), catalogue=_many(), rounds=6, most=3)
    proof = proving(one, pure, 2, 4, simulator=right)
    kinds = "any of four kinds for (ln 2, 13/64), (ln 3, 0)"
    yield row(f"{kinds}, (ln 3, 0)", bounding(fixed([*BUDGET, BUDGET[1]]), _many(), 9))
    made = [RESPONSE, components.weakened(walk(), 3), PURE_RESPONSE]
    yield row("walk, RR or RR(ln 3, 0), chosen adaptively ≡ 𝒫", proving(one, made, 2, 5))
    yield (two := row(kinds, bounded))
    yield (simulated := row("RR or RR(ln 3, 0), chosen adaptively ≡ 𝒫", proof))
    forgets = components.ForgetsToCharge(fixed(BUDGET).parameters)
    yield two.twin("f forgets to charge a creation", f=forgets)
    yield simulated.twin("𝒫 takes any unused sample", simulator=unlike)


ROUNDS = 3
EVENT = bounded(event_level(), ROUNDS)
START = bounded(neighbouring_start(), ROUNDS)


@attrs.frozen(eq=False)
class PrintedLyu(Lyu):
    """A broken simulator of Lyu: it takes ⊤ for ⊥, as the headings of CM §A.2.2-3 do."""

    def weights(self, state: Simulated, found: Continuations) -> list[Fraction] | None:
        if state.sample is not None:
            bit, flag = state.sample
            state = state._replace(sample=(bit, BOTTOM if flag is TOP else TOP))
        return Lyu.weights(self, state, found)


Instance: TypeAlias = tuple[
    str, ContinualMechanism, Union[Verification, None], Union[ExactEpsilon, None]
]
"""A name, a mechanism, and the f and ε of Lemma 4.6; None: those of the mechanism's own claim."""


def _lemma_4_6() -> Iterable[theorem.Check]:
    instances: tuple[Instance, ...] = (
        ("M_{1/10} (ε = 0)", LeakyBit(delta=TENTH), None, None),
        ("RR(ln 3, 1/7)", RandomizedResponse(epsilon=Log(3), delta=Fraction(1, 7)), None, None),
        ("AboveThreshold, ε = ln 2", FiniteAboveThreshold(2), EVENT, Log(2)),
        ("walk, ε = ln 3/2", WALK, EVENT, Log(Fraction(3, 2))),
        ("secret, ε = 0", SECRET, START, Fraction(0)),
    )
    rows = {
        name: theorem.Check("Lemma 4.6", f"Lyu: {name}", partial(_lyu, mechanism, f, epsilon))
        for name, mechanism, f, epsilon in instances
    }
    yield from rows.values()
    row, name = rows["AboveThreshold, ε = ln 2"], "AboveThreshold, ε = ln 2"
    yield row.twin(f"{name}, δ a tenth too small", shrink=Fraction(9, 10))
    yield row.twin(f"{name}, T fed by RR with too small an ε", fed=Log(Fraction(3, 2)))
    yield row.twin(f"{name}, ⊤ and ⊥ swapped as printed", printed=True)


def _lyu(
    system: ContinualMechanism,
    verification: Verification | None,
    at: ExactEpsilon | None,
    *,
    shrink: Fraction = Fraction(1),
    fed: ExactEpsilon | None = None,
    printed: bool = False,
) -> theorem.Evidence:
    mechanism = (
        system if verification is None else promised(system, verification, ROUNDS, epsilon=at)
    )
    claim = mechanism.claims[0]
    epsilon, delta = claim.parameters
    f = claim.verification
    simulator = lyu(mechanism, f, epsilon=epsilon, delta=delta * shrink, rounds=ROUNDS)
    if printed:
        simulator = PrintedLyu(mechanism, f, simulator.growth, delta=simulator.delta, rounds=ROUNDS)
    given = epsilon if fed is None else fed
    return simulated(simulator, mechanism, f, given, delta * shrink, ROUNDS)


def _lemma_4_7() -> Iterable[theorem.Check]:
    row = theorem.Check("Lemma 4.7", "Vadhan-Wang: walk, tight ε", partial(_pure, WALK, EVENT))
    yield row
    yield theorem.Check("Lemma 4.7", "Vadhan-Wang: secret, tight ε", lambda: _pure(SECRET, START))
    above = partial(_pure, FiniteAboveThreshold(3), EVENT)
    yield theorem.Check("Lemma 4.7", "Vadhan-Wang: AboveThreshold", above)
    yield row.twin("walk, e^ε too small by 1/10", built=TENTH)
    yield row.twin("walk, T fed by RR with too small an ε", fed=TENTH)


def _pure(
    mechanism: ContinualMechanism,
    f: Verification,
    *,
    built: Fraction = Fraction(0),
    fed: Fraction = Fraction(0),
) -> theorem.Evidence:
    """Evidence for Lemma 4.7, that T ∘* RR_ε, with T the simulator, has the mechanism's views; in a
    twin e^ε is too small by ``built`` in T and RR, or by ``fed`` in RR alone."""
    epsilon = promised(mechanism, f, ROUNDS).claims[0].parameters[0]
    assert isinstance(epsilon, Log)
    simulator = vadhan_wang(mechanism, f, epsilon=Log(epsilon.argument - built))
    given = Log(epsilon.argument - max(built, fed))
    return simulated(simulator, mechanism, f, given, Fraction(0), ROUNDS)
