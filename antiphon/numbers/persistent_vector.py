"""A persistent vector: an update returns a new version, which shares most memory with the old; and
sequences whose items are computed on access."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Generic, TypeAlias, overload

from typing_extensions import TypeVar

Item = TypeVar("Item", default=Any)
Node: TypeAlias = tuple[Any, ...]
"""The type of a tree node: a tuple of at most sixteen items (in a leaf) or child nodes."""

_BITS: Final = 4
_WIDTH: Final = 1 << _BITS
_MASK: Final = _WIDTH - 1


class OnAccess(Sequence[Item]):
    """A sequence whose items are computed on access; equal to each sequence of equal items."""

    __slots__ = ()

    @abstractmethod
    def _at(self, places: range) -> Iterable[Item]:
        """The items at these indices, all of which are valid and not negative."""

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Item, ...]: ...
    def __getitem__(self, index: int | slice) -> Item | tuple[Item, ...]:
        if isinstance(index, slice):
            return tuple(self._at(range(len(self))[index]))
        place = range(len(self))[index]
        (item,) = self._at(range(place, place + 1))
        return item

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]

    def __hash__(self) -> int:
        return hash(tuple(self))


class Vector(Generic[Item]):
    """An immutable sequence with O(log n) ``set`` and ``append`` (a tree of 16-tuples).

    Compared and hashed by value. For states that grow: a step among a million
    created mechanisms copies five tuples of at most sixteen entries.

    >>> old = Vector("ab")
    >>> new = old.append("c").set(0, "A")
    >>> list(old), list(new), new.get(7)
    (['a', 'b'], ['A', 'b', 'c'], None)
    """

    __slots__ = ("_root", "_shift", "_size")

    def __init__(self, items: Iterable[Item] = ()) -> None:
        level: list[Any] = list(items)
        self._size, self._shift = len(level), 0
        while len(level) > _WIDTH:
            level = [tuple(level[i : i + _WIDTH]) for i in range(0, len(level), _WIDTH)]
            self._shift += _BITS
        self._root: Node = tuple(level)

    def get(self, index: int) -> Item | None:
        """The item at an index, or None for an index outside the vector."""
        if not 0 <= index < self._size:
            return None
        node, shift = self._root, self._shift
        while shift:
            node = node[index >> shift & _MASK]
            shift -= _BITS
        item: Item = node[index & _MASK]
        return item

    def set(self, index: int, item: Item) -> Vector[Item]:
        """A new vector with ``item`` at an index. Raises: IndexError outside the vector."""
        if not 0 <= index < self._size:
            raise IndexError(index)
        vector: Vector[Item] = Vector.__new__(Vector)
        vector._size, vector._shift = self._size, self._shift
        root = self._root
        if self._shift:
            vector._root = _replaced(root, self._shift, index, item)
        else:  # Most vectors have few items: for speed, their case is written out here.
            vector._root = (*root[:index], item, *root[index + 1 :])
        return vector

    def append(self, item: Item) -> Vector[Item]:
        """A new vector with one more item at its end."""
        size, shift, root = self._size, self._shift, self._root
        if size == _WIDTH << shift:
            return _vector(size + 1, shift + _BITS, (root, _branch(shift, item)))
        return _vector(size + 1, shift, _appended(root, shift, size, item))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Item]:
        return _leaves(self._root, self._shift)

    def __eq__(self, other: object) -> bool:
        return type(other) is Vector and self._root == other._root and self._size == other._size

    def __hash__(self) -> int:
        return hash(self._root)

    def __repr__(self) -> str:
        return f"Vector({list(self)!r})"


def _vector(size: int, shift: int, root: Node) -> Vector[Any]:
    vector: Vector[Any] = Vector.__new__(Vector)
    vector._size, vector._shift, vector._root = size, shift, root  # pyright: ignore[reportPrivateUsage]
    return vector


def _branch(shift: int, item: object) -> Node:
    """New tree nodes down to a leaf that holds only ``item``; ``shift`` is the height of the
    topmost node, in bits of an index."""
    return (item,) if not shift else (_branch(shift - _BITS, item),)


def _replaced(node: Node, shift: int, index: int, item: object) -> Node:
    place = index >> shift & _MASK
    if shift > _BITS:
        item = _replaced(node[place], shift - _BITS, index, item)
    else:
        leaf, at = node[place], index & _MASK
        item = (*leaf[:at], item, *leaf[at + 1 :])
    return (*node[:place], item, *node[place + 1 :])


def _appended(node: Node, shift: int, size: int, item: object) -> Node:
    if not shift:
        return (*node, item)
    place = size >> shift & _MASK
    if place == len(node):
        return (*node, _branch(shift - _BITS, item))
    return (*node[:place], _appended(node[place], shift - _BITS, size, item))


def _leaves(node: Node, shift: int) -> Iterator[Any]:
    if not shift:
        return iter(node)
    return (item for child in node for item in _leaves(child, shift - _BITS))
