"""Base classes of all games, which ask for advice and then send a loss, and of meters of regret.

In a random game whose losses do not depend on the advice, each entry of a loss takes one of two
values, with its own probability. Losses are a function of the key (the random number of the game):
half-words of the raw stream of a PCG64, which NumPy keeps stable, are compared with
2^32·probability. So probabilities are exact to 2^-32.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.learners.learner import ADVICE, ROUNDS, Losses, OnlineLearner
from antiphon.mechanisms import fields
from antiphon.protocol import EMPTY, HALT, Adversary, Arrays, Coins, Space, freeze, register
from antiphon.protocol.coins.sampled import seeded_words
from antiphon.protocol.mechanism import ContinualMechanism

Figures: TypeAlias = "NDArray[np.float64]"


class Scored(NamedTuple):
    """The regret of one play of a game, at each checkpoint."""

    regrets: Figures
    expected: Figures | None = None
    """Expected regret, averaged over the learner's own coins."""
    gaps: Figures | None = None
    """The largest possible error of each regret, because the best in hindsight is known only
    approximately."""
    shifting: Figures | None = None
    """Regret against the best sequence of experts with a limited number of changes."""


class Meter(ABC):
    """A meter of regret: it receives the losses and the advice, and finds the best in hindsight at
    given times.

    Abstract.
    """

    def __init__(self, times: tuple[int, ...]) -> None:
        self._times = times
        self._own, self._best = list[NDArray[Any]](), list[float]()
        self._rounds = 0

    def add(self, losses: Losses, shown: NDArray[Any]) -> None:
        """Records the losses and the advice of the next rounds."""
        self._own.append(self._lost(losses, shown))
        begun = 0
        for time in self._times[len(self._best) :]:
            if time > self._rounds + len(losses):
                break
            end = time - self._rounds
            self._note(losses[begun:end])
            self._best.append(self._least())
            begun = end
        self._note(losses[begun:])
        self._rounds += len(losses)

    @abstractmethod
    def scored(self) -> Scored:
        """The regret at each of the times that the meter was made for."""

    @abstractmethod
    def _lost(self, losses: Losses, shown: NDArray[Any]) -> NDArray[Any]:
        """The learner's losses in these rounds, given its advice; called once for each round."""

    @abstractmethod
    def _note(self, losses: Losses) -> None:
        """Takes note of the losses of some rounds, for ``_least`` to find the best in hindsight."""

    @abstractmethod
    def _least(self) -> float:
        """The least total loss of an expert or point, over the rounds noted so far."""

    def _beyond(self, lost: list[NDArray[Any]]) -> NDArray[Any]:
        """The regret of a learner that had the losses ``lost``, at each of the meter's times."""
        found: NDArray[Any] = self._at_times(lost) - np.array(self._best)
        return found

    def _at_times(self, lost: list[NDArray[Any]]) -> NDArray[Any]:
        """The total of the losses ``lost`` up to each of the meter's times."""
        found: NDArray[Any] = np.concatenate(lost).cumsum()[np.array(self._times) - 1]
        return found


KEYS = 1 << 62
"""The number of possible keys of a random game."""


@register("antiphon.GameState/1", state=True)
class GameState(NamedTuple):
    """The state of a game: its random key, the round, and whether it waits for advice."""

    key: int
    """The random key, drawn before the first round; 0 if the game uses no randomness."""
    round: int = 0
    """The number of rounds that are over."""
    asked: bool = True
    """Whether the game waits for advice; if not, it waits for the ⊤ that answers a loss."""


