"""The command-line options of ``antiphon service``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def service(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="A board, or a live stream.")],
    token: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="ROLE NAME",
            help="Print a fresh token of an analyst or of ingestion, and end; the old one of this "
            "name ends, too.",
        ),
    ] = None,
    folder: Annotated[Path | None, typer.Option(help="Where it lives; else as FILE says.")] = None,
    port: Annotated[int, typer.Option(help="The port.")] = 8000,
    host: Annotated[str, typer.Option(help="The address.")] = "127.0.0.1",
    name: Annotated[
        list[str] | None, typer.Option(help="A host name it is known by; may come again.")
    ] = None,
    pace: Annotated[
        float | None,
        typer.Option(help="Seconds between released counts (1), or looks at a board's files (60)."),
    ] = None,
    until: Annotated[
        str | None, typer.Option(help="All rows of a board's files up to this time are in.")
    ] = None,
    sync: Annotated[
        str, typer.Option(help="When an answer may leave: each, group or os.")
    ] = "each",
    begin: Annotated[
        bool, typer.Option("--begin", help="Begin it, where its folder has none: spends ε.")
    ] = False,
    moved: Annotated[
        bool, typer.Option("--moved", help="Its folder has been moved, and no copy goes on.")
    ] = False,
    witness: Annotated[
        str | None,
        typer.Option(
            help="A SQLite file, or postgresql://…: it refuses a second life of a session."
        ),
    ] = None,
    reads: Annotated[float, typer.Option(help="Requests a second of one address.")] = 200,
    connections: Annotated[int, typer.Option(help="Connections at once.")] = 800,
    of_one: Annotated[
        int, typer.Option(help="Connections of one address: of a proxy, as many as in all.")
    ] = 100,
) -> int:
    """Serve a board or a live stream from a TOML file: pages, JSON and CSV, until Ctrl-C."""
    from antiphon.service import starting

    asked = starting.ServiceAsked(
        folder=folder, port=port, host=host, names=tuple(name or ()), pace=pace, until=until,
        sync=sync, begin=begin, moved=moved, witness=witness, reads=reads,
        connections=connections, of_one=of_one,
    )  # fmt: skip
    if token is not None:
        return starting.give_token(file, asked.folder, *token)
    return starting.serve(file, asked)
