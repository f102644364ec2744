"""Hashable keys of values, by exact type and content; a numbering of values by these keys."""

import enum
import struct
from abc import ABCMeta
from collections.abc import Callable, Hashable, Iterable
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import repeat
from operator import is_
from types import MemberDescriptorType
from typing import Any, Final, TypeAlias

import attrs
import numpy as np

from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.persistent_vector import Vector


def has_plain_metaclass(kind: type) -> bool:
    """Whether the metaclass of a class is type, ABCMeta or EnumMeta, which cannot change its
    attributes or its equality.

    Checked before a class is used as a dictionary key: a user's metaclass may define a hash and
    ``==`` by which its class passes for ``int``. Compared by identity, as a metaclass may have a
    metaclass of this kind, too.
    """
    meta = type(kind)
    return meta is type or meta is ABCMeta or meta is enum.EnumMeta


def all_are(kind: type, values: tuple[object, ...]) -> bool:
    """Whether every value has exactly the type ``kind``; subclasses do not count."""
    return all(map(is_, map(type, values), repeat(kind)))


Content: TypeAlias = Callable[[Any], Hashable]
"""The type of a function from a value to its content, by which values of one class are compared."""


def fingerprint(value: object) -> Hashable:
    """A hashable key that two values share only if they agree in exact type and content.

    Merging answers that differ would make a privacy figure too small, so types are part of the key
    at every depth. For a class with its own ``==`` all attributes must agree, too, as the ``==``
    may forget one. If the class has a method ``__fingerprint__``, only the result of this method is
    compared.
    """
    kind: type = type(value)
    if type(kind) is not type and not has_plain_metaclass(kind):
        return id(kind), _attributes(kind)(value)
    content = _content(kind)
    return kind, value if content is None else content(value)


@lru_cache(maxsize=4096)
def _content(kind: type[Any]) -> Content | None:
    """The function that gives the content by which values of a class are compared; None if they are
    compared by identity."""
    if kind in _CONTENTS:
        return _CONTENTS[kind]
    own: Content | None = vars(kind).get("__fingerprint__")
    if own is not None:
        return own
    if issubclass(kind, tuple):
        return _attributes(kind, _items)  # pyright: ignore[reportUnknownArgumentType]
    if issubclass(kind, frozenset):
        return _attributes(kind, _members)  # pyright: ignore[reportUnknownArgumentType]
    if issubclass(kind, np.generic):
        return _scalar
    hashed: object = kind.__hash__  # The hash is None in a class that sets ``__hash__ = None``.
    if hashed is None or hashed is object.__hash__:
        return None
    if "__attrs_attrs__" in vars(kind):
        # In an attrs class of this library, the fields that ``telling`` names determine the others.
        ours, every = kind.__module__.startswith("antiphon."), attrs.fields(kind)
        return _fields(telling(kind) if ours else tuple(field.name for field in every))
    if kind in _BY_THEMSELVES or issubclass(kind, enum.Enum):
        return None
    return _attributes(kind)


def telling(kind: Any) -> tuple[str, ...]:
    """The names of the fields by which objects of an attrs class differ: those that ``==`` compares
    and those that the constructor takes."""
    return tuple(field.name for field in attrs.fields(kind) if field.eq or field.init)


def _items(value: Iterable[object]) -> Hashable:
    return tuple(map(fingerprint, value))


def _members(value: Iterable[object]) -> Hashable:
    return frozenset(map(fingerprint, value))


def _scalar(value: np.generic) -> Hashable:
    return str(value.dtype), value.tobytes()


def _entries(value: np.ndarray[Any, np.dtype[Any]]) -> Hashable:
    return _items(value.ravel().tolist()) if value.dtype.hasobject else value.tobytes()


def _fields(names: tuple[str, ...]) -> Content:
    def content(value: object) -> Hashable:
        return tuple([fingerprint(getattr(value, name)) for name in names])

    return content


def _itself(value: Hashable) -> Hashable:
    return value


def _attributes(kind: type[Any], itself: Content = _itself) -> Content:
    """A function from an object to the content by which it is compared: the result of ``itself``
    (by default the object, with its ``==``), with the values of all its slots and attributes."""
    slots = [
        slot
        for base in kind.__mro__
        for slot in vars(base).values()
        if type(slot) is MemberDescriptorType
    ]

    def content(value: object) -> Hashable:
        own: dict[str, object] = object.__getattribute__(value, "__dict__") if has_dict else {}
        there = [_held(slot, value) for slot in slots]
        held = frozenset((name, fingerprint(own[name])) for name in own)
        return itself(value), tuple(there), held

    has_dict = kind.__dictoffset__ != 0
    return content if slots or has_dict else itself


def _held(slot: MemberDescriptorType, value: object) -> Hashable:
    try:
        return fingerprint(slot.__get__(value))
    except AttributeError:
        return None


_BY_THEMSELVES: Final = frozenset({int, bool, str, bytes, type(None)})

_CONTENTS: Final[dict[type, Content]] = {
    float: lambda value: struct.pack("<d", value),
    complex: lambda value: struct.pack("<2d", value.real, value.imag),
    Decimal: lambda value: value.as_tuple(),
    # The hash of a Fraction is slow, so its pair of integers is compared instead.
    Fraction: Fraction.as_integer_ratio,
    Vector: _items,
    np.ndarray: lambda value: (value.dtype.str, value.shape, _entries(value)),
}


def compared_by(kind: type, *names: str) -> None:
    """Make ``fingerprint`` compare a class's values by some fields, which determine the others."""
    _CONTENTS[kind] = _fields(names)


@attrs.define(eq=False)
class Interner:
    """A numbering 0, 1, … of hashable values, in the order in which they first occur."""

    values: list[object] = attrs.field(factory=list[object])
    _ids: dict[Hashable, int] = attrs.field(factory=dict[Hashable, int])

    def refill(self, values: Iterable[object]) -> None:
        """Number new values, in order. Raises: InvalidArgument if one has a number already."""
        for number, value in enumerate(values, len(self.values)):
            if self(value) != number:
                raise InvalidArgument("a value has two numbers")

    def __call__(self, value: object) -> int:
        """The number of a value, old or new. Raises: InvalidArgument if it cannot be hashed."""
        try:
            key = fingerprint(value)
            number = self._ids.get(key)
        except (TypeError, RecursionError) as error:
            raise InvalidArgument(
                f"states and messages must be immutable values that can be hashed ({error}): "
                "use tuples, frozensets and frozen attrs classes"
            ) from None
        if number is None:
            number = len(self._ids)
            # An interrupted call may have left a value here, which this assignment overwrites.
            self.values[number:] = [value]
            self._ids[key] = number
        return number
