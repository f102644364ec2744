"""What may be asked over HTTP. Every refusal is a JSON object, {"error", "message"}, or a page.

Nothing that is answered tells data but the answers of the mechanism. Refusals are functions of the
request, of tokens, and of what was created: *no budget* is what ``session.price`` says, *no such
counter* what ``Board`` does, and both follow from the creations alone. That a key was used with
another body is told to its own token only, which sent both.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from .api import Api
from .asked import Wrong
from .guard import Guard
from .refusals import refusal
from .service import Service
from .site import Site

_STATIC: Final = {
    name: (kind, (Path(__file__).parent / "static" / name).read_bytes())
    for name, kind in (
        ("style.css", "text/css"),
        ("live.js", "text/javascript"),
        ("icon.svg", "image/svg+xml"),
    )
}


def app_of(service: Service, hosts: Iterable[str] = ()) -> Guard:
    """The ASGI app of a service, known by these names beside those of this machine."""
    site, api = Site(service), Api(service)
    routes = [
        Route("/", site.board, methods=["GET"]),
        Route("/board", site.fragment, methods=["GET"]),
        Route("/derivation", site.derivation, methods=["GET"]),
        Route("/events", site.events, methods=["GET"]),
        Route("/enter", site.enter, methods=["GET", "POST"]),
        Route("/leave", site.leave, methods=["POST"]),
        Route("/create", site.create, methods=["POST"]),
        Route("/ask", site.ask, methods=["POST"]),
        Route("/static/{name}", _static, methods=["GET"]),
        Route("/api/counters", api.counters, methods=["GET", "POST"]),
        Route("/api/counters/{number}", api.counter, methods=["GET"]),
        Route("/api/counters/{number}/ask", api.ask, methods=["POST"]),
        Route("/api/flights", api.flights, methods=["POST"]),
        Route("/api/budget", api.budget, methods=["GET"]),
    ]
    handlers: Any = {Wrong: _wrong, HTTPException: _http, Exception: _fault}
    app = Starlette(routes=routes, lifespan=service.running, exception_handlers=handlers)
    app.router.redirect_slashes = False  # it would lead to whatever the path says
    return Guard(app, service.floods, hosts)


async def _wrong(request: Request, wrong: Any) -> Response:
    return refusal(request.scope["path"], wrong)


async def _http(request: Request, error: Any) -> Response:
    body = {"error": error.detail.lower(), "message": "see docs/service.md for what there is"}
    return JSONResponse(body, error.status_code, error.headers)


async def _fault(request: Request, error: Any) -> Response:
    return JSONResponse({"error": "fault", "message": "of the service; nothing more is told"}, 500)


async def _static(request: Request) -> Response:
    found = _STATIC.get(request.path_params["name"])
    if found is None:
        raise HTTPException(404)
    return Response(found[1], media_type=found[0], headers={"Cache-Control": "max-age=3600"})
