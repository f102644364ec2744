"""Timeouts for connections whose requests or responses take too long.

uvicorn closes a connection that is idle between requests. But it keeps a connection whose client
sends the head of a request byte by byte, or does not read the answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

HEAD: Final = 10.0
"""The number of seconds for a request's head, from its first byte or the connection's start."""
BODY: Final = 10.0
"""The number of seconds for a request's body."""
LONGEST: Final = 64 << 10
"""The largest size in bytes of a request's head; httptools has no limit of its own."""
READ: Final = 30.0
"""The number of seconds within which a client must read on, while part of its answer waits."""


class Patience(asyncio.Protocol):
    """A mixin that adds timeouts to a protocol class of uvicorn."""

    cycle: Any
    """uvicorn's object for the current request, or the last one; None before the first."""
    ended: Callable[[], object] | None = None
    """A function to call when the connection has ended."""
    _transport: asyncio.Transport
    _heard = 0
    _head: asyncio.TimerHandle | None = None
    _read: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._transport = transport
        self._head = self._later(HEAD)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._head, self._read = _ended(self._head), _ended(self._read)
        if self.ended is not None:
            self.ended()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._head, self._heard = _ended(self._head), 0
            return
        self._heard += len(data)
        if self._heard > LONGEST:
            self._transport.abort()
        elif self._head is None and not self._transport.is_closing():
            self._head = self._later(HEAD)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._read = self._read or self._later(READ)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._read = _ended(self._read)

    def _later(self, seconds: float) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(seconds, self._transport.abort)


def _ended(timer: asyncio.TimerHandle | None) -> asyncio.TimerHandle | None:
    """Cancel a timer, if there is one; returns None, to be stored in its place."""
    if timer is not None:
        timer.cancel()
    return None


def patient(protocol: Any) -> Any:
    """A subclass of a uvicorn protocol class, with the timeouts of ``Patience``."""
    return type("Patient", (Patience, protocol), {})
