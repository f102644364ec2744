"""``antiphon learn``: online learners against a game, of experts or in a convex body."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from inspect import isabstract, isclass, isfunction, signature
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Literal, NamedTuple, TypeVar

import attrs

from antiphon.audit.contests import Standings, contest
from antiphon.cli.output import print_json
from antiphon.cli.written import rational, shown
from antiphon.mechanisms import learners
from antiphon.mechanisms.learners import convex, games
from antiphon.mechanisms.learners.convex import Ball, Box, ConvexLearner
from antiphon.mechanisms.learners.games import (
    ConvexGame,
    DataTable,
    LossGame,
    LossStream,
    LossTable,
    OnlineGame,
)
from antiphon.mechanisms.learners.learner import Learner
from antiphon.mechanisms.learners.online import OnlineLearner
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.mechanism import ContinualMechanism

Maker = Callable[..., ContinualMechanism[Any]]
"""Of a learner for a game; a private one takes epsilon and delta, too."""

_FILES: Final = (".csv", ".npy")
_FINE: Final = 1 << 10
"""The grid for the losses of a file, and for data."""
_GIVEN: Final = (LossTable, LossStream, DataTable)
"""Games of losses that somebody has: of a file, or by a program."""
_BODIES: Final[dict[str, type[Any]]] = {"ball": Ball, "box": Box}


Found = TypeVar("Found")


class Played(NamedTuple):
    """The game, as it is written."""

    name: str
    rounds: int
    experts: int
    dimension: int
    body: str
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
    game = _game(played)
    found = list(_learners(players, game))
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


def _game(played: Played) -> OnlineGame:
    if Path(played.name).suffix in _FILES:
        if played.given:
            raise InvalidArgument("--set is of games that are made, not of a file")
        return LossTable.load(played.name, grid=played.grid or _FINE)
    known = {name: kind for name, kind in named(games, OnlineGame).items() if kind not in _GIVEN}
    kind = _one_of(known, played.name, "game")
    size = _size(kind, played)
    own = {f.name for f in attrs.fields(kind) if f.init} - size.keys()
    options: dict[str, object] = {}
    for text in played.given:
        name, _, value = text.partition("=")
        if name not in own:
            there = ", ".join(sorted(own)) or "none"
            raise InvalidArgument(f"{played.name} has no option {name[:40]!r}; it has {there}")
        number = rational(value, name)
        options[name] = number if number.denominator > 1 else int(number)
    game: OnlineGame = kind(**size, **options)
    return game


def _size(kind: type[Any], played: Played) -> dict[str, Any]:
    if issubclass(kind, LossGame):
        return {"rounds": played.rounds, "experts": played.experts, "grid": played.grid or 1}
    body = _one_of(_BODIES, played.body, "body")(dimension=played.dimension)
    loss = convex.LinearLoss(dimension=played.dimension, grid=played.grid or _FINE)
    return {"rounds": played.rounds, "body": body, "convex_loss": loss}


def makers(game: OnlineGame) -> dict[str, Maker]:
    """Of the learners for a game: how those that are exported are made, by their names.

    Classes by ``tuned``, where they have it; and functions that take what it takes.
    """
    convexly = isinstance(game, ConvexGame)
    module: ModuleType = convex if convexly else learners
    kinds = named(module, ConvexLearner if convexly else Learner)
    found: dict[str, Maker] = {
        name: getattr(kind, "tuned", kind) for name, kind in kinds.items()
    }  # fmt: skip

    needed = {"horizon", "body", "loss"} if convexly else {"horizon", "experts"}
    for name in module.__all__:
        made = getattr(module, name)
        if isfunction(made) and needed <= signature(made).parameters.keys():
            found[name.replace("_", "-")] = made
    return found


def _learners(
    players: Players, game: OnlineGame
) -> Iterator[tuple[str, str, ContinualMechanism[Any]]]:
    known = makers(game)
    given: dict[str, Any] = {
        "horizon": game.rounds,
        "epsilon": rational(players.epsilon, "epsilon"), "delta": rational(players.delta, "delta"),
    }  # fmt: skip
    budget = f"({shown(given['epsilon'])}, {shown(given['delta'])})"
    if isinstance(game, ConvexGame):
        given |= {"body": game.body, "loss": game.convex_loss}
    elif isinstance(game, LossGame):
        given |= {"experts": game.experts, "grid": game.grid}
    for name in dict.fromkeys(players.names or known):
        maker = _one_of(known, name, "learner")
        takes = signature(maker).parameters
        learner = maker(**{key: value for key, value in given.items() if key in takes})
        private = isinstance(learner, OnlineLearner) and learner.private
        yield name, budget if "epsilon" in takes else "any" if private else "no", learner


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
    from rich.console import Console

    from antiphon.report import table

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
    console = Console(width=None if sys.stdout.isatty() else 124, highlight=False)
    console.print(table(columns, cells, numbers=columns[2:]))
    print(f"Regret against the best fixed {against}{unit}; ± at 95 %; it grows like T^slope.")
    for column in _dynamic(rows):
        print(f"{column}: against the best sequence of experts that changes at most so often.")
    if plot is not None:
        print(f"Regret over rounds is drawn in {plot}")


def _dynamic(rows: list[LearnerRow]) -> list[str]:
    """The column of dynamic regret, if that was asked for."""
    return [f"{shifts} shifts" for shifts in (rows[0].standings.shifts,) if shifts is not None]
