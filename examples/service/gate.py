"""Who comes in, with how large a body: refusals that come before what was said is read."""

from __future__ import annotations

from typing import Final

from starlette.requests import ClientDisconnect, Request

from .asked import Wrong
from .service import Service
from .tokens import Holder

BODY: Final = 32 << 10
"""Bytes of a request's body, at most."""


def admit(service: Service, request: Request, holder: Holder | None, role: str) -> None:
    """Raises: Wrong, for a wrong token, or role, or too many requests."""
    address = request.client.host if request.client else ""
    wait = (
        service.buckets.wait("", f"address {address}")
        if holder is None
        else service.buckets.wait(holder.role, f"token {holder.name}")
    )
    if wait:
        seconds = str(int(wait) + 1)
        raise Wrong(429, "too many", "more than the rate of this token", **{"Retry-After": seconds})
    if holder is None:
        raise Wrong(
            401, "no token", "Authorization: Bearer and a token", **{"WWW-Authenticate": "Bearer"}
        )
    if holder.role != role:
        raise Wrong(403, "another role", f"this is for a token of the role {role}")


async def json_body(request: Request) -> bytes:
    """The body of a program's request. Raises: Wrong."""
    return await body_of(request, "application/json")


async def body_of(request: Request, kind: str) -> bytes:
    """The body, of at most ``BODY`` bytes; a longer one is refused before it is read."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != kind:
        raise Wrong(415, "another type", f"Content-Type: {kind}")
    too_long = Wrong(413, "too long", f"a body has at most {BODY} bytes", Connection="close")
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or len(length) > 9 or int(length) > BODY:
        raise too_long
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > BODY:
                raise too_long
    except ClientDisconnect:
        raise Wrong(400, "cut off", "the body is not whole") from None
    return bytes(body)
