"""Games of experts, with random losses or losses of the followed expert; and their meter of
regret."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.learners.experts.weighted import ByWeight
from antiphon.learners.games import online_game
from antiphon.learners.learner import GRID, Learner, Losses, OnlineLearner
from antiphon.learners.regret import BestInTurn
from antiphon.mechanisms import fields
from antiphon.numbers import InvalidArgument, exact
from antiphon.protocol import Arrays, Coins, ContinualMechanism, Integers, Space, register
from antiphon.protocol.coins.sampled import seeded_words
from antiphon.protocol.registry import set_derived


class ExpertMeter(online_game.Meter):
    """A meter of regret against the best expert, in units of the largest loss; and of the expected
    regret of a learner that draws experts by weight."""

    def __init__(
        self, times: tuple[int, ...], game: LossGame, learner: OnlineLearner | None,
        shifts: int | None,
    ) -> None:  # fmt: skip
        super().__init__(times)
        experts, self._grid, self._learner = game.experts, game.grid, learner
        self._sums = np.zeros(experts, np.int64)
        self._waiting: Losses = np.empty((0, experts), np.int64)
        self._scores: Losses | None = None
        self._expected = list[online_game.Figures]()
        self._turns = None if shifts is None else BestInTurn(shifts, experts)
        self._in_turn = list[Losses]()

    def _lost(self, losses: Losses, shown: NDArray[np.int64]) -> Losses:
        if self._turns is not None:
            self._in_turn.append(self._turns.after(losses))
        if isinstance(self._learner, ByWeight):
            self._expect(self._learner, losses)
        return losses[np.arange(len(losses)), shown]

    def _note(self, losses: Losses) -> None:
        self._sums = self._sums + losses.sum(axis=0)

    def _least(self) -> int:
        return int(self._sums.min())

    def _expect(self, learner: ByWeight[Any], losses: Losses) -> None:
        """Adds up the learner's expected losses in these rounds. Those of an unfinished
        batch (``learner.period``) are kept for the next call, unless the game is over."""
        waiting = np.concatenate([self._waiting, losses])
        whole = len(waiting) // learner.period * learner.period
        over = self._rounds + len(losses) == self._times[-1]
        ready = waiting if over else waiting[:whole]
        if len(ready):
            first = np.asarray(learner.initial_scores)
            scores = first if self._scores is None else self._scores
            self._expected.append(learner.expected_losses(scores, ready))
            self._scores = learner.scored(scores, ready)[-1]
        self._waiting = waiting[len(ready) :]

    def scored(self) -> online_game.Scored:
        expected = self._beyond(self._expected) / self._grid if self._expected else None
        return online_game.Scored(
            self._beyond(self._own) / self._grid, expected, shifting=self._shifting()
        )

    def _shifting(self) -> online_game.Figures | None:
        if not self._in_turn:
            return None
        best = np.concatenate(self._in_turn)[np.array(self._times) - 1]
        found: online_game.Figures = (self._at_times(self._own) - best) / self._grid
        return found


@attrs.frozen(kw_only=True)
class LossGame(online_game.OnlineGame):
    """A game of experts, whose loss is an int64 array of ``experts`` entries in {0, …,
    ``grid``}. Abstract."""

    experts: int = attrs.field(converter=fields.size, metadata=fields.COORDINATES)
    grid: int = attrs.field(default=1, converter=fields.size, metadata=GRID)

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
    ) -> online_game.Meter:
        return ExpertMeter(times, self, learner, shifts)


@register("antiphon.games.BlameShown/1")
@attrs.frozen(kw_only=True)
class BlameShown(LossGame):
    """An adaptive game in which the expert that the learner follows loses 1, and the others 0.

    Every learner loses T, and the best expert at most T/d, so its regret is at least T(1 - 1/d):
    learners' regret bounds assume losses that do not depend on the advice; privacy holds here, too.
    """

    adaptive: ClassVar[bool] = True

    def loss(self, key: int, time: int, shown: int) -> Losses:
        return _blame(self.experts, self.grid, shown)


@lru_cache(maxsize=1024)
def _blame(experts: int, grid: int, shown: int) -> Losses:
    loss = np.zeros(experts, np.int64)
    loss[shown] = grid
    return online_game.unwritten(loss)


@attrs.frozen(kw_only=True)
class CoinedGame(online_game.TossedGame, LossGame):
    """A game in which each expert loses 1 with its own probability, else 0; the losses are drawn
    anew every ``hold`` rounds.

    Abstract.
    """

    def paid(self, fallen: NDArray[np.bool_]) -> Losses:
        return fallen * np.int64(self.grid)

    def best(self, key: int, epoch: int = 0) -> int:
        """The expert, drawn with the key, with the least probability of a loss in this epoch."""
        return int(seeded_words((key, epoch, 1))(1)[0]) % self.experts


def _gap(value: object) -> Fraction:
    found = exact.fraction(value, "gap")
    if not 0 < found <= Fraction(1, 2):
        raise InvalidArgument("gap must lie in (0, 1/2]: the best expert loses 1/2 - gap")
    return found


@register("antiphon.games.RandomLosses/1")
@attrs.frozen(kw_only=True)
class RandomLosses(CoinedGame):
    """A game of fair coins: no expert is better on average, but the best of d experts is ahead
    after T rounds by luck, by about √(T ln d/2).

    Source: the lower bound of Cesa-Bianchi and Lugosi 2006, Thm 3.7.
    """

    def chances(self, key: int, times: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.array(0.5)


@register("antiphon.games.StochasticGap/1")
@attrs.frozen(kw_only=True)
class StochasticGap(CoinedGame):
    """A game in which the best expert loses with probability 1/2 - ``gap``, all others with 1/2."""

    gap: Fraction = attrs.field(default=Fraction(1, 10), converter=_gap)

    def chances(self, key: int, times: NDArray[np.int64]) -> NDArray[np.float64]:
        found = np.full(self.experts, 0.5)
        found[self.best(key)] -= float(self.gap)
        return found


@register("antiphon.games.ShiftingBest/1")
@attrs.frozen(kw_only=True)
class ShiftingBest(CoinedGame):
    """A ``StochasticGap`` game with a new best expert every ``every`` rounds; by default about
    eight in all.

    Source: tracking the best expert, Herbster and Warmuth 1998.
    """

    gap: Fraction = attrs.field(default=Fraction(1, 10), converter=_gap)
    every: int = attrs.field(
        default=attrs.Factory(lambda game: -(-game.rounds // 8), takes_self=True),
        converter=fields.size, metadata=fields.STREAM,
    )  # fmt: skip

    def chances(self, key: int, times: NDArray[np.int64]) -> NDArray[np.float64]:
        found = np.full((len(times), self.experts), 0.5)
        epochs = times // self.every
        for epoch in range(int(epochs[0]), int(epochs[-1]) + 1):
            found[epochs == epoch, self.best(key, epoch)] -= float(self.gap)
        return found


@register("antiphon.games.BatchConstant/1")
@attrs.frozen(kw_only=True)
class BatchConstant(CoinedGame):
    """A game whose losses are fair coins, tossed anew every ``batch`` rounds.

    It shows the cost of batches: a learner that keeps its expert for B rounds, and learns of a
    batch when it is over, has regret Ω(√(BT)) here.
    """

    batch: int = attrs.field(default=16, converter=fields.size, metadata=fields.STREAM)
    hold: int = attrs.field(init=False, eq=False, repr=False)  # type: ignore[misc]  # pyright: ignore[reportIncompatibleVariableOverride]

    def __attrs_post_init__(self) -> None:
        set_derived(self, hold=self.batch)

    def chances(self, key: int, times: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.array(0.5)


@register("antiphon.games.LowerBoundEpochs/1")
@attrs.frozen(kw_only=True)
class LowerBoundEpochs(CoinedGame):
    """A game of E = (Tε)^(4/3) epochs in T rounds, E at most T: all rounds of an epoch have the
    same loss, which is drawn by fair coins.

    In this game an ε²-CDP learner that switches seldom has regret Ω(√T + T^(1/3)/ε^(2/3)).
    Source: Asi, Koren, Liu and Talwar, *Private Online Learning via Lazy Algorithms*, Thm 4.2, for
    ε >= 100 ln^(3/2)(dT)/T; its construction needs ε <= T^(-1/4); for larger ε, E is set to T.
    """

    epsilon: Fraction = attrs.field(default=Fraction(1, 10), converter=fields.positive)
    hold: int = attrs.field(init=False, eq=False, repr=False)  # type: ignore[misc]  # pyright: ignore[reportIncompatibleVariableOverride]

    @property
    def epochs(self) -> int:
        """The number E of epochs, in each of which the loss stays the same."""
        wanted = math.floor(math.pow(self.rounds * float(self.epsilon), 4 / 3))
        return max(1, min(self.rounds, wanted))

    def __attrs_post_init__(self) -> None:
        set_derived(self, hold=-(-self.rounds // self.epochs))

    def chances(self, key: int, times: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.array(0.5)
