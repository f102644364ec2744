"""Lower bounds on δ at ε, and on ε at δ, from counts: each with stated coverage.

An event S is chosen on samples that are not used again; what follows is about that
one event, so no multiple testing hides in it. Both directions are one event each.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import NamedTuple

import attrs

from antiphon.audit.statistical.intervals import lower_bound, upper_bound
from antiphon.protocol.errors import InvalidArgument

Counts = Mapping[Hashable, int]


@attrs.frozen
class Event:
    """S: the views whose feature is in ``features``; ``bit`` is the world it favours."""

    features: frozenset[Hashable]
    bit: int

    def hits(self, counts: Counts) -> int:
        """How many replicas fall into S."""
        return sum(n for feature, n in counts.items() if feature in self.features)


def likelihood_ratio_event(counts0: Counts, counts1: Counts, *, growth: float) -> Event:
    """The event that these samples favour most: {counts_b > e^ε counts_{1−b}}, for the better b.

    On the samples it is chosen from, its advantage is optimistic: test it on others.
    """
    total0, total1 = sum(counts0.values()), sum(counts1.values())
    best, gain = Event(frozenset(), 0), 0.0
    for bit, (ahead, behind, n, m) in enumerate(
        ((counts0, counts1, total0, total1), (counts1, counts0, total1, total0))
    ):
        gaps = {f: k / n - growth * behind.get(f, 0) / m for f, k in ahead.items()}
        chosen = frozenset(f for f, gap in gaps.items() if gap > 0)
        own = sum(gaps[f] for f in chosen)
        if own > gain:
            best, gain = Event(chosen, bit), own
    return best


def delta_lower_bound(
    hits: int, trials: int, against: int, others: int, *, epsilon: float, alpha: float
) -> float:
    """A number that exceeds the true δ(ε) with probability at most ``alpha``.

    ``hits`` of ``trials`` replicas fell into S in the world it favours, ``against`` of
    ``others`` in the other. Two Clopper-Pearson bounds at α/2 each, rounded down.
    """
    low = lower_bound(hits, trials, alpha=alpha / 2)
    high = upper_bound(against, others, alpha=alpha / 2)
    return max(0.0, _down(low - _up(_growth(epsilon)) * high))


def epsilon_lower_bound(
    hits: int, trials: int, against: int, others: int, *, delta: float, alpha: float
) -> float:
    """A number that exceeds the least ε with (ε, δ)-DP with probability at most ``alpha``."""
    low = lower_bound(hits, trials, alpha=alpha / 2)
    high = upper_bound(against, others, alpha=alpha / 2)
    if low <= delta or high <= 0:
        return 0.0
    return max(0.0, _down(math.log(_down((low - delta) / high))))


def label_delta_lower_bound(correct: int, trials: int, *, epsilon: float, alpha: float) -> float:
    """The one-binomial form: from how often a guess of a random label is right.

    The label is the world b that S favours with probability 1/(1+e^ε), else 1−b; the
    guess is b iff the view is in S. It is right with probability (e^ε + δ_S)/(1+e^ε),
    δ_S = Pr_b[S] − e^ε Pr_{1−b}[S] <= δ(ε), so one Clopper-Pearson bound suffices.
    """
    growth = _growth(epsilon)
    low = lower_bound(correct, trials, alpha=alpha)
    return max(0.0, _down(_down((1 + growth) * low) - _up(growth)))


def _growth(epsilon: float) -> float:
    if not 0 <= epsilon < 700:
        raise InvalidArgument(f"epsilon must lie in [0, 700), not {epsilon!r}")
    return math.exp(epsilon)


def _down(value: float) -> float:
    """Below the real result of a few float operations on numbers of this size."""
    return value - 8e-16 * max(1.0, abs(value))


def _up(value: float) -> float:
    return value + 8e-16 * max(1.0, abs(value))


class Batch(NamedTuple):
    """Pairs of indicators (X, Y) of an event in both worlds, by how many of each kind."""

    both: int
    ahead: int
    """X = 1, Y = 0."""
    behind: int
    """X = 0, Y = 1."""
    neither: int


@attrs.define
class EProcess:
    """An anytime-valid test of "(ε, δ)-DP": reject once K >= 1/α, at any time.

    K_t = Π(1 + λ_i (X_i − e^ε Y_i − δ)) with X_i the indicator of an event under b and
    Y_i of the same event under 1−b, independent. Under the claim each factor has mean at
    most 1 whatever the event, inputs and adversary, which may be chosen anew from all
    that came before; so by Ville's inequality K exceeds 1/α with probability at most α.
    """

    epsilon: float
    delta: float
    log_wealth: float = 0.0
    pairs: int = 0

    def __attrs_post_init__(self) -> None:
        if not 0 <= self.delta < 1:
            raise InvalidArgument(f"delta must lie in [0, 1), not {self.delta!r}")
        _growth(self.epsilon)

    @property
    def most(self) -> float:
        """The largest λ that keeps every factor positive: λ < 1/(e^ε + δ)."""
        return 1 / (_up(_growth(self.epsilon)) + self.delta)

    def update(self, batch: Batch, *, stake: float) -> float:
        """Add a batch at λ = stake, chosen before it was drawn; the log of K.

        Raises: InvalidArgument unless 0 <= stake < 1/(e^ε + δ).
        """
        if not 0 <= stake < self.most:
            raise InvalidArgument(f"stake must lie in [0, {self.most}), not {stake!r}")
        growth = _up(_growth(self.epsilon))
        for count, gain in zip(batch, (1 - growth, 1.0, -growth, 0.0), strict=True):
            if count:
                self.log_wealth += count * _down(math.log1p(stake * (gain - self.delta)))
        self.pairs += sum(batch)
        return self.log_wealth

    def rejects(self, *, alpha: float) -> bool:
        """Whether the claim is refuted at level α."""
        return self.log_wealth >= -math.log(alpha)

    def best_stake(self, batch: Batch) -> float:
        """The λ that would have grown most on a batch: a choice for the next one."""
        low, high = 0.0, self.most * 0.999
        for _ in range(60):
            third = (high - low) / 3
            if self._growth_at(batch, low + third) < self._growth_at(batch, high - third):
                low += third
            else:
                high -= third
        return (low + high) / 2

    def _growth_at(self, batch: Batch, stake: float) -> float:
        growth = _growth(self.epsilon)
        gains = (1 - growth, 1.0, -growth, 0.0)
        return sum(
            n * math.log1p(stake * (gain - self.delta))
            for n, gain in zip(batch, gains, strict=True)
        )
