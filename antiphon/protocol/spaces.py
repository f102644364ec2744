"""Message spaces: the sets Q and A that every mechanism declares.

A space says whether a value belongs, by exact type, and lists its elements when
they are finitely many. Spaces are values: equal spaces are interchangeable.
"""

from __future__ import annotations

import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, Final

import attrs
import numpy as np

from antiphon.numbers import Intractable, InvalidArgument, arrays
from antiphon.numbers.arrays import Bound, product
from antiphon.numbers.errors import listed, of_kind
from antiphon.numbers.interning import all_are
from antiphon.protocol.messages import STAND_IN, Pair, freeze, identical
from antiphon.protocol.registry import column_safe, register, set_derived


class Space(ABC):
    """A set of messages; a subclass may override ``cure``."""

    __slots__ = ()
    discrete: bool = False
    """Whether the set is known to be countable (the premise "discrete answers" of CM §4)."""
    finite: bool = False
    """Whether the space is finite, so that ``enumerate`` works."""

    @abstractmethod
    def contains(self, value: object) -> bool:
        """Whether a value belongs to the space. It never raises, whatever the value."""

    def contains_all(self, values: tuple[object, ...]) -> bool:
        """Whether all the values belong to the space."""
        return all(map(self.contains, values))

    def cure(self, value: object) -> str:
        """Advice, after "; ", on a value outside, of which it shows nothing; or an empty text."""
        return ""

    def enumerate(self) -> Iterator[Any]:
        """The elements of the space, in a fixed order. Raises: Intractable if it is not finite."""
        raise Intractable(f"listing {self}", "infinite", "finite")

    def includes(self, other: Space) -> bool:
        """Whether the other space is known to be a subset of this one."""
        known = True if self == other else _known(self, other)
        if known is None:
            return other.finite and all(map(self.contains, other.enumerate()))
        return known


class Listed(Space):
    """A space that lists its elements, if it is ``finite``. Abstract."""

    __slots__ = ()

    @abstractmethod
    def elements(self) -> Iterator[Any]:
        """The elements of this space, in a fixed order; called only if it is finite."""

    def enumerate(self) -> Iterator[Any]:
        return self.elements() if self.finite else super().enumerate()


@register("antiphon.Anything/1")
@column_safe
@attrs.frozen
class Anything(Space):
    """The space of all values. It is not known to be discrete."""

    def contains(self, value: object) -> bool:
        return True


def _elements(values: Iterable[object]) -> tuple[object, ...]:
    if type(values) is str:
        raise InvalidArgument(f"values is a list, not a text; write Finite(({values!r},))")
    return tuple(freeze(value) for value in listed(values, "values", "Finite((0, 1))"))


@register("antiphon.Finite/1")
@column_safe
@attrs.frozen
class Finite(Listed):
    """The space of the listed values.

    >>> bits = Finite((0, 1))
    >>> bits.contains(1), bits.contains(True), bits.contains(2)
    (True, False, False)
    """

    discrete = True
    finite = True
    values: tuple[object, ...] = attrs.field(converter=_elements)
    _index: dict[object, list[object]] = attrs.field(init=False, eq=False, repr=False)
    _kind: type | None = attrs.field(init=False, eq=False, repr=False)
    """The common type of the listed values, if it is int, str or bytes, so that ``==`` compares
    them as messages; else None."""

    def __attrs_post_init__(self) -> None:
        index: dict[object, list[object]] = {}
        for value in self.values:
            try:
                alike = index.setdefault(value, [])
            except TypeError:
                raise InvalidArgument("a finite space lists hashable values") from None
            if any(identical(value, other) for other in alike):
                raise InvalidArgument("a finite space lists each value once")
            alike.append(value)
        kinds = [each for each in (int, str, bytes) if all_are(each, self.values)]
        set_derived(self, _index=index, _kind=kinds[0] if self.values and kinds else None)

    def contains_all(self, values: tuple[object, ...]) -> bool:
        if self._kind is not None and all_are(self._kind, values):
            return self._index.keys() >= set(values)
        return super().contains_all(values)

    def contains(self, value: object) -> bool:
        if type(value) is STAND_IN.of:
            return any(identical(value, each) for each in self.values)
        try:
            alike = self._index.get(value, ())
        except Exception:  # A value that cannot be hashed is no element.
            return False
        for other in alike:  # noqa: SIM110  (a plain loop: the hot path of streams)
            if other is value or identical(value, other):
                return True
        return False

    def elements(self) -> Iterator[object]:
        return iter(self.values)


