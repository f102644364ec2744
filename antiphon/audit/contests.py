"""Learners against games of experts, many times over, without views: what regret is measured.

A repetition is one game of one learner, each with coins of its own, from the seed of the experiment
and the number of the repetition: the same on every machine and for any number of workers. Against
a game that does not listen a learner follows whole blocks of losses (``Learner.follow``), which
says what its steps say.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, Union

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.mechanisms.learners.experts.weighted import Weighted
from antiphon.mechanisms.learners.games.loss_game import LossGame, ObliviousGame
from antiphon.mechanisms.learners.learner import Learner, Losses
from antiphon.mechanisms.learners.online import ADVICE
from antiphon.mechanisms.learners.regret import BestInTurn
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.coins import SampledCoins
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.records.labels import message_label
from antiphon.protocol.spaces import Integers

if TYPE_CHECKING:
    from antiphon.audit.running import Chunk
    from antiphon.audit.running.chunks import Seed
    from antiphon.audit.running.crews import Executor
    from antiphon.audit.running.progress import Progress

Figures: TypeAlias = "NDArray[np.float64]"


class Scored(NamedTuple):
    """What one repetition has at each checkpoint; None: not asked for."""

    regrets: Figures
    expected: Figures | None
    shifting: Figures | None


_TOGETHER = 1 << 12
"""Rounds of a game that listens that are looked at together."""


def checkpoints(rounds: int) -> tuple[int, ...]:
    """The powers of two below the number of rounds, and that number.

    >>> checkpoints(10)
    (1, 2, 4, 8, 10)
    """
    return (*(1 << k for k in range((rounds - 1).bit_length())), rounds)


@attrs.frozen
class Standings:
    """The regret of each repetition at each checkpoint, in units of the largest loss."""

    learner: str
    game: str
    checkpoints: tuple[int, ...]
    regrets: Figures = attrs.field(repr=False, eq=attrs.cmp_using(eq=np.array_equal))
    """A row for each repetition. Of a learner that is lucky it is negative."""
    expected: Figures | None = attrs.field(
        default=None, repr=False, eq=attrs.cmp_using(eq=np.array_equal)
    )
    """As ``regrets``, of which the learner's own coins are averaged out."""
    interrupted: bool = False
    shifting: Figures | None = attrs.field(
        default=None, repr=False, eq=attrs.cmp_using(eq=np.array_equal)
    )
    """As ``regrets``, against the best sequence of experts that changes at most ``shifts`` times:
    dynamic regret.
    """
    shifts: int | None = None

    @property
    def repetitions(self) -> int:
        """How many there are."""
        return len(self.regrets)

    @property
    def mean(self) -> Figures:
        """The mean regret at each checkpoint."""
        mean: Figures = self.regrets.mean(axis=0)
        return mean

    def band(self, confidence: float = 0.95) -> Figures:
        """Half the width of a confidence interval of each mean, by the normal law; inf for one."""
        if not 0 < confidence < 1:
            raise InvalidArgument(f"confidence lies between 0 and 1, not {confidence!r}")
        if self.repetitions < 2:
            return np.full(len(self.checkpoints), math.inf)
        spread = self.regrets.std(axis=0, ddof=1) / math.sqrt(self.repetitions)
        found: Figures = NormalDist().inv_cdf((1 + confidence) / 2) * spread
        return found

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        band = [each if math.isfinite(each) else None for each in self.band().tolist()]
        return {
            "learner": self.learner, "game": self.game, "repetitions": self.repetitions,
            "interrupted": self.interrupted, "checkpoints": list(self.checkpoints),
            "mean": self.mean.tolist(), "band": band,
            "expected": _mean(self.expected), "shifts": self.shifts,
            "shifting": _mean(self.shifting),
        }  # fmt: skip

    def __str__(self) -> str:
        last = f"{self.mean[-1]:.1f} ± {self.band()[-1]:.1f}"
        rounds = f"{self.checkpoints[-1]:,} rounds, {self.repetitions} repetitions"
        return f"{self.learner}: regret {last} after {rounds} of {self.game}"


