"""What a fork would double: sessions, coins and open files are told of it in the child."""

from __future__ import annotations

import os
import weakref
from typing import Final, NoReturn, Protocol

from antiphon.numbers.errors import ProtocolError


class Undoubled(Protocol):
    """Something of which two copies must not go on: they would toss, or write, alike."""

    def forked(self) -> None:
        """Called in the child, before it does anything else."""


_alive: Final[weakref.WeakSet[Undoubled]] = weakref.WeakSet()

tell_of_forks: Final = _alive.add
"""From now on, for as long as it lives, a thing is told of forks."""


def _tell() -> None:
    for each in list(_alive):
        each.forked()


def no_words(count: int) -> NoReturn:
    """What seeded coins toss in a child. Raises: ProtocolError."""
    raise ProtocolError(
        "seeded coins were carried through a fork, where both processes would toss alike: make "
        "coins from a seed of its own in each (numpy's SeedSequence.spawn gives them)"
    )


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_tell)
