"""Regret: how much more a learner lost than the best expert, or than a few in turn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, TypeVar, overload

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.learners.convex.convex_losses import Body, ConvexLoss
from antiphon.learners.convex.optimum import ConvexRegret
from antiphon.learners.learner import ADVICE, Losses
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.messages import TOP
from antiphon.protocol.records.view import View
from antiphon.protocol.spaces import Arrays

Curve = NDArray[np.float64]
"""A figure for each round, 1, …, T."""


class BestInTurn:
    """The least losses of sequences of experts that change at most so often, as losses come.

    Raises: InvalidArgument for shifts that are no int >= 0.
    """

    def __init__(self, shifts: int, experts: int) -> None:
        exact.natural(shifts, "shifts")
        self._least = np.zeros((shifts + 1, experts), np.int64)
        """By how often a sequence has changed at most, and whom it follows now."""

    def after(self, losses: Losses) -> Losses:
        """The least after each of some more rounds."""
        least, best = self._least, np.empty(len(losses), np.int64)
        for time, loss in enumerate(losses):
            change = least.min(axis=1, keepdims=True)
            np.minimum(least[1:], change[:-1], out=least[1:])
            least += loss
            best[time] = least[-1].min()
        return best


@attrs.frozen(eq=False)
class Regret:
    """What was shown, and the losses of a game: a table with a row for each round."""

    shown: Losses = attrs.field(repr=False)
    losses: Losses = attrs.field(repr=False)
    grid: int = 1

    @property
    def own(self) -> Curve:
        """The learner's loss after each round."""
        rounds = np.arange(len(self.losses))
        return np.cumsum(self.losses[rounds, self.shown]) / self.grid

    @property
    def fixed(self) -> Curve:
        """Regret after each round against the expert that is best until then."""
        best: Curve = np.cumsum(self.losses, axis=0).min(axis=1) / self.grid
        return self.own - best

    def shifting(self, shifts: int) -> Curve:
        """Dynamic regret: against the best sequence of experts that changes at most so often.

        Raises: InvalidArgument for shifts that are no int >= 0.
        """
        best = BestInTurn(shifts, self.losses.shape[1]).after(self.losses)
        return self.own - best / self.grid

    @property
    def total(self) -> float:
        """Regret at the end; 0 of no rounds."""
        return float(self.fixed[-1]) if len(self.losses) else 0.0


@overload
def regret_of(view: View, *, grid: int = 1) -> Regret: ...


@overload
def regret_of(view: View, *, loss: ConvexLoss, body: Body) -> ConvexRegret: ...


def regret_of(
    view: View, *, grid: int = 1, loss: ConvexLoss | None = None, body: Body | None = None
) -> Regret | ConvexRegret:
    """The regret that a view of a game shows; a round whose loss did not come is left out.

    Args: ``grid``, of a game of experts; ``loss`` and ``body``, of one in a body: then what is
    best in hindsight is known up to a certified gap.
    Raises: InvalidArgument for a loss before any advice, or with no advice since the last loss:
    nobody was told whom to follow, or where to stand; for one of ``loss`` and ``body`` without the
    other; for a view of another kind of game.

    >>> import antiphon as ap
    >>> from antiphon.learners import Hedge, games
    >>> game = games.BlameShown(rounds=8, experts=2)
    >>> view = ap.interact(game, Hedge(horizon=8, experts=2, rate=1), seed=1)
    >>> float(regret_of(view).own[-1])
    8.0
    """
    if (loss is None) != (body is None):
        raise InvalidArgument("give the loss and the body, both, of a game in a body")
    exchanges = zip(view.messages, view.answers, strict=True)
    if loss is None or body is None:
        shown, losses = _rounds(exchanges, int)
        table = np.array(losses, np.int64) if losses else np.zeros((0, 1), np.int64)
        return Regret(np.array(shown, np.int64), table, grid)
    points, data = _rounds(exchanges, np.ndarray)
    return ConvexRegret(_table(points, body.points), _table(data, loss.data), loss, body)


Shown = TypeVar("Shown")


def _rounds(
    exchanges: Iterable[tuple[object, object]], kind: type[Shown]
) -> tuple[list[Shown], list[Losses]]:
    """What was shown, and the losses: of each round whose loss came."""
    shown, losses, advice = list[Shown](), list[Losses](), None
    for message, answer in exchanges:
        if type(message) is str and message == ADVICE and type(answer) is kind:
            advice = answer
        elif type(message) is np.ndarray and answer is TOP:
            if advice is None:
                raise InvalidArgument(_UNADVISED)
            shown.append(advice)
            losses.append(message)
            advice = None
    return shown, losses


_UNADVISED: Final = (
    "a loss has no advice before it: ask for ADVICE each round; the advice is an expert, or with "
    "loss= and body= a point"
)


def _table(rows: list[NDArray[Any]], space: Arrays) -> NDArray[Any]:
    """A row for each. Raises: InvalidArgument for rows that are not of the space."""
    if not all(map(space.contains, rows)):
        raise InvalidArgument(
            f"the view is not of {space}: give the loss and the body of the game that was played"
        )
    return np.array(rows) if rows else np.empty((0, *space.shape), space.dtype)
