"""Columns of arrays: an array for each replica of a population, written as if it were one array.

A result is bit for bit the one that NumPy gives for each replica's array alone; where this is
impossible, the replicas are stepped one by one. Only operations that are exact, or round each entry
separately, are computed for all at once; an int64 entry that overflows wraps, as in NumPy.
Reductions such as ``sum`` and ``max`` give NumPy numbers; ``.item()`` makes them columns of Python
numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import DTypeLike

from antiphon.populations.arithmetic import Values
from antiphon.populations.columns import Column, Deciding, NumberLike, same_numbers
from antiphon.protocol.messages import STAND_IN, freeze

ENTRIES: Final = ("<i8", "<f8", "|b1")
"""The dtypes of entries that columns support: int64, float64 and bool."""
_EXACT: Final = frozenset(
    {np.add, np.subtract, np.multiply, np.true_divide, np.floor_divide, np.remainder, np.negative,
     np.positive, np.absolute, np.invert, np.bitwise_and, np.bitwise_or, np.bitwise_xor,
     np.logical_and, np.logical_or, np.logical_not, np.equal, np.not_equal, np.less,
     np.less_equal, np.greater, np.greater_equal, np.sqrt, np.floor, np.ceil, np.rint}
)  # fmt: skip
"""The NumPy functions that never raise an error and treat each entry alike, whatever its position
in the array."""
_INT64: Final = 2**63 - 1
Made: TypeAlias = Any
"""The type of the result of an operation: a column of arrays, or the result of a single replica."""


def _of_all(name: str) -> Callable[..., Made]:
    """A method of ``ArrayColumn`` that applies the NumPy reduction ``name`` (such as "sum") to each
    replica's array."""

    def reduced(column: ArrayColumn, axis: object = None, **options: object) -> Made:
        return column.of_all(name, {"axis": axis, **options})

    return reduced


class ArrayColumn(NumberLike, NDArrayOperatorsMixin):
    """A column of arrays: an array for each replica, all of one shape and dtype; if they have no
    axes, a NumPy number for each replica.

    Arithmetic and comparison with numbers, arrays and columns of either, indexing, also by a
    column of ints, ``sum``, ``max``, ``min``, ``argmax``, ``argmin``, ``any``, ``all``, ``astype``,
    ``tolist`` and ``item``. Everything else is left to the array of a single replica.
    """

    __slots__ = ()
    _values: Values

    def __repr__(self) -> str:
        return f"<ArrayColumn of {self._lanes.size} arrays of shape {self.shape}>"

    def now(self) -> Values:
        """The arrays of the replicas that are being stepped, stacked along the first axis."""
        lanes = self.coins.lanes
        return self._values if lanes is self._lanes else self._values[lanes.places(self._lanes)]

    def _first(self) -> Any:
        return freeze(self.now()[0])

    # --- the attributes of an array -------------------------------------------------------

    @property
    def kind(self) -> type:
        """The exact type of the value in each replica: ``np.ndarray``, or a NumPy number type."""
        found: type = np.ndarray if self.shape else self.dtype.type
        return found

    @property
    def shape(self) -> tuple[int, ...]:
        return self._values.shape[1:]

    @property
    def ndim(self) -> int:
        return self._values.ndim - 1

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._values.dtype

    def of(self, entries: str, *, axes: int) -> bool:
        """Whether each replica's array has the dtype ``entries`` and this number of axes."""
        return self.dtype.str == entries and self.ndim == axes

    def __getattr__(self, name: str) -> Any:
        # NumPy and other libraries test for attributes named ``__…``, which a column must not
        # pretend to have.
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.alone(), name)

    # --- operations that need the array of a single replica ---------------------------------------

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Values:
        return np.array(self.alone(), dtype=dtype)

    def __bool__(self) -> bool:
        return bool(self.alone()) if self.shape else bool(Column(self.now(), self.coins))

    def __hash__(self) -> int:
        if self.shape:
            raise TypeError("unhashable type: 'numpy.ndarray'")
        return hash(self.alone())

    def __round__(self, digits: int | None = None) -> Any:
        return round(self.alone(), digits)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return int(self.shape[0])

    def __iter__(self) -> Iterator[Made]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, key: Any) -> Made:
        if type(key) is Column and key.kind is int and self.shape:
            return self._at(key.now())
        if type(key) is ArrayColumn and key.of("<i8", axes=0) and self.shape:
            return self._at(key.now())
        if type(key) is int or type(key) is slice:
            return ArrayColumn(self.now()[:, key], self.coins)
        return self.alone()[_alone(key)]

    def _at(self, places: Values) -> Made:
        """For each replica, the entry of its array at its own index, given by ``places``; if an
        index is out of range, the replicas are stepped one by one."""
        if places.min() < -len(self) or places.max() >= len(self):
            return self.alone()[places.item()]
        return ArrayColumn(self.now()[np.arange(len(places)), places], self.coins)

    def tolist(self) -> Any:
        """Nested list of columns, like the list of ``ndarray.tolist``; without axes, one column."""
        return [each.tolist() for each in self] if self.shape else self.item()

    def item(self, *place: int) -> Any:
        """The number of each replica, as a column, if the arrays have no axes."""
        if place or self.shape:
            return self.alone().item(*place)
        return Column(self.now(), self.coins)

    def astype(self, dtype: Any, **options: object) -> Made:
        """The arrays as float64, or, from integers or truth values, as int64."""
        wanted = np.dtype(dtype)
        known = wanted == np.float64 or (wanted == np.int64 and self.dtype.kind != "f")
        # Floats become ints replica by replica, as a float past 64 bits would give an undefined
        # int.
        if options or not known:
            return self.alone().astype(dtype, **options)
        return ArrayColumn(self.now().astype(wanted), self.coins)

    def of_all(self, name: str, options: dict[str, object]) -> Made:
        """A NumPy reduction over all entries of each replica's array; floats are added in the order
        in which NumPy adds those of a single array."""
        if all(value is None for value in options.values()):
            values = self.now()
            values = np.ascontiguousarray(values.reshape(len(values), -1))
            found: Values = getattr(values, name)(axis=1)
            if name not in _ENDS or not _sign_is_chance(found, values):
                return ArrayColumn(found, self.coins)
        return getattr(self.alone(), name)(**options)

    sum, max, min = map(_of_all, ("sum", "max", "min"))
    argmax, argmin = map(_of_all, ("argmax", "argmin"))
    any, all = map(_of_all, ("any", "all"))

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Made:
        return computed(ufunc, method, inputs, options, self.coins)


