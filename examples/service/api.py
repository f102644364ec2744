"""What programs ask, in JSON."""

from __future__ import annotations

from typing import Any

import attrs
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from .asked import KEY, Wrong, batch_of, json_of, number_of, watch_of
from .gate import admit, header_of, json_body
from .memory import Counter, Reply, no_such_counter
from .service import Service
from .tokens import Holder


class Api:
    """JSON, for programs: a token in ``Authorization``, a key in ``Idempotency-Key``."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def flights(self, request: Request) -> Response:
        holder, key = self._sender(request, "ingestion")
        batch = batch_of(json_of(await json_body(request)))
        return _replied(await self._service.writer.say(holder.name, key, batch))

    async def counters(self, request: Request) -> Response:
        if request.method != "POST":
            memory = self._service.memory
            shown = [
                {"counter": number, **self._public(number, each)}
                for number, each in enumerate(memory.counters)
                if each
            ]
            return JSONResponse({"flights": memory.flights, "counters": shown})
        holder, key = self._sender(request, "analyst")
        watch = watch_of(json_of(await json_body(request)))
        return _replied(await self._service.writer.say(holder.name, key, watch))

    async def counter(self, request: Request) -> Response:
        memory, number = self._service.memory, number_of(request.path_params["number"])
        found = memory.counters[number] if number < len(memory.counters) else None
        if found is None:
            return _replied(no_such_counter(number))
        series = [*map(attrs.asdict, found.series)]
        return JSONResponse({"counter": number, **self._public(number, found), "series": series})

    async def ask(self, request: Request) -> Response:
        holder, key = self._sender(request, "analyst")
        number = number_of(request.path_params["number"])
        return _replied(await self._service.writer.say(holder.name, key, number))

    async def budget(self, request: Request) -> Response:
        return JSONResponse(self._service.spending.data())

    def _sender(self, request: Request, role: str) -> tuple[Holder, str]:
        """Who sends it, and by which key. Raises: Wrong."""
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

    def _public(self, number: int, counter: Counter) -> dict[str, Any]:
        airline, origin, delay, epsilon = counter.watch
        watch = {"airline": airline, "origin": origin, "delay": delay, "epsilon": str(epsilon)}
        known = {**watch, "charge": self._service.spending.share(number), "from": counter.born}
        return {**known, **(attrs.asdict(counter.last) if counter.last else {"count": None})}


def _replied(reply: Reply) -> Response:
    headers = {"Retry-After": "1"} if reply.status == 503 else None
    return JSONResponse(reply.body, reply.status, headers)
