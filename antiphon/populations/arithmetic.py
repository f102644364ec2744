"""What NumPy computes just as Python does, one number at a time: the arithmetic of columns."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Values: TypeAlias = "NDArray[Any]"

EXACT: Final = 2**53
"""Integers up to this size are doubles."""
WIDE: Final = 2**62
"""Integers up to this size are added without overflow."""

UFUNCS: Final[dict[str, np.ufunc]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.true_divide,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
_DIVISIONS: Final = ("truediv", "floordiv", "mod")


def differs_from_python(left: Values, right: Values, name: str) -> bool:
    """Whether NumPy might overflow, round or fail where Python does not, or not alike."""
    sizes = [largest_int(left), largest_int(right)]
    integers = "f" not in (left.dtype.kind, right.dtype.kind)
    if max(sizes) > (WIDE if integers and name != "truediv" else EXACT):
        return True
    if name in _DIVISIONS:
        return not np.all(right)
    return integers and (math.prod(sizes) if name == "mul" else sum(sizes)) > WIDE


def numbers(values: Values) -> Values:
    """Truth values as the ints that they are."""
    return values.astype(np.int64) if values.dtype.kind == "b" else values


def largest_int(values: Values) -> int:
    """The largest absolute value of ints and truth values; 0 for other numbers."""
    if values.dtype.kind == "b":
        return 1
    if values.dtype.kind != "i" or not values.size:
        return 0
    return int(max(abs(values.max().item()), abs(values.min().item())))


def against(values: Values, other: Fraction, name: str) -> Values:
    """Floats compared with a rational, exactly."""
    near = float(other)
    if Fraction(near) == other:
        return np.asarray(UFUNCS[name](values, near))
    below = near if Fraction(near) < other else math.nextafter(near, -math.inf)
    if name in ("lt", "le"):
        return np.asarray(values <= below)
    if name in ("gt", "ge"):
        return np.asarray(values > below)
    return np.full(values.shape, name == "ne")
