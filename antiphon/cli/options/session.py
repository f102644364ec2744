"""``antiphon session``: its options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from antiphon.cli.options import Json, With


def session(
    action: Annotated[
        str,
        typer.Argument(
            metavar="status|verify|compact",
            help="How far it is; step through all of it; shorten it to its last state.",
        ),
    ],
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A session's file.")],
    delta: Annotated[
        str | None, typer.Option(help="Say of the budget what it is in ε at this δ, too.")
    ] = None,
    with_: With = None,
    json: Json = False,
) -> int:
    """Look after the file of a durable session; status 1 if nobody may resume it."""
    from antiphon.cli.commands import session_file

    return session_file.session(action, path, delta=delta, with_file=with_, as_json=json)
