"""Lower bounds on δ at ε, and on ε at δ, from hit counts: each with stated coverage.

An event S is chosen on samples that are not used again; what follows is about that
one event, so no multiple testing hides in it. Both directions are one event each.
"""

from __future__ import annotations

import math

import attrs

from antiphon.audit.statistical.proportions import lower_bound, upper_bound, upper_tail
from antiphon.numbers.errors import InvalidArgument


@attrs.frozen
class Hits:
    """How often S was met in the world b that it favours, and in the other."""

    own: int
    trials: int
    """Views of the world b."""
    against: int
    others: int
    """Views of the world 1 − b."""

    def __add__(self, other: Hits) -> Hits:
        return Hits(
            self.own + other.own,
            self.trials + other.trials,
            self.against + other.against,
            self.others + other.others,
        )


@attrs.frozen
class Rates:
    """Pr_b[S] >= low and Pr_{1−b}[S] <= high, both at once with probability 1 − α.

    So every bound read off them holds at the same time, for all ε and δ.
    """

    low: float
    high: float

    @staticmethod
    def of(hits: Hits, *, alpha: float) -> Rates:
        """Two Clopper-Pearson bounds at α/2 each; no views of a world bound nothing."""
        return Rates(
            lower_bound(hits.own, hits.trials, alpha=alpha / 2) if hits.trials else 0.0,
            upper_bound(hits.against, hits.others, alpha=alpha / 2) if hits.others else 1.0,
        )

    def delta_at(self, epsilon: float) -> float:
        """A lower bound on δ(ε): low − e^ε high, rounded down."""
        return max(0.0, down(self.low - up(growth(epsilon) * self.high)))

    def epsilon_at(self, delta: float) -> float:
        """A lower bound on the least ε for a δ: ln((low − δ)/high), rounded down."""
        if self.low <= delta or self.high <= 0:
            return 0.0
        ratio = down((self.low - delta) / self.high)
        return max(0.0, down(math.log(ratio))) if ratio > 1 else 0.0


def delta_lower_bound(
    hits: int, trials: int, against: int, others: int, *, epsilon: float, alpha: float
) -> float:
    """A number that exceeds the true δ(ε) with probability at most ``alpha``.

    ``hits`` of ``trials`` replicas fell into S in the world it favours, ``against`` of
    ``others`` in the other. Two Clopper-Pearson bounds at α/2 each, rounded down.

    >>> round(delta_lower_bound(900, 1000, 100, 1000, epsilon=0.0, alpha=0.05), 3)
    0.759
    """
    return Rates.of(Hits(hits, trials, against, others), alpha=alpha).delta_at(epsilon)


def epsilon_lower_bound(
    hits: int, trials: int, against: int, others: int, *, delta: float, alpha: float
) -> float:
    """A number that exceeds the least ε with (ε, δ)-DP with probability at most ``alpha``."""
    return Rates.of(Hits(hits, trials, against, others), alpha=alpha).epsilon_at(delta)


def label_delta_lower_bound(correct: int, trials: int, *, epsilon: float, alpha: float) -> float:
    """The one-binomial form: from how often a guess of a random label is right.

    The label is the world b that S favours with probability 1/(1+e^ε), else 1−b; the
    guess is b iff the view is in S. It is right with probability (e^ε + δ_S)/(1+e^ε),
    δ_S = Pr_b[S] − e^ε Pr_{1−b}[S] <= δ(ε), so one Clopper-Pearson bound suffices.
    """
    rate = growth(epsilon)
    low = lower_bound(correct, trials, alpha=alpha)
    return max(0.0, down(down((1 + rate) * low) - rate))


def p_value(hits: Hits, *, epsilon: float, delta: float) -> float:
    """The least α at which ``delta_lower_bound`` refutes (ε, δ), rounded up; 1 if none does.

    2 max over q of min(P[Bin(n, δ + e^ε q) >= own], P[Bin(m, q) <= against]): the first rises
    with q and the second falls, so it is where they meet. Under the claim it is at most u
    with probability at most u, for every u in (0, 1).

    >>> refuted = Hits(90, 100, 20, 100)
    >>> p = p_value(refuted, epsilon=1.0, delta=0.0)
    >>> [delta_lower_bound(90, 100, 20, 100, epsilon=1.0, alpha=p * x) > 0 for x in (0.99, 1.01)]
    [False, True]
    """
    rate, silent = growth(epsilon), hits.others - hits.against
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


def growth(epsilon: float) -> float:
    """e^ε, rounded up, for 0 <= ε < 700. Raises: InvalidArgument for another ε."""
    if not 0 <= epsilon < 700:
        raise InvalidArgument(f"epsilon must lie in [0, 700), not {epsilon!r}")
    return up(math.exp(epsilon)) if epsilon else 1.0


def down(value: float) -> float:
    """Below the real result of a few float operations on numbers of this size."""
    return value - 8e-16 * max(1.0, abs(value))


def up(value: float) -> float:
    """Above it."""
    return value + 8e-16 * max(1.0, abs(value))
