"""What ``antiphon learn`` prints for people: learners in one game, or over rounds and ε."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import attrs

from antiphon.learners.commands.learner_rows import LearnerRow, power, shared
from antiphon.learners.commands.players import INTERRUPTED
from antiphon.learners.games import ConvexGame, LossGame, OnlineGame
from antiphon.numbers.printed import fixed_up


@attrs.frozen
class LearnedOutcome:
    """Everything that is printed."""

    name: str
    games: list[OnlineGame]
    rows: list[LearnerRow]
    interrupted: bool
    plot: Path | None


def print_once(outcome: LearnedOutcome) -> None:
    """A line for each learner."""
    from antiphon.report import print_table

    rows, (game,) = outcome.rows, outcome.games
    against, unit = _heading(outcome)
    columns = ["learner", "private", "regret", "±", "a round", "slope", *_dynamic(rows), "games"]
    cells = [
        [
            row.name, row.privacy, f"{row.regret:,.1f}", fixed_up(row.band, 1),
            f"{row.regret / game.rounds:.5f}", f"{row.standings.slope:.2f}",
            *(f"{each[:, -1].mean():,.1f}" for each in (row.standings.shifting,)
              if each is not None),
            str(row.standings.repetitions),
        ]
        for row in rows
    ]  # fmt: skip
    print_table(columns, cells, numbers=columns[2:])
    print(f"Regret against the best fixed {against}{unit}; ± at 95 %; it grows like T^slope.")
    for column in _dynamic(rows):
        print(f"{column}: against the best sequence of experts that changes at most so often.")
    _ending(outcome, "over rounds is")


def print_sweep(outcome: LearnedOutcome) -> None:
    """A line for each learner and ε, a column for each T; and how regret grows with both."""
    against, unit = _heading(outcome)
    print(f"Regret against the best fixed {against}{unit}; ± at 95 %.")
    _print_grid(outcome, lambda row: row.regret, lambda row: row.band)
    for column in _dynamic(outcome.rows):
        print(f"{column}: against the best sequence of experts that changes at most so often.")
        _print_grid(outcome, _shifting, None)
    print("It grows like T^slope with T at one ε, and like ε^slope with ε at one T.")
    _ending(outcome, "is")


def _print_grid(
    outcome: LearnedOutcome,
    figure: Callable[[LearnerRow], float],
    band: Callable[[LearnerRow], float] | None,
) -> None:
    from antiphon.report import print_table

    times = [game.rounds for game in outcome.games]
    columns = ["learner", "private", *(f"T = {time:,}" for time in times)]
    numbers = columns[2:]
    if len(times) > 1:
        columns.append("slope in T")
    cells = list[list[str]]()
    for name, runs in shared(outcome.rows, lambda row: row.name).items():
        for (privacy, _), several in shared(runs, lambda row: (row.privacy, row.epsilon)).items():
            at = {row.rounds: row for row in several}
            told = [_told(at.get(time), figure, band) for time in times]
            slopes = [power(several, lambda row: row.rounds, figure)] if len(times) > 1 else []
            cells.append([name, privacy, *told, *map(_slope, slopes)])
        budgets = {row.epsilon for row in runs}
        if len(budgets) > 1:
            same = shared(runs, lambda row: row.rounds)
            slopes = [power(same.get(time, []), _epsilon, figure) for time in times]
            rest = [""] * (len(times) > 1)
            cells.append(["", "slope in ε", *map(_slope, slopes), *rest])
    print_table(columns, cells, numbers=[*numbers, "slope in T"])


def _told(
    row: LearnerRow | None,
    figure: Callable[[LearnerRow], float],
    band: Callable[[LearnerRow], float] | None,
) -> str:
    if row is None:
        return ""
    return f"{figure(row):,.1f}" + ("" if band is None else f" ± {fixed_up(band(row), 1)}")


def _slope(found: float | None) -> str:
    return "" if found is None else f"{found:.2f}"


def _epsilon(row: LearnerRow) -> float:
    return float(row.epsilon or 0)


def _shifting(row: LearnerRow) -> float:
    found = row.standings.shifting
    assert found is not None
    return float(found[:, -1].mean())


def _heading(outcome: LearnedOutcome) -> tuple[str, str]:
    """Prints what is played; what regret is against, and its unit."""
    game = outcome.games[0]
    against, unit, size = "expert", ", in units of the largest loss", ""
    if isinstance(game, LossGame):
        size = f"{game.experts:,} experts"
    elif isinstance(game, ConvexGame):
        body = type(game.body).__name__.lower()
        size = f"a {body} of dimension {game.body.dimension:,}"
        against, unit = "point", ""
    times = ", ".join(f"{each.rounds:,}" for each in outcome.games)
    print(f"{outcome.name}: {times} rounds, {size}")
    return against, unit


def _dynamic(rows: list[LearnerRow]) -> list[str]:
    """The column of dynamic regret, if that was asked for."""
    return [f"{shifts} shifts" for shifts in (rows[0].standings.shifts,) if shifts is not None]


def _ending(outcome: LearnedOutcome, drawn: str) -> None:
    if outcome.interrupted:
        print(INTERRUPTED)
    if outcome.plot is not None:
        print(f"Regret {drawn} drawn in {outcome.plot}")
