"""The options of the commands: each public function in a file of this folder is a command.

A command imports its implementation when it is called, so that ``--help`` and unknown options are
answered at once. Options that several commands share are here.
"""

from pathlib import Path
from typing import Annotated, Any

import typer

from antiphon.protocol.records.files import refuse_taken

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, and nothing else.")]
Seed = Annotated[
    int | None, typer.Option(min=0, help="Seed, for study only. Without it: the system's entropy.")
]
File = Annotated[Path, typer.Argument(metavar="VIEW", help="A saved view or recording.")]
With = Annotated[
    Path | None,
    typer.Option("--with", metavar="FILE.py", help="Run all of this file: it registers types."),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite existing files.")]
Workers = Annotated[int | None, typer.Option(min=1, help="Worker processes; default: if they pay.")]


def drawing(told: str) -> Any:
    """The command-line option for a picture's file, with the help text ``told``."""
    return typer.Option(metavar="FILE", help=told)


def check_plot(plot: Path | None, force: bool) -> None:
    """Check that a picture can be drawn and saved, before anything is computed. Raises:
    FileError, InvalidArgument, MissingExtra."""
    if plot is not None:
        from antiphon.protocol.pictures import check_pictures

        refuse_taken([plot], force)
        check_pictures([plot])
