"""Games and learners, by the names that the command line gives them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from inspect import isabstract, isclass, isfunction, signature
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple, TypeVar, get_args, get_type_hints

import attrs

from antiphon.cli.written import rational, shown
from antiphon.composition.guarantees import guarantee
from antiphon.mechanisms import learners
from antiphon.mechanisms.learners import convex, games, oco
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
from antiphon.protocol.claims import Status
from antiphon.protocol.mechanism import ContinualMechanism

Maker = Callable[..., ContinualMechanism[Any]]
"""Of a learner for a game; a private one takes epsilon and delta, too."""

_FILES: Final = (".csv", ".npy")
_FINE: Final = 1 << 10
"""The grid for the losses of a file, and for data."""
_GIVEN: Final = (LossTable, LossStream, DataTable)
"""Games of losses that somebody has: of a file, or by a program."""
_WORDS: Final = re.compile("(?<=[a-z0-9])(?=[A-Z])")
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


def named(module: ModuleType, base: type) -> dict[str, type[Any]]:
    """The classes that a module exports, by the names that the command line gives them.

    >>> sorted(named(games, LossGame))[:2]
    ['batch-constant', 'blame-shown']
    """
    public: list[str] = module.__all__
    kinds = (getattr(module, name) for name in public)
    return {
        _WORDS.sub("-", kind.__name__).lower(): kind
        for kind in kinds
        if isclass(kind) and issubclass(kind, base) and not isabstract(kind)
    }


def _one_of(known: dict[str, Found], name: str, what: str) -> Found:
    if name not in known:
        raise InvalidArgument(f"there is no {what} {name[:40]!r}; there are {', '.join(known)}")
    return known[name]


def game_of(played: Played) -> OnlineGame:
    """The game that is written. Raises: InvalidArgument."""
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

    Classes by ``tuned``, where they have it; and functions that take what it takes, one for each of
    their presets.
    """
    if isinstance(game, ConvexGame):
        return _made_by((convex, oco), ConvexLearner, {"horizon", "body", "loss"})
    return _made_by((learners,), Learner, {"horizon", "experts"})


def _made_by(modules: tuple[ModuleType, ...], base: type, takes: set[str]) -> dict[str, Maker]:
    found: dict[str, Maker] = {}
    for module in modules:
        kinds = named(module, base)
        found |= {name: getattr(kind, "tuned", kind) for name, kind in kinds.items()}
        for name in module.__all__:
            made = getattr(module, name)
            if isfunction(made) and takes <= signature(made).parameters.keys():
                found |= dict(_presets(name.replace("_", "-"), made))
    return found


def _presets(name: str, made: Callable[..., Any]) -> Iterator[tuple[str, Maker]]:
    """The function as it is; and with each preset that is not the one it has anyway."""
    yield name, made
    preset = signature(made).parameters.get("preset")
    if preset is not None:
        for each in get_args(get_type_hints(made)["preset"]):
            if each != preset.default:
                yield f"{name}-{each}", partial(made, preset=each)


def learners_of(
    players: Players, game: OnlineGame
) -> Iterator[tuple[str, str, ContinualMechanism[Any]]]:
    """Name, for which (ε, δ) it is made, and the learner itself. Raises: InvalidArgument."""
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
        yield name, _privacy(learner, budget if "epsilon" in takes else None), learner


def _privacy(learner: ContinualMechanism[Any], budget: str | None) -> str:
    if budget is None:
        return "any" if isinstance(learner, OnlineLearner) and learner.private else "no"
    return budget if guarantee(learner).status is Status.PROVED else f"{budget}, assumed"
