"""CM Thm 4.12 over all that is created, where their number is bounded: a fallback for f_∞.

Each counts as the worst of the fixed parameters. A mechanism with other parameters never gets a
differing pair. One whose f' died while its pairs were identical never will either: until then its
pairs were f'-valid, and from then on it does not depend on b.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from antiphon.composition.accounting.optimal import optimal
from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.guarantees.composing import (
    at_most,
    composed,
    fixed,
    shown_parameters,
)
from antiphon.composition.guarantees.derivation import Derivation
from antiphon.composition.guarantees.leaves import creations
from antiphon.composition.guarantees.rulebook import Inquiry, Steps, rule
from antiphon.composition.guarantees.rules.compositions.sparse_pure import SPARSE
from antiphon.composition.validity import Parameters, SparseParallel
from antiphon.numbers import exact

THEOREM: Final = "CM Thm 4.12, over all created mechanisms"


@rule(THEOREM, ExtConComp, about=SparseParallel, rank=2)
def sparse_bounded(system: ExtConComp, f: SparseParallel, inquiry: Inquiry) -> Steps:
    """ExtConComp w.r.t. f_∞, against adversaries who create, or ask, no more than so many."""
    number = inquiry.max_creations
    if number is None:
        return None
    worst = _largest(f.parameters)
    truth, parts = yield from creations(inquiry)
    return Derivation(
        THEOREM,
        lambda: (
            f"a fallback: as private as Comp[RR…] of {number:,} × {shown_parameters([worst])}, "
            "whoever gets a differing pair"
        ),
        f,
        optimal([worst], times=number) if number else composed([]),
        (fixed(f.parameters), *SPARSE, at_most(number, inquiry), truth),
        parts,
    )


def _largest(parameters: Sequence[Parameters]) -> Parameters:
    epsilon = parameters[0][0]
    for each, _ in parameters:
        epsilon = epsilon if exact.at_most(each, epsilon) else each
    return epsilon, max(delta for _, delta in parameters)
