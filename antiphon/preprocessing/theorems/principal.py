"""Exact checks of how far a projection on a principal direction turns when a record is replaced."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Final, TypeAlias

from antiphon.selfcheck.theorems.finite import FiniteResponse
from antiphon.selfcheck.theorems.theorem import Check, Evidence, private
from antiphon.verifiers import neighbouring_start

SECTION = (6, 2)
"""The place of these rows in ``antiphon verify``: with those of preprocessing."""

Point: TypeAlias = tuple[Fraction, Fraction]
FIXED: Final[Point] = (Fraction(1), Fraction(0))
"""The record that both datasets have."""


def _at(*coordinates: str) -> Point:
    first, second = map(Fraction, coordinates)
    return first, second


def checks() -> Iterable[Check]:
    """The rows of ``antiphon verify`` in this file."""
    yield Check("Principal directions", "2 records in the plane, mirrored: the bound is met", _met)
    row = Check("Principal directions", "2 records in the plane, two gaps", _gaps)
    yield row
    yield row.twin("the same with the gap of the first dataset alone", both=False)


def _met() -> Evidence:
    return _turned(_at("3/5", "4/5"), _at("3/5", "-4/5"), exactly=True)


def _gaps(*, both: bool = True) -> Evidence:
    return _turned(FIXED, _at("-7/25", "24/25"), both=both)


def _turned(one: Point, other: Point, *, both: bool = True, exactly: bool = False) -> Evidence:
    """Evidence that P turns by at most s/(g + g'), for datasets of ``FIXED`` and one more record.

    g and g' are the gaps of the moments, and s the spread of their difference. A bit is 1 with
    probability (1 + w·Px)/2 for x the fixed record, where the unit vector w points to where x
    moves: so it is (0, ‖P - P'‖/2)-DP, and no less.
    """
    images, gaps = zip(*map(_projected, (one, other)), strict=True)
    apart = _minus(*images)
    moved = _length(apart)
    biases = [(apart[0] * x + apart[1] * y) / moved for x, y in images]
    unit = math.lcm(*(bias.denominator for bias in biases))
    weights = tuple((int(unit * (1 - bias)), int(unit * (1 + bias))) for bias in biases)
    plus = (one[0] + other[0], one[1] + other[1])
    spread = _length(_minus(one, other)) * _length(plus)
    bound = spread / (sum(gaps) if both else 2 * gaps[0])
    system = FiniteResponse(weights, name="a bit of the projected record")
    claimed = [(Fraction(0), bound / 2)]
    return private(system, neighbouring_start(), claimed, rounds=1, exactly=exactly)


def _projected(record: Point) -> tuple[Point, Fraction]:
    """``FIXED`` on the principal direction of the two records, and the gap of xxᵀ + yyᵀ.

    The direction has the angle φ with (cos 2φ, sin 2φ) = (a - c, 2b)/gap, for moments a, b and c.
    """
    x, y = record
    double = (1 + x * x - y * y, 2 * x * y)
    gap = _length(double)
    return ((1 + double[0] / gap) / 2, double[1] / gap / 2), gap


def _minus(one: Point, other: Point) -> Point:
    return one[0] - other[0], one[1] - other[1]


def _length(vector: Point) -> Fraction:
    """The length of a vector for which it is rational."""
    square = vector[0] ** 2 + vector[1] ** 2
    return Fraction(math.isqrt(square.numerator), math.isqrt(square.denominator))
