"""``antiphon show``: its options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from antiphon.cli.options import File, Force, Json, With


def show(
    path: File,
    style: Annotated[str, typer.Option("--format", help="mermaid or svg.")] = "mermaid",
    output: Annotated[Path | None, typer.Option(help="A file; else standard output.")] = None,
    limit: Annotated[int, typer.Option(min=0, help="Draw at most this many rounds.")] = 50,
    with_: With = None,
    force: Force = False,
    json: Json = False,
) -> int:
    """Draw a view as a sequence diagram."""
    from antiphon.cli.commands import views

    return views.show(
        path, style=style, output=output, limit=limit, with_file=with_, force=force, as_json=json
    )
