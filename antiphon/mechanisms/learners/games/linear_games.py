"""Games of linear losses ⟨z, x⟩, each z of norm 1 but for the grid."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.mechanisms.learners.convex.convex_losses import LinearLoss
from antiphon.mechanisms.learners.games.convex_game import ConvexGame
from antiphon.mechanisms.learners.games.online_game import unwritten
from antiphon.mechanisms.learners.games.tossed import TossedGame
from antiphon.mechanisms.learners.learner import Losses
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.coins.sampled import seeded_words
from antiphon.protocol.registry import register


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