BITS: Final = Finite((0, 1))
NOTHING: Final = Finite(())


@register("antiphon.Integers/1")
@column_safe
@attrs.frozen
class Integers(Listed):
    """The ints from ``low`` to ``high``, both included; None for no bound."""

    discrete = True
    low: int | None = None
    high: int | None = None

    def __attrs_post_init__(self) -> None:
        low, high = self.low, self.high
        if any(type(each) not in (int, type(None)) for each in (low, high)):
            raise InvalidArgument(
                f"the bounds are ints or None, Integers(0, 9), not {low!r}, {high!r}"
            )
        if low is not None and high is not None and low > high:
            raise InvalidArgument(f"no int is from {low} to {high}; write Integers({high}, {low})")

    def contains(self, value: Any) -> bool:
        kind: Any = type(value)  # pyright: ignore[reportUnknownVariableType]
        if kind is not int and (kind is not STAND_IN.of or value.kind is not int):
            return False
        low, high = self.low, self.high
        return (low is None or bool(low <= value)) and (high is None or bool(value <= high))

    @property
    def finite(self) -> bool:  # type: ignore[override]
        return self.low is not None and self.high is not None

    def elements(self) -> Iterator[int]:
        assert self.low is not None
        assert self.high is not None
        return iter(range(self.low, self.high + 1))


@register("antiphon.Reals/1")
@column_safe
@attrs.frozen
class Reals(Space):
    """The finite floats from ``low`` to ``high``; never NaN, never an infinity."""

    low: float = -sys.float_info.max
    high: float = sys.float_info.max

    def contains(self, value: Any) -> bool:
        kind: Any = type(value)  # pyright: ignore[reportUnknownVariableType]
        if kind is not float and (kind is not STAND_IN.of or value.kind is not float):
            return False
        return bool(self.low <= value) and bool(value <= self.high)


DENSE: Final = 2.0**53


@register("antiphon.Multiples/1")
@column_safe
@attrs.frozen
class Multiples(Space):
    """The floats nearest to an integer multiple of ``step``: a grid to which values are rounded.

    From 2^53 steps on the multiples lie closer than the floats, so every float belongs.
    """

    discrete = True
    step: float

    def contains(self, value: Any) -> bool:
        if STAND_IN.number(value) is not float or not abs(value) < math.inf:
            return False
        place = value / self.step
        near = ((round(place) + shift) * self.step for shift in (0, -1, 1))
        return abs(place) >= DENSE or value in near


@register("antiphon.Texts/1")
@column_safe
@attrs.frozen
class Texts(Space):
    """The strings of at most ``longest`` characters."""

    discrete = True
    longest: int | None = None

    def contains(self, value: object) -> bool:
        return type(value) is str and (self.longest is None or len(value) <= self.longest)


@register("antiphon.Arrays/1")
@column_safe
@attrs.frozen
class Arrays(Space):
    """NumPy arrays of one shape and dtype, entries finite and in [low, high].

    Bounds are compared exactly: a comparison in floats would admit integers past 2^53 outside the
    bounds, for which no noise was calibrated. With a ``step``, a power of two, entries are
    multiples of it.
    """

    shape: tuple[int, ...]
    dtype: str = "float64"
    low: Bound = attrs.field(default=-math.inf, validator=arrays.bound)
    high: Bound = attrs.field(default=math.inf, validator=arrays.bound)
    step: float | None = attrs.field(default=None, validator=arrays.power_of_two)

    def contains(self, value: Any) -> bool:
        if STAND_IN.number(value) is not np.ndarray or value.shape != self.shape:
            return False
        if value.dtype != np.dtype(self.dtype) or not arrays.inside(value, self.low, self.high):
            return False
        return self.step is None or arrays.multiples(value, self.step)

    @property
    def discrete(self) -> bool:  # type: ignore[override]
        return self.step is not None or np.dtype(self.dtype).kind in "biu"


def _spaces(spaces: Iterable[Space]) -> tuple[Space, ...]:
    return tuple(spaces)


