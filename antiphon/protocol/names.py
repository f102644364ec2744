"""What a part is called: by its function, if a decorator made it of one, else by its class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def name_of(part: object) -> str:
    """The name by which its author knows a part.

    >>> name_of(name_of), name_of(Named())
    ('name_of', 'Named')
    """
    name = getattr(part, "__name__", None)
    return name if type(name) is str else type(part).__name__


class Named:
    """A part made of one plain function, whose name is its own in texts and errors."""

    __slots__ = ()
    function: Callable[..., Any]

    @property
    def __name__(self) -> str:
        return str(getattr(self.function, "__name__", type(self).__name__))

    def __repr__(self) -> str:
        return f"<{self.__name__}, a {type(self).__name__}>"
