"""The joint Rényi bound of lazy experts, rounded up."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

import attrs

from antiphon.numbers import exact
from antiphon.numbers.exact import ExactEpsilon
from antiphon.numbers.interval import nearest
from antiphon.protocol.measures.divergences import SLACK, order_of, range_divergence

_LARGE: Final = 600.0
"""An exponent past which e^x is not computed."""
_TINY: Final = 1e-200
_NEAREST: Final = 2.0**-20
"""The least α-1."""


@attrs.frozen
class LazyCurve:
    """order α ↦ ln(max{1 + r(R-1), F}·(1 + r(R-1))^(k-1))/(α-1) nats; 0 if k = ``decisions`` is.

    r = 1 - e^(-η(c+B)) bounds the probability to draw anew; R = e^((α-1)D), D the largest D_α of
    two laws whose log-ratio has a range of 2η (at most αη²/2); F is the largest
    s₀^α s₁^(1-α) + (1-s₀)^α (1-s₁)^(1-α)·R with s₀ = e^(-η(c+L)) and s₁ = e^(-η(c+L+1)), or the
    other way round, for L = 0 and B-1. What it bounds, and why: ``LazyExperts``.
    """

    rate: ExactEpsilon
    cost: Fraction
    batch: int
    decisions: int

    def __call__(self, order: float) -> float:
        if not self.decisions:
            return 0.0
        # D_α rises with α, and is no better told where α-1 vanishes.
        less = max(order_of(order) - 1, _NEAREST)
        rate, cost = nearest(self.rate), float(self.cost)
        if less == math.inf or rate * cost < _TINY or rate * (cost + self.batch) > _LARGE:
            return math.inf
        drawn = less * range_divergence(exact.epsilon(2 * rate), 1 + less)
        after = mixed(rate * (cost + self.batch), 0.0, 0.0, drawn)
        differs = max(self._differing(rate, less, drawn))
        total = max(after, differs) + (self.decisions - 1) * after
        return total / less * (1 + SLACK) + 5e-324

    def _differing(self, rate: float, less: float, drawn: float) -> Iterator[float]:
        """ln F, of each corner."""
        for steps in {0, self.batch - 1}:
            fewer, more = (rate * (float(self.cost) + loss) for loss in (steps, steps + 1))
            yield mixed(fewer, less * rate, less * log_ratio(fewer, more), drawn)
            yield mixed(more, -less * rate, less * log_ratio(more, fewer), drawn)


def log_ratio(own: float, other: float) -> float:
    """ln((1 - e^-own)/(1 - e^-other)), rounded up."""
    ends = math.log(-math.expm1(-own)), math.log(-math.expm1(-other))
    return ends[0] - ends[1] + SLACK * (1 + abs(ends[0]) + abs(ends[1]))


def mixed(exponent: float, stays: float, draws: float, drawn: float) -> float:
    """ln(s e^stays + (1-s) e^(draws+drawn)) for s = e^-exponent, rounded up; at least 0."""
    draws += drawn
    stays, draws = stays + SLACK * abs(stays), draws + SLACK * (abs(draws) + drawn)
    staying, drawing = math.exp(-exponent), -math.expm1(-exponent)
    slack = SLACK * (1 + exponent)
    if max(stays, draws) < _LARGE:
        parts = staying * math.expm1(stays), drawing * math.expm1(draws)
        excess = parts[0] + parts[1] + slack * (abs(parts[0]) + abs(parts[1]))
        return max(0.0, math.log1p(max(0.0, excess)) * (1 + SLACK))
    logs = stays - exponent, draws + math.log(drawing)
    most = max(logs)
    sizes = abs(stays) + abs(draws) + exponent + abs(math.log(drawing))
    return most + math.log1p(math.exp(min(logs) - most)) + slack * (1 + sizes)
