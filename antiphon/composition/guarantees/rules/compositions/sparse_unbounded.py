"""CM §5.2: k-sparse parallel composition with a δ > 0 promises nothing by itself.

Who creates without bound learns everything; the error has the adversary.
"""

from __future__ import annotations

from typing import Final

from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.guarantees.counterexample import Counterexample
from antiphon.composition.guarantees.derivation import NoGuarantee
from antiphon.composition.guarantees.rulebook import Answer, Inquiry, rule
from antiphon.composition.validity import SparseParallel

THEOREM: Final = "k-sparse parallel composition (CM Thms 5.2, 5.5)"


@rule(THEOREM, ExtConComp, about=SparseParallel, rank=4)
def sparse_unbounded(system: ExtConComp, f: SparseParallel, inquiry: Inquiry) -> Answer:
    """No theorem is left: refuted."""
    epsilon, delta = max(f.parameters, key=lambda each: each[1])
    found = Counterexample(epsilon, delta)
    raise NoGuarantee(
        THEOREM,
        "every fixed δ to be 0, or every f' to be first-pair consistent",
        f"a fixed δ is {delta} and f does not ask for consistency: whoever may create without "
        f"bound learns everything: {found} (CM §5.2; the error's counterexample)",
        "use sparse_parallel(…, first_pair_consistent=True), or bound the number of creations: "
        "verifiers.bounded(f, messages), or guarantee(…, max_creations=n)",
        found,
    )
