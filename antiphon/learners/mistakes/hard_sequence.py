"""Streams that force many mistakes on a learner whose first hypothesis is f⁽⁰⁾ (0 everywhere): its
hard sequence, from the proof of ``mistakes_lower_bound``, and the worst of all; laws by simulation.

Simulation gives the law of any learner's mistakes, each figure with an interval. A repetition is
one play of one stream, with coins from the seed of the law and the number of the repetition, as in
a session with these coins. Once a learner's answer is final (``settled``), the rest of its rounds
are counted without being played.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from itertools import pairwise
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, Union

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.learners.littlestone.mistake_learner import BLANK, FIRST, HIT, mistaken, settled
from antiphon.learners.mistakes.mistake_law import (
    MOST_LISTED,
    FiniteLaw,
    Hits,
    How,
    MistakeFigure,
    MistakeLaw,
    Number,
)
from antiphon.numbers import Intractable, InvalidArgument, exact
from antiphon.protocol import Coins, ContinualMechanism, SampledCoins

if TYPE_CHECKING:
    from antiphon.audit.running import Chunk
    from antiphon.audit.running.executors import Executor
    from antiphon.audit.running.progress import Progress

Play: TypeAlias = "tuple[int, int]"
"""The type of the result of a play: τ, the first round whose hypothesis is not f⁽⁰⁾ (T + 1 if there
is none), and the number of mistakes."""


def play(learner: ContinualMechanism[Any], hits: Hits, rounds: int, coins: Coins) -> Play:
    """Plays a learner on the stream with samples (1, 1) in the rounds ``hits``; returns τ, the
    first round whose hypothesis is not f⁽⁰⁾, and the number of mistakes."""
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
    """The task of a worker process: plays a stream once for each repetition in a chunk."""

    learner: ContinualMechanism[Any]
    hits: Hits
    rounds: int

    def __call__(self, chunk: Chunk) -> list[Play]:
        keys = ((*chunk.seed.spawn_key, number) for number in range(chunk.size))
        seeds = (np.random.SeedSequence(chunk.seed.entropy, spawn_key=key) for key in keys)
        return [play(self.learner, self.hits, self.rounds, SampledCoins(seed)) for seed in seeds]


class SimulatedLaw(MistakeLaw):
    """The law of a learner's mistakes, estimated by ``repetitions`` plays of each requested stream.

    Means have a normal interval of this ``confidence``, β a Clopper-Pearson interval; each interval
    covers one figure. ``executor`` and ``progress`` as for ``antiphon.audit.running.run``. Ctrl-C
    ends the plays of a stream by KeyboardInterrupt; a second call returns the finished plays.
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
        """The pair (τ, mistakes) of each play of a stream, a row each; kept for later calls."""
        from antiphon.audit.running import Chunks, run

        key = _key(hits)
        if key not in self._known:
            outcome = run(
                Plays(self.learner, self.check(hits), self.rounds),
                Chunks(total=self.repetitions, size=8, seed=self._seed.spawn(1)[0]),
                merge=operator.add, executor=self._executor, progress=self._progress,
            )  # fmt: skip
            self._known[key] = np.array(outcome.result, np.int64)
            if outcome.interrupted:
                raise KeyboardInterrupt
        return self._known[key]

    def anew(self, hits: Hits) -> MistakeFigure:
        """A new estimate of the expected mistakes on a stream, from new plays: the earlier ones had
        a part in choosing the stream."""
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
        from antiphon.audit.statistical.estimators import clopper_pearson

        taus = self.plays(())[:, 0]
        left = int((taus <= self.rounds).sum())
        low, high = clopper_pearson(left, len(taus), confidence=self._confidence)
        return MistakeFigure(left / len(taus), low, high, self.how)


def _key(hits: Hits) -> tuple[int, ...]:
    return (hits.start, hits.stop, -1) if isinstance(hits, range) else tuple(hits)


Block = tuple[int, int]
"""The type of a block of rounds: (first round, last round)."""


@attrs.frozen
class HardSequence:
    """The hard sequence of a learner: the rounds ``hits`` of its samples (1, 1), its nested blocks,
    and the probabilities q_i and m_i of each block in the proof of ``mistakes_lower_bound``."""

    hits: tuple[int, ...]
    blocks: tuple[Block, ...]
    """The nested blocks B_0 ⊃ B_1 ⊃ … of rounds, each but the first a part of the one before."""
    kept: tuple[Number, ...]
    """For each block B_i the probability q_i = P(τ ∈ B_i) before it gets its samples (1, 1); τ is
    the first round that leaves f⁽⁰⁾."""
    leaving: tuple[Number, ...]
    """For each block B_i the probability m_i = P(τ ∈ B_i) after it got its samples (1, 1); τ is the
    first round that leaves f⁽⁰⁾."""


