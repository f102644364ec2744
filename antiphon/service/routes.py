"""The HTTP routes of a service. Every refusal is a JSON object, {"error", "message"}, or a page.

A response contains no data except the answers of the mechanism. Refusals depend only on the
request, on the tokens, and on the created counters: ``session.price`` decides *no budget*, and
``EventCounters`` decides *no such counter*. The refusal of a key that came before with another body
is sent only to the token that sent both.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any, Final, TypeAlias

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from antiphon.service.api import Api
from antiphon.service.asked import Wrong
from antiphon.service.service import Service
from antiphon.service.site import Site
from antiphon.service.stream_run import StreamRun
from antiphon.service.threshold import Threshold, refusal

Endpoint: TypeAlias = "Callable[[Request], Awaitable[Response]]"
_STATIC: Final = {
    name: (kind, (Path(__file__).parent / "static" / name).read_bytes())
    for name, kind in (
        ("style.css", "text/css"),
        ("live.js", "text/javascript"),
        ("icon.svg", "image/svg+xml"),
    )
}


def app_of(service: Service, hosts: Iterable[str] = ()) -> Threshold:
    """The ASGI app of a service. ``hosts``: its host names, besides those of this machine."""
    site, api = Site(service), Api(service)
    routes = [
        Route("/", site.board, methods=["GET"]),
        Route("/board", site.fragment, methods=["GET"]),
        Route("/board.csv", site.csv, methods=["GET"]),
        Route("/statement", site.statement, methods=["GET"]),
        Route("/derivation", site.derivation, methods=["GET"]),
        Route("/events", site.events, methods=["GET"]),
        Route("/static/{name}", _static, methods=["GET"]),
        Route("/api/counters", api.series, methods=["GET"]),
        Route("/api/counters/{number}", api.one, methods=["GET"]),
        Route("/api/budget", api.budget, methods=["GET"]),
        Route("/api/statement", api.statement, methods=["GET"]),
        Route("/api/risk", api.risk, methods=["GET"]),
        Route(service.run.path, api.feed, methods=["POST"]),
    ]
    if isinstance(service.run, StreamRun):
        routes[:0] = [
            Route("/enter", site.enter, methods=["GET", "POST"]),
            Route("/leave", site.leave, methods=["POST"]),
            Route("/create", site.create, methods=["POST"]),
            Route("/ask", site.ask, methods=["POST"]),
            Route("/api/counters/{number}/ask", api.ask, methods=["POST"]),
            Route("/api/counters", _either(api.series, api.create), methods=["GET", "POST"]),
        ]

    async def wrong(request: Request, error: Wrong) -> Response:
        return refusal(service.frame, request.scope["path"], error)

    handlers: Any = {Wrong: wrong, HTTPException: _http, Exception: _fault}
    app = Starlette(routes=routes, lifespan=service.running, exception_handlers=handlers)
    # A redirect to the path with a slash could be made to lead to another site.
    app.router.redirect_slashes = False
    return Threshold(app, service.frame, service.floods, hosts)


def _either(get: Endpoint, post: Endpoint) -> Endpoint:
    async def both(request: Request) -> Response:
        return await (post if request.method == "POST" else get)(request)

    return both


async def _http(request: Request, error: HTTPException) -> Response:
    body = {"error": error.detail.lower(), "message": "see docs/service.md for what there is"}
    return JSONResponse(body, error.status_code, error.headers)


async def _fault(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": "fault", "message": "of the service; nothing more is told"}, 500)


async def _static(request: Request) -> Response:
    found = _STATIC.get(request.path_params["name"])
    if found is None:
        raise HTTPException(404)
    return Response(found[1], media_type=found[0], headers={"Cache-Control": "max-age=3600"})
