"""``antiphon learn``: online learners against a game, of experts or in a convex body."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import attrs

from antiphon.audit.contests import Standings, contest
from antiphon.cli.commands.learning.players import Played, Players, game_of, learners_of
from antiphon.cli.output import print_json
from antiphon.mechanisms.learners.games import ConvexGame, LossGame, OnlineGame


@attrs.frozen
class LearnerRow:
    """What one learner did."""

    name: str
    privacy: str
    """What it was made for, "any" ε and δ, or "no"."""
    standings: Standings


def learn(
    played: Played,
    players: Players,
    *,
    shifts: int | None,
    repeat: int,
    seed: int | None,
    workers: int | None,
    plot: Path | None,
    as_json: bool,
) -> int:
    """Play, print, draw."""
    game = game_of(played)
    found = list(learners_of(players, game))
    quiet: Literal[False] | None = False if as_json else None
    rows = [
        LearnerRow(name, privacy, contest(each, game, repetitions=repeat, seed=seed, shifts=shifts,
                                          executor=workers, progress=quiet))
        for name, privacy, each in found
    ]  # fmt: skip
    if plot is not None:
        from antiphon.report.learning import regrets

        curves = [(row.name, row.standings) for row in rows]
        regrets(curves, title=f"Regret against {played.name}", paths=[plot])
    if as_json:
        print_json(_data(played, game, rows, plot))
    else:
        _print(played, game, rows, plot)
    return 0


# --- for programs, and for people -----------------------------------------------------------------


def _data(
    played: Played, game: OnlineGame, rows: list[LearnerRow], plot: Path | None
) -> dict[str, object]:
    return {
        "game": played.name, "rounds": game.rounds, **_sizes(game),
        "plot": None if plot is None else str(plot),
        "learners": [
            {"name": row.name, "private": row.privacy != "no", **row.standings.to_dict()}
            for row in rows
        ],
    }  # fmt: skip


def _sizes(game: OnlineGame) -> dict[str, object]:
    if isinstance(game, ConvexGame):
        body = type(game.body).__name__.lower()
        return {"dimension": game.body.dimension, "body": body, "grid": game.convex_loss.grid}
    assert isinstance(game, LossGame)
    return {"experts": game.experts, "grid": game.grid}


def _print(played: Played, game: OnlineGame, rows: list[LearnerRow], plot: Path | None) -> None:
    from antiphon.report import table, terminal

    against, unit = "expert", ", in units of the largest loss"
    size = ""
    if isinstance(game, LossGame):
        size = f"{game.experts:,} experts"
    elif isinstance(game, ConvexGame):
        size = f"a {played.body} of dimension {game.body.dimension:,}"
        against, unit = "point", ""
    print(f"{played.name}: {game.rounds:,} rounds, {size}")
    columns = ["learner", "private", "regret", "±", "a round", "slope", *_dynamic(rows), "games"]
    cells = [
        [
            row.name, row.privacy,
            f"{row.standings.mean[-1]:,.1f}", f"{row.standings.band()[-1]:,.1f}",
            f"{row.standings.mean[-1] / game.rounds:.5f}", f"{row.standings.slope:.2f}",
            *(f"{each[:, -1].mean():,.1f}" for each in (row.standings.shifting,)
              if each is not None),
            str(row.standings.repetitions),
        ]
        for row in rows
    ]  # fmt: skip
    console = terminal()
    console.print(table(columns, cells, numbers=columns[2:]))
    print(f"Regret against the best fixed {against}{unit}; ± at 95 %; it grows like T^slope.")
    for column in _dynamic(rows):
        print(f"{column}: against the best sequence of experts that changes at most so often.")
    if plot is not None:
        print(f"Regret over rounds is drawn in {plot}")


def _dynamic(rows: list[LearnerRow]) -> list[str]:
    """The column of dynamic regret, if that was asked for."""
    return [f"{shifts} shifts" for shifts in (rows[0].standings.shifts,) if shifts is not None]
