"""``antiphon learn``: its options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from antiphon.cli.options import Force, Json, Seed
from antiphon.protocol.records.files import refuse_taken


def learn(
    game: Annotated[
        str, typer.Option(help="A game: stochastic-gap, linear-gap, …; or a .csv or .npy file.")
    ] = "stochastic-gap",
    learner: Annotated[
        list[str] | None, typer.Option(help="A learner; repeatable. By default all of them.")
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, max=1 << 24, help="Of each game.")] = 1 << 12,
    experts: Annotated[int, typer.Option(min=2, max=1 << 20, help="To choose from.")] = 10,
    dimension: Annotated[int, typer.Option(min=1, max=1 << 20, help="Of a body.")] = 20,
    body: Annotated[str, typer.Option(help="In which points are: ball or box.")] = "ball",
    grid: Annotated[
        int | None,
        typer.Option(min=1, max=1 << 20, help="Losses are 0, 1/grid, …: 1; else 1024."),
    ] = None,
    given: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Of the game: gap=0.2; repeatable."),
    ] = None,
    epsilon: Annotated[str, typer.Option(help="ε of private learners.")] = "1",
    delta: Annotated[str, typer.Option(help="δ of private learners.")] = "1e-6",
    shifts: Annotated[
        int | None,
        typer.Option(min=0, help="Also the regret against experts that change so often."),
    ] = None,
    repeat: Annotated[int, typer.Option(min=1, help="Games that each learner plays.")] = 20,
    seed: Seed = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes; without it: where they pay.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw regret over rounds: .png, .svg, .pdf.")
    ] = None,
    force: Force = False,
    json: Json = False,
) -> int:
    """Play online learners against a game, of experts or in a body; print their regret."""
    from antiphon.cli.commands import learn as learning
    from antiphon.cli.commands.learning import players

    refuse_taken([] if plot is None else [plot], force)
    return learning.learn(
        players.Played(game, rounds, experts, dimension, body, grid, tuple(given or ())),
        players.Players(tuple(learner or ()), epsilon, delta),
        shifts=shifts, repeat=repeat, seed=seed, workers=workers, plot=plot, as_json=json,
    )  # fmt: skip
