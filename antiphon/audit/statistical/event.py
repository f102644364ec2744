"""Events: sets of views, given by a score and a threshold, as data and in words.

The threshold is put where the expected *lower bound* from fresh samples is largest, not where the
likelihood ratio is, which may be by chance.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Sequence
from statistics import NormalDist
from typing import Final, Literal, NamedTuple, TypeAlias

import attrs
import numpy as np
import numpy.typing as npt

from antiphon.audit.statistical import reader, scorers
from antiphon.audit.statistical.estimators import Hits, exp_up
from antiphon.populations.sample import NO_NUMBERS, NUMBER, TRUTH, Sample
from antiphon.protocol import Card, Shown, register


def half_line(scorer: scorers.Scorer, threshold: float, above: bool) -> str | None:
    """The event in words, if it says that a number, or a difference, is beyond a threshold; else
    None.

    For integers the text names the first or last integer. It covers only views that have the
    number.
    """
    if not isinstance(scorer, scorers.Learned) or not isinstance(scorer.model, scorers.Additive):
        return None
    read_by, model = scorer.reader, scorer.model
    used = [feature for feature in range(read_by.width) if model.uses(feature)]
    if len(used) != 1 or used[0] >= len(model.curves):
        return None
    flat = [curve for place, curve in enumerate(model.curves) if place != used[0]]
    others = [heights[0] for knots, heights in flat if len(knots)]
    knots, heights = (each.tolist() for each in model.curves[used[0]])
    end = crossing(knots, heights, threshold - model.intercept - float(sum(others)), above)
    return None if end is None else f"{_named(read_by, used[0])} {end}"


def crossing(
    knots: Sequence[float], heights: Sequence[float], level: float, above: bool
) -> str | None:
    """The half-line where a piecewise-linear curve lies beyond a level, as text; None if none is.

    >>> crossing([0, 1, 3], [-1, -1, 1], 0, above=True), crossing([0, 1], [1, 0], 0.25, above=True)
    ('≥ 3', '≤ 0')
    >>> crossing([0.5, 1], [0, 1], 0.5, above=False), crossing([0, 1, 2], [0, 1, 0], 0, above=True)
    ('< 0.75', None)
    """
    inside = [height > level if above else height < level for height in heights]
    turns = [i for i in range(len(inside) - 1) if inside[i] != inside[i + 1]]
    if len(turns) != 1:
        return None
    (i,) = turns
    share = (level - heights[i]) / (heights[i + 1] - heights[i])
    end = knots[i] + share * (knots[i + 1] - knots[i])
    rising = inside[i + 1]
    if not all(float(knot).is_integer() for knot in knots):
        return f"{'>' if rising else '<'} {end:.6g}"
    whole = math.floor(end) + 1 if rising else math.ceil(end) - 1
    return f"{'≥' if rising else '≤'} {whole}"


def _named(read_by: reader.Reader, feature: int) -> str:
    if feature < len(read_by.numbers):
        return reader.place_label(read_by.numbers[feature], "answer")
    early, late = read_by.changes[feature - len(read_by.numbers)]
    return f"{reader.place_label(late, 'answer')} − {reader.place_label(early, 'answer')}"


@register("antiphon.Event/1")
@attrs.frozen(repr=False)
class Event(Shown):
    """An event S: the views with a score beyond a threshold; ``bit`` is the world it favours."""

    scorer: scorers.Scorer
    threshold: float
    above: bool
    """Whether S = {score > threshold}; else S = {score < threshold}."""
    bit: int
    wide: tuple[reader.Path, ...] = attrs.field(default=(), repr=False)
    """The places in a view where its numbers are continuous. A scorer of symbols reads the numbers
    at all other places as symbols.

    So an event made by hand must list the places of its continuous answers.
    """

    def hits(self, sample: Sample) -> int:
        """The number of views of a sample that lie in S."""
        scorer = self.scorer
        cells = (reader.with_numbers_at(sample, self.wide) if scorer.symbolic else sample).cells
        return sum(
            self._hits(skeleton, cell.count, cell.columns) for skeleton, cell in cells.items()
        )

    def _hits(self, skeleton: Hashable, count: int, columns: scorers.Vector) -> int:
        scorer = self.scorer
        score = scorer.score(skeleton, columns)
        inside = score > self.threshold if self.above else score < self.threshold
        if isinstance(score, float):
            return count if inside else 0
        return int(np.count_nonzero(inside))

    def __contains__(self, feature: Hashable) -> bool:
        """Whether a view, given by its feature, lies in S."""
        skeleton, numbers = self._parted(feature)
        columns = np.array([numbers]) if numbers else NO_NUMBERS
        return self._hits(skeleton, 1, columns) > 0

    def _parted(self, feature: object) -> tuple[object, list[float]]:
        """A view in the form in which samples store it: (skeleton with ``NUMBER`` in place of
        numbers, the numbers)."""
        numbers: list[float] = []

        def part(value: object, path: reader.Path) -> object:
            items = (
                tuple(value.ravel().tolist())
                if type(value) is np.ndarray
                else reader.items_of(value)
            )
            if items is not None:
                return tuple([part(item, (*path, i)) for i, item in enumerate(items)])
            if path in self.wide and reader.is_number(value):
                numbers.append(reader.as_float(value))
                return NUMBER
            return TRUTH[bool(value)] if type(value) in (bool, np.bool_) else value

        return part(feature, ()), numbers

    def _card(self) -> Card:
        return Card(f"{self.words()}; favours b = {self.bit}")

    def words(self) -> str:
        """The event in words: "the answer to message 3 is > 1.73", "answer 4 − answer 2 ≥ 1"."""
        scorer = self.scorer
        if isinstance(scorer, scorers.LikelihoodTable):
            examples = ", ".join(kind_label(kind) for kind in scorer.kinds[:2])
            many = len(scorer.kinds)
            shown = f"the transcript {examples}" if many == 1 else "no transcript"
            return f"one of {many} transcripts, such as {examples}" if many > 1 else shown
        plainly = half_line(scorer, self.threshold, self.above)
        if plainly is not None:
            return plainly
        words = ("is <", "is >") if isinstance(scorer, scorers.Place) else ("is below", "exceeds")
        return f"{scorer.words()} {words[self.above]} {self.threshold:.6g}"


def kind_label(kind: object) -> str:
    """A kind of view (a transcript) as text: "⊤ ⊥ 1"."""
    items = reader.items_of(kind)
    if items is None:
        return reader.item_label(kind, 40)
    shown = " ".join(reader.item_label(item, 12) for item in items[:12])
    return (shown + " …" if len(items) > 12 else shown) or "the empty one"


Objective: TypeAlias = Literal["epsilon", "delta"]
DOUBTS: Final = (2.0, 1.5, 1.0, 0.5)
"""The margins, in standard errors, by which the rates of training views are made worse: each is
tried if the one before it leaves no event with a bound > 0."""


@attrs.frozen
class EventGoal(ABC):
    """The aim by which an event is chosen, to be tested on ``trials`` views a world. Abstract."""

    objective: Objective
    epsilon: float
    delta: float
    alpha: float
    trials: int

    def rates(
        self, own: scorers.Vector, of: float, against: scorers.Vector, others: float, doubt: float
    ) -> tuple[scorers.Vector, scorers.Vector]:
        """Bounds on an event's two rates that fresh samples would give, predicted from training.

        ``own`` of ``of`` training views lie in the event in the world that it favours, ``against``
        of ``others`` in the other. Wilson's intervals stand for Clopper-Pearson's. The training
        rates are replaced by the pessimistic ends of their own intervals, so that no threshold wins
        by luck.
        """
        z = NormalDist().inv_cdf(1 - self.alpha / 2)
        low = _wilson(_wilson(own / of, of, -doubt), self.trials, -z)
        high = _wilson(_wilson(against / others, others, doubt), self.trials, z)
        return low, high

    @abstractmethod
    def predicted(self, low: scorers.Vector, high: scorers.Vector) -> scorers.Vector:
        """The bound expected of fresh samples, given bounds on two rates; higher is better."""


@attrs.frozen
class Goal(EventGoal):
    """The aim of an audit of one claim: the largest bound on δ or ε."""

    def predicted(self, low: scorers.Vector, high: scorers.Vector) -> scorers.Vector:
        if self.objective == "delta":
            return low - exp_up(self.epsilon) * high
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(low > self.delta, np.log((low - self.delta) / high), -np.inf)


def _wilson(share: scorers.Vector, trials: float, z: float) -> scorers.Vector:
    """The end of Wilson's interval for a proportion, z standard errors away from it."""
    square = z * z / trials
    spread = z * np.sqrt(np.maximum(share * (1 - share) / trials + square / (4 * trials), 0))
    return (share + square / 2 + spread) / (1 + square)


