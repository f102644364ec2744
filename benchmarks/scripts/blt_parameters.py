"""Compute the best few buffers for totals, and for sliding sums.

    python benchmarks/scripts/blt_parameters.py > FILE   # factors/blt_parameters.py

For horizons n = 2^8, …, 2^30 it minimises (squared sensitivity of C) × (largest squared row
of B) over factorisations A = B·C with C(x) = Π(1 - λ_i x)/Π(1 - θ_i x), in closed form
(``toeplitz.Buffers``), by BFGS over the logarithms of the gaps between
1 - θ_1 < 1 - λ_1 < 1 - θ_2 < …, which keep all weights positive. It takes the least number
of buffers whose optimum is within 1 % of the square-root factorisation's. About 20 s.

For windows W = 1, 2, 3, 4, 6, …, 2^20 it minimises the same product with the squared row of a
difference of counts W apart, for streams of any length; the least number of buffers whose optimum
is within 1 % of that of five. About 30 s.
"""

from __future__ import annotations

from collections.abc import Callable
from textwrap import fill

import numpy as np
import numpy.typing as npt

from antiphon.mechanisms.counters.factors.buffers import Buffers

Vector = npt.NDArray[np.float64]
LONG = 1 << 50
"""A horizon at which a window's error has long stopped growing."""
SLACK = 1.01
DIGITS = 6


def buffers(gaps: Vector) -> Buffers:
    return Buffers(tuple(gaps[0::2].tolist()), tuple(gaps[1::2].tolist()))


def placed(parameters: Vector) -> Vector:
    """The gaps, increasing, of free parameters."""
    logs = np.cumsum(np.concatenate([parameters[:1], np.exp(parameters[1:])]))
    return np.asarray(np.exp(logs))


def loss(parameters: Vector, horizon: int) -> float:
    gaps = placed(parameters)
    if not gaps[-1] < 1 or not gaps[0] > 0 or np.any(np.diff(gaps) <= 0):
        return np.inf
    found = buffers(gaps)
    return float(np.log(found.squared_norm(horizon) * found.squared_row(horizon)))


def window_loss(parameters: Vector, window: int) -> float:
    """The same as ``loss``, for differences of counts ``window`` apart."""
    gaps = placed(parameters)
    if not gaps[-1] < 1 - 1e-6 or not gaps[0] > 0 or np.any(np.diff(gaps) <= 1e-7):
        return np.inf
    found = buffers(gaps)
    return float(np.log(found.squared_norm(LONG) * found.squared_row(LONG, LONG - window)))


def gradient(function: Callable[[Vector], float], at: Vector) -> Vector:
    steps = 1e-5 * np.eye(len(at))
    return np.array([(function(at + h) - function(at - h)) / 2e-5 for h in steps])


def minimise(function: Callable[[Vector], float], start: Vector) -> Vector:
    """BFGS with backtracking."""
    at, slope, inverse = start, gradient(function, start), np.eye(len(start))
    for _ in range(500):
        direction, size = -inverse @ slope, 1.0
        if direction @ slope >= 0:
            inverse, direction = np.eye(len(at)), -slope
        while not function(at + size * direction) <= function(at) + 1e-4 * size * slope @ direction:
            size /= 2
            if size < 1e-12:
                return at
        step = size * direction
        new = gradient(function, at + step)
        change, at, slope = new - slope, at + step, new
        if np.linalg.norm(slope) < 1e-9:
            break
        if (curvature := step @ change) > 0:
            left = np.eye(len(at)) - np.outer(step, change) / curvature
            inverse = left @ inverse @ left.T + np.outer(step, step) / curvature
    return at


def square_root(horizon: int) -> float:
    """Σ c_k² of the square-root factorisation, to O(1/horizon)."""
    return float(np.log(horizon) + 4 * np.log(2) + np.euler_gamma) / np.pi


def best(horizon: int) -> Vector:
    """The gaps of the fewest buffers that suffice."""
    goal = square_root(horizon) ** 2 * SLACK
    for count in range(2, 12):
        logs = np.linspace(-np.log(horizon), -0.3, 2 * count)
        start = np.concatenate([logs[:1], np.log(np.diff(logs))])
        found = minimise(lambda x: loss(x, horizon), start)
        if np.exp(loss(found, horizon)) <= goal:
            return placed(found)
    raise RuntimeError("too few buffers")


HEAD = '''"""Optimised buffers for counts and windows: poles and zeros of a counter's factor C.

Each table maps to 1 - θ_1, 1 - λ_1, 1 - θ_2, …. Written by benchmarks/scripts/blt_parameters.py.
"""

from typing import Final

PARAMETERS: Final[dict[int, tuple[float, ...]]] = {'''
MIDDLE = '''}  # fmt: skip
"""The buffers for counts, by the exponent n of the horizon 2^n; their error exceeds the error of
the square-root factorisation by at most 1 %."""
WINDOWS: Final[dict[int, tuple[float, ...]]] = {
    1: (0.999998, 0.999999),'''
FOOT = '''}  # fmt: skip
"""The buffers for sums of the last W updates, by W; the standard deviation is at most 11 % above
the least there is."""'''


def entry(key: int, gaps: Vector) -> str:
    listed = ", ".join(f"{gap:.{DIGITS}g}" for gap in gaps)
    return fill(f"{key}: ({listed}),", 99, initial_indent=4 * " ", subsequent_indent=8 * " ")


def best_for_window(window: int) -> Vector:
    """The gaps of the fewest buffers whose error is within 1 % of the least found."""
    found: list[tuple[float, Vector]] = []
    for count in range(1, 6):
        logs = np.linspace(-np.log(window / 2 + 1.2), -0.3, 2 * count)
        start = np.concatenate([logs[:1], np.log(np.diff(logs))])
        reached = minimise(lambda x: window_loss(x, window), start)
        found.append((np.exp(window_loss(reached, window) / 2), placed(reached)))
    goal = min(error for error, _ in found) * SLACK**0.5
    return next(gaps for error, gaps in found if error <= goal)


def main() -> None:
    print(HEAD)
    for power in range(8, 31):
        print(entry(power, best(2**power)))
    print(MIDDLE)  # fresh noise for W = 1, which no buffer improves
    for half in range(2, 41):  # windows W = 2, 3, 4, 6, 8, 11, …, with 365 in place of 362
        window = 365 if half == 17 else round(2 ** (half / 2))
        print(entry(window, best_for_window(window)))
    print(FOOT)


if __name__ == "__main__":
    main()
