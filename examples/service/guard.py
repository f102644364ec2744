"""What every answer says to a browser: nothing from elsewhere, nothing inline, no frames."""

from __future__ import annotations

from typing import Any, Final

HEADERS: Final = [
    (
        b"content-security-policy",
        b"default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
        b"img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),  # no-referrer would hide the Origin of our own forms
    (b"cross-origin-opener-policy", b"same-origin"),
]


class Guard:
    """An ASGI app, with these headers on every answer."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def guarded(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *HEADERS]
            await send(message)

        await self.app(scope, receive, guarded if scope["type"] == "http" else send)
