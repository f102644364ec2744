"""The law of when a sparse vector first says ⊤, for counts that are known: in doubles.

Given the noise ρ = z of the threshold, the answers are independent, and a count n is answered ⊥
with probability P(ν < T + z - n). Runs of equal counts make it a power: so a million rounds with
few samples (1, 1) cost what these cost.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.mechanisms import fields
from antiphon.mechanisms.sparse_vector import SparseVector
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument

Figures: TypeAlias = "NDArray[np.float64]"
Run: TypeAlias = "tuple[int, int]"
"""(how many samples were (1, 1) so far, for how many samples in a row)."""

_FAR = 40
"""Scales past which noise is left out: e^(-40)."""
_NEVER = 1e-18
_LEAST = 2.0**-40
"""A β down to which doubles tell 1 - β from 1, and what is left out is nothing beside it."""


def log_below(bars: NDArray[np.int64], scale: Fraction) -> Figures:
    """ln P(ν < bar), ν ~ DLap(scale)."""
    step = 1 / float(scale)
    whole = math.log1p(math.exp(-step))
    low = (np.minimum(bars, 0) - 1) * step - whole
    high = np.log1p(-np.exp(-np.maximum(bars, 1) * step - whole))
    return np.where(bars <= 0, low, high)


@attrs.frozen
class Crossing:
    """When ``above`` says its first ⊤."""

    above: SparseVector

    @cached_property
    def _noises(self) -> NDArray[np.int64]:
        most = math.ceil(_FAR * self.above.threshold_scale) + 1
        return np.arange(-most, most + 1)

    @cached_property
    def _law(self) -> Figures:
        weights = np.exp(-np.abs(self._noises) / float(self.above.threshold_scale))
        law: Figures = weights / weights.sum()
        return law

    def quiet(self, runs: Sequence[Run]) -> Figures:
        """P(no ⊤ so far) after each run."""
        found = np.zeros(len(runs))
        logs = np.zeros(len(self._noises))
        for place, (count, length) in enumerate(runs):
            bars = self.above.threshold + self._noises - count
            logs = logs + length * log_below(bars, self.above.query_scale)
            found[place] = self._law @ np.exp(logs)
            if found[place] < _NEVER:
                break
        return found

    def rising(self, last: int) -> Figures:
        """P(no ⊤ so far) after the counts 1, …, last, each asked about once."""
        bars = np.arange(self.above.threshold - last, self.above.threshold) + self._noises[0]
        bars = np.concatenate([bars, self.above.threshold + self._noises])
        sums = np.concatenate([[0.0], log_below(bars, self.above.query_scale).cumsum()])
        ends = np.arange(last, last + len(self._noises))
        found = np.zeros(last)
        for count in range(1, last + 1):
            found[count - 1] = self._law @ np.exp(sums[ends] - sums[ends - count])
            if found[count - 1] < _NEVER:
                break
        return found


def failing(beta: object) -> float:
    """β, strictly between 0 and 1. Raises: InvalidArgument, also for one below 2^-40."""
    found = fields.beta(beta)
    if found < _LEAST:
        raise InvalidArgument("beta is at least 2^-40: what noise does is reckoned in doubles")
    return found


def least_threshold(above: SparseVector, rounds: int, beta: float) -> int:
    """The least threshold that says no ⊤ on ``rounds`` zeros, with probability 1 - beta.

    Raises: InvalidArgument for beta outside [2^-40, 1).
    """
    failure, zeros = failing(beta), [(0, exact.whole(rounds, "rounds"))]

    def false(threshold: int) -> float:
        return 1 - float(Crossing(attrs.evolve(above, threshold=threshold)).quiet(zeros)[0])

    low, high = 0, 1
    while false(high) > failure:
        low, high = high, 2 * high
    while low < high:
        half = (low + high) // 2
        low, high = (low, half) if false(half) <= failure else (half + 1, high)
    return low
