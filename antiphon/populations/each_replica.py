"""Computation replica by replica, for operations that columns do not support.

``to_scalar`` converts a message with columns for a part that supports plain numbers only.
"""

import operator
from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from itertools import repeat
from typing import Any

import attrs
import numpy as np

from antiphon.numbers.interning import has_plain_metaclass
from antiphon.populations.arithmetic import Values
from antiphon.populations.array_columns import ENTRIES, ArrayColumn
from antiphon.populations.columns import Apart, Column, Deciding, PerReplica
from antiphon.protocol.coins.column_safety import is_column_safe
from antiphon.protocol.messages import ATOMS
from antiphon.protocol.spaces import Space


class Opaque(PerReplica):
    """A value for each replica with which columns cannot compute, such as a Fraction.

    Only ``for_each`` and coins read the values of many replicas; any other use steps the replicas
    one by one.
    """

    __slots__ = ()
    _values: list[Any]

    def __repr__(self) -> str:
        return f"<Opaque of {self._lanes.size} values>"

    def now(self) -> list[Any]:
        """The values of the replicas that are being stepped, as a list."""
        lanes = self.coins.lanes
        if lanes is self._lanes:
            return self._values
        return [self._values[place] for place in lanes.places(self._lanes).tolist()]

    def _first(self) -> Any:
        return self.now()[0]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.alone(), name)

    def __bool__(self) -> bool:
        return bool(self.alone())

    def __eq__(self, other: object) -> bool:
        return bool(self.alone() == other)

    def __hash__(self) -> int:
        return hash(self.alone())


def for_each(function: Callable[..., Any], *values: Any) -> Any:
    """The result of ``function``; if some of its arguments are columns, the results for all
    replicas, computed one by one.

    For computations other than arithmetic: ``math.…``, a projection, a look-up. The function must
    be pure. It receives numbers and arrays, also in a tuple; its results become a column of numbers
    or arrays, or else an ``Opaque``. It is called once for each replica, and the block is not
    split. Raises: Apart, if the function raises for one of several replicas, or returns numbers of
    several types.

    >>> for_each(abs, -1)
    1
    """
    coins = next((found for found in map(_coins_of, values) if found is not None), None)
    if coins is None:
        return function(*values)
    rows = [_rows(value) for value in values]
    if coins.lanes.size == 1:
        return function(*(next(iter(row)) for row in rows))
    try:
        made = list(map(function, *rows))
    except Exception:  # If the function fails for some replicas, each is stepped alone.
        raise Apart from None
    return _column(made, coins)


def for_all(function: Callable[[Values], Values], array: Any) -> Any:
    """The result of ``function`` for an array; if ``array`` is a column of arrays, ``function``
    gets all replicas' arrays stacked along the first axis.

    Its result for each array must be the same to the bit as for that array alone, as with look-ups
    in a table.
    """
    if type(array) is not ArrayColumn:
        return function(array)
    return ArrayColumn(function(array.now()), array.coins)


def _coins_of(value: Any) -> Deciding | None:
    """Coins of the column that a value is or contains; None for a value that all replicas share."""
    kind: Any = type(value)  # pyright: ignore[reportUnknownVariableType]
    if kind is Column or kind is ArrayColumn or kind is Opaque:
        found: Deciding = value.coins
        return found
    items: tuple[object, ...] = value if kind is tuple else ()
    return next((found for found in map(_coins_of, items) if found is not None), None)


def _rows(value: Any) -> Iterable[Any]:
    """The value in each replica, one after another; if all replicas share one value, it is repeated
    endlessly."""
    if _coins_of(value) is None:
        return repeat(value)
    kind: Any = type(value)  # pyright: ignore[reportUnknownVariableType]
    if kind is tuple:
        return zip(*map(_rows, value), strict=False)
    if kind is Opaque:
        own: list[Any] = value.now()
        return own
    if kind is Column:
        listed: list[Any] = value.now().tolist()
        return listed
    table: Values = np.ascontiguousarray(value.now()).view()
    table.flags.writeable = False
    return table


def _column(made: list[Any], coins: Deciding) -> Any:
    kind: Any = type(made[0])  # pyright: ignore[reportUnknownVariableType]
    if any(type(each) is not kind for each in made):
        raise Apart
    if kind is float or kind is bool:
        return Column(np.array(made), coins)
    if kind is int:
        try:
            return Column(np.array(made, np.int64), coins)
        except OverflowError:
            raise Apart from None
    if kind is np.ndarray or issubclass(kind, np.generic):
        dtype, shape = made[0].dtype, made[0].shape
        if dtype.str in ENTRIES and all((x.dtype, x.shape) == (dtype, shape) for x in made):
            return ArrayColumn(np.array(made), coins)
    return Opaque(made, coins)


def to_scalar(message: Any, part: object = None) -> Any:
    """The message as the only replica being stepped sees it: columns, also inside tuples and attrs
    classes, are replaced by plain Python values.

    Raises: Apart, naming ``part``, if the message holds a column of several replicas.
    """
    kind: Any = type(message)  # pyright: ignore[reportUnknownVariableType]
    if not has_plain_metaclass(kind) or kind in ATOMS:
        return message
    if kind is Column or kind is ArrayColumn or kind is Opaque:
        return message.alone(part)
    if isinstance(message, tuple):
        items = [to_scalar(item, part) for item in message]  # pyright: ignore[reportUnknownVariableType]
        if all(map(operator.is_, items, message)):  # pyright: ignore[reportUnknownArgumentType]
            return message  # pyright: ignore[reportUnknownVariableType]
        return tuple(items) if kind is tuple else kind(*items)
    changed = {
        alias: new
        for name, alias in _fields(kind)
        if (new := to_scalar(old := getattr(message, name, None), part)) is not old
    }
    return attrs.evolve(message, **changed) if changed else message


@lru_cache(maxsize=1024)
def _fields(kind: Any) -> tuple[tuple[str, str], ...]:
    """The (name, alias) of each field of an attrs class of messages; empty for a mechanism."""
    if "__attrs_attrs__" not in vars(kind) or hasattr(kind, "step"):
        return ()
    return tuple((field.name, field.alias) for field in attrs.fields(kind) if field.init)


def accepting(space: Space) -> Callable[[object], bool]:
    """A function that tells whether a message belongs to a space; where the space does not support
    columns, it is called for one replica at a time."""
    return space.contains if is_column_safe(space) else partial(_contains, space)


def _contains(space: Space, message: object) -> bool:
    return space.contains(to_scalar(message, space))
