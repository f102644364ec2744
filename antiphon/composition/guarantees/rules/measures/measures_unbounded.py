"""k-sparse parallel composition in each measure promises nothing by itself (docs/sparse.md).

Who creates without bound gets one of the M_{p,E} exposed; the error has the adversary.
"""

from __future__ import annotations

from typing import Final

from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.guarantees.counterexample import ExposedCounterexample
from antiphon.composition.guarantees.derivation import NoGuarantee
from antiphon.composition.guarantees.rulebook import Answer, Inquiry, rule
from antiphon.composition.validity import SparseMeasures
from antiphon.protocol.measures.kinds import GaussianDP, ZeroConcentrated
from antiphon.protocol.records.labels import message_label

THEOREM: Final = "k-sparse parallel composition in each measure (docs/sparse.md)"


@rule(THEOREM, ExtConComp, about=SparseMeasures, rank=4)
def sparse_unbounded(system: ExtConComp, f: SparseMeasures, inquiry: Inquiry) -> Answer:
    """No theorem is left: refuted for ρ and μ; of other curves nothing is known."""
    largest = f.measures[0]
    found = None
    if isinstance(largest, ZeroConcentrated | GaussianDP):
        found = ExposedCounterexample(largest)
    refuted = (
        "whoever may create without bound has one of the M_{p,E} exposed in the end, whose answer "
        "leaks more than any bound that depends on the purse alone (the error's counterexample)"
    )
    raise NoGuarantee(
        THEOREM,
        "every f' to be first-pair consistent, or a bound on the number of creations",
        f"f asks for none, and the purse holds {message_label(largest)}: "
        + (refuted if found else "no figure is known that holds for any number of them"),
        "use sparse_parallel(…, first_pair_consistent=True), or bound the number of creations: "
        "verifiers.bounded(f, messages), or guarantee(…, max_creations=n)",
        found,
    )