class Cut(NamedTuple):
    """A set of scores, {score > limit} or {score < limit}, and the world that it favours."""

    limit: float
    above: bool
    bit: int

    def holds(self, scores: scorers.Vector) -> npt.NDArray[np.bool_]:
        """Whether each score lies in the set; NaN never does."""
        return scores > self.limit if self.above else scores < self.limit

    def event(self, scorer: scorers.Scorer, wide: tuple[reader.Path, ...]) -> Event:
        """The views whose score lies in the set, as an event."""
        limit, above, bit = self
        if isinstance(scorer, scorers.LikelihoodTable):
            return Event(scorer.within(limit, above=above), 0.5, True, bit, wide)
        return Event(scorer, limit, above, bit, wide)


class Choice(NamedTuple):
    """A chosen event, with the bound that is expected of it on fresh samples."""

    event: Event
    doubt: float
    """The margin, in standard errors, by which rates were made worse when the event was chosen
    (``DOUBTS``): a larger one is better."""
    predicted: float
    hits: Hits
    """The counts of the training views by which the event was chosen, so they are optimistic."""
    cut: Cut | None = None
    """The scores that the views of the event have, as a cut; None for the sure event."""
    cuts: Cuts | None = None
    """All cuts of the same score; None for the sure event."""

    @property
    def promise(self) -> tuple[float, float]:
        """The key by which choices are sorted: larger is better."""
        return self.doubt, self.predicted


