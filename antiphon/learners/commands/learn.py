"""The command ``antiphon learn``, which plays online learners in a game and prints their regret.

The result of one game, or of a sweep over T and ε with the growth of regret in both: as text, JSON
and pictures.
"""

import math
import signal
import sys
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple, TypeAlias, TypeVar

import attrs

from antiphon.cli.output import exact_number, print_card, print_json, progress
from antiphon.learners.commands import players
from antiphon.learners.contests import Standings, contest, slope
from antiphon.learners.games import ConvexGame, LossGame, OnlineGame
from antiphon.learners.games.convex_game import DataTable
from antiphon.learners.regret_pictures import Facet, Trace, powers, regrets
from antiphon.numbers import fixed_up
from antiphon.protocol import Card, Grid, Part


class LearnerRow(NamedTuple):
    """The result of one learner in one game."""

    by: players.Entrant
    standings: Standings


Key = TypeVar("Key", bound=Hashable)
Figure: TypeAlias = Callable[[LearnerRow], float]
_name, _epsilon = attrgetter("by.name"), attrgetter("by.epsilon")
_promised = attrgetter("by.privacy", "by.epsilon")


def _rounds(row: LearnerRow) -> int:
    """The number T of rounds that were played."""
    return row.standings.checkpoints[-1]


def _regret(row: LearnerRow) -> float:
    """The mean regret after the last round, over the repetitions."""
    return float(row.standings.mean[-1])


def _band(row: LearnerRow) -> float:
    """Half of the width of the 95 % confidence interval of the mean regret."""
    return float(row.standings.band()[-1])


def _shifting(row: LearnerRow) -> float:
    """The mean regret after the last round, against the best sequence of experts with few
    changes."""
    found = row.standings.shifting
    assert found is not None
    return float(found[:, -1].mean())


def _budget(row: LearnerRow) -> float:
    """The ε of the row's learner as a float; 0 for a learner without an ε."""
    return float(row.by.epsilon or 0)


def shared(
    rows: Iterable[LearnerRow], key: Callable[[LearnerRow], Key]
) -> dict[Key, list[LearnerRow]]:
    """Groups the results of learners by the value of the function ``key``, as a dictionary from
    values to lists of results; both keep their order."""
    found = dict[Key, list[LearnerRow]]()
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


def power(rows: Sequence[LearnerRow], at: Figure, figure: Figure) -> float | None:
    """The exponent b of the power law ``figure(row)`` ∝ ``at(row)``^b that fits the results
    ``rows`` best, such as regret against T; None if there is no fit."""
    found = slope([at(row) for row in rows], [figure(row) for row in rows])
    return found if math.isfinite(found) else None


