"""The joint Rényi bound of lazy experts, rounded up."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

import attrs

from antiphon.mechanisms.learners.decisions import LARGE, HexagonCorner, above_one, contribution
from antiphon.numbers import exact
from antiphon.numbers.exact import ExactEpsilon
from antiphon.numbers.interval import nearest
from antiphon.protocol.measures.divergences import SLACK, range_divergence
from antiphon.protocol.registry import register

_TINY: Final = 1e-200


@register("antiphon.LazyCurve/1", state=True)
@attrs.frozen
class LazyCurve:
    """order α ↦ ln(max{1 + r(R-1), F}·(1 + r(R-1))^(k-1))/(α-1) nats; 0 if k = ``decisions`` is.

    r = 1 - e^(-η(c+B)) bounds the probability to draw anew; R = e^((α-1)D), D the largest D_α of
    two laws whose log-ratio has a range of 2η (at most αη²/2); F is the largest
    s₀^α s₁^(1-α) + (1-s₀)^α (1-s₁)^(1-α)·R with s₀ = e^(-η(c+L)) and s₁ = e^(-η(c+L+1)), or the
    other way round, for L = 0 and B-1. What it bounds, and why: ``LazyExperts``. Without
    ``draws`` R is 1: of the decisions alone, whoever is drawn.
    """

    rate: ExactEpsilon
    cost: Fraction
    batch: int
    decisions: int
    draws: bool = True

    def __call__(self, order: float) -> float:
        if not self.decisions:
            return 0.0
        less = above_one(order)
        rate, cost = nearest(self.rate), float(self.cost)
        if less == math.inf or rate * cost < _TINY or rate * (cost + self.batch) > LARGE:
            return math.inf
        drawn = 0.0
        if self.draws:
            drawn = less * range_divergence(exact.epsilon(2 * rate), 1 + less)
        most = rate * (cost + self.batch)
        after = contribution([HexagonCorner(most, most, 0.0)], less, drawn)
        differs = contribution(self._differing(rate), less, drawn)
        total = max(after, differs) + (self.decisions - 1) * after
        return total / less * (1 + SLACK) + 5e-324

    def _differing(self, rate: float) -> Iterator[HexagonCorner]:
        """Where the two worlds stay with different probabilities."""
        for steps in {0, self.batch - 1}:
            fewer, more = (rate * (float(self.cost) + loss) for loss in (steps, steps + 1))
            yield HexagonCorner(fewer, more, rate)
            yield HexagonCorner(more, fewer, -rate)
