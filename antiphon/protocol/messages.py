"""Messages: what parties say to each other (CM §2-4).

Messages are immutable and compared by value and *exact* type: a bool is no
int, 0.0 is not -0.0, and an object whose ``__eq__`` lies gets nowhere.
"""

from __future__ import annotations

import enum
import struct
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final, Generic, Literal, TypeAlias

import attrs
import numpy as np
from typing_extensions import TypeVar

from antiphon.protocol.errors import InvalidArgument

MAX_DEPTH: Final = 64
"""How deep tuples, pairs and questions may nest in one message."""


class Symbol(enum.Enum):
    """The four messages without content."""

    EMPTY = "λ"
    HALT = "halt"
    TOP = "⊤"
    BOTTOM = "⊥"

    def __repr__(self) -> str:
        return self.name

    # Identity is equality here; the default hash of an Enum is a Python-level call.
    __hash__ = object.__hash__


EMPTY: Final = Symbol.EMPTY
"""λ: the empty message that makes an adversary speak first (CM §2.2)."""
HALT: Final = Symbol.HALT
"""halt: a party ends the interaction (CM §2.2)."""
TOP: Final = Symbol.TOP
"""⊤: yes, valid, and the acknowledgement of a creation."""
BOTTOM: Final = Symbol.BOTTOM
"""⊥: no, invalid."""

Halt: TypeAlias = Literal[Symbol.HALT]
MessageT = TypeVar("MessageT", default=Any)


def freeze(value: Any, depth: int = 0) -> Any:
    """The value with every array replaced by a read-only copy of its own.

    Raises: InvalidArgument for nesting deeper than MAX_DEPTH.
    """
    kind = type(value)  # pyright: ignore[reportUnknownVariableType]
    if kind is np.ndarray:
        if value.dtype.hasobject or not value.dtype.itemsize:
            raise InvalidArgument("an array message must have a numeric dtype, not objects")
        return np.frombuffer(value.tobytes(), dtype=value.dtype).reshape(value.shape)
    if kind is tuple:
        if depth >= MAX_DEPTH:
            raise InvalidArgument(f"a message may nest at most {MAX_DEPTH} tuples deep")
        return tuple(freeze(item, depth + 1) for item in value)
    return value


def _frozen(value: object) -> Any:
    kind = type(value)
    return freeze(value) if kind is tuple or kind is np.ndarray else value


@attrs.frozen
class Pair(Generic[MessageT]):
    """(m⁰, m¹): what the adversary of the privacy game sends (CM Def. 3.2).

    The identifier I(b) forwards ``zero`` under b = 0 and ``one`` under b = 1.
    """

    zero: MessageT = attrs.field(converter=_frozen)
    one: MessageT = attrs.field(converter=_frozen)


def same(message: MessageT) -> Pair[MessageT]:
    """(m, m): a pair that tells nothing about b.

    >>> same(1)
    Pair(zero=1, one=1)
    """
    return Pair(message, message)


@attrs.frozen
class Ask(Generic[MessageT]):
    """(q, i): ask the i-th created mechanism; i counts creations from 0 (CM Def. 4.1)."""

    query: MessageT = attrs.field(converter=_frozen)
    index: int


_PLAIN: Final = frozenset({int, str, bytes, bool, type(None), Fraction})


def identical(left: object, right: object) -> bool:
    """Whether two messages are the same message: equal in exact type and value.

    Never calls a method of a class it does not know, so a hostile ``__eq__``
    cannot make two different messages pass for one (laws 4 and 5).

    >>> identical(1, True), identical(0.0, -0.0), identical((1, HALT), (1, HALT))
    (False, False, True)
    """
    if left is right:
        return True
    kind = type(left)
    if kind is not type(right):
        return False
    if kind in _PLAIN:
        return bool(left == right)
    if kind is float:
        return struct.pack("<d", left) == struct.pack("<d", right)
    compare = _COMPARISONS.get(kind)
    if compare is not None:
        return compare(left, right)
    return _is_value_class(kind) and _same_fields(kind, left, right)


def _same_tuple(left: tuple[Any, ...], right: tuple[Any, ...]) -> bool:
    return len(left) == len(right) and all(map(identical, left, right))


def _same_array(left: Any, right: Any) -> bool:
    return bool(
        left.dtype == right.dtype
        and left.shape == right.shape
        and left.tobytes() == right.tobytes()
    )


def _is_value_class(kind: type) -> bool:
    """An attrs class of its own, with slots: its fields are all there is to it."""
    return "__attrs_attrs__" in vars(kind) and not kind.__dictoffset__


def _same_fields(kind: type, left: Any, right: Any) -> bool:
    return all(
        identical(getattr(left, field.name), getattr(right, field.name))
        for field in attrs.fields(kind)
        if field.eq
    )


_COMPARISONS: Final[dict[type, Callable[[Any, Any], bool]]] = {
    tuple: _same_tuple,
    np.ndarray: _same_array,
}
