"""The tight δ of k equal randomized responses (Kairouz, Oh and Viswanath 2015, Thm 3.3)."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from functools import lru_cache
from typing import Final

import numpy as np

from antiphon.composition.accounting import twofold
from antiphon.composition.accounting.binomial import CONTEXT, decimal, log_term, window
from antiphon.composition.accounting.interval import UNIT, Interval, down, probability, up
from antiphon.protocol import exact

_ZERO: Final = Interval(0.0, 0.0)
_SUM: Final = 200 * UNIT
"""Relative error of NumPy's pairwise sum of positive terms, and of the weights."""
_ANCHOR: Final = Decimal("1e-25")


def hockey_stick(
    epsilon: exact.ExactEpsilon, count: int, at: exact.ExactEpsilon
) -> Interval[float]:
    """Bounds on δ(at) of ``count`` copies of RR_{ε,0}, ε > 0.

    Σ_j C(k,j) [e^((k-j)ε) - e^(ε_g+jε)]₊ / (1+e^ε)^k = Σ_j pmf(j) (1 - e^-((k-2j)ε-ε_g))₊,
    a sum of positive terms. Relative width about 9 · 2^-53 · √(kq(1-q)), q = 1/(1+e^ε):
    2e-13 at k = 10^5; plus 2e-14. O(√k) time and memory. Raises: Intractable for k past 10^12.
    """
    last = _last(epsilon, count, at)
    if last < 0:
        return _ZERO
    odds = _odds(epsilon)
    mode = math.floor((count + 1) * (odds / (1 + odds)))
    anchor = min(last, mode)
    terms = window(count, odds, anchor, last)
    unit, less = twofold.twofold(epsilon), twofold.twofold(at)
    losses = twofold.difference(count - 2 * terms.wrong, unit, less)
    wrong = twofold.ERROR * max(count * unit.high, less.high)
    low, high = (-np.expm1(-np.maximum(losses + error, 0.0)) for error in (-wrong, wrong))
    lower = float(np.sum(terms.terms * (1 - terms.relative) * low)) * (1 - _SUM)
    upper = float(np.sum(terms.terms * (1 + terms.relative) * high)) * (1 + _SUM)
    upper += terms.below + terms.above
    if math.isinf(upper):
        return Interval(0.0, 1.0)
    with localcontext(CONTEXT):
        scale = log_term(epsilon, count, anchor).exp()
        ends = scale * Decimal(lower) * (1 - _ANCHOR), scale * Decimal(upper) * (1 + _ANCHOR)
        return probability(Interval(down(ends[0]), up(ends[1])))


@lru_cache(maxsize=256)
def _odds(epsilon: exact.ExactEpsilon) -> float:
    """e^-ε, within one rounding and never 0."""
    with localcontext(CONTEXT):
        return max(float((-decimal(epsilon)).exp()), 5e-324)


def _last(epsilon: exact.ExactEpsilon, count: int, at: exact.ExactEpsilon) -> int:
    """The most wrong answers with which the loss (k-2j)ε exceeds ``at``, or one more."""
    least = exact.bracket(at, 40)[0] / exact.bracket(epsilon, 40)[1]
    return min(count, math.ceil((count - least) / 2) - 1)
