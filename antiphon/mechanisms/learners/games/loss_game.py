"""Games of experts."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import attrs

from antiphon.mechanisms import fields
from antiphon.mechanisms.learners.games.expert_meter import ExpertMeter
from antiphon.mechanisms.learners.games.meters import Meter
from antiphon.mechanisms.learners.games.online_game import OnlineGame
from antiphon.mechanisms.learners.learner import GRID, Learner, Losses
from antiphon.mechanisms.learners.online import OnlineLearner
from antiphon.protocol.coins import Coins
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.spaces import Arrays, Integers, Space


@attrs.frozen(kw_only=True)
class LossGame(OnlineGame):
    """A game whose loss is an int64 array of ``experts`` entries in {0, …, ``grid``}. Abstract."""

    experts: int = attrs.field(converter=fields.size, metadata=fields.COORDINATES)
    grid: int = attrs.field(default=1, converter=fields.size, metadata=GRID)

    @abstractmethod
    def loss(self, key: int, time: int, shown: int) -> Losses: ...

    @property
    def told(self) -> Arrays:
        return Arrays((self.experts,), "int64", 0, self.grid)

    @property
    def tells(self) -> str:
        return f"losses of {self.experts} experts on the grid 0..{self.grid}"

    @property
    def advice(self) -> Space:
        return Integers(0, self.experts - 1)

    def unadvised(self, coins: Coins) -> int:
        return coins.uniform_integer(self.experts)

    def fits(self, learner: ContinualMechanism[Any]) -> bool:
        return isinstance(learner, Learner) or not isinstance(learner, OnlineLearner)

    def meter(
        self, times: tuple[int, ...], learner: OnlineLearner | None, shifts: int | None = None
    ) -> Meter:
        return ExpertMeter(times, self.experts, self.grid, learner, shifts)
