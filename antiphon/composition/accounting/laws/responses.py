"""The law of the privacy losses of randomized responses, ±ε."""

import math
from collections import Counter
from fractions import Fraction
from functools import cached_property
from typing import Final, NamedTuple

import attrs
import numpy as np

from antiphon.composition.accounting.laws import loss
from antiphon.composition.accounting.laws.loss import Enough, Logs
from antiphon.numbers import exact
from antiphon.numbers.interval import UNIT, Floats, Interval, nearest, outward, probability

_CHUNK: Final = 1 << 10
_FIRST: Final = 8
"""The number of factors of the characteristic function that are computed before a frequency is
first judged negligible or not."""
_CELLS: Final = 1 << 15
"""The largest product of the numbers of factors and of ranges that are processed together."""
_CELL: Final = 0.3
"""The product of ε and the length of a range of frequencies below which it is not split further."""
_SHORT: Final = 0.7
"""The product of the least ε in a batch of factors and half the length of a range of frequencies
above which these factors hardly bound the characteristic function there."""
_BLOCK: Final = 1 << 13
"""The number of frequencies at which the characteristic function is multiplied out together."""
_MANY: Final = 1 << 16
"""The product of the numbers of factors and of frequencies from which on the factors themselves are
multiplied; below it their logarithms are added up."""
_FEWEST: Final = 1 << 12
"""The least product of the numbers of factors and of frequencies for which the characteristic
function is interpolated."""
_MOST_NODES: Final = 61


class Strong(NamedTuple):
    """The factors of the characteristic function Φ at one order of tilting; first those that decay
    fastest in the frequency."""

    epsilons: Floats
    counts: Floats
    decay: Floats
    """The rates 1/cosh²(aε) by which the factors decay, a = order + 1/2."""
    square: float
    fourth: float
    """The sum of ε⁴/cosh²(aε) over all responses, a = order + 1/2; ``square``: with ε² for ε⁴."""
    factors: list[tuple[float, float, int]]
    """The triples (ε, tanh(aε), number of responses), a = order + 1/2."""


