"""k-sparse parallel composition: however many are created, the k that ever differ pay.

*Pure* (CM Thm 5.2): every fixed δ is 0, or all are bounded ranges, as η-DP. Figure: Comp[RR…] of
the fixed parameters.
*Consistent*: every created f' is first-pair consistent. (ε, δ): CM Thm 5.5; figure: Comp[RR…],
whatever the δ are. Other measures add up: proof in docs/sparse.md, In Rényi DP; in f-DP and GDP the
simulation of Vadhan and Zhang 2023 takes the place of RR in the proof of CM Thm 5.5.
*Else* nothing is promised by itself (CM §5.2; docs/sparse.md): who creates without bound learns
everything, or gets one of the M_{p,E} exposed; the error has the adversary.
"""

from __future__ import annotations

from typing import Final

from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.guarantees.composing import DISCRETE, PARAMETER, RANGE, adding, summed
from antiphon.composition.guarantees.consistency import consistent
from antiphon.composition.guarantees.counterexample import Counterexample, ExposedCounterexample
from antiphon.composition.guarantees.derivation import Mark, NoGuarantee, Premise
from antiphon.composition.guarantees.leaves import asserted
from antiphon.composition.guarantees.rulebook import Answer, Inquiry, rule
from antiphon.composition.validity import Sparse, SparseMeasures, SparseParallel
from antiphon.protocol.measures.kinds import BoundedRange, GaussianDP, ZeroConcentrated
from antiphon.protocol.records.labels import message_label

PURE: Final = "CM Thm 5.2"
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
_CONSISTENT: Final = "every created f' is first-pair consistent (CM Def. 5.3)"
_CURE: Final = (
    "use sparse_parallel(…, first_pair_consistent=True), or bound the number of creations: "
    "verifiers.bounded(f, messages), or guarantee(…, max_creations=n)"
)


@rule(PURE, ExtConComp, about=SparseParallel)
def sparse_pure(system: ExtConComp, f: SparseParallel, inquiry: Inquiry) -> Answer:
    """ExtConComp w.r.t. f_∞, if every fixed δ is 0."""
    pure = {delta for _, delta in f.parameters} <= {0}
    return summed(PURE, PARAMETER, f, (*SPARSE, _ZERO), inquiry) if pure else None


@rule(PURE, ExtConComp, about=SparseMeasures, rank=3)
def sparse_range(system: ExtConComp, f: SparseMeasures, inquiry: Inquiry) -> Answer:
    """Bounded ranges, as η-DP, however many are created."""
    if not isinstance(f.measures[0], BoundedRange):
        return None
    return summed(PURE, RANGE, f, SPARSE, inquiry)


@rule("CM Thm 5.5", ExtConComp, about=(SparseParallel, SparseMeasures), rank=1)
def sparse_consistent(system: ExtConComp, f: Sparse, inquiry: Inquiry) -> Answer:
    """ExtConComp w.r.t. f_{∞,FPC}, or w.r.t. f_∞ if all that is created is consistent."""
    premise = consistency(f, inquiry)
    if premise is None:
        return None
    row = adding(f)
    return summed(row.consistent, row, f, (*SPARSE, premise), inquiry)


def consistency(f: Sparse, inquiry: Inquiry) -> Premise | None:
    """First-pair consistency of every created f', as a premise; None if it need not hold."""
    if f.require_first_pair_consistent:
        return Premise(_CONSISTENT, Mark.ENFORCED, "by V[f]")
    if inquiry.catalogue is None:
        return None
    marks = [consistent(each) for each in inquiry.catalogue if asserted(each)]
    if Mark.FAILED in marks:
        return None
    if Mark.ASSUMED in marks:
        return Premise(_CONSISTENT, Mark.ASSUMED, "it says so")
    mark = Mark.CHECKED if inquiry.explored else Mark.GIVEN
    return Premise(_CONSISTENT, mark, "of the catalogue")


@rule("CM §5.2", ExtConComp, about=SparseParallel, rank=5)
def unbounded_parameters(system: ExtConComp, f: SparseParallel, inquiry: Inquiry) -> Answer:
    """No theorem is left: refuted."""
    epsilon, delta = max(f.parameters, key=lambda each: each[1])
    found = Counterexample(epsilon, delta)
    raise NoGuarantee(
        "k-sparse parallel composition (CM Thms 5.2, 5.5)",
        "every fixed δ to be 0, or every f' to be first-pair consistent",
        f"a fixed δ is {delta} and f does not ask for consistency: whoever may create without "
        f"bound learns everything: {found} (CM §5.2; the error's counterexample)",
        _CURE, found,
    )  # fmt: skip


@rule("docs/sparse.md", ExtConComp, about=SparseMeasures, rank=5)
def unbounded_measures(system: ExtConComp, f: SparseMeasures, inquiry: Inquiry) -> Answer:
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
        "k-sparse parallel composition in each measure (docs/sparse.md)",
        "every f' to be first-pair consistent, or a bound on the number of creations",
        f"f asks for none, and the purse holds {message_label(largest)}: "
        + (refuted if found else "no figure is known that holds for any number of them"),
        _CURE, found,
    )  # fmt: skip
