"""Messages with columns in them, as a part hears them that knows only numbers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import attrs

from antiphon.numbers.interning import honest
from antiphon.populations.array_columns import ArrayColumn
from antiphon.populations.columns import Column
from antiphon.populations.each_replica import Opaque
from antiphon.protocol.coins.column_safety import is_column_safe
from antiphon.protocol.messages import ATOMS
from antiphon.protocol.spaces import Space


def plain(message: Any, part: object = None) -> Any:
    """The message with Python numbers for columns, looking into tuples and attrs classes.

    Raises: Apart, for the sake of a ``part``, if it holds a column of several replicas.
    """
    kind: Any = type(message)  # pyright: ignore[reportUnknownVariableType]
    if not honest(kind) or kind in ATOMS:
        return message
    if kind is Column or kind is ArrayColumn or kind is Opaque:
        return message.alone(part)
    if isinstance(message, tuple):
        items = [plain(item, part) for item in message]  # pyright: ignore[reportUnknownVariableType]
        if all(map(operator.is_, items, message)):  # pyright: ignore[reportUnknownArgumentType]
            return message  # pyright: ignore[reportUnknownVariableType]
        return tuple(items) if kind is tuple else kind(*items)
    changed = {
        alias: new
        for name, alias in _fields(kind)
        if (new := plain(old := getattr(message, name, None), part)) is not old
    }
    return attrs.evolve(message, **changed) if changed else message


@lru_cache(maxsize=1024)
def _fields(kind: Any) -> tuple[tuple[str, str], ...]:
    """What messages of an attrs class are made of; a mechanism is no message but itself."""
    if "__attrs_attrs__" not in vars(kind) or hasattr(kind, "step"):
        return ()
    return tuple((field.name, field.alias) for field in attrs.fields(kind) if field.init)


def accepting(space: Space) -> Callable[[object], bool]:
    """Whether a message belongs to a space; that of each replica, to one that takes no columns."""
    return space.contains if is_column_safe(space) else partial(_contains, space)


def _contains(space: Space, message: object) -> bool:
    return space.contains(plain(message, space))
