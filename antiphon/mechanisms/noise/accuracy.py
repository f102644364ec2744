"""How large noise gets: tails of single draws, rounded up."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist
from typing import Final

_UP: Final = 1 + 2.0**-40
"""More than the rounding errors of a few operations in double precision."""


def laplace_bound(scale: Fraction, beta: float) -> int:
    """An m with P(|X| > m) <= beta, X discrete Laplace; the least one, or one more.

    P(|X| > m) = 2e^(-(m+1)/scale) / (1 + e^(-1/scale)).

    >>> laplace_bound(Fraction(1), 0.05)
    3
    """
    ratio = math.exp(-min(1 / scale, Fraction(1000)))
    halvings = Fraction(max(0.0, math.log(2 / (beta * (1 + ratio)))) * _UP)
    return max(0, math.ceil(scale * halvings) - 1)


def gaussian_bound(sigma: Fraction, beta: float) -> int:
    """An m with P(|X| > m) <= beta, X discrete Gaussian: the smaller of two such.

    P(|X| > m) <= P(|Z| >= m) for the Gaussian Z: Σ_{x>m} e^(-x²/(2sigma²)) is below the integral
    from m on, and Σ_x above that of all (Canonne, Kamath, Steinke 2020, Prop. 25). And
    P(|X| >= m) <= 2e^(-m²/(2 sigma²)), as X is sub-Gaussian: E e^(tX) = e^(t²sigma²/2) times
    Σ e^(-(x-tsigma²)²/(2sigma²)) / Σ e^(-x²/(2sigma²)), which is at most 1 (Poisson summation).

    >>> gaussian_bound(Fraction(10), 0.05)
    20
    """
    near = math.ceil(sigma * Fraction(gaussian_quantile(beta)))
    far = math.ceil(sigma * Fraction(math.sqrt(2 * math.log(2 / beta)) * _UP)) - 1
    return max(0, min(near, far))


def gaussian_quantile(beta: float) -> float:
    """The z with P(|Z| > z) = beta for a standard Gaussian, rounded up."""
    return -NormalDist().inv_cdf(beta / 2) * _UP
