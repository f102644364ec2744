"""The checks of tokens, rates and sizes before the body of a request is read."""

from __future__ import annotations

import asyncio
from typing import Final

from starlette.requests import ClientDisconnect, Request

from antiphon.service.asked import Wrong
from antiphon.service.service import Service
from antiphon.service.threshold import too_many
from antiphon.service.tokens import Holder
from antiphon.service.wire import patience
from antiphon.service.wire.floods import address_of

BODY: Final = 32 << 10
"""The largest size in bytes of a request's body."""


def admit(service: Service, request: Request, holder: Holder | None, role: str) -> Holder:
    """The holder of a request's token. Raises: Wrong without a token of this role, and for too many
    requests."""
    wait = (
        service.floods.wait("guess", address_of(request.client.host if request.client else ""))
        if holder is None
        else service.floods.wait(holder.role, holder.name)
    )
    if wait:
        raise too_many(wait)
    if holder is None:
        raise Wrong(
            401, "no token", "Authorization: Bearer and a token", **{"WWW-Authenticate": "Bearer"}
        )
    if holder.role != role:
        raise Wrong(403, "another role", f"this is for a token of the role {role}")
    return holder


def header_of(request: Request, name: str) -> str:
    """The value of a header; "" if it comes twice, as a proxy may have read the other value."""
    given = request.headers.getlist(name)
    return given[0] if len(given) == 1 else ""


async def json_body(request: Request) -> bytes:
    """The JSON body of a program's request. Raises: Wrong."""
    return await body_of(request, "application/json")


async def body_of(request: Request, kind: str) -> bytes:
    """The body of a request. Raises: Wrong for more than ``BODY`` bytes, or another type."""
    if header_of(request, "content-type").partition(";")[0].strip().lower() != kind:
        raise Wrong(415, "another type", f"Content-Type: {kind}")
    too_long = Wrong(413, "too long", f"a body has at most {BODY} bytes", Connection="close")
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or len(length) > 9 or int(length) > BODY:
        raise too_long
    body = bytearray()
    try:
        async with asyncio.timeout(patience.BODY):
            async for part in request.stream():
                body += part
                if len(body) > BODY:
                    raise too_long
    except TimeoutError:
        raise Wrong(408, "too slow", "the body did not come in time", Connection="close") from None
    except ClientDisconnect:
        raise Wrong(400, "cut off", "the body is not whole") from None
    return bytes(body)
