"""The command-line options of ``antiphon conjecture``."""

from pathlib import Path
from typing import Annotated

import typer

from antiphon.cli.options import Force, Json, Seed, Workers, check_plot, drawing


def conjecture(
    target: Annotated[
        str, typer.Argument(metavar="FILE.py:NAME", help="A Conjecture(pattern, bound).")
    ],
    seconds: Annotated[float, typer.Option(min=0.001, help="Time limit of the search.")] = 60.0,
    starts: Annotated[int | None, typer.Option(min=1, help="Limit on local searches.")] = None,
    seed: Seed = None,
    workers: Workers = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="Keep the results here, and resume (needs a seed).")
    ] = None,
    to_the_end: Annotated[
        bool, typer.Option("--to-the-end", help="After a refutation go on, for the largest.")
    ] = False,
    plot: Annotated[Path | None, drawing("Draw best over starts: .png, .svg, .pdf.")] = None,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Save a play that refutes it, which replays."),
    ] = None,
    svg: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the mechanisms beside their adversary."),
    ] = None,
    force: Force = False,
    json: Json = False,
) -> int:
    """Search for mechanisms that break a conjectured bound; status 1 if the bound is refuted."""
    from antiphon.conjectures import commands

    check_plot(plot, force)
    asked = commands.ConjectureOptions(
        target, seconds, starts, seed, workers, checkpoint, to_the_end, plot, save, svg, force, json
    )
    return commands.conjecture(asked)
