"""What requests say: JSON and forms, as messages of the board's declared spaces."""

from __future__ import annotations

import json
import re
from typing import Any, Final
from urllib.parse import parse_qsl

from .board import DELAYS, EPSILONS, FLIGHT, MOST, WATCH, Watch

KEY: Final = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
_FIELDS: Final = ("airline", "origin", "delay")


class Wrong(Exception):
    """What is answered to a request that asks for nothing that there is."""

    def __init__(self, status: int, error: str, message: str, **headers: str) -> None:
        super().__init__(message)
        self.status, self.error, self.message, self.headers = status, error, message, headers


def json_of(body: bytes) -> Any:
    """A JSON value. Raises: Wrong."""
    try:
        return json.loads(body.decode(), parse_constant=_no, object_pairs_hook=_object)
    except (ValueError, RecursionError):
        raise Wrong(
            400, "bad JSON", "the body is not JSON, in UTF-8, or says something twice"
        ) from None


def _no(constant: str) -> None:
    """NaN and Infinity are no JSON."""
    raise ValueError(constant)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of two fields of one name, a proxy might have read the other."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a field comes twice")
    return found


def form_of(body: bytes) -> dict[str, str]:
    """The fields of a form. Raises: Wrong."""
    try:
        pairs = parse_qsl(body.decode("ascii"), strict_parsing=bool(body), max_num_fields=16)
        return {name: str(value) for name, value in _object(pairs).items()}
    except ValueError:
        raise Wrong(400, "bad form", "the body is not a form") from None


def batch_of(data: Any) -> tuple[Any, ...]:
    """{"flights": [{"airline", "origin", "delay"}, …]}. Raises: Wrong."""
    given = data.get("flights") if type(data) is dict and len(data) == 1 else None
    if type(given) is not list or not 0 < len(given) <= MOST:
        raise Wrong(422, "not flights", f'the body is {{"flights": […]}}, of 1 to {MOST} flights')
    flights = tuple(
        tuple(each[name] for name in _FIELDS)
        if type(each) is dict and each.keys() == set(_FIELDS)
        else None
        for each in given
    )
    for place, flight in enumerate(flights):
        if not FLIGHT.contains(flight):
            raise Wrong(
                422, "not a flight",
                f"flight {place}: an airline and an origin that are known, and delay, a whole "
                "number of minutes from -1440 to 1440",
            )  # fmt: skip
    return flights


def watch_of(data: Any) -> Watch:
    """{"airline", "origin", "delay", "epsilon"}; all but epsilon may be left out. Raises: Wrong."""
    watch: Any = None
    if type(data) is dict and data.keys() <= {*_FIELDS, "epsilon"}:
        text = data.get("epsilon")
        epsilon = EPSILONS.get(text) if type(text) is str else None
        watch = (data.get("airline", ""), data.get("origin", ""), data.get("delay", 0), epsilon)
    if not WATCH.contains(watch):
        raise Wrong(
            422, "not a counter",
            'airline and origin, "" for any; delay, one of '
            f"{', '.join(map(str, DELAYS))}; epsilon, one of {', '.join(map(repr, EPSILONS))}",
        )  # fmt: skip
    found: Watch = watch
    return found


def number_of(text: str) -> int:
    """A counter's number. Raises: Wrong."""
    if not re.fullmatch(r"[0-9]{1,9}", text, re.ASCII):
        raise Wrong(422, "not a number", "a counter is named by its number: 0, 1, …")
    return int(text)
