"""Messages that the parties of an interaction exchange (CM §2-4).

Messages are immutable and compared by value and *exact* type: a bool is no int, 0.0 is not -0.0,
and an object's own ``__eq__`` is never trusted.
"""

import enum
import operator
import struct
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, Generic, Literal, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypeVar

from antiphon.numbers.errors import InvalidArgument, with_article
from antiphon.numbers.interning import has_plain_metaclass, telling

MAX_DEPTH: Final = 64
"""The largest depth to which tuples, pairs and questions may be nested in one message."""


class Creation:
    """Base class of messages that ask a composition to create ``mechanism``."""

    __slots__ = ()
    mechanism: Any


class Signal(enum.Enum):
    """The four messages without content: EMPTY, HALT, TOP and BOTTOM."""

    EMPTY = "λ"
    HALT = "halt"
    TOP = "⊤"
    BOTTOM = "⊥"

    def __repr__(self) -> str:
        return self.name

    def __str__(self) -> str:
        return self.value

    # Signals are equal only if identical, and the default hash of an Enum is slower than that of an
    # object.
    __hash__ = object.__hash__


EMPTY: Final = Signal.EMPTY
"""λ: the empty message, on which an adversary speaks first (CM §2.2)."""
HALT: Final = Signal.HALT
"""halt: the message by which a party ends the interaction (CM §2.2)."""
TOP: Final = Signal.TOP
"""⊤: yes, or valid; also the answer to a message that created a mechanism."""
BOTTOM: Final = Signal.BOTTOM
"""⊥: no, or invalid."""

Array: TypeAlias = "NDArray[np.generic]"
Halt: TypeAlias = Literal[Signal.HALT]
MessageT = TypeVar("MessageT", default=Any)


ATOMS: Final = frozenset({int, bool, str, bytes, float, complex, type(None), Fraction, Signal})
"""The types whose values are immutable and contain no other values."""


def freeze(value: Any, depth: int = 0) -> Any:
    """The value with every array in it replaced by a read-only copy.

    Looks into tuples, NamedTuples and attrs classes, so that nobody can change a message after it
    was sent. Mechanisms are kept as they are, because they promise to be immutable.

    Raises: InvalidArgument for a list, dict, set or bytearray, an array of objects, or
    nesting deeper than MAX_DEPTH.
    """
    kind: Any = type(value)  # pyright: ignore[reportUnknownVariableType]
    if type(kind) is type and kind in ATOMS:
        return value
    if kind is tuple and depth < MAX_DEPTH and ATOMS.issuperset(map(type, value)):
        return value
    return _frozen(kind, value, depth)


