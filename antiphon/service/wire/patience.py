"""Timeouts of connections: an end to requests that never become whole.

uvicorn closes a connection that is idle between requests; of one that sends the head of a request
byte by byte, or reads no answer, it takes no notice, and each of these keeps a place.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

HEAD: Final = 10.0
"""Seconds for the head of a request, from its first byte, or from the connection, on."""
BODY: Final = 10.0
"""Seconds for its body."""
LONGEST: Final = 64 << 10
"""Bytes of a head, past which nobody waits for its end: httptools sets no limit."""
READ: Final = 30.0
"""Seconds in which a client has to take something of its answer."""


class Patience(asyncio.Protocol):
    """A mixin for a protocol of uvicorn."""

    cycle: Any
    """The request that is answered, or was last; None before the first."""
    ended: Callable[[], object] | None = None
    """Called when the connection is over."""
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
    """Cancel a timer."""
    if timer is not None:
        timer.cancel()
    return None


def patient(protocol: Any) -> Any:
    """A protocol of uvicorn, with an end to its patience."""
    return type("Patient", (Patience, protocol), {})
