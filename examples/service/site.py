"""What browsers ask: pages and forms."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from typing import Any, Final
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from . import pages
from .asked import KEY, Wrong, form_of, number_of, watch_of
from .gate import admit, body_of
from .memory import Reply
from .service import Service
from .tokens import Holder

STREAMS: Final = 200
"""Browsers that may listen at once."""
COOKIE: Final = "board"


class Site:
    """Pages, for people: an analyst signs in by a token, and keeps a cookie."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def board(self, request: Request) -> Response:
        holder = self._holder(request)
        if holder is None:
            return HTMLResponse(self._service.public_page())
        return self._page(holder, "")

    async def fragment(self, request: Request) -> Response:
        return HTMLResponse(pages.fragment(self._service.memory))

    async def derivation(self, request: Request) -> Response:
        return HTMLResponse(pages.derivation_page(self._service.derivation, self._holder(request)))

    async def enter(self, request: Request) -> Response:
        if request.method != "POST":
            return HTMLResponse(pages.enter_page())
        fields = await self._fields(request)
        cookie = self._service.sign_in(fields.get("token", ""))
        if cookie is None:
            try:
                admit(self._service, request, None, "analyst")
            except Wrong as wrong:
                said = "This is no analyst's token." if wrong.status == 401 else "Too many; wait."
                return HTMLResponse(pages.enter_page(said), wrong.status, wrong.headers)
        answer = RedirectResponse("/", 303)
        secure = request.url.scheme == "https"
        answer.set_cookie(COOKIE, cookie or "", httponly=True, samesite="strict", secure=secure)
        return answer

    async def leave(self, request: Request) -> Response:
        await self._fields(request)
        self._service.sign_out(request.cookies.get(COOKIE, ""))
        answer = RedirectResponse("/", 303)
        answer.delete_cookie(COOKIE)
        return answer

    async def create(self, request: Request) -> Response:
        holder, key, fields = await self._asked(request)
        fields["delay"] = number_of(fields.get("delay", "0"))
        reply = await self._service.writer.say(holder.name, key, watch_of(fields))
        said = f"Counter {reply.body['counter']} is made." if reply.status == 201 else _said(reply)
        return self._page(holder, said, reply.status)

    async def ask(self, request: Request) -> Response:
        holder, key, fields = await self._asked(request)
        number = number_of(fields.get("counter", ""))
        reply = await self._service.writer.say(holder.name, key, number)
        said = (
            f"Counter {number}: {reply.body['count']:,}." if reply.status == 200 else _said(reply)
        )
        return self._page(holder, said, reply.status)

    async def events(self, request: Request) -> Response:
        if self._service.streams >= STREAMS:
            raise Wrong(503, "busy", "too many listen", **{"Retry-After": "60"})
        headers = {"Cache-Control": "no-store"}
        return StreamingResponse(self._events(), media_type="text/event-stream", headers=headers)

    async def _events(self) -> AsyncIterator[str]:
        service = self._service
        service.streams += 1
        seen = -1  # the page may be older than the stream: it is told at once
        try:
            yield "retry: 2000\n\n"
            while not service.closing:
                fresh = await service.news(seen, 15)
                seen = service.version
                yield f"event: changed\ndata: {seen}\n\n" if fresh else ": here\n\n"
                await asyncio.sleep(0.25)
        finally:
            service.streams -= 1

    def _page(self, holder: Holder, said: str, status: int = 200) -> Response:
        keys = [secrets.token_urlsafe(12) for _ in range(2)]
        text = pages.board_page(self._service.memory, holder, said=said, keys=keys)
        return HTMLResponse(text, status, {"Cache-Control": "no-store"})

    def _holder(self, request: Request) -> Holder | None:
        cookie = request.cookies.get(COOKIE)
        return self._service.signed_in(cookie) if cookie else None

    async def _asked(self, request: Request) -> tuple[Holder, str, dict[str, Any]]:
        """An analyst's form. Raises: Wrong."""
        holder = self._holder(request)
        admit(self._service, request, holder, "analyst")
        assert holder is not None
        fields: dict[str, Any] = await self._fields(request)
        key = fields.pop("key", "")
        if not KEY.match(key):
            raise Wrong(400, "no key", "the form has no key: load the page again")
        return holder, key, fields

    async def _fields(self, request: Request) -> dict[str, str]:
        """A form of a page of ours. Raises: Wrong."""
        origin = request.headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
            raise Wrong(403, "another site", "this form comes from a page of another site")
        return form_of(await body_of(request, "application/x-www-form-urlencoded"))


def _said(reply: Reply) -> str:
    return f"Not done, {reply.body['error']}: {reply.body['message']}."
