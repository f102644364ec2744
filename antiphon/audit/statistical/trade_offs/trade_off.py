"""Trade-off curves: what a few events prove of all (ε, δ) at once, and of Gaussian DP.

A test of b = 0 against b = 1 that errs with probabilities (α, β) shows that the trade-off function
T(α), the least type II error at a type I error of α, is at most β there (Dong, Roth and Su 2022,
Def. 2.1). A curve δ(ε) claims T >= f, f(α) = max over ε of 1 − δ(ε) − e^ε α and of
e^(−ε) (1 − δ(ε) − α) (Prop. 2.12); so a point below f refutes it.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import Final

import attrs
import numpy as np

from antiphon.audit.statistical.estimators import Rates
from antiphon.numbers.interval import Floats

_NORMAL: Final = NormalDist()
_SLACK: Final = 1e-12
"""More than its quantiles are off by, relatively: they have 16 digits (Wichura 1988)."""


@attrs.frozen
class Point:
    """What is proved of one event S, which favours the world ``bit``."""

    bit: int
    rates: Rates
    """Pr_bit[S] >= low, and Pr_{1−bit}[S] <= high."""

    @property
    def errors(self) -> tuple[float, float]:
        """At most the errors of a test of b = 0 against b = 1 that goes by S: types I and II."""
        own, other = self.rates.high, 1 - self.rates.low
        return (own, other) if self.bit else (other, own)

    @property
    def mu(self) -> float:
        """A lower bound on μ, if it is μ-GDP: Φ⁻¹(low) − Φ⁻¹(high), rounded down."""
        low, high = self.rates.low, self.rates.high
        if not 0 < high < low < 1:
            return 0.0
        ends = _NORMAL.inv_cdf(low), _NORMAL.inv_cdf(high)
        return max(0.0, ends[0] - ends[1] - _SLACK * (1 + abs(ends[0]) + abs(ends[1])))


@attrs.frozen
class TradeOff:
    """Points that all lie above the true trade-off curve, at once, with the stated confidence."""

    points: tuple[Point, ...]

    def delta_at(self, epsilon: float) -> float:
        """A lower bound on δ(ε), for all ε at once."""
        return max(each.rates.delta_at(epsilon) for each in self.points)

    def epsilon_at(self, delta: float) -> float:
        """A lower bound on the least ε for a δ, for all δ at once."""
        return max(each.rates.epsilon_at(delta) for each in self.points)

    @property
    def mu(self) -> float:
        """The largest μ such that less than μ-GDP is refuted."""
        return max(each.mu for each in self.points)

    def at(self, alphas: Floats) -> Floats:
        """The least type II error that is proved at each type I error.

        The chords between the points and the errors (0, 1) and (1, 0) of no test at all: of two
        tests one may be drawn by lot.
        """
        corners = [(0.0, 1.0), (1.0, 0.0), *(each.errors for each in self.points)]
        hull = lower_hull(corners)
        return np.interp(alphas, [x for x, _ in hull], [y for _, y in hull])


def lower_hull(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The corners of the greatest convex function below points (Andrew 1979), left to right.

    >>> lower_hull([(1.0, 0.0), (0.0, 1.0), (0.5, 0.25), (0.75, 0.5)])
    [(0.0, 1.0), (0.5, 0.25), (1.0, 0.0)]
    """
    hull: list[tuple[float, float]] = []
    for x, y in sorted(points):
        if hull and x == hull[-1][0]:
            continue
        while len(hull) > 1:
            (a, b), (c, d) = hull[-2:]
            if (d - b) * (x - a) < (y - b) * (c - a):
                break
            hull.pop()
        hull.append((x, y))
    return hull


def claimed_errors(alphas: Floats, claimed: tuple[tuple[float, float], ...]) -> Floats:
    """f(α): the least type II error that a curve allows, of which some points (ε, δ) are known.

    >>> claimed_errors(np.array([0.0, 0.25, 1.0]), ((0.0, 0.5),)).tolist()
    [0.5, 0.25, 0.0]
    """
    found = np.zeros_like(alphas)
    for epsilon, delta in claimed:
        growth = np.exp(epsilon)
        steep, flat = 1 - delta - growth * alphas, (1 - delta - alphas) / growth
        found = np.maximum(found, np.maximum(steep, flat))
    return found
