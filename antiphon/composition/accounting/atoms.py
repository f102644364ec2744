"""The hockey-stick divergence of composed randomized responses RR_{ε_i,0} whose privacy loss has
few atoms (values), from one binomial law for each distinct ε_i.

Where the ε_i have a common unit, the atoms lie on its multiples and are convolved there; otherwise
they are all listed. Equal parameters are the case of a single law, and the sum below is then the
closed form of Kairouz, Oh and Viswanath (2015, Thm 3.3). Every law is tilted by e^(cL), L the loss
and c about the saddle point, so that the kept terms are those that contribute most to the
divergence H(e) at ε = e: with x = L - e and M(c) = E[e^(cL)],

    H(e) = M(c) e^(-ce) E_tilted[e^(-cx) (1 - e^(-x))₊].

All terms are positive, and a lower and an upper bound is kept of each; x is a difference of
double-double numbers. For k = 10^5 equal parameters the ends are relatively 1e-14 apart.

Of k randomized responses RR_ε, J ~ Bin(k, 1/(1+e^ε)) answer wrongly. Terms are built up from
the *anchor*, near the mode, by exact ratios: pmf(j+1)/pmf(j) = (k-j)/(j+1)·odds. All are positive,
so relative errors only add up, a few roundings a step. Only terms above 2^-75 of the anchor are
kept; as the ratios fall with j, a geometric series bounds the rest.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from typing import Final, TypeAlias

import attrs
import numpy as np

from antiphon.composition.accounting.composed_loss import HIGH, Product, order
from antiphon.composition.accounting.laws.loss import cached
from antiphon.composition.accounting.laws.responses import Responses
from antiphon.composition.accounting.parameters import Parameters
from antiphon.numbers import Intractable, double_double, exact
from antiphon.numbers.interval import UNIT, Floats, Interval, down, nearest, probability, up

LARGEST: Final = 1 << 22
"""The largest number of terms of a binomial law that are kept (32 MB an array)."""
_NATS: Final = 52.0
"""The ratio of the largest kept term of a binomial law to the least, as ln: e^52 = 2^75."""
_SLACK: Final = 60
"""The number of extra terms that are kept at each end of a narrow binomial law."""


@attrs.frozen(eq=False)
class TermWindow:
    """Bounds on the binomial probabilities of ``first``, ``first`` + 1, …, each divided by the same
    one of them, near the mode."""

    first: int
    terms: Interval[Floats]
    outside: float

    def normalised(self) -> TermWindow:
        """The window's terms as probabilities: divided by the sum of all terms."""
        slack = 300 * UNIT
        least = float(np.sum(self.terms.lower)) * (1 - slack)
        most = (float(np.sum(self.terms.upper)) + self.outside) * (1 + slack)
        lower = self.terms.lower / most * (1 - 2 * UNIT)
        upper = self.terms.upper / least * (1 + 2 * UNIT)
        return TermWindow(self.first, Interval(lower, upper), 1.01 * self.outside / least)


def window(count: int, odds: float, units: float) -> TermWindow:
    """The terms of Bin(count, odds/(1+odds)) that are not negligible; 0 <= odds <= 1.

    The true odds are relatively within ``units`` · 2^-53 of those given, or underflowed.
    O(√count) time and memory. Raises: Intractable for counts past about 10^11.
    """
    # Odds below 1e-280 are replaced by 1e-280, so that no ratio overflows: the upper bounds stay
    # above the true terms, and the lower bounds of tiny terms are set to 0 below.
    odds = max(odds, 1e-280)
    mean = count * (odds / (1 + odds))
    spread = math.sqrt(mean / (1 + odds))
    reach = math.ceil(math.sqrt(2 * _NATS) * spread) + _SLACK
    anchor = min(count, math.floor(mean))
    first, last = max(0, anchor - reach), min(count, anchor + reach)
    if last - first >= LARGEST:
        raise Intractable(
            "terms of a binomial law (account for fewer mechanisms)", last - first, LARGEST
        )
    down = np.arange(anchor, first, -1, dtype=np.float64)
    before = np.cumprod(down / ((count + 1 - down) * odds))[::-1]
    up = np.arange(anchor, last, dtype=np.float64)
    after = np.cumprod((count - up) * odds / (up + 1))
    terms = np.concatenate((before, [1.0], after))
    steps = np.abs(np.arange(first - anchor, last - anchor + 1, dtype=np.float64))
    relative = 1.01 * (4 + units) * UNIT * steps
    below = _tail(float(terms[0]), first / ((count + 1 - first) * odds) if first else 0.0)
    above = _tail(float(terms[-1]), (count - last) * odds / (last + 1))
    lower = np.where(terms > 1e-250, terms * (1 - relative), 0.0)
    # Tiny terms have relatively larger errors, all below the 1e-290 added to the upper bounds.
    upper = terms * (1 + relative) + 1e-290
    return TermWindow(first, Interval(lower, upper), below + above)


