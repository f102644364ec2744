"""The outermost layer of a service: it refuses some requests unread, and adds headers to others.

A request must name this service as its host, and requests without a token are limited in number.
Headers of a response keep a browser on this site and the page out of caches. A fault is reported by
the name of its type and its place in the code.
"""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Iterable
from typing import Final

from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from antiphon.service.asked import Wrong
from antiphon.service.pages import Frame
from antiphon.service.wire.floods import Floods, address_of

HERE: Final = ("127.0.0.1", "localhost", "[::1]")
_PORT: Final = re.compile(rb":[0-9]{1,5}\Z")
HEADERS: Final = {
    b"content-security-policy": (
        b"default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
        b"img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    b"x-content-type-options": b"nosniff",
    # With "no-referrer", browsers would not state the origin of this service's own forms.
    b"referrer-policy": b"same-origin",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"cache-control": b"no-store",
}


class Threshold:
    """The outermost ASGI app: it refuses some requests unread, and adds headers to responses."""

    def __init__(
        self, app: ASGIApp, frame: Frame, floods: Floods, hosts: Iterable[str] = ()
    ) -> None:
        self.app, self._frame, self._floods = app, frame, floods
        self._hosts = {each.lower().encode("latin-1") for each in (*HERE, *hosts)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name for name, _ in message["headers"]}
                more = [each for each in HEADERS.items() if each[0] not in given]
                message["headers"] = [*message["headers"], *more]
            await send(message)

        try:
            app = self._refused(scope) or self.app
            await app(scope, receive, guarded)
        except Exception as error:  # The error's text may hold data.
            last = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{last.filename.rpartition('/')[2]}:{last.lineno}"
            print(f"a fault: {type(error).__name__} at {where}", file=sys.stderr, flush=True)

    def _refused(self, scope: Scope) -> Response | None:
        """The response to a request that is refused; None if the request may pass."""
        wrong = self._elsewhere(scope) or self._too_often(scope)
        return refusal(self._frame, scope["path"], wrong) if wrong else None

    def _elsewhere(self, scope: Scope) -> Wrong | None:
        """A refusal if another host is named, as in DNS rebinding; else None."""
        named = [value.lower() for name, value in scope["headers"] if name == b"host"]
        host = named[0] if len(named) == 1 else b""
        if _PORT.sub(b"", host) in self._hosts:
            return None
        return Wrong(421, "another host", "this service is known by another name: see --name")

    def _too_often(self, scope: Scope) -> Wrong | None:
        """A refusal if an address sends too many requests; ``admit`` limits those with a token."""
        if scope["method"] == "POST" and scope["path"].startswith("/api/"):
            return None
        client = scope.get("client")
        wait = self._floods.wait("read", address_of(client[0] if client else ""))
        return too_many(wait) if wait else None


def too_many(wait: float) -> Wrong:
    """The refusal of a request beyond the allowed rate, which says when to try again."""
    seconds = str(int(wait) + 1)
    return Wrong(429, "too many", "more than the rate; come later", **{"Retry-After": seconds})


def refusal(frame: Frame, path: str, wrong: Wrong) -> Response:
    """The response to a refused request: JSON for a program, a page for people."""
    if path.startswith("/api/"):
        body = {"error": wrong.error, "message": wrong.message}
        return JSONResponse(body, wrong.status, wrong.headers)
    if wrong.status == 401:
        return HTMLResponse(frame.enter("Sign in first."), 401)
    return HTMLResponse(frame.refused(wrong.message), wrong.status, wrong.headers)
