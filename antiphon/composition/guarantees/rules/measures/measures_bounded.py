"""k-sparse parallel composition in each measure, where the number of creations is bounded.

e^((α-1)D_α) <= Σ_{i<=k} e_i(c₁-1, …, c_n-1), c_j = e^((α-1)D_j), e_i the elementary symmetric
polynomials; proof in docs/sparse.md, In Rényi DP. μ-GDP counts as its Rényi curve. η-BR counts
as η-DP besides (CM Thm 5.2, δ = 0), whatever the number is, and the least is taken.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from antiphon.composition.accounting.bounds import least, of_measure
from antiphon.composition.accounting.creations.orders import SparseDivergence
from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.guarantees.composing import (
    at_most,
    composed,
    fixed,
    shown_parameters,
)
from antiphon.composition.guarantees.derivation import Derivation, Premise
from antiphon.composition.guarantees.leaves import Leaf, creations
from antiphon.composition.guarantees.rulebook import Inquiry, Steps, rule
from antiphon.composition.guarantees.rules.compositions import sparse_pure
from antiphon.composition.guarantees.rules.compositions.sparse_pure import SPARSE
from antiphon.composition.suitable import Parameters
from antiphon.composition.validity import SparseMeasures
from antiphon.protocol.measures.kinds import BoundedRange, Renyi

THEOREM: Final = "Theorem R (docs/sparse.md)"


@rule(THEOREM, ExtConComp, about=SparseMeasures, rank=1)
def sparse_bounded(system: ExtConComp, f: SparseMeasures, inquiry: Inquiry) -> Steps:
    """ExtConComp w.r.t. f_∞, against adversaries who create, or ask, no more than so many."""
    most, k = inquiry.max_creations, len(f.measures)
    if most is None:
        return None
    truth, parts = yield from creations(inquiry)
    measures = () if not most else (Renyi(SparseDivergence(f.measures, most)),)
    pure = [composed(_pure(f), most)] if _pure(f) or not most else []
    return Derivation(
        THEOREM,
        lambda: f"{min(k, most):,} of {most:,} created differ: {shown_parameters(f.measures)}",
        f,
        least([*pure, *map(of_measure, measures)]),
        (fixed(f.measures), *SPARSE, at_most(most, inquiry), truth),
        parts,
        measures,
    )


@rule(sparse_pure.THEOREM, ExtConComp, about=SparseMeasures, rank=2)
def sparse_range(system: ExtConComp, f: SparseMeasures, inquiry: Inquiry) -> Steps:
    """Bounded ranges, as η-DP, however many are created."""
    return (yield from _range(f, inquiry)) if _pure(f) else None


def _range(f: SparseMeasures, inquiry: Inquiry) -> Leaf:
    truth, parts = yield from creations(inquiry)
    premises: tuple[Premise, ...] = (fixed(f.measures), *SPARSE, truth)
    statement = lambda: f"as private as Comp[RR…] of {shown_parameters(f.measures)}"  # noqa: E731
    return Derivation(sparse_pure.THEOREM, statement, f, composed(_pure(f)), premises, parts)


def _pure(f: SparseMeasures) -> tuple[Parameters, ...]:
    """(η, 0) of a purse of bounded ranges; of another, nothing."""
    return tuple((m.eta, Fraction(0)) for m in f.measures if isinstance(m, BoundedRange))
