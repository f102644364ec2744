"""Exact numbers for ε and δ, in which mechanisms, claims and budgets compute.

``0.1`` and ``Fraction(1, 10)`` must count as the same parameter. So every parameter is normalised
once, at construction: a float means the shortest decimal that prints it, and ``Log(3)`` is the ε
with e^ε = 3.
"""

import math
import re
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any, Final, TypeAlias, Union

import attrs
import numpy as np

from antiphon.numbers.errors import InvalidArgument, of_kind, shown
from antiphon.numbers.symbolic import SymbolError, Symbolic


def fraction(value: object, name: str = "value", symbols: bool = False) -> Fraction:
    """A finite number as an exact Fraction. Raises: InvalidArgument for anything else.

    With ``symbols``, a function of a symbol, which computes as a Fraction does, is returned as it
    is.

    A float is read as the shortest decimal that prints it: 0.1 is 1/10. The result is a plain
    Fraction, whose value and ``==`` no user class can change.

    Raises: InvalidArgument for NaN, infinities, bools, non-numbers and subclasses of Fraction.

    >>> fraction(0.1)
    Fraction(1, 10)
    """
    if type(value) is Fraction and type(value.numerator) is type(value.denominator) is int:
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(int.__pos__(value))
    if isinstance(value, float) and math.isfinite(plain := float.__pos__(value)):
        return Fraction(repr(plain))
    if isinstance(value, Symbolic):
        if symbols:
            return value  # type: ignore[return-value]
        raise SymbolError(
            f"{name} is not known to be right for a symbol: write a number, not {value}. A symbol "
            "may stand for a δ, for e^ε where an ε may be Log(q), and for what coins take"
        )
    raise InvalidArgument(f"{name} must be a finite int, float or Fraction, not {shown(value)}")


_DECIMAL: Final = re.compile(r"[0-9]{0,40}(\.[0-9]{0,40})?([eE][+-]?[0-9]{1,2})?")
_RATIO: Final = re.compile(r"[0-9]{1,40}/[0-9]{1,40}")


def rational(text: str, name: str) -> Fraction:
    """A text such as 0.1, 1e-6 or 1/3 as an exact Fraction. Raises: InvalidArgument otherwise.

    All numbers in users' texts are read by this function, as ``Fraction`` itself spends minutes on
    1e99999999, in which no signal ends the process, and accepts spaces, underscores and the digits
    of every script.

    Raises: InvalidArgument for anything else: inf and nan, a sign, more than 40 digits on a side of
    the point or the slash, and exponents of more than two digits.

    >>> rational("0.1", "delta")
    Fraction(1, 10)
    """
    if _DECIMAL.fullmatch(text) or _RATIO.fullmatch(text):
        try:
            return Fraction(text)
        except (ValueError, ZeroDivisionError):
            pass
    raise InvalidArgument(f"{name} is a number >= 0 such as 0.1, 1e-6 or 1/3, not {text[:40]!r}")


_PLAIN: Final = 12
"""The largest number of characters of a decimal that is written instead of a fraction."""


def written(value: object) -> str:
    """A value as Python prints it, but a Fraction as a decimal where that is short and exact.

    A constructor that reads its parameters by ``fraction`` rebuilds the same value from this text.

    >>> print(written(Fraction(3)), written(Fraction(1, 10)), written((Fraction(1, 3), "x")))
    3 0.1 (Fraction(1, 3), 'x')
    """
    if type(value) is tuple:
        parts: list[Any] = [*value]  # pyright: ignore[reportUnknownVariableType]
        return f"({', '.join(map(written, parts))}{',' * (len(parts) == 1)})"
    if type(value) is not Fraction:
        return repr(value)
    if value.denominator == 1:
        return repr(value.numerator)
    decimal = repr(float(value)) if abs(value) < _LARGE else ""
    exactly = 0 < len(decimal) <= _PLAIN and Fraction(decimal) == value
    return decimal if exactly else repr(value)


_LARGE: Final = 10**9


def number(value: object) -> int | float | Fraction:
    """A NumPy scalar, or a number of a subclass, as a plain Python int, float or Fraction.

    Raises: InvalidArgument for anything else, and for subclasses of Fraction.
    """
    if type(value) in (float, Fraction) or isinstance(value, Symbolic):
        return value  # type: ignore[return-value]
    given: Any = value
    plain: object = given.item() if issubclass(type(given), np.generic) else given
    if isinstance(plain, float):
        return float.__pos__(plain)
    if isinstance(plain, int):
        return int.__pos__(plain)
    raise InvalidArgument(f"a plain int, float or Fraction is needed, not {of_kind(given)}")


def probability(value: object, name: str = "delta") -> Fraction:
    """The value as a rational in [0, 1], or as a function of a symbol whose values lie there.
    Raises: InvalidArgument otherwise."""
    exact = fraction(value, name, True)
    if not 0 <= exact <= 1:
        text = (
            f'{value}: write ap.Symbol("x", 0, 1)' if isinstance(value, Symbolic) else shown(value)
        )
        raise InvalidArgument(f"{name} must lie in [0, 1], not {text}")
    return exact


