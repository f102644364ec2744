"""The choice of an event on training samples; the event is then tested on other samples."""

import math
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any, Final, NamedTuple, TypeAlias

import attrs
import numpy as np
import numpy.typing as npt

from antiphon.audit.statistical import scorers
from antiphon.audit.statistical.estimators import Hits
from antiphon.audit.statistical.event import DOUBTS, Choice, Cuts, Event, EventGoal
from antiphon.audit.statistical.fitting import additive, rows_of, table
from antiphon.audit.statistical.reader import Path, Reader, leaf_places, reader_of, with_numbers_at
from antiphon.numbers.errors import AntiphonError, InvalidArgument, MissingExtra
from antiphon.populations.sample import NUMBER, Sample

SCORES: Final = ("auto", "counts", "places", "additive", "logistic", "boosted")
MOST_PLACES: Final = 32
MOST_KINDS: Final = 32
"""The largest number of kinds of view (by their symbols) that get a model of their own."""
LEAST_VIEWS: Final = 2000
"""With more training views, in both worlds together, a kind of view gets a model of its own."""


class Training(NamedTuple):
    """Training samples of views from both worlds: two to learn scores from, and two others to
    choose thresholds."""

    fit: tuple[Sample, Sample]
    tune: tuple[Sample, Sample]


def choose_event(
    training: Training, goal: EventGoal, score: str = "auto", *, seed: int = 0
) -> Choice:
    """The event with the best expected bound, over all scores, thresholds and directions.

    If all views are alike it is the sure event. ``score`` "own": the views are numbers or symbols
    that need no model. Raises: InvalidArgument if the views have nothing to count and no number;
    MissingExtra for a score of scikit-learn where that is not installed.
    """
    met = (place for s in training.fit for kind in s.cells for place in leaf_places(kind))
    wide = tuple(sorted({path for path, leaf in met if leaf is NUMBER}))
    zero, one, *tune = (with_numbers_at(s, wide) for s in (*training.fit, *training.tune))
    training = Training((zero, one), (tune[0], tune[1]))
    tried = candidate_scores(*training.fit, score, seed=seed)
    cuts = [Cuts.of(scorer, *training.tune) for scorer in tried]
    best: Choice | None = None
    for doubt in DOUBTS:
        found = [choice for each in cuts for choice in each.best(goal, doubt, wide)]
        best = max(found, key=lambda choice: choice.predicted, default=None)
        if best is None or best.predicted > 0:
            break
    return _everything(training, wide, score) if best is None else best


def _everything(training: Training, wide: tuple[Path, ...], score: str) -> Choice:
    """The sure event, of all views. Raises: InvalidArgument if hardly two training views agree."""
    kinds = {kind for sample in training.fit for kind in sample.cells}
    event = Event(scorers.LikelihoodTable(tuple(kinds), (1.0,) * len(kinds)), 0.5, True, 1, wide)
    zero, one = training.tune
    hits = Hits(event.hits(one), one.replicas, event.hits(zero), zero.replicas)
    strange = not hits.own + hits.against or not _few(kinds, training.fit)
    if strange or (score == "places" and not wide) or (score == "counts" and wide):
        raise InvalidArgument(_NOTHING.get(score, _NOTHING["auto"]))
    return Choice(event, 0.0, -math.inf, hits)


def _few(kinds: Collection[object], samples: Iterable[Sample]) -> bool:
    """Whether there are, on average, more than two views of each kind."""
    return 2 * len(kinds) < sum(sample.replicas for sample in samples)


_NOTHING: Final = {
    "auto": "hardly two views of the training samples agree in anything, and none has a number, "
    "so there is nothing to tell the worlds apart by; pass feature=…, a coarser function of the "
    "answers, or more samples",
    "counts": "score='counts' finds nothing to count: the views differ in their numbers only, or "
    "hardly two of them agree; pass score='auto', or a coarser feature",
    "places": "score='places' finds no number in the views; pass score='auto'",
}


def candidate_scores(
    zero: Sample, one: Sample, score: str, *, seed: int = 0
) -> Iterator[scorers.Scorer]:
    """The scorers to try: the one that ``score`` names; for "auto", all that need NumPy only."""
    kinds = zero.cells.keys() | one.cells.keys()
    if len(kinds) > 1 and _few(kinds, (zero, one)) and score in ("auto", "counts", "own"):
        yield table(zero, one)
    reader = reader_of((zero, one))
    if score in ("auto", "places", "own"):
        yield from (scorers.Place(path) for path in reader.numbers[:MOST_PLACES])
    if not reader.width or score in ("counts", "places", "own"):
        return
    numeric = bool(reader.numbers)
    if score in LEARNERS:
        extra = {"seed": seed} if score == "boosted" else {}
        yield scorers.Learned(reader, LEARNERS[score](reader, zero, one, **extra))
    elif numeric or len(kinds) > MOST_KINDS or score == "additive":
        pooled = additive(reader, zero, one)
        yield pooled
        if numeric and len(kinds) > 1:
            yield from _by_kind(pooled, zero, one)


