"""What all learners in a convex body share."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Generic

import attrs

from antiphon.mechanisms.learners.convex.bodies import Body, Point
from antiphon.mechanisms.learners.convex.convex_losses import ConvexLoss, Datum
from antiphon.mechanisms.learners.online import OnlineLearner, State
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.coins import Coins
from antiphon.protocol.spaces import Space


def check_dimensions(body: Body, loss: ConvexLoss) -> None:
    """Raises: InvalidArgument for a body and a loss of points of another length."""
    if body.dimension != loss.dimension:
        raise InvalidArgument(
            f"the body has {body.dimension} coordinates and the loss {loss.dimension}: make both "
            "with the same dimension"
        )


@attrs.frozen(kw_only=True)
class ConvexLearner(OnlineLearner[State], Generic[State]):
    """(a datum) -> ⊤; (``ADVICE``) -> the point x_t of the body. Abstract.

    Raises: InvalidArgument for a datum past the horizon or outside ``loss.data``.
    """

    plays: ClassVar[type[Any]] = ConvexLoss
    """The losses that it can learn from."""

    body: Body
    loss: ConvexLoss

    def __attrs_post_init__(self) -> None:
        check_dimensions(self.body, self.loss)
        OnlineLearner.__attrs_post_init__(self)

    def _spaces(self) -> tuple[Space, Space]:
        return self.loss.data, self.body.points

    @abstractmethod
    def _advise(self, state: State, coins: Coins) -> tuple[State, Point]:
        """Where to stand; the state after it."""

    @abstractmethod
    def _learn(self, state: State, loss: Datum, coins: Coins) -> State:
        """The state after one more datum."""
