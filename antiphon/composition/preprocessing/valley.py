"""The least value of a function that falls and then rises: every value that is found is a bound."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, NamedTuple

WIDEST: Final = 30.0
"""How far from 0 is looked: that far, e^t or e^-t is nothing beside 1."""
_GOLDEN: Final = (3 - math.sqrt(5)) / 2
_STEPS: Final = 24
_NEAR: Final = 2.0**-15
"""Of two places: the cosh of that is 1 + 2^-31."""


class _Point(NamedTuple):
    place: float
    value: float


def least_from(function: Callable[[float], float], start: float) -> float:
    """The least value found between -30 and 30, downhill from a start.

    Where the function is infinite at the start, from the best place of a grid.
    """

    def at(place: float) -> _Point:
        return _Point(place, function(place))

    middle = at(min(max(start, -WIDEST), WIDEST))
    if not middle.value < math.inf:
        grid = (at(float(place)) for place in range(-int(WIDEST), int(WIDEST) + 1, 2))
        middle = min(grid, key=_value)
    return middle.value if middle.value in (0, math.inf) else _least(at, *_around(at, middle))


def _value(point: _Point) -> float:
    return point.value


def _around(at: Callable[[float], _Point], middle: _Point) -> tuple[_Point, _Point, _Point]:
    """Three points of which none is below that in the middle, or which reach an end."""
    step = 1.0 / 8
    left, right = (at(middle.place + each) for each in (-step, step))
    while min(left.value, right.value) < middle.value:
        step *= 4
        if left.value < right.value:
            left, middle, right = at(left.place - step), left, middle
        else:
            left, middle, right = middle, right, at(right.place + step)
        if abs(middle.place) > WIDEST:
            break
    return left, middle, right


def _least(at: Callable[[float], _Point], left: _Point, middle: _Point, right: _Point) -> float:
    """By parabolas through the three; by golden section each third time, as those may creep."""
    for step in range(1, _STEPS):
        if right.place - left.place <= 4 * _NEAR:
            break
        place = _vertex(left, middle, right) if step % 3 else math.nan
        more = right.place - middle.place > middle.place - left.place
        if not left.place < place < right.place:
            place = middle.place + _GOLDEN * ((right if more else left).place - middle.place)
        if abs(place - middle.place) < _NEAR:
            place = middle.place + (_NEAR if more else -_NEAR)
        found = at(place)
        if found.value < middle.value:
            left, right = (left, middle) if place < middle.place else (middle, right)
            middle = found
        elif place < middle.place:
            left = found
        else:
            right = found
    return min(left.value, middle.value, right.value)


def _vertex(left: _Point, middle: _Point, right: _Point) -> float:
    """Where the parabola through three points is least; NaN where that is no number."""
    back, ahead = middle.place - left.place, right.place - middle.place
    fall, rise = (left.value - middle.value) * ahead, (right.value - middle.value) * back
    both = fall + rise
    return middle.place + (fall * ahead - rise * back) / (2 * both) if both > 0 else math.nan
