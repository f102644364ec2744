"""What all learners of experts share: their losses, and how they are played."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final, Generic, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.mechanisms import fields
from antiphon.mechanisms.learners.online import OnlineLearner, State
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.coins import Coins
from antiphon.protocol.spaces import Arrays, Integers, Space

Losses: TypeAlias = "NDArray[np.int64]"
"""A loss, or a table with a loss in each row."""

GRID: Final = fields.at_most(1 << 20, "round the losses to a coarser grid")


@attrs.frozen(kw_only=True)
class Learner(OnlineLearner[State], Generic[State]):
    """(a loss) -> ⊤; (``ADVICE``) -> the expert to follow. Abstract.

    A loss is an int64 array of ``experts`` entries in {0, …, ``grid``}. At most ``horizon``.
    Raises: InvalidArgument for a loss past the horizon or off the grid; the state is unchanged.
    """

    experts: int = attrs.field(converter=fields.size, metadata=fields.COORDINATES)
    grid: int = attrs.field(default=1, converter=fields.size, metadata=GRID)

    def _spaces(self) -> tuple[Space, Space]:
        losses = Arrays((self.experts,), "int64", 0, self.grid)
        return losses, Integers(0, self.experts - 1)

    @abstractmethod
    def _advise(self, state: State, coins: Coins) -> tuple[State, int]:
        """Who is to be followed; the state after it."""

    @abstractmethod
    def _learn(self, state: State, loss: Losses, coins: Coins) -> State:
        """The state after one more loss."""

    def follow(self, state: State, losses: Losses, coins: Coins) -> tuple[State, Losses]:
        """Whom it advises to follow in each of some rounds: what a session answers, in one loop.

        For losses that do not depend on what is shown, as one table.
        Raises: InvalidArgument for losses that a session would refuse, before anything is drawn.
        """
        updates = self.signature.updates
        assert isinstance(updates, Arrays)
        if not attrs.evolve(updates, shape=(len(losses), self.experts)).contains(losses):
            raise InvalidArgument(
                f"losses are a table with rows of {updates}; games.LossTable.of puts numbers in "
                "[0, 1] on a grid"
            )
        if self.rounds(state) + len(losses) > self.horizon:
            raise InvalidArgument(f"{len(losses)} more losses are past the horizon {self.horizon}")
        return self._follow(state, losses, coins)

    def _follow(self, state: State, losses: Losses, coins: Coins) -> tuple[State, Losses]:
        shown = np.empty(len(losses), np.int64)
        for place, loss in enumerate(losses):
            state, shown[place] = self._advise(state, coins)
            state = self._learn(state, loss, coins)
        return state, shown
