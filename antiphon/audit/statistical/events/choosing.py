"""Choosing an event on training samples, to be tested on others."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator
from typing import Final, NamedTuple

import attrs

from antiphon.audit.statistical.estimators import Hits
from antiphon.audit.statistical.events import scores
from antiphon.audit.statistical.events.events import Event
from antiphon.audit.statistical.events.fitting import additive, table
from antiphon.audit.statistical.events.reader import Path, leaves, reader_of
from antiphon.audit.statistical.events.scorers import (
    Additive,
    ByKind,
    Learned,
    LikelihoodTable,
    Place,
    Scorer,
)
from antiphon.audit.statistical.events.settling import settled
from antiphon.audit.statistical.events.thresholds import DOUBTS, Choice, Cuts, Goal
from antiphon.numbers.errors import InvalidArgument
from antiphon.populations.sample import NUMBER, Sample

SCORES: Final = ("auto", "counts", "places", "additive", "logistic", "boosted")
MOST_PLACES: Final = 32
MOST_KINDS: Final = 32
"""Up to so many kinds of view have a model of their own, each with …"""
LEAST_VIEWS: Final = 2000
"""… so many training views at least."""


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
    scorers = candidates(*training.fit, score, seed=seed)
    cuts = [Cuts.of(scorer, *training.tune) for scorer in scorers]
    best: Choice | None = None
    for doubt in DOUBTS:
        found = [choice for each in cuts for choice in each.best(goal, doubt, wide)]
        best = max(found, key=lambda choice: choice.predicted, default=None)
        if best is None or best.predicted > 0:
            break
    return _everything(training, wide, score) if best is None else best


def _everything(training: Training, wide: tuple[Path, ...], score: str) -> Choice:
    """The event that holds the views of all kinds, if these are few."""
    kinds = {kind for sample in training.fit for kind in sample.cells}
    event = Event(LikelihoodTable(tuple(kinds), (1.0,) * len(kinds)), 0.5, True, 1, wide)
    zero, one = training.tune
    hits = Hits(event.hits(one), one.replicas, event.hits(zero), zero.replicas)
    strange = not hits.own + hits.against or not _few(kinds, training.fit)
    if strange or (score == "places" and not wide) or (score == "counts" and wide):
        raise InvalidArgument(_NOTHING.get(score, _NOTHING["auto"]))
    return Choice(event, 0.0, -math.inf, hits)


def _few(kinds: Collection[object], samples: Iterable[Sample]) -> bool:
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


def _wide(kind: object) -> Iterator[Path]:
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
    if score in scores.LEARNERS:
        extra = {"seed": seed} if score == "boosted" else {}
        yield Learned(reader, scores.LEARNERS[score](reader, zero, one, **extra))
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
            scorers.append(LikelihoodTable((kind,), (counted.score(kind),)))
            continue
        learned = additive(reader, own, other)
        own_model = learned.model
        assert isinstance(own_model, Additive)
        model = attrs.evolve(own_model, intercept=own_model.intercept + counted.score(kind))
        scorers.append(attrs.evolve(learned, model=model))
    yield ByKind(tuple(large), tuple(scorers), pooled)
