"""Confidence bounds for a proportion, rounded outward (Clopper and Pearson 1934)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from antiphon.protocol.errors import InvalidArgument

_SLACK: Final = 1e-6
"""Relative error allowed for in a binomial tail; lgamma's own stays below 1e-7 to n = 10^7."""
EXACT_TRIALS: Final = 10**7
"""Up to here tails are summed; beyond, Chernoff's bound e^(-n KL) stands for them."""
MOST_TRIALS: Final = 10**15
_ROUNDING: Final = 1e-9
"""Relative error allowed for in n KL(k/n, p), in nats per nat."""


def clopper_pearson(successes: int, trials: int, *, confidence: float) -> tuple[float, float]:
    """An interval that covers the true probability with at least the given confidence.

    The ends p solve P[X >= k; p] = α/2 and P[X <= k; p] = α/2, X ~ Bin(n, p), and are
    rounded outward; past 10^7 trials the tails are bounded by Chernoff's e^(-n KL(k/n, p)),
    which is wider. Raises: InvalidArgument outside 0 <= k <= n <= 10^15, 0 < confidence < 1.

    >>> low, high = clopper_pearson(0, 10, confidence=0.95)
    >>> low, round(high, 4)
    (0.0, 0.3085)
    """
    alpha = _alpha(confidence)
    return (
        lower_bound(successes, trials, alpha=alpha / 2),
        upper_bound(successes, trials, alpha=alpha / 2),
    )


def method(trials: int) -> str:
    """The name of the bound that ``clopper_pearson`` uses for so many trials."""
    return "Clopper-Pearson" if trials <= EXACT_TRIALS else "Chernoff"


def lower_bound(successes: int, trials: int, *, alpha: float) -> float:
    """A number that exceeds the true probability with probability at most ``alpha``."""
    if not (0 <= successes <= trials and 1 <= trials <= MOST_TRIALS):
        raise InvalidArgument(
            f"{successes} of {trials} is no number of successes in 1..10^15 trials"
        )
    if not 0 < alpha < 1:
        raise InvalidArgument(f"alpha must lie between 0 and 1, not {alpha!r}")
    if successes == 0:
        return 0.0
    if trials <= EXACT_TRIALS:
        return _largest(
            successes / trials,
            lambda p: upper_tail(successes, trials, p) * (1 + _SLACK) <= alpha,
        )
    share, needed = successes / trials, -math.log(alpha) * (1 + _ROUNDING)
    return _largest(share, lambda p: trials * divergence(share, p) * (1 - _ROUNDING) >= needed)


def upper_bound(successes: int, trials: int, *, alpha: float) -> float:
    """A number that the true probability exceeds with probability at most ``alpha``."""
    high = 1 - lower_bound(trials - successes, trials, alpha=alpha)
    return min(1.0, math.nextafter(high, 2))


def _alpha(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise InvalidArgument(f"confidence must lie between 0 and 1, not {confidence!r}")
    return 1 - confidence


def _largest(high: float, sure: Callable[[float], bool]) -> float:
    """The largest float found in [0, high) for which ``sure`` holds; by bisection."""
    low = 0.0
    while True:
        middle = (low + high) / 2
        if not low < middle < high:
            return math.nextafter(low, 0)
        if sure(middle):
            low = middle
        else:
            high = middle


def divergence(share: float, p: float) -> float:
    """KL(Bernoulli(share), Bernoulli(p)) in nats, for 0 < p < 1."""
    own = share * math.log(share / p) if share else 0.0
    other = (1 - share) * (math.log1p(-share) - math.log1p(-p)) if share < 1 else 0.0
    return own + other


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
