"""The binary tree whose answers use all noisy nodes below (Honaker 2015)."""

from __future__ import annotations

from typing import Final

import attrs

from antiphon.mechanisms.counters.counter import fractions_of
from antiphon.mechanisms.counters.factors.rows import Amount, floats
from antiphon.mechanisms.counters.tails import gaussian_tail
from antiphon.mechanisms.counters.tree_counter import (
    CounterState,
    GaussianTreeCounter,
    Node,
    largest,
    mean,
)
from antiphon.protocol.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Space

_UNIT: Final = 1 << 16
"""Estimates are integers, in multiples of 1/_UNIT."""


@register("antiphon.RefinedTreeCounter/1")
@column_safe
@attrs.frozen(kw_only=True, repr=False)
class RefinedTreeCounter(GaussianTreeCounter):
    """The Gaussian tree with the estimate of a node averaged from it and all below it.

    A node of height h has its own noisy sum y, of variance σ², and the estimates of its
    two children; the best unbiased average of y and their sum has variance
    v_h = σ²·2^h/(2^(h+1) - 1), v_0 = σ². Estimates are rounded down to 1/65536 in integer
    arithmetic that moves with the sums: floor(w·y + (1-w)(l+r)) of exact integers, so an
    answer is a function of the noisy sums alone. Answers are floats.

    State: O(log t) numbers; noise is drawn as nodes are finished, about two draws an update.
    Privacy: that of ``GaussianTreeCounter``, by post-processing; proved.
    Source: Honaker 2015, "from below"; Kairouz et al. 2021, App. B.

    >>> counter = RefinedTreeCounter(horizon=8, rho=10**6).start(seed=1)
    >>> counter.send(1), counter.send(1), counter.send("count")
    (TOP, TOP, 2.0)
    """

    def _answers(self) -> Space:
        return fractions_of(_UNIT, self.dimension)

    def _update(self, state: CounterState, x: Amount, coins: Coins) -> CounterState:
        size, height, total, top = 1, 0, x, state.top
        estimate = self._noise(coins) * _UNIT
        while top is not None and top.size == size:
            size, height, total = 2 * size, height + 1, total + top.total
            own, rest = weight(height), _UNIT - weight(height)
            noise = self._noise(coins) * _UNIT
            estimate = (own * noise + rest * (estimate + top.noise)) // _UNIT
            top = top.below
        return CounterState(state.updates + 1, Node(size, total, estimate, top))

    def _count(self, state: CounterState, coins: Coins) -> tuple[CounterState, Amount]:
        total: Amount = 0
        node = state.top
        while node is not None:
            total, node = total + node.total * _UNIT + node.noise, node.below
        if self.dimension is not None:
            return state, floats(total, _UNIT, self.dimension)
        return state, total / _UNIT

    # --- errors ------------------------------------------------------------------------------

    def _variances(self) -> list[float]:
        """Of the estimates of nodes of height 0, 1, …, for σ² = 1."""
        found = [1.0]
        for height in range(1, self.levels):
            own = weight(height) / _UNIT
            found.append(own**2 + 2 * (1 - own) ** 2 * found[-1])
        return found

    def squared_error(self, updates: int) -> float:
        bits = self._time(updates)
        weights = enumerate(self._variances())
        return sum(w for h, w in weights if bits >> h & 1) * self.noise_variance

    @property
    def max_squared_error(self) -> float:
        return largest(self.horizon, self._variances()) * self.noise_variance

    @property
    def mean_squared_error(self) -> float:
        return mean(self.horizon, self._variances()) * self.noise_variance

    def _tail(self, updates: int, beta: float) -> float:
        weights = enumerate(self._variances())
        variance = sum(w for h, w in weights if updates >> h & 1) * float(self.sigma) ** 2
        rounding = 2 * self.levels**2 / _UNIT
        return gaussian_tail(variance, beta) + rounding


def weight(height: int) -> int:
    """How much of a node's estimate is its own noisy sum, in units: 2^h/(2^(h+1) - 1), rounded."""
    return round(_UNIT * (1 << height) / ((2 << height) - 1))
