"""The curves of filters: of their limits, and of what has been charged to them."""

from __future__ import annotations

from fractions import Fraction

from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.composition.accounting.one_order import OneOrderCurve
from antiphon.composition.accounting.renyi import from_concentrated
from antiphon.composition.accounting.responses.optimal import optimal
from antiphon.composition.filters.budget import Amounts, Filter
from antiphon.composition.filters.concentrated import RogersFilter, WhitehouseFilter
from antiphon.composition.filters.gaussian_filter import GaussianFilter
from antiphon.composition.filters.renyi_filter import RenyiFilter
from antiphon.composition.guarantees.composing import composed
from antiphon.composition.guarantees.curves import least, of_measure, shifted
from antiphon.numbers.exact import root_up
from antiphon.protocol.measures.kinds import GaussianDP


def promised(budget: Filter) -> PrivacyCurve:
    """What a filter promises of all that is ever charged to it."""
    whole = within(budget, budget.limits)
    if isinstance(budget, WhitehouseFilter | RogersFilter):
        return least([optimal([(budget.epsilon, budget.delta)]), whole])
    return whole


def within(budget: Filter, amounts: Amounts) -> PrivacyCurve:
    """What it would promise if these had been its limits."""
    amount, delta = amounts
    if budget.unit == "epsilon":
        return optimal([(amount, delta)])
    assert isinstance(amount, Fraction)  # ρ, D and μ² are rational
    if not amount:
        return shifted(composed([]), delta)
    if isinstance(budget, RenyiFilter):
        return shifted(OneOrderCurve(budget.order, amount), delta)
    if isinstance(budget, GaussianFilter):
        return shifted(of_measure(GaussianDP(root_up(amount))), delta)
    return shifted(from_concentrated(amount), delta)