def whole(value: object, name: str) -> int:
    """The value as an int >= 1. Raises: InvalidArgument otherwise."""
    if type(value) is not int or value < 1:
        raise InvalidArgument(f"{name} must be an int >= 1, not {shown(value)}")
    return value


def natural(value: object, name: str) -> int:
    """The value as an int >= 0. Raises: InvalidArgument otherwise."""
    if type(value) is not int or value < 0:
        raise InvalidArgument(f"{name} must be an int >= 0, not {shown(value)}")
    return value


def positive(value: object, name: str) -> Fraction:
    """The value as a rational > 0. Raises: InvalidArgument otherwise."""
    exact = fraction(value, name)
    if exact <= 0:
        raise InvalidArgument(f"{name} must be positive, not {shown(value)}")
    return exact


def _argument(value: object) -> Fraction:
    exact = fraction(value, "the argument of Log", True)
    if exact < 1:
        raise InvalidArgument(f"Log takes a number >= 1 (e^ε, so that ε >= 0), not {exact}")
    return exact


@attrs.frozen(repr=False)
class Log:
    """The privacy parameter ε = ln(argument), for a rational argument >= 1: e^ε is rational, so
    computations stay exact.

    Sums, whole multiples, roots that are rational, and comparisons are exact as well.

    >>> Log(3).argument
    Fraction(3, 1)
    >>> Log(2) + Log(3), 2 * Log(3), Log(9) / 2, Log(3) > 1
    (Log(6), Log(9), Log(3), True)

    Raises: InvalidArgument where a sum or a share is the logarithm of no rational.
    """

    argument: Fraction = attrs.field(converter=_argument)

    def __float__(self) -> float:
        try:
            return math.log(self.argument)
        except OverflowError:  # The argument is too large for a double.
            return math.log(self.argument.numerator) - math.log(self.argument.denominator)

    def __repr__(self) -> str:
        return f"Log({written(self.argument)})"

    def __add__(self, other: object) -> "Log":
        if type(other) is Log:
            return Log(self.argument * other.argument)
        if type(other) in (int, Fraction) and other == 0:  # ``sum`` begins with 0.
            return self
        raise _no_log(f"{self} + {shown(other)}")

    __radd__ = __add__

    def __mul__(self, times: object) -> "Log":
        if type(times) is int and times >= 0:
            return Log(self.argument**times)
        raise _no_log(f"{self} * {shown(times)}")

    __rmul__ = __mul__

    def __truediv__(self, parts: object) -> "Log":
        if type(parts) is int and parts > 0:
            root = rational_root(self.argument, parts)
            if root is not None:
                return Log(root)
        raise _no_log(f"{self} / {shown(parts)}")

    def __lt__(self, other: "Epsilon") -> bool:
        return not _ordered(other, self) if _compares(other) else NotImplemented

    def __le__(self, other: "Epsilon") -> bool:
        return _ordered(self, other) if _compares(other) else NotImplemented

    def __gt__(self, other: "Epsilon") -> bool:
        return not _ordered(self, other) if _compares(other) else NotImplemented

    def __ge__(self, other: "Epsilon") -> bool:
        return _ordered(other, self) if _compares(other) else NotImplemented


def _compares(other: object) -> bool:
    """Whether a logarithm is compared with this value: with no NaN, and with no other class."""
    return type(other) in (Log, int, float, Fraction) and other == other


def _ordered(left: "Epsilon", right: "Epsilon") -> bool:
    """Whether left <= right, decided exactly; numbers may be negative or infinite."""
    if not isinstance(left, Log) and (left < 0 or left == math.inf):
        return left < 0
    if not isinstance(right, Log) and (right < 0 or right == math.inf):
        return right > 0
    return at_most(epsilon(left), epsilon(right))


def _no_log(wanted: str) -> InvalidArgument:
    return InvalidArgument(
        f"{wanted} is not known to be the logarithm of a rational: write Log(q) with a rational q "
        "on the safe side of it, or a number, such as float(Log(3)) / 2"
    )


ExactEpsilon: TypeAlias = Union[Fraction, Log]
"""The type of an ε after normalisation. Log(1) is stored as Fraction(0)."""
Epsilon: TypeAlias = Union[int, float, Fraction, Log]
"""The type of an ε, in nats, as a caller may give it."""


def epsilon(value: object, name: str = "epsilon") -> ExactEpsilon:
    """Normalise a privacy parameter ε >= 0 (nats); a ``Symbol`` given for it stands for e^ε.
    Raises: InvalidArgument."""
    if isinstance(value, Symbolic):
        return Log(value)
    if type(value) is Log:
        return Fraction(0) if value.argument == 1 else value
    exact = fraction(value, name)
    if exact < 0:
        raise InvalidArgument(f"{name} must be >= 0, not {shown(value)}")
    return exact


