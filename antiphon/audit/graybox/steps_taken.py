"""Which lines of the audited code are run, and where two worlds part."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final, TypeAlias, Union

Line: TypeAlias = tuple[str, int]
_MOST: Final = 1_000_000
"""Lines that are kept; a branch after them has no line."""


class Lines:
    """The lines that are run, in order."""

    def __init__(self, foreign: Callable[[str], bool]) -> None:
        self.taken = list[Line]()
        self._foreign = foreign
        self._known = dict[str, bool]()

    @contextmanager
    def followed(self) -> Generator[None, None, None]:
        """Follows what is run meanwhile."""
        before = sys.gettrace()
        sys.settrace(self._called)
        try:
            yield
        finally:
            sys.settrace(before)

    def _called(self, frame: FrameType, event: str, argument: object) -> Any:
        file = frame.f_code.co_filename
        if file not in self._known:
            self._known[file] = self._foreign(file)
        return self._line if self._known[file] else None

    def _line(self, frame: FrameType, event: str, argument: object) -> Any:
        if event == "line" and len(self.taken) < _MOST:
            self.taken.append((frame.f_code.co_filename, frame.f_lineno))
        return self._line


def branch(one: Sequence[Line], other: Sequence[Line]) -> Union[Line, None]:
    """The last line that both run and after which they go different ways.

    Loops over data run another number of times without harm, so the first difference is not
    it: of the lines after which the worlds part, the one that is run last decides.
    """
    last = {line: index for index, line in enumerate(other)}
    for index in range(len(one) - 1, -1, -1):
        place = last.get(one[index])
        if place is not None and one[index + 1 : index + 2] != other[place + 1 : place + 2]:
            return one[index]
    return None
