"""``antiphon learn``: online learners against a game of experts."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from inspect import isabstract, isclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Literal, NamedTuple, TypeVar

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
_GIVEN: Final = ("loss-table", "loss-stream")
"""Games of losses that somebody has: of a file, or by a program."""
_FINE: Final = 1 << 10
"""The grid for the losses of a file."""


Found = TypeVar("Found")


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
    shifts: int | None,
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
        LearnerRow(name, each, contest(each, game, repetitions=repeat, seed=seed, shifts=shifts,
                                executor=workers, progress=quiet))
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


def _one_of(known: dict[str, Found], name: str, what: str) -> Found:
    if name not in known:
        raise InvalidArgument(f"there is no {what} {name[:40]!r}; there are {', '.join(known)}")
    return known[name]


def _game(played: Played) -> LossGame:
    if Path(played.name).suffix in _FILES:
        if played.given:
            raise InvalidArgument("--set is of games that are made, not of a file")
        return LossTable.load(played.name, grid=played.grid or _FINE)
    known = {name: kind for name, kind in named(games, LossGame).items() if name not in _GIVEN}
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


class Maker(NamedTuple):
    """What makes a learner for a game, as good as its bounds know how; private: for a budget."""

    make: Callable[..., Learner[Any]]
    private: bool


def makers() -> dict[str, Maker]:
    """Of each class of learners, and what is made of parts by a function, by their names.

    >>> [name for name in makers() if "-" not in name], makers()["tree-ftrl"].private
    (['hedge'], True)
    """
    kinds = named(learners, Learner)
    found = {name: Maker(kind.tuned, kind.private) for name, kind in kinds.items()}
    return found | {"tree-ftrl": Maker(learners.tree_ftrl, True)}


def _learners(players: Players, game: LossGame) -> Iterator[tuple[str, Learner[Any]]]:
    known = makers()
    budget = {
        "epsilon": rational(players.epsilon, "epsilon"), "delta": rational(players.delta, "delta"),
    }  # fmt: skip
    for name in dict.fromkeys(players.names or known):
        maker = _one_of(known, name, "learner")
        size = {"horizon": game.rounds, "experts": game.experts, "grid": game.grid}
        yield name, maker.make(**size, **(budget if maker.private else {}))


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
    columns = ["learner", "private", "regret", "±", "a round", *_dynamic(rows), "games"]
    cells = [
        [
            row.name, f"({budget})" if row.learner.private else "no",
            f"{row.standings.mean[-1]:,.1f}", f"{row.standings.band()[-1]:,.1f}",
            f"{row.standings.mean[-1] / game.rounds:.5f}",
            *(f"{each[:, -1].mean():,.1f}" for each in (row.standings.shifting,)
              if each is not None),
            str(row.standings.repetitions),
        ]
        for row in rows
    ]  # fmt: skip
    console = Console(width=None if sys.stdout.isatty() else 124, highlight=False)
    console.print(table(columns, cells, numbers=columns[2:]))
    print("Regret against the best fixed expert, in units of the largest loss; ± at 95 %.")
    for column in _dynamic(rows):
        print(f"{column}: against the best sequence of experts that changes at most so often.")
    if plot is not None:
        print(f"Regret over rounds is drawn in {plot}")


def _dynamic(rows: list[LearnerRow]) -> list[str]:
    """The column of dynamic regret, if that was asked for."""
    return [f"{shifts} shifts" for shifts in (rows[0].standings.shifts,) if shifts is not None]