def hard_sequence(law: MistakeLaw, *, copies: int = 1, parts: int = 2) -> HardSequence:
    """The hard sequence of a learner: (1, 1) in the first ``copies`` rounds of a block; the rest of
    the block is split, and the part in which the learner is least likely to leave f⁽⁰⁾ is the next
    block.

    The weight of a part is P(τ ∈ part). A block whose rest has fewer rounds than ``parts`` is the
    last. The parts are as even as possible; of equally light ones the first is taken. In a
    simulation the weights are estimates, so another sequence may be chosen; its mistakes are
    measured all the same. Raises: InvalidArgument for a learner that is not concentrated.

    >>> from antiphon.learners.mistakes import FiniteLaw
    >>> from antiphon.learners.littlestone import NameAndShame
    >>> law = FiniteLaw(NameAndShame(delta=0.1), 7)
    >>> found = hard_sequence(law)
    >>> found.hits, sum(found.kept), sum(law.distribution(found.hits)[:3])
    ((1, 5, 7), Fraction(0, 1), Fraction(19, 100))
    """
    if exact.whole(copies, "copies") > law.rounds or exact.whole(parts, "parts") < 2:
        raise InvalidArgument(f"copies are at most the {law.rounds} rounds, and parts at least 2")
    leaves = law.concentration()
    if leaves.low > 0.5:
        raise InvalidArgument(
            "the learner is not concentrated: where all samples are (0, 0) it leaves its first "
            f"hypothesis with probability {leaves}, and the hard sequence is for learners that "
            "keep to it; be wrong every round instead, or look at all sequences"
        )
    block, hits = (1, law.rounds), tuple[int, ...]()
    blocks, kept, leaving = list[Block](), list[Number](), list[Number]()
    weight = law.left((), [law.rounds])[0]
    while True:
        first, last = block
        blocks.append(block)
        kept.append(weight)
        hits += tuple(range(first, first + copies))
        ends = [first - 1, *_ends(first + copies - 1, last, parts)]
        left = law.left(hits, ends)
        leaving.append(left[-1] - left[0])
        if last - first + 1 - copies < parts:
            break
        weights = [after - before for before, after in pairwise(left[1:])]
        place = weights.index(min(weights))
        block, weight = (ends[place + 1] + 1, ends[place + 2]), weights[place]
        if block[1] - block[0] + 1 < copies:
            break
    return HardSequence(hits, tuple(blocks), tuple(kept), tuple(leaving))


def _ends(first: int, last: int, parts: int) -> list[int]:
    """Splits the rounds first + 1, …, last into ``parts`` parts, of which longer ones come first;
    returns ``first`` and the last round of each part."""
    size, more = divmod(last - first, parts)
    return [first + part * size + min(part, more) for part in range(parts + 1)]


_FEW = 10
"""The largest T for which a law that is not exact is evaluated on all 2^T streams."""


@attrs.frozen
class WorstSequence:
    """The stream on which a learner makes the most mistakes, and their expected number."""

    hits: tuple[int, ...]
    mistakes: MistakeFigure
    tied: int
    """The number of streams with this number of expected mistakes, this stream included."""


def most_rounds(law: MistakeLaw) -> int:
    """The largest number of rounds T for which ``worst_sequence`` evaluates all 2^T streams."""
    return MOST_LISTED if isinstance(law, FiniteLaw) else _FEW


def worst_sequence(law: MistakeLaw) -> WorstSequence:
    """The stream of ⊥ and (1, 1), fixed beforehand, on which the learner makes the most mistakes.

    The result is exact for a ``FiniteLaw``. In a simulation the stream has the largest estimate,
    which is biased upward by this choice; so the stream is played anew. Raises: Intractable past 16
    rounds, or past 10 if it is not exact.

    >>> from antiphon.learners.littlestone import NameAndShame
    >>> found = worst_sequence(FiniteLaw(NameAndShame(delta=0.5), 3))
    >>> found.hits, str(found.mistakes), found.tied
    ((1, 2, 3), '1.75', 1)
    """
    if law.rounds > most_rounds(law):
        raise Intractable("searching all streams", f"2^{law.rounds}", 1 << most_rounds(law))
    if isinstance(law, FiniteLaw):
        costs = law.every()
        most = max(costs)
        hits = _hits(costs.index(most), law.rounds)
        return WorstSequence(hits, MistakeFigure.at(most, law.how), costs.count(most))
    figures = [law.mistakes(_hits(number, law.rounds)) for number in range(1 << law.rounds)]
    values = [figure.value for figure in figures]
    number = values.index(max(values))
    hits = _hits(number, law.rounds)
    again = law.anew(hits) if isinstance(law, SimulatedLaw) else figures[number]
    return WorstSequence(hits, again, values.count(max(values)))


def _hits(number: int, rounds: int) -> tuple[int, ...]:
    """The rounds t of the hits (samples (1, 1)) in stream ``number``: those where bit T - t of the
    number is 1."""
    return tuple(t for t in range(1, rounds + 1) if number >> (rounds - t) & 1)
