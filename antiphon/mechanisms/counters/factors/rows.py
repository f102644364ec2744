"""Rows: the numbers of all coordinates of a d-dimensional counter, written as one number."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, Final, TypeAlias

import numpy as np

from antiphon.protocol.coins import Coins
from antiphon.protocol.messages import freeze

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

_INT64: Final = 2**63 - 1
DOUBLES: Final = 2.0**50
"""Below it, the floor of a rounded quotient of whole numbers is that of the true one."""


class Row(np.ndarray[Any, np.dtype[Any]]):
    """An array that is a value: equal if all is equal, hashable, true if all of it is.

    So it can stand in a state where a number stands, and a step is written once for
    both. Made by ``row``; nobody writes into one.
    """

    def __eq__(self, other: object) -> bool:
        return type(other) is Row and bool(np.array_equal(self, other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self.ravel().tolist()))

    def __bool__(self) -> bool:
        return bool(self.view(np.ndarray).all())

    def __fingerprint__(self) -> tuple[Any, ...]:
        return self.dtype.str, self.shape, tuple(self.ravel().tolist())


def row(values: Iterable[Any], dtype: type) -> Row:
    """A row of Python ints (``object``: exact, whatever their size) or of floats."""
    return np.array(values, dtype).view(Row)


def drawn(draw: Callable[[Any], int], parameter: Any, dimension: int | None, kind: type) -> Any:
    """One draw of an int, or a row with one for each coordinate, of ints or floats."""
    if dimension is None:
        return draw(parameter)
    return row([draw(parameter) for _ in range(dimension)], kind)


def integers(values: Any, dimension: int) -> Any:
    """Ints as a message. One that does not fit 64 bits is clipped: post-processing."""
    listed = [values] * dimension if type(values) is int else values.tolist()
    clipped = [min(max(value, -_INT64 - 1), _INT64) for value in listed]
    return freeze(np.array(clipped, np.int64))


def floats(values: Any, unit: int, dimension: int) -> Any:
    """Multiples of 1/unit, given in units, as a message."""
    listed = [values] * dimension if type(values) is int else values.tolist()
    return freeze(np.array([value / unit for value in listed], np.float64))


def message_of(before: Any, count: Any) -> Any:
    """The sum of a number or row and a counter's answer, as such an answer."""
    if type(count) is not np.ndarray:
        return before + count
    if count.dtype == np.int64:
        return integers(row(count, object) + before, len(count))
    return floats(row(count, float) + before, 1, len(count))


def clamped(value: Any, bound: float) -> Any:
    """A number, or each of a row, moved into [-bound, bound]."""
    if type(value) is Row:
        return np.clip(value, -bound, bound)
    return min(max(value, -bound), bound)


def nearest(noise: Any, feedback: Any, divisor: float) -> Any:
    """⌊(noise - ⌊feedback⌋)/divisor + ½⌋, for whole noise and divisor: a number or a row."""
    if type(noise) is not Row:
        return (noise - feedback // 1.0 + divisor / 2) // divisor
    shifted = noise - np.floor(feedback) + divisor / 2
    # NumPy's // costs several times as much.
    small = shifted @ shifted < DOUBLES**2
    return np.floor(shifted / divisor) if small else shifted // divisor


def gaussians(coins: Coins, sigma: Fraction, count: int) -> Array:
    """Draws of discrete Gaussian noise, as floats."""
    return coins.gaussian_array(sigma, count).astype(float)
