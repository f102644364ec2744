"""Checks of Theorems 5.2 and 5.5 and of the counterexample 1.4: k-sparse parallel composition."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import partial

from antiphon.audit.simulated_composition import (
    CompositionSimulator,
    composition_simulator,
    first_alike,
)
from antiphon.audit.simulators import vadhan_wang
from antiphon.composition import Create, ExtConComp
from antiphon.composition.validity import Budgeted, SparseParallel, sparse_parallel
from antiphon.mechanisms.randomized_response import LeakyBit, RandomizedResponse
from antiphon.numbers.exact import epsilon
from antiphon.selfcheck.theorems import components
from antiphon.selfcheck.theorems.composition import bounded_by_responses, proof_by_simulation
from antiphon.selfcheck.theorems.theorem import Check, Evidence, composed, private, rows

ZERO = epsilon(0)
SILENT = Create(LeakyBit(delta=0))
"""The creation of M_0, a mechanism whose answers never reveal anything."""

SECTION = (5, 2)


def checks() -> Iterable[Check]:
    """The checks of this file's theorems on finite instances, each theorem with broken twins."""
    yield from _theorem_5_2()
    yield from _theorem_5_5()
    yield from _counterexample()


# --- Theorem 5.2: k-sparse parallel composition, pure --------------------------------------


def _theorem_5_2() -> Iterable[Check]:
    pure = Check("Thm 5.2", "2 of up to 4: RR(ln 3, 0) and M_0", _pure)
    closed = Check("Thm 5.2", "an echo that may not be asked, as its f' is ⊥ at length 1", _closed)
    charged = Check("Thm 5.2", "1 of up to 2: RR(ln 3, 0)", _charged)
    simulated = Check("Thm 5.2", "1 of many: walk ≡ 𝒫, T_j without V[f'_j] for j ∉ J", _guarded)
    made = [components.walk(), components.PURE_RESPONSE, components.LEAKY]
    weak, f = [components.weakened(made[0], 3), *made[1:]], _sparse(*made[:2])
    yield Check("Thm 5.2", "2 of up to 3: walk, RR(ln 3, 0); M_{1/5} beside them",
                partial(bounded_by_responses, f, made, 7, most=3))  # fmt: skip
    yield Check("Thm 5.2", "1 of many: walk, RR(ln 3, 0), M_{1/5} ≡ 𝒫",
                partial(proof_by_simulation, _sparse(made[1]), weak, 2, 5))  # fmt: skip
    yield from (pure, closed, charged, simulated)
    yield pure.twin("δ > 0: one (0, 1/5) among the fixed, 3 × M_{1/5}", leaky=components.LEAKY)
    yield closed.twin("f' that is not prefix-closed, an echo", kind=components.NotPrefixClosed)
    yield charged.twin("f_∞ forgets to charge the differing ones", kind=components.ForgetsSparsity)
    yield simulated.twin("T_j with V[f'_j] for j ∉ J, as printed", printed=True)


def _sparse(*created: Create, consistent: bool = False) -> SparseParallel:
    """The function f_∞ of the parameters of these creations; f_{∞,FPC} if ``consistent``."""
    fixed = [each.parameters for each in created]
    return sparse_parallel(fixed, first_pair_consistent=consistent)


def _pure(*, leaky: Create = SILENT) -> Evidence:
    f = _sparse(components.PURE_RESPONSE, leaky)
    return bounded_by_responses(f, [components.PURE_RESPONSE, leaky], 9, most=4)


def _closed(*, kind: type[Budgeted] = SparseParallel) -> Evidence:
    f = kind(sparse_parallel([(0, 0)]).parameters)
    return bounded_by_responses(f, [Create(components.BitEcho())], 3, most=1)


def _charged(*, kind: type[Budgeted] = SparseParallel) -> Evidence:
    return bounded_by_responses(
        kind((components.PURE_RESPONSE.parameters,)), [components.PURE_RESPONSE], 4, most=2
    )


def _guarded(*, printed: bool = False) -> Evidence:
    f = _sparse(components.PURE_RESPONSE)
    as_printed = CompositionSimulator(
        f.parameters,
        lambda created, pair: vadhan_wang(
            created.mechanism, epsilon=created.parameters[0], within=True
        ),
        first_alike,
    )
    right = composition_simulator(f, rounds=4)
    return proof_by_simulation(
        f, [components.weakened(components.walk(), 3)], 1, 4, as_printed if printed else right
    )


# --- Theorem 5.5: first-pair consistent, any δ ---------------------------------------------


def _theorem_5_5() -> Iterable[Check]:
    three = Check("Thm 5.5", "3 × M_{1/5}, which first-pair consistency leaves out", _three)
    simulated = Check("Thm 5.5", "M_{1/5}, which it leaves out ≡ 𝒫", _one_simulated)
    two = [components.secret(), components.RESPONSE]
    pure = [components.secret(), components.PURE_RESPONSE]
    of_two, of_pure = (_sparse(*each, consistent=True) for each in (two, pure))
    yield Check("Thm 5.5", "2 of up to 4: secret (an IM), RR; any δ",
                partial(bounded_by_responses, of_two, two, 9, most=4))  # fmt: skip
    yield Check("Thm 5.5", "1 of 4 RR(0, 1/10) has exactly 1/10", _one_of_four)
    yield Check("Thm 5.5", "1 + 1 of secret, RR(ln 3, 0) ≡ 𝒫",
                partial(proof_by_simulation, of_pure, pure, 2, 5))  # fmt: skip
    yield from (three, simulated)
    yield three.twin("f forgets first-pair consistency, 3 × M_{1/5}", consistent=False)
    yield simulated.twin("𝒫 where f' is not first-pair consistent", consistent=False)


def _one_of_four() -> Evidence:
    one = Create(RandomizedResponse(epsilon=0, delta=Fraction(1, 10)))
    f = _sparse(one, consistent=True)
    claimed = composed([one.parameters], [0])
    system = ExtConComp()
    return private(system, f, claimed, 8, exactly=True, catalogue=[one], max_creations=4)


def _three(*, consistent: bool = True) -> Evidence:
    f = _sparse(components.LEAKY, consistent=consistent)
    return bounded_by_responses(f, [components.LEAKY], 7, most=3)


def _one_simulated(*, consistent: bool = True) -> Evidence:
    f, proved = (_sparse(components.LEAKY, consistent=each) for each in (consistent, True))
    return proof_by_simulation(f, [components.LEAKY], 1, 4, composition_simulator(proved, rounds=4))


# --- Theorem 1.4 (CM §5.2): found by search ---------------------------------------------------


def _counterexample() -> Iterable[Check]:
    text = "up to {0} × M_{{{1}}}, 1-sparse: δ = 1-(1-δ)^{0} by search"
    given = (1, Fraction(1, 10)), (3, Fraction(1, 3)), (4, Fraction(1, 10))
    made = rows("Thm 1.4", text, _searched, *given)
    yield from made
    one = "the claim that up to 4 × M_{1/10}, 1-sparse, cost one δ"
    yield made[-1].twin(one, expected=Fraction(1, 10))


def _searched(copies: int, delta: Fraction, *, expected: Fraction | None = None) -> Evidence:
    """Evidence on copies of M_δ under f_∞: the solver gets neither the adversary nor the figure."""
    created = Create(LeakyBit(delta=delta))
    return private(
        ExtConComp(),
        _sparse(created),
        [(ZERO, 1 - (1 - delta) ** copies if expected is None else expected)],
        2 * copies + 1,
        exactly=True,
        catalogue=[created],
        max_creations=copies,
    )
