"""Refusals: a JSON object {"error", "message"} for programs, a page for people."""

from __future__ import annotations

from starlette.responses import HTMLResponse, JSONResponse, Response

from antiphon.service.asked import Wrong
from antiphon.service.pages import Frame


def refusal(frame: Frame, path: str, wrong: Wrong) -> Response:
    """The response to a wrong request."""
    if path.startswith("/api/"):
        return JSONResponse(
            {"error": wrong.error, "message": wrong.message}, wrong.status, wrong.headers
        )
    if wrong.status == 401:
        return HTMLResponse(frame.enter("Sign in first."), 401)
    return HTMLResponse(frame.refused(wrong.message), wrong.status, wrong.headers)
