"""What ``dir`` shows of a room."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def shows(names: Sequence[str], *rooms: str) -> Callable[[], list[str]]:
    """The ``__dir__`` of a module: its public names, and the rooms in it that have some too.

    >>> shows(["b"], "a")()
    ['a', 'b']
    """
    return lambda: sorted({*names, *rooms})
