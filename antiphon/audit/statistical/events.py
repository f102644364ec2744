"""Events chosen on training samples, to be tested on others.

Score the views, then choose the threshold for which the *lower bound* that fresh samples
will give is expected to be largest: not the largest ratio, which is met by chance.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Iterator
from statistics import NormalDist
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import attrs
import numpy as np

from antiphon.audit.statistical import scores as learners
from antiphon.audit.statistical.estimators import Hits, growth
from antiphon.audit.statistical.fitting import additive, table
from antiphon.audit.statistical.places import settled
from antiphon.audit.statistical.reader import (
    Path,
    is_number,
    item_label,
    items_of,
    leaves,
    reader_of,
)
from antiphon.audit.statistical.sample import NO_NUMBERS, NUMBER, TRUTH, Sample
from antiphon.audit.statistical.scorers import ByKind, Learned, Place, Scorer, Table, Vector
from antiphon.protocol.errors import InvalidArgument
from antiphon.protocol.registry import register

Objective: TypeAlias = Literal["epsilon", "delta"]
SCORES: Final = ("auto", "counts", "places", "additive", "logistic", "boosted")
MOST_PLACES: Final = 32
_DOUBT: Final = 2.5
"""Standard errors by which training rates are mistrusted."""
MOST_KINDS: Final = 32
"""Up to so many kinds of view have a model of their own, each with …"""
LEAST_VIEWS: Final = 2000
"""… so many training views at least."""


@register("antiphon.Event/1")
@attrs.frozen
class Event:
    """S: the views whose score lies beyond a threshold; ``bit`` is the world it favours."""

    scorer: Any
    threshold: float
    above: bool
    """S = {score > threshold}; else {score < threshold}."""
    bit: int
    wide: tuple[Path, ...] = attrs.field(default=(), repr=False)
    """Where the views had numbers in the training samples."""

    def hits(self, sample: Sample) -> int:
        """How many replicas fall into S."""
        return sum(
            self._hits(skeleton, cell.count, cell.columns)
            for skeleton, cell in settled(sample, self.wide).cells.items()
        )

    def _hits(self, skeleton: Hashable, count: int, columns: Vector) -> int:
        scorer: Scorer = self.scorer
        score = scorer.score(skeleton, columns)
        inside = score > self.threshold if self.above else score < self.threshold
        if isinstance(score, float):
            return count if inside else 0
        return int(np.count_nonzero(inside))

    def __contains__(self, feature: Hashable) -> bool:
        """Whether a single view, given by its feature, lies in S."""
        skeleton, numbers = self._parted(feature)
        columns = np.array([numbers]) if numbers else NO_NUMBERS
        return self._hits(skeleton, 1, columns) > 0

    def _parted(self, feature: Any) -> tuple[Any, list[float]]:
        """A view as samples have it: numbers where they had them, arrays taken apart."""
        numbers: list[float] = []

        def part(value: Any, path: Path) -> Any:
            items = tuple(value.ravel().tolist()) if type(value) is np.ndarray else items_of(value)
            if items is not None:
                return tuple([part(item, (*path, i)) for i, item in enumerate(items)])
            if path in self.wide and is_number(value):
                numbers.append(float(value))
                return NUMBER
            return TRUTH[bool(value)] if type(value) in (bool, np.bool_) else value

        return part(feature, ()), numbers

    def words(self) -> str:
        """S in words: "the answer to message 3 is > 1.73"."""
        scorer: Scorer = self.scorer
        if isinstance(scorer, Table):
            examples = ", ".join(kind_label(kind) for kind in scorer.kinds[:2])
            many = len(scorer.kinds)
            shown = f"the transcript {examples}" if many == 1 else "no transcript"
            return f"one of {many} transcripts, as {examples}" if many > 1 else shown
        above, below = ("is >", "is <") if isinstance(scorer, Place) else ("exceeds", "is below")
        return f"{scorer.words()} {above if self.above else below} {self.threshold:.6g}"


def kind_label(kind: Any) -> str:
    """A transcript in words: "⊤ ⊥ 1"."""
    items = items_of(kind)
    if items is None:
        return item_label(kind, 40)
    shown = " ".join(item_label(item, 12) for item in items[:12])
    return (shown + " …" if len(items) > 12 else shown) or "the empty one"


@attrs.frozen
class Goal:
    """What an event is chosen for: the bound expected on ``trials`` fresh views of each world."""

    objective: Objective
    epsilon: float
    delta: float
    alpha: float
    trials: int

    def predicted(self, own: Vector, of: float, against: Vector, others: float) -> Vector:
        """The bound that fresh samples would give, from counts of training samples.

        Wilson's intervals stand for Clopper-Pearson's. The training rates are taken at the
        bad end of an interval of their own, so that of many thresholds none wins by luck.
        """
        z = NormalDist().inv_cdf(1 - self.alpha / 2)
        low = _wilson(_wilson(own / of, of, -_DOUBT), self.trials, -z)
        high = _wilson(_wilson(against / others, others, _DOUBT), self.trials, z)
        if self.objective == "delta":
            return low - growth(self.epsilon) * high
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(low > self.delta, np.log((low - self.delta) / high), -np.inf)


def _wilson(share: Vector, trials: float, z: float) -> Vector:
    """The end of Wilson's interval that lies z standard errors away from a share."""
    square = z * z / trials
    spread = z * np.sqrt(np.maximum(share * (1 - share) / trials + square / (4 * trials), 0))
    return (share + square / 2 + spread) / (1 + square)


