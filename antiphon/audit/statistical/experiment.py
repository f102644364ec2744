"""The plays of an audit: training samples, and the test of an event in chunks of bounded memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Literal, Protocol, TypeAlias, TypeVar, Union

import attrs
import numpy as np

from antiphon.audit.running import Checkpoint, Chunk, Chunks, Outcome, Progress, run
from antiphon.audit.running.executors import Executor
from antiphon.audit.statistical.choosing import Training, choose_event
from antiphon.audit.statistical.estimators import Hits, down
from antiphon.audit.statistical.event import Choice, Event, EventGoal
from antiphon.audit.statistical.evidence import Counterexample, seed_as_json
from antiphon.audit.statistical.search import Candidate, budgets
from antiphon.numbers.errors import InvalidArgument
from antiphon.populations.play import Feature, play_sample
from antiphon.populations.sample import Sample
from antiphon.protocol import Adversary, Chain, History, generator
from antiphon.protocol.records.interaction import record

Result = TypeVar("Result")
Trace: TypeAlias = tuple[tuple[int, int, int, int], ...]
"""Counts (hits, views) in the favoured world, then in the other; after growing numbers of views."""
POINTS: Final = 64
"""The largest number of points in a trace (counts after growing numbers of views)."""
CHUNK: Final = 1 << 18
"""The largest number of views of each world in a chunk; fewer if they hold many numbers."""
LEAST_CHUNK: Final = 1 << 15
"""The least number of views of each world in a chunk, as each chunk has a cost."""
LEAST_CHUNKS: Final = 8
"""The number of chunks that are aimed at, so that a report shows how its bound grew."""
PLAIN_CHUNKS: Final = 32
"""The largest number of chunks if views contain no numbers: large chunks then need no memory."""
CHUNK_NUMBERS: Final = 1 << 25
"""The largest number of numbers in a chunk's views, while played: a quarter of a gigabyte."""
LEAST_ROUND: Final = 400
"""The least number of training views of each adversary in a round of the search among them."""
MOST_LEARNING: Final = 500_000
"""The largest number of views of each world from which scores are learned."""
_PROBES: Final = 16
MOST_TRIES: Final = 20_000
"""The largest number of interactions that are played, one by one, to find one in the event."""
TRAINING, TESTING, SHOWING, CHOOSING, BETTING, PROBING, VACUOUS = range(7)
"""The spawn keys of the independent streams of an audit's seed."""


class Game(Protocol):
    """The part of a privacy game that an audit uses: its two worlds."""

    def mechanism(self, bit: int) -> Chain:
        """The mechanism of the world ``bit``, guarded by V[f]."""
        ...


