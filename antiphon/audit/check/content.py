"""What a state holds, as a value that stays what it is when the state is changed in place."""

from __future__ import annotations

from typing import Any, Final

import attrs
import numpy as np

_DEEPEST: Final = 40


def content(value: Any, depth: int = 0) -> object:
    """A deep, comparable copy; a thing it does not know is known by its identity.

    Of an attrs class, the fields that are compared: others are caches.
    """
    kind: Any = type(value)  # pyright: ignore[reportUnknownVariableType]
    if depth > _DEEPEST or getattr(kind, "__immutable__", False):
        return kind, id(value)
    if kind is np.ndarray:
        if value.dtype.hasobject:
            return kind, tuple(content(item, depth + 1) for item in value.ravel().tolist())
        return kind, value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, dict):
        return kind, tuple((_of(k, depth), _of(v, depth)) for k, v in value.items())  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(value, set | frozenset):
        return kind, frozenset(_of(item, depth) for item in value)  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list | tuple):
        return kind, tuple(_of(item, depth) for item in value)  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, bytearray):
        return kind, bytes(value)
    if attrs.has(kind):
        fields = (field.name for field in attrs.fields(kind) if field.eq)
        return kind, tuple(_of(getattr(value, name, None), depth) for name in fields)
    if hasattr(value, "__dict__") and not isinstance(value, type) and not callable(value):
        return kind, id(value), _of(vars(value), depth)
    return kind, repr(value) if kind in (int, float, complex, str, bytes, bool) else id(value)


def _of(value: Any, depth: int) -> object:
    return content(value, depth + 1)
