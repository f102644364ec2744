"""Games and learners by their names on the command line, and the pairing of learners with games."""

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from inspect import isabstract, isclass, isfunction, signature
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple, get_args, get_type_hints

import attrs

from antiphon import learners
from antiphon.cli.output import count, exact_number, one_of
from antiphon.composition.guarantees.guarantee import guarantee
from antiphon.learners import convex, games, oco
from antiphon.learners.learner import Learner, OnlineLearner
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.exact import rational
from antiphon.protocol import ContinualMechanism
from antiphon.protocol.claims import CERTAIN

Maker = Callable[..., ContinualMechanism[Any]]
"""A constructor of a learner for a game; for a private learner it also takes epsilon and delta."""

_FILES: Final = (".csv", ".npy")
_FINE: Final = 1 << 10
"""The default ``grid`` (steps in one unit of loss) of games on a file or in a convex body."""
_GIVEN: Final = (games.LossTable, games.LossStream, games.DataTable)
"""Classes of games whose losses or data are given, by a file or a program; they have no name on
the command line."""
_WORDS: Final = re.compile("(?<=[a-z0-9])(?=[A-Z])")
_BODIES: Final[dict[str, type[Any]]] = {"ball": convex.Ball, "box": convex.Box}
_LOSSES: Final[dict[str, type[convex.RegressionLoss]]] = {
    "logistic": convex.LogisticLoss, "squared": convex.SquaredLoss, "absolute": convex.AbsoluteLoss,
}  # fmt: skip
_ROUNDS: Final = 1 << 12
"""The default number of rounds of a generated game."""
_MOST: Final = 1 << 24
"""The largest number of rounds that the command accepts."""


class Played(NamedTuple):
    """The game and its options, as the user wrote them on the command line."""

    name: str
    rounds: tuple[str, ...]
    """The numbers of rounds, as written; empty: all rounds of a file, or 4096."""
    experts: int
    dimension: int
    body: str
    grid: int | None
    given: tuple[str, ...]
    data: "DataColumns"


class DataColumns(NamedTuple):
    """The meaning of the columns of a data file, as the options state it."""

    loss: str | None
    """The name of the loss of a data file; None if the file holds losses of experts."""
    label: int
    bound: str


class Players(NamedTuple):
    """The learners, their ε and δ, as the user wrote them; without names all learners play."""

    names: tuple[str, ...]
    epsilons: tuple[str, ...]
    delta: str


class Entrant(NamedTuple):
    """A learner that was made for a particular game, with its privacy as displayed."""

    name: str
    privacy: str
    """The (ε, δ) for which the learner was made, as text; "any" if the learner is private without
    noise, "no" if it makes no claim."""
    epsilon: Fraction | None
    """The ε for which the learner was made; None for a learner without an ε."""
    learner: ContinualMechanism[Any]
    game: games.OnlineGame


def named(module: ModuleType, base: type) -> dict[str, type[Any]]:
    """The concrete subclasses of ``base`` that a module exports, by their names on the command
    line.

    >>> sorted(named(games, games.LossGame))[:2]
    ['batch-constant', 'blame-shown']
    """
    public: list[str] = module.__all__
    kinds = (getattr(module, name) for name in public)
    return {
        _WORDS.sub("-", kind.__name__).lower(): kind
        for kind in kinds
        if isclass(kind) and issubclass(kind, base) and not isabstract(kind)
    }


def games_of(played: Played) -> list[games.OnlineGame]:
    """The games that the options describe, one for each number of rounds. Raises:
    InvalidArgument."""
    several = sorted({count(each, "rounds", _MOST) for each in played.rounds})
    if Path(played.name).suffix in _FILES:
        return _of_a_file(played, several)
    if played.data.loss is not None:
        raise InvalidArgument("--loss is of a file of data; games that are made have their own")
    known = {
        name: kind for name, kind in named(games, games.OnlineGame).items() if kind not in _GIVEN
    }
    kind = one_of(known, played.name, "game")
    size = _size(kind, played)
    own = {f.name for f in attrs.fields(kind) if f.init} - size.keys() - {"rounds"}
    options: dict[str, object] = {}
    for text in played.given:
        name, _, value = text.partition("=")
        if name not in own:
            there = ", ".join(sorted(own)) or "none"
            raise InvalidArgument(f"{played.name} has no option {name[:40]!r}; it has {there}")
        number = rational(value, name)
        options[name] = number if number.denominator > 1 else int(number)
    return [kind(rounds=rounds, **size, **options) for rounds in several or [_ROUNDS]]


