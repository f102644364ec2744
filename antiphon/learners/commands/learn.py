"""``antiphon learn``: online learners against a game, of experts or in a convex body."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from antiphon.cli.output import print_json, progress
from antiphon.learners.commands import learner_tables
from antiphon.learners.commands.players import (
    Entrant,
    Played,
    Players,
    PlayOptions,
    games_of,
    lineup,
    makers,
    unfit,
)
from antiphon.learners.contests import contest
from antiphon.learners.games import ConvexGame, LossGame, OnlineGame
from antiphon.learners.games.convex_game import DataTable
from antiphon.learners.regret_pictures import powers, regrets


def learn(played: Played, players: Players, playing: PlayOptions, *, shifts: int | None) -> int:
    """Play, print, draw."""
    games = games_of(played)
    with progress("Parameters", None, quiet=playing.as_json):
        entrants = list(lineup(players, games))
    if not (playing.as_json or players.names):
        _say_who_is_missing(games[0])
    rows = _play(entrants, playing, shifts)
    over = len(rows) < len(entrants) or rows[-1].standings.interrupted
    swept = len(games) > 1 or len(players.epsilons) > 1
    outcome = learner_tables.LearnedOutcome(played.name, games, rows, over, playing.plot)
    if playing.plot is not None:
        _draw(outcome, swept, playing.plot)
    if playing.as_json:
        print_json(_data(outcome, swept))
    else:
        (learner_tables.print_sweep if swept else learner_tables.print_once)(outcome)
    return 0


def _say_who_is_missing(game: OnlineGame) -> None:
    for name, maker in makers(game).items():
        if unfit(maker, game):
            print(f"antiphon: {name} does not play such losses: left out", file=sys.stderr)


def _play(
    entrants: Sequence[Entrant], playing: PlayOptions, shifts: int | None
) -> list[learner_tables.LearnerRow]:
    """Ctrl-C ends it with what is done, and where nothing is raises KeyboardInterrupt."""
    rows = list[learner_tables.LearnerRow]()
    games = len(entrants) * playing.repeat
    with suppress(KeyboardInterrupt), progress("Games", games, quiet=playing.as_json) as advance:
        for each in entrants:
            before = len(rows) * playing.repeat

            def tell(done: int, total: int, before: int = before) -> None:
                advance(before + done)

            standings = contest(
                each.learner, each.game, repetitions=playing.repeat, seed=playing.seed,
                shifts=shifts, executor=playing.workers, progress=tell,
            )  # fmt: skip
            rows.append(learner_tables.LearnerRow(each.name, each.privacy, each.epsilon, standings))
            if standings.interrupted:
                break
    if not rows:
        raise KeyboardInterrupt
    return rows


# --- pictures -------------------------------------------------------------------------------------


def _draw(outcome: learner_tables.LearnedOutcome, swept: bool, plot: Path) -> None:
    title, rows = f"Regret against {outcome.name}", outcome.rows
    pictures = (
        {"rounds T": learner_tables.over_rounds(rows), "ε": learner_tables.over_budgets(rows)}
        if swept
        else {}
    )
    if several := {across: row for across, row in pictures.items() if row}:
        powers(several, title=title, paths=[plot])
    else:  # of one game, or when no more than one was played to its end
        regrets([row.standings.trace(row.name) for row in rows], title=title, paths=[plot])


# --- for programs ---------------------------------------------------------------------------------


def _data(outcome: learner_tables.LearnedOutcome, swept: bool) -> dict[str, object]:
    games = [game.rounds for game in outcome.games]
    learners: list[dict[str, object]] = [
        {"name": row.name, "private": row.privacy != "no", **row.standings.to_dict()}
        for row in outcome.rows
    ]
    return {
        "game": outcome.name, "rounds": games if swept else games[0],
        **_sizes(outcome.games[0]),
        "plot": outcome.plot,
        "interrupted": outcome.interrupted,
        "learners": learner_tables.sweep_data(outcome.rows) if swept else learners,
    }  # fmt: skip


def _sizes(game: OnlineGame) -> dict[str, object]:
    if isinstance(game, ConvexGame):
        body = type(game.body).__name__.lower()
        sizes: dict[str, object] = {
            "dimension": game.body.dimension,
            "body": body,
            "grid": game.convex_loss.grid,
        }
        if isinstance(game, DataTable):
            sizes["loss"] = type(game.convex_loss).__name__.removesuffix("Loss").lower()
        return sizes
    assert isinstance(game, LossGame)
    return {"experts": game.experts, "grid": game.grid}
