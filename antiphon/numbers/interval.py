"""Intervals that certainly contain a number, and doubles rounded in a known direction.

Everything here is a binary64 number with a direction: ``up`` never returns less than
the real number it stands for, ``down`` never more. Privacy figures are reported ``up``.

A reported double is read in two ways: as the rational that it equals, or, by this library
(``numbers.exact``) and by people, as the shortest decimal that prints it. The two differ by up to
half a unit in the last place, so a result that is rounded up is not below the true number in
*either* reading.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, Generic, TypeVar, Union

import attrs
import numpy as np
import numpy.typing as npt

from antiphon.numbers import exact

Floats = npt.NDArray[np.float64]
Number = TypeVar("Number", float, Floats)


UNIT: Final = 2.0**-53
"""The largest relative error of one rounded double operation, 2^-53."""


@attrs.frozen
class Interval(Generic[Number]):
    """A number known to lie in [lower, upper]; or arrays of such numbers.

    >>> Interval(0.25, 0.5).width
    0.25
    """

    lower: Number
    upper: Number

    @property
    def width(self) -> Number:
        """The distance between the ends."""
        return self.upper - self.lower

    def __contains__(self: Interval[float], value: float | Fraction) -> bool:
        return self.lower <= value <= self.upper


Exactly = Union[exact.ExactEpsilon, Decimal]


def nearest(value: exact.ExactEpsilon) -> float:
    """The double nearest to an exact parameter; unlike ``float(Log(q))``, accurate for q near 1."""
    return _nearest(exact.bracket(value, 40)[0])


def up(value: Exactly) -> float:
    """The least double not below an exact number, neither in binary nor as the decimal that it
    prints as; inf past the largest double.

    >>> up(Fraction(1, 10)), up(Fraction(0.1)), up(Fraction(1, 2))
    (0.1, 0.10000000000000002, 0.5)
    """
    high = exact.bracket(value, 40)[1] if isinstance(value, exact.Log) else value
    near = _nearest(high)
    if near < math.inf and (near < high or _printed(near, high) < high):
        return math.nextafter(near, math.inf)
    return near


def down(value: Exactly) -> float:
    """The greatest double not above an exact number >= 0, neither in binary nor as it prints."""
    low = exact.bracket(value, 40)[0] if isinstance(value, exact.Log) else value
    near = _nearest(low)
    if near > low or (near < math.inf and _printed(near, low) > low):
        return math.nextafter(near, -math.inf)
    return near


def _printed(value: float, like: Fraction | Decimal) -> Any:
    """The shortest decimal that prints a double, as a Fraction or Decimal like ``like``."""
    return type(like)(repr(value))


def above(value: float) -> float:
    """The double ``value``, or a slightly larger one, so that its printed decimal is at least
    ``value``, too."""
    return up(Fraction(value)) if value < math.inf else value


def below(value: float) -> float:
    """The double ``value``, or a slightly smaller one, so that its printed decimal is at most
    ``value``, too."""
    return down(Fraction(value)) if value < math.inf else value


def least_reading(value: float) -> Fraction:
    """The smaller of the exact value of a finite double and the decimal that it prints as."""
    return min(Fraction(value), Fraction(repr(value)))


def _nearest(value: Fraction | Decimal) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def outward(lower: float, upper: float) -> Interval[float]:
    """An interval of numbers >= 0, widened for the errors of three rounded operations at each end,
    and for ends that are read as printed decimals."""
    low, high = lower * (1 - 6 * UNIT), upper * (1 + 6 * UNIT)
    return Interval(max(0.0, math.nextafter(low, -1.0)), math.nextafter(high, math.inf))


def probability(value: Interval[float]) -> Interval[float]:
    """An interval for a probability: the given one, cut to [0, 1]."""
    return Interval(min(1.0, max(0.0, value.lower)), min(1.0, max(0.0, value.upper)))
