"""Games that end by themselves, and the number of messages that such a game takes."""

from __future__ import annotations

from typing import Final

from antiphon.audit.exact.arena import Arena
from antiphon.numbers.errors import InvalidArgument

ENDLESS: Final = (
    "the system does not end by itself: say how many messages an adversary may send, as in "
    "tight_delta(epsilon=1, rounds=8)"
)
_MOST: Final = 5_000
"""The number of visited positions after which a system is assumed not to end by itself."""


def longest(arena: Arena) -> int:
    """The largest number of useful messages, in a game that ends by itself.

    That is the longest path through the positions of the game. A message that never changes the
    position is useless, and not counted. Raises: InvalidArgument for a game in which a position
    recurs, or with very many positions.
    """
    lengths: dict[int, int | None] = {}  # None: a position on the current path
    waiting = [arena.start()]
    while waiting:
        position = waiting[-1]
        if lengths.get(position) is None:
            after = _after(arena, position)
            begun, lengths[position] = position in lengths, None
            new = [each for each in after if each not in lengths]
            if (begun and new) or len(lengths) > _MOST or None in map(lengths.get, after - {*new}):
                raise InvalidArgument(ENDLESS)
            if new:
                waiting.extend(new)
                continue
            lengths[position] = 1 + max((lengths[each] or 0 for each in after), default=-1)
        waiting.pop()
    return lengths[arena.start()] or 0


def _after(arena: Arena, position: int) -> set[int]:
    """The positions that some message may lead to, without messages that surely change nothing."""
    found = set[int]()
    for choice in arena.choices(position):
        if any(tuple(each) != (choice.denominator,) * 2 + (position,) for each in choice.branches):
            found.update(each[2] for each in choice.branches)
    return found
