"""Ctrl-C while a run is under way: heard at once, obeyed where nothing is half done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, TypeVar

Argument = TypeVar("Argument")
Result = TypeVar("Result")


class Interrupt:
    """Whether Ctrl-C has been pressed since the block was entered.

    The first one raises KeyboardInterrupt in what is called by ``breaking``; elsewhere it is
    only noted (and ``wake`` called), so that a merge is never left half done. A second one
    always raises. Outside the main thread nothing is heard, as in Python itself.
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        again, self.asked = self.asked, True
        self._wake()
        if again or self._breakable:
            raise KeyboardInterrupt

    def breaking(self, function: Callable[[Argument], Result], argument: Argument) -> Result:
        """Call a function that may be broken off anywhere. Raises: KeyboardInterrupt."""
        try:
            self._breakable = True
            return function(argument)
        finally:
            self._breakable = False
