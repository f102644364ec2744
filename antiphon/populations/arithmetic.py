"""Arithmetic of columns (one number per replica): where NumPy computes as Python does."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Values: TypeAlias = NDArray[Any]

EXACT: Final = 2**53
"""The bound 2^53 up to which every integer is exactly a double."""
WIDE: Final = 2**62
"""The bound up to which the sum of two integers is computed in 64 bits without overflow."""

UFUNCS: Final[dict[str, np.ufunc]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide,
    "floordiv": np.floor_divide, "mod": np.remainder, "eq": np.equal, "ne": np.not_equal,
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip
_DIVISIONS: Final = ("truediv", "floordiv", "mod")


def differs_from_python(left: Values, right: Values, name: str) -> bool:
    """Whether a NumPy operation on these arrays might overflow, round or fail where Python's
    operation on single numbers does not, or the reverse."""
    sizes = [largest_int(left), largest_int(right)]
    integers = "f" not in (left.dtype.kind, right.dtype.kind)
    if max(sizes) > (WIDE if integers and name != "truediv" else EXACT):
        return True
    if name in _DIVISIONS:
        return not np.all(right)
    return integers and (math.prod(sizes) if name == "mul" else sum(sizes)) > WIDE


def numbers(values: Values) -> Values:
    """The array, with truth values converted to the ints 0 and 1."""
    return values.astype(np.int64) if values.dtype.kind == "b" else values


def largest_int(values: Values) -> int:
    """The largest absolute value in an array of ints or truth values; 0 for an array of floats."""
    if values.dtype.kind == "b":
        return 1
    if values.dtype.kind != "i" or not values.size:
        return 0
    return int(max(abs(values.max().item()), abs(values.min().item())))


def against(values: Values, other: Fraction, name: str) -> Values:
    """A mask of the floats whose relation ``name`` (such as "lt") to a rational holds, exactly."""
    near = float(other)
    if Fraction(near) == other:
        return np.asarray(UFUNCS[name](values, near))
    below = near if Fraction(near) < other else math.nextafter(near, -math.inf)
    if name in ("lt", "le"):
        return np.asarray(values <= below)
    if name in ("gt", "ge"):
        return np.asarray(values > below)
    return np.full(values.shape, name == "ne")


Indices: TypeAlias = NDArray[np.intp]
Mask: TypeAlias = NDArray[np.bool_]


class Lanes:
    """The replicas (independent runs) in a block of a population: only their count while they are
    all alike, later their indices.

    While no number differs between replicas, they are all alike and only their count is stored.
    """

    __slots__ = ("_ids", "_places", "_table", "mask", "numbered", "parent", "size", "total")

    def __init__(self, size: int, ids: Indices | None = None, total: int | None = None) -> None:
        self.size = size
        self._ids = ids
        self.total = size if total is None else total
        self.numbered = ids is not None
        self.parent: Lanes | None = None
        self.mask: Any = None
        """The boolean mask that selects these replicas among those of ``parent``, the block from
        which they were split; None without a parent."""
        self._table: Indices | None = None
        self._places: dict[Lanes, Indices] = {}

    @property
    def ids(self) -> Indices | None:
        """The indices of these replicas among all ``total`` replicas; None if these are all."""
        if self._ids is None and self.parent is not None:
            self._ids = self.parent.chosen(np.flatnonzero(self.mask))
        return self._ids

    def settle(self) -> None:
        """Free the memory of the larger block from which these replicas were split."""
        if self.parent is not None:
            self._ids = self.ids
            self.parent = self.mask = None

    def chosen(self, places: Indices) -> Indices:
        """The indices (among all replicas of the population) of the replicas at these positions in
        the block."""
        ids = self.ids
        return places if ids is None else ids[places]

    def only(self, chosen: Indices) -> Lanes:
        """A block of only the replicas at these positions."""
        return Lanes(len(chosen), self.chosen(chosen), self.total)

    def where(self, mask: Mask, count: int) -> Lanes:
        """The ``count`` replicas where the mask is true; their indices are computed on demand."""
        part = Lanes(count, None, self.total)
        part.numbered, part.parent, part.mask = True, self, mask
        return part

    def places(self, born: Lanes) -> Indices:
        """The positions of these replicas in ``born``, an earlier block that contains them."""
        if born is self.parent and self._ids is None:
            found = self._places.get(born)
            if found is None:
                found = self._places[born] = np.flatnonzero(self.mask)
            return found
        ids = self.ids
        if ids is None:
            ids = np.arange(self.total)
        born_ids = born.ids
        if born_ids is None:
            return ids
        found = self._places.get(born)
        if found is None:
            if born._table is None:
                born._table = np.empty(born.total, np.intp)
                born._table[born_ids] = np.arange(born.size)
            found = self._places[born] = born._table[ids]
        return found