class Choice(NamedTuple):
    """An event, and the bound that is expected of it on fresh samples."""

    event: Event
    predicted: float
    hits: Hits
    """How often the tuning samples met it: optimistic, they chose it."""


class Training(NamedTuple):
    """Samples of both worlds: some to learn scores from, others to choose the threshold."""

    fit: tuple[Sample, Sample]
    tune: tuple[Sample, Sample]


def choose(training: Training, goal: Goal, score: str = "auto", *, seed: int = 0) -> Choice:
    """The event with the best expected bound, over scores, thresholds and both directions.

    Where all views look alike it is the sure event. ``score`` "own": the views are numbers
    or symbols that need no model.
    Raises: InvalidArgument if the views have nothing to count and no number;
    MissingExtra for a score of scikit-learn where that is not installed.
    """
    wide = tuple(sorted({p for s in training.fit for kind in s.cells for p in _wide(kind)}))
    zero, one, *tune = (settled(s, wide) for s in (*training.fit, *training.tune))
    training = Training((zero, one), (tune[0], tune[1]))
    found = [
        choice
        for scorer in candidates(*training.fit, score, seed=seed)
        for choice in thresholds(scorer, *training.tune, goal, wide)
    ]
    if not found:
        return _everything(training, wide, score)
    return max(found, key=lambda choice: choice.predicted)


def _everything(training: Training, wide: tuple[Path, ...], score: str) -> Choice:
    """The event that holds the views of all kinds, if these are few."""
    kinds = {kind for sample in training.fit for kind in sample.cells}
    event = Event(Table(tuple(kinds), (1.0,) * len(kinds)), 0.5, True, 1, wide)
    zero, one = training.tune
    hits = Hits(event.hits(one), one.replicas, event.hits(zero), zero.replicas)
    strange = not hits.own + hits.against or not _few(kinds, training.fit)
    if strange or (score == "places" and not wide) or (score == "counts" and wide):
        raise InvalidArgument(_NOTHING.get(score, _NOTHING["auto"]))
    return Choice(event, -math.inf, hits)


def _few(kinds: Collection[Any], samples: Iterable[Sample]) -> bool:
    """Whether a kind of view is met more than twice, on average."""
    return 2 * len(kinds) < sum(sample.replicas for sample in samples)


_NOTHING: Final = {
    "auto": "hardly two views of the training samples agree in anything, and none has a number, "
    "so there is nothing to tell the worlds apart by; pass feature=…, a coarser function of the "
    "answers, or more samples",
    "counts": "score='counts' finds nothing to count: the views differ in their numbers only, or "
    "hardly two of them agree; pass score='auto', or a coarser feature",
    "places": "score='places' finds no number in the views; pass score='auto'",
}


def _wide(kind: Any) -> Iterator[Path]:
    return (path for path, leaf in leaves(kind) if leaf is NUMBER)


def candidates(zero: Sample, one: Sample, score: str, *, seed: int = 0) -> Iterator[Scorer]:
    """The scores that are tried: by name, or (``auto``) all that need NumPy only."""
    kinds = zero.cells.keys() | one.cells.keys()
    if len(kinds) > 1 and _few(kinds, (zero, one)) and score in ("auto", "counts", "own"):
        yield table(zero, one)
    reader = reader_of((zero, one))
    if score in ("auto", "places", "own"):
        yield from (Place(path) for path in reader.numbers[:MOST_PLACES])
    if not reader.width or score in ("counts", "places", "own"):
        return
    numeric = bool(reader.numbers)
    if score in learners.LEARNERS:
        extra = {"seed": seed} if score == "boosted" else {}
        yield Learned(reader, learners.LEARNERS[score](reader, zero, one, **extra))
    elif numeric or len(kinds) > MOST_KINDS or score == "additive":
        pooled = additive(reader, zero, one)
        yield pooled
        if numeric and len(kinds) > 1:
            yield from _by_kind(pooled, zero, one)


