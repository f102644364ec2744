"""The joint Rényi bound of L2P, rounded up."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import attrs

from antiphon.mechanisms.learners.decisions import LARGE, HexagonCorner, above_one, contribution
from antiphon.numbers import exact
from antiphon.numbers.exact import ExactEpsilon
from antiphon.numbers.interval import nearest
from antiphon.protocol.measures.divergences import SLACK, range_divergence
from antiphon.protocol.registry import register


@register("antiphon.L2PCurve/1", state=True)
@attrs.frozen
class L2PCurve:
    """order α ↦ ln(max{X, F}·X^(k-1)·Y^k)/(α-1) nats; 0 if k = ``decisions`` is.

    X = 1 + (1 - (1-p)e^(-(m+1)Bη))(R-1) and Y = 1 + p(R-1), p = ``fakes``, m = ``margin``; R =
    e^((α-1)D), D the largest D_α of two laws whose log-ratio has a range of 2η; F is the largest
    s₀^α s₁^(1-α) + (1-s₀)^α (1-s₁)^(1-α)·R with s₀ = (1-p)e^-a and s₁ = (1-p)e^-(a+2η), or the
    other way round, for a = (m-1)Bη and (m+1)Bη - 2η. What it bounds, and why: ``Optimised``.
    """

    rate: ExactEpsilon
    fakes: Fraction
    margin: int
    batch: int
    decisions: int

    def __call__(self, order: float) -> float:
        if not self.decisions:
            return 0.0
        less = above_one(order)
        rate, real = nearest(self.rate), _less(self.fakes)
        longest = real + (self.margin + 1) * self.batch * rate
        if less == math.inf or longest > LARGE:
            return math.inf
        drawn = less * range_divergence(exact.epsilon(2 * rate), 1 + less)
        after, other = (
            contribution([HexagonCorner(each, each, 0.0)], less, drawn) for each in (longest, real)
        )
        differs = max(after, contribution(self._differing(rate, real), less, drawn))
        total = differs + (self.decisions - 1) * after + self.decisions * other
        return total / less * (1 + SLACK) + 5e-324

    def _differing(self, rate: float, real: float) -> Iterator[HexagonCorner]:
        """Where the two worlds stay with different probabilities."""
        low, high = (self.margin - 1) * self.batch, (self.margin + 1) * self.batch
        for steps in {low, high - 2}:
            likely, unlikely = (real + rate * each for each in (steps, steps + 2))
            yield HexagonCorner(likely, unlikely, 2 * rate)
            yield HexagonCorner(unlikely, likely, -2 * rate)


def _less(fakes: Fraction) -> float:
    """-ln(1-p)."""
    return -math.log1p(-float(fakes)) if fakes < Fraction(1, 2) else -math.log(float(1 - fakes))
