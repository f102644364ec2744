"""Random points x of a ball or a box with density ∝ e^(⟨θ, x⟩ - q‖x‖²), a conditioned Gaussian law.

Computed in doubles: claims that depend on this law are *assumed*.
"""

import math
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from antiphon.learners.convex.convex_losses import Ball, Body, Box, Point
from antiphon.numbers import Floats, InvalidArgument
from antiphon.numbers.errors import of_kind
from antiphon.populations.array_columns import float64s
from antiphon.populations.each_replica import for_all, for_each
from antiphon.protocol.coins.coins import Coins

LogDensity = Callable[[Floats], Floats]
"""The type of several log-densities, each up to a constant: a function that takes a table of
numbers, with arguments of the i-th one in row i, to the table of their values."""

_POINTS: Final = 1025
_COARSE: Final = 33
_ZOOMS: Final = 12
_DEPTH: Final = 42.0
"""The depth below its maximum at which a log-density is cut off: the mass beyond is less than
rounding errors."""
_UNIFORM: Final = 1 << 53


class DensityTable(NamedTuple):
    """Tables of several densities on intervals, one density in each row, whose logarithms are
    linear between the tabulated points.

    The error is that of the trapezoidal rule, relatively about 10^-4 for a Gaussian.
    """

    points: Floats
    logs: Floats
    """The log-densities at the points, less the maximum of their row."""
    masses: Floats
    """The mass of the density of each row from the first point up to each point."""

    def quantiles(self, shares: Floats) -> Floats:
        """The quantile of each density at its probability in ``shares``.

        Operations whose rounding may differ in NumPy are done in Python, so that a row does not
        depend on the other rows.
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
    """Tabulates log-concave densities, one for each of the intervals [low, high]."""
    low, high = _window(log_density, low, high)
    points = np.linspace(low, high, _POINTS, axis=1)
    logs = log_density(points)
    logs = np.maximum(logs - logs.max(axis=1, keepdims=True), -2 * _DEPTH)
    rise: Floats = np.diff(logs, axis=1)
    flat = np.abs(rise) < 1e-9
    shape: Floats = np.where(flat, 1 + rise / 2, np.expm1(rise) / np.where(flat, 1.0, rise))
    pieces: Floats = np.exp(logs[:, :-1]) * shape * np.diff(points, axis=1)
    masses = np.concatenate([np.zeros((len(low), 1)), np.cumsum(pieces, axis=1)], axis=1)
    return DensityTable(points, logs, masses)


def _window(log_density: LogDensity, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Shorter intervals, one for each density, that contain nearly all of its mass."""
    each = np.arange(len(low))
    for _ in range(_ZOOMS):
        points = np.linspace(low, high, _COARSE, axis=1)
        logs = log_density(points)
        inside = logs > logs.max(axis=1, keepdims=True) - _DEPTH
        first = np.maximum(inside.argmax(axis=1) - 1, 0)
        last = np.minimum(_COARSE - inside[:, ::-1].argmax(axis=1), _COARSE - 1)
        if not np.any(last - first < _COARSE // 2):
            break
        low, high = points[each, first], points[each, last]
    return low, high


def uniforms(coins: Coins, count: int) -> Floats:
    """Uniform random numbers in (0, 1), as many as ``count``."""
    words = [coins.uniform_integer(_UNIFORM) for _ in range(count)]
    found: Floats = float64s([(word + 0.5) / _UNIFORM for word in words])
    return found


def check_body(body: Body) -> None:
    """Checks that a body is a ball or a box, so points can be drawn. Raises: InvalidArgument."""
    kind: Any = type(body)
    if kind is not Ball and kind is not Box:
        raise InvalidArgument(
            f"points are drawn from a Ball or a Box, not from {of_kind(body)}: LazyLeader "
            "asks a body for projections only"
        )


def gibbs(body: Body, slope: Point, curvature: float, coins: Coins) -> Point:
    """A random point of the body, with density ∝ e^(⟨slope, x⟩ - curvature·‖x‖²).

    Raises: InvalidArgument for a body that is neither a ball nor a box.
    """
    check_body(body)
    if isinstance(body, Box):
        return _of_box(body.half_width, slope, curvature, coins)
    reach = body.reach
    return _of_ball(slope * reach, curvature * reach * reach, coins) * reach


def _of_box(half: float, slope: Point, curvature: float, coins: Coins) -> Point:
    """A random point of the box, with density ∝ e^(⟨slope, x⟩ - curvature·‖x‖²): one coordinate
    after the other."""

    def log_density(x: Floats) -> Floats:
        return (slope[:, None] - curvature * x) * x

    ends = np.full(len(slope), half)
    found = table(log_density, -ends, ends)
    point: Point = for_all(found.quantiles, uniforms(coins, len(slope)))
    return point


def _of_ball(slope: Point, curvature: float, coins: Coins) -> Point:
    """A random point x = t·u + v of the unit ball, with the density of ``gibbs``, where u is the
    direction of ``slope`` and v is orthogonal to it.

    t has density ∝ e^(κt-qt²)·P[χ²_{d-1} <= 2q(1-t²)], κ = ‖slope‖ and q = ``curvature``; given t,
    ‖v‖ has density ∝ r^(d-2) e^(-qr²) on [0, √(1-t²)], and any direction. Both are log-concave.
    """
    size, dimension = math.sqrt(slope @ slope), len(slope)
    rest = (dimension - 1) / 2

    def axis(t: Floats) -> Floats:
        within = log_gamma_share(rest, curvature * (1 - t) * (1 + t)) if rest else 0.0
        return (size - curvature * t) * t + within

    def radial(r: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            return (np.log(r) * (dimension - 2) if dimension > 2 else 0.0) - curvature * r * r

    one = np.ones(1)
    law = table(axis, -one, one)
    t = for_all(law.quantiles, uniforms(coins, 1))[0].item()
    along = slope / size if size else np.eye(dimension)[0]
    if dimension == 1:
        only: Point = along * t
        return only

    def distance(most: float, share: Floats) -> float:
        return float(table(radial, 0 * one, most * one).quantiles(share)[0])

    most = for_each(_height, t)
    r = for_each(distance, most, uniforms(coins, 1)) if most else 0.0
    across = float64s([coins.gaussian(1.0) for _ in range(dimension)])
    point: Point = for_each(_placed, along, t, r, across)
    return point


def _height(t: float) -> float:
    """The largest norm √(1 - t²) of a v ⟂ u for which t·u + v lies in the unit ball."""
    return math.sqrt(max((1 - t) * (1 + t), 0.0))


def _placed(along: Point, t: float, r: float, across: Point) -> Point:
    """The point t·u + v, where u = ``along``, and v is the part of ``across`` that is orthogonal to
    u, scaled to norm r."""
    across = across - (across @ along) * along
    across = across - (across @ along) * along
    return along * t + across * (r / math.sqrt(across @ across))


def log_gamma_share(shape: float, x: Floats) -> Floats:
    """The logarithm ln P[Γ(a) <= x] of the regularised lower incomplete gamma function, for x >= 0
    and a = ``shape``.

    Computed as x^a e^-x/Γ(a+1)·(1 + x/(a+1) + x²/((a+1)(a+2)) + …), whose terms are positive; 0
    beyond a + 12√a + 60, where the error is below double precision.
    """
    most = shape + 12 * math.sqrt(shape) + 60
    near = np.minimum(x, most)
    term, total, n = np.ones_like(near), np.ones_like(near), 0
    # The terms of the series rise at first, but the first one is 1: so a small term is on the way
    # down.
    while term.max() > 1e-17:
        n += 1
        term = term * near / (shape + n)
        total = total + term
    with np.errstate(divide="ignore"):
        found = shape * np.log(near) - near - math.lgamma(shape + 1) + np.log(total)
    return np.where(x < most, np.minimum(found, 0.0), 0.0)