def _mean(figures: Figures | None) -> list[float] | None:
    return None if figures is None else figures.mean(axis=0).tolist()


@attrs.frozen
class Contest:
    """The task: one repetition for each sample of a chunk."""

    learner: ContinualMechanism[Any]
    game: LossGame
    checkpoints: tuple[int, ...]
    expected: bool = False
    shifts: int | None = None

    def __call__(self, chunk: Chunk) -> list[Scored]:
        return [self.once(chunk.seed, number) for number in range(chunk.size)]

    def once(self, seed: np.random.SeedSequence, number: int) -> Scored:
        """One repetition."""
        keys = [(*seed.spawn_key, number, who) for who in range(2)]
        coins = [SampledCoins(np.random.SeedSequence(seed.entropy, spawn_key=key)) for key in keys]
        score = _Score(self)
        for losses, shown in _blocks(self.learner, self.game, *coins):
            score.add(losses, shown)
        return score.regrets()


def _blocks(
    learner: ContinualMechanism[Any], game: LossGame, tosses: SampledCoins, coins: SampledCoins
) -> Iterator[tuple[Losses, Losses]]:
    """Losses and who was followed, some rounds at a time."""
    state, key = learner.initial_state, game.key(tosses)
    if isinstance(learner, Learner) and isinstance(game, ObliviousGame):
        for number in range(-(-game.rounds // game.block)):
            losses = game.losses(key, number)
            state, shown = learner.follow(state, losses, coins)
            yield losses, shown
        return
    step, advice, told = learner.step, list[int](), list[Losses]()
    asked = learner.signature.queries.contains(ADVICE)
    expert = 0 if asked else coins.uniform_integer(game.experts)
    for time in range(game.rounds):
        if asked:
            state, expert = step(state, ADVICE, coins)
        loss = game.loss(key, time, expert)
        state, answer = step(state, loss, coins)
        advice.append(expert)
        told.append(loss)
        if not asked:
            expert = answer
        if len(told) == _TOGETHER or time + 1 == game.rounds:
            yield np.array(told), np.array(advice)
            advice.clear()
            told.clear()


class _Score:
    """What was lost so far, by whom."""

    def __init__(self, contest: Contest) -> None:
        self._learner = contest.learner if contest.expected else None
        self._at, self._grid = contest.checkpoints, contest.game.grid
        self._sums = np.zeros(contest.game.experts, np.int64)
        self._own, self._best = list[Losses](), list[int]()
        self._waiting: Losses = np.empty((0, contest.game.experts), np.int64)
        self._scores, self._expected = self._sums, list[Figures]()
        self._rounds = 0
        shifts = contest.shifts
        self._turns = None if shifts is None else BestInTurn(shifts, contest.game.experts)
        self._in_turn = list[Losses]()

    def add(self, losses: Losses, shown: Losses) -> None:
        """Some rounds more."""
        self._own.append(losses[np.arange(len(losses)), shown])
        begun = 0
        for time in self._at[len(self._best) :]:
            if time > self._rounds + len(losses):
                break
            end = time - self._rounds
            self._sums = self._sums + losses[begun:end].sum(axis=0)
            self._best.append(int(self._sums.min()))
            begun = end
        self._sums = self._sums + losses[begun:].sum(axis=0)
        self._rounds += len(losses)
        if self._turns is not None:
            self._in_turn.append(self._turns.after(losses))
        if isinstance(self._learner, Weighted):
            self._expect(self._learner, losses)

    def _expect(self, learner: Weighted, losses: Losses) -> None:
        """Expected losses of whole periods; the rest waits, unless it is the end."""
        waiting = np.concatenate([self._waiting, losses])
        whole = len(waiting) // learner.period * learner.period
        ready = waiting if self._rounds == self._at[-1] else waiting[:whole]
        if len(ready):
            self._expected.append(learner.expected_losses(self._scores, ready))
            self._scores = self._scores - ready.sum(axis=0)
        self._waiting = waiting[len(ready) :]

    def regrets(self) -> Scored:
        """At the checkpoints."""
        places = np.array(self._at) - 1
        best, own = np.array(self._best), np.concatenate(self._own).cumsum()[places]
        expected = in_turn = None
        if self._expected:
            expected = (np.concatenate(self._expected).cumsum()[places] - best) / self._grid
        if self._in_turn:
            in_turn = (own - np.concatenate(self._in_turn)[places]) / self._grid
        return Scored((own - best) / self._grid, expected, in_turn)


def contest(
    learner: ContinualMechanism[Any],
    game: LossGame,
    *,
    repetitions: int = 20,
    seed: Seed = None,
    at: Sequence[int] | None = None,
    expected: bool = False,
    shifts: int | None = None,
    executor: Union[Executor, int, Literal["serial"], None] = None,
    checkpoint: Union[str, Path, None] = None,
    progress: Union[Progress, Literal[False], None] = None,
) -> Standings:
    """Play a learner against a game so many times; its regret against the best fixed expert.

    Args: ``learner``, or any mechanism that takes its messages, or answers each loss by the expert
    to follow in the next round (the first is then drawn uniformly); ``at``, the rounds after which
    regret is read off, by default the powers of two and the last; ``expected``, whether to average
    over the learner's coins, too: for learners by weights, against a game that does not listen;
    ``shifts``, how often the best sequence of experts may change that dynamic regret is against;
    ``executor``, ``checkpoint``, ``progress`` as for ``antiphon.audit.running.run``. Ctrl-C
    ends it with the repetitions that are done.
    Raises: InvalidArgument for a learner that does not take the game's losses.

    >>> from antiphon.mechanisms.learners import Hedge, games
    >>> game = games.StochasticGap(rounds=1 << 10, experts=10)
    >>> found = contest(Hedge.tuned(horizon=1 << 10, experts=10), game, seed=1)
    >>> found.repetitions, bool(0 < found.mean[-1] < 60)
    (20, True)
    """
    from antiphon.audit.running import Chunks, run

    times = checkpoints(game.rounds) if at is None else tuple(sorted({*at, game.rounds}))
    if times[0] < 1 or times[-1] > game.rounds:
        raise InvalidArgument(f"regret is read off after 1, …, {game.rounds} rounds")
    _check(learner, game, expected)
    if shifts is not None:
        exact.natural(shifts, "shifts")
    task = Contest(learner, game, times, expected, shifts)
    outcome = run(
        task, Chunks(total=exact.whole(repetitions, "repetitions"), size=1, seed=seed),
        merge=_joined, executor=executor, checkpoint=checkpoint, progress=progress,
    )  # fmt: skip
    regrets, averaged, in_turn = (_stacked(each) for each in zip(*outcome.result, strict=True))
    assert regrets is not None  # there is a repetition
    names = message_label(learner), message_label(game)
    return Standings(
        *names, times, regrets, averaged, outcome.interrupted, shifting=in_turn, shifts=shifts
    )


def _stacked(figures: Sequence[Figures | None]) -> Figures | None:
    """A row for each repetition."""
    there = [each for each in figures if each is not None]
    return np.array(there) if there else None


def _joined(total: list[Scored], more: list[Scored]) -> list[Scored]:
    return [*total, *more]


def _check(learner: ContinualMechanism[Any], game: LossGame, expected: bool) -> None:
    loss = np.full(game.experts, game.grid)
    spaces = learner.signature
    told = spaces.queries.contains(ADVICE) or spaces.answers == Integers(0, game.experts - 1)
    if not told or not spaces.updates.contains(loss):
        raise InvalidArgument(
            f"the learner takes {spaces.updates}, and the game tells losses of "
            f"{game.experts} experts on the grid 0..{game.grid}: make both with the same"
        )
    if isinstance(learner, Learner) and learner.horizon < game.rounds:
        raise InvalidArgument(
            f"the learner's horizon is {learner.horizon}, and the game has {game.rounds} rounds"
        )
    known = isinstance(learner, Weighted) and learner.law_known
    if expected and not (known and isinstance(game, ObliviousGame)):
        raise InvalidArgument(
            "expected regret is known of learners by weights, against a game that does not listen"
        )
