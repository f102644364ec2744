"""Theorems 5.2, 5.5 and the counterexample 1.4: k-sparse parallel composition."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import partial

from antiphon.audit.simulated_composition import CompositionSimulator, composition_simulator
from antiphon.audit.simulators import vadhan_wang
from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.creation import Create
from antiphon.composition.validity import sparse_parallel
from antiphon.mechanisms.leaky_bit import LeakyBit
from antiphon.mechanisms.randomized_response import RandomizedResponse
from antiphon.numbers.exact import epsilon
from antiphon.selfcheck.theorems.composition import bounded_by_responses, proof_by_simulation
from antiphon.selfcheck.theorems.parts.broken import BitEcho, ForgetsSparsity, NotPrefixClosed
from antiphon.selfcheck.theorems.parts.components import (
    LEAKY,
    PURE_RESPONSE,
    RESPONSE,
    secret,
    walk,
    weakened,
)
from antiphon.selfcheck.theorems.statements import composed, private
from antiphon.selfcheck.theorems.theorem import Check, Evidence, twin

ZERO = epsilon(0)

SECTION = (5, 2)


def checks() -> Iterable[Check]:
    """The rows."""
    yield from _theorem_5_2()
    yield from _theorem_5_5()
    yield from _counterexample()


# --- Theorem 5.2: k-sparse parallel composition, pure --------------------------------------


def _theorem_5_2() -> Iterable[Check]:
    yield Check("Thm 5.2", "2 of up to 3: walk, RR(ln 3, 0); M_{1/5} beside them", _sparse)
    yield Check("Thm 5.2", "1 of many: walk, RR(ln 3, 0), M_{1/5} ≡ 𝒫", _sparse_simulated)
    yield twin("Thm 5.2", "δ > 0: one (0, 1/5) among the fixed, 3 × M_{1/5}", _sparse_positive)
    yield twin("Thm 5.2", "f' that is not prefix-closed, an echo", _not_prefix_closed)
    yield twin("Thm 5.2", "f_∞ forgets to charge who differs", _sparse_uncharged)
    yield twin("Thm 5.2", "T_j with V[f'_j] for j ∉ J, as printed", _printed_sparse)


def _sparse() -> Evidence:
    f = sparse_parallel([walk().parameters, PURE_RESPONSE.parameters])
    return bounded_by_responses(f, [walk(), PURE_RESPONSE, LEAKY], 7, most=3)


def _sparse_simulated() -> Evidence:
    made = [weakened(walk(), 3), PURE_RESPONSE, LEAKY]
    return proof_by_simulation(sparse_parallel([PURE_RESPONSE.parameters]), made, 2, 5)


def _sparse_positive() -> Evidence:
    f = sparse_parallel([PURE_RESPONSE.parameters, LEAKY.parameters])
    return bounded_by_responses(f, [PURE_RESPONSE, LEAKY], 9, most=4)


def _not_prefix_closed() -> Evidence:
    f = NotPrefixClosed(sparse_parallel([(0, 0)]).parameters)
    return bounded_by_responses(f, [Create(BitEcho())], 3, most=1)


def _sparse_uncharged() -> Evidence:
    f = ForgetsSparsity((PURE_RESPONSE.parameters,))
    return bounded_by_responses(f, [PURE_RESPONSE], 4, most=2)


def _printed_sparse() -> Evidence:
    f = sparse_parallel([PURE_RESPONSE.parameters])
    printed = CompositionSimulator(
        f.parameters,
        lambda created, pair: vadhan_wang(
            created.mechanism, epsilon=created.parameters[0], within=True
        ),
        False,
    )
    return proof_by_simulation(f, [weakened(walk(), 3)], 1, 4, printed)


# --- Theorem 5.5: first-pair consistent, any δ ---------------------------------------------


def _theorem_5_5() -> Iterable[Check]:
    yield Check("Thm 5.5", "2 of up to 4: secret (an IM), RR; any δ", _consistent)
    yield Check("Thm 5.5", "1 of 4 RR(0, 1/10) has exactly 1/10", _one_of_four)
    yield Check("Thm 5.5", "1 + 1 of secret, RR(ln 3, 0) ≡ 𝒫", _consistent_simulated)
    yield twin("Thm 5.5", "f forgets first-pair consistency, 3 × M_{1/5}", _inconsistent)
    yield twin("Thm 5.5", "𝒫 where f' is not first-pair consistent", _inconsistent_simulated)


def _consistent() -> Evidence:
    fixed = [secret().parameters, RESPONSE.parameters]
    f = sparse_parallel(fixed, first_pair_consistent=True)
    return bounded_by_responses(f, [secret(), RESPONSE], 9, most=4)


def _one_of_four() -> Evidence:
    one = Create(RandomizedResponse(epsilon=0, delta=Fraction(1, 10)))
    f = sparse_parallel([one.parameters], first_pair_consistent=True)
    claimed = composed([one.parameters], [0])
    system = ExtConComp()
    return private(system, f, claimed, 8, exactly=True, catalogue=[one], max_creations=4)


def _consistent_simulated() -> Evidence:
    made = [secret(), PURE_RESPONSE]
    f = sparse_parallel([each.parameters for each in made], first_pair_consistent=True)
    return proof_by_simulation(f, made, 2, 5)


def _inconsistent() -> Evidence:
    return bounded_by_responses(sparse_parallel([LEAKY.parameters]), [LEAKY], 7, most=3)


def _inconsistent_simulated() -> Evidence:
    consistent = sparse_parallel([LEAKY.parameters], first_pair_consistent=True)
    simulator = composition_simulator(consistent, rounds=4)
    f = sparse_parallel([LEAKY.parameters])
    return proof_by_simulation(f, [LEAKY], 1, 4, simulator)


# --- Theorem 1.4 (CM §5.2): found by search ---------------------------------------------------


def _counterexample() -> Iterable[Check]:
    for copies, delta in ((1, Fraction(1, 10)), (3, Fraction(1, 3)), (4, Fraction(1, 10))):
        yield Check(
            "Thm 1.4",
            f"up to {copies} × M_{{{delta}}}, 1-sparse: δ = 1-(1-δ)^{copies} by search",
            partial(_searched, copies, delta, 1 - (1 - delta) ** copies),
        )
    yield twin(
        "Thm 1.4",
        "the claim that up to 4 × M_{1/10}, 1-sparse, cost one δ",
        partial(_searched, 4, Fraction(1, 10), Fraction(1, 10)),
    )


def _searched(copies: int, delta: Fraction, expected: Fraction) -> Evidence:
    """The solver is told M_δ and f_∞, and neither the adversary nor the figure."""
    created = Create(LeakyBit(delta=delta))
    return private(
        ExtConComp(),
        sparse_parallel([created.parameters]),
        [(ZERO, expected)],
        2 * copies + 1,
        exactly=True,
        catalogue=[created],
        max_creations=copies,
    )
