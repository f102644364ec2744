"""Games in a convex body."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from antiphon.mechanisms.learners.convex.bodies import Body, Point
from antiphon.mechanisms.learners.convex.convex_learner import ConvexLearner
from antiphon.mechanisms.learners.convex.convex_losses import ConvexLoss
from antiphon.mechanisms.learners.games.convex_meter import ConvexMeter
from antiphon.mechanisms.learners.games.meters import Meter
from antiphon.mechanisms.learners.games.online_game import OnlineGame
from antiphon.mechanisms.learners.online import OnlineLearner
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.coins import Coins
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.messages import freeze
from antiphon.protocol.spaces import Arrays, Space


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