@attrs.frozen(kw_only=True)
class OnlineGame(Adversary[GameState]):
    """A game of online learning: an adversary that sends ``ADVICE`` and then a loss, ``rounds``
    times; then HALT. Abstract.

    A loss is an int64 array: the experts' losses, or the datum of a convex loss. If the game is
    ``tossed``, its only coins are one random integer, the key: losses are a function of key, round
    and advice.
    """

    tossed: ClassVar[bool] = False
    adaptive: ClassVar[bool] = False
    """Whether a loss depends on the learner's advice."""

    rounds: int = attrs.field(converter=fields.size, metadata=ROUNDS)

    @property
    def initial_state(self) -> GameState:
        return GameState(0)

    def key(self, coins: Coins) -> int:
        """Draws the random key of a game; 0 if the game uses no randomness."""
        return coins.uniform_integer(KEYS) if self.tossed else 0

    @abstractmethod
    def loss(self, key: int, time: int, shown: Any) -> Losses:
        """The loss of round ``time`` = 0, 1, …, in which the learner's advice is ``shown``."""

    @property
    @abstractmethod
    def told(self) -> Arrays:
        """The space of the losses that a game sends."""

    @property
    @abstractmethod
    def tells(self) -> str:
        """A description of the losses that the game sends, for error messages."""

    @property
    @abstractmethod
    def advice(self) -> Space:
        """The space of the advice that a game accepts."""

    @abstractmethod
    def unadvised(self, coins: Coins) -> Any:
        """The advice assumed in the first round, for a mechanism that answers each loss by the
        advice for the next round."""

    @abstractmethod
    def meter(
        self, times: tuple[int, ...], learner: OnlineLearner | None, shifts: int | None = None
    ) -> Meter:
        """A meter that records the regret after the rounds ``times``.

        It also records a learner's expected regret, and dynamic regret with at most ``shifts``
        changes, if asked for.
        """

    @abstractmethod
    def fits(self, learner: ContinualMechanism[Any]) -> bool:
        """Whether the game is made for this learner, which accepts losses of the game's space."""

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
    """A game whose losses do not depend on the advice, so that they are made in whole blocks.

    Abstract.
    """

    @property
    def block(self) -> int:
        """The number of rounds in a block; the last block may be shorter."""
        return max(1, min(self.rounds, (1 << 16) // self.told.shape[0]))

    @abstractmethod
    def losses(self, key: int, number: int) -> Losses:
        """The losses of block ``number`` = 0, 1, …, as a read-only table with a row for each
        round."""

    def times(self, number: int) -> NDArray[np.int64]:
        """The numbers of the rounds in block ``number``, counted from 0."""
        return np.arange(number * self.block, min(self.rounds, (number + 1) * self.block))

    def loss(self, key: int, time: int, shown: Any) -> Losses:
        number, place = divmod(time, self.block)
        loss: Losses = self.losses(key, number)[place]
        return loss


def unwritten(losses: Losses) -> Losses:
    """The losses as a read-only int64 array, whose rows can be sent as messages without a copy."""
    table: Losses = freeze(np.ascontiguousarray(losses, np.int64))
    return table


@attrs.frozen(kw_only=True)
class TossedGame(ObliviousGame):
    """A game in which each entry of a loss takes one of two values at random; the losses are drawn
    anew every ``hold`` rounds.

    Abstract.
    """

    tossed: ClassVar[bool] = True

    hold: ClassVar[int] = 1
    """The number of rounds for which a random loss stays the same."""

    @abstractmethod
    def chances(self, key: int, times: NDArray[np.int64]) -> NDArray[np.float64]:
        """The probabilities that the entries of a loss take the first of their two values, a row
        for each drawn loss; ``times`` are the rounds from which these losses are used."""

    @abstractmethod
    def paid(self, fallen: NDArray[np.bool_]) -> Losses:
        """The losses that some draws give, one in each row; ``fallen``: which entries of them take
        their first value."""

    def losses(self, key: int, number: int) -> Losses:
        return _block(self, key, number)

    def _made(self, key: int, number: int) -> Losses:
        tosses = self.times(number) // self.hold
        first, last = int(tosses[0]), int(tosses[-1])
        words = self._words(key, first, last + 1)
        starts = np.arange(first, last + 1) * self.hold
        bars = np.ldexp(self.chances(key, starts), 32).astype(np.uint64)
        fallen = words < bars
        return unwritten(self.paid(fallen if self.hold == 1 else fallen[tosses - first]))

    def _words(self, key: int, first: int, end: int) -> NDArray[np.uint32]:
        """The random 32-bit words, one row for each draw first, …, end - 1, that decide the entries
        of its loss; they do not depend on how rounds are divided into blocks."""
        width = self.told.shape[0]
        whole = max(2, (1 << 16) // width // 2 * 2)
        lots = [
            seeded_words((key, lot))(whole // 2 * width)
            .astype("<u8", copy=False).view("<u4").reshape(whole, width)
            for lot in range(first // whole, (end - 1) // whole + 1)
        ]  # fmt: skip
        start = first // whole * whole
        tossed = lots[0] if len(lots) == 1 else np.concatenate(lots)
        return tossed[first - start : end - start]


@lru_cache(maxsize=8)
def _block(game: TossedGame, key: int, number: int) -> Losses:
    return game._made(key, number)  # pyright: ignore[reportPrivateUsage]
