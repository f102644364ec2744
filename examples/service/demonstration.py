"""A service with somebody to talk to it: three counters, and the flights of 2013 coming in."""

from __future__ import annotations

import http.client
import threading
from pathlib import Path

from .ingestion import post, send
from .tokens import issue

COUNTERS = (
    {"epsilon": "1"},
    {"airline": "UA", "epsilon": "1"},
    {"origin": "JFK", "delay": 30, "epsilon": "1"},
)
RATE = 300


def begin(folder: Path, host: str, port: int, flights: int) -> str:
    """Talk to the service that is about to start; the token of an analyst.

    The keys are the same each time, so that a restart makes no counter twice.
    """
    tokens = (
        issue(folder / "tokens", "analyst", "you"),
        issue(folder / "tokens", "ingestion", "feed"),
    )
    talking = threading.Thread(target=_talk, args=(host, port, tokens, flights), daemon=True)
    talking.start()
    return tokens[0]


def _talk(host: str, port: int, tokens: tuple[str, str], flights: int) -> None:
    connection = http.client.HTTPConnection(host, port, timeout=30)
    for number, watch in enumerate(COUNTERS):
        post(connection, "/api/counters", tokens[0], f"demo-{number}", watch)
    connection.close()
    for _ in send(f"http://{host}:{port}", tokens[1], start=flights, many=1 << 20, rate=RATE):
        pass
