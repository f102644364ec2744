"""Draws from log-concave densities on intervals, by a table: in doubles, so for studies only."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from antiphon.numbers.interval import Floats
from antiphon.populations.array_columns import float64s
from antiphon.protocol.coins import Coins

LogDensity = Callable[[Floats], Floats]
"""A table with a row for each density ↦ logarithms, up to a constant of each row."""

_POINTS: Final = 1025
_COARSE: Final = 33
_ZOOMS: Final = 12
_DEPTH: Final = 42.0
"""Where a density is e^-42 of its largest, it ends: that leaves out less than a double tells."""
_UNIFORM: Final = 1 << 53


class DensityTable(NamedTuple):
    """Densities, one in each row, that are log-linear between points.

    Their error is that of the trapezoid: some 10^-4, relatively, for a Gaussian.
    """

    points: Floats
    logs: Floats
    """Of the density at each point, 0 where it is largest."""
    masses: Floats
    """From the first point to each."""

    def quantiles(self, shares: Floats) -> Floats:
        """Where each has that share of its mass to the left; of a table of shares, row by row.

        What rounds as Python does is done by Python: so a row is what it is alone.
        """
        each = np.arange(len(self.masses))
        want = shares * self.masses[:, -1]
        found: list[Any] = [
            np.searchsorted(*pair) for pair in zip(self.masses, want.T, strict=True)
        ]
        i = np.minimum(np.maximum(np.array(found).T, 1), self.masses.shape[1] - 1) - 1
        left, below, log = (x[each, i] for x in (self.points, self.masses, self.logs))
        right, above, rise = (x[each, i + 1] for x in (self.points, self.masses, self.logs))
        part, rise = (want - below) / (above - below), rise - log
        bent = np.abs(rise) > 1e-9
        pairs = zip(part[bent].tolist(), rise[bent].tolist(), strict=True)
        part[bent] = [math.log1p(share * math.expm1(slope)) / slope for share, slope in pairs]
        quantile: Floats = left + (right - left) * np.minimum(np.maximum(part, 0.0), 1.0)
        return quantile


def table(log_density: LogDensity, low: Floats, high: Floats) -> DensityTable:
    """Of densities that are log-concave on intervals with these ends."""
    low, high = _window(log_density, low, high)
    points = _between(low, high, _POINTS)
    logs = log_density(points)
    logs = np.maximum(logs - logs.max(axis=1, keepdims=True), -2 * _DEPTH)
    rise: Floats = np.diff(logs, axis=1)
    flat = np.abs(rise) < 1e-9
    shape: Floats = np.where(flat, 1 + rise / 2, np.expm1(rise) / np.where(flat, 1.0, rise))
    pieces: Floats = np.exp(logs[:, :-1]) * shape * np.diff(points, axis=1)
    masses = np.concatenate([np.zeros((len(low), 1)), np.cumsum(pieces, axis=1)], axis=1)
    return DensityTable(points, logs, masses)


def _window(log_density: LogDensity, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Ends between which they have their mass."""
    each = np.arange(len(low))
    for _ in range(_ZOOMS):
        points = _between(low, high, _COARSE)
        logs = log_density(points)
        inside = logs > logs.max(axis=1, keepdims=True) - _DEPTH
        first = np.maximum(inside.argmax(axis=1) - 1, 0)
        last = np.minimum(_COARSE - inside[:, ::-1].argmax(axis=1), _COARSE - 1)
        if not np.any(last - first < _COARSE // 2):
            break
        low, high = points[each, first], points[each, last]
    return low, high


def _between(low: Floats, high: Floats, count: int) -> Floats:
    return np.linspace(low, high, count, axis=1)


def uniforms(coins: Coins, count: int) -> Floats:
    """Uniform numbers in (0, 1), by coins."""
    words = [coins.uniform_integer(_UNIFORM) for _ in range(count)]
    found: Floats = float64s([(word + 0.5) / _UNIFORM for word in words])
    return found
