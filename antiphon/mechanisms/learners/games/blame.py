"""Games that choose a loss after they have seen whom the learner follows."""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar

import attrs
import numpy as np

from antiphon.mechanisms.learners.games.loss_game import LossGame
from antiphon.mechanisms.learners.games.online_game import unwritten
from antiphon.mechanisms.learners.learner import Losses
from antiphon.protocol.registry import register


@register("antiphon.games.BlameShown/1")
@attrs.frozen(kw_only=True)
class BlameShown(LossGame):
    """The expert that was just shown loses 1, the others 0.

    Every learner loses T, and the best expert at most T/d, so its regret is at least T(1 - 1/d):
    regret bounds are against losses that do not depend on what is shown; privacy holds here, too.
    """

    adaptive: ClassVar[bool] = True

    def loss(self, key: int, time: int, shown: int) -> Losses:
        return _blame(self.experts, self.grid, shown)


@lru_cache(maxsize=1024)
def _blame(experts: int, grid: int, shown: int) -> Losses:
    loss = np.zeros(experts, np.int64)
    loss[shown] = grid
    return unwritten(loss)
