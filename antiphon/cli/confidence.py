"""Exact confidence intervals for a proportion (Clopper and Pearson 1934)."""

from __future__ import annotations

import math
from typing import Final

from antiphon.protocol.errors import InvalidArgument

_SLACK: Final = 1e-6
"""Relative error allowed for in a binomial tail; lgamma's own stays below 1e-7 to n = 10^7."""
MOST_TRIALS: Final = 10**7


def clopper_pearson(successes: int, trials: int, *, confidence: float) -> tuple[float, float]:
    """An interval that covers the true probability with at least the given confidence.

    The ends p solve P[X >= k; p] = α/2 and P[X <= k; p] = α/2, X ~ Bin(n, p), and are
    rounded outward. Raises: InvalidArgument outside 0 <= k <= n <= 10^7, 0 < confidence < 1.

    >>> low, high = clopper_pearson(0, 10, confidence=0.95)
    >>> low, round(high, 4)
    (0.0, 0.3085)
    """
    if not (0 <= successes <= trials and 1 <= trials <= MOST_TRIALS):
        raise InvalidArgument(
            f"{successes} of {trials} is no number of successes in 1..10^7 trials"
        )
    if not 0 < confidence < 1:
        raise InvalidArgument(f"confidence must lie between 0 and 1, not {confidence!r}")
    alpha = 1 - confidence
    low = _lower_end(successes, trials, alpha / 2)
    high = 1 - _lower_end(trials - successes, trials, alpha / 2)
    return low, min(1.0, math.nextafter(high, 2))


def _lower_end(successes: int, trials: int, tail: float) -> float:
    """The largest float found with P[X >= successes] surely <= tail; by bisection."""
    if successes == 0:
        return 0.0
    low, high = 0.0, successes / trials  # at k/n the tail is about 1/2 or more
    while True:
        middle = (low + high) / 2
        if not low < middle < high:
            return math.nextafter(low, 0)
        if upper_tail(successes, trials, middle) * (1 + _SLACK) <= tail:
            low = middle
        else:
            high = middle


def upper_tail(least: int, trials: int, p: float) -> float:
    """P[X >= least] for X ~ Bin(trials, p) and 0 < p <= least/trials, where terms fall."""
    if p >= 1:
        return 1.0
    term = math.exp(
        math.lgamma(trials + 1) - math.lgamma(least + 1) - math.lgamma(trials - least + 1)
        + least * math.log(p) + (trials - least) * math.log1p(-p)
    )  # fmt: skip
    total, odds = term, p / (1 - p)
    for k in range(least, trials):
        term *= (trials - k) / (k + 1) * odds
        total += term
        if term <= total * 1e-20:
            break
    return total