@attrs.frozen(eq=False)
class Responses(loss.GroupedLosses):
    """The loss of randomized responses RR_{ε_i,0}: the sum of groups of n_i independent losses
    ±ε_i, each +ε_i w.p. e^ε_i/(1+e^ε_i) (CM Def. 2.3).

    With c and M as in ``LossLaw``, a = c + 1/2 and φ the Φ of one loss,
    M(c) = Π cosh(aε)/cosh(ε/2) and φ(θ) = cos θε + i tanh(aε) sin θε, so
    |φ|² = 1 - sin²(θε)/cosh²(aε).
    """

    given: tuple[tuple[exact.ExactEpsilon, int], ...]
    _known: dict[float, Strong] = attrs.field(factory=dict[float, Strong], init=False)

    @cached_property
    def epsilons(self) -> Floats:
        """The ε_i as doubles, each within one rounding."""
        return np.array([nearest(e) for e, _ in self.given])

    @property
    def most(self) -> Fraction:
        return self._total[1]

    @cached_property
    def _total(self) -> tuple[Fraction, Fraction]:
        """Rational bounds on the largest loss Σ n ε."""
        ends = Counter[int](), Counter[int]()
        for e, n in self.given:
            for numerators, each in zip(ends, exact.bracket(e, 40), strict=True):
                numerators[each.denominator] += n * each.numerator
        low, high = (sum((Fraction(n, d) for d, n in each.items()), Fraction(0)) for each in ends)
        return low, high

    def stick(self, at: exact.ExactEpsilon) -> Interval[float] | None:
        """Closed-form bounds on the divergence H(at) where it is nearly 1 or ``at`` is near the
        largest loss; else None."""
        low, high = exact.bracket(at, 40)
        excess = float(self._total[0] - high), float(self._total[1] - low)
        if 0 < excess[0] <= excess[1] * (1 + 4 * UNIT) <= 2 * self._least:
            return self._top(*excess)
        mean, slack = self.guide(0.0)[0], 1e-9 * (1 + float(self._total[1]))
        return Interval(1 - 2.0**-53, 1.0) if self._below(float(high), mean, slack) else None

    @cached_property
    def _least(self) -> float:
        return float(np.min(self.epsilons)) * (1 - 4 * UNIT)

    def _top(self, least: float, most: float) -> Interval[float]:
        """Bounds on the divergence H(Σnε - x) = P(L = Σnε)(1 - e^-x), ``least`` <= x <=
        ``most``."""
        terms = self.counts * np.log1p(np.exp(-self.epsilons))
        log = -math.fsum(terms)
        slack = 8 * UNIT * (1 + float(np.sum((2 + self.epsilons) * terms)))
        shares = (-math.expm1(-each) for each in (least, most))
        logs = log - slack, log + slack
        ends = (math.exp(each) * share for each, share in zip(logs, shares, strict=True))
        return probability(outward(*ends))

    def _below(self, at: float, mean: float, slack: float) -> bool:
        """Whether the divergence H(at) is above 1 - 2^-60, by Chernoff's bound."""
        if mean <= at:
            return False
        low, high = -0.5, 0.0
        for _ in range(20):
            middle = (low + high) / 2
            low, high = (middle, high) if self.guide(middle)[0] < at else (low, middle)
        moment = self.log_moment(low)
        return moment.value + moment.error - low * at + slack < -60 * math.log(2)

    @property
    def lattice(self) -> loss.Lattice | None:
        rational = [(e, n) for e, n in self.given if isinstance(e, Fraction)]
        if len(rational) < len(self.given) or len(rational) > 64:
            return None
        spacing = loss.divisor(2 * e for e, _ in rational)
        return loss.Lattice(sum((e * n for e, n in rational), Fraction(0)), spacing)

    def log_moment(self, order: float) -> loss.Moment:
        e, n = self.epsilons, self.counts
        terms = order * e, np.log1p(np.exp(-(2 * order + 1) * e)), np.log1p(np.exp(-e))
        value = float(np.sum(n * (terms[0] + (terms[1] - terms[2]))))
        error = 8 * UNIT * float(np.sum(n * ((abs(terms[0]) + terms[1] + terms[2]) * (1 + e))))
        return loss.Moment(value, error + 40 * UNIT * abs(value))

    def guide(self, order: float) -> tuple[float, float]:
        e, n = self.epsilons, self.counts
        tanh = np.tanh((order + 0.5) * e)
        return float(np.sum(n * e * tanh)), float(np.sum(n * e**2 * self._decay(order)))

    def _decay(self, order: float) -> Floats:
        decay: Floats = 1 / np.cosh(np.minimum((order + 0.5) * self.epsilons, 300.0)) ** 2
        return decay

    def characteristic(self, order: float, frequencies: Floats, enough: Enough = None) -> Logs:
        if len(self.given) * len(frequencies) >= _FEWEST:
            found = self._interpolated(order, frequencies)
            if found is not None:
                return found
        if len(self.given) * len(frequencies) >= _MANY:
            return self._multiplied(order, frequencies, enough)
        return self._directly(order, frequencies)

    def _multiplied(self, order: float, frequencies: Floats, enough: Floats | None) -> Logs:
        """The ln Φ, Φ the characteristic function, at all ``frequencies``: Φ is multiplied out from
        its factors, of which none exceeds 1, so their errors add up."""
        least = np.zeros(len(frequencies)) if enough is None else np.exp(np.minimum(enough, 9.0))
        blocks = [slice(i, i + _BLOCK) for i in range(0, len(frequencies), _BLOCK)]
        found = [self._block(order, frequencies[each], least[each]) for each in blocks]
        value, slack = (np.concatenate(column) for column in zip(*found, strict=True))
        return Logs(value, slack)

    def _block(self, order: float, theta: Floats, least: Floats) -> Logs:
        """The ln Φ, Φ the characteristic function, at ``theta``; if negligible, only a bound."""
        factors = self._strong(order).factors
        linear = 6 * float(np.sum(self.counts * self.epsilons)) * theta
        wrong = UNIT * (24 * float(np.sum(self.counts)) + linear) * (1 + 1e-9)
        logs, slack = np.empty(len(theta), dtype=np.complex128), np.full(len(theta), np.inf)
        stay, half, product = np.arange(len(theta)), theta / 2, np.ones_like(logs)
        for start in range(0, len(factors), _FIRST):
            for epsilon, tanh, count in factors[start : start + _FIRST]:
                product *= _factor(half, epsilon, tanh, count)
            most = np.abs(product) + wrong[stay]
            if (gone := most < least[stay]).any():
                logs[stay[gone]] = np.log(most[gone])
                stay, half, product = stay[~gone], half[~gone], product[~gone]
            if not len(stay):
                break
        modulus = np.maximum(np.abs(product), 1e-300)
        logs.real[stay], logs.imag[stay] = np.log(modulus), np.angle(product)
        slack[stay] = np.log1p(wrong[stay] / modulus) * (1 + 1e-9) + loss.SLACK * (
            1 + np.abs(logs[stay])
        )
        return Logs(logs, slack)

    def _directly(self, order: float, frequencies: Floats) -> Logs:
        total = Logs(np.zeros(len(frequencies), dtype=np.complex128), np.zeros(len(frequencies)))
        for start in range(0, len(self.given), _CHUNK):
            part = slice(start, start + _CHUNK)
            e = self.epsilons[part]
            phase = np.multiply.outer(e, frequencies)
            factor = np.empty(phase.shape, dtype=np.complex128)
            factor.real = np.cos(phase)
            factor.imag = np.sin(phase) * np.tanh((order + 0.5) * e)[:, None]
            each = loss.powers(factor, loss.SLACK + 8 * UNIT * phase, self.counts[part])
            total = Logs(total.value + each.value, total.slack + each.slack)
        return total

    def _interpolated(self, order: float, frequencies: Floats) -> Logs | None:
        """The ln Φ, Φ the characteristic function, from few Chebyshev nodes; None if it takes many.

        Let X be a tilted loss less its mean, |X| <= 2ε. For |z| <= r, 2εr <= 1,

            |E e^(zX) - 1| <= E[2cosh(rX) - 2] <= r² Var X · cosh 1 <= 0.39,

        so ln Φ, but for a term linear in z that any interpolation keeps, is analytic there and
        at most B = 2.6 r² ΣVar. Bernstein's ellipse of parameter ρ about [-iT, iT] lies in that
        disc if (ρ + 1/ρ)/2 <= r/T; a polynomial through N+1 nodes is then within
        4Bρ^-N/(ρ-1) of it (Trefethen 2013, Thm 8.2), and errors at nodes grow fourfold at most.
        """
        reach = float(np.max(frequencies)) * (1 + 1e-9)
        radius = 0.5 * (1 - 1e-9) / float(np.max(self.epsilons))
        if not 0 < 2 * reach < radius:
            return None
        rho = (radius / reach) * (1 + math.sqrt(1 - (reach / radius) ** 2)) * (1 - 1e-9)
        bound = 2.6 * radius**2 * self.guide(order)[1] * (1 + 1e-6) * 4 / (rho - 1)
        last = 2 * math.ceil(max(1.0, math.log(max(bound, 1e-14) * 1e15) / math.log(rho)) / 2)
        if last + 1 > _MOST_NODES or last // 2 >= len(frequencies):
            return None
        angles = np.pi * np.arange(last // 2 + 1) / last
        half = reach * np.cos(angles)
        half[-1] = 0.0
        # The factors at the nodes are near 1, so the phase of their product stays within (-π, π).
        logs = self._directly(order, half)
        mean = self.guide(order)[0]
        values = logs.value - 1j * mean * half
        values = np.concatenate([values, np.conj(values[-2::-1])])
        nodes = np.concatenate([half, -half[-2::-1]])
        weights = np.where(np.arange(last + 1) % 2, -1.0, 1.0)
        weights[[0, -1]] /= 2
        gaps = frequencies[:, None] - nodes
        shares = weights / np.where(gaps == 0, 1e-30 * reach, gaps)
        result = (shares @ values) / np.sum(shares, axis=1) + 1j * mean * frequencies
        slack = 4 * float(np.max(logs.slack)) + bound * rho**-last
        slack += 64 * (last + 1) ** 2 * UNIT * float(np.max(np.abs(values)))
        return Logs(result, slack + 8 * UNIT * abs(mean) * frequencies)

    def cell(self, order: float) -> float:
        """The length of frequency ranges for which the bound ``ceiling`` is nearly exact."""
        return _CELL / float(np.max(self._strong(order).epsilons[:_FIRST]))

    def ceiling(self, order: float, low: Floats, high: Floats, enough: Enough = None) -> Floats:
        """Upper bounds on ln |Φ|, Φ the characteristic function, over ranges of frequencies: by
        sin²x >= x² - x⁴/3 near 0, else factor by factor.

        A range stops taking factors once its bound is below ``enough``.
        """
        strong = self._strong(order)
        ends = [-0.5 * t**2 * (strong.square - t**2 * strong.fourth / 3) for t in (low, high)]
        bound = np.minimum(np.maximum(*ends), 0.0) * (1 - 1e-9)
        far = high * self._largest > 1
        if len(self.given) <= 16:
            far[:] = True
        if far.any():
            least = np.full(len(low), -_ENOUGH) if enough is None else enough
            bound[far] = _far(strong, low[far], high[far], least[far])
        return bound

    @cached_property
    def _largest(self) -> float:
        return float(np.max(self.epsilons))

    def _strong(self, order: float) -> Strong:
        """The factors of the characteristic function at an order of tilting, the strongest first;
        factors of about equal strength are shuffled."""

        def made() -> Strong:
            decay = self._decay(order)
            squares = self.counts * decay * self.epsilons**2
            scattered = np.modf(np.arange(len(decay)) * 0.6180339887498949)[0]
            rank = np.floor(np.log2(np.maximum(squares, 1e-300)) / 2)
            place = np.lexsort((scattered, -rank))
            sums = float(np.sum(squares)), float(np.sum(squares * self.epsilons**2))
            columns = self.epsilons, np.tanh((order + 0.5) * self.epsilons), self.counts
            epsilons, tanh, counts = (each[place].tolist() for each in columns)
            factors = [(e, t, int(n)) for e, t, n in zip(epsilons, tanh, counts, strict=True)]
            return Strong(self.epsilons[place], self.counts[place], decay[place], *sums, factors)

        return loss.cached(self._known, order, made)


def _far(strong: Strong, low: Floats, high: Floats, enough: Floats) -> Floats:
    """Upper bounds on ln |Φ|, Φ the characteristic function, over ranges of frequencies away from
    0: each factor at its largest in the range.

    Ranges that are too long for a useful bound are skipped.
    """
    middle, half, total = (low + high) / 2, (high - low) / 2, np.zeros(len(low))
    start, size = 0, _FIRST
    stay = np.flatnonzero(
        half * np.min(strong.epsilons[:size]) < _SHORT
    )  # Longer ranges are skipped: these factors hardly bound them.
    while start < len(strong.epsilons) and len(stay):
        part = slice(start, start + size)
        e, counts = strong.epsilons[part], strong.counts[part, None]
        at, long = middle[stay], half[stay] + 32 * UNIT * middle[stay]
        squared = np.multiply.outer(e, at)
        np.abs(np.tan(squared, out=squared), out=squared)
        # The absolute sine is computed from the tangent, which takes half the time.
        squared /= np.sqrt(1 + squared * squared)
        squared -= np.multiply.outer(e, long)
        squared -= 32 * UNIT
        np.maximum(squared, 0.0, out=squared)
        squared *= squared
        squared *= -strong.decay[part, None] * (1 - 1e-12)
        # The added slack exceeds the rounding errors of the products below.
        squared += 1 + loss.SLACK
        if np.any(counts > 1):
            squared **= counts
        product = np.minimum(np.maximum(np.prod(squared, axis=0), 1e-300), 1.0)
        total[stay] += 0.5 * (1 - 1e-9) * np.log(product)
        stay = stay[total[stay] > enough[stay]]
        start += size
        size = max(_FIRST, min(2 * size, _CELLS // max(len(stay), 1)))
    return total


def _factor(half: Floats, epsilon: float, tanh: float, count: int) -> loss.Complexes:
    """The factor (cos θε + i tanh(aε) sin θε)^count of the characteristic function, from ``count``
    losses ±ε; a = order + 1/2, θ = 2·``half``.

    Computed from t = tan(θε/2), which is faster. A tan within four ulp turns the phase by eight
    units at most; roundings lose another ten.
    """
    tan = half * epsilon
    np.tan(tan, out=tan)
    square = tan * tan
    below = 1 + square
    result = np.empty(len(half), dtype=np.complex128)
    result.real = (1 - square) / below
    tan *= 2 * tanh
    result.imag = tan / below
    return result if count == 1 else _power(result, count)


def _power(base: loss.Complexes, exponent: int) -> loss.Complexes:
    """The power base^exponent by squaring: at most two roundings for every factor."""
    result = np.ones_like(base)
    while exponent:
        if exponent & 1:
            result = result * base
        exponent >>= 1
        base = base * base
    return result


_ENOUGH: Final = 40.0
"""The number t such that a bound on |Φ|, Φ the characteristic function, below e^-t is not improved;
used where ``enough`` is None."""