def _by_kind(pooled: scorers.Learned, zero: Sample, one: Sample) -> Iterator[scorers.ByKind]:
    """A scorer with a model for each frequent kind of view, and ``pooled`` for other kinds."""
    large = {
        kind: parts
        for kind in zero.cells.keys() & one.cells.keys()
        if (parts := (zero.cells[kind], one.cells[kind]))[0].count + parts[1].count > LEAST_VIEWS
    }
    if not 0 < len(large) <= MOST_KINDS:
        return
    counted = table(zero, one)
    own_scorers: list[scorers.Scorer] = []
    for kind, parts in large.items():
        own, other = (Sample({kind: part}) for part in parts)
        reader = reader_of((own, other))
        if not reader.numbers:
            own_scorers.append(scorers.LikelihoodTable((kind,), (counted.score(kind),)))
            continue
        learned = additive(reader, own, other)
        own_model = learned.model
        assert isinstance(own_model, scorers.Additive)
        model = attrs.evolve(own_model, intercept=own_model.intercept + counted.score(kind))
        own_scorers.append(attrs.evolve(learned, model=model))
    yield scorers.ByKind(tuple(large), tuple(own_scorers), pooled)


_SMALL: Final = 50_000
_CHECKED: Final = 1000
"""The number of rows on which our trees are compared with scikit-learn's."""


def logistic(reader: Reader, zero: Sample, one: Sample) -> scorers.Linear:
    """A scorer by scikit-learn's logistic regression, features standardised. Raises:
    MissingExtra."""
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        raise MissingExtra("scikit-learn", "scores") from None
    features, labels, weights = _labelled(reader, zero, one)
    means = np.nan_to_num(np.nanmean(features, axis=0))
    filled = np.where(np.isnan(features), means, features)
    scales = filled.std(axis=0)
    scales[scales == 0] = 1
    learner: Any = LogisticRegression(max_iter=500)
    learner.fit((filled - means) / scales, labels, sample_weight=weights)
    slopes: scorers.Vector = learner.coef_[0] / scales
    return scorers.Linear(float(learner.intercept_[0] - means @ slopes), slopes, means)


def boosted(reader: Reader, zero: Sample, one: Sample, *, seed: int) -> scorers.Trees:
    """A scorer by scikit-learn's histogram gradient boosting. Raises: MissingExtra."""
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
    except ImportError:
        raise MissingExtra("scikit-learn", "scores") from None
    features, labels, weights = _labelled(reader, zero, one)
    learner: Any = HistGradientBoostingClassifier(
        max_iter=150,
        max_leaf_nodes=15,
        min_samples_leaf=max(1, min(200, len(features) // 50)),
        random_state=seed,
    )
    with _threads(len(features)):
        learner.fit(features, labels, sample_weight=weights)
    trees = scorers.Trees(
        float(learner._baseline_prediction.item()),
        tuple(_tree(each[0].nodes) for each in learner._predictors),
    )
    shown = features[:: max(1, len(features) // _CHECKED)]
    ours = np.asarray(trees(list(shown.T)))
    with _threads(len(shown)):
        theirs = learner.decision_function(shown)
    if not np.allclose(ours, theirs, rtol=1e-6, atol=1e-6):
        raise AntiphonError(
            "this version of scikit-learn keeps its trees in a form that is not known here; "
            "install another one, or pass score='logistic'"
        )
    return trees


def _threads(rows: int) -> AbstractContextManager[object]:
    """A context manager that allows only one thread for a task which more threads would slow
    down."""
    from threadpoolctl import threadpool_limits  # threadpoolctl comes with scikit-learn.

    limits: Any = threadpool_limits
    made: AbstractContextManager[object] = limits(1 if rows < _SMALL else None)
    return made


def _tree(nodes: Any) -> scorers.Tree:
    leaf = nodes["is_leaf"].astype(bool)
    return scorers.Tree(
        nodes["feature_idx"].astype(np.int64),
        nodes["num_threshold"].astype(np.float64),
        np.where(leaf, -1, nodes["left"].astype(np.int64)),
        np.where(leaf, -1, nodes["right"].astype(np.int64)),
        nodes["missing_go_to_left"].astype(bool),
        nodes["value"].astype(np.float64),
    )


Labelled: TypeAlias = tuple[scorers.Vector, npt.NDArray[np.int64], scorers.Vector]
"""(features, labels, weights) of training rows; a label is the world b."""


def _labelled(reader: Reader, zero: Sample, one: Sample) -> Labelled:
    """The training rows with their worlds as labels: a row of both worlds appears twice."""
    rows = rows_of(reader, zero, one)
    seen = [rows.weights[:, bit] > 0 for bit in (0, 1)]
    features = np.concatenate([rows.features[each] for each in seen])
    labels = np.repeat([0, 1], [int(each.sum()) for each in seen])
    return features, labels, np.concatenate([rows.weights[seen[b], b] for b in (0, 1)])


LEARNERS: Final[dict[str, Callable[..., scorers.Model]]] = {
    "logistic": logistic,
    "boosted": boosted,
}
