"""The command-line options of ``antiphon verify``."""

from pathlib import Path
from typing import Annotated

import typer

from antiphon.cli.options import Force, Json


def verify(
    theorem: Annotated[
        list[str] | None, typer.Option(help="Only this one, such as 4.10 or HSS; may be repeated.")
    ] = None,
    adversaries: Annotated[
        bool, typer.Option("--adversaries", help="Print the adversary of each failing row.")
    ] = False,
    certify: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write certificates of the figures into this directory."),
    ] = None,
    force: Force = False,
    json: Json = False,
) -> int:
    """Check the theorems exactly on finite systems, beside broken twins that must fail."""
    from antiphon.selfcheck.commands import verify as verification

    return verification.verify(
        theorems=theorem or [], adversaries=adversaries, certify=certify, force=force, as_json=json
    )
