"""Double-double arithmetic: a number as the sum of two doubles, for differences of numbers that are
nearly equal.

A privacy loss such as (k-2j)ε - ε_g is often tiny beside its terms, and exactly zero where ε_g is a
multiple of ε. Two doubles keep about 106 bits, so that such a difference has its leading digits
(Dekker 1971; Knuth's two-sum).
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from antiphon.numbers import exact
from antiphon.numbers.interval import Floats

ERROR = 2.0**-98
"""A bound on the error of ``difference``, which computes multiples · unit - subtrahend, relative to
the larger of these two terms."""
_SPLITTER = 2.0**27 + 1
_LARGEST = 2.0**900


class Twofold(NamedTuple):
    """A number as high + low, where high is the sum rounded to a double; relative error 2^-105."""

    high: float
    low: float


def twofold(value: exact.ExactEpsilon) -> Twofold:
    """An exact number as two doubles (high and low part) whose sum is nearest to it."""
    rational = exact.bracket(value, 40)[0] if isinstance(value, exact.Log) else value
    high = float(min(rational, Fraction(_LARGEST)))
    return Twofold(high, float(rational - Fraction(high)))


def difference(multiples: Floats, unit: Twofold, subtrahend: Twofold) -> Floats:
    """The value of multiples · unit - subtrahend, without loss of digits where the two terms nearly
    cancel; the multiples are whole numbers up to 2^53."""
    product, rest = _product(multiples, unit.high)
    total, lost = _sum(product, -subtrahend.high)
    return total + (lost + (rest + (multiples * unit.low - subtrahend.low)))


def spread(high: Floats, low: Floats, multiples: Floats, unit: Twofold) -> tuple[Floats, Floats]:
    """The sums of the number high + low and each multiple of ``unit``, as doubles high and low; as
    accurate as ``difference``."""
    product, rest = _product(multiples, unit.high)
    total, lost = _sum(high[:, None], product)
    return total.ravel(), (low[:, None] + (lost + (rest + multiples * unit.low))).ravel()


def _sum(left: Floats, right: float | Floats) -> tuple[Floats, Floats]:
    total = left + right
    part = total - left
    return total, (left - (total - part)) + (right - part)


def _product(left: Floats, right: float) -> tuple[Floats, Floats]:
    product = left * right
    high, low = _split(left)
    right_high, right_low = (float(each) for each in _split(np.float64(right)))
    rest = ((high * right_high - product) + high * right_low + low * right_high) + low * right_low
    return product, rest


def _split(value: Floats | np.float64) -> tuple[Floats, Floats]:
    scaled = _SPLITTER * value
    high = scaled - (scaled - value)
    return high, value - high  # type: ignore[return-value]
