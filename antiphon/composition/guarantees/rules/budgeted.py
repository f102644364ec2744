"""Parameters chosen adaptively, within a privacy filter (Haney et al. 2023).

Every creation is charged to the filter, and f is suitable (CM Def. 4.4). A mechanism whose f'
refused a pair while all its pairs were identical never gets a differing pair, so it costs nothing
more. Figure: that of the filter's limits.
"""

from types import NoneType
from typing import Final

from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.composition.concurrent import ExtConComp
from antiphon.composition.filters import concentrated
from antiphon.composition.filters.basic import BasicFilter, RenyiFilter
from antiphon.composition.filters.budget import Amounts, Filter
from antiphon.composition.filters.natural import NaturalFilter
from antiphon.composition.filters.residue import ResidueFilter
from antiphon.composition.filters.sums import sign
from antiphon.composition.guarantees.composing import DISCRETE
from antiphon.composition.guarantees.derivation import Derivation, Mark, NoGuarantee, Premise
from antiphon.composition.guarantees.leaf_claims import Leaf, creations
from antiphon.composition.guarantees.rulebook import Answer, Inquiry, rule
from antiphon.composition.validity import AdaptiveParameters, Sparse, SparseMeasures, SparseParallel
from antiphon.numbers.rounded_text import shown_up
from antiphon.protocol import Measure, Status, Verification, ZeroConcentrated, message_label
from antiphon.protocol.elsewhere import elsewhere

THEOREM: Final = "concurrent composition of adaptively chosen parameters (Haney et al. 2023)"
_OURS: Final = (
    BasicFilter, concentrated.ConcentratedFilter, concentrated.WhitehouseFilter,
    concentrated.RogersFilter, RenyiFilter, concentrated.GaussianFilter, ResidueFilter,
    NaturalFilter,
)  # fmt: skip
_PREMISES: Final = (
    Premise(
        "every creation is charged, or refused, before its mechanism exists",
        Mark.ENFORCED, "by ExtConComp",
    ),
    Premise("each charge depends on what was said before only", Mark.ENFORCED, "by ExtConComp"),
    DISCRETE,
    Premise("pairs that differ are f'-valid for the mechanism asked", Mark.ENFORCED, "by V[f]"),
)  # fmt: skip


@rule(THEOREM, ExtConComp, about=AdaptiveParameters)
def adaptive(system: ExtConComp, f: AdaptiveParameters, inquiry: Inquiry) -> Answer:
    """The guarantee of an ExtConComp with a filter; an odometer promises nothing in advance."""
    budget = system.budget
    if not isinstance(budget, Filter):
        has = "there is none" if budget is None else f"{message_label(budget)} is none"
        raise NoGuarantee(
            THEOREM, "a privacy filter, as the adversary chooses the parameters", has,
            "build ExtConComp(budget=WhitehouseFilter(epsilon=…, delta=…)), or fix the parameters "
            "in advance: fixed_parameters, sparse_parallel (CM Thms 4.12, 5.2, 5.5)",
        )  # fmt: skip
    basic = type(budget) is BasicFilter and budget.delta < 1
    return _filtered(budget, f, inquiry, covered=THEOREM if basic else "")


@rule(THEOREM, ExtConComp, about=NoneType)
def suggested(system: ExtConComp, f: None, inquiry: Inquiry) -> Answer:
    """The rule if no f is asked about: f is then the ``AdaptiveParameters`` of the budget."""
    budget = system.budget
    return None if budget is None else adaptive(system, AdaptiveParameters(budget), inquiry)


@rule(THEOREM, ExtConComp, about=(SparseParallel, SparseMeasures), rank=4)
def sparse(system: ExtConComp, f: Sparse, inquiry: Inquiry) -> Answer:
    """The guarantee by a filter w.r.t. f_∞ (k-sparse), where no theorem on f_∞ applies."""
    budget = system.budget
    return _filtered(budget, f, inquiry) if isinstance(budget, Filter) else None


def _filtered(budget: Filter, f: Verification, inquiry: Inquiry, *, covered: str = "") -> Leaf:
    """The derivation by the theorem of the filter; ``covered`` names its machine-checked form."""
    truth, parts = yield from creations(inquiry)
    premises = (_valid(budget), *_PREMISES, truth)
    curve, measures = filter_guarantee(budget), _measures(budget)
    return Derivation(THEOREM, _statement(budget), f, curve, premises, parts, measures, covered)


def _measures(budget: Filter) -> tuple[Measure, ...]:
    """The measures promised beside (ε, δ): ρ-zCDP by a filter of ρ with δ = 0.

    With δ = 0 the event that ``RhoFilter`` excepts, an RR answering ⊤, has probability 0.
    """
    if type(budget) is concentrated.ConcentratedFilter and not budget.delta:
        return (ZeroConcentrated(budget.rho),)
    return ()


def _valid(budget: Filter) -> Premise:
    """The premise that a budget is a privacy filter: proved for the filters of this package."""
    proved = any(type(budget) is each for each in _OURS) and budget.status is Status.PROVED
    mark = Mark.PROVED if proved else Mark.ASSUMED
    evidence = "; ".join(filter(None, (budget.source, elsewhere(budget))))
    return Premise(lambda: f"{message_label(budget)} is a valid filter", mark, evidence)


def _statement(budget: Filter) -> str:
    amount, delta = budget.limits
    least = f"Π(1-δ) >= 1 - {shown_up(delta)}" if delta else "δ = 0"
    return f"within Σ{sign(budget.unit)} <= {shown_up(amount)} and {least}"


def filter_guarantee(budget: Filter) -> PrivacyCurve:
    """The privacy curve of everything ever charged to a filter. Raises: NoGuarantee."""
    return _known(budget, budget.promised)


def guarantee_within(budget: Filter, amounts: Amounts) -> PrivacyCurve:
    """The privacy curve of a filter if ``amounts`` were its limits. Raises: NoGuarantee."""
    return _known(budget, budget.within(amounts))


def _known(budget: Filter, curve: PrivacyCurve | None) -> PrivacyCurve:
    """The curve that a filter promises. Raises: NoGuarantee if its unit has no curve."""
    if curve is not None:
        return curve
    raise NoGuarantee(
        THEOREM, "a filter that adds up ε, ρ, μ², or D of an order that it names",
        f"{message_label(budget)} adds up {budget.unit}",
        "let it be a BasicFilter, a ConcentratedFilter, a GaussianFilter or a RenyiFilter",
    )  # fmt: skip
