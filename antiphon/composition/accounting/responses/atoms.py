"""Few atoms: the law of the loss itself, from one binomial law for each distinct ε_i.

Where the ε_i have a common unit, the atoms lie on its multiples and are convolved there;
otherwise they are all listed. Equal parameters are the case of a single law, and the sum
below is then the closed form of Kairouz, Oh and Viswanath (2015, Thm 3.3). Every law is
tilted by e^(cL), c about the saddle point, so that its window lies where H(e) comes from:
with x = L - e,

    H(e) = M(c) e^(-ce) E_tilted[e^(-cx) (1 - e^(-x))₊].

All terms are positive, and both ends of every term are carried along; x is a difference of
twofold numbers. For k = 10^5 equal parameters the ends are relatively 1e-14 apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from typing import Final

import attrs
import numpy as np

from antiphon.composition.accounting.responses.binomial import Window, window
from antiphon.composition.accounting.responses.losses import Losses, remembered
from antiphon.numbers import exact, twofold
from antiphon.numbers.interval import (
    UNIT,
    Floats,
    Interval,
    down,
    nearest,
    probability,
    up,
)

MOST: Final = 1 << 18
"""Atoms that are listed, at most."""
_LONGEST: Final = 1 << 21
"""Atoms on a common lattice, at most."""
_WORK: Final = 1 << 27
"""Multiplications in a convolution of all the laws, at most."""
_SUM: Final = 400 * UNIT
"""Relative error of a pairwise sum and of the weights in it."""
_CONTEXT: Final = Context(prec=36, Emin=-(10**15), Emax=10**15)
_PRECISE: Final = Decimal("1e-18")

Groups = Sequence[tuple[exact.ExactEpsilon, int]]


@attrs.frozen(eq=False)
class Tilted:
    """The law of the loss tilted by e^(cL), and where its atoms are.

    Atom i is at ``places[i]`` · ``unit`` + ``rests[i]``; of its mass both ends. ``outside``
    bounds the mass without a place. ``log_moment`` is ln M(c) - cΣε_i, absolutely within 1e-19.
    """

    order: float
    unit: exact.ExactEpsilon
    places: Floats
    rests: Floats | float
    masses: Interval[Floats]
    outside: float
    log_moment: Decimal


class Atoms:
    """H of Comp[RR_{ε_i,0}] from few atoms; the law for each order c is computed once."""

    def __init__(self, losses: Losses, groups: Groups) -> None:
        self._losses, self._groups = losses, groups
        self._unit = _unit(groups)
        self._known: dict[int, Tilted] = {}

    @staticmethod
    def suit(groups: Groups) -> bool:
        """Whether the atoms are few enough."""
        return _unit(groups) is not None or math.prod(n + 1 for _, n in groups) <= MOST

    def stick(self, at: exact.ExactEpsilon) -> Interval[float]:
        """Bounds on H(at)."""
        number = self._losses.rung_near(float(exact.bracket(at, 40)[0]))
        law = remembered(self._known, number, lambda: self._tilted(self._losses.rung(number).order))
        return self._sum(law, at)

    def _sum(self, law: Tilted, at: exact.ExactEpsilon) -> Interval[float]:
        less, unit = twofold.twofold(at), twofold.twofold(law.unit)
        x = twofold.difference(law.places, unit, less) + law.rests
        wrong = twofold.ERROR * (len(self._groups) + 1) * max(float(self._losses.total), less.high)
        wrong += 1e-320
        near, far = np.maximum(x - wrong, 0.0), np.maximum(x + wrong, 0.0)
        low = law.masses.lower * np.exp(-law.order * far) * -np.expm1(-near)
        high = law.masses.upper * np.exp(-law.order * near) * -np.expm1(-far)
        steep = UNIT * law.order * far  # the rounding of the exponent
        low, high = low * (1 - np.minimum(steep, 1.0)), high * (1 + steep)
        lower = float(np.sum(low)) * (1 - _SUM)
        upper = float(np.sum(high)) * (1 + _SUM) + law.outside + 1e-300
        with localcontext(_CONTEXT):
            excess = self._losses.total - exact.bracket(at, 60)[0]
            c = Decimal(law.order)
            scale = (law.log_moment + c * excess.numerator / excess.denominator).exp()
            ends = scale * Decimal(lower) * (1 - _PRECISE), scale * Decimal(upper) * (1 + _PRECISE)
            return probability(Interval(down(ends[0]), up(ends[1])))

    def _tilted(self, order: float) -> Tilted:
        windows: list[Window] = []
        for e, n in self._groups:
            exponent = (2 * order + 1) * nearest(e)
            windows.append(window(n, math.exp(-exponent), 4 + 4 * exponent).normalised())
        outside = 1.01 * sum(each.outside for each in windows)
        moment = self._log_moment(order)
        if self._unit is None:
            return Tilted(order, Fraction(1), *self._listed(windows), outside, moment)
        places, masses = self._convolved(windows)
        return Tilted(order, self._unit, places, 0.0, masses, outside, moment)

    def _convolved(self, windows: Sequence[Window]) -> tuple[Floats, Interval[Floats]]:
        """Atoms at (Σε_i - 2 Σ_g ε_g j_g), in units."""
        low = high = np.ones(1)
        first = total = 0
        for each, (_, n), stride in zip(windows, self._groups, self._strides, strict=True):
            first += stride * each.first
            total += stride * n
            slack = (len(each.terms.lower) + 2) * UNIT
            low = _spread(low, each.terms.lower, stride) * (1 - slack)
            high = _spread(high, each.terms.upper, stride) * (1 + slack)
        places: Floats = total - 2.0 * (first + np.arange(len(low), dtype=np.float64))
        return places, Interval(low, high)

    def _listed(self, windows: Sequence[Window]) -> tuple[Floats, Floats, Interval[Floats]]:
        """Atoms at Σ_g (k_g - 2j_g) ε_g, one by one, each in two parts."""
        places, rests, low, high = np.zeros(1), np.zeros(1), np.ones(1), np.ones(1)
        for each, (e, n) in zip(windows, self._groups, strict=True):
            wrong = each.first + np.arange(len(each.terms.lower), dtype=np.float64)
            places, rests = twofold.spread(places, rests, n - 2 * wrong, twofold.twofold(e))
            low = np.multiply.outer(low, each.terms.lower * (1 - 2 * UNIT)).ravel()
            high = np.multiply.outer(high, each.terms.upper * (1 + 2 * UNIT)).ravel()
        return places, rests, Interval(low, high)

    @property
    def _strides(self) -> list[int]:
        if len(self._groups) == 1:
            return [1]
        return _multiples(self._groups, self._unit)

    def _log_moment(self, order: float) -> Decimal:
        with localcontext(_CONTEXT):
            power = 2 * Decimal(order) + 1
            return sum(
                (
                    n * ((1 + (-power * e).exp()).ln() - (1 + (-e).exp()).ln())
                    for e, n in self._exact
                ),
                Decimal(0),
            )

    @cached_property
    def _exact(self) -> list[tuple[Decimal, int]]:
        with localcontext(_CONTEXT):
            return [(_decimal(e), n) for e, n in self._groups]


def _decimal(value: exact.ExactEpsilon) -> Decimal:
    if isinstance(value, exact.Log):
        return _decimal(value.argument).ln()
    return Decimal(value.numerator) / Decimal(value.denominator)


def _spread(masses: Floats, terms: Floats, stride: int) -> Floats:
    """The convolution of masses with terms that are ``stride`` apart."""
    if stride == 1:
        return np.convolve(masses, terms)
    result = np.zeros(len(masses) + stride * (len(terms) - 1))
    for i, term in enumerate(terms.tolist()):
        result[i * stride : i * stride + len(masses)] += term * masses
    return result


def _unit(groups: Groups) -> exact.ExactEpsilon | None:
    """What all ε_i are multiples of, if a convolution on those multiples is not long."""
    if len(groups) == 1:
        return groups[0][0]
    rational = [e for e, _ in groups if isinstance(e, Fraction)]
    if len(rational) < len(groups):
        return None
    common = math.lcm(*(e.denominator for e in rational))
    unit = Fraction(math.gcd(*(int(e * common) for e in rational)), common)
    widths = [min(n + 1, 21 * math.isqrt(n) + 121) for _, n in groups]
    length = sum(e / unit * width for e, width in zip(rational, widths, strict=True))
    return unit if length <= _LONGEST and sum(widths) * length <= _WORK else None


def _multiples(groups: Groups, unit: exact.ExactEpsilon | None) -> list[int]:
    return [
        int(e / unit) for e, _ in groups if isinstance(e, Fraction) and isinstance(unit, Fraction)
    ]