_ENDS: Final = ("max", "min")


def _sign_is_chance(found: Values, values: Values) -> bool:
    """Whether a maximum or minimum may be 0.0 or -0.0 by chance, since some entry is -0.0."""
    if values.dtype.kind != "f" or found.all():
        return False
    return bool(np.any(np.signbit(values) & (values == 0)))


def _alone(value: Any) -> Any:
    return value.alone() if type(value) is Column or type(value) is ArrayColumn else value


def computed(
    ufunc: np.ufunc, method: str, inputs: Sequence[Any], options: dict[str, Any], coins: Deciding
) -> Made:
    """The result of a NumPy function of columns and arrays, for all replicas at once or for the
    only replica that is being stepped.

    Raises: Apart, if the replicas must be stepped one by one; TypeError for a change in place, as a
    column is immutable.
    """
    if any(type(each) is ArrayColumn for each in options.get("out", ())):
        raise TypeError("a column cannot be changed in place: write x = x + y, not x += y")
    if method == "__call__" and not options and ufunc in _EXACT:
        axes = [_axes(each) for each in inputs]
        if all(each is not None for each in axes):
            rank = max(each for each in axes if each is not None)
            found = np.asarray(ufunc(*(_side(each, rank) for each in inputs)))
            if found.dtype.str in ENTRIES:
                return ArrayColumn(found, coins)
    return getattr(ufunc, method)(*map(_alone, inputs), **options)


def _axes(side: Any) -> int | None:
    """The number of axes of an operand in each replica; None if columns cannot compute with it."""
    kind: Any = type(side)  # pyright: ignore[reportUnknownVariableType]
    if kind is ArrayColumn or (kind is np.ndarray and side.dtype.str in ENTRIES):
        return int(side.ndim)
    numbers = kind is Column or kind is int or kind is float or kind is bool
    return 0 if numbers or kind is np.int64 or kind is np.float64 or kind is np.bool_ else None


def _side(side: Any, rank: int) -> Any:
    """An operand of an operation with columns: a column becomes an array whose first axis is the
    replicas, followed by ``rank`` axes; any other operand is returned unchanged."""
    if type(side) is not Column and type(side) is not ArrayColumn:
        return side
    values: Values = side.now()
    return values.reshape(len(values), *[1] * (rank + 1 - values.ndim), *values.shape[1:])


# --- columns of arrays among other values ----------------------------------------------------


def int64s(numbers: Sequence[Any]) -> Any:
    """The ints as a read-only int64 array; an int that does not fit 64 bits is clipped.

    If some of the numbers are columns of ints, the result is a column of arrays.
    """
    found = _stacked(numbers, int)
    return freeze(np.array(_clipped(numbers), np.int64)) if found is None else found


def float64s(numbers: Sequence[Any]) -> Any:
    """The numbers as a read-only float64 array; if some are columns, a column of arrays."""
    found = _stacked(numbers, float)
    return freeze(np.array(numbers, np.float64)) if found is None else found


def _stacked(numbers: Sequence[Any], kind: type) -> ArrayColumn | None:
    """The numbers of each replica as a row of a column of arrays; None if none of the numbers is a
    column, or if a column's type is not ``kind``."""
    columns = [each for each in numbers if type(each) is Column]
    if not columns or any(each.kind is not kind for each in columns):
        return None
    coins = columns[0].coins
    dtype = np.int64 if kind is int else np.float64
    table: Values = np.empty((len(numbers), coins.lanes.size), dtype)
    for place, each in enumerate(numbers):
        plain = _clipped([each])[0] if kind is int and type(each) is not Column else each
        table[place] = plain.now() if type(plain) is Column else plain
    return ArrayColumn(table.T, coins)


def _clipped(numbers: Sequence[int]) -> Sequence[int]:
    if max(numbers) > _INT64 or min(numbers) < -_INT64 - 1:
        return [min(max(each, -_INT64 - 1), _INT64) for each in numbers]
    return numbers


def _same(left: Any, right: Any) -> bool:
    """Whether two columns (or a column and a plain value) are the same message in every replica."""
    if type(left) is not ArrayColumn and type(right) is not ArrayColumn:
        return same_numbers(left, right)
    kinds = STAND_IN.number(left), STAND_IN.number(right)
    if kinds[0] is not kinds[1] or left.dtype != right.dtype or left.shape != right.shape:
        return False
    column = left if type(left) is ArrayColumn else right
    sides = [each.now() if type(each) is ArrayColumn else each[None] for each in (left, right)]
    if column.dtype.kind == "f":
        sides = [np.ascontiguousarray(each).view(np.int64) for each in sides]
    equal: Any = np.equal(*sides)
    equal = equal.reshape(column.coins.lanes.size, -1).all(axis=1)
    return bool(Column(equal, column.coins))


STAND_IN.array, STAND_IN.same = ArrayColumn, _same
