"""The parsing of the bodies of requests: JSON and forms."""

from __future__ import annotations

import json
import re
from typing import Any, Final
from urllib.parse import parse_qsl

KEY: Final = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")


class Wrong(Exception):
    """The refusal of a request: its HTTP status, the name of the error, and a message."""

    def __init__(self, status: int, error: str, message: str, **headers: str) -> None:
        super().__init__(message)
        self.status, self.error, self.message, self.headers = status, error, message, headers


def json_of(body: bytes) -> Any:
    """The JSON value of a request's body. Raises: Wrong."""
    try:
        return json.loads(body.decode(), parse_constant=_no, object_pairs_hook=_object)
    except (ValueError, RecursionError):
        raise Wrong(
            400, "bad JSON", "the body is not JSON, in UTF-8, or says something twice"
        ) from None


def _no(constant: str) -> None:
    """Refuse the constants NaN and Infinity, which are not JSON."""
    raise ValueError(constant)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The fields of a JSON object; a field that comes twice is refused, since a proxy may have read
    the other value."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a field comes twice")
    return found


def form_of(body: bytes) -> dict[str, str]:
    """The fields of an HTML form. Raises: Wrong."""
    try:
        pairs = parse_qsl(body.decode("ascii"), strict_parsing=bool(body), max_num_fields=16)
        return {name: str(value) for name, value in _object(pairs).items()}
    except ValueError:
        raise Wrong(400, "bad form", "the body is not a form") from None


def number_of(text: str) -> int:
    """The number of a counter, from a text. Raises: Wrong."""
    if not re.fullmatch(r"[0-9]{1,9}", text, re.ASCII):
        raise Wrong(422, "not a number", "a counter is named by its number: 0, 1, …")
    return int(text)
