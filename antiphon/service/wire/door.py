"""A limit on the number of connections that are open at once, in all and from each address.

asyncio and uvloop accept every connection; once the process has no file descriptor left, they print
a traceback for each waiting connection. Here a connection is accepted only while there is room.
"""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from antiphon.service.wire.floods import address_of

FULL: Final = 0.1
"""The number of seconds until accepting is tried again, if no file descriptor is free."""


class Seats(NamedTuple):
    """The largest numbers of connections that are open at once, in all and from one address."""

    at_once: int = 800
    """The largest number of connections; most processes may open 1,024 files."""
    of_one: int = 100
    """The largest number of connections from one address; all those of a proxy have its address."""


SEATS: Final = Seats()


class Door:
    """A server socket that accepts connections, in place of asyncio's server in uvicorn.

    At the limit it accepts nothing, and connections wait in the kernel. A connection from an
    address with too many connections is closed at once.
    """

    def __init__(self, listener: socket.socket, protocol: Callable[[], Any], places: Seats) -> None:
        listener.setblocking(False)
        self.sockets = (listener,)
        self._protocol, self._places = protocol, places
        self._taken = Counter[str]()
        self._room = asyncio.Event()
        self._task = asyncio.create_task(self._accept_all())

    def close(self) -> None:
        """Accept no more connections."""
        self._task.cancel()

    async def wait_closed(self) -> None:
        """Wait until no more connections are accepted."""
        await asyncio.wait([self._task])

    async def _accept_all(self) -> None:
        loop, (listener,) = asyncio.get_running_loop(), self.sockets
        with listener:
            while True:
                while self._taken.total() >= self._places.at_once:
                    self._room.clear()
                    await self._room.wait()
                try:
                    connection, peer = await loop.sock_accept(listener)
                except OSError:  # No descriptor is free, or the client has left.
                    await asyncio.sleep(FULL)
                    continue
                await self._admit(connection, address_of(peer[0]))
                await asyncio.sleep(0)  # In a flood of connections, other tasks run here.

    async def _admit(self, connection: socket.socket, address: str) -> None:
        if self._taken[address] >= self._places.of_one:
            connection.close()
            return
        self._taken[address] += 1
        protocol = self._protocol()
        protocol.ended = lambda: self._leave(address)
        try:
            loop = asyncio.get_running_loop()
            await loop.connect_accepted_socket(lambda: protocol, connection)
        except OSError:  # The client left before its connection was set up.
            connection.close()
            self._leave(address)

    def _leave(self, address: str) -> None:
        self._taken[address] -= 1
        if not self._taken[address]:
            del self._taken[address]
        self._room.set()