def _tail(term: float, ratio: float) -> float:
    """The sum of the terms beyond a window, term·(ratio + ratio² + …), rounded up."""
    if not ratio:
        return 0.0
    ratio *= 1.0001
    return 1.0001 * term * ratio / (1 - ratio) + 5e-324 if ratio < 1 else math.inf


MOST: Final = 1 << 18
"""The largest number of atoms (values of the privacy loss) that are listed one by one."""
_LONGEST: Final = 1 << 21
"""The largest number of atoms (values of the privacy loss) on a common lattice."""
_WORK: Final = 1 << 27
"""The largest number of multiplications in a convolution of all the binomial laws."""
_SUM: Final = 400 * UNIT
"""A bound on the relative error of a pairwise sum over atoms, that of their weights included."""
_STICKS: Final = 1024
"""The largest number of ε whose hockey-stick divergence is cached."""
_CONTEXT: Final = Context(prec=36, Emin=-(10**15), Emax=10**15)
_PRECISE: Final = Decimal("1e-18")

Law: TypeAlias = dict[Fraction, Fraction]
Groups = Sequence[tuple[exact.ExactEpsilon, int]]


@attrs.frozen(eq=False)
class Tilted:
    """The law of the privacy loss L tilted by e^(cL), c = ``order``: its values (places) and
    masses.

    Atom i is at ``places[i]`` · ``unit`` + ``rests[i]``; its mass has a lower and an upper bound.
    ``outside`` bounds the mass without a place. ``log_moment`` is ln M(c) - cΣε_i, absolutely
    within 1e-19.
    """

    order: float
    unit: exact.ExactEpsilon
    places: Floats
    rests: Floats | float
    masses: Interval[Floats]
    outside: float
    log_moment: Decimal