def _by_kind(pooled: Learned, zero: Sample, one: Sample) -> Iterator[ByKind]:
    """A model for each kind of view of which there are many, the pooled one for the rest."""
    large = {
        kind: parts
        for kind in zero.cells.keys() & one.cells.keys()
        if (parts := (zero.cells[kind], one.cells[kind]))[0].count + parts[1].count > LEAST_VIEWS
    }
    if not 0 < len(large) <= MOST_KINDS:
        return
    counted = table(zero, one)
    scorers: list[Scorer] = []
    for kind, parts in large.items():
        own, other = (Sample({kind: part}) for part in parts)
        reader = reader_of((own, other))
        if not reader.numbers:
            scorers.append(Table((kind,), (counted.score(kind),)))
            continue
        learned = additive(reader, own, other)
        model = attrs.evolve(learned.model, intercept=learned.model.intercept + counted.score(kind))
        scorers.append(attrs.evolve(learned, model=model))
    yield ByKind(tuple(large), tuple(scorers), pooled)


@attrs.frozen(eq=False)
class _Scored:
    """The scores of the tuning views of one world: those of numbers, those of plain kinds."""

    numbers: Vector
    """Rising."""
    kinds: Vector
    """Rising …"""
    counts: Vector
    """… and how many views have a score among the first i of them, i = 0, 1, …"""
    total: int

    def below(self, limits: Vector, side: Literal["left", "right"]) -> Vector:
        """How many views have a score < each limit (left) or <= it (right)."""
        plain = self.counts[np.searchsorted(self.kinds, limits, side)]
        return np.searchsorted(self.numbers, limits, side) + plain

    def candidates(self) -> Vector:
        """Scores that thresholds are put between: all of kinds, of numbers the more extreme."""
        n = len(self.numbers)
        if not n:
            return self.kinds
        ends = np.unique(np.geomspace(1, n, 600).astype(int)) - 1
        places = np.concatenate([ends, n - 1 - ends, np.linspace(0, n - 1, 600).astype(int)])
        return np.concatenate([self.kinds, self.numbers[places]])


def _scored(scorer: Scorer, sample: Sample) -> _Scored:
    numbers: list[Vector] = [np.empty(0)]
    plain: list[tuple[float, int]] = []
    for skeleton, cell in sample.cells.items():
        score = scorer.score(skeleton, cell.columns)
        if isinstance(score, np.ndarray):
            numbers.append(score)
        elif not math.isnan(score):
            plain.append((score, cell.count))
    plain.sort()
    joined = np.sort(np.concatenate(numbers))
    known = joined[: len(joined) - int(np.isnan(joined).sum())]
    counts = np.cumsum([0, *(count for _, count in plain)])
    return _Scored(known, np.array([score for score, _ in plain]), counts, sample.replicas)


def thresholds(
    scorer: Scorer, zero: Sample, one: Sample, goal: Goal, wide: tuple[Path, ...]
) -> Iterator[Choice]:
    """The best event {score > t} and the best {score < t}, for either world."""
    worlds = _scored(scorer, zero), _scored(scorer, one)
    limits = _between(np.unique(np.concatenate([world.candidates() for world in worlds])))
    if not len(limits):
        return
    totals = [world.total for world in worlds]
    known = [len(world.numbers) + int(world.counts[-1]) for world in worlds]
    for above in (True, False):
        met = [
            known[b] - world.below(limits, "right") if above else world.below(limits, "left")
            for b, world in enumerate(worlds)
        ]
        for bit in (0, 1):
            own, other = met[bit], met[1 - bit]
            predicted = goal.predicted(own, totals[bit], other, totals[1 - bit])
            best = int(np.argmax(predicted))
            hits = Hits(int(own[best]), totals[bit], int(other[best]), totals[1 - bit])
            event = _event(scorer, float(limits[best]), above, bit, wide)
            yield Choice(event, float(predicted[best]), hits)


def _between(scores: Vector) -> Vector:
    """A threshold between each two neighbours, and at an end, where views without score are not.

    Where no double lies between two neighbours, it is the lower one.
    """
    middle = scores[:-1] / 2 + scores[1:] / 2
    return np.where((scores[:-1] < middle) & (middle < scores[1:]), middle, scores[:-1])


def _event(scorer: Scorer, limit: float, above: bool, bit: int, wide: tuple[Path, ...]) -> Event:
    if isinstance(scorer, Table):
        return Event(scorer.within(limit, above=above), 0.5, True, bit, wide)
    return Event(scorer, limit, above, bit, wide)