@attrs.frozen
class _OfSpaces(Listed):
    """A space made of several ``spaces``: discrete if all of them are, and finite if all are."""

    spaces: tuple[Space, ...] = attrs.field(converter=_spaces)

    def cure(self, value: object) -> str:
        if type(self) is Tuples:
            return "; a tuple of one entry is written (x,)" if len(self.spaces) == 1 else ""
        return next(filter(None, (space.cure(value) for space in self.spaces)), "")

    @property
    def discrete(self) -> bool:  # type: ignore[override]
        return all(space.discrete for space in self.spaces)

    @property
    def finite(self) -> bool:  # type: ignore[override]
        return all(space.finite for space in self.spaces)


@register("antiphon.Tuples/1")
@column_safe(of="spaces")
@attrs.frozen
class Tuples(_OfSpaces):
    """Tuples whose i-th entry belongs to the i-th space: a product of spaces."""

    _each: Space | None = attrs.field(init=False, eq=False, repr=False)
    """The space of all entries of the tuple, if they have the same one; else None."""

    def __attrs_post_init__(self) -> None:
        first = self.spaces[0] if self.spaces else None
        alike = all(identical(first, space) for space in self.spaces)
        set_derived(self, _each=first if alike else None)

    def contains(self, value: Any) -> bool:
        kind = type(value)  # pyright: ignore[reportUnknownVariableType]
        if kind is not tuple or len(value) != len(self.spaces):
            return False
        if self._each is not None:
            return self._each.contains_all(value)
        for space, item in zip(self.spaces, value, strict=True):  # noqa: SIM110
            if not space.contains(item):
                return False
        return True

    def elements(self) -> Iterator[tuple[object, ...]]:
        return product([space.enumerate for space in self.spaces])


@register("antiphon.Either/1")
@column_safe(of="spaces")
@attrs.frozen
class Either(_OfSpaces):
    """The union of several spaces."""

    def contains(self, value: object) -> bool:
        for space in self.spaces:  # noqa: SIM110  (a plain loop: the hot path of counters)
            if space.contains(value):
                return True
        return False

    def elements(self) -> Iterator[object]:
        for place, space in enumerate(self.spaces):
            earlier = self.spaces[:place]
            yield from (v for v in space.enumerate() if not any(e.contains(v) for e in earlier))


@register("antiphon.Pairs/1")
@column_safe(of="space")
@attrs.frozen
class Pairs(Listed):
    """The space Q × Q of pairs (m⁰, m¹), which an identifier takes from its left."""

    space: Space

    def contains(self, value: object) -> bool:
        if type(value) is not Pair:
            return False
        accepts = self.space.contains
        try:
            return accepts(value.zero) and (value.one is value.zero or accepts(value.one))
        except AttributeError:  # A pair whose constructor never ran lacks its sides.
            return False

    @property
    def discrete(self) -> bool:  # type: ignore[override]
        return self.space.discrete

    @property
    def finite(self) -> bool:  # type: ignore[override]
        return self.space.finite

    def elements(self) -> Iterator[Pair]:
        return (Pair(m, n) for m in self.space.enumerate() for n in self.space.enumerate())


def _known(one: Space, other: Space) -> bool | None:
    """Whether ``other`` is a subset of ``one``, if their types alone decide it; else None."""
    match one, other:
        case Anything(), _:
            return True
        case Integers(), Integers():
            above = one.low is None or (other.low is not None and one.low <= other.low)
            below = one.high is None or (other.high is not None and other.high <= one.high)
            return above and below
        case Reals(), Reals():
            return (one.low <= other.low and other.high <= one.high) or None
        case Arrays(), Arrays() if type(other) is Arrays:
            if (one.shape, one.dtype) != (other.shape, other.dtype):
                return None
            alike = one.step in (None, other.step)
            return alike and one.low <= other.low and other.high <= one.high
        case Either(), Either():
            return all(map(one.includes, other.spaces))
        case Either(), _:
            return any(space.includes(other) for space in one.spaces) or None
        case Pairs(), Pairs():
            return one.space.includes(other.space) or None
        case _:
            return None


def _is_space(_: object, field: attrs.Attribute[Any], value: object) -> None:
    if not isinstance(value, Space):
        raise InvalidArgument(f"{field.name} is a space, like Finite((0, 1)), not {of_kind(value)}")


@attrs.frozen
class Signature:
    """The message spaces of a mechanism: queries Q, answers A, and ``updates``, those messages in Q
    that carry private data, which a public transcript hides."""

    queries: Space = attrs.field(validator=_is_space)
    answers: Space = attrs.field(validator=_is_space)
    updates: Space = attrs.field(default=NOTHING, validator=_is_space)
