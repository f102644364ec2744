"""The door: a limit on connections at once, and on those of one address.

asyncio and uvloop accept every connection, and once the process has no descriptor left print a
traceback for each of those that still wait. Here none is accepted without a place for it.
"""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from antiphon.service.wire.floods import address_of

FULL: Final = 0.1
"""Seconds until a descriptor is asked for again, where the process has none."""


class Seats(NamedTuple):
    """The largest numbers of connections."""

    at_once: int = 800
    """In all: fewer than the files that a process may have open, which are 1,024 as a rule."""
    of_one: int = 100
    """Of one address. All that come by way of a proxy are of its address."""


SEATS: Final = Seats()


class Door:
    """A server that accepts connections; it stands where uvicorn has asyncio's servers.

    While all places are taken it accepts nothing, and connections wait in the kernel. One from an
    address that has all of its own places is closed as soon as it is accepted.
    """

    def __init__(self, listener: socket.socket, protocol: Callable[[], Any], places: Seats) -> None:
        listener.setblocking(False)
        self.sockets = (listener,)
        self._protocol, self._places = protocol, places
        self._taken = Counter[str]()
        self._room = asyncio.Event()
        self._task = asyncio.create_task(self._accept_all())

    def close(self) -> None:
        """Accept no more."""
        self._task.cancel()

    async def wait_closed(self) -> None:
        """Wait until nothing more is accepted."""
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
                except OSError:  # no descriptor is left, or it was given up before it was accepted
                    await asyncio.sleep(FULL)
                    continue
                await self._admit(connection, address_of(peer[0]))
                await asyncio.sleep(0)  # a flood leaves the others their turn

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
        except OSError:  # gone before it was served
            connection.close()
            self._leave(address)

    def _leave(self, address: str) -> None:
        self._taken[address] -= 1
        if not self._taken[address]:
            del self._taken[address]
        self._room.set()
