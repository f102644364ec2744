"""Exact samplers and finite laws behind the primitives of ``Coins``.

The discrete samplers use only uniform integers, so their law is exactly the one
stated: Canonne, Kamath and Steinke, *The Discrete Gaussian for Differential
Privacy* (2020), Algorithms 1-3.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from antiphon.protocol.errors import Intractable

WIDEST: Final = 1_000_000
"""Outcomes of one draw that are still enumerated."""
Below: TypeAlias = Callable[[int], int]
"""n -> uniform on 0..n-1."""


def bernoulli_exp(numerator: int, denominator: int, below: Below) -> bool:
    """True with probability e^(-numerator/denominator) (CKS Algorithm 1)."""
    while numerator > denominator:
        if not _bernoulli_exp_unit(1, 1, below):
            return False
        numerator -= denominator
    return _bernoulli_exp_unit(numerator, denominator, below)


def _bernoulli_exp_unit(numerator: int, denominator: int, below: Below) -> bool:
    """The same for an exponent in [0, 1]: the alternating series, term by term."""
    k = 1
    while below(denominator * k) < numerator:
        k += 1
    return k % 2 == 1


def discrete_laplace(scale: Fraction, below: Below) -> int:
    """P(x) ∝ e^(-|x|/scale) on the integers (CKS Algorithm 2)."""
    t, s = scale.numerator, scale.denominator
    while True:
        u = below(t)
        if not bernoulli_exp(u, t, below):
            continue
        v = 0
        while _bernoulli_exp_unit(1, 1, below):
            v += 1
        size = (u + t * v) // s
        negative = below(2) == 0
        if not (negative and size == 0):
            return -size if negative else size


def discrete_gaussian(sigma: Fraction, below: Below) -> int:
    """P(x) ∝ e^(-x²/(2 sigma²)) on the integers (CKS Algorithm 3)."""
    variance = sigma * sigma
    t = Fraction(math.floor(sigma) + 1)
    while True:
        x = discrete_laplace(t, below)
        gap = (abs(x) - variance / t) ** 2 / (2 * variance)
        if bernoulli_exp(gap.numerator, gap.denominator, below):
            return x


def many(kind: str, scale: float, generator: np.random.Generator, size: int) -> NDArray[np.int64]:
    """``size`` draws of a discrete Laplace or Gaussian at once, computed in doubles.

    For populations, which simulate: the law is that of the exact sampler up to rounding.
    """
    if kind == "discrete_laplace":
        stop = -math.expm1(-1 / scale)
        return generator.geometric(stop, size) - generator.geometric(stop, size)
    t = math.floor(scale) + 1
    drawn = np.empty(0, np.int64)
    while len(drawn) < size:  # CKS Algorithm 3, with a vector of candidates
        x = many("discrete_laplace", t, generator, 2 * size)
        gap = (np.abs(x) - scale * scale / t) ** 2 / (2 * scale * scale)
        drawn = np.concatenate([drawn, x[generator.random(2 * size) < np.exp(-gap)]])
    return drawn[:size]


def law(kind: str, parameter: Any) -> list[tuple[Any, Fraction]]:
    """The finite law of one draw, as (value, probability).

    Exact also for a float, which is the rational that it is: ``SampledCoins`` draws
    with just this law.

    Raises: Intractable for a primitive with infinitely many outcomes.
    """
    if kind == "bernoulli":
        p = Fraction(parameter)
        return [(False, 1 - p), (True, p)]
    if kind == "uniform_integer" and parameter > WIDEST:
        raise Intractable("enumerating a uniform_integer draw", parameter, WIDEST)
    if kind == "uniform_integer":
        return [(i, Fraction(1, parameter)) for i in range(parameter)]
    if kind == "categorical":
        weights = [Fraction(weight) for weight in parameter]
        total = sum(weights)
        return [(i, weight / total) for i, weight in enumerate(weights)]
    raise Intractable(
        f"enumerating a {kind} draw (only bernoulli, categorical and uniform_integer are finite)",
        "infinite",
        "finite",
    )
