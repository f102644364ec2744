"""Lower bounds on δ at ε, and on ε at δ, from counts of hits; each holds with a stated confidence.

An event S is chosen on samples that are not used again; the bounds are about that one event, so
there is no hidden multiple testing. The two directions are different events. They rest on
confidence bounds for a proportion, rounded outward (Clopper and Pearson 1934).

Audits choose one adversary and one event on training samples and test only that one. If several are
tested, errors are bounded for all together. P-values are never averaged, as their mean is no
p-value (for independent ones it is below α less often than α, for dependent ones up to twice as
often).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final, Literal, TypeAlias

import attrs
import numpy as np

from antiphon.numbers import InvalidArgument, exact, shown_down
from antiphon.protocol.records.labels import counted

_SLACK: Final = 1e-6
"""The margin for the relative error of a binomial tail, which is below 1e-8 up to n = 10^15."""
MOST_TRIALS: Final = 10**15
_MOST_TERMS: Final = 1 << 17
"""The number of terms of a tail that are summed; a geometric series bounds the rest."""


def clopper_pearson(successes: int, trials: int, *, confidence: float) -> tuple[float, float]:
    """An interval that covers the true probability with at least the given confidence.

    The ends p solve P[X >= k; p] = α/2 and P[X <= k; p] = α/2, X ~ Bin(n, p), and are
    rounded outward. Cost: some milliseconds for any n.
    Raises: InvalidArgument outside 0 <= k <= n <= 10^15, 0 < confidence < 1.

    >>> low, high = clopper_pearson(0, 10, confidence=0.95)
    >>> low, round(high, 4)
    (0.0, 0.3085)
    """
    alpha = alpha_of(confidence)
    return (
        lower_bound(successes, trials, alpha=alpha / 2),
        upper_bound(successes, trials, alpha=alpha / 2),
    )


def alpha_of(confidence: float) -> float:
    """α = 1 − confidence. Raises: InvalidArgument unless 0 < confidence < 1."""
    alpha = 1 - exact.fraction(confidence, "confidence")
    if not 0 < alpha < 1:
        raise InvalidArgument(
            f"confidence must lie strictly between 0 and 1, as 0.95 does, not {confidence!r}"
        )
    near = float(alpha)
    return near if Fraction(near) <= alpha else math.nextafter(near, 0)


def lower_bound(successes: int, trials: int, *, alpha: float) -> float:
    """A Clopper-Pearson lower bound: too high with probability at most ``alpha``."""
    _check(successes, trials, alpha)
    if successes == 0:
        return 0.0
    return _largest(
        successes / trials, lambda p: upper_tail(successes, trials, p) * (1 + _SLACK) <= alpha
    )


def upper_bound(successes: int, trials: int, *, alpha: float) -> float:
    """A Clopper-Pearson upper bound: too low with probability at most ``alpha``."""
    _check(successes, trials, alpha)
    high = 1 - lower_bound(trials - successes, trials, alpha=alpha)
    return min(1.0, math.nextafter(high, 2))


def _check(successes: int, trials: int, alpha: float) -> None:
    if type(successes) is not int or type(trials) is not int:
        raise InvalidArgument(
            "successes and trials are ints: a tie must not count by a fraction, so draw a coin "
            "and count it or not"
        )
    if not (0 <= successes <= trials and 1 <= trials <= MOST_TRIALS):
        raise InvalidArgument(
            f"{successes} of {trials} is no number of successes in 1..10^15 trials"
        )
    if not 0 < alpha < 1:
        raise InvalidArgument(f"alpha must lie strictly between 0 and 1, not {alpha!r}")


def _largest(high: float, sure: Callable[[float], bool]) -> float:
    """The largest float (nearly) in [0, high) for which ``sure`` holds, by bisection."""
    low = 0.0
    while True:
        middle = (low + high) / 2
        if not low < middle < high or high - low <= 1e-14 * high:
            return math.nextafter(low, 0)
        if sure(middle):
            low = middle
        else:
            high = middle


def upper_tail(least: int, trials: int, p: float) -> float:
    """P[X >= least], X ~ Bin(trials, p), for 0 < p <= least/trials, where the terms decrease.

    Past a limit of terms it is an upper bound.
    """
    if p >= 1:
        return 1.0
    term, odds = _term(least, trials, p), p / (1 - p)
    total, k, size = 0.0, least, 256
    while k < trials:
        places = np.arange(k, min(k + size, trials), dtype=np.float64)
        terms = term * np.cumprod((trials - places) / (places + 1) * odds)
        total += term + float(terms[:-1].sum())
        term, k, size = float(terms[-1]), k + len(places), 2 * size
        ratio = (trials - k) / (k + 1) * odds
        if term <= total * 1e-10 * (1 - ratio) or k - least >= _MOST_TERMS:
            return total + term / (1 - ratio)
    return total + term


def _term(k: int, n: int, p: float) -> float:
    """P[X = k], X ~ Bin(n, p), for k >= 1, by the saddle-point expansion (Loader 2000)."""
    if k == n:
        return math.exp(n * math.log(p))
    log = _stirling(n) - _stirling(k) - _stirling(n - k)
    log -= _deviance(k, n * p) + _deviance(n - k, n * (1 - p))
    return math.exp(log) * math.sqrt(n / (2 * math.pi * k * (n - k)))


def _stirling(n: int) -> float:
    """The error of Stirling's formula: ln n! − ln(√(2πn) (n/e)^n)."""
    if n < 20:
        return math.lgamma(n + 1) - (n + 0.5) * math.log(n) + n - 0.5 * math.log(2 * math.pi)
    s = 1 / (n * n)
    return (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s / 1188)))) / n


