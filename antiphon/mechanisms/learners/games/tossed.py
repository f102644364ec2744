"""Games that are tossed beforehand: each entry of a loss is one of two, with its own chance.

Losses are a function of the key: entries of the raw stream of a PCG64, which NumPy keeps stable,
in halves of a word, compared with 2^32·chance. A chance is so met to 2^-32.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import lru_cache
from typing import ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.mechanisms.learners.games.online_game import ObliviousGame, unwritten
from antiphon.mechanisms.learners.learner import Losses
from antiphon.protocol.coins.sampled import seeded_words


@attrs.frozen(kw_only=True)
class TossedGame(ObliviousGame):
    """Entry i of a loss falls with a chance of its own; tossed anew every ``hold`` rounds.

    Abstract.
    """

    tossed: ClassVar[bool] = True

    @property
    def hold(self) -> int:
        """For how many rounds a toss is the loss."""
        return 1

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
        """What is tossed first, …, end - 1: toss i is the same in all blocks."""
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
