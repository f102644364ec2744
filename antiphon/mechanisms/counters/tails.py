"""How large sums of noise get: variances of discrete noise, and tails that hold.

A tail is a number that |X| exceeds with probability at most beta.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

import numpy as np

from antiphon.numbers import exact

LAPLACE_PROXIES = np.linspace(0.001, 0.999, 999)


def discrete_laplace_variance(scale: Fraction) -> float:
    """Of P(x) ∝ e^(-|x|/scale) on the integers: ½/sinh²(1/(2 scale)), near 2·scale² - 1/6."""
    inverse = float(1 / (2 * scale))
    return 0.5 / math.sinh(inverse) ** 2 if inverse < 300 else 0.0


def discrete_gaussian_variance(sigma: Fraction) -> float:
    """Of P(x) ∝ e^(-x²/(2 sigma²)) on the integers: below sigma² by a relative e^(-2π²sigma²)·c.

    Source: Canonne, Kamath, Steinke 2020, Cor. 9; the series is summed for small sigma.
    """
    if sigma > 3:
        return float(sigma) ** 2
    exponent = -1 / (2 * float(sigma) ** 2)
    terms = [math.exp(x * x * exponent) for x in range(1, 40)]
    second = sum(x * x * term for x, term in enumerate(terms, start=1))
    return 2 * second / (1 + 2 * sum(terms))


def laplace_tail(scale: Fraction, count: int, beta: float) -> float:
    """For the sum of ``count`` independent discrete Laplace draws, each with a sign or none.

    Chernoff: E e^(λX) of one draw is at most that of continuous Laplace noise,
    1/(1 - λ²scale²), since cosh(√u) - 1 is convex in u. Every λ < 1/scale gives a bound;
    the best on a grid is taken.
    """
    grid = LAPLACE_PROXIES
    bounds = (math.log(2 / beta) - count * np.log1p(-(grid**2))) / grid
    return float(scale) * float(bounds.min())


def gaussian_tail(variance: float, beta: float) -> float:
    """For a sum whose moments are at most those of a Gaussian of this variance.

    Discrete Gaussian noise is such (Canonne, Kamath, Steinke 2020, Fact 20 and Prop. 27: it
    is sub-Gaussian with parameter sigma), and so are weighted sums of independent draws.
    """
    return math.sqrt(2 * variance * math.log(2 / beta))


_SUMMED: Final = 1 << 18


def lower_bound(*, horizon: int, rho: Fraction | float, sensitivity: Fraction | float = 1) -> float:
    """A mean, and so a max, squared error that no Gaussian factorisation A = B·C gets below.

    (‖A‖_*/T)²·sensitivity²/(2ρ), with ‖A‖_* the nuclear norm of the T×T matrix of ones
    that sums prefixes: its singular values are ½/sin((2j-1)π/(4T+2)). Rounded down.
    Source: Edmonds, Nikolov, Ullman 2020; Henzinger, Upadhyay, Upadhyay 2023.
    Raises: InvalidArgument for a horizon, rho or sensitivity that is not positive.
    """
    count = exact.whole(horizon, "horizon")
    scale = exact.positive(sensitivity, "sensitivity") ** 2 / (2 * exact.positive(rho, "rho"))
    step, summed = math.pi / (2 * count + 1), min(count, _SUMMED)
    nuclear = float((0.5 / np.sin((np.arange(summed) + 0.5) * step)).sum())
    if count > summed:
        # ½/sin is convex, so a midpoint sum is below its integral, by at most step·|f'|/12.
        start, end = summed * step / 2, count * step / 2
        nuclear += (math.log(math.tan(end)) - math.log(math.tan(start))) / (2 * step)
        nuclear -= step / 12 * 0.5 / (summed * step) ** 2
    return (nuclear / count) ** 2 * float(scale) * (1 - 1e-9)
