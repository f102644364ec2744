"""The command-line options of ``antiphon mistakes``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from antiphon.cli.options import Force, Json, Seed, Workers, check_plot


def mistakes(
    learner: Annotated[
        str, typer.Option(help="sparse-vector, name-and-shame, tree-counter, points or halving.")
    ] = "sparse-vector",
    rounds: Annotated[int, typer.Option(min=1, max=1 << 24, help="T.")] = 1 << 10,
    epsilon: Annotated[str, typer.Option(help="ε of the learner, and of the bound.")] = "1",
    delta: Annotated[str, typer.Option(help="δ of name-and-shame, and of the bound.")] = "1e-6",
    beta: Annotated[
        str, typer.Option(help="β: the probability of leaving its first hypothesis on blanks.")
    ] = "0.1",
    points: Annotated[int, typer.Option(min=2, max=1 << 12, help="N, of points.")] = 1000,
    repeat: Annotated[int, typer.Option(min=2, help="Plays of each stream, if simulated.")] = 40,
    seed: Seed = None,
    workers: Workers = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw mistakes over rounds: .png, .svg, .pdf."),
    ] = None,
    force: Force = False,
    json: Json = False,
) -> int:
    """Count the mistakes that privacy costs a learner: three adversaries, and two bounds."""
    from antiphon.learners.commands import mistake_table
    from antiphon.learners.commands.players import PlayOptions

    check_plot(plot, force)
    asked = mistake_table.MistakesAsked(learner, rounds, epsilon, delta, beta, points)
    return mistake_table.mistakes(asked, PlayOptions(repeat, seed, workers, plot, json))
