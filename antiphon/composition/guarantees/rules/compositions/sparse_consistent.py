"""CM Thm 5.5: k-sparse parallel composition w.r.t. first-pair consistent f'.

Figure: Comp[RR…] of the fixed parameters, whatever their δ.
"""

from __future__ import annotations

from typing import Final

from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.guarantees.composing import of_parameters
from antiphon.composition.guarantees.consistency import consistent
from antiphon.composition.guarantees.derivation import Mark, Premise
from antiphon.composition.guarantees.leaves import asserted
from antiphon.composition.guarantees.rulebook import Answer, Inquiry, rule
from antiphon.composition.guarantees.rules.compositions.sparse_pure import SPARSE
from antiphon.composition.validity import Sparse, SparseParallel

THEOREM: Final = "CM Thm 5.5"
_TEXT: Final = "every created f' is first-pair consistent (CM Def. 5.3)"


@rule(THEOREM, ExtConComp, about=SparseParallel, rank=1)
def sparse_consistent(system: ExtConComp, f: SparseParallel, inquiry: Inquiry) -> Answer:
    """ExtConComp w.r.t. f_{∞,FPC}, or w.r.t. f_∞ if all that is created is consistent."""
    premise = consistency(f, inquiry)
    if premise is None:
        return None
    return of_parameters(THEOREM, f, (*SPARSE, premise), inquiry)


def consistency(f: Sparse, inquiry: Inquiry) -> Premise | None:
    """First-pair consistency of every created f', as a premise; None if it need not hold."""
    if f.require_first_pair_consistent:
        return Premise(_TEXT, Mark.ENFORCED, "by V[f]")
    if inquiry.catalogue is None:
        return None
    marks = [consistent(each) for each in inquiry.catalogue if asserted(each)]
    if Mark.FAILED in marks:
        return None
    if Mark.ASSUMED in marks:
        return Premise(_TEXT, Mark.ASSUMED, "it says so")
    return Premise(_TEXT, Mark.CHECKED if inquiry.explored else Mark.GIVEN, "of the catalogue")
