"""Games in a convex body, their regret, and games of linear losses."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.mechanisms.learners.convex.bodies import Body, Point
from antiphon.mechanisms.learners.convex.convex_learner import ConvexLearner
from antiphon.mechanisms.learners.convex.convex_losses import ConvexLoss, Datum, LinearLoss, Values
from antiphon.mechanisms.learners.convex.optimum import optimum
from antiphon.mechanisms.learners.games.online_game import (
    Meter,
    OnlineGame,
    Scored,
    TossedGame,
    unwritten,
)
from antiphon.mechanisms.learners.learner import Losses, OnlineLearner
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.coins import Coins
from antiphon.protocol.coins.sampled import seeded_words
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.messages import freeze
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Arrays, Space


class ConvexMeter(Meter):
    """Σ ℓ(x_t; z_t) - min_x Σ ℓ(x; z_t), where for the minimum stands what was found of it.

    So regret may be larger by the gap of its certificate, which is told beside it.
    """

    def __init__(self, times: tuple[int, ...], loss: ConvexLoss, body: Body) -> None:
        super().__init__(times)
        self._loss, self._body = loss, body
        self._waiting = list[Datum]()
        self._table: Datum = np.empty((0, *loss.data.shape), np.int64)
        self._counts: Datum = np.empty(0, np.int64)
        self._point: Point | None = None
        self._gaps = list[float]()

    def _lost(self, losses: Datum, shown: NDArray[np.float64]) -> Values:
        return self._loss.values(shown, losses)

    def _note(self, losses: Datum) -> None:
        self._waiting.append(losses)

    def _least(self) -> float:
        fresh = sum(map(len, self._waiting))
        self._table, self._counts = self._loss.merged(
            np.concatenate([self._table, *self._waiting]),
            np.concatenate([self._counts, np.ones(fresh, np.int64)]),
        )
        self._waiting.clear()
        found = optimum(
            self._loss, self._body, self._table, self._counts, start=self._point
        )  # fmt: skip
        self._point = found.point
        self._gaps.append(found.gap)
        return found.value

    def scored(self) -> Scored:
        return Scored(self._beyond(self._own), None, np.array(self._gaps))


@attrs.frozen(kw_only=True)
class ConvexGame(OnlineGame):
    """A game whose loss is a datum z_t of a convex loss ℓ(·; z) on a body. Abstract.

    Raises: InvalidArgument for a body and a loss of different dimensions.
    """

    body: Body
    convex_loss: ConvexLoss

    def __attrs_post_init__(self) -> None:
        if self.body.dimension != self.convex_loss.dimension:
            raise InvalidArgument(
                f"the body has {self.body.dimension} coordinates and the loss "
                f"{self.convex_loss.dimension}: make both with the same dimension"
            )

    @property
    def told(self) -> Arrays:
        return self.convex_loss.data

    @property
    def tells(self) -> str:
        return f"data of {self.convex_loss}"

    @property
    def advice(self) -> Space:
        return self.body.points

    def unadvised(self, coins: Coins) -> Point:
        origin: Point = freeze(np.zeros(self.body.dimension))
        return origin

    def fits(self, learner: ContinualMechanism[Any]) -> bool:
        """Whether loss and body of a learner, or of a part of a chain, are those of the game."""
        if isinstance(learner, OnlineLearner) and not isinstance(learner, ConvexLearner):
            return False
        own = {"loss": self.convex_loss, "body": self.body}
        parts: tuple[object, ...] = getattr(learner, "parts", (learner,))
        return all(
            getattr(part, name, value) == value for part in parts for name, value in own.items()
        )

    def meter(
        self, times: tuple[int, ...], learner: OnlineLearner | None, shifts: int | None = None
    ) -> Meter:
        if shifts is not None:
            raise InvalidArgument("dynamic regret is known of games of experts only")
        return ConvexMeter(times, self.convex_loss, self.body)


def _linear(_: object, field: attrs.Attribute[Any], value: object) -> None:
    if type(value) is not LinearLoss:
        raise InvalidArgument(f"the {field.name} of a linear game is a LinearLoss")


def _gap(value: object) -> Fraction:
    found = exact.fraction(value, "gap")
    if not 0 < found <= 1:
        raise InvalidArgument("gap must lie in (0, 1]: it is the norm of the mean")
    return found


@attrs.frozen(kw_only=True)
class LinearGame(ConvexGame):
    """A game of linear losses. Abstract."""

    convex_loss: LinearLoss = attrs.field(
        default=attrs.Factory(lambda game: LinearLoss(dimension=game.body.dimension), True),
        validator=_linear,
    )


@attrs.frozen(kw_only=True)
class SignGame(TossedGame, LinearGame):
    """z_t in {-1, 1}^d/√d, each sign tossed. Abstract."""

    def paid(self, fallen: NDArray[np.bool_]) -> Losses:
        step = math.isqrt(self.convex_loss.grid**2 // self.convex_loss.dimension)
        return np.where(fallen, np.int64(-step), np.int64(step))


@register("antiphon.games.RandomSigns/1")
@attrs.frozen(kw_only=True)
class RandomSigns(SignGame):
    """Fair signs: no point is better, and the best is so by luck, by about √T in the unit ball.

    So every learner has regret of about √T, and standing at the origin has no more.
    Source: the lower bound of Abernethy, Bartlett, Rakhlin and Tewari 2008, Thm 2, by signs.
    """

    def chances(self, key: int, times: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.array(0.5)


@register("antiphon.games.LinearGap/1")
@attrs.frozen(kw_only=True)
class LinearGap(SignGame):
    """The mean of z_t is gap·u, u in {-1, 1}^d/√d by the key: sign i is that of u with (1 + gap)/2.

    In the unit ball standing at the origin has regret ‖Σ z_t‖, about gap·T.
    """

    gap: Fraction = attrs.field(default=Fraction(1, 10), converter=_gap)

    def direction(self, key: int) -> NDArray[np.int64]:
        """√d·u: its signs."""
        words = seeded_words((key, 0, 1))(self.body.dimension)
        return 1 - 2 * (words >> np.uint64(63)).astype(np.int64)

    def chances(self, key: int, times: NDArray[np.int64]) -> NDArray[np.float64]:
        found: NDArray[np.float64] = (1 - float(self.gap) * self.direction(key)) / 2
        return found


@register("antiphon.games.AlongShown/1")
@attrs.frozen(kw_only=True)
class AlongShown(LinearGame):
    """z_t = x_t/‖x_t‖, along the point that was just shown; of the origin, the first axis.

    A learner loses ‖x_t‖ in each round: what it gains by leaving the origin is turned against it.
    Regret bounds of convex learners hold here, too: they are against losses that listen.
    """

    adaptive: ClassVar[bool] = True

    def loss(self, key: int, time: int, shown: Any) -> Losses:
        norm = math.sqrt(shown @ shown)
        axis = np.arange(len(shown)) == 0
        # Towards zero, so that the norm is at most 1.
        return unwritten(np.trunc((shown / norm if norm else axis) * self.convex_loss.grid))
