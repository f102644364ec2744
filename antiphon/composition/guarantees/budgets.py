"""Compositions with a budget: parameters chosen adaptively, within a privacy filter."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.composition.accounting.optimal import optimal
from antiphon.composition.accounting.renyi import from_concentrated
from antiphon.composition.filters.basic import BasicFilter
from antiphon.composition.filters.budget import Budget, Filter
from antiphon.composition.filters.concentrated import (
    ConcentratedFilter,
    RogersFilter,
    WhitehouseFilter,
)
from antiphon.composition.guarantees.compositions import composed
from antiphon.composition.guarantees.context import Context
from antiphon.composition.guarantees.curves import least, shifted
from antiphon.composition.guarantees.derivation import Derivation, Mark, NoGuarantee, Premise
from antiphon.protocol.claims import Status
from antiphon.protocol.records.labels import message_label

_OURS = (BasicFilter, ConcentratedFilter, WhitehouseFilter, RogersFilter)


def filtered(budget: Budget | None, verification: Any, context: Context) -> Derivation:
    """All that is created is charged to a filter, whoever chooses the parameters.

    f must be suitable (CM Def. 4.4). A mechanism whose f' died while its pairs were identical
    never gets a differing pair, so it costs nothing more.
    Raises: NoGuarantee without a filter; for an odometer, which promises nothing in advance.
    """
    theorem = "concurrent composition of adaptively chosen parameters (Haney et al. 2023)"
    if not isinstance(budget, Filter):
        has = "there is none" if budget is None else f"{message_label(budget)} is none"
        raise NoGuarantee(
            theorem, "a privacy filter, as the parameters are the adversary's to choose", has,
            "build ExtConComp(budget=WhitehouseFilter(epsilon=…, delta=…)), or fix the parameters "
            "in advance: fixed_parameters, sparse_parallel (CM Thms 4.12, 5.2, 5.5)",
        )  # fmt: skip
    truth, parts = context.creations()
    premises = (
        _valid(budget),
        Premise(
            "every creation is charged, or refused, before its mechanism exists",
            Mark.ENFORCED, "by ExtConComp",
        ),
        Premise("each charge depends on what was said before only", Mark.ENFORCED, "by ExtConComp"),
        Premise("created mechanisms have discrete answers", Mark.ENFORCED, "by V[f]"),
        Premise("pairs that differ are f'-valid for the mechanism asked", Mark.ENFORCED, "by V[f]"),
        truth,
    )  # fmt: skip
    return Derivation(theorem, _statement(budget), verification, _curve(budget), premises, parts)


def _valid(budget: Filter) -> Premise:
    """That the filter is one: proved for those of this package."""
    proved = type(budget) in _OURS and budget.status is Status.PROVED
    mark = Mark.PROVED if proved else Mark.ASSUMED
    return Premise(f"{message_label(budget)} is a valid filter", mark, budget.source)


def _statement(budget: Filter) -> str:
    amount, delta = budget.limits
    name = "ε" if budget.unit == "epsilon" else "ρ"
    return f"within Σ{name} <= {float(amount):.6g} and Σδ <= {float(delta):.6g}"


def _curve(budget: Filter) -> PrivacyCurve:
    amount, delta = budget.limits
    if budget.unit == "epsilon":
        return optimal([(amount, delta)])
    assert isinstance(amount, Fraction)  # a ρ is rational
    concentrated = shifted(from_concentrated(amount) if amount else composed([]), delta)
    if isinstance(budget, WhitehouseFilter | RogersFilter):
        return least([optimal([(budget.epsilon, budget.delta)]), concentrated])
    return concentrated