@attrs.frozen
class LearnedOutcome:
    """The outcome of ``antiphon learn``: the regret of all learners in one game, or for each T and
    ε of a sweep."""

    name: str
    games: list[OnlineGame]
    rows: list[LearnerRow]
    interrupted: bool
    plot: Path | None
    swept: bool

    def data(self) -> dict[str, object]:
        """The outcome as a dictionary, for JSON."""
        times = [game.rounds for game in self.games]
        learners: list[dict[str, object]] = [
            {"name": row.by.name, "private": row.by.privacy != "no", **row.standings.to_dict()}
            for row in self.rows
        ]
        if self.swept:
            learners = [_learner(name, runs) for name, runs in shared(self.rows, _name).items()]
        return {
            "game": self.name, "rounds": times if self.swept else times[0],
            **_sizes(self.games[0]), "plot": self.plot, "interrupted": self.interrupted,
            "learners": learners,
        }  # fmt: skip

    def card(self) -> Card:
        """The outcome for people: a title, tables and sentences."""
        game, size = self.games[0], ""
        if isinstance(game, LossGame):
            size = f"{game.experts:,} experts"
        elif isinstance(game, ConvexGame):
            body = type(game.body).__name__.lower()
            size = f"a {body} of dimension {game.body.dimension:,}"
        times = ", ".join(f"{each.rounds:,}" for each in self.games)
        return Card(f"{self.name}: {times} rounds, {size}", self._parts())

    def _parts(self) -> Iterator[Part]:
        yield from self._in_sweep() if self.swept else self._at_once()
        if self.interrupted:
            yield players.INTERRUPTED
        if self.plot is not None:
            yield f"Regret {'' if self.swept else 'over rounds '}is drawn in {self.plot}"

    @property
    def _against(self) -> str:
        """A sentence that says against what regret is measured, and in which unit."""
        convex = isinstance(self.games[0], ConvexGame)
        against = "point" if convex else "expert, in units of the largest loss"
        return f"Regret against the best fixed {against}; ± at 95 %"

    @property
    def _dynamic(self) -> list[str]:
        """The header of the column of dynamic regret, as a list; empty if it was not measured."""
        shifts = self.rows[0].standings.shifts
        return [] if shifts is None else [f"{shifts} shifts"]

    def _at_once(self) -> Iterator[Part]:
        """The table of a single game, with a row for each learner."""
        dynamic, (game,) = self._dynamic, self.games
        columns = ["learner", "private", "regret", "±", "a round", "slope", *dynamic, "games"]
        cells = [
            [
                row.by.name, row.by.privacy, f"{_regret(row):,.1f}", fixed_up(_band(row), 1),
                f"{_regret(row) / game.rounds:.5f}", f"{row.standings.slope:.2f}",
                *(f"{_shifting(row):,.1f}" for _ in dynamic), str(row.standings.repetitions),
            ]
            for row in self.rows
        ]  # fmt: skip
        yield Grid(cells, columns, numbers=columns[2:])
        yield f"{self._against}; it grows like T^slope."
        yield from map(_shifted, dynamic)

    def _in_sweep(self) -> Iterator[Part]:
        """The tables of a sweep over T and ε: a row for each learner and ε, a column for each T;
        and how regret grows with T and ε."""
        yield f"{self._against}."
        yield self._grid(_regret, _band)
        for column in self._dynamic:
            yield _shifted(column)
            yield self._grid(_shifting, None)
        yield "It grows like T^slope with T at one ε, and like ε^slope with ε at one T."

    def _grid(self, figure: Figure, band: Figure | None) -> Grid:
        times = [game.rounds for game in self.games]
        columns = ["learner", "private", *(f"T = {time:,}" for time in times)]
        numbers = columns[2:]
        if len(times) > 1:
            columns.append("slope in T")
        cells = list[list[str]]()
        for name, runs in shared(self.rows, _name).items():
            for (privacy, _), several in shared(runs, _promised).items():
                at = {_rounds(row): row for row in several}
                told = [_cell(at.get(time), figure, band) for time in times]
                slopes = [power(several, _rounds, figure)] if len(times) > 1 else []
                cells.append([name, privacy, *told, *map(_slope, slopes)])
            budgets = {row.by.epsilon for row in runs}
            if len(budgets) > 1:
                same = shared(runs, _rounds)
                slopes = [power(same.get(time, []), _budget, figure) for time in times]
                rest = [""] * (len(times) > 1)
                cells.append(["", "slope in ε", *map(_slope, slopes), *rest])
        return Grid(cells, columns, numbers=[*numbers, "slope in T"])


def _shifted(column: str) -> str:
    return f"{column}: against the best sequence of experts with at most that many changes."


def _cell(row: LearnerRow | None, figure: Figure, band: Figure | None) -> str:
    if row is None:
        return ""
    return f"{figure(row):,.1f}" + ("" if band is None else f" ± {fixed_up(band(row), 1)}")


def _slope(found: float | None) -> str:
    return "" if found is None else f"{found:.2f}"


def _learner(name: str, runs: Sequence[LearnerRow]) -> dict[str, object]:
    """The results of the learner ``name`` for each T and ε, and the exponents with which its regret
    grows in T and in ε; as a dictionary, for JSON."""
    by_rounds = shared(runs, _rounds)
    by_budget = shared(runs, _epsilon)
    return {
        "name": name, "private": runs[0].by.privacy != "no",
        "runs": [
            {"rounds": _rounds(row), "epsilon": row.by.epsilon, **row.standings.to_dict()}
            for row in runs
        ],
        "slopes_in_rounds": [
            {"epsilon": same[0].by.epsilon, "slope": power(same, _rounds, _regret)}
            for same in by_budget.values()
            if len(by_rounds) > 1
        ],
        "slopes_in_epsilon": [
            {"rounds": rounds, "slope": power(same, _budget, _regret)}
            for rounds, same in by_rounds.items()
            if len(by_budget) > 1
        ],
    }  # fmt: skip


def _sizes(game: OnlineGame) -> dict[str, object]:
    if isinstance(game, ConvexGame):
        body = type(game.body).__name__.lower()
        sizes: dict[str, object] = {"dimension": game.body.dimension, "body": body}
        sizes["grid"] = game.convex_loss.grid
        if isinstance(game, DataTable):
            sizes["loss"] = type(game.convex_loss).__name__.removesuffix("Loss").lower()
        return sizes
    assert isinstance(game, LossGame)
    return {"experts": game.experts, "grid": game.grid}


# --- pictures of a sweep over T and ε -------------------------------------------------------------


