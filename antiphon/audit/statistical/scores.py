"""Scores learned by scikit-learn (extra ``scores``), taken out of it as plain data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from antiphon.audit.statistical.fitting import rows_of
from antiphon.audit.statistical.reader import Reader
from antiphon.audit.statistical.sample import Sample
from antiphon.audit.statistical.scorers import Linear, Model, Tree, Trees, Vector
from antiphon.protocol.errors import AntiphonError, MissingExtra

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
        max_iter=150, max_leaf_nodes=15, min_samples_leaf=200, random_state=seed
    )
    learner.fit(features, labels, sample_weight=weights)
    trees = Trees(
        float(learner._baseline_prediction.item()),
        tuple(_tree(each[0].nodes) for each in learner._predictors),
    )
    shown = features[:: max(1, len(features) // _CHECKED)]
    ours = np.asarray(trees(list(shown.T)))
    if not np.allclose(ours, learner.decision_function(shown), rtol=1e-6, atol=1e-6):
        raise AntiphonError(
            "this version of scikit-learn keeps its trees in a form that is not known here; "
            "install another one, or pass score='logistic'"
        )
    return trees


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


def _labelled(reader: Reader, zero: Sample, one: Sample) -> tuple[Vector, Any, Vector]:
    """Each row once for each world that it was seen in."""
    rows = rows_of(reader, zero, one)
    seen = [rows.weights[:, bit] > 0 for bit in (0, 1)]
    features = np.concatenate([rows.features[each] for each in seen])
    labels = np.repeat([0, 1], [int(each.sum()) for each in seen])
    return features, labels, np.concatenate([rows.weights[seen[b], b] for b in (0, 1)])


LEARNERS: Final[dict[str, Callable[..., Model]]] = {"logistic": logistic, "boosted": boosted}
