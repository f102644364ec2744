"""What browsers ask: pages and forms."""

from __future__ import annotations

import secrets
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from . import pages
from .asked import KEY, Wrong, form_of, number_of, watch_of
from .floods import address_of
from .gate import admit, body_of
from .listening import Listening, events
from .memory import Point, Reply
from .service import Service
from .tokens import Holder

COOKIE: Final = "board"


class Site:
    """Pages, for people: an analyst signs in by a token, and keeps a cookie."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def board(self, request: Request) -> Response:
        holder = self._holder(request)
        if holder is None:
            return HTMLResponse(self._service.drawn.page)
        return self._page(holder, "")

    async def fragment(self, request: Request) -> Response:
        return HTMLResponse(self._service.drawn.board)

    async def derivation(self, request: Request) -> Response:
        service, holder = self._service, self._holder(request)
        spent = pages.spent_section(service.memory, service.spending)
        return HTMLResponse(pages.derivation_page(service.derivation, spent, holder))

    async def enter(self, request: Request) -> Response:
        if request.method != "POST":
            return HTMLResponse(pages.enter_page())
        fields = await self._fields(request)
        found = self._service.tokens.holder(fields.get("token", ""))
        analyst = found if found is not None and found.role == "analyst" else None
        try:
            cookie = self._service.sign_in(admit(self._service, request, analyst, "analyst"))
        except Wrong as wrong:
            said = "This is no analyst's token." if wrong.status == 401 else "Too many; wait."
            return HTMLResponse(pages.enter_page(said), wrong.status, wrong.headers)
        answer = RedirectResponse("/", 303)
        secure = request.scope["scheme"] == "https"
        answer.set_cookie(COOKIE, cookie, httponly=True, samesite="strict", secure=secure)
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
        said = self._counted(number, reply.body) if reply.status == 200 else _said(reply)
        return self._page(holder, said, reply.status)

    async def events(self, request: Request) -> Response:
        if request.method == "HEAD":
            return Response(media_type="text/event-stream")
        address = address_of(request.client.host if request.client else "")
        return Listening(self._service.streams, address, events(self._service))

    def _counted(self, number: int, body: dict[str, Any]) -> str:
        memory, point = self._service.memory, Point(body["flights"], body["count"], body["within"])
        counter = memory.counters[number]
        assert counter is not None
        return f"Counter {number}: {point.count:,}{pages.beside(memory, counter, point)}."

    def _page(self, holder: Holder, said: str, status: int = 200) -> Response:
        keys = [secrets.token_urlsafe(12) for _ in range(2)]
        service = self._service
        board = pages.fragment(service.memory, service.spending)  # what was done is to be seen
        forms = pages.forms(service.memory, keys)
        return HTMLResponse(pages.board_page(board, holder, said=said, forms=forms), status)

    def _holder(self, request: Request) -> Holder | None:
        cookie = request.cookies.get(COOKIE)
        return self._service.signed_in(cookie) if cookie else None

    async def _asked(self, request: Request) -> tuple[Holder, str, dict[str, Any]]:
        """An analyst's form. Raises: Wrong."""
        holder = admit(self._service, request, self._holder(request), "analyst")
        fields: dict[str, Any] = await self._fields(request)
        key = fields.pop("key", "")
        if not KEY.match(key):
            raise Wrong(400, "no key", "the form has no key: load the page again")
        return holder, key, fields

    async def _fields(self, request: Request) -> dict[str, str]:
        """A form of a page of ours. Raises: Wrong."""
        origin, site, host = (
            request.headers.get(name) for name in ("origin", "sec-fetch-site", "host")
        )
        here = origin in (None, f"http://{host}", f"https://{host}")  # read as it is: no parsing
        if not here or site not in (None, "same-origin", "none"):
            raise Wrong(403, "another site", "this form comes from a page of another site")
        return form_of(await body_of(request, "application/x-www-form-urlencoded"))


def _said(reply: Reply) -> str:
    return f"Not done, {reply.body['error']}: {reply.body['message']}."