@attrs.frozen(eq=False)
class Cuts:
    """All events {score > t} and {score < t} of one score, and the number of tuning views (those
    that choose the event) in each."""

    scorer: scorers.Scorer
    limits: scorers.Vector
    totals: tuple[int, int]
    above: tuple[scorers.Vector, scorers.Vector]
    """For each world, the number of views with a score above each limit."""
    below: tuple[scorers.Vector, scorers.Vector]
    """For each world, the number of views with a score below each limit."""

    @staticmethod
    def of(scorer: scorers.Scorer, zero: Sample, one: Sample) -> Cuts:
        """The cuts between the scores in these samples; none if all views score alike."""
        worlds = _scored(scorer, zero), _scored(scorer, one)
        limits = _between(np.unique(np.concatenate([each.candidates() for each in worlds])))
        above = worlds[0].above(limits), worlds[1].above(limits)
        below = worlds[0].below(limits), worlds[1].below(limits)
        return Cuts(scorer, limits, (zero.replicas, one.replicas), above, below)

    def best(
        self, goal: EventGoal, doubt: float, wide: tuple[reader.Path, ...]
    ) -> Iterator[Choice]:
        """The best cut in either direction for either world."""
        if not len(self.limits):
            return
        for above, met in ((True, self.above), (False, self.below)):
            for bit in (0, 1):
                own, of = met[bit], self.totals[bit]
                against, others = met[1 - bit], self.totals[1 - bit]
                predicted = goal.predicted(*goal.rates(own, of, against, others, doubt))
                place = int(np.argmax(predicted))
                hits = Hits(int(own[place]), of, int(against[place]), others)
                cut = Cut(float(self.limits[place]), above, bit)
                event = cut.event(self.scorer, wide)
                yield Choice(event, doubt, float(predicted[place]), hits, cut, self)


@attrs.frozen(eq=False)
class _Scored:
    """The scores of the tuning views of a world: one for each view with numbers, and one for all
    views of a kind without numbers."""

    numbers: scorers.Vector
    """The scores of the views with numbers, ascending."""
    kinds: scorers.Vector
    """The scores of the kinds of view without numbers, ascending."""
    counts: scorers.Vector
    """For i = 0, 1, …, the number of views of the first i kinds without numbers."""

    def below(self, limits: scorers.Vector) -> scorers.Vector:
        """The number of views with a score below each limit."""
        plain = self.counts[np.searchsorted(self.kinds, limits, "left")]
        return np.searchsorted(self.numbers, limits, "left") + plain

    def above(self, limits: scorers.Vector) -> scorers.Vector:
        """The number of views with a score above each limit; views without a score are in none."""
        plain: scorers.Vector = (
            self.counts[-1] - self.counts[np.searchsorted(self.kinds, limits, "right")]
        )
        return plain + (len(self.numbers) - np.searchsorted(self.numbers, limits, "right"))

    def candidates(self) -> scorers.Vector:
        """The scores between which thresholds are tried; of views with numbers, a selection."""
        n = len(self.numbers)
        if not n:
            return self.kinds
        ends = np.unique(np.geomspace(1, n, 600).astype(int)) - 1
        places = np.concatenate([ends, n - 1 - ends, np.linspace(0, n - 1, 600).astype(int)])
        return np.concatenate([self.kinds, self.numbers[places]])


def _scored(scorer: scorers.Scorer, sample: Sample) -> _Scored:
    numbers: list[scorers.Vector] = [np.empty(0)]
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
    return _Scored(known, np.array([score for score, _ in plain]), counts)


def _between(scores: scorers.Vector) -> scorers.Vector:
    """The thresholds between neighbouring scores, or the lower score if no double lies between."""
    middle = scores[:-1] / 2 + scores[1:] / 2
    return np.where((scores[:-1] < middle) & (middle < scores[1:]), middle, scores[:-1])
