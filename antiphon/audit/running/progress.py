"""The progress of a run, for a person: a line on standard error, and a clean end by Ctrl-C."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final, Literal, TypeAlias, TypeVar, Union

Progress: TypeAlias = Callable[[int, int], object]
"""A function of (samples done, samples in all), called when chunks have been merged."""

_PATIENCE: Final = 0.5
"""The seconds before a progress line appears."""
_PAUSE: Final = 0.1
_WIDTH: Final = 24


@contextmanager
def watching(progress: Union[Progress, Literal[False], None]) -> Generator[Progress]:
    """The function that shows progress: the given one, a terminal's line, or one without effect."""
    if callable(progress):
        yield progress
    elif progress is None and sys.stderr.isatty():
        line = Line()
        try:
            yield line
        finally:
            line.clear()
    else:
        yield lambda done, total: None


class Line:
    """A progress bar with the rate and the remaining time, on one line of a terminal."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._begun = clock()
        self._next = self._begun + _PATIENCE
        self._resumed: int | None = None
        self._shown = 0

    def __call__(self, done: int, total: int) -> None:
        now = self._clock()
        # The first call tells the number of samples from which the run was resumed.
        if self._resumed is None:
            self._resumed = done
        if now >= self._next:
            self._next = now + _PAUSE
            self._write(self._text(done, total, (done - self._resumed) / (now - self._begun)))

    def clear(self) -> None:
        """Erase the line."""
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


Argument = TypeVar("Argument")
Result = TypeVar("Result")


class Interrupt:
    """A context manager that notes Ctrl-C: ``asked`` says whether it was pressed.

    The first Ctrl-C raises KeyboardInterrupt in a function called by ``breaking``; elsewhere it is
    only noted (and the given function ``wake`` called), so that a merge is never left half done. A
    second one always raises. Outside the main thread Ctrl-C is not noticed, as in Python itself.
    """

    def __init__(self, wake: Callable[[], object]) -> None:
        self.asked = False
        self._wake = wake
        self._breakable = False
        self._before: Any = None

    def __enter__(self) -> Interrupt:
        if threading.current_thread() is threading.main_thread() and callable(
            before := signal.getsignal(signal.SIGINT)
        ):
            self._before = before
            signal.signal(signal.SIGINT, self._hear)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        again, self.asked = self.asked, True
        self._wake()
        if again or self._breakable:
            raise KeyboardInterrupt

    def breaking(self, function: Callable[[Argument], Result], argument: Argument) -> Result:
        """Call a function, in which Ctrl-C raises KeyboardInterrupt at any place."""
        try:
            self._breakable = True
            return function(argument)
        finally:
            self._breakable = False
