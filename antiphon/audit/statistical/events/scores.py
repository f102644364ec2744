"""Scores learned by scikit-learn (extra ``scores``), taken out of it as plain data."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from antiphon.audit.statistical.events.fitting import rows_of
from antiphon.audit.statistical.events.reader import Reader
from antiphon.audit.statistical.events.scorers import Linear, Model, Tree, Trees, Vector
from antiphon.numbers.errors import AntiphonError, MissingExtra
from antiphon.populations.sample import Sample

_SMALL: Final = 50_000
_CHECKED: Final = 1000
"""So many rows are scored by both, scikit-learn and what was taken out of it."""


def logistic(reader: Reader, zero: Sample, one: Sample) -> Linear:
    """A logistic regression on standardised features. Raises: MissingExtra."""
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
    slopes: Vector = learner.coef_[0] / scales
    return Linear(float(learner.intercept_[0] - means @ slopes), slopes, means)


def boosted(reader: Reader, zero: Sample, one: Sample, *, seed: int) -> Trees:
    """Histogram gradient boosting. Raises: MissingExtra."""
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
    trees = Trees(
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
    """One thread for a small task, which others only slow down."""
    from threadpoolctl import threadpool_limits  # comes with scikit-learn

    limits: Any = threadpool_limits
    made: AbstractContextManager[object] = limits(1 if rows < _SMALL else None)
    return made


def _tree(nodes: Any) -> Tree:
    leaf = nodes["is_leaf"].astype(bool)
    return Tree(
        nodes["feature_idx"].astype(np.int64),
        nodes["num_threshold"].astype(np.float64),
        np.where(leaf, -1, nodes["left"].astype(np.int64)),
        np.where(leaf, -1, nodes["right"].astype(np.int64)),
        nodes["missing_go_to_left"].astype(bool),
        nodes["value"].astype(np.float64),
    )


Labelled: TypeAlias = tuple[Vector, npt.NDArray[np.int64], Vector]
"""Features, labels, weights."""


def _labelled(reader: Reader, zero: Sample, one: Sample) -> Labelled:
    """Each row once for each world that it was seen in."""
    rows = rows_of(reader, zero, one)
    seen = [rows.weights[:, bit] > 0 for bit in (0, 1)]
    features = np.concatenate([rows.features[each] for each in seen])
    labels = np.repeat([0, 1], [int(each.sum()) for each in seen])
    return features, labels, np.concatenate([rows.weights[seen[b], b] for b in (0, 1)])


LEARNERS: Final[dict[str, Callable[..., Model]]] = {"logistic": logistic, "boosted": boosted}
