"""The command-line options of ``antiphon learn`` and ``antiphon mistakes``."""

from pathlib import Path
from typing import Annotated

import typer

from antiphon.cli.options import Force, Json, Seed, Workers, check_plot, drawing


def learn(
    game: Annotated[
        str,
        typer.Option(
            help="A game: stochastic-gap, linear-gap, …; or a .csv or .npy file, of losses of "
            "experts or, with --loss, of data."
        ),
    ] = "stochastic-gap",
    learner: Annotated[
        list[str] | None, typer.Option(help="A learner; repeatable. By default all of them.")
    ] = None,
    rounds: Annotated[
        list[str] | None,
        typer.Option(help="Rounds of each game: 4096, or the whole file. Several: 1024,4096."),
    ] = None,
    experts: Annotated[int, typer.Option(min=2, max=1 << 20, help="To choose from.")] = 10,
    dimension: Annotated[int, typer.Option(min=1, max=1 << 20, help="Of a body.")] = 20,
    body: Annotated[str, typer.Option(help="The body of the points: ball or box.")] = "ball",
    grid: Annotated[
        int | None, typer.Option(min=1, max=1 << 20, help="Losses are 0, 1/grid, …: 1; else 1024.")
    ] = None,
    given: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Option of a game: gap=0.2; repeatable."),
    ] = None,
    loss: Annotated[
        str | None,
        typer.Option(help="Loss of a file of features and a label: logistic, squared, absolute."),
    ] = None,
    label: Annotated[
        int, typer.Option(help="For data: the column of the label, from 0; -1 is the last.")
    ] = -1,
    bound: Annotated[
        str, typer.Option(help="For data: a public bound on the norm of a row of features.")
    ] = "1",
    epsilon: Annotated[
        list[str] | None, typer.Option(help="ε of private learners: 1. Several: 0.1,1.")
    ] = None,
    delta: Annotated[str, typer.Option(help="δ of private learners.")] = "1e-6",
    shifts: Annotated[
        int | None,
        typer.Option(min=0, help="Also the regret against experts that change at most that often."),
    ] = None,
    repeat: Annotated[int, typer.Option(min=1, help="Games that each learner plays.")] = 20,
    seed: Seed = None,
    workers: Workers = None,
    plot: Annotated[
        Path | None, drawing("Draw regret over rounds and ε: .png, .svg, .pdf.")
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(min=0, help="Time limit in seconds; keeps the finished games."),
    ] = None,
    force: Force = False,
    json: Json = False,
) -> int:
    """Play online learners against a game of experts, or in a convex body; print their regret."""
    from antiphon.cli.output import several
    from antiphon.learners.commands import learn as learning
    from antiphon.learners.commands import players
    from antiphon.learners.commands.players import PlayOptions

    check_plot(plot, force)
    data = players.DataColumns(loss, label, bound)
    return learning.learn(
        players.Played(
            game, several(rounds or ()), experts, dimension, body, grid, tuple(given or ()), data
        ),
        players.Players(tuple(learner or ()), several(epsilon or ("1",)), delta),
        PlayOptions(repeat, seed, workers, plot, json, seconds),
        shifts=shifts,
    )


def mistakes(
    learner: Annotated[
        str, typer.Option(help="sparse-vector, name-and-shame, tree-counter, points or halving.")
    ] = "sparse-vector",
    rounds: Annotated[int, typer.Option(min=1, max=1 << 24, help="T.")] = 1 << 10,
    epsilon: Annotated[str, typer.Option(help="ε of the learner, and of the bound.")] = "1",
    delta: Annotated[str, typer.Option(help="δ of name-and-shame, and of the bound.")] = "1e-6",
    beta: Annotated[
        str, typer.Option(help="β: how often it may leave its first hypothesis on blanks.")
    ] = "0.1",
    points: Annotated[int, typer.Option(min=2, max=1 << 12, help="N, of points.")] = 1000,
    repeat: Annotated[
        int, typer.Option(min=2, help="Plays of a stream, where they are simulated.")
    ] = 40,
    seed: Seed = None,
    workers: Workers = None,
    plot: Annotated[Path | None, drawing("Draw mistakes over rounds: .png, .svg, .pdf.")] = None,
    force: Force = False,
    json: Json = False,
) -> int:
    """Count the mistakes that privacy costs a learner: three adversaries, and two bounds."""
    from antiphon.learners.commands import mistake_table
    from antiphon.learners.commands.players import PlayOptions

    check_plot(plot, force)
    asked = mistake_table.MistakesAsked(learner, rounds, epsilon, delta, beta, points)
    return mistake_table.mistakes(asked, PlayOptions(repeat, seed, workers, plot, json))
