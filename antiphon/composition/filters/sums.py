"""Running sums of privacy parameters: exact, and O(1) to extend however long they get."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final, NamedTuple

from antiphon.numbers import exact
from antiphon.numbers.exact import ExactEpsilon, Log
from antiphon.protocol.registry import register

_LONGEST: Final = 2048
"""Bits of a denominator past which a sum is rounded up, to a multiple of 2^-1280."""
_GRID: Final = 2**1280
_LONGEST_LOG: Final = 512
"""Bits of a logarithm's argument past which it is rounded up, to sixty digits."""
_DIGITS: Final = 60
_MARGIN: Final = 1e-9
"""Far more than floats are off by: what they decide with this margin is decided."""


@register("antiphon.Sum/1", state=True)
class Sum(NamedTuple):
    """numerator/denominator + ln(argument): a sum of rationals and of logarithms ``Log(q)``.

    Exact until a denominator has more than 2048 bits or the argument more than 512; then it
    is rounded up, so that adding stays O(1) and a sum is never below the truth.
    """

    numerator: int = 0
    denominator: int = 1
    argument: Fraction | None = None

    def plus(self, value: ExactEpsilon) -> Sum:
        """The sum with one more term >= 0.

        >>> total = Sum()
        >>> for _ in range(11):
        ...     total = total.plus(Fraction(1, 11))
        >>> total.value
        Fraction(1, 1)
        """
        if isinstance(value, Log):
            return self._plus_log(value.argument)
        numerator, denominator, argument = self
        p, q = value.numerator, value.denominator
        if denominator == q:
            return Sum(numerator + p, q, argument)
        times = q // math.gcd(denominator, q)  # the new denominator is the least common multiple
        common = denominator * times
        total = numerator * times + p * (common // q)
        if common.bit_length() <= _LONGEST:
            return Sum(total, common, argument)
        return _bounded(Fraction(total, common), argument)

    def _plus_log(self, argument: Fraction) -> Sum:
        total = argument if self.argument is None else self.argument * argument
        if total.numerator.bit_length() <= _LONGEST_LOG:
            return Sum(self.numerator, self.denominator, total)
        return _bounded(self.rational + exact.bracket(Log(total), _DIGITS)[1], None)

    def at_most(self, limit: ExactEpsilon) -> bool:
        """Whether the sum is at most the limit, decided exactly."""
        numerator, denominator, argument = self
        if argument is None and not isinstance(limit, Log):
            return numerator * limit.denominator <= limit.numerator * denominator
        most, about = _about(limit), float(self)
        if abs(most - about) > _MARGIN * (1 + most):  # not so where either is infinite
            return most > about
        argument = argument or Fraction(1)
        if isinstance(limit, Log):  # r + ln a <= ln b, that is r <= ln(b/a)
            ratio = limit.argument / argument
            return ratio >= 1 and exact.at_most(self.rational, Log(ratio))
        return limit >= self.rational and exact.at_most(Log(argument), limit - self.rational)

    def left(self, limit: ExactEpsilon) -> ExactEpsilon:
        """limit - sum, for a sum within the limit: exact, or rounded down."""
        if self.argument is None and not isinstance(limit, Log):
            return limit - self.rational
        if isinstance(limit, Log) and not self.numerator:
            return exact.epsilon(Log(limit.argument / (self.argument or 1)))
        low = exact.bracket(limit, _DIGITS)[0] - exact.bracket(self.value, _DIGITS)[1]
        return max(Fraction(0), low)

    @property
    def rational(self) -> Fraction:
        """The sum of the rational terms."""
        return Fraction(self.numerator, self.denominator)

    @property
    def value(self) -> ExactEpsilon:
        """The sum as a number: exact if it is rational or one logarithm, else rounded up."""
        if self.argument is None:
            return self.rational
        if not self.numerator:
            return exact.epsilon(Log(self.argument))
        return self.rational + exact.bracket(Log(self.argument), _DIGITS)[1]

    def __float__(self) -> float:
        try:
            rational = self.numerator / self.denominator
        except OverflowError:  # past the largest double
            return math.inf
        return rational if self.argument is None else rational + math.log(self.argument)


def _about(value: ExactEpsilon) -> float:
    try:
        return float(value)
    except OverflowError:  # past the largest double
        return math.inf


def _bounded(total: Fraction, argument: Fraction | None) -> Sum:
    if total.denominator.bit_length() > _LONGEST:
        total = Fraction(-(-total.numerator * _GRID // total.denominator), _GRID)
    return Sum(total.numerator, total.denominator, argument)
