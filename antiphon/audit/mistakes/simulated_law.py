"""The law of any learner, by playing it: each figure with an interval.

A repetition is one play of one stream, with coins of its own, from the seed of the law and the
number of the repetition: it says what a session with these coins says. Once a learner has made
up its mind (``settled``), the rest of its rounds are counted without being played.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, Union

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.audit.mistakes.mistake_law import Hits, How, MistakeFigure, MistakeLaw, Number
from antiphon.mechanisms.learners.littlestone.mistake_learner import (
    BLANK,
    FIRST,
    HIT,
    mistaken,
    settled,
)
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.coins import Coins, SampledCoins
from antiphon.protocol.mechanism import ContinualMechanism

if TYPE_CHECKING:
    from antiphon.audit.running import Chunk
    from antiphon.audit.running.crews import Executor
    from antiphon.audit.running.progress import Progress

Play: TypeAlias = "tuple[int, int]"
"""τ, or T + 1 where it is later; the mistakes."""


def play(learner: ContinualMechanism[Any], hits: Hits, rounds: int, coins: Coins) -> Play:
    """One play of the stream with these hits."""
    state, told, left, errors, met = learner.initial_state, FIRST, rounds + 1, 0, 0
    step, waiting = learner.step, [*hits[:1]]
    for time in range(1, rounds + 1):
        sample = BLANK
        if waiting and waiting[0] == time:
            sample, met = HIT, met + 1
            waiting = [*hits[met : met + 1]]
            errors += mistaken(told, HIT)
        if time == rounds:
            break
        state, told = step(state, sample, coins)
        if told != FIRST and left > rounds:
            left = time + 1
        if told != FIRST and settled(learner, state):
            errors += mistaken(told, HIT) * (len(hits) - met)
            break
    return left, errors


@attrs.frozen
class Plays:
    """The task: one play for each sample of a chunk."""

    learner: ContinualMechanism[Any]
    hits: Hits
    rounds: int

    def __call__(self, chunk: Chunk) -> list[Play]:
        keys = ((*chunk.seed.spawn_key, number) for number in range(chunk.size))
        seeds = (np.random.SeedSequence(chunk.seed.entropy, spawn_key=key) for key in keys)
        return [play(self.learner, self.hits, self.rounds, SampledCoins(seed)) for seed in seeds]


class SimulatedLaw(MistakeLaw):
    """By ``repetitions`` plays of each stream that is asked about.

    Means have a normal interval of this ``confidence``, β that of Clopper and Pearson; each is of
    one figure. ``executor`` and ``progress`` as for ``antiphon.audit.running.run``. Ctrl-C ends the
    plays of a stream: KeyboardInterrupt; who asks again is told of those that were over.
    """

    how: ClassVar[How] = "simulated"

    def __init__(
        self,
        learner: ContinualMechanism[Any],
        rounds: int,
        *,
        repetitions: int = 200,
        seed: int | None = None,
        confidence: float = 0.95,
        executor: Union[Executor, int, Literal["serial"], None] = None,
        progress: Union[Progress, Literal[False], None] = None,
    ) -> None:
        if not 0 < confidence < 1:
            raise InvalidArgument(f"confidence lies between 0 and 1, not {confidence!r}")
        self.rounds, self.learner = rounds, learner
        self.repetitions = exact.whole(repetitions, "repetitions")
        self._confidence, self._seed = confidence, np.random.SeedSequence(seed)
        self._executor: Union[Executor, int, Literal["serial"], None] = executor
        self._progress: Union[Progress, Literal[False], None] = progress
        self._known: dict[tuple[int, ...], NDArray[np.int64]] = {}

    def plays(self, hits: Hits) -> NDArray[np.int64]:
        """τ and the mistakes of each play: a row for each. Asked twice, they are the same plays."""
        from antiphon.audit.running import Chunks, run

        key = _key(hits)
        if key not in self._known:
            outcome = run(
                Plays(self.learner, self.check(hits), self.rounds),
                Chunks(total=self.repetitions, size=8, seed=self._seed.spawn(1)[0]),
                merge=_joined, executor=self._executor, progress=self._progress,
            )  # fmt: skip
            self._known[key] = np.array(outcome.result, np.int64)
            if outcome.interrupted:
                raise KeyboardInterrupt
        return self._known[key]

    def anew(self, hits: Hits) -> MistakeFigure:
        """E[M] by plays that nothing was chosen by."""
        self._known.pop(_key(hits), None)
        return self.mistakes(hits)

    def left(self, hits: Hits, times: Sequence[int]) -> list[Number]:
        taus = self.plays(hits)[:, 0]
        return [float((taus <= time).mean()) for time in times]

    def mistakes(self, hits: Hits) -> MistakeFigure:
        errors = self.plays(hits)[:, 1]
        mean, band = float(errors.mean()), math.inf
        if len(errors) > 1:
            each = NormalDist().inv_cdf((1 + self._confidence) / 2)
            band = each * float(errors.std(ddof=1)) / math.sqrt(len(errors))
        return MistakeFigure(mean, mean - band, mean + band, self.how)

    def concentration(self) -> MistakeFigure:
        from antiphon.audit.statistical.proportions import clopper_pearson

        taus = self.plays(())[:, 0]
        left = int((taus <= self.rounds).sum())
        low, high = clopper_pearson(left, len(taus), confidence=self._confidence)
        return MistakeFigure(left / len(taus), low, high, self.how)


def _key(hits: Hits) -> tuple[int, ...]:
    return (hits.start, hits.stop, -1) if isinstance(hits, range) else tuple(hits)


def _joined(total: list[Play], more: list[Play]) -> list[Play]:
    return [*total, *more]
