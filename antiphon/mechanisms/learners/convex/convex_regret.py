"""Regret in a body: how much more a learner lost than the best fixed point."""

from __future__ import annotations

from functools import cached_property

import attrs
import numpy as np

from antiphon.mechanisms.learners.convex.bodies import Body
from antiphon.mechanisms.learners.convex.convex_losses import ConvexLoss, Datum, Values
from antiphon.mechanisms.learners.convex.optimum import Optimum, optimum


@attrs.frozen(eq=False)
class ConvexRegret:
    """Where a learner stood and the data of a game: tables with a row for each round."""

    shown: Values = attrs.field(repr=False)
    data: Datum = attrs.field(repr=False)
    loss: ConvexLoss
    body: Body

    @property
    def own(self) -> Values:
        """The learner's loss after each round."""
        found: Values = np.cumsum(self.loss.values(self.shown, self.data))
        return found

    @cached_property
    def best(self) -> Optimum:
        """The best fixed point in hindsight, with the certified gap to what could be better."""
        if not len(self.data):
            return Optimum(np.zeros(self.body.dimension), 0.0, 0.0)
        once = np.ones(len(self.data), np.int64)
        return optimum(self.loss, self.body, *self.loss.merged(self.data, once))

    @property
    def total(self) -> float:
        """Regret at the end, against what was found: the true one is at most ``gap`` larger."""
        return float(self.own[-1]) - self.best.value if len(self.data) else 0.0

    @property
    def gap(self) -> float:
        """By how much regret may be larger."""
        return self.best.gap
