"""What all games share: they ask for advice, and then they tell a loss."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.mechanisms import fields
from antiphon.mechanisms.learners.games.meters import Meter
from antiphon.mechanisms.learners.learner import Losses
from antiphon.mechanisms.learners.online import ADVICE, ROUNDS, OnlineLearner
from antiphon.protocol.adversary import Adversary
from antiphon.protocol.coins import Coins
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.messages import EMPTY, HALT, freeze
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Arrays, Space

KEYS = 1 << 62
"""How many keys there are."""


@register("antiphon.GameState/1", state=True)
class GameState(NamedTuple):
    """Where a game stands."""

    key: int
    """What was tossed before the first round; 0 where nothing was."""
    round: int = 0
    """The rounds that are over."""
    asked: bool = True
    """Whether an advice is awaited, not a receipt."""


@attrs.frozen(kw_only=True)
class OnlineGame(Adversary[GameState]):
    """Says ``ADVICE`` and then a loss, ``rounds`` times; then HALT. Abstract.

    A loss is an int64 array: of experts, or the datum of a convex loss. Its coins are one integer,
    the key, if it is ``tossed``: losses are a function of key, round and what was shown.
    """

    tossed: ClassVar[bool] = False
    adaptive: ClassVar[bool] = False
    """Whether a loss depends on what is shown."""

    rounds: int = attrs.field(converter=fields.size, metadata=ROUNDS)

    @property
    def initial_state(self) -> GameState:
        return GameState(0)

    def key(self, coins: Coins) -> int:
        """What is tossed for a game."""
        return coins.uniform_integer(KEYS) if self.tossed else 0

    @abstractmethod
    def loss(self, key: int, time: int, shown: Any) -> Losses:
        """The loss of round ``time`` = 0, 1, …, in which ``shown`` is followed."""

    @property
    @abstractmethod
    def told(self) -> Arrays:
        """The space of a loss."""

    @property
    @abstractmethod
    def tells(self) -> str:
        """What it tells, in words."""

    @property
    @abstractmethod
    def advice(self) -> Space:
        """The space of what is shown."""

    @abstractmethod
    def unadvised(self, coins: Coins) -> Any:
        """What is followed in the first round, where the answer to a loss is the next advice."""

    @abstractmethod
    def meter(
        self, times: tuple[int, ...], learner: OnlineLearner | None, shifts: int | None = None
    ) -> Meter:
        """What reads off regret after so many rounds.

        Also expected regret of a learner, and that against the best that shifts so often.
        """

    @abstractmethod
    def fits(self, learner: ContinualMechanism[Any]) -> bool:
        """Whether a learner that takes its losses is one for this game."""

    def step(self, state: GameState, message: object, coins: Coins) -> tuple[GameState, object]:
        if message is EMPTY:
            return GameState(self.key(coins)), ADVICE
        if message is HALT:
            return state, HALT
        key, time, asked = state
        if asked:
            return GameState(key, time, False), self.loss(key, time, message)
        time += 1
        return GameState(key, time), ADVICE if time < self.rounds else HALT


@attrs.frozen(kw_only=True)
class ObliviousGame(OnlineGame):
    """A game whose losses do not depend on what is shown: so whole blocks of them are made.

    Abstract.
    """

    @property
    def block(self) -> int:
        """How many rounds are made at once; the last block may be shorter."""
        return max(1, min(self.rounds, (1 << 16) // self.told.shape[0]))

    @abstractmethod
    def losses(self, key: int, number: int) -> Losses:
        """Block ``number`` = 0, 1, …: a table that nobody can write to, a round in each row."""

    def times(self, number: int) -> NDArray[np.int64]:
        """The rounds of a block."""
        return np.arange(number * self.block, min(self.rounds, (number + 1) * self.block))

    def loss(self, key: int, time: int, shown: Any) -> Losses:
        number, place = divmod(time, self.block)
        loss: Losses = self.losses(key, number)[place]
        return loss


def unwritten(losses: Losses) -> Losses:
    """A table that nobody can write to, so that its rows are messages as they are."""
    table: Losses = freeze(np.ascontiguousarray(losses, np.int64))
    return table
