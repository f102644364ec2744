"""Closed forms: few rational atoms, point by point in Fractions; a bounded range, used once."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Final

import attrs

from antiphon.numbers import exact
from antiphon.numbers.interval import Interval, down, probability, up

_WORK: Final = 1 << 14
"""Products of words of 64 bits, at most: some tens of milliseconds."""
_BITS: Final = 256
_CONTEXT: Final = Context(prec=60, Emin=-(10**15), Emax=10**15)
_SURE: Final = Decimal("1e-30")

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
    return (Decimal(value.numerator) / Decimal(value.denominator)).exp()


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
