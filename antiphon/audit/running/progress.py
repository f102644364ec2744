"""Progress of a run: one line on standard error, where a person watches."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final, Literal, TypeAlias, Union

Progress: TypeAlias = Callable[[int, int], object]
"""Told of samples done and samples in all, when chunks have been merged."""

_PATIENCE: Final = 0.5
"""Seconds before a line appears: what is over sooner shows nothing."""
_PAUSE: Final = 0.1
_WIDTH: Final = 24


@contextmanager
def watching(progress: Union[Progress, Literal[False], None]) -> Generator[Progress]:
    """Whom to tell: the given function, a line on a terminal, or (False, no terminal) nobody."""
    if callable(progress):
        yield progress
    elif progress is None and sys.stderr.isatty():
        line = Line()
        try:
            yield line
        finally:
            line.clear()
    else:
        yield _nobody


def _nobody(done: int, total: int) -> None:
    pass


class Line:
    """A bar with the rate and the time that is left, redrawn in its place."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._begun = clock()
        self._next = self._begun + _PATIENCE
        self._resumed: int | None = None
        self._shown = 0

    def __call__(self, done: int, total: int) -> None:
        now = self._clock()
        if self._resumed is None:  # the first report says where the run begins
            self._resumed = done
        if now >= self._next:
            self._next = now + _PAUSE
            self._write(self._text(done, total, (done - self._resumed) / (now - self._begun)))

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            self._write("")
            sys.stderr.write("\r")

    def _text(self, done: int, total: int, rate: float) -> str:
        filled = "#" * (_WIDTH * done // total)
        left = f"{(total - done) / rate:,.0f} s left" if rate else ""
        return f"[{filled:.<{_WIDTH}}] {done:,} of {total:,} samples, {rate:,.0f} a second, {left}"

    def _write(self, text: str) -> None:
        sys.stderr.write(f"\r{text:<{self._shown}}")
        sys.stderr.flush()
        self._shown = len(text)
