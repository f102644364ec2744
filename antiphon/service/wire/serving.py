"""A uvicorn server with a limited number of connections (``Door``) and timeouts (``patience``)."""

from __future__ import annotations

import socket
from typing import Any, Final

import uvicorn
from uvicorn.config import HTTP_PROTOCOLS
from uvicorn.importer import import_from_string

from antiphon.numbers.errors import InvalidArgument
from antiphon.service.routes import app_of
from antiphon.service.service import Service
from antiphon.service.wire.door import SEATS, Door, Seats
from antiphon.service.wire.patience import patient

BACKLOG: Final = 128
"""The number of connections that may wait to be accepted, in the kernel."""


def listener_of(host: str, port: int) -> socket.socket:
    """A socket that listens at this host and port. Raises: InvalidArgument; OSError."""
    if not 0 <= port < 1 << 16:
        raise InvalidArgument(f"--port must be an int from 0 to 65535, not {port}")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=BACKLOG)


class Server(uvicorn.Server):
    """A uvicorn server of one service on a socket; ``http``: "h11", "httptools" or "auto"."""

    def __init__(
        self, service: Service, listener: socket.socket, *names: str,
        http: str = "auto", places: Seats = SEATS,
    ) -> None:  # fmt: skip
        protocols: dict[str, Any] = {**HTTP_PROTOCOLS}
        super().__init__(uvicorn.Config(
            app_of(service, names),
            http=patient(import_from_string(protocols[http])), ws="none",
            log_level="warning", access_log=False, timeout_graceful_shutdown=5,
            server_header=False, lifespan="on",
        ))  # fmt: skip
        self._service, self._listener, self._places = service, listener, places

    async def startup(self, sockets: Any = None) -> None:
        """Start with a ``Door`` in place of uvicorn's own server socket."""
        await super().startup(sockets=[])

        def protocol() -> Any:
            made: Any = self.config.http_protocol_class
            return made(
                config=self.config, server_state=self.server_state, app_state=self.lifespan.state
            )

        door: Any = Door(self._listener, protocol, self._places)
        self.servers = [door]

    def handle_exit(self, sig: int, frame: Any) -> None:
        """End the server at a signal, after telling the browsers that listen."""
        self._service.end()
        super().handle_exit(sig, frame)
