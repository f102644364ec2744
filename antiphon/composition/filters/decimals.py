"""Square roots and logarithms rounded to a known side, alike on every machine."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Final

from antiphon.numbers import exact
from antiphon.numbers.exact import ExactEpsilon, Log

DIGITS: Final = 50
UP: Final = Context(prec=DIGITS, rounding=ROUND_CEILING)
DOWN: Final = Context(prec=DIGITS, rounding=ROUND_FLOOR)


def below(value: ExactEpsilon) -> Decimal:
    """At most the value, within 10^-49 of it, relatively."""
    low, _ = exact.bracket(value, DIGITS)
    return DOWN.divide(Decimal(low.numerator), Decimal(low.denominator))


def above(value: ExactEpsilon) -> Decimal:
    """At least the value, within 10^-49 of it, relatively."""
    _, high = exact.bracket(value, DIGITS)
    return UP.divide(Decimal(high.numerator), Decimal(high.denominator))


def log_above(value: Fraction) -> Decimal:
    """At least ln(value), for a rational >= 1."""
    return above(exact.epsilon(Log(value)))


def root_above(value: Decimal) -> Decimal:
    """At least the square root: Decimal.sqrt rounds half-even whatever the context says."""
    return value.sqrt(UP).next_plus(UP)


def root_below(value: Fraction) -> Fraction:
    """At most the square root, to six digits of it.

    >>> root_below(Fraction(9, 4)), root_below(Fraction(2))
    (Fraction(3, 2), Fraction(141421, 100000))
    """
    if exact.root_up(value) ** 2 == value:
        return exact.root_up(value)
    return rounded_down(below(value).sqrt(DOWN).next_minus(DOWN), 6)


def rounded_down(value: Decimal, digits: int = 12) -> Fraction:
    """At most the value, to so many significant digits."""
    return Fraction(Context(prec=digits, rounding=ROUND_FLOOR).plus(value))
