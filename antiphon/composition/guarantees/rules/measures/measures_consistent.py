"""k-sparse parallel composition in each measure w.r.t. first-pair consistent f': they add up.

However many are created, the at most k that differ pay; proof in docs/sparse.md, In Rényi DP. In
f-DP and GDP: the simulation of Vadhan and Zhang 2023 in place of RR in the proof of CM Thm 5.5.
Figure: that of the sum of the purse.
"""

from __future__ import annotations

from typing import Final

from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.guarantees.composing import of_measures
from antiphon.composition.guarantees.rulebook import Answer, Inquiry, rule
from antiphon.composition.guarantees.rules.compositions.sparse_consistent import consistency
from antiphon.composition.guarantees.rules.compositions.sparse_pure import SPARSE
from antiphon.composition.validity import SparseMeasures

THEOREM: Final = "Theorem R, first-pair consistent (docs/sparse.md)"


@rule(THEOREM, ExtConComp, about=SparseMeasures)
def sparse_consistent(system: ExtConComp, f: SparseMeasures, inquiry: Inquiry) -> Answer:
    """ExtConComp w.r.t. f_{∞,FPC}, or w.r.t. f_∞ if all that is created is consistent."""
    premise = consistency(f, inquiry)
    return None if premise is None else of_measures(THEOREM, f, (*SPARSE, premise), inquiry)
