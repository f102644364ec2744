"""``antiphon learn``: online learners against a game of experts."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from inspect import isabstract, isclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Literal, NamedTuple

import attrs

from antiphon.audit.contests import Standings, contest
from antiphon.cli.output import print_json
from antiphon.cli.written import rational, shown
from antiphon.mechanisms import learners
from antiphon.mechanisms.learners import games
from antiphon.mechanisms.learners.games import LossGame, LossTable
from antiphon.mechanisms.learners.learner import Learner
from antiphon.numbers.errors import InvalidArgument

_FILES: Final = (".csv", ".npy")
_FINE: Final = 1 << 10
"""The grid for the losses of a file."""


class Played(NamedTuple):
    """The game, as it is written."""

    name: str
    rounds: int
    experts: int
    grid: int | None
    given: tuple[str, ...]


class Players(NamedTuple):
    """The learners, as they are written; none: all."""

    names: tuple[str, ...]
    epsilon: str
    delta: str


@attrs.frozen
class LearnerRow:
    """What one learner did."""

    name: str
    learner: Learner[Any]
    standings: Standings


def learn(
    played: Played,
    players: Players,
    *,
    repeat: int,
    seed: int | None,
    workers: int | None,
    plot: Path | None,
    as_json: bool,
) -> int:
    """Play, print, draw."""
    game = _game(played)
    found = list(_learners(players, game))
    quiet: Literal[False] | None = False if as_json else None
    rows = [
        LearnerRow(name, each, contest(each, game, repetitions=repeat, seed=seed, executor=workers,
                                progress=quiet))
        for name, each in found
    ]  # fmt: skip
    if plot is not None:
        from antiphon.report.learning import regrets

        curves = [(row.name, row.standings) for row in rows]
        regrets(curves, title=f"Regret against {played.name}", paths=[plot])
    if as_json:
        print_json(_data(played, game, rows, plot))
    else:
        _print(played, game, rows, players, plot)
    return 0


# --- what is played -------------------------------------------------------------------------------


def named(module: ModuleType, base: type) -> dict[str, type[Any]]:
    """The classes that a module exports, by the names that the command line gives them.

    >>> sorted(named(games, LossGame))[:2]
    ['batch-constant', 'blame-shown']
    """
    public: list[str] = module.__all__
    kinds = (getattr(module, name) for name in public)
    return {
        re.sub("(?<!^)(?=[A-Z])", "-", kind.__name__).lower(): kind
        for kind in kinds
        if isclass(kind) and issubclass(kind, base) and not isabstract(kind)
    }


def _one_of(known: dict[str, type[Any]], name: str, what: str) -> type[Any]:
    if name not in known:
        raise InvalidArgument(f"there is no {what} {name[:40]!r}; there are {', '.join(known)}")
    return known[name]


def _game(played: Played) -> LossGame:
    if Path(played.name).suffix in _FILES:
        if played.given:
            raise InvalidArgument("--set is of games that are made, not of a file")
        return LossTable.load(played.name, grid=played.grid or _FINE)
    known = named(games, LossGame)
    del known["loss-table"]  # which is what a file is
    kind = _one_of(known, played.name, "game")
    own = {f.name for f in attrs.fields(kind)} - {f.name for f in attrs.fields(LossGame)}
    options: dict[str, object] = {}
    for text in played.given:
        name, _, value = text.partition("=")
        if name not in own:
            there = ", ".join(sorted(own)) or "none"
            raise InvalidArgument(f"{played.name} has no option {name[:40]!r}; it has {there}")
        number = rational(value, name)
        options[name] = number if number.denominator > 1 else int(number)
    game: LossGame = kind(
        rounds=played.rounds, experts=played.experts, grid=played.grid or 1, **options
    )
    return game


def _learners(players: Players, game: LossGame) -> Iterator[tuple[str, Learner[Any]]]:
    known = named(learners, Learner)
    budget = {
        "epsilon": rational(players.epsilon, "epsilon"), "delta": rational(players.delta, "delta"),
    }  # fmt: skip
    for name in dict.fromkeys(players.names or known):
        kind = _one_of(known, name, "learner")
        size = {"horizon": game.rounds, "experts": game.experts, "grid": game.grid}
        yield name, kind.tuned(**size, **(budget if kind.private else {}))


# --- for programs, and for people -----------------------------------------------------------------


def _data(
    played: Played, game: LossGame, rows: list[LearnerRow], plot: Path | None
) -> dict[str, object]:
    return {
        "game": played.name, "rounds": game.rounds, "experts": game.experts, "grid": game.grid,
        "plot": None if plot is None else str(plot),
        "learners": [
            {"name": row.name, "private": row.learner.private, **row.standings.to_dict()}
            for row in rows
        ],
    }  # fmt: skip


def _print(
    played: Played, game: LossGame, rows: list[LearnerRow], players: Players, plot: Path | None
) -> None:
    from rich.console import Console

    from antiphon.report import table

    budget = ", ".join(
        shown(rational(text, name)) for text, name in zip(players[1:], ("ε", "δ"), strict=True)
    )
    print(f"{played.name}: {game.rounds:,} rounds, {game.experts:,} experts")
    columns = ["learner", "private", "regret", "±", "a round", "games"]
    cells = [
        [
            row.name, f"({budget})" if row.learner.private else "no",
            f"{row.standings.mean[-1]:,.1f}", f"{row.standings.band()[-1]:,.1f}",
            f"{row.standings.mean[-1] / game.rounds:.5f}", str(row.standings.repetitions),
        ]
        for row in rows
    ]  # fmt: skip
    console = Console(width=None if sys.stdout.isatty() else 124, highlight=False)
    console.print(table(columns, cells, numbers=columns[2:]))
    print("Regret against the best fixed expert, in units of the largest loss; ± at 95 %.")
    if plot is not None:
        print(f"Regret over rounds is drawn in {plot}")
