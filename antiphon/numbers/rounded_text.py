"""Numbers as text, rounded in a known direction: the only place where digits are dropped.

A promised or spent amount is rounded up; a remaining amount or a lower bound, down. So the printed
figure is as sound as the computed one. A float is read as the shortest decimal that prints it, as
everywhere (``exact.fraction``), so that 0.1 stays 0.1.
"""

import math
import sys
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Final, TypeAlias, Union

from typing_extensions import TypeIs

from antiphon.numbers import exact
from antiphon.numbers.exact import ExactEpsilon, Log

Figure: TypeAlias = Union[ExactEpsilon, float]
"""The type of a number that can be displayed as text; ``math.inf`` is allowed."""

_SIX: Final = 6
_SHORT: Final = 12
_PLAIN: Final = -4
"""The lowest power of ten that is written without an exponent, as Python does."""


def shown_up(value: Figure, digits: int = _SIX) -> str:
    """A number with ``digits`` significant digits, rounded up.

    >>> shown_up(Fraction(1, 3)), shown_up(Log(3)), shown_up(0.1), shown_up(100), shown_up(2e-9)
    ('0.333334', '1.09862', '0.1', '100', '2e-09')
    """
    return _text(_rounded(value, digits, ROUND_CEILING), digits)


def shown_short(value: Figure) -> str:
    """A number as a fraction if that is exact and short, so that a reader can multiply it exactly;
    else as a decimal, rounded up.

    >>> shown_short(Fraction(1, 3)), shown_short(Fraction(1, 3000000)), shown_short(Log(3))
    ('1/3', '1/3000000', '1.09862')
    """
    whole = str(value) if isinstance(value, Fraction) else ""
    return whole if 0 < len(whole) <= _SHORT and "/" in whole else shown_up(value)


def shown_down(value: Figure, digits: int = _SIX) -> str:
    """A number with ``digits`` significant digits, rounded down.

    >>> shown_down(Fraction(1, 3)), shown_down(Fraction(3, 4)), shown_down(1234567)
    ('0.333333', '0.75', '1.23456e+06')
    """
    return _text(_rounded(value, digits, ROUND_FLOOR), digits)


def fixed_up(value: Figure, places: int) -> str:
    """A number with ``places`` digits after the point, rounded up.

    >>> fixed_up(Fraction(20000, 3), 2), fixed_up(1, 4), fixed_up(math.inf, 4)
    ('6,666.67', '1.0000', 'inf')
    """
    return _fixed(value, places, ROUND_CEILING)


def fixed_down(value: Figure, places: int) -> str:
    """A number with ``places`` digits after the point, rounded down.

    >>> fixed_down(Fraction(20000, 3), 2)
    '6,666.66'
    """
    return _fixed(value, places, ROUND_FLOOR)


def told_apart(more: Figure, less: Figure) -> tuple[str, str]:
    """Two numbers as texts that show which is larger: the larger rounded down, the smaller up, to
    six digits or as many as needed.

    >>> told_apart(0.2, 0.1), told_apart(0.10000000012, 0.1)
    (('0.2', '0.1'), ('0.1000000001', '0.1'))
    """
    larger = _reading(more) > _reading(less)
    digits = _SIX
    while True:
        low, high = _rounded(more, digits, ROUND_FLOOR), _rounded(less, digits, ROUND_CEILING)
        if not larger or low > high:
            return _text(low, digits), _text(high, digits)
        digits += 1


def _reading(value: Figure) -> Fraction | float:
    """The exact value of a number, for comparisons; of a logarithm, a lower bound of 40 digits."""
    return value if _endless(value) else exact.bracket(_exactly(value), 40)[0]


def _endless(value: Figure) -> TypeIs[float]:
    return isinstance(value, float) and not math.isfinite(value)


def _exactly(value: Figure) -> ExactEpsilon:
    return exact.epsilon(value) if type(value) is Log else exact.fraction(value)


def _ended(value: Figure, digits: int, direction: str) -> Fraction:
    """The exact value of a number; of a logarithm, a rational bound in this ``direction``."""
    low, high = exact.bracket(_exactly(value), digits)
    return high if direction == ROUND_CEILING else low


def _rounded(value: Figure, digits: int, direction: str) -> Decimal:
    if _endless(value):
        return Decimal(value)
    end, context = _ended(value, digits + 40, direction), Context(digits, direction)
    return context.divide(Decimal(end.numerator), Decimal(end.denominator)).normalize(context)


def _text(value: Decimal, digits: int) -> str:
    """A decimal as Python would write a float with ``digits`` significant digits."""
    if not value.is_finite():
        return str(float(value))
    power = value.adjusted() if value else 0
    if _PLAIN <= power < digits:
        return f"{value:f}"
    sign, figures, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    return f"{Decimal((sign, figures, exponent - power)):f}e{power:+03d}"


def _fixed(value: Figure, places: int, direction: str) -> str:
    if _endless(value):
        return str(float(value))
    end = _ended(value, places + 40, direction) * 10**places
    units = math.ceil(end) if direction == ROUND_CEILING else math.floor(end)
    return f"{Decimal(f'{units}e-{places}'):,f}"


def band(error: Fraction | int) -> str:
    """A bound on an error as a text: rounded up to three digits, or to a whole number from 100 on,
    and never with an exponent.

    >>> band(Fraction(63611, 1000)), band(Fraction(3292345, 1000)), band(Fraction(9))
    ('63.7', '3293', '9')
    """
    places = next((places for places, below in ((3, 1), (2, 10), (1, 100)) if error < below), 0)
    units = math.ceil(error * 10**places)
    return f"{Decimal(units).scaleb(-places).normalize():f}"


def tell_person(what: str, steps: int, limit: int) -> None:
    """Show the progress of a long computation (``steps`` of at most ``limit``) on a line of
    standard error, if that is a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{what}: {steps:,} of at most {limit:,} ")
        sys.stderr.flush()
