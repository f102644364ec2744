"""How a refusal is told: to programs a JSON object, {"error", "message"}, to people a page."""

from __future__ import annotations

from starlette.responses import HTMLResponse, JSONResponse, Response

from . import pages
from .asked import Wrong


def refusal(path: str, wrong: Wrong) -> Response:
    """The answer to what is wrong."""
    if path.startswith("/api/"):
        return JSONResponse(
            {"error": wrong.error, "message": wrong.message}, wrong.status, wrong.headers
        )
    if wrong.status == 401:
        return HTMLResponse(pages.enter_page("Sign in first."), 401)
    return HTMLResponse(pages.refused_page(wrong.message), wrong.status, wrong.headers)