def exp(value: ExactEpsilon) -> Fraction | float:
    """The value e^ε: a Fraction for a ``Log``, else the nearest float."""
    if isinstance(value, Log):
        return value.argument
    return Fraction(1) if value == 0 else math.exp(value)


_DIGITS: Final = (30, 60, 120, 250, 500, 1000)
"""The precisions, in decimal digits, with which a comparison is tried, one after another."""


def at_most(left: ExactEpsilon, right: ExactEpsilon) -> bool:
    """Decide left <= right exactly, also between a rational and a logarithm.

    ln(r) is irrational for rational r != 1, so raising the precision of
    outward-rounded logarithms separates the two sides after finitely many steps.

    Raises: InvalidArgument if 1000 digits do not separate the two, so that a file with maliciously
    close numbers cannot stall its reader.

    >>> at_most(Log(3), Fraction(11, 10)), at_most(Fraction(11, 10), Log(3))
    (True, False)
    """
    # The only rational logarithm of a rational is ln(1), which is stored as Fraction(0).
    left, right = epsilon(left), epsilon(right)
    if isinstance(left, Log) and isinstance(right, Log):
        return left.argument <= right.argument
    if not isinstance(left, Log) and not isinstance(right, Log):
        return left <= right
    for digits in _DIGITS:
        low_left, high_left = bracket(left, digits)
        low_right, high_right = bracket(right, digits)
        if high_left <= low_right:
            return True
        if low_left > high_right:
            return False
    raise InvalidArgument(
        f"epsilon is closer to a logarithm than {_DIGITS[-1]} digits tell: give fewer digits"
    )


def bracket(value: ExactEpsilon, digits: int) -> tuple[Fraction, Fraction]:
    """Rationals (low, high) around an ε: equal, or a relative 10^(1-digits) apart."""
    if not isinstance(value, Log):
        return value, value
    low = Context(prec=digits, rounding=ROUND_FLOOR)
    high = Context(prec=digits, rounding=ROUND_CEILING)
    numerator, denominator = Decimal(value.argument.numerator), Decimal(value.argument.denominator)
    # Decimal.ln rounds to nearest in any context, so one unit in the last place, subtracted or
    # added, makes its result a bound.
    below = low.ln(low.divide(numerator, denominator)).next_minus(context=low)
    above = high.ln(high.divide(numerator, denominator)).next_plus(context=high)
    return Fraction(below), Fraction(above)


def root_up(value: Fraction) -> Fraction:
    """The root √value, rounded up by a relative 2^-40 at most; exact for squares of rationals.

    >>> root_up(Fraction(9, 4))
    Fraction(3, 2)
    """
    top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
    if (top * top, bottom * bottom) == (value.numerator, value.denominator):
        return Fraction(top, bottom)
    shift = 42 - (value.numerator.bit_length() - value.denominator.bit_length()) // 2
    scaled = value * Fraction(4) ** shift
    return (math.isqrt(math.ceil(scaled)) + 1) / Fraction(2) ** shift


def rational_root(value: Fraction, degree: int) -> Fraction | None:
    """The rational whose power ``degree`` is ``value`` >= 0; None if there is none.

    >>> rational_root(Fraction(8, 27), 3)
    Fraction(2, 3)
    """
    found = Fraction(integer_root(value.numerator, degree), integer_root(value.denominator, degree))
    return found if found**degree == value else None


def integer_root(value: int, degree: int) -> int:
    """The integer root: the largest int whose power ``degree`` is at most ``value``."""
    # If the degree is at least the value's bit length, 2^degree > value: the root is 1, or 0 of 0.
    if degree >= value.bit_length():
        return min(value, 1)
    low, high = 0, 1 << -(-value.bit_length() // degree)
    while low < high:
        half = (low + high + 1) // 2
        low, high = (half, high) if half**degree <= value else (low, half - 1)
    return low


def exp_bracket(rate: Fraction, bits: int) -> tuple[int, int]:
    """Integers low <= 2^bits·e^(-rate) <= high that differ by at most 2, for rate >= 0.

    >>> exp_bracket(Fraction(1), 10)  # 1024/e = 376.7…
    (376, 377)
    """
    if rate == 0:
        return 1 << bits, 1 << bits
    if rate > bits:  # Since e > 2, e^(-rate) < 2^(-rate) < 2^(-bits).
        return 0, 1
    digits = bits // 3 + len(str(bits)) + 9
    down = Context(prec=digits, rounding=ROUND_FLOOR)
    up = Context(prec=digits, rounding=ROUND_CEILING)
    numerator, denominator = Decimal(rate.numerator), Decimal(rate.denominator)
    # Decimal.exp rounds to nearest in any context, so one unit in the last place, subtracted or
    # added, makes its result a bound.
    low = down.exp(up.divide(numerator, denominator).copy_negate()).next_minus(context=down)
    high = up.exp(down.divide(numerator, denominator).copy_negate()).next_plus(context=up)
    one = 1 << bits
    return math.floor(Fraction(low) * one), min(one, math.ceil(Fraction(high) * one))
