"""The service from a shell: start it, make tokens, send it flights."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from antiphon.composition import BasicFilter, WhitehouseFilter
from antiphon.numbers.errors import AntiphonError
from antiphon.numbers.exact import rational, whole

from .door import PLACES, Places
from .tokens import ROLES, issue


def main() -> int:
    """A command; 0 if all went well, 2 for what could not be begun."""
    parser = argparse.ArgumentParser(prog="python -m examples.service", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, said in (
        ("start", "begin, or go on with, the session of a folder"),
        ("demo", "the same, with three counters and the flights of 2013"),
    ):
        _starting(commands.add_parser(name, help=said))
    token = commands.add_parser("token", help="a fresh token; the name's old one ends")
    token.add_argument("folder", type=Path)
    token.add_argument("role", choices=ROLES)
    token.add_argument("name")
    ingest = commands.add_parser("ingest", help="send flights of 2013; the token is $TOKEN")
    ingest.add_argument("url")
    ingest.add_argument("--start", type=int, default=0)
    ingest.add_argument("--many", type=int, default=336_776)
    ingest.add_argument("--rate", type=float, default=1000, help="flights a second")
    given = parser.parse_args()
    try:
        return {"token": _token, "ingest": _ingest}.get(given.command, _start)(given)
    except AntiphonError as error:
        print(error, file=sys.stderr)
        return 2


def _starting(start: argparse.ArgumentParser) -> None:
    """The options of a service."""
    start.add_argument("folder", type=Path)
    start.add_argument("--port", type=int, default=8000)
    start.add_argument("--host", default="127.0.0.1")
    start.add_argument("--epsilon", default="4", help="of a new session")
    start.add_argument("--delta", default="0", help="of a new session")
    start.add_argument("--horizon", type=int, default=1 << 19, help="flights of a counter")
    start.add_argument("--sync", choices=("each", "group", "os"), default="each")
    start.add_argument(
        "--moved", action="store_true", help="your word that no other copy of the folder goes on"
    )
    start.add_argument(
        "--name", action="append", default=[], help="a host name it is known by; may come again"
    )
    start.add_argument("--reads", type=float, default=200, help="a second, of one address")
    start.add_argument("--connections", type=int, default=PLACES.at_once, help="at once")
    start.add_argument(
        "--of-one", type=int, default=PLACES.of_one,
        help="connections of one address: behind a proxy, as many as --connections",
    )  # fmt: skip
    start.add_argument("--pace", type=float, default=1, help="seconds between released counts")


def _start(given: argparse.Namespace) -> int:
    try:
        from .service import opened, state_of
        from .serving import Server, listener_of
    except ImportError:
        print("starlette and uvicorn are needed: pip install 'antiphon[service]'", file=sys.stderr)
        return 2
    epsilon, delta = rational(given.epsilon, "--epsilon"), rational(given.delta, "--delta")
    budget = (WhitehouseFilter if delta else BasicFilter)(epsilon=epsilon, delta=delta)
    places = Places(
        whole(given.connections, "--connections"), whole(given.of_one, "--of-one")
    )  # fmt: skip
    try:
        listener = listener_of(given.host, given.port)
    except OSError as error:
        print(f"{given.host}, port {given.port}: {error}; try --port", file=sys.stderr)
        return 2
    service = opened(
        given.folder, budget, horizon=given.horizon, sync=given.sync, pace=given.pace,
        moved=given.moved, reads=given.reads,
    )  # fmt: skip
    print(state_of(service), flush=True)

    if given.command == "demo":
        from .demonstration import begin

        token = begin(given.folder, given.host, given.port, service.memory.flights)
        print(f"sign in with the token {token}")
    print(f"http://{given.host}:{given.port}", flush=True)
    Server(service, listener, given.host, *given.name, places=places).run()
    return 0


def _token(given: argparse.Namespace) -> int:
    if not given.name.isidentifier() or len(given.name) > 64:
        print("a name is letters, digits and _, at most 64", file=sys.stderr)
        return 2
    given.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    print(issue(given.folder / "tokens", given.role, given.name))
    return 0


def _ingest(given: argparse.Namespace) -> int:
    from .ingestion import send

    token = os.environ.get("TOKEN", "")
    for said in send(given.url, token, start=given.start, many=given.many, rate=given.rate):
        print(said, end="\r", flush=True)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