def _deviance(x: float, mean: float) -> float:
    """The binomial deviance x ln(x/mean) + mean − x, without cancellation near x = mean."""
    v = (x - mean) / (x + mean)
    if abs(v) >= 0.1:
        return x * math.log(x / mean) + mean - x
    total, power, step = (x - mean) * v, 2 * x * v, 1
    while True:
        power *= v * v
        longer = total + power / (2 * step + 1)
        if longer == total:
            return total
        total, step = longer, step + 1


Correction: TypeAlias = Literal["select", "holm", "bonferroni"]
CORRECTIONS: Final = ("select", "holm", "bonferroni")


def bonferroni(p_values: Sequence[float]) -> tuple[float, ...]:
    """Bonferroni's adjusted p-values k p: to reject those <= α is wrong with probability <= α.

    >>> bonferroni([0.25, 0.5])
    (0.5, 1.0)
    """
    _check_level(p_values)
    return tuple(min(1.0, len(p_values) * p) for p in p_values)


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Adjusted p-values by Holm's step-down method (Holm 1979): never above Bonferroni's.

    The i-th smallest of k is multiplied by k − i + 1, and made nondecreasing.
    Valid whatever the dependence between the tests.

    >>> holm([0.5, 0.125, 0.25])
    (0.5, 0.375, 0.5)
    """
    _check_level(p_values)
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted, least = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(order):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = least
    return tuple(adjusted)


def _check_level(p_values: Sequence[float]) -> None:
    if not p_values or not all(0 <= p <= 1 for p in p_values):
        raise InvalidArgument("p-values are numbers in [0, 1], at least one")


@attrs.frozen
class Hits:
    """The counts of an event S: (hits, views) in the world b that it favours and in 1 − b."""

    own: int
    trials: int
    """The number of views of the world b."""
    against: int
    others: int
    """The number of views of the world 1 − b."""

    def __add__(self, other: Hits) -> Hits:
        both = zip(attrs.astuple(self), attrs.astuple(other), strict=True)
        return Hits(*(mine + more for mine, more in both))


@attrs.frozen
class Rates:
    """Bounds Pr_b[S] >= low and Pr_{1−b}[S] <= high on an event S, which hold together.

    Both hold with probability 1 − α. So all bounds computed from them hold at the same time, for
    all ε and δ.
    """

    low: float
    high: float

    @staticmethod
    def of(hits: Hits, *, alpha: float) -> Rates:
        """Rates from two Clopper-Pearson bounds at α/2; a world without views gives no bound."""
        return Rates(
            lower_bound(hits.own, hits.trials, alpha=alpha / 2) if hits.trials else 0.0,
            upper_bound(hits.against, hits.others, alpha=alpha / 2) if hits.others else 1.0,
        )

    def delta_at(self, epsilon: float) -> float:
        """A lower bound on δ(ε): low − e^ε high, rounded down."""
        return max(0.0, down(self.low - up(exp_up(epsilon) * self.high)))

    def epsilon_at(self, delta: float) -> float:
        """A lower bound on the least ε for a δ: ln((low − δ)/high), rounded down."""
        if self.low <= delta or self.high <= 0:
            return 0.0
        ratio = down((self.low - delta) / self.high)
        return max(0.0, down(math.log(ratio))) if ratio > 1 else 0.0


def delta_lower_bound(
    hits: int, trials: int, against: int, others: int, *, epsilon: float, alpha: float
) -> float:
    """A lower bound on δ(ε), above the true value with probability at most ``alpha``.

    ``hits`` of ``trials`` replicas fell into S in the world it favours, ``against`` of
    ``others`` in the other. Two Clopper-Pearson bounds at α/2 each, rounded down.

    >>> round(delta_lower_bound(900, 1000, 100, 1000, epsilon=0.0, alpha=0.05), 3)
    0.759
    """
    return Rates.of(Hits(hits, trials, against, others), alpha=alpha).delta_at(epsilon)


def epsilon_lower_bound(
    hits: int, trials: int, against: int, others: int, *, delta: float, alpha: float
) -> float:
    """A lower bound on the least ε for a δ, above that with probability at most ``alpha``."""
    return Rates.of(Hits(hits, trials, against, others), alpha=alpha).epsilon_at(delta)


def label_delta_lower_bound(correct: int, trials: int, *, epsilon: float, alpha: float) -> float:
    """A lower bound on δ(ε) from one binomial: the share of right guesses of a random world.

    The label is the world b that the event S favours with probability 1/(1+e^ε), else 1−b; the
    guess is b iff the view is in S. It is right with probability (e^ε + δ_S)/(1+e^ε),
    δ_S = Pr_b[S] − e^ε Pr_{1−b}[S] <= δ(ε), so one Clopper-Pearson bound suffices.
    """
    rate = exp_up(epsilon)
    low = lower_bound(correct, trials, alpha=alpha)
    return max(0.0, down(down((1 + rate) * low) - rate))


def p_value(hits: Hits, *, epsilon: float, delta: float) -> float:
    """The p-value of the claim (ε, δ): the least α at which ``delta_lower_bound`` refutes it.

    Rounded up, and 1 if no α refutes it. If ``own`` of n views of the favoured world lie in the
    event, and ``against`` of m of the other, it is 2 max over q of min(P[Bin(n, δ + e^ε q) >= own],
    P[Bin(m, q) <= against]): the first rises with q and the second falls, so the maximum is where
    they meet. Under the claim it is at most u with probability at most u, for every u in (0, 1).

    >>> refuted = Hits(90, 100, 20, 100)
    >>> p = p_value(refuted, epsilon=1.0, delta=0.0)
    >>> [delta_lower_bound(90, 100, 20, 100, epsilon=1.0, alpha=p * x) > 0 for x in (0.99, 1.01)]
    [False, True]
    """
    rate, silent = exp_up(epsilon), hits.others - hits.against
    if not hits.trials or not hits.others:
        return 1.0
    low = hits.against / hits.others
    high = (hits.own / hits.trials - delta) / rate
    if low >= high:
        return 1.0

    def above(q: float) -> float:
        share = min(delta + rate * q, hits.own / hits.trials)
        return upper_tail(hits.own, hits.trials, share) if share > 0 else 0.0

    def below(q: float) -> float:
        return upper_tail(silent, hits.others, 1 - q) if silent else 1.0

    for _ in range(64):
        middle = (low + high) / 2
        low, high = (middle, high) if above(middle) < below(middle) else (low, middle)
    return min(1.0, 2 * (1 + 1e-5) * min(above(high), below(low)))


def exp_up(epsilon: float) -> float:
    """e^ε, rounded up, for 0 <= ε < 700. Raises: InvalidArgument for another ε."""
    if not 0 <= epsilon < 700:
        raise InvalidArgument(f"epsilon must lie in [0, 700), not {epsilon!r}")
    return up(math.exp(epsilon)) if epsilon else 1.0


def down(value: float) -> float:
    """A lower bound on an exact result, of which ``value`` is a rounding after a few operations."""
    return value - 8e-16 * max(1.0, abs(value))


def betting_words(rounds: int, last: Hits, alpha: float, reached: bool) -> str:
    """What an audit by bets did, in words; ``last`` are the counts of its last round."""
    return (
        f"betting, valid at any time: {counted(rounds, 'round')}, each on an event of its own; "
        f"the last one, as above, had {last.own:,} of {last.trials:,} views against "
        f"{last.against:,} of {last.others:,}; the wealth K "
        f"{'reached' if reached else 'did not reach'} 1/α = {shown_down(1 / alpha)}"
    )


def up(value: float) -> float:
    """An upper bound on an exact result, of which ``value`` is a rounding after few operations."""
    return value + 8e-16 * max(1.0, abs(value))
