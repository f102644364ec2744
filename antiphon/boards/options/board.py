"""The command-line options of ``antiphon board``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from antiphon.cli.options import Force, Json


def board(
    action: Annotated[
        str,
        typer.Argument(
            metavar="run|status|feed|ask|page|statement|purge",
            help="Feed its files, publish the windows that are over and write its page; say how "
            "far it is; feed files; print its numbers; write its page; print its statement; remove "
            "rows that have been counted.",
        ),
    ],
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="The board.")],
    sources: Annotated[
        list[Path] | None, typer.Argument(metavar="CSV…", help="What is fed.")
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            help="All rows up to this time are in, or 'now': earlier windows are published, and "
            "take no more rows. The first feed needs it, unless no window is over."
        ),
    ] = None,
    how: Annotated[str, typer.Option(help="total, window or sliding.")] = "total",
    last: Annotated[int | None, typer.Option(min=1, help="Windows that slide.")] = None,
    top: Annotated[
        int | None, typer.Option(min=1, help="Of each window the so many largest keys.")
    ] = None,
    leave_late: Annotated[
        bool, typer.Option("--leave-late", help="Leave out rows that come too late.")
    ] = False,
    leave_bad: Annotated[
        bool, typer.Option("--leave-bad", help="Leave out lines that cannot be read.")
    ] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Numbers as a CSV file.")] = False,
    begin: Annotated[
        bool, typer.Option("--begin", help="Begin the board, where its folder has none: spends ε.")
    ] = False,
    moved: Annotated[
        bool, typer.Option("--moved", help="Its folder has been moved, and no copy goes on.")
    ] = False,
    output: Annotated[Path | None, typer.Option(help="The page; else FILE.html.")] = None,
    force: Force = False,
    json: Json = False,
) -> int:
    """Run a board of private counts from a TOML file: feed it CSV files, ask it, write its page."""
    from antiphon.boards.commands import running_boards

    asked = running_boards.BoardAsked(
        sources=tuple(sources or ()), until=until, how=how, last=last, top=top,
        leave_late=leave_late, leave_bad=leave_bad, as_csv=csv, begin=begin, moved=moved,
        output=output, force=force, as_json=json,
    )  # fmt: skip
    return running_boards.board(action, file, asked)
