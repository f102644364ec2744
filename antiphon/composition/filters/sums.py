"""Running sums of privacy parameters: exact, and O(1) to extend however long they get."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias, Union

from antiphon.numbers import ExactEpsilon, Log, exact, shown_down, shown_up
from antiphon.protocol.registry import register

_LONGEST: Final = 2048
"""The longest denominator, in bits, of an exact sum; longer ones are rounded up to ``_GRID``."""
_GRID: Final = 2**1280
_LONGEST_PRODUCT: Final = 512
"""The longest denominator, in bits, of an exact product of 1-δ's."""
_LONGEST_LOG: Final = 512
"""The longest argument, in bits, of an exact logarithm; longer ones are rounded up."""
_DIGITS: Final = 60
_MARGIN: Final = 1e-9
"""The relative difference of two numbers above which their doubles decide a comparison."""


@register("antiphon.Sum/1", state=True)
class Sum(NamedTuple):
    """A sum of rationals and logarithms ``Log(q)``, kept as numerator/denominator + ln(argument).

    Exact until a denominator has more than 2048 bits or the argument more than 512; then it is
    rounded up, so that adding stays O(1) and a sum is never too small.
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
        # The new denominator is the least common multiple of both.
        times = q // math.gcd(denominator, q)
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
        # If limit and sum are infinite their difference is NaN, so this comparison is False.
        if abs(most - about) > _MARGIN * (1 + most):
            return most > about
        argument = argument or Fraction(1)
        if isinstance(limit, Log):  # For r + ln a <= ln b it is enough that r <= ln(b/a).
            ratio = limit.argument / argument
            return ratio >= 1 and exact.at_most(self.rational, Log(ratio))
        return limit >= self.rational and exact.at_most(Log(argument), limit - self.rational)

    def left(self, limit: ExactEpsilon) -> ExactEpsilon:
        """The rest ``limit`` - sum, for a sum within the limit: exact, or rounded down."""
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
        except OverflowError:  # The rational number is larger than any double.
            return math.inf
        return rational if self.argument is None else rational + math.log(self.argument)


def _about(value: ExactEpsilon) -> float:
    try:
        return float(value)
    except OverflowError:  # The value is larger than any double.
        return math.inf


def _bounded(total: Fraction, argument: Fraction | None) -> Sum:
    if total.denominator.bit_length() > _LONGEST:
        total = Fraction(-(-total.numerator * _GRID // total.denominator), _GRID)
    return Sum(total.numerator, total.denominator, argument)


def either(total: Sum, delta: Fraction) -> Sum:
    """The probability 1 - (1-total)(1-δ) that one of two independent events occurs; rounded up
    where it is long.

    >>> either(either(Sum(), Fraction(1, 4)), Fraction(1, 4)).value
    Fraction(7, 16)
    """
    top, bottom, _ = total
    p, q = delta.numerator, delta.denominator
    if bottom != _GRID and (bottom * q).bit_length() <= _LONGEST_PRODUCT:
        top, bottom = top * q + p * (bottom - top), bottom * q
        common = math.gcd(top, bottom)
        return Sum(top // common, bottom // common)
    if bottom != _GRID:
        top = -(-top * _GRID // bottom)
    return Sum(top - (-p * (_GRID - top) // q), _GRID)


Amount: TypeAlias = Union[ExactEpsilon, float]

_SIGNS: Final = {"epsilon": "ε", "rho": "ρ", "divergence": "D", "mu squared": "μ²"}
_LARGE: Final = 10**6


def sign(unit: object) -> str:
    """The symbol of a filter's unit, such as ε or ρ; for a user's own unit, its name."""
    return _SIGNS.get(str(unit), str(unit))


def amounts(values: Sequence[Amount], unit: str = "epsilon", *, left: bool = False) -> str:
    """The amounts of a filter as text; ``left``: amounts that remain are rounded down, not up.

    >>> amounts((Fraction(1, 10), Fraction(0))), amounts((Fraction(2, 3), Fraction(0)), left=True)
    ('ε = 0.1, δ = 0', 'ε = 0.666666, δ = 0')
    >>> amounts((Log(3), Fraction(1, 3)), "rho")
    'ρ = ln 3, δ = 0.333334'
    """
    first, delta = (_shown(value, left) for value in values)
    return f"{sign(unit)} = {first}, δ = {delta}"


def _shown(value: Amount, left: bool) -> str:
    rounded = shown_down if left else shown_up
    if not isinstance(value, Log | Fraction):
        return "∞" if math.isinf(value) else rounded(Fraction(value))
    if isinstance(value, Log) and value.argument < _LARGE and value.argument.denominator == 1:
        return f"ln {value.argument}"
    return rounded(value)


DIGITS: Final = 50
UP: Final = Context(prec=DIGITS, rounding=ROUND_CEILING)
DOWN: Final = Context(prec=DIGITS, rounding=ROUND_FLOOR)


def below(value: ExactEpsilon) -> Decimal:
    """A Decimal at most the value, relatively within 10^-49."""
    low, _ = exact.bracket(value, DIGITS)
    return DOWN.divide(Decimal(low.numerator), Decimal(low.denominator))


def above(value: ExactEpsilon) -> Decimal:
    """A Decimal at least the value, relatively within 10^-49."""
    _, high = exact.bracket(value, DIGITS)
    return UP.divide(Decimal(high.numerator), Decimal(high.denominator))


def log_above(value: Fraction) -> Decimal:
    """A Decimal at least ln(value), for a rational >= 1."""
    return above(exact.epsilon(Log(value)))


def root_above(value: Decimal) -> Decimal:
    """An upper bound on the square root; Decimal.sqrt itself always rounds to the nearest."""
    return value.sqrt(UP).next_plus(UP)


def root_below(value: Fraction) -> Fraction:
    """A lower bound on the square root, to six digits.

    >>> root_below(Fraction(9, 4)), root_below(Fraction(2))
    (Fraction(3, 2), Fraction(141421, 100000))
    """
    if exact.root_up(value) ** 2 == value:
        return exact.root_up(value)
    return rounded_down(below(value).sqrt(DOWN).next_minus(DOWN), 6)


def rounded_down(value: Decimal, digits: int = 12) -> Fraction:
    """The value rounded down to ``digits`` significant digits."""
    return Fraction(Context(prec=digits, rounding=ROUND_FLOOR).plus(value))
