"""The JSON interface of a service, which programs use."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from antiphon.service.asked import KEY, Wrong, json_of, number_of
from antiphon.service.gate import admit, header_of, json_body
from antiphon.service.memory import Reply, no_such_counter
from antiphon.service.service import Service
from antiphon.service.tokens import Holder


class Api:
    """The HTTP endpoints for programs, with headers ``Authorization`` and ``Idempotency-Key``."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def feed(self, request: Request) -> Response:
        holder, key = self._sender(request, "ingestion")
        data = json_of(await json_body(request))
        return _replied(await self._service.run.feed(holder.name, key, data))

    async def series(self, request: Request) -> Response:
        return JSONResponse(self._service.run.series())

    async def one(self, request: Request) -> Response:
        number = number_of(request.path_params["number"])
        found = self._service.run.one(number)
        return _replied(no_such_counter(number)) if found is None else JSONResponse(found)

    async def budget(self, request: Request) -> Response:
        return JSONResponse(self._service.run.budget())

    async def statement(self, request: Request) -> Response:
        return JSONResponse(self._service.run.statement.to_dict())

    async def risk(self, request: Request) -> Response:
        return JSONResponse(self._service.run.risk.to_dict())

    def _sender(self, request: Request, role: str) -> tuple[Holder, str]:
        """The sender of a request, and its idempotency key. Raises: Wrong without valid ones."""
        kind, _, token = header_of(request, "authorization").partition(" ")
        found = self._service.tokens.holder(token) if kind.lower() == "bearer" else None
        holder = admit(self._service, request, found, role)
        key = header_of(request, "idempotency-key")
        if not KEY.match(key):
            raise Wrong(
                400, "no key", "Idempotency-Key: 1 to 64 letters, digits, - or _, new for what is "
                "new, and the same for what is sent again",
            )  # fmt: skip
        return holder, key

    # --- endpoints of a live stream -----------------------------------------------------------

    async def create(self, request: Request) -> Response:
        holder, key = self._sender(request, "analyst")
        stream = self._service.stream
        watch = stream.watch(json_of(await json_body(request)))
        return _replied(await stream.say(holder.name, key, watch))

    async def ask(self, request: Request) -> Response:
        holder, key = self._sender(request, "analyst")
        number = number_of(request.path_params["number"])
        return _replied(await self._service.stream.say(holder.name, key, number))


def _replied(reply: Reply) -> Response:
    headers = {"Retry-After": "1"} if reply.status == 503 else None
    return JSONResponse(reply.body, reply.status, headers)
