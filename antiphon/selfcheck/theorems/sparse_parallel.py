"""Checks of Theorems 5.2 and 5.5 and of the counterexample 1.4: k-sparse parallel composition."""

from collections.abc import Iterable
from fractions import Fraction
from functools import partial

from antiphon.audit import simulated_composition
from antiphon.audit.simulated_composition import CompositionSimulator, composition_simulator
from antiphon.audit.simulators import vadhan_wang
from antiphon.composition import Create
from antiphon.composition.validity import SparseParallel, sparse_parallel
from antiphon.mechanisms.randomized_response import LeakyBit, RandomizedResponse
from antiphon.numbers.exact import epsilon
from antiphon.protocol import Pair, PostProcessor
from antiphon.selfcheck.theorems import components
from antiphon.selfcheck.theorems.composition import bounded_by_responses, bounding, proving
from antiphon.selfcheck.theorems.theorem import Check, Evidence, composed, of_creations, rows

ZERO = epsilon(0)
SILENT = Create(LeakyBit(delta=0))
"""The message that creates M_0, which never reveals a bit."""

SECTION = (5, 2)


def checks() -> Iterable[Check]:
    """The checks of Theorems 5.2, 5.5 and 1.4, with broken twins."""
    yield from _theorem_5_2()
    yield from _theorem_5_5()
    yield from _counterexample()


# --- checks of Theorem 5.2: k-sparse parallel composition, pure ----------------------------


def _theorem_5_2() -> Iterable[Check]:
    row, one = partial(Check, "Thm 5.2"), components.PURE_RESPONSE
    made = [components.walk(), one, components.LEAKY]
    weak, f = [components.weakened(made[0], 3), *made[1:]], _sparse(*made[:2])
    echo, right = [Create(components.BitEcho())], composition_simulator(_sparse(one), rounds=4)
    printed = CompositionSimulator(right.parameters, _guarded, simulated_composition.first_alike)
    yield row("2 of up to 3: walk, RR(ln 3, 0); M_{1/5} beside them", bounding(f, made, 7, most=3))
    yield row("1 of many: walk, RR(ln 3, 0), M_{1/5} ≡ 𝒫", proving(_sparse(one), weak, 2, 5))
    pure, silent = row("2 of up to 4: RR(ln 3, 0) and M_0", _pure), sparse_parallel([(0, 0)])
    shut = bounding(f=silent, catalogue=echo, rounds=3, most=1)
    closed = row("an echo that nobody may ask, as its f' is ⊥ at length 1", shut)
    bounded = bounding(f=_sparse(one), catalogue=[one], rounds=4, most=2)
    charged = row("1 of up to 2: RR(ln 3, 0)", bounded)
    proof = proving(_sparse(one), weak[:1], 1, 4, simulator=right)
    simulated = row("1 of many: walk ≡ 𝒫, T_j without V[f'_j] for j ∉ J", proof)
    yield from (pure, closed, charged, simulated)
    yield pure.twin("δ > 0: one (0, 1/5) among the fixed, 3 × M_{1/5}", leaky=components.LEAKY)
    unclosed = components.NotPrefixClosed(silent.parameters)
    yield closed.twin("f' that is not prefix-closed, an echo", f=unclosed)
    forgets = components.ForgetsSparsity((one.parameters,))
    yield charged.twin("f_∞ forgets to charge who differs", f=forgets)
    yield simulated.twin("T_j with V[f'_j] for j ∉ J, as printed", simulator=printed)


def _sparse(*created: Create, consistent: bool = False) -> SparseParallel:
    """The function f_∞ with the parameters of the given creations; if ``consistent``, f_{∞,FPC}."""
    fixed = [each.parameters for each in created]
    return sparse_parallel(fixed, first_pair_consistent=consistent)


def _pure(*, leaky: Create = SILENT) -> Evidence:
    f = _sparse(components.PURE_RESPONSE, leaky)
    return bounded_by_responses(f, [components.PURE_RESPONSE, leaky], 9, most=4)


def _guarded(created: Create, pair: Pair) -> PostProcessor:
    """The simulator T_j of a created mechanism as printed: it contains V[f'_j], whatever the first
    pair is."""
    return vadhan_wang(created.mechanism, epsilon=created.parameters[0], within=True)


# --- checks of Theorem 5.5: first-pair consistent, any δ -----------------------------------


def _theorem_5_5() -> Iterable[Check]:
    row, leaky = partial(Check, "Thm 5.5"), [components.LEAKY]
    two = [components.secret(), components.RESPONSE]
    pure = [components.secret(), components.PURE_RESPONSE]
    of_two, of_pure, of_leaky = (_sparse(*each, consistent=True) for each in (two, pure, leaky))
    right = composition_simulator(of_leaky, rounds=4)
    yield row("2 of up to 4: secret (an IM), RR; any δ", bounding(of_two, two, 9, most=4))
    yield row("1 of 4 RR(0, 1/10) has exactly 1/10", _one_of_four)
    yield row("1 + 1 of secret, RR(ln 3, 0) ≡ 𝒫", proving(of_pure, pure, 2, 5))
    bounded = bounding(f=of_leaky, catalogue=leaky, rounds=7, most=3)
    three = row("3 × M_{1/5}, which first-pair consistency leaves out", bounded)
    proof = proving(f=of_leaky, made=leaky, count=1, rounds=4, simulator=right)
    simulated = row("M_{1/5}, which it leaves out ≡ 𝒫", proof)
    yield from (three, simulated)
    yield three.twin("f forgets first-pair consistency, 3 × M_{1/5}", f=_sparse(*leaky))
    yield simulated.twin("𝒫 where f' is not first-pair consistent", f=_sparse(*leaky))


def _one_of_four() -> Evidence:
    one = Create(RandomizedResponse(epsilon=0, delta=Fraction(1, 10)))
    f, claimed = _sparse(one, consistent=True), composed([one.parameters], [0])
    return of_creations(f, [one], claimed, 8, 4, exactly=True)


# --- checks of Theorem 1.4 (CM §5.2): the counterexample, found by search -------------------------


def _counterexample() -> Iterable[Check]:
    text = "up to {0} × M_{{{1}}}, 1-sparse: δ = 1-(1-δ)^{0} by search"
    given = (1, Fraction(1, 10)), (3, Fraction(1, 3)), (4, Fraction(1, 10))
    made = rows("Thm 1.4", text, _searched, *given)
    yield from made
    one = "the claim that up to 4 × M_{1/10}, 1-sparse, cost one δ"
    yield made[-1].twin(one, expected=Fraction(1, 10))


def _searched(copies: int, delta: Fraction, *, expected: Fraction | None = None) -> Evidence:
    """Evidence on copies of M_δ under f_∞; the solver finds the best adversary and its δ by
    search."""
    created = Create(LeakyBit(delta=delta))
    claimed = [(ZERO, 1 - (1 - delta) ** copies if expected is None else expected)]
    f, rounds = _sparse(created), 2 * copies + 1
    return of_creations(f, [created], claimed, rounds, copies, exactly=True)
