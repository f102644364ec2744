"""Numbers for values, by exact type: 1, True and 1.0 are three different answers."""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Hashable
from decimal import Decimal
from typing import Any

import attrs
import numpy as np

from antiphon.protocol.errors import InvalidArgument
from antiphon.protocol.vector import Vector


def fingerprint(value: Any) -> Hashable:
    """A key that two values share only if they are the same in exact type and content.

    Merging answers that differ would make a privacy figure too small, so types are
    part of the key at every depth. A class it does not know is compared by its own
    ``==`` and ``hash``.
    """
    kind: type[Any] = type(value)  # pyright: ignore[reportUnknownVariableType]
    if kind is float:
        return kind, struct.pack("<d", value)
    if isinstance(value, tuple):
        return (kind, *map(fingerprint, value))  # pyright: ignore[reportUnknownArgumentType]
    if kind is Vector:
        return (kind, *map(fingerprint, value))
    if isinstance(value, frozenset):
        return kind, frozenset(map(fingerprint, value))  # pyright: ignore[reportUnknownArgumentType]
    if kind is complex:
        return kind, struct.pack("<2d", value.real, value.imag)
    if kind is Decimal:
        return kind, value.as_tuple()
    if kind is np.ndarray:
        return kind, value.dtype.str, value.shape, value.tobytes()
    if issubclass(kind, np.generic):
        return kind, str(value.dtype), value.tobytes()  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType, reportUnknownMemberType]
    hashed: Any = kind.__hash__
    if "__attrs_attrs__" in vars(kind) and hashed is not object.__hash__:
        fields = (field.name for field in attrs.fields(kind) if field.eq)
        return (kind, *(fingerprint(getattr(value, name)) for name in fields))
    if dataclasses.is_dataclass(kind) and hashed not in (None, object.__hash__):
        names = (field.name for field in dataclasses.fields(kind) if field.compare)
        return (kind, *(fingerprint(getattr(value, name)) for name in names))
    return kind, value


@attrs.define(eq=False)
class Interner:
    """Values numbered in the order they are met."""

    values: list[Any] = attrs.field(factory=list[Any])
    _ids: dict[Hashable, int] = attrs.field(factory=dict[Hashable, int])

    def __call__(self, value: Any) -> int:
        """The number of a value. Raises: InvalidArgument if it cannot be hashed."""
        try:
            number = self._ids.setdefault(fingerprint(value), len(self.values))
        except TypeError as error:
            raise InvalidArgument(
                f"states and messages must be immutable values that can be hashed ({error}): "
                "use tuples, frozensets and frozen attrs classes"
            ) from None
        if number == len(self.values):
            self.values.append(value)
        return number
