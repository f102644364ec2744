"""Server-sent events, which tell browsers that the page of released numbers has changed."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator
from typing import Final

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from antiphon.service.asked import Wrong
from antiphon.service.service import STALE, Service

STREAMS: Final = 200
"""The largest number of browsers that listen for changes at the same time."""
STREAMS_OF_ONE: Final = 50
"""The largest number of browsers at one address that listen at the same time."""
SETTLES: Final = STALE + 0.05
"""Seconds from a change to its announcement: by then an older page is not served any more."""
LISTENS: Final = 3600
"""The number of seconds after which the stream ends, and a browser connects again."""


async def events(service: Service) -> AsyncIterator[str]:
    """The stream of events: one for each change of the page, at most four a second, and otherwise
    comments that keep the connection open."""
    until = time.monotonic() + LISTENS
    # The browser's page may be older than this connection, so it counts as having seen no version.
    seen = -1
    yield "retry: 2000\n\n"
    while not service.closing and (left := until - time.monotonic()) > 0:
        fresh = await service.news(seen, min(15, left))
        seen = service.version
        await asyncio.sleep(SETTLES)
        yield f"event: changed\ndata: {seen}\n\n" if fresh else ": here\n\n"


class Listening(StreamingResponse):
    """The HTTP response that streams the events. Raises: Wrong if too many browsers listen
    already."""

    def __init__(self, streams: Counter[str], address: str, events: AsyncIterator[str]) -> None:
        super().__init__(events, media_type="text/event-stream")
        self._streams, self._address = streams, address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        streams, address = self._streams, self._address
        if streams.total() >= STREAMS or streams[address] >= STREAMS_OF_ONE:
            raise Wrong(503, "busy", "too many listen", **{"Retry-After": "60"})
        streams[address] += 1
        try:
            await super().__call__(scope, receive, send)
        finally:
            streams[address] -= 1
            if not streams[address]:
                del streams[address]
