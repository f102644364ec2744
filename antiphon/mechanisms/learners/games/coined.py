"""Games of experts whose losses are tossed beforehand: 0 or 1, independent."""

from __future__ import annotations

import math
from fractions import Fraction

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.mechanisms import fields
from antiphon.mechanisms.learners.games.loss_game import LossGame
from antiphon.mechanisms.learners.games.online_game import TossedGame
from antiphon.mechanisms.learners.learner import Losses
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.coins.sampled import seeded_words
from antiphon.protocol.registry import register


@attrs.frozen(kw_only=True)
class CoinedGame(TossedGame, LossGame):
    """Expert i loses 1 with a chance of its own, else 0; tossed anew every ``hold`` rounds.

    Abstract.
    """

    def paid(self, fallen: NDArray[np.bool_]) -> Losses:
        return fallen * np.int64(self.grid)

    def best(self, key: int, epoch: int = 0) -> int:
        """An expert by the key: which of them has the advantage, in games where one has."""
        return int(seeded_words((key, epoch, 1))(1)[0]) % self.experts


def _gap(value: object) -> Fraction:
    found = exact.fraction(value, "gap")
    if not 0 < found <= Fraction(1, 2):
        raise InvalidArgument("gap must lie in (0, 1/2]: the best expert loses 1/2 - gap")
    return found


@register("antiphon.games.RandomLosses/1")
@attrs.frozen(kw_only=True)
class RandomLosses(CoinedGame):
    """Fair coins: no expert is better, and the best is so by luck, by about √(T ln d/2).

    Source: the lower bound of Cesa-Bianchi and Lugosi 2006, Thm 3.7.
    """

    def chances(self, key: int, times: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.array(0.5)


@register("antiphon.games.StochasticGap/1")
@attrs.frozen(kw_only=True)
class StochasticGap(CoinedGame):
    """One expert, by the key, loses with probability 1/2 - ``gap``, the others with 1/2."""

    gap: Fraction = attrs.field(default=Fraction(1, 10), converter=_gap)

    def chances(self, key: int, times: NDArray[np.int64]) -> NDArray[np.float64]:
        found = np.full(self.experts, 0.5)
        found[self.best(key)] -= float(self.gap)
        return found


@register("antiphon.games.ShiftingBest/1")
@attrs.frozen(kw_only=True)
class ShiftingBest(CoinedGame):
    """As ``StochasticGap``, with a new best expert every ``every`` rounds; by default eight in all.

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
    """Fair coins, each kept for ``batch`` rounds.

    What a batch costs: a learner that is frozen for B rounds, and learns of a batch when it is
    over, has regret Ω(√(BT)) here.
    """

    batch: int = attrs.field(default=16, converter=fields.size, metadata=fields.STREAM)

    @property
    def hold(self) -> int:
        return self.batch

    def chances(self, key: int, times: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.array(0.5)


@register("antiphon.games.LowerBoundEpochs/1")
@attrs.frozen(kw_only=True)
class LowerBoundEpochs(CoinedGame):
    """E = (Tε)^(4/3) epochs, at most T, each with one loss of fair coins.

    On it an ε²-CDP learner that switches seldom has regret Ω(√T + T^(1/3)/ε^(2/3)).
    Source: Asi, Koren, Liu and Talwar, *Private Online Learning via Lazy Algorithms*, Thm 4.2, for
    ε >= 100 ln^(3/2)(dT)/T; its construction needs ε <= T^(-1/4), and E is cut at T past it.
    """

    epsilon: Fraction = attrs.field(default=Fraction(1, 10), converter=fields.positive)

    @property
    def epochs(self) -> int:
        """E."""
        wanted = math.floor(math.pow(self.rounds * float(self.epsilon), 4 / 3))
        return max(1, min(self.rounds, wanted))

    @property
    def hold(self) -> int:
        return -(-self.rounds // self.epochs)

    def chances(self, key: int, times: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.array(0.5)
