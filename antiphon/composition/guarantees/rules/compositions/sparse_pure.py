"""CM Thm 5.2: k-sparse parallel composition of mechanisms with δ = 0.

However many are created, the k that ever get a differing pair pay. Figure: Comp[RR…] of the fixed
parameters. With a δ > 0 it is false (``sparse_unbounded``) unless f' helps (``sparse_consistent``).
"""

from __future__ import annotations

from typing import Final

from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.guarantees.composing import DISCRETE, of_parameters
from antiphon.composition.guarantees.derivation import Mark, Premise
from antiphon.composition.guarantees.rulebook import Answer, Inquiry, rule
from antiphon.composition.validity import SparseParallel

THEOREM: Final = "CM Thm 5.2"
SPARSE: Final = (
    Premise(
        "the parameters of the mechanisms that get a differing pair are a sub-multiset of "
        "the fixed ones", Mark.ENFORCED, "by V[f]",
    ),
    DISCRETE,
    Premise(
        "the pairs sent to those M'_j are f'_j-valid, f'_j closed under prefixes",
        Mark.ENFORCED,
        "by V[f]; an automaton that refuses stays dead",
    ),
)  # fmt: skip
"""What V[f] sees to in every theorem on f_∞."""
_ZERO: Final = Premise("every fixed δ is 0", Mark.CHECKED)


@rule(THEOREM, ExtConComp, about=SparseParallel)
def sparse_pure(system: ExtConComp, f: SparseParallel, inquiry: Inquiry) -> Answer:
    """ExtConComp w.r.t. f_∞, if every fixed δ is 0."""
    pure = all(delta == 0 for _, delta in f.parameters)
    return of_parameters(THEOREM, f, (*SPARSE, _ZERO), inquiry) if pure else None
