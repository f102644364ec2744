"""Filters of the total ε (the basic filter), or of the total Rényi divergence of one order."""

import math
from fractions import Fraction
from functools import lru_cache
from typing import Final

import attrs

from antiphon.composition.accounting.renyi import bounded_divergence
from antiphon.composition.filters.budget import NO_DELTA, Amounts, Filter, epsilon_delta
from antiphon.numbers import ExactEpsilon, exact, named, up
from antiphon.numbers.errors import InvalidArgument, of_kind
from antiphon.protocol import converted, register
from antiphon.protocol.elsewhere import FILTER
from antiphon.protocol.measures import kinds
from antiphon.protocol.measures.divergences import range_divergence, response_divergence


@register("antiphon.BasicFilter/1")
@attrs.frozen
class BasicFilter(Filter):
    """The basic filter: charges while Σε_i <= ε and Π(1-δ_i) >= 1-δ, so that all is (ε, δ)-DP.

    Sums are exact: eleven charges of 1/11 fit a budget of 1, and two of ``Log(3)`` one of
    ``Log(9)``. Takes pure and approximate claims.
    Proof: let each charge be an RR_{ε_i,δ_i}(b). Without a ⊤, of which ``Filter`` speaks, the
    likelihood ratio is at most e^{Σε_i} <= e^ε on every path.
    Source: Rogers, Roth, Ullman, Vadhan 2016; concurrent by Haney et al. 2023.

    >>> from antiphon.protocol import Pure
    >>> budget = BasicFilter(epsilon=1)
    >>> state = budget.initial_state
    >>> for _ in range(11):
    ...     state = budget.charge(state, Pure(Fraction(1, 11)))
    >>> budget.spent(state), budget.remaining(state)
    ((Fraction(1, 1), Fraction(0, 1)), (Fraction(0, 1), Fraction(0, 1)))
    >>> budget.charge(state, Pure(0.1)).requested
    (Fraction(1, 10), Fraction(0, 1))
    """

    epsilon: ExactEpsilon = attrs.field(converter=exact.epsilon)
    delta: Fraction = attrs.field(default=Fraction(0), converter=exact.probability)
    source = "Rogers, Roth, Ullman, Vadhan 2016; concurrent: Haney et al. 2023"
    checked_elsewhere = FILTER

    @property
    def limits(self) -> Amounts:
        return self.epsilon, self.delta

    def cost(self, measure: kinds.Measure) -> Amounts:
        return epsilon_delta(measure, "charge it to a ConcentratedFilter or a WhitehouseFilter")


_LARGEST: Final = 10**6
"""The largest order α: beyond it, α - 1 and α agree in too many digits."""


def fixed_order(value: object) -> Fraction:
    """Check an order α > 1 of Rényi divergences that a budget adds up. Raises: InvalidArgument."""
    order = exact.fraction(value, "order")
    if not 1 < order <= _LARGEST:
        raise InvalidArgument(
            f"order must be above 1, and at most {_LARGEST}: that of a Rényi divergence, fixed "
            "before the first message, such as order=8"
        )
    return order


@register("antiphon.RenyiFilter/1")
@attrs.frozen
class RenyiFilter(Filter):
    """The Rényi filter of one order α: charges while ΣD_i(α) <= ``budget`` and Π(1-δ_i) >= 1-δ.

    Then the whole has D_α <= budget, except for an event of probability δ. A claim costs its bound
    on D_α, rounded up: its Rényi curve at α, αρ, αμ²/2, that of RR_{ε,0} or of an η-BR mechanism.
    It takes claims of every measure; (ε_i, δ_i) counts as RR_{ε_i,0}, given that no RR answers ⊤. A
    rule that *some* order stays within its budget is not a filter: see docs/filters.md. Proof: let
    W_j(h) be the largest Σ_v P(v|h)^α Q(v|h)^(1-α) over continuations of the j-th mechanism after
    its history h, times P(h)^α Q(h)^(1-α). The potential Π_j W_j(h_j)·e^((α-1)(budget - ΣD_j)) is
    e^((α-1)budget) at first. A creation multiplies it by W_j()·e^(-(α-1)D_j) <= 1; over the answers
    to a query, W_j sums to at most W_j before it. In the end it is at least P^α Q^(1-α) of the
    whole view, since ΣD_j <= budget on every path: so these add up to at most e^((α-1)budget).
    Source: Feldman and Zrnic 2021; concurrent: Haney et al. 2023.

    >>> from antiphon.protocol import Renyi, ZeroConcentrated
    >>> budget = RenyiFilter(order=8, budget=1)
    >>> state = budget.charge(budget.initial_state, ZeroConcentrated(0.1))
    >>> budget.remaining(state)[0]
    Fraction(1, 5)
    >>> budget.charge(state, Renyi(lambda order: order / 32)).unit
    'divergence'
    """

    order: Fraction = attrs.field(converter=fixed_order, kw_only=True)
    budget: Fraction = attrs.field(converter=named.positive, kw_only=True)
    delta: Fraction = attrs.field(default=Fraction(0), converter=exact.probability, kw_only=True)
    unit = "divergence"
    source = "Feldman and Zrnic 2021; concurrent: Haney et al. 2023"

    @property
    def limits(self) -> Amounts:
        return self.budget, self.delta

    def cost(self, measure: kinds.Measure) -> Amounts:
        return divergence_delta(measure, self.order)


def divergence_delta(measure: kinds.Measure, order: Fraction) -> Amounts:
    """The amounts (D_α, δ) that a claim costs: its Rényi divergence at ``order``, rounded up.

    A curve is evaluated at the least double that is not below α: divergences grow with the order.
    Raises: InvalidArgument for a claim without a bound on D_α; PartError for a faulty curve.
    """
    if type(measure) is kinds.ZeroConcentrated:
        return order * measure.rho, NO_DELTA
    if type(measure) is kinds.GaussianDP:
        return order * measure.mu**2 / 2, NO_DELTA
    at = up(order)
    if type(measure) is kinds.Approximate:
        return _of_response(measure.epsilon, at), measure.delta
    if type(measure) is kinds.Pure:
        return _of_response(measure.epsilon, at), NO_DELTA
    if type(measure) is kinds.BoundedRange:
        return _of_range(measure.eta, at), NO_DELTA
    implied = converted(measure, kinds.Renyi)
    if implied is None:
        raise InvalidArgument(f"{of_kind(measure)} claim bounds no Rényi divergence")
    value = bounded_divergence(implied.curve)(at)
    if value < math.inf:
        return Fraction(value), NO_DELTA
    raise InvalidArgument(f"a Rényi claim gives no bound at order {at:.6g}: claim one there")


@lru_cache(maxsize=1024)
def _of_response(epsilon: ExactEpsilon, at: float) -> Fraction:
    return Fraction(response_divergence(epsilon, at))


@lru_cache(maxsize=1024)
def _of_range(eta: ExactEpsilon, at: float) -> Fraction:
    return Fraction(range_divergence(eta, at))
