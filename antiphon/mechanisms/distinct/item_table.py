"""A persistent table from items to values, made of plain tuples: for states that grow.

A leaf is a tuple of (item, value); an inner node is None, then sixteen nodes. An item's place
follows from a checksum of its text, which is the same in every process.
"""

from __future__ import annotations

import zlib
from typing import Any, Final, TypeAlias, Union

Item: TypeAlias = Union[str, int]
Node: TypeAlias = tuple[Any, ...]

_BITS: Final = 4
_FULL: Final = 16
_DEEPEST: Final = 28


def value_of(table: Node, item: Item) -> Any:
    """The value of an item; None if the table has none."""
    node, place = table, _place(item)
    while node and node[0] is None:
        node, place = node[1 + place % _FULL], place >> _BITS
    return next((value for known, value in node if known == item), None)


def with_value(table: Node, item: Item, value: object) -> Node:
    """A table in which an item has a value; None removes it. O(log n) time and new memory."""
    return _with(table, item, value, _place(item), 0)


def _with(node: Node, item: Item, value: object, place: int, depth: int) -> Node:
    if node and node[0] is None:
        at = 1 + place % _FULL
        below = _with(node[at], item, value, place >> _BITS, depth + _BITS)
        return (*node[:at], below, *node[at + 1 :])
    rest = tuple([each for each in node if each[0] != item])
    leaf = rest if value is None else (*rest, (item, value))
    return leaf if len(leaf) <= _FULL or depth > _DEEPEST else _split(leaf, depth)


def _split(leaf: Node, depth: int) -> Node:
    """An inner node with the entries of a leaf that is too long."""
    parts: list[Node] = [()] * _FULL
    for entry in leaf:
        at = (_place(entry[0]) >> depth) % _FULL
        parts[at] = (*parts[at], entry)
    return (None, *parts)


def _place(item: Item) -> int:
    return zlib.crc32(repr(item).encode())
