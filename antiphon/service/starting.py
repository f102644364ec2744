"""The actions of ``antiphon service``: issue a token, and serve a TOML file."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from antiphon.cli.output import one_of
from antiphon.numbers.errors import FileError, InvalidArgument, MissingExtra
from antiphon.numbers.exact import whole
from antiphon.service.definition import StreamFile, read_definition
from antiphon.service.tokens import ROLES, TOKENS, issue
from antiphon.sessions.witnesses import witness_at

if TYPE_CHECKING:
    from antiphon.service.service import Service


@attrs.frozen(kw_only=True)
class ServiceAsked:
    """The command-line options of ``antiphon service``, as they were given."""

    folder: Path | None = None
    port: int = 8000
    host: str = "127.0.0.1"
    names: tuple[str, ...] = ()
    pace: float | None = None
    until: str | None = None
    sync: str = "each"
    begin: bool = False
    moved: bool = False
    witness: str | None = None
    reads: float = 200
    connections: int = 800
    of_one: int = 100


def give_token(path: Path, folder: Path | None, role: str, name: str) -> int:
    """Issue a token for a name, in place of its old one, and print it. Raises: InvalidArgument."""
    if role not in ROLES:
        raise InvalidArgument(f"a role is {' or '.join(ROLES)}, not {role[:40]!r}")
    if not (name.isascii() and name.isidentifier()) or len(name) > 64:
        raise InvalidArgument("a name is letters, digits and _, at most 64")
    place = read_definition(path, folder).folder
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    print(issue(place / TOKENS, role, name))
    return 0


def serve(path: Path, asked: ServiceAsked, begun: Any = None) -> int:
    """Serve a TOML file until the process is told to end; ``begun`` is called when the service has
    started.

    Raises: MissingExtra without starlette and uvicorn; InvalidArgument, FileError, and the errors
    of ``ap.resume``.
    """
    try:
        from antiphon.service.service import opened
        from antiphon.service.wire.door import Seats
        from antiphon.service.wire.serving import Server, listener_of
    except ModuleNotFoundError as error:
        raise MissingExtra(str(error.name).partition(".")[0], "service") from None
    from antiphon.boards.inbox import is_begun, not_begun

    known = read_definition(path, asked.folder)
    live = isinstance(known, StreamFile)
    places = Seats(whole(asked.connections, "--connections"), whole(asked.of_one, "--of-one"))
    sync: Any = one_of({each: each for each in ("each", "group", "os")}, asked.sync, "--sync")
    witness = None if asked.witness is None else witness_at(asked.witness)
    if not (asked.begin or is_begun(known.folder)):
        place = "" if asked.folder is None else f" --folder {shlex.quote(str(asked.folder))}"
        until = "" if asked.until is None else f" --until {shlex.quote(asked.until)}"
        line = f"antiphon service {shlex.quote(str(path))}{place}{until} --begin"
        spends: Any = known.machine.budget if isinstance(known, StreamFile) else known.board
        what = "live stream" if live else "board"
        raise not_begun(known.folder, spends.epsilon, line, what=what)
    try:
        listener = listener_of(asked.host, asked.port)
    except OSError as error:
        raise FileError(f"{asked.host}, port {asked.port}: {error}; try --port") from None
    pace = asked.pace if asked.pace is not None else 1 if live else 60
    service: Service = opened(
        known, title=path.stem, sync=sync, pace=pace, moved=asked.moved, until=asked.until,
        witness=witness, reads=asked.reads,
    )  # fmt: skip
    print(service.run.state(), flush=True)
    if begun is not None:
        begun(service)
    print(f"http://{asked.host}:{asked.port}", flush=True)
    Server(service, listener, asked.host, *asked.names, places=places).run()
    return 0
