"""Projected online gradient descent. Not private."""

from __future__ import annotations

import math
from typing import ClassVar, NamedTuple

import attrs
import numpy as np

from antiphon.mechanisms.counters.factors.rows import Row, row
from antiphon.mechanisms.learners.convex.bodies import Point
from antiphon.mechanisms.learners.convex.convex_learner import ConvexLearner
from antiphon.mechanisms.learners.convex.convex_losses import Datum
from antiphon.protocol.coins import Coins
from antiphon.protocol.registry import register


@register("antiphon.Descent/1", state=True)
class Descent(NamedTuple):
    """Where a learner stands."""

    rounds: int
    point: Row


@register("antiphon.GradientDescent/1")
@attrs.frozen(kw_only=True)
class GradientDescent(ConvexLearner[Descent]):
    """From the origin against each gradient: x_{t+1} = Π_K(x_t - η_t·∇ℓ(x_t; z_t)).

    η_t = D/(L√(2t)), D the diameter of the body, L the loss's constant. Regret: at most DL√(2T),
    against losses that listen, too: it is D²/2η_T + L²/2·Σ η_t, least for these of all cD/(L√t).
    Privacy: none is claimed, so no verifier lets it be created.
    Source: Zinkevich 2003, Thm 1.

    >>> from antiphon.mechanisms.learners.convex import Ball, LinearLoss
    >>> learner = GradientDescent(horizon=9, body=Ball(dimension=2), loss=LinearLoss(dimension=2))
    >>> session = learner.start()
    >>> session.send("advice"), session.send(np.array([512, 0])), session.send("advice")
    (array([0., 0.]), TOP, array([-0.70710678,  0.        ]))
    """

    private: ClassVar[bool] = False

    _scale: float = attrs.field(init=False, eq=False, repr=False)
    """D/(L√2)."""

    def __attrs_post_init__(self) -> None:
        ConvexLearner.__attrs_post_init__(self)
        self._set(_scale=math.sqrt(2) * self.body.reach / self.loss.lipschitz(self.body))

    @property
    def initial_state(self) -> Descent:
        return Descent(0, row(np.zeros(self.body.dimension), float))

    @property
    def regret_bound(self) -> float:
        """DL√(2T)."""
        diameter = 2 * self.body.reach
        return diameter * self.loss.lipschitz(self.body) * math.sqrt(2 * self.horizon)

    def rounds(self, state: Descent) -> int:
        return state.rounds

    def _advise(self, state: Descent, coins: Coins) -> tuple[Descent, Point]:
        return state, state.point.view(np.ndarray)

    def _learn(self, state: Descent, loss: Datum, coins: Coins) -> Descent:
        point, rounds = state.point.view(np.ndarray), state.rounds + 1
        step = self._scale / math.sqrt(rounds)
        found = self.body.project(point - step * self.loss.gradient(point, loss))
        return Descent(rounds, row(found, float))