def _of_a_file(played: Played, several: list[int]) -> list[games.OnlineGame]:
    """The games on a file of losses or of data, one for each number of rounds in ``several``: a
    game takes the first losses of the file; data are repeated as needed."""
    if played.given:
        raise InvalidArgument("--set is of games that are made, not of a file")
    grid = played.grid or _FINE
    if played.data.loss is None:
        try:
            losses = games.LossTable.load(played.name, grid=grid)
        except InvalidArgument as error:
            raise InvalidArgument(f"{error}; of a file of data say --loss") from None
        return [losses.first(rounds) for rounds in several or [losses.rounds]]
    data = games.DataTable.load(
        played.name, loss=one_of(_LOSSES, played.data.loss, "loss"), label=played.data.label,
        bound=float(rational(played.data.bound, "bound")),
        body=one_of(_BODIES, played.body, "body"), grid=grid,
    )  # fmt: skip
    return [attrs.evolve(data, rounds=rounds) for rounds in several or [data.rounds]]


def _size(kind: type[Any], played: Played) -> dict[str, Any]:
    if issubclass(kind, games.LossGame):
        return {"experts": played.experts, "grid": played.grid or 1}
    body = one_of(_BODIES, played.body, "body")(dimension=played.dimension)
    loss = convex.LinearLoss(dimension=played.dimension, grid=played.grid or _FINE)
    return {"body": body, "convex_loss": loss}


def makers(game: games.OnlineGame) -> dict[str, Maker]:
    """The constructors of the exported learners that fit a game, by their names.

    The constructor of a class is its method ``tuned``, if it has one. Functions with the same
    arguments count as well, with one entry for each of their presets.
    """
    if isinstance(game, games.ConvexGame):
        return _made_by((convex, oco), convex.ConvexLearner, {"horizon", "body", "loss"})
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
    """Yields pairs (name, constructor) of learners: the constructor ``made``, and if it has a
    parameter ``preset``, a variant of it for each value but the default."""
    yield name, made
    preset = signature(made).parameters.get("preset")
    if preset is not None:
        for each in get_args(get_type_hints(made)["preset"]):
            if each != preset.default:
                yield f"{name}-{each}", partial(made, preset=each)


def lineup(players: Players, games: list[games.OnlineGame]) -> Iterator[Entrant]:
    """Yields each learner for each game, and for each ε if the learner takes one. The games differ
    only in their numbers of rounds.

    Raises: InvalidArgument.
    """
    known, delta = makers(games[0]), rational(players.delta, "delta")
    names = players.names or [name for name in known if not unfit(known[name], games[0])]
    epsilons = sorted({rational(each, "epsilon") for each in players.epsilons})
    chosen = {name: one_of(known, name, "learner") for name in names}
    for name, maker in chosen.items():
        takes = signature(maker).parameters
        for epsilon in epsilons if "epsilon" in takes else [None]:
            for game in games:
                given = {**_made_for(game), "epsilon": epsilon, "delta": delta}
                learner = maker(**{key: value for key, value in given.items() if key in takes})
                budget = (
                    None if epsilon is None else f"({exact_number(epsilon)}, {exact_number(delta)})"
                )
                yield Entrant(name, _privacy(learner, budget), epsilon, learner, game)


def unfit(maker: Maker, game: games.OnlineGame) -> bool:
    """Whether the constructor makes a convex learner that cannot take the loss of this game."""
    kind = getattr(maker, "__self__", maker)
    if not isinstance(game, games.ConvexGame) or not isclass(kind):
        return False
    return not isinstance(game.convex_loss, getattr(kind, "plays", convex.ConvexLoss))


def _made_for(game: games.OnlineGame) -> dict[str, Any]:
    """The keyword arguments with which a learner for this game is constructed."""
    if isinstance(game, games.ConvexGame):
        return {"horizon": game.rounds, "body": game.body, "loss": game.convex_loss}
    assert isinstance(game, games.LossGame)
    return {"horizon": game.rounds, "experts": game.experts, "grid": game.grid}


def _privacy(learner: ContinualMechanism[Any], budget: str | None) -> str:
    if budget is None:
        return "any" if isinstance(learner, OnlineLearner) and learner.private else "no"
    return budget if guarantee(learner).status in CERTAIN else f"{budget}, assumed"


INTERRUPTED: Final = "Interrupted: the rest was not played."


class PlayOptions(NamedTuple):
    """The options of a run: repetitions, seed, worker processes, output and time limit."""

    repeat: int
    seed: int | None
    workers: int | None
    plot: Path | None
    as_json: bool
    seconds: float | None = None
    """A time limit, after which only finished games count; None for no limit."""
