"""Parameters of lazy experts: the least regret bound that keeps to (ε, δ)."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple

import attrs
import numpy as np

from antiphon.composition.accounting.renyi import from_renyi
from antiphon.mechanisms.learners.experts.lazy import LazyCurve
from antiphon.mechanisms.learners.joint_curve import LARGE
from antiphon.mechanisms.learners.searching import golden, largest, short, within
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.interval import Floats

_ORDERS: Final = 64
_NEAR: Final = 1 / 32
_FAR: Final = 2.0**-20
_SMALL: Final = 2.0**-8
_ALWAYS: Final = LARGE / 2
"""An ηc with which it always draws anew; of a larger one the claim says nothing."""


class Lazy(NamedTuple):
    """η, c and B."""

    rate: Fraction
    cost: Fraction
    batch: int


def regret_bound(horizon: int, experts: int, rate: float, batch: int) -> float:
    """ln d/η + ηBT/8: Hedge on losses of batches (Cesa-Bianchi and Lugosi 2006, Thm 2.2)."""
    return math.log(experts) / rate + rate * batch * horizon / 8 if rate else math.inf


def drawn(rate: float, less: Floats) -> Floats:
    """ln R of a range of 2η at many orders, as ``range_divergence`` has it, in plain floats."""
    size, order = 2 * rate, 1 + less
    straight = less * order * rate**2 / 2
    whole, share = np.log(-np.expm1(-order * size)), np.log(-np.expm1(-less * size))
    found = less * (np.log1p(-1 / order) + size - share) + order * whole
    found -= math.log(-math.expm1(-size)) + np.log(order)
    return np.where(order * size < _SMALL, straight, np.minimum(straight, found))


@attrs.frozen
class _Problem:
    """Plain floats, many orders at once: where to look. What is found is held to the claim."""

    horizon: int
    experts: int
    epsilon: float
    delta: float

    @property
    def _less(self) -> Floats:
        """α - 1, for the orders that are tried."""
        most = 50 * (1 - math.log(self.delta)) / self.epsilon
        return np.geomspace(most / 5e3, most, _ORDERS)

    def private(self, rate: float, cost: float, batch: int) -> bool:
        """Whether ε is enough."""
        less = self._less
        of_draws = drawn(rate, less)
        decisions = -(-self.horizon // batch) - 1
        if not decisions:
            return True

        def mixed(exponent: float, stays: float, draws: float) -> Floats:
            staying = stays * less - exponent
            return np.logaddexp(staying, draws * less + of_draws + math.log(-math.expm1(-exponent)))

        after = differs = mixed(rate * (cost + batch), 0.0, 0.0)
        for loss in {0, batch - 1}:
            ends = rate * (cost + loss), rate * (cost + loss + 1)
            logs = [math.log(-math.expm1(-end)) for end in ends]
            for own, other in ((0, 1), (1, 0)):
                found = mixed(ends[own], ends[other] - ends[own], logs[own] - logs[other])
                differs = np.maximum(differs, found)
        total = differs + (decisions - 1) * after
        shape = less * np.log(less) - (1 + less) * np.log1p(less) - math.log(self.delta)
        return bool(((total + shape) / less).min() <= self.epsilon)

    def rate(self, cost: float, batch: int) -> float:
        """The rate with the least bound: the best, or the largest that is private."""
        best = math.sqrt(8 * math.log(self.experts) / (batch * self.horizon))
        return largest(lambda rate: self.private(rate, cost, batch), best * 2.0**-30, best, 28)

    def bound(self, cost: float, batch: int) -> float:
        """The least regret bound with this cost and batch."""
        return regret_bound(self.horizon, self.experts, self.rate(cost, batch), batch)

    def best(self, batch: int) -> float:
        """The least regret bound with this batch."""
        return self.bound(self.cost(batch), batch)

    def cost(self, batch: int) -> float:
        """The best cost; past 16T/ε it hides nothing more."""
        most = 16.0 * self.horizon / min(self.epsilon, 1)
        return golden(lambda cost: self.bound(cost, batch), 0.05, most, 20).middle


@lru_cache(maxsize=64)
def lazy_parameters(
    horizon: int, experts: int, target: Fraction, chance: Fraction, batch: int | None = None
) -> Lazy:
    """What is best, with that batch if one is given; its claim is (ε, δ)-DP.

    Raises: InvalidArgument.
    """
    several = max(exact.whole(experts, "experts"), 2)
    problem = _Problem(horizon, several, float(target), float(chance))
    batch = best_batch(horizon, problem.best) if batch is None else batch
    best = problem.cost(batch)
    cost = short(min(best, _ALWAYS / problem.rate(best, batch)))

    def private(rate: float) -> bool:
        curve = from_renyi(LazyCurve(short(rate), cost, batch, -(-horizon // batch) - 1))
        return within(curve.epsilon_at(chance), target)

    near = problem.rate(float(cost), batch)
    low = near
    while not private(low):
        low *= 0.9
        if low < near * _FAR:
            raise InvalidArgument("no parameters are found that keep to this epsilon and delta")
    return Lazy(short(largest(private, low, near * 1.1, 16)), cost, batch)


def best_batch(horizon: int, bound: Callable[[int], float]) -> int:
    """B: the largest near the best whose bound is no worse than by a part of 32.

    The larger the batch, the larger the rate may be; and where one expert is better than the others
    by a gap, regret is about ln d/η, whatever B is.
    """
    best = min((*(1 << k for k in range(horizon.bit_length())), horizon), key=bound)
    near = {max(1, best * parts // 8) for parts in range(5, 17)}
    bounds = {batch: bound(batch) for batch in near if batch <= horizon}
    enough = min(bounds.values()) * (1 + _NEAR)
    return max(batch for batch, found in bounds.items() if found <= enough)
