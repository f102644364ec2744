"""The pages and forms of a service, for people with browsers."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from antiphon.numbers.errors import InvalidArgument
from antiphon.service.asked import KEY, Wrong, form_of, number_of
from antiphon.service.gate import admit, body_of
from antiphon.service.listening import Listening, events
from antiphon.service.memory import Reply
from antiphon.service.service import Service
from antiphon.service.tokens import Holder
from antiphon.service.wire.floods import address_of

COOKIE: Final = "board"


class Site:
    """The pages for people: an analyst signs in with a token, and the browser keeps a cookie."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def board(self, request: Request) -> Response:
        holder = self._holder(request)
        if holder is None:
            return HTMLResponse(self._service.drawn.page)
        return self._page(holder, "")

    async def fragment(self, request: Request) -> Response:
        return HTMLResponse(self._service.drawn.board)

    async def csv(self, request: Request) -> Response:
        """The CSV file of a board; ?how= and last= are the arguments of ``LiveBoard.ask``."""
        how, last = request.query_params.get("how", "total"), request.query_params.get("last")
        try:
            text = self._service.run.csv(how, None if last is None else number_of(last))
        except InvalidArgument as error:
            raise Wrong(422, "no such series", str(error)) from None
        named = {"Content-Disposition": 'attachment; filename="board.csv"'}
        return Response(text, media_type="text/csv", headers=named)

    async def statement(self, request: Request) -> Response:
        run, holder = self._service.run, self._holder(request)
        return HTMLResponse(self._service.frame.statement(run.statement, run.risk, holder))

    async def derivation(self, request: Request) -> Response:
        run, holder = self._service.run, self._holder(request)
        return HTMLResponse(self._service.frame.derivation(run.derivation, run.spent(), holder))

    async def events(self, request: Request) -> Response:
        if request.method == "HEAD":
            return Response(media_type="text/event-stream")
        address = address_of(request.client.host if request.client else "")
        return Listening(self._service.streams, address, events(self._service))

    # --- analysts' forms, in a live stream ----------------------------------------------------

    async def enter(self, request: Request) -> Response:
        if request.method != "POST":
            return HTMLResponse(self._service.frame.enter())
        fields = await self._fields(request)
        found = self._service.tokens.holder(fields.get("token", ""))
        analyst = found if found is not None and found.role == "analyst" else None
        try:
            cookie = self._service.sign_in(admit(self._service, request, analyst, "analyst"))
        except Wrong as wrong:
            said = "This is no analyst's token." if wrong.status == 401 else "Too many; wait."
            return HTMLResponse(self._service.frame.enter(said), wrong.status, wrong.headers)
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
        stream = self._service.stream
        reply = await stream.say(holder.name, key, stream.form(fields))
        said = f"Counter {reply.body['counter']} is made." if reply.status == 201 else _said(reply)
        return self._page(holder, said, reply.status)

    async def ask(self, request: Request) -> Response:
        holder, key, fields = await self._asked(request)
        stream, number = self._service.stream, number_of(fields.get("counter", ""))
        reply = await stream.say(holder.name, key, number)
        said = stream.counted(number, reply.body) if reply.status == 200 else _said(reply)
        return self._page(holder, said, reply.status)

    def _page(self, holder: Holder, said: str, status: int = 200) -> Response:
        # The page is drawn after the form's action, so that it shows its effect.
        run = self._service.run
        page = self._service.frame.board(run.board(), holder, said=said, forms=run.forms())
        return HTMLResponse(page, status)

    def _holder(self, request: Request) -> Holder | None:
        cookie = request.cookies.get(COOKIE)
        return self._service.signed_in(cookie) if cookie else None

    async def _asked(self, request: Request) -> tuple[Holder, str, dict[str, str]]:
        """The analyst who sent a form, and the form's key and fields. Raises: Wrong."""
        holder = admit(self._service, request, self._holder(request), "analyst")
        fields = await self._fields(request)
        key = fields.pop("key", "")
        if not KEY.match(key):
            raise Wrong(400, "no key", "the form has no key: load the page again")
        return holder, key, fields

    async def _fields(self, request: Request) -> dict[str, str]:
        """The fields of a form, if one of this service's own pages sent it. Raises: Wrong."""
        origin, site, host = (
            request.headers.get(name) for name in ("origin", "sec-fetch-site", "host")
        )
        # The origin that the browser states must be this service's own, as text.
        here = origin in (None, f"http://{host}", f"https://{host}")
        if not here or site not in (None, "same-origin", "none"):
            raise Wrong(403, "another site", "this form comes from a page of another site")
        return form_of(await body_of(request, "application/x-www-form-urlencoded"))


def _said(reply: Reply) -> str:
    return f"Not done, {reply.body['error']}: {reply.body['message']}."
