"""What all games share: they ask for advice, and then they tell a loss."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, NamedTuple

import attrs
import numpy as np

from antiphon.mechanisms import fields
from antiphon.mechanisms.learners.learner import GRID, Losses
from antiphon.mechanisms.learners.online import ADVICE, ROUNDS
from antiphon.protocol.adversary import Adversary
from antiphon.protocol.coins import Coins
from antiphon.protocol.messages import EMPTY, HALT, freeze

KEYS = 1 << 62
"""How many keys there are."""


class GameState(NamedTuple):
    """Where a game stands."""

    key: int
    """What was tossed before the first round; 0 where nothing was."""
    round: int = 0
    """The rounds that are over."""
    asked: bool = True
    """Whether an advice is awaited, not a receipt."""


@attrs.frozen(kw_only=True)
class LossGame(Adversary[GameState]):
    """Says ``ADVICE`` and then a loss, ``rounds`` times; then HALT. Abstract.

    A loss is an int64 array of ``experts`` entries in {0, …, ``grid``}. Its coins are one integer,
    the key, if it is ``tossed``: losses are a function of key, round and what was shown.
    """

    tossed: ClassVar[bool] = False
    adaptive: ClassVar[bool] = False
    """Whether a loss depends on what is shown."""

    rounds: int = attrs.field(converter=fields.size, metadata=ROUNDS)
    experts: int = attrs.field(converter=fields.size, metadata=fields.COORDINATES)
    grid: int = attrs.field(default=1, converter=fields.size, metadata=GRID)

    @property
    def initial_state(self) -> GameState:
        return GameState(0)

    def key(self, coins: Coins) -> int:
        """What is tossed for a game."""
        return coins.uniform_integer(KEYS) if self.tossed else 0

    @abstractmethod
    def loss(self, key: int, time: int, shown: int) -> Losses:
        """The loss of round ``time`` = 0, 1, …, in which the expert ``shown`` is followed."""

    def step(self, state: GameState, message: object, coins: Coins) -> tuple[GameState, object]:
        if message is EMPTY:
            return GameState(self.key(coins)), ADVICE
        if message is HALT:
            return state, HALT
        key, time, asked = state
        if asked:
            assert type(message) is int  # the advice
            return GameState(key, time, False), self.loss(key, time, message)
        time += 1
        return GameState(key, time), ADVICE if time < self.rounds else HALT


@attrs.frozen(kw_only=True)
class ObliviousGame(LossGame):
    """A game whose losses do not depend on what is shown: so whole blocks of them are made.

    Abstract.
    """

    @property
    def block(self) -> int:
        """How many rounds are made at once; the last block may be shorter."""
        return max(1, min(self.rounds, (1 << 16) // self.experts))

    @abstractmethod
    def losses(self, key: int, number: int) -> Losses:
        """Block ``number`` = 0, 1, …: a table that nobody can write to, a round in each row."""

    def loss(self, key: int, time: int, shown: int) -> Losses:
        number, place = divmod(time, self.block)
        loss: Losses = self.losses(key, number)[place]
        return loss


def told(losses: Losses) -> Losses:
    """A table that nobody can write to, so that its rows are messages as they are."""
    table: Losses = freeze(np.ascontiguousarray(losses, np.int64))
    return table
