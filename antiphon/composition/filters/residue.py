"""The residue filter of GDP: an ε-DP claim lowers the unspent part ν² of μ² to the largest r² with
RR_ε ⊗ G_r >= G_ν (trade-off functions, G_μ that of N(0, 1) and N(μ, 1))."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.composition.filters.budget import Amounts, Spent
from antiphon.composition.filters.concentrated import MuFilter
from antiphon.numbers import ExactEpsilon, down, exact, up
from antiphon.protocol import Measure, register
from antiphon.protocol.measures import kinds

Doubles: TypeAlias = NDArray[np.float64]


@register("antiphon.ResidueFilter/1")
@attrs.frozen
class ResidueFilter(MuFilter):
    """The filter of μ² that charges an ε-DP claim ν² - r², ν² the unspent part of μ² and r² the
    claim's ``residue``; all is μ-GDP but for an event of probability δ.

    It takes the claims of ``GaussianFilter`` and admits all that it does, and more: 98 claims of
    ε = 1/10 within μ = 1, where that one admits 63. An ε in a state in which it was not
    charged before takes some 10 ms, else microseconds.
    With G_ν what is left of the budget, a claim with trade-off function f leaves G_r, r the largest
    with f ⊗ G_r >= G_ν; it is refused if there is none. So what was spent, μ² - ν², is no bound on
    what was said so far alone, for which nothing is promised but the whole.
    Proof, backwards in time: after any answer, what may follow is G_r at least, with the same r; so
    all from here is f ⊗ G_r >= G_ν (Dong, Roth and Su 2022, adaptive composition), and nothing
    more is Id(α) = 1 - α >= G_ν. It is valid concurrently, as each mechanism is a post-processing
    of one draw of its pair (Vadhan and Zhang 2023). The same holds for any family B_t of trade-off
    functions that decreases continuously from Id in place of G_ν. δ: see ``Filter``.
    Source: "residue" is a word of arXiv 2602.15815; definition and proof are ours.

    >>> from antiphon.protocol import Pure
    >>> budget = ResidueFilter(mu=1)
    >>> state = budget.charge(budget.initial_state, Pure(0.5))
    >>> round(float(budget.remaining(state)[0]), 4)    # GaussianFilter: 0.6107
    0.7396
    """

    adds_up = False
    source = "f ⊗ G_r >= G_ν (Dong, Roth, Su 2022); concurrent: Vadhan and Zhang 2023"

    def price(self, state: Spent, measure: Measure) -> Amounts:
        naive, delta = self.cost(measure)
        left = self.mu**2 - state.amount.rational
        if isinstance(measure, kinds.Pure | kinds.Approximate) and naive:
            return left - residue(measure.epsilon, left, exact.fraction(naive)), delta
        return naive, delta


def root_down(value: Fraction) -> float:
    """A double at most √``value``, and within a few units of it in the last place."""
    root = down(exact.root_up(value))
    while Fraction(root) ** 2 > value:
        root = math.nextafter(root, 0)
    return root


_LARGEST: Final = 16.0
"""The largest ε and ν for which a residue is computed; beyond, a claim costs the μ² it implies."""
_SLACK: Final = 2.0**-40
"""A bound on the relative error of ``math.erfc``, of e^x, and of a few operations."""
_INTERVALS: Final = 2048
"""The number of intervals on which the inequality that defines a residue is certified."""


@lru_cache(maxsize=2**14)
def residue(epsilon: ExactEpsilon, left: Fraction, naive: Fraction) -> Fraction:
    """The largest r² with RR_ε ⊗ G_r >= G_ν as trade-off functions, G Gaussian, ν² = ``left``,
    rounded down; at least ν² - ``naive`` (``naive``: the μ² that ε-DP implies), and below 0 where
    there is no such r.

    Near the largest to about 10^-6 of ε². A guess by bisection is lowered until it is certified.
    """
    known, size = left - naive, up(epsilon)
    nu = root_down(left) if known >= 0 else 0.0
    if not 0 < size <= _LARGEST >= nu > size * _SLACK:
        return known
    low, high = root_down(known), nu
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if _leaves(size, middle, nu, 128) else (low, middle)
    back = size**2 * 2.0**-24
    while low > 0 and Fraction(low) ** 2 > known:
        if _leaves(size, low, nu, _INTERVALS, _SLACK):
            return Fraction(low) ** 2
        low, back = low - back, 2 * back
    return known


def _leaves(
    epsilon: float, r: float, nu: float, intervals: int, slack: float | None = None
) -> bool:
    """Whether RR_ε ⊗ G_r >= G_ν (trade-off functions) is certified; only guessed without ``slack``.

    It is, if H_ν(s), of the right, is at least p·H_r(s/E) + (1-p)·H_r(sE), of the left, for all
    s = e^x >= 1; E = e^ε, p = E/(1+E), H_ν(s) = Φ(ν/2 - x/ν) - sΦ(-ν/2 - x/ν).
    For x up to ``top``, on each of many intervals: the difference of both is at least that of its
    two ends, less (length)²/8 times an upper bound on its second derivative. As a function of x
    H''_ν = φ(ν/2 + x/ν)/(νs) rises up to x = -3ν²/2 and then falls, so it is largest at the left
    end, for x >= 0, and least at one of both.
    For x above: RR_ε is the exit of X, the Brownian motion with drift 1/2, from [-ε, ε], at a time
    τ that does not depend on the side, E τ = 2ε tanh(ε/2). Let V(t, y) be H_√t(e^(x-y)), and 0 for
    t <= 0: then V(ν² - τ, X_τ) has the mean V(ν², 0), and the left is the mean of V(r², X_τ). At
    y = ±ε, V is convex in t <= ν² if (x-ε)² >= ν² + ν⁴/4 (its derivative in t is
    φ(√t/2 - (x-y)/√t)/(2√t)); so by Jensen's inequality r² <= ν² - E τ is enough.
    """
    if r <= 0 or nu**2 - r**2 < 2 * epsilon * math.tanh(epsilon / 2) * (1 + _SLACK):
        return False
    top = (epsilon + math.sqrt(nu**2 + nu**4 / 4)) * (1 + _SLACK)
    x: Doubles = np.linspace(0, top, intervals + 1)
    s, growth = np.exp(x), math.exp(epsilon)
    p = growth / (1 + growth)
    near, far = GaussianStick.of(r, x - epsilon), GaussianStick.of(r, x + epsilon)
    whole = GaussianStick.of(nu, x)
    ahead = whole.value - (p * near.value + (1 - p) * far.value)
    if slack is None:
        return bool((ahead >= 0).all())
    ahead -= slack * (whole.size + p * near.size + (1 - p) * far.size)
    bent = whole.second[:-1] * (1 + slack) - (1 - slack) * (
        p / growth**2 * _least(near.second) + (1 - p) * growth**2 * _least(far.second)
    )
    return bool((_least(ahead) >= np.diff(s) ** 2 / 8 * np.maximum(bent, 0)).all())


def _least(values: Doubles) -> Doubles:
    """The lesser of the values at the two ends of each interval."""
    return np.minimum(values[:-1], values[1:])


class GaussianStick(NamedTuple):
    """The hockey-stick divergence of N(0, 1) and N(ν, 1) at e^x: its value, the sum of the absolute
    values of its two terms (``size``), and its second derivative."""

    value: Doubles
    size: Doubles
    second: Doubles

    @classmethod
    def of(cls, nu: float, x: Doubles) -> GaussianStick:
        """The divergence H_ν of two Gaussians that are ν apart, at the points e^x."""
        s, away = np.exp(x), nu / 2 + x / nu
        over, under = _normal(nu / 2 - x / nu), s * _normal(-away)
        density = np.exp(-(away**2) / 2) / math.sqrt(2 * math.pi)
        return cls(over - under, over + under, density / (nu * s))


def _normal(z: Doubles) -> Doubles:
    """The normal distribution function Φ at each z."""
    return np.array([math.erfc(each) for each in (z * -math.sqrt(0.5)).tolist()]) / 2
