"""The least ε and δ of a composition of fixed parameters."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import attrs

from antiphon.composition.accounting.closed_form import hockey_stick
from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.composition.accounting.interval import Interval, up
from antiphon.composition.accounting.parameters import Parameters, parameters
from antiphon.composition.accounting.simple import AdvancedCurve
from antiphon.protocol import exact


@attrs.frozen
class OptimalCurve(PrivacyCurve):
    """The tight curve of Comp[RR_{ε_i,δ_i}]: δ = 1 - Π(1-δ_i)(1-H(ε))."""

    composed: Parameters

    @property
    def method(self) -> str:
        return "optimal"

    @property
    def source(self) -> str:
        if len(self.composed.epsilons) <= 1:
            return "Kairouz, Oh and Viswanath 2015, Thm 3.3"
        return "Murtagh and Vadhan 2016, Thm 1.5"

    @property
    def floor(self) -> Interval[float]:
        return self.composed.floor

    @property
    def _exact_floor(self) -> Fraction | None:
        return self.composed.exact_floor

    @property
    def _enough(self) -> float:
        return up(self.composed.sum[1])

    def _delta(self, epsilon: exact.ExactEpsilon) -> Interval[float]:
        if self.composed.sum_at_most(epsilon):
            return self.composed.floor
        different = len(self.composed.epsilons)
        if different > 1:  # sound; not yet tight
            return AdvancedCurve(self.composed).delta_between(epsilon)
        [(each, count)] = list(self.composed.epsilons)
        return self.composed.with_floor(hockey_stick(each, count, epsilon))


def optimal(given: Parameters | Iterable[Any], *, times: int = 1) -> OptimalCurve:
    """The tight privacy curve of mechanisms with these (ε_i, δ_i), fixed in advance.

    No composition of (ε_i, δ_i)-DP mechanisms leaks more than randomized response does
    (CM Thm 2.5, 4.12), so the curve is exact for the worst case. ``times`` repeats the list.

    >>> f"{optimal([(0.1, 1e-6)], times=1000).delta_at(12):.12f}"  # 0.00803938893566860924…
    '0.008039388936'
    """
    return OptimalCurve(parameters(given, times))
