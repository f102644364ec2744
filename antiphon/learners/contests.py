"""Repeated games of learners against adversaries, without recorded views, to measure regret.

A repetition is one game of one learner, each with coins that depend only on the seed of the
experiment and the number of the repetition: the result is the same on every machine and for any
number of workers. Against an oblivious game a learner processes whole blocks of losses
(``OnlineLearner.follow``), with the same results as its steps. The game defines regret and its
comparator (its ``meter``).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal, Union

import attrs
import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from antiphon.learners.experts.weighted import ByWeight
from antiphon.learners.games.loss_game import LossGame
from antiphon.learners.games.online_game import Figures, ObliviousGame, OnlineGame, Scored
from antiphon.learners.learner import ADVICE, Losses, OnlineLearner
from antiphon.learners.regret_pictures import Trace, draw_regrets
from antiphon.numbers import InvalidArgument, exact, fixed_up
from antiphon.numbers.errors import of_kind, written_as
from antiphon.protocol import Card, Grid, Part, SampledCoins, Shown, message_label
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.pictures import Axes, Plotted, titled

if TYPE_CHECKING:
    from antiphon.audit.running import Chunk
    from antiphon.audit.running.chunks import Seed
    from antiphon.audit.running.executors import Executor
    from antiphon.audit.running.progress import Progress

_SAME = attrs.cmp_using(eq=np.array_equal)
_TOGETHER = 1 << 12
"""The number of rounds that are passed at once to the meter of regret, in a game whose losses
depend on the advice."""


def slope(xs: npt.ArrayLike, ys: npt.ArrayLike) -> float:
    """The exponent b of y ∝ x^b: least squares of ln y on ln x; nan without two distinct positive x
    with y > 0.

    >>> round(slope([1, 4, 16], [3, 6, 12]), 3)
    0.5
    """
    found = np.array([xs, ys], np.float64)
    found = found[:, (found > 0).all(axis=0)]
    if len(set(found[0].tolist())) < 2:
        return float("nan")
    logs: Figures = np.log(found)
    logs = logs - logs.mean(axis=1, keepdims=True)
    return float(logs[0] @ logs[1] / (logs[0] @ logs[0]))


def checkpoints(rounds: int) -> tuple[int, ...]:
    """The rounds at which regret is recorded: the powers of two below ``rounds``, and ``rounds``.

    >>> checkpoints(10)
    (1, 2, 4, 8, 10)
    """
    return (*(1 << k for k in range((rounds - 1).bit_length())), rounds)


@attrs.frozen(repr=False)
class Standings(Shown, Plotted):
    """The outcome of a contest: the regret of a learner in each repetition, at each checkpoint.

    With experts it is in units of the largest loss; in convex games in units of their losses.
    """

    learner: str
    game: str
    checkpoints: tuple[int, ...]
    regrets: Figures = attrs.field(repr=False, eq=_SAME)
    """The regret at each checkpoint, one row for each repetition. A lucky learner has negative
    regret."""
    expected: Figures | None = attrs.field(default=None, repr=False, eq=_SAME)
    """The expected regret at each checkpoint, averaged over the learner's own coins, one row for
    each repetition; None if it was not requested."""
    interrupted: bool = False
    gaps: Figures | None = attrs.field(default=None, repr=False, eq=_SAME)
    """The largest possible error of each entry of ``regrets``, because the best point in hindsight
    is only known approximately (``optimum``). None if the best is known exactly."""
    shifting: Figures | None = attrs.field(default=None, repr=False, eq=_SAME)
    """Dynamic regret at each checkpoint, one row for each repetition: against the best sequence of
    experts that changes at most ``shifts`` times. None if it was not requested."""
    shifts: int | None = None

    @property
    def repetitions(self) -> int:
        """The number of repetitions."""
        return len(self.regrets)

    @property
    def measured(self) -> Figures:
        """Regret at each checkpoint, a row for each repetition; expected regret, if requested."""
        return self.regrets if self.expected is None else self.expected

    @property
    def mean(self) -> Figures:
        """Mean regret at each checkpoint; the mean of expected regret, if this was requested."""
        mean: Figures = self.measured.mean(axis=0)
        return mean

    def band(self, confidence: float = 0.95) -> Figures:
        """Half the width of a normal confidence interval of the mean regret, at each checkpoint;
        inf for a single repetition."""
        if not 0 < confidence < 1:
            raise InvalidArgument(f"confidence lies between 0 and 1, not {confidence!r}")
        if self.repetitions < 2:
            return np.full(len(self.checkpoints), math.inf)
        spread = self.measured.std(axis=0, ddof=1) / math.sqrt(self.repetitions)
        found: Figures = NormalDist().inv_cdf((1 + confidence) / 2) * spread
        return found

    @property
    def slope(self) -> float:
        """The exponent p of mean regret ∝ T^p, fitted by least squares on logarithms.

        Over the checkpoints from √T on; nan where fewer than two of them have a regret above 0.
        """
        times, mean = np.array(self.checkpoints), self.mean
        late = times >= math.sqrt(times[-1])
        return slope(times[late], mean[late])

    @property
    def gap(self) -> float:
        """The largest entry of ``gaps``; 0 if the best in hindsight is known exactly."""
        return 0.0 if self.gaps is None else float(self.gaps.max())

    def to_dict(self) -> dict[str, object]:
        """The standings as a dictionary, for JSON."""
        band = [each if math.isfinite(each) else None for each in self.band().tolist()]
        return {
            "learner": self.learner, "game": self.game, "repetitions": self.repetitions,
            "interrupted": self.interrupted, "checkpoints": list(self.checkpoints),
            "mean": self.mean.tolist(), "band": band, "played": _mean(self.regrets),
            "expected": _mean(self.expected), "shifts": self.shifts,
            "shifting": _mean(self.shifting),
            "slope": self.slope if math.isfinite(self.slope) else None, "gap": self.gap,
        }  # fmt: skip

    def _card(self) -> Card:
        last = f"{self.mean[-1]:.1f} ± {fixed_up(self.band()[-1], 1)}"
        rounds = f"{self.checkpoints[-1]:,} rounds, {self.repetitions} repetitions"
        kind = "regret" if self.expected is None else "expected regret"
        title = f"{self.learner}: {kind} {last} after {rounds} of {self.game}"
        return Card(title, self._parts())

    def _parts(self) -> Iterator[Part]:
        figures = zip(self.checkpoints, self.mean, self.band(), strict=True)
        rows = [(f"{t:,}", f"{mean:,.1f}", fixed_up(band, 1)) for t, mean, band in figures]
        yield Grid(rows, ("rounds", "regret", "±"), numbers=("rounds", "regret", "±"))
        late = [time for time in self.checkpoints if time >= math.sqrt(self.checkpoints[-1])]
        grows = f"from {late[0]:,} to {late[-1]:,} rounds it grows like T^{self.slope:.2f}"
        grows *= math.isfinite(self.slope)
        yield "; ".join(filter(None, ("± at 95 %", grows, "interrupted" * self.interrupted)))
        yield self._picture()

    def trace(self, name: str = "") -> Trace:
        """The line of mean regret over rounds for a picture, with ``name`` (by default the
        learner's name) and its slope as its label."""
        name = name or self.learner.partition("(")[0]
        name += f", T^{self.slope:.2f}" if math.isfinite(self.slope) else ""
        return Trace(name, self.checkpoints, self.mean, self.band())

    def _draw(self, axes: Axes) -> None:
        draw_regrets(axes, [self.trace()])
        titled(axes, self.game)


def _mean(figures: Figures | None) -> list[float] | None:
    return None if figures is None else figures.mean(axis=0).tolist()


@attrs.frozen
class Contest:
    """The task of a worker process: plays the game once for each repetition in a chunk, and returns
    the regrets of these plays."""

    learner: ContinualMechanism[Any]
    game: OnlineGame
    checkpoints: tuple[int, ...]
    expected: bool = False
    shifts: int | None = None

    def __call__(self, chunk: Chunk) -> tuple[tuple[Figures | None, ...], ...]:
        return tuple(tuple(self.once(chunk.seed, number)) for number in range(chunk.size))

    def once(self, seed: np.random.SeedSequence, number: int) -> Scored:
        """Plays the game once, with coins that ``seed`` and ``number`` determine; returns the
        learner's regret."""
        keys = [(*seed.spawn_key, number, who) for who in range(2)]
        coins = [SampledCoins(np.random.SeedSequence(seed.entropy, spawn_key=key)) for key in keys]
        known = self.learner if self.expected and isinstance(self.learner, ByWeight) else None
        meter = self.game.meter(self.checkpoints, known, self.shifts)
        for losses, shown in _blocks(self.learner, self.game, *coins):
            meter.add(losses, shown)
        return meter.scored()


def _blocks(
    learner: ContinualMechanism[Any], game: OnlineGame, tosses: SampledCoins, coins: SampledCoins
) -> Iterator[tuple[Losses, NDArray[Any]]]:
    """Plays a learner in a game, and yields the losses and the advice in blocks of rounds;
    ``tosses`` are the coins of the game, and ``coins`` those of the learner."""
    state, key = learner.initial_state, game.key(tosses)
    shown: Any
    if isinstance(learner, OnlineLearner) and isinstance(game, ObliviousGame):
        for number in range(-(-game.rounds // game.block)):
            losses = game.losses(key, number)
            state, shown = learner.follow(state, losses, coins)
            yield losses, shown
        return
    step, advice, told = learner.step, list[Any](), list[Losses]()
    asked = learner.signature.queries.contains(ADVICE)
    shown = None if asked else game.unadvised(coins)
    for time in range(game.rounds):
        if asked:
            state, shown = step(state, ADVICE, coins)
        loss = game.loss(key, time, shown)
        state, answer = step(state, loss, coins)
        advice.append(shown)
        told.append(loss)
        if not asked:
            shown = answer
        if len(told) == _TOGETHER or time + 1 == game.rounds:
            yield np.array(told), np.array(advice)
            advice.clear()
            told.clear()


@written_as("contest(learner, game)")
def contest(
    learner: ContinualMechanism[Any],
    game: OnlineGame,
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
    """Plays a learner against a game ``repetitions`` times; returns its regret against the best in
    hindsight.

    Args: ``learner``, or any mechanism that takes the same messages, or one that answers each loss
    by the expert for the next round (the first is then drawn uniformly), or by the point (the first
    is then the origin); ``at``, the rounds after which regret is recorded, by default the powers of
    two and the last; ``expected``, whether to average over the learner's coins, too: for learners
    by weights, against an oblivious game; ``shifts``, the largest number of changes in the sequence
    of experts to which dynamic regret compares; ``executor``, ``checkpoint``, ``progress`` as for
    ``antiphon.audit.running.run``. Ctrl-C ends the contest with the repetitions that are done.
    Raises: InvalidArgument for a learner that does not take the game's losses.

    >>> from antiphon.learners import Hedge, games
    >>> game = games.StochasticGap(rounds=1 << 10, experts=10)
    >>> found = contest(Hedge.tuned(horizon=1 << 10, experts=10), game, seed=1)
    >>> found.repetitions, bool(0 < found.mean[-1] < 60)
    (20, True)
    >>> hedge = Hedge.tuned(horizon=1 << 10, experts=10)
    >>> known = contest(hedge, game, repetitions=2, seed=1, expected=True)
    >>> bool(known.mean[-1] == known.expected[:, -1].mean())  # over the learner's coins, too
    True
    """
    from antiphon.audit.running import Chunks, run

    given: list[Any] = [learner, game]
    if not isinstance(given[0], ContinualMechanism) or not isinstance(given[1], OnlineGame):
        raise InvalidArgument(
            f"a contest is of a learner against a game, not of {of_kind(learner)} against "
            f"{of_kind(game)}; write contest(Hedge.tuned(horizon=100, experts=10), "
            "games.StochasticGap(rounds=100, experts=10))"
        )
    _check(learner, game, expected)
    times = checkpoints(game.rounds) if at is None else tuple(sorted({*at, game.rounds}))
    if times[0] < 1 or times[-1] > game.rounds:
        raise InvalidArgument(f"regret is read off after 1, …, {game.rounds} rounds")
    if shifts is not None:
        exact.natural(shifts, "shifts")
    task = Contest(learner, game, times, expected, shifts)
    outcome = run(
        task, Chunks(total=exact.whole(repetitions, "repetitions"), size=1, seed=seed),
        merge=operator.add, executor=executor, checkpoint=checkpoint, progress=progress,
    )  # fmt: skip
    regrets, averaged, gaps, in_turn = (_table(each) for each in zip(*outcome.result, strict=True))
    # For the type checker: there is a repetition, and so there are regrets.
    assert regrets is not None
    names = message_label(learner), message_label(game)
    return Standings(*names, times, regrets, averaged, outcome.interrupted, gaps, in_turn, shifts)


def _table(rows: tuple[Figures | None, ...]) -> Figures | None:
    """The figures of all repetitions as an array, a row each; None if they were not requested."""
    return None if rows[0] is None else np.array(rows)


def _check(learner: ContinualMechanism[Any], game: OnlineGame, expected: bool) -> None:
    spaces = learner.signature
    answered = spaces.queries.contains(ADVICE) or spaces.answers == game.advice
    ends = (np.full(game.told.shape, end, np.int64) for end in (game.told.low, game.told.high))
    if not (answered and all(map(spaces.updates.contains, ends))):
        raise InvalidArgument(
            f"the learner takes {spaces.updates}, and the game sends {game.tells}: make both with "
            f"the same{_sizes(learner, game)}"
        )
    if not game.fits(learner):
        raise InvalidArgument(
            "the learner is made for another kind of game, for another loss or for another body: "
            "make both with the same"
        )
    if isinstance(learner, OnlineLearner) and learner.horizon < game.rounds:
        raise InvalidArgument(
            f"the learner's horizon is {learner.horizon}, and the game has {game.rounds} rounds"
        )
    known = isinstance(learner, ByWeight) and learner.law_known
    if expected and not (known and isinstance(game, ObliviousGame)):
        raise InvalidArgument(
            "expected regret is known for learners by weights only, against an oblivious game: "
            "leave expected=True out, and contest(…).mean is of measured regret"
        )


def _sizes(learner: ContinualMechanism[Any], game: OnlineGame) -> str:
    """The parameters that a learner of the library must have for a game of losses of experts, as
    the call to write; "" for other learners and games."""
    if not (isinstance(learner, OnlineLearner) and isinstance(game, LossGame)):
        return ""
    sizes = f"experts={game.experts}, grid={game.grid}"
    return (
        f"; write choose(rounds={game.rounds}, {sizes}, epsilon=1).best, or "
        f"{type(learner).__name__} with {sizes}"
    )
