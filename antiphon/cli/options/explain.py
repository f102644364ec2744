"""``antiphon explain``: its options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from antiphon.cli.options import Force, Json


def explain(
    target: Annotated[
        str, typer.Argument(metavar="FILE.py:NAME", help="A mechanism, a chain, or a PrivacyGame.")
    ],
    verification: Annotated[
        str | None, typer.Option("--f", metavar="NAME", help="f, by its name in the file.")
    ] = None,
    inner: Annotated[
        str | None, typer.Option(metavar="NAME", help="f' of a complex mechanism.")
    ] = None,
    catalogue: Annotated[
        str | None, typer.Option(metavar="NAME", help="A list: nothing else is created.")
    ] = None,
    max_creations: Annotated[
        int | None, typer.Option(min=0, help="No more mechanisms are created.")
    ] = None,
    style: Annotated[
        str, typer.Option("--format", help="text, markdown, mermaid or svg.")
    ] = "text",
    output: Annotated[Path | None, typer.Option(help="A file; else standard output.")] = None,
    force: Force = False,
    json: Json = False,
) -> int:
    """Say what your system promises, by which theorem; status 1 if none applies."""
    from antiphon.cli.commands import explain as guarantees

    return guarantees.explain(
        target, verification=verification, inner=inner, catalogue=catalogue,
        max_creations=max_creations, style=style, output=output, force=force, as_json=json,
    )  # fmt: skip