class Atoms:
    """The hockey-stick divergence of Comp[RR_{ε_i,0}], from the few atoms of its privacy loss."""

    def __init__(self, groups: Groups) -> None:
        self._groups, self._unit = groups, _unit(groups)
        self._product = Product((Responses(tuple(groups)),))
        self._total = Parameters(tuple(groups), (), len(groups)).sum[0]
        self._known: dict[int, Tilted] = {}
        self._sticks: dict[exact.ExactEpsilon, Interval[float]] = {}

    @staticmethod
    def suit(groups: Groups) -> bool:
        """Whether the loss has few enough atoms to list or convolve; ``groups`` are the distinct
        ε_i, each with its number."""
        return _unit(groups) is not None or math.prod(n + 1 for _, n in groups) <= MOST

    def stick(self, at: exact.ExactEpsilon) -> Interval[float]:
        """Certified bounds on the hockey-stick divergence at ε = ``at``."""
        return cached(self._sticks, at, lambda: self._found(at), _STICKS)

    def _found(self, at: exact.ExactEpsilon) -> Interval[float]:
        number = self._product.rung_near(float(exact.bracket(at, 40)[0]), HIGH)
        law = cached(self._known, number, lambda: self._tilted(order(number)))
        return self._sum(law, at)

    def _sum(self, law: Tilted, at: exact.ExactEpsilon) -> Interval[float]:
        less, unit = double_double.twofold(at), double_double.twofold(law.unit)
        x = double_double.difference(law.places, unit, less) + law.rests
        wrong = double_double.ERROR * (len(self._groups) + 1) * max(float(self._total), less.high)
        wrong += 1e-320
        near, far = np.maximum(x - wrong, 0.0), np.maximum(x + wrong, 0.0)
        low = law.masses.lower * np.exp(-law.order * far) * -np.expm1(-near)
        high = law.masses.upper * np.exp(-law.order * near) * -np.expm1(-far)
        # In the factor e^(-``order`` · x), x = L - ε, the exponent has a rounding error, too.
        steep = UNIT * law.order * far
        low, high = low * (1 - np.minimum(steep, 1.0)), high * (1 + steep)
        lower = float(np.sum(low)) * (1 - _SUM)
        upper = float(np.sum(high)) * (1 + _SUM) + law.outside + 1e-300
        with localcontext(_CONTEXT):
            excess = self._total - exact.bracket(at, 60)[0]
            c = Decimal(law.order)
            scale = (law.log_moment + c * excess.numerator / excess.denominator).exp()
            ends = scale * Decimal(lower) * (1 - _PRECISE), scale * Decimal(upper) * (1 + _PRECISE)
            return probability(Interval(down(ends[0]), up(ends[1])))

    def _tilted(self, order: float) -> Tilted:
        windows: list[TermWindow] = []
        for e, n in self._groups:
            exponent = (2 * order + 1) * nearest(e)
            windows.append(window(n, math.exp(-exponent), 4 + 4 * exponent).normalised())
        outside = 1.01 * sum(each.outside for each in windows)
        moment = self._log_moment(order)
        if self._unit is None:
            return Tilted(order, Fraction(1), *self._listed(windows), outside, moment)
        places, masses = self._convolved(windows)
        return Tilted(order, self._unit, places, 0.0, masses, outside, moment)

    def _convolved(self, windows: Sequence[TermWindow]) -> tuple[Floats, Interval[Floats]]:
        """The convolution of the binomial laws of all distinct ε_i: its values, in multiples of the
        common unit, and their masses."""
        low = high = np.ones(1)
        first = total = 0
        unit = self._unit if len(self._groups) > 1 else None
        for each, (e, n) in zip(windows, self._groups, strict=True):
            stride = 1
            if isinstance(e, Fraction) and isinstance(unit, Fraction):
                stride = int(e / unit)
            first += stride * each.first
            total += stride * n
            slack = (len(each.terms.lower) + 2) * UNIT
            low = _spread(low, each.terms.lower, stride) * (1 - slack)
            high = _spread(high, each.terms.upper, stride) * (1 + slack)
        places: Floats = total - 2.0 * (first + np.arange(len(low), dtype=np.float64))
        return places, Interval(low, high)

    def _listed(self, windows: Sequence[TermWindow]) -> tuple[Floats, Floats, Interval[Floats]]:
        """All atoms, one by one: their values, as sums of two doubles, and their masses."""
        places, rests, low, high = np.zeros(1), np.zeros(1), np.ones(1), np.ones(1)
        for each, (e, n) in zip(windows, self._groups, strict=True):
            wrong = each.first + np.arange(len(each.terms.lower), dtype=np.float64)
            places, rests = double_double.spread(
                places, rests, n - 2 * wrong, double_double.twofold(e)
            )
            low = np.multiply.outer(low, each.terms.lower * (1 - 2 * UNIT)).ravel()
            high = np.multiply.outer(high, each.terms.upper * (1 + 2 * UNIT)).ravel()
        return places, rests, Interval(low, high)

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
            return [(decimal(e), n) for e, n in self._groups]


def decimal(value: exact.ExactEpsilon) -> Decimal:
    """A Fraction or Log as a Decimal, with the digits of the current context."""
    if isinstance(value, exact.Log):
        return decimal(value.argument).ln()
    return Decimal(value.numerator) / Decimal(value.denominator)


def _spread(masses: Floats, terms: Floats, stride: int) -> Floats:
    """The convolution of a law on 0, 1, … with a law on the multiples of ``stride``."""
    if stride == 1:
        return np.convolve(masses, terms)
    result = np.zeros(len(masses) + stride * (len(terms) - 1))
    for i, term in enumerate(terms.tolist()):
        result[i * stride : i * stride + len(masses)] += term * masses
    return result


def joint(law: Law, other: Iterable[tuple[Fraction, Fraction]]) -> Law:
    """The law of the product e^L · e^L' for independent losses L and L'; equal values are
    merged."""
    after: Law = {}
    listed = list(other)
    for place, mass in law.items():
        for factor, share in listed:
            at = place * factor
            after[at] = after.get(at, Fraction(0)) + mass * share
    return after


def _unit(groups: Groups) -> exact.ExactEpsilon | None:
    """A common unit of all ε_i; None if a convolution in its multiples would be long."""
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