def _frozen(kind: type[object], value: Any, depth: int) -> object:
    if depth >= MAX_DEPTH and not getattr(kind, "__immutable__", False):
        raise InvalidArgument(f"a message may nest at most {MAX_DEPTH} deep")
    if kind is tuple:
        return tuple([freeze(item, depth + 1) for item in value])
    if getattr(kind, "__immutable__", False):
        return value
    if kind is np.ndarray:
        if value.dtype.hasobject or not value.dtype.itemsize:
            raise InvalidArgument("an array message must have a numeric dtype, not objects")
        if _of_bytes(value):
            # The shape of an array can be changed in place, so the returned view has a shape of its
            # own.
            return value.view()
        return np.frombuffer(value.tobytes(), dtype=value.dtype).reshape(value.shape)
    if kind in _MUTABLE:
        raise InvalidArgument(
            f"a message must be immutable, and {with_article(kind.__name__)} is not: use a tuple, "
            "a frozen attrs class or bytes"
        )
    if "__attrs_attrs__" not in vars(kind):
        made: Callable[[Iterable[object]], object] | None = getattr(kind, "_make", None)
        # A NamedTuple is rebuilt by its constructor ``_make``.
        if made is None or not isinstance(value, tuple):
            return value  # pyright: ignore[reportUnknownVariableType]
        return made(freeze(item, depth + 1) for item in value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return _frozen_fields(kind, value, depth + 1)


def as_messages(values: Iterable[object]) -> tuple[object, ...]:
    """The values as one frozen tuple: the converter of fields that hold several messages."""
    messages: tuple[object, ...] = freeze(tuple(values))
    return messages


def _of_bytes(value: Array) -> bool:
    """Whether an array is a read-only view of a ``bytes``, as after ``freeze``.

    Then a large array is not copied again each time it is passed on.
    """
    owner: Any = value.base
    while type(owner) is np.ndarray:
        owner = owner.base
    return type(owner) is bytes and not value.flags.writeable


_MUTABLE: Final[frozenset[type]] = frozenset({list, dict, set, bytearray})


def _side(value: MessageT) -> MessageT:
    """The value ``zero`` or ``one`` of a pair, with its arrays made read-only; a list, dict, set or
    bytearray stays as it is, and the verifier will refuse the pair."""
    return value if type(value) in _MUTABLE else freeze(value)


def _frozen_fields(kind: Any, value: Any, depth: int) -> object:
    changed = {
        field.alias: frozen
        for field in attrs.fields(kind)
        if field.init and (frozen := freeze(own := getattr(value, field.name), depth)) is not own
    }
    return attrs.evolve(value, **changed) if changed else value


@attrs.frozen
class Pair(Generic[MessageT]):
    """(m⁰, m¹): a message of the privacy game's adversary; only one of its two sides reaches the
    mechanism (CM Def. 3.2).

    The identifier I(b) forwards ``zero`` under b = 0 and ``one`` under b = 1.
    """

    __immutable__ = True

    zero: MessageT = attrs.field(converter=_side)
    one: MessageT = attrs.field(converter=_side)


def same(message: MessageT) -> Pair[MessageT]:
    """The pair (m, m), which reveals nothing about the bit b.

    >>> same(1)
    Pair(zero=1, one=1)
    """
    return Pair(message, message)


@attrs.frozen
class Ask(Generic[MessageT]):
    """Message (q, i): the query q to the i-th created mechanism; i counts from 0 (CM Def. 4.1)."""

    __immutable__ = True

    query: MessageT = attrs.field(converter=_side)
    index: int


_PLAIN: Final = frozenset({int, str, bytes, bool, type(None), Fraction})


@attrs.define
class StandIn:
    """The registered classes of columns: a column holds one value for each replica (parallel run),
    and is treated as a number or as an array.

    ``antiphon.populations`` registers these classes, and how to compare their objects with one
    another, with numbers and with arrays; before that there are none. A class is recognised by
    identity, so that no other class can imitate it.
    """

    of: type | None = None
    array: type | None = None
    same: Callable[[object, object], bool] = operator.is_

    def stands(self, kind: type) -> bool:
        """Whether a class is a class of columns, which hold one value for each replica."""
        return kind is self.of or kind is self.array

    def number(self, value: Any) -> Any:
        """The exact type of a value; for a column, the type of the values that it holds."""
        kind: Any = type(value)  # pyright: ignore[reportUnknownVariableType]
        return value.kind if kind is self.of or kind is self.array else kind


STAND_IN: Final = StandIn()


def identical(left: object, right: object) -> bool:
    """Whether two messages are the same: equal in exact type and value.

    Never asks a class whether its objects are equal, so a hostile ``__eq__`` cannot make
    two different messages pass for one (laws 4 and 5).

    >>> identical(1, True), identical(0.0, -0.0), identical((1, HALT), (1, HALT))
    (False, False, True)
    """
    if left is right:
        return True
    kind = type(left)
    if kind is not type(right):
        stands = STAND_IN.stands(kind) or STAND_IN.stands(type(right))
        return stands and STAND_IN.same(left, right)
    if type(kind) is not type and not has_plain_metaclass(kind):
        # A user's metaclass may disguise a class as another one, so its objects count as different.
        return False
    if kind in _PLAIN:
        return bool(left == right)
    if kind is float:
        return struct.pack("<d", left) == struct.pack("<d", right)
    if kind is STAND_IN.of or kind is STAND_IN.array:
        return STAND_IN.same(left, right)
    compare = _COMPARISONS.get(kind)
    if compare is not None:
        return compare(left, right)
    return _same_fields(kind, left, right)


def _same_tuple(left: tuple[object, ...], right: tuple[object, ...]) -> bool:
    return len(left) == len(right) and all(map(identical, left, right))


def _same_array(left: Array, right: Array) -> bool:
    return bool(
        left.dtype == right.dtype
        and left.shape == right.shape
        and left.tobytes() == right.tobytes()
    )


@lru_cache(maxsize=1024)
def _value_fields(kind: Any) -> tuple[str, ...] | None:
    """The names of the fields that make up the value of an object of a slotted attrs class; None
    for other classes.

    Fields without ``eq`` count too: they may differ, so two objects that differ in them
    are two messages.
    """
    plain = not any("__getattribute__" in vars(base) for base in kind.__mro__[:-1])
    if "__attrs_attrs__" not in vars(kind) or kind.__dictoffset__ or not plain:
        return None
    bases: list[dict[str, object]] = [vars(base) for base in kind.__mro__[1:]]
    if any(base.get("__slots__") and "__attrs_attrs__" not in base for base in bases):
        return None
    return telling(kind)


def _same_fields(kind: type, left: object, right: object) -> bool:
    names = _value_fields(kind)
    if names is None:
        return False
    try:
        return all(identical(getattr(left, name), getattr(right, name)) for name in names)
    except AttributeError:  # An object whose constructor never ran lacks its fields.
        return False


_COMPARISONS: Final[dict[type, Callable[[Any, Any], bool]]] = {
    tuple: _same_tuple,
    np.ndarray: _same_array,
}


def distinct(values: Iterable[MessageT]) -> tuple[MessageT, ...]:
    """The values without repetitions (by ``identical``), in order."""
    kept: list[MessageT] = []
    for value in values:
        if not any(identical(value, other) for other in kept):
            kept.append(value)
    return tuple(kept)


SAME: Final[Any] = attrs.cmp_using(eq=identical, require_same_type=False)
"""The comparison for attrs fields that hold messages: by exact type and value, also for arrays."""
