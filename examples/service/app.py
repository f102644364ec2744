"""What may be asked over HTTP. Every refusal is a JSON object, {"error", "message"}, or a page.

Nothing that is answered tells data but the answers of the mechanism. Refusals are functions of the
request, of tokens, and of what was created: *no budget* and *no such counter* both follow from the
creations alone (``Board``), are both written to the log, and have one shape. That a key was used
with another body is told to its own token only, which sent both.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from . import pages
from .api import Api
from .asked import Wrong
from .guard import Guard
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


def app_of(service: Service) -> Guard:
    """The ASGI app of a service."""
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
    return Guard(Starlette(routes=routes, lifespan=service.running, exception_handlers=handlers))


async def _wrong(request: Request, wrong: Any) -> Response:
    body = {"error": wrong.error, "message": wrong.message}
    if request.url.path.startswith("/api/"):
        return JSONResponse(body, wrong.status, wrong.headers)
    if wrong.status == 401:
        return HTMLResponse(pages.enter_page("Sign in first."), 401)
    return HTMLResponse(pages.refused_page(wrong.message), wrong.status, wrong.headers)


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
