"""f_∞ where the number of creations is bounded, in any measure (docs/sparse.md).

*(ε, δ)*, Theorems S and G. Any f': Theorem G. Every f' invariant under exchanging the sides of all
pairs: Theorem S, which is less, in the second order of δ. CM Thm 4.12 over all that is created
holds too, each counted as the worst of the fixed parameters; where these are unequal it may be
less. Figure: the least.

*In each other measure*, Theorem R: e^((α-1)D_α) <= Σ_{i<=k} e_i(c₁-1, …, c_n-1), where
c_j = e^((α-1)D_j) and e_i are the elementary symmetric polynomials. μ-GDP counts as its Rényi
curve. η-BR counts as η-DP besides (CM Thm 5.2, δ = 0), whatever the number is, and the least is
taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from antiphon.composition.accounting.bounds import least, of_measure
from antiphon.composition.accounting.creations.orders import SparseDivergence
from antiphon.composition.accounting.creations.parallel import GeneralCurve
from antiphon.composition.accounting.creations.sparse import sparse
from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.composition.accounting.tight import optimal
from antiphon.composition.amounts import Parameters
from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.guarantees.composing import (
    at_most,
    composed,
    fixed,
    parameters_in,
    shown_parameters,
)
from antiphon.composition.guarantees.derivation import Derivation, Mark, Premise
from antiphon.composition.guarantees.inclusion import about
from antiphon.composition.guarantees.leaves import creations
from antiphon.composition.guarantees.rulebook import Inquiry, Steps, rule
from antiphon.composition.guarantees.rules.compositions.k_sparse import SPARSE
from antiphon.composition.validity import Sparse, SparseMeasures, SparseParallel
from antiphon.numbers import exact
from antiphon.numbers.printed import shown_up
from antiphon.protocol.measures.kinds import Measure, Renyi
from antiphon.protocol.provenance import foreign
from antiphon.protocol.verification import swap_symmetric

GENERAL: Final = "Theorem G (docs/sparse.md)"
SYMMETRIC: Final = "Theorem S (docs/sparse.md)"
RENYI: Final = "Theorem R (docs/sparse.md)"
_TEXT: Final = "every f' allows what it allows with the sides of all pairs exchanged"


class _Figure(NamedTuple):
    """By which theorem, from which further premises, and how much."""

    theorem: str
    words: Callable[[str, str], str]
    curve: PrivacyCurve
    premises: tuple[Premise, ...] = ()
    measures: tuple[Measure, ...] = ()


@rule(GENERAL, ExtConComp, about=(SparseParallel, SparseMeasures), rank=2)
def sparse_bounded(system: ExtConComp, f: Sparse, inquiry: Inquiry) -> Steps:
    """ExtConComp w.r.t. f_∞, against adversaries who create, or ask, no more than so many."""
    most = inquiry.max_creations
    if most is None:
        return None
    truth, parts = yield from creations(inquiry)
    if isinstance(f, SparseMeasures):
        found = _in_orders(f, most)
    else:
        assert isinstance(f, SparseParallel)
        found = _in_parameters(f, most, inquiry)
    return Derivation(
        found.theorem,
        lambda: found.words(f"{min(len(f.fixed), most):,}", shown_parameters(f.fixed)),
        f,
        found.curve,
        (fixed(f.fixed), *SPARSE, *found.premises, at_most(most, inquiry), truth),
        parts,
        found.measures,
    )


def _in_orders(f: SparseMeasures, most: int) -> _Figure:
    measures = () if not most else (Renyi(SparseDivergence(f.measures, most)),)
    stated = parameters_in(f.measures)
    pure = [composed(stated, most)] if stated or not most else []
    curve = least([*pure, *map(of_measure, measures)])

    def words(differ: str, given: str) -> str:
        return f"{differ} of {most:,} created differ: {given}"

    return _Figure(RENYI, words, curve, (), measures)


def _in_parameters(f: SparseParallel, most: int, inquiry: Inquiry) -> _Figure:
    symmetry = tuple(_symmetry(f, inquiry))
    curve = _curve(f.parameters, most, symmetric=bool(symmetry)) if most else composed([])

    def words(differ: str, given: str) -> str:
        text = f"as private as {differ} that differ and, of {most:,} created, all with their δ"
        return f"{text}: {given}{_closed(curve)}"

    return _Figure(SYMMETRIC if symmetry else GENERAL, words, curve, symmetry)


def _curve(parameters: tuple[Parameters, ...], number: int, *, symmetric: bool) -> PrivacyCurve:
    tight = sparse(parameters, k=len(parameters), creations=number, symmetric=symmetric)
    if len(set(parameters)) == 1:
        return tight
    return least([tight, optimal([_largest(parameters)], times=number)])


def _closed(curve: PrivacyCurve) -> str:
    """Theorem G beside its closed bound, at twice the least δ."""
    if not isinstance(curve, GeneralCurve):
        return ""
    delta = min(1.0, 2 * curve.floor.upper)
    tight, closed = (shown_up(each.epsilon_at(delta)) for each in (curve, curve.closed))
    return f"; at δ = {shown_up(delta)}: ε = {tight}, by the closed bound {closed}"


def _symmetry(f: SparseParallel, inquiry: Inquiry) -> Iterable[Premise]:
    """Swap symmetry of every f' under which pairs may differ, if it is known.

    A user's own f' that only says so is held to Theorem G, which needs no word for it.
    """
    if inquiry.catalogue is None:
        return
    paid = [each for each in inquiry.catalogue if each.asserts and each.parameters in f.parameters]
    for each in paid:
        inner = None if each.claim is None else about(each.claim)
        if inner is None or not swap_symmetric(inner) or foreign(inner) is not None:
            return
    yield Premise(_TEXT, Mark.CHECKED if inquiry.explored else Mark.GIVEN, "of the catalogue")


def _largest(parameters: Sequence[Parameters]) -> Parameters:
    epsilon = parameters[0][0]
    for each, _ in parameters:
        epsilon = epsilon if exact.at_most(each, epsilon) else each
    return epsilon, max(delta for _, delta in parameters)
