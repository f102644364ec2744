"""How large noise gets: tails of single draws, rounded up."""

from __future__ import annotations

import math
from fractions import Fraction
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
    """An m with P(|X| > m) <= beta, X discrete Gaussian.

    P(|X| > m) <= 2e^(-(m+1)²/(2 sigma²)): X is sub-Gaussian, as E e^(tX) = e^(t²sigma²/2) times
    Σ e^(-(x-tsigma²)²/(2sigma²)) / Σ e^(-x²/(2sigma²)), which is at most 1 (Poisson summation).

    >>> gaussian_bound(Fraction(10), 0.05)
    27
    """
    return max(0, math.ceil(sigma * Fraction(math.sqrt(2 * math.log(2 / beta)) * _UP)) - 1)