@attrs.frozen
class Playing:
    """How views are played: the game, the feature of a view, the rounds."""

    game: Game
    feature: Feature
    rounds: int | None

    def sample(
        self, adversary: Adversary, bit: int, views: int, seed: np.random.SeedSequence
    ) -> Sample:
        """A sample of views of the world ``bit``. Raises: InvalidArgument for a bad feature."""
        try:
            return play_sample(
                adversary, self.game.mechanism(bit), replicas=views, feature=self.feature,
                rounds=self.rounds, seed=seed,
            )  # fmt: skip
        except TypeError as error:
            if "unhashable" not in str(error):
                raise
            raise InvalidArgument(
                f"views cannot be counted ({error}); pass feature=… (--feature), a function of "
                "the answers that gives numbers, symbols, or tuples of them"
            ) from None

    def width(self, adversary: Adversary, seed: np.random.SeedSequence) -> int:
        """The number of numbers in a view, by a few plays; it limits the views in memory."""
        cells = self.sample(adversary, 0, _PROBES, seed).cells.values()
        return max(cell.width for cell in cells)

    def training(self, adversary: Adversary, views: int, seed: np.random.SeedSequence) -> Training:
        """Training samples of both worlds: at most half to learn scores, others for thresholds."""
        learn = max(1, min(views // 2, MOST_LEARNING))
        shares = (learn, learn, max(1, views - learn), max(1, views - learn))
        played = [
            self.sample(adversary, place % 2, share, child_seed(seed, place))
            for place, share in enumerate(shares)
        ]
        return Training((played[0], played[1]), (played[2], played[3]))


@attrs.frozen
class CountHits:
    """A task that plays a chunk of fresh views in both worlds, and counts the views in the event.

    ``label``: if given, each view is of the favoured world with that probability, else of the other
    world; the size of a chunk then counts the views of both.
    """

    playing: Playing
    adversary: Adversary
    event: Event
    label: float | None = None

    def __call__(self, chunk: Chunk) -> Trace:
        trials = others = chunk.size
        if self.label is not None:
            coins = generator(child_seed(chunk.seed, 2))
            trials = int(coins.binomial(chunk.size, self.label))
            others = chunk.size - trials
        bit = self.event.bit
        own = self._hits(bit, trials, chunk)
        return ((own, trials, self._hits(1 - bit, others, chunk), others),)

    def _hits(self, bit: int, views: int, chunk: Chunk) -> int:
        if not views:
            return 0
        seed = child_seed(chunk.seed, bit)
        return self.event.hits(self.playing.sample(self.adversary, bit, views, seed))


def merge_trace(trace: Trace, more: Trace) -> Trace:
    """The trace (counts of views, and of those in the event, as they grow) with one more chunk.

    In a long trace every second point is dropped.
    """
    kept = trace[1::2] if len(trace) >= POINTS else trace
    return (*kept, attrs.astuple(Hits(*trace[-1]) + Hits(*more[-1])))


@attrs.frozen
class Workforce:
    """The workers that play test views, and the size of their chunks."""

    chunk: int | None = None
    executor: Union[Executor, int, Literal["serial"], None] = None
    checkpoint: Union[Checkpoint, str, Path, None] = None
    progress: Union[Progress, Literal[False], None] = None
    width: int = 0
    """The number of numbers in a view."""

    def run(
        self, task: Callable[[Chunk], Result], merge: Callable[[Result, Result], Result],
        views: int, seed: np.random.SeedSequence, *, wide: bool, place: int = 0,
    ) -> Outcome[Result]:  # fmt: skip
        """Run a task on ``views`` fresh views; ``place`` is the number of this run within its
        audit.

        ``wide``: the views contain continuous numbers, which are kept until the views are scored.
        """
        path, size = self.checkpoint, self.chunk
        if size is None:
            size = min(CHUNK, max(LEAST_CHUNK, -(-views // LEAST_CHUNKS)))
            size = max(1, min(size, CHUNK_NUMBERS // max(1, self.width)))
            size = size if wide else max(size, -(-views // PLAIN_CHUNKS))
        if place and isinstance(path, str | Path):
            path = Path(f"{path}-{place + 1}")
        return run(
            task, Chunks(total=views, size=size, seed=seed), merge=merge, executor=self.executor,
            checkpoint=path, progress=self.progress,
        )  # fmt: skip


@attrs.frozen
class Setting:
    """The checked arguments of an audit."""

    playing: Playing
    goal: EventGoal
    score: str
    workforce: Workforce
    root: np.random.SeedSequence
    trained: int
    """The number of training views of each world."""
    confidence: float

    def best(
        self, candidates: Sequence[Candidate], views: int, *key: int
    ) -> tuple[Candidate, Choice]:
        """The adversary with the best expected bound, and its event, by successive halving.

        Raises: InvalidArgument if there are too few views for so many adversaries.
        """
        rounds = budgets(len(candidates), views)
        if len(candidates) > 1 and rounds[0][1] < LEAST_ROUND:
            raise InvalidArgument(
                f"{len(candidates)} adversaries leave {rounds[0][1]} training samples for each at "
                f"first, and {LEAST_ROUND} are needed; pass more samples, or fewer adversaries"
            )
        ranked = list(candidates)
        choices: list[Choice] = []
        for number, (survivors, share) in enumerate(rounds):
            pairs = [
                (each, self.choose(each, share, *key, number, place))
                for place, each in enumerate(ranked[:survivors])
            ]
            pairs.sort(key=lambda pair: pair[1].promise, reverse=True)
            ranked, choices = [each for each, _ in pairs], [choice for _, choice in pairs]
        return ranked[0], choices[0]

    def choose(self, candidate: Candidate, views: int, *key: int) -> Choice:
        """The event that is chosen on ``views`` training views of one adversary, which are played
        with the seed derived by the numbers ``key``."""
        seed = child_seed(self.root, TRAINING, *key)
        training = self.playing.training(candidate.adversary, views, seed)
        return choose_event(training, self.goal, self.score, seed=int(seed.generate_state(1)[0]))

    def after(self, looks: int) -> Setting:
        """The setting with a lower confidence: that of ``looks`` reports on growing samples, all
        together."""
        if looks == 1:
            return self
        return attrs.evolve(self, confidence=max(0.0, down(1 - looks * self.goal.alpha)))

    def show(
        self, adversary: Adversary, event: Event, rate: float, low: float,
        counts: tuple[Hits, float] | None = None,
    ) -> Counterexample | None:  # fmt: skip
        """A counterexample: an interaction in the event, if one is found soon.

        ``rate``: the probability of the event; ``low``: the bound on δ that refutes the claim;
        ``counts``: (hits, α) from which ``low`` follows by two Clopper-Pearson bounds.
        """
        playing, goal, (hits, alpha) = self.playing, self.goal, counts or (None, None)
        for number in range(min(MOST_TRIES, math.ceil(20 / max(rate, 1e-9)))):
            seed = child_seed(self.root, SHOWING, number)
            world = playing.game.mechanism(event.bit)
            played = record(adversary, world, rounds=playing.rounds, seed=seed)
            if playing.feature(History(played.view.answers)) in event:
                return Counterexample(
                    played, event, event.bit, goal.epsilon, goal.delta, low, self.confidence,
                    seed_as_json(seed), playing.feature, hits, alpha,
                )  # fmt: skip
        return None


def child_seed(seed: np.random.SeedSequence, *key: int) -> np.random.SeedSequence:
    """The seed derived from a seed by the numbers ``key``, whatever else was derived from it."""
    return np.random.SeedSequence(
        seed.entropy, spawn_key=(*seed.spawn_key, *key), pool_size=seed.pool_size
    )
