"""Common parts of all games: they ask for advice, then tell a loss; and meters of regret.

In a game that is tossed beforehand each entry of a loss is one of two, with its own chance. Losses
are a function of the key: entries of the raw stream of a PCG64, which NumPy keeps stable,
in halves of a word, compared with 2^32·chance. A chance is so met to 2^-32.
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
    """The regret of one game, at each checkpoint."""

    regrets: Figures
    expected: Figures | None = None
    """Regret, of which the learner's own coins are averaged out."""
    gaps: Figures | None = None
    """The amounts by which regret may be larger: the best in hindsight is known only so far."""
    shifting: Figures | None = None
    """Regret against the best sequence of experts that changes so often at most."""


class Meter(ABC):
    """Is told of losses, and of what was shown; knows what is best in hindsight at given times.

    Abstract.
    """

    def __init__(self, times: tuple[int, ...]) -> None:
        self._times = times
        self._own, self._best = list[NDArray[Any]](), list[float]()
        self._rounds = 0

    def add(self, losses: Losses, shown: NDArray[Any]) -> None:
        """Some rounds more."""
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
        """Regret at the times."""

    @abstractmethod
    def _lost(self, losses: Losses, shown: NDArray[Any]) -> NDArray[Any]:
        """The learner's loss in each of these rounds; asked once, before they are noted."""

    @abstractmethod
    def _note(self, losses: Losses) -> None:
        """Some rounds, for what is best in hindsight."""

    @abstractmethod
    def _least(self) -> float:
        """The least loss in hindsight."""

    def _beyond(self, lost: list[NDArray[Any]]) -> NDArray[Any]:
        """How much more was lost than the least, at the times."""
        found: NDArray[Any] = self._at_times(lost) - np.array(self._best)
        return found

    def _at_times(self, lost: list[NDArray[Any]]) -> NDArray[Any]:
        """The learner's total loss up to each of the times."""
        found: NDArray[Any] = np.concatenate(lost).cumsum()[np.array(self._times) - 1]
        return found


KEYS = 1 << 62
"""How many keys there are."""


@register("antiphon.GameState/1", state=True)
class GameState(NamedTuple):
    """Where a game stands."""

    key: int
    """The random key, tossed before the first round; 0 where nothing is tossed."""
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
        """The random key of a game; 0 where nothing is tossed."""
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
        """The learner's feedback in this game, in words."""

    @property
    @abstractmethod
    def advice(self) -> Space:
        """The space of what is shown."""

    @abstractmethod
    def unadvised(self, coins: Coins) -> Any:
        """The advice of the first round, where the answer to a loss is the next advice."""

    @abstractmethod
    def meter(
        self, times: tuple[int, ...], learner: OnlineLearner | None, shifts: int | None = None
    ) -> Meter:
        """A meter that reads off regret after these numbers of rounds.

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


@attrs.frozen(kw_only=True)
class TossedGame(ObliviousGame):
    """Entry i of a loss falls with a chance of its own; tossed anew every ``hold`` rounds.

    Abstract.
    """

    tossed: ClassVar[bool] = True

    hold: ClassVar[int] = 1
    """For how many rounds a toss is the loss."""

    @abstractmethod
    def chances(self, key: int, times: NDArray[np.int64]) -> NDArray[np.float64]:
        """The chance of each entry to fall in the rounds that begin at these times; a table, or
        what broadcasts to one.
        """

    @abstractmethod
    def paid(self, fallen: NDArray[np.bool_]) -> Losses:
        """The losses, of which entries fell."""

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
        """The tosses number first, …, end - 1; a toss is the same in whichever block it is read."""
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
