"""Theorems S and G of docs/sparse.md: f_∞ with any δ, where the number of creations is bounded.

Any f': Theorem G. Every f' invariant under exchanging the sides of all pairs: Theorem S, which is
less, in the second order of δ. CM Thm 4.12 over all that is created holds too, each counted as the
worst of the fixed parameters; where these are unequal it may be less. Figure: the least.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from antiphon.composition.accounting.bounds import least
from antiphon.composition.accounting.creations.parallel import GeneralCurve
from antiphon.composition.accounting.creations.sparse import sparse
from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.composition.accounting.tight import optimal
from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.guarantees.composing import (
    at_most,
    composed,
    fixed,
    shown_parameters,
)
from antiphon.composition.guarantees.derivation import Derivation, Mark, Premise
from antiphon.composition.guarantees.inclusion import about
from antiphon.composition.guarantees.leaves import creations
from antiphon.composition.guarantees.rulebook import Inquiry, Steps, rule
from antiphon.composition.guarantees.rules.compositions.sparse_pure import SPARSE
from antiphon.composition.suitable import Parameters
from antiphon.composition.validity import SparseParallel
from antiphon.numbers import exact
from antiphon.numbers.printed import shown_up
from antiphon.protocol.provenance import foreign
from antiphon.protocol.verification import swap_symmetric

THEOREM: Final = "Theorem G (docs/sparse.md)"
SYMMETRIC: Final = "Theorem S (docs/sparse.md)"
_TEXT: Final = "every f' allows what it allows with the sides of all pairs exchanged"


@rule(THEOREM, ExtConComp, about=SparseParallel, rank=2)
def sparse_bounded(system: ExtConComp, f: SparseParallel, inquiry: Inquiry) -> Steps:
    """ExtConComp w.r.t. f_∞, against adversaries who create, or ask, no more than so many."""
    most, k = inquiry.max_creations, len(f.parameters)
    if most is None:
        return None
    truth, parts = yield from creations(inquiry)
    symmetry = tuple(_symmetry(f, inquiry))
    curve = _curve(f.parameters, most, symmetric=bool(symmetry)) if most else composed([])
    return Derivation(
        SYMMETRIC if symmetry else THEOREM,
        lambda: (
            f"as private as {min(k, most):,} that differ and, of {most:,} created, all with "
            f"their δ: {shown_parameters(f.parameters)}{_closed(curve)}"
        ),
        f,
        curve,
        (fixed(f.parameters), *SPARSE, *symmetry, at_most(most, inquiry), truth),
        parts,
    )


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
