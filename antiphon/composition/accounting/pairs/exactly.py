"""Closed forms: few rational atoms, in Fractions; a bounded range, used once; Gaussians alone."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Final

import attrs

from antiphon.composition.accounting.atoms import decimal
from antiphon.numbers import exact
from antiphon.numbers.interval import Interval, down, probability, up

_WORK: Final = 1 << 14
"""Products of words of 64 bits, at most: some tens of milliseconds."""
_BITS: Final = 256
_CONTEXT: Final = Context(prec=60, Emin=-(10**15), Emax=10**15)
_SURE: Final = Decimal("1e-30")
_LONG: Final = Context(prec=70, Emin=-(10**15), Emax=10**15, traps=[])
_PI: Final = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640")
_FAR: Final = 64
"""Standard deviations past which a Gaussian tail is below the least double."""
_CLOSE: Final = 8
_TERMS: Final = 200
"""Of the series up to there, and of the continued fraction from there: fifty digits and more."""

Points = Sequence[tuple[Fraction, Fraction]]


@attrs.frozen(eq=False)
class Exactly:
    """H = Σ (p - e^ε q)₊ / Σ p over all points with p, q > 0, as a sorted list."""

    points: tuple[tuple[Fraction, Fraction], ...]
    total: Fraction

    def stick(self, at: exact.ExactEpsilon) -> Interval[float]:
        """Bounds on H(at), as close as doubles are where e^at is rational."""
        if isinstance(growth := exact.exp(at), Fraction):
            ends = growth, growth
        else:
            bits = _BITS + 2 * int(exact.bracket(at, 40)[1])
            low, high = exact.exp_bracket(exact.bracket(at, 40)[1], bits)
            ends = Fraction(1 << bits, high), Fraction(1 << bits, low)
        lower, upper = (self._above(each) / self.total for each in (ends[1], ends[0]))
        return probability(Interval(down(lower), up(upper)))

    def _above(self, growth: Fraction) -> Fraction:
        return sum((p - growth * q for p, q in self.points if p > growth * q), Fraction(0))


@attrs.frozen(eq=False)
class Once:
    """H = (1 - e^((ε-η)/2))²/(1 - e^(-η)) for 0 <= ε < η: one bounded-range mechanism."""

    eta: Fraction

    def stick(self, at: exact.ExactEpsilon) -> Interval[float]:
        """Bounds on H(at), as close as doubles are: sixty digits, thirty of which are sure."""
        with localcontext(_CONTEXT):
            short = self.eta - exact.bracket(at, 50)[0]
            share = (1 - _exp(-short / 2)) ** 2 / (1 - _exp(-self.eta))
            return probability(Interval(down(share * (1 - _SURE)), up(share * (1 + _SURE))))


def _exp(value: Fraction) -> Decimal:
    return decimal(value).exp()


@attrs.frozen(eq=False)
class Gaussians:
    """H = Φ(-x) - e^ε Φ(-y), x = ε/μ - μ/2, y = ε/μ + μ/2: Gaussian mechanisms, Σμ_i² = μ².

    As e^ε φ(y) = φ(x), it is φ(x)(R(x) - R(y)) with Mills' ratio R(t) = Φ(-t)/φ(t). For
    μ >= 10^-9 that difference costs at most twelve of fifty digits. Dong, Roth, Su 2022, Cor. 2.13.
    """

    variance: Fraction

    def stick(self, at: exact.ExactEpsilon) -> Interval[float]:
        """Bounds on H(at), as close as doubles are."""
        with localcontext(_LONG):
            mu, epsilon = decimal(self.variance).sqrt(), decimal(exact.bracket(at, 70)[0])
            x, y = epsilon / mu - mu / 2, epsilon / mu + mu / 2
            if x > _FAR:
                return Interval(0.0, 5e-324)
            density = (-x * x / 2).exp() / (2 * _PI).sqrt()
            if x < 0:
                found = 1 - density * (_mills(-x) + _mills(y))
            else:
                found = density * (_mills(x) - _mills(y))
            return probability(Interval(down(found * (1 - _SURE)), up(found * (1 + _SURE))))


def _mills(t: Decimal) -> Decimal:
    """R(t) for t >= 0: √(π/2) e^(t²/2) - Σ t^(2k+1)/(2k+1)!!, or 1/(t+1/(t+2/(t+3/…)))."""
    if t > _CLOSE:
        rest = t
        for k in range(_TERMS, 0, -1):
            rest = t + k / rest
        return 1 / rest
    total, term = Decimal(0), t
    for k in range(3, 2 * _TERMS, 2):
        total += term
        term *= t * t / k
    return (_PI / 2).sqrt() * (t * t / 2).exp() - total


def multiplied(given: Sequence[tuple[Points, int]]) -> Exactly | None:
    """The product of so many pairs each, points of one ratio merged; None past ``_WORK``."""
    law, work = {Fraction(1): Fraction(1)}, 0
    for points, count in given:
        finite = [(p / q, p) for p, q in points if p and q]
        for _ in range(count):
            words = 1 + max(mass.denominator.bit_length() for mass in law.values()) // 64
            work += len(law) * len(finite) * words
            if work > _WORK or not finite:
                return None
            after: dict[Fraction, Fraction] = {}
            for ratio, mass in law.items():
                for other, each in finite:
                    place = ratio * other
                    after[place] = after.get(place, Fraction(0)) + mass * each
            law = after
    points = tuple((mass, mass / ratio) for ratio, mass in law.items())
    return Exactly(points, sum(law.values(), Fraction(0)))