def over_rounds(rows: Sequence[LearnerRow]) -> list[Facet]:
    """Pictures of regret over T, one for each ε; none for a single T. A learner without an ε is
    drawn in each picture."""
    if len({_rounds(row) for row in rows}) < 2:
        return []
    budgets: list[Fraction | None] = [*_budgets(rows)] or [None]
    return [
        Facet(
            "" if budget is None else f"ε = {exact_number(budget)}",
            _traces([row for row in rows if row.by.epsilon in (None, budget)], _rounds),
        )
        for budget in budgets
    ]


def over_budgets(rows: Sequence[LearnerRow]) -> list[Facet]:
    """Pictures of regret over ε, one for each T; none for a single ε. A learner without an ε is
    drawn as a horizontal line."""
    budgets = _budgets(rows)
    if len(budgets) < 2:
        return []
    level = [
        row._replace(by=row.by._replace(epsilon=end))
        for row in rows if row.by.epsilon is None
        for end in (budgets[0], budgets[-1])
    ]  # fmt: skip
    both = [*level, *(row for row in rows if row.by.epsilon is not None)]
    return [
        Facet(f"T = {rounds:,}", _traces(same, _budget))
        for rounds, same in sorted(shared(both, _rounds).items())
    ]


def _budgets(rows: Sequence[LearnerRow]) -> list[Fraction]:
    return sorted({row.by.epsilon for row in rows if row.by.epsilon is not None})


def _traces(rows: Sequence[LearnerRow], at: Figure) -> list[Trace]:
    return [
        Trace(name, [at(row) for row in same], [_regret(row) for row in same],
              [_band(row) for row in same])
        for name, same in shared(rows, _name).items()
    ]  # fmt: skip


# --- the command antiphon learn -------------------------------------------------------------------


def learn(
    played: players.Played, asked: players.Players, playing: players.PlayOptions, *,
    shifts: int | None,
) -> int:  # fmt: skip
    """The command ``antiphon learn``: plays the games, prints and draws the outcome."""
    games = players.games_of(played)
    with progress("Parameters", None, quiet=playing.as_json):
        entrants = list(players.lineup(asked, games))
    if not (playing.as_json or asked.names):
        _say_who_is_missing(games[0])
    rows = _play(entrants, playing, shifts)
    over = len(rows) < len(entrants) or rows[-1].standings.interrupted
    swept = len(games) > 1 or len(asked.epsilons) > 1
    outcome = LearnedOutcome(played.name, games, rows, over, playing.plot, swept)
    if playing.plot is not None:
        _draw(outcome, playing.plot)
    if playing.as_json:
        print_json(outcome.data())
    else:
        print_card(outcome.card())
    return 0


def _say_who_is_missing(game: OnlineGame) -> None:
    for name, maker in players.makers(game).items():
        if players.unfit(maker, game):
            print(f"antiphon: {name} does not play such losses: left out", file=sys.stderr)


class _Until:
    """A time limit for all games, which ends them as Ctrl-C does; finished games count."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds

    def look(self) -> None:
        """Sends the interrupt signal, once, if the time is up."""
        if self._end is not None and time.monotonic() >= self._end:
            self._end = None
            signal.raise_signal(signal.SIGINT)


def _play(
    entrants: Sequence[players.Entrant], playing: players.PlayOptions, shifts: int | None
) -> list[LearnerRow]:
    """Plays each learner in its game, and returns a result for each. After Ctrl-C the results of
    the finished games are returned; without any, KeyboardInterrupt is raised."""
    rows = list[LearnerRow]()
    games, until = len(entrants) * playing.repeat, _Until(playing.seconds)
    with suppress(KeyboardInterrupt), progress("Games", games, quiet=playing.as_json) as advance:
        for each in entrants:
            before = len(rows) * playing.repeat

            def report(done: int, total: int, before: int = before) -> None:
                advance(before + done)
                until.look()

            standings = contest(
                each.learner, each.game, repetitions=playing.repeat, seed=playing.seed,
                shifts=shifts, executor=playing.workers, progress=report,
            )  # fmt: skip
            rows.append(LearnerRow(each, standings))
            if standings.interrupted:
                break
    if not rows:
        raise KeyboardInterrupt
    return rows


def _draw(outcome: LearnedOutcome, plot: Path) -> None:
    title, rows = f"Regret against {outcome.name}", outcome.rows
    pictures = {"rounds T": over_rounds(rows), "ε": over_budgets(rows)} if outcome.swept else {}
    if several := {across: row for across, row in pictures.items() if row}:
        powers(several, title=title, paths=[plot])
    else:  # Without a sweep, or with a single finished game, regret is drawn over rounds.
        regrets([row.standings.trace(row.by.name) for row in rows], title=title, paths=[plot])
