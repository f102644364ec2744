"""Who never moves."""

from __future__ import annotations

import attrs
import numpy as np

from antiphon.mechanisms.learners.convex.bodies import Point
from antiphon.mechanisms.learners.convex.convex_learner import ConvexLearner
from antiphon.mechanisms.learners.convex.convex_losses import Datum
from antiphon.protocol.claims import Claim
from antiphon.protocol.coins import Coins
from antiphon.protocol.measures.kinds import Pure
from antiphon.protocol.messages import freeze
from antiphon.protocol.provenance import proved
from antiphon.protocol.registry import register


@register("antiphon.Origin/1")
@attrs.frozen(kw_only=True)
class Origin(ConvexLearner[int]):
    """Stands at the origin, whatever is told: the least that a learner must beat.

    Regret: at most RL per round, R the reach of the body, L the loss's constant.
    Privacy: pure, ε = 0; proved: its state counts the data, and of each neighbour there are as
    many; no answer depends on anything else.
    """

    _point: Point = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        ConvexLearner.__attrs_post_init__(self)
        self._set(_point=freeze(np.zeros(self.body.dimension)))

    @property
    def claims(self) -> tuple[Claim, ...]:
        return proved(self, Pure(0), self.verification, "its answers are the same for all data")

    @property
    def initial_state(self) -> int:
        return 0

    def rounds(self, state: int) -> int:
        return state

    def _advise(self, state: int, coins: Coins) -> tuple[int, Point]:
        return state, self._point

    def _learn(self, state: int, loss: Datum, coins: Coins) -> int:
        return state + 1
