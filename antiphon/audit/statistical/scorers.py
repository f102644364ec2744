"""Scores of views, as data: an event compares a view's score with a threshold.

A score is high where b = 1 is likelier; it is saved with a counterexample and runs without the
library that trained it.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Final, Protocol

import attrs
import numpy as np
import numpy.typing as npt

from antiphon.audit.statistical.reader import (
    Path,
    Read,
    Reader,
    item_label,
    items_of,
    numbers_at,
    place_label,
)
from antiphon.populations.sample import NO_NUMBERS, Numbers
from antiphon.protocol.registry import register, set_derived

Vector = npt.NDArray[np.float64]
NOWHERE: Final = math.nan
"""The score of a view that cannot be scored: such a view lies in no event."""


class Scorer(Protocol):
    """The interface of a scorer, which gives each view a number: high where b = 1 is likelier."""

    def score(self, skeleton: Hashable, columns: Numbers = NO_NUMBERS) -> Read:
        """The scores of all views with this ``skeleton`` (shape and symbols): one, or one each."""
        ...

    def words(self) -> str:
        """The score in words: "the answer to message 1"."""
        ...

    @property
    def symbolic(self) -> bool:
        """Whether the scorer reads symbols: then it matters whether a sample stores a number as a
        symbol."""
        ...


@register("antiphon.Table/1")
@attrs.frozen
class LikelihoodTable:
    """A scorer by counting: the log likelihood ratio of b = 1 to b = 0 of each kind of view."""

    symbolic = True
    kinds: tuple[object, ...] = attrs.field(repr=False)
    values: tuple[float, ...] = attrs.field(repr=False)
    _found: dict[object, float] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        set_derived(self, _found=dict(zip(self.kinds, self.values, strict=True)))

    def score(self, skeleton: Hashable, columns: Numbers = NO_NUMBERS) -> float:
        return self._found.get(skeleton, NOWHERE)

    def words(self) -> str:
        return f"the likelihood ratio of the transcript among {len(self.kinds)} counted ones"

    def within(self, threshold: float, *, above: bool) -> LikelihoodTable:
        """A scorer that gives 1 to each kind of view whose score is beyond the threshold, and
        no score to all others."""
        chosen = [
            kind
            for kind, value in zip(self.kinds, self.values, strict=True)
            if (value > threshold if above else value < threshold)
        ]
        return LikelihoodTable(tuple(chosen), (1.0,) * len(chosen))


@register("antiphon.Place/1")
@attrs.frozen
class Place:
    """A scorer whose score is the number at one place of the view; a view without a number there is
    in no event."""

    symbolic = False
    path: Path

    def score(self, skeleton: Hashable, columns: Numbers = NO_NUMBERS) -> Read:
        return numbers_at(skeleton, columns).get(self.path, NOWHERE)

    def words(self) -> str:
        return place_label(self.path)


class Model(Protocol):
    """The interface of a model, which scores views by their features."""

    def __call__(self, features: Sequence[Read]) -> Read:
        """The scores of some views from their features: one for all of them, or one each."""
        ...

    @property
    def name(self) -> str:
        """The model's name in reports: "an additive logistic model"."""
        ...

    def uses(self, feature: int) -> bool:
        """Whether the score depends on the feature with this index."""
        ...


@register("antiphon.Additive/1")
@attrs.frozen
class Additive:
    """An additive logistic model: a curve for each number, a weight for each category.

    ``curves``: (knots, heights) for each number, piecewise linear, constant beyond the outermost
    knots. A missing number adds nothing.
    """

    name = "an additive logistic model"
    intercept: float
    curves: tuple[tuple[Vector, Vector], ...] = attrs.field(repr=False)
    weights: Vector = attrs.field(repr=False)

    def __call__(self, features: Sequence[Read]) -> Read:
        total: Read = self.intercept
        for feature, (knots, heights) in zip(features, self.curves, strict=False):
            if not len(knots) or (isinstance(feature, float) and math.isnan(feature)):
                continue
            total = total + (np.interp(feature, knots, heights) if len(knots) > 1 else heights[0])
        for feature, weight in zip(features[len(self.curves) :], self.weights, strict=True):
            if not isinstance(feature, float) or feature:
                total = total + float(weight) * feature
        return total

    def uses(self, feature: int) -> bool:
        numeric = len(self.curves)
        return feature >= numeric or len(self.curves[feature][0]) > 1


@register("antiphon.Learned/1")
@attrs.frozen
class Learned:
    """A scorer by a model, learned from features of the view."""

    reader: Reader = attrs.field(repr=False)
    model: Model = attrs.field(repr=False)
    _weights: list[dict[object, float]] = attrs.field(init=False, eq=False, repr=False)
    """For views without numbers: at each place, what each symbol adds to the score."""
    _known: dict[object, float] = attrs.field(init=False, eq=False, repr=False)
    """A cache: the scores of the kinds of view without numbers."""

    def __attrs_post_init__(self) -> None:
        weights = self.model.weights if isinstance(self.model, Additive) else ()
        places: list[dict[object, float]] = []
        if not self.reader.numbers and all(len(path) == 1 for path, _ in self.reader.kinds):
            for (path, value), weight in zip(self.reader.kinds, weights, strict=False):
                places.extend({} for _ in range(path[0] + 1 - len(places)))
                places[path[0]][value] = float(weight)
        set_derived(self, _weights=places, _known={})

    @property
    def symbolic(self) -> bool:
        return bool(self.reader.kinds)

    def score(self, skeleton: Hashable, columns: Numbers = NO_NUMBERS) -> Read:
        model = self.model
        items = items_of(skeleton) if self._weights else None
        if items is not None and isinstance(model, Additive):
            added = (at.get(item, 0.0) for at, item in zip(self._weights, items, strict=False))
            return sum(added, model.intercept)
        known = self._known.get(skeleton)
        if known is not None:
            return known
        score = model(self.reader.read(skeleton, columns))
        if columns.shape[1]:
            return score
        self._known[skeleton] = single = float(np.ravel(score)[0])
        return single

    def words(self) -> str:
        model = self.model
        used = [i for i in range(self.reader.width) if model.uses(i)]
        shown = [self.reader.label(i) for i in used[:3]]
        listed = ", ".join([*shown, f"{len(used) - 3} more"] if len(used) > 3 else shown)
        return f"the score of {model.name} on {listed or 'nothing'}"


@register("antiphon.ByKind/1")
@attrs.frozen
class ByKind:
    """A scorer for each frequent kind of view, and one for all other kinds."""

    symbolic = True
    kinds: tuple[object, ...] = attrs.field(repr=False)
    scorers: tuple[Scorer, ...] = attrs.field(repr=False)
    otherwise: Scorer
    _found: dict[object, Scorer] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        set_derived(self, _found=dict(zip(self.kinds, self.scorers, strict=True)))

    def score(self, skeleton: Hashable, columns: Numbers = NO_NUMBERS) -> Read:
        chosen = self._found.get(skeleton, self.otherwise)
        return chosen.score(skeleton, columns)

    def words(self) -> str:
        shown = ", ".join(item_label(kind, 30) for kind in self.kinds[:2])
        return (
            f"the score of a model for each of {len(self.kinds)} kinds of transcript "
            f"(as {shown}), trained on its numbers"
        )


def matrix(features: Sequence[Read]) -> Vector:
    """The features of some views as a matrix: a row for each view; one row if all are constant."""
    return np.column_stack(np.broadcast_arrays(*map(np.atleast_1d, features))).astype(float)


@register("antiphon.Linear/1")
@attrs.frozen
class Linear:
    """A logistic regression: intercept + weights · features, with ``means`` for missing numbers."""

    name = "a logistic regression"
    intercept: float
    weights: Vector = attrs.field(repr=False)
    means: Vector = attrs.field(repr=False)

    def __call__(self, features: Sequence[Read]) -> Vector:
        rows = matrix(features)
        return self.intercept + np.where(np.isnan(rows), self.means, rows) @ self.weights

    def uses(self, feature: int) -> bool:
        return bool(self.weights[feature])


@register("antiphon.Tree/1")
@attrs.frozen
class Tree:
    """A decision tree: at each node, a feature <= the threshold leads a row to the left child."""

    feature: npt.NDArray[np.int64] = attrs.field(repr=False)
    threshold: Vector = attrs.field(repr=False)
    left: npt.NDArray[np.int64] = attrs.field(repr=False)
    """The left child of each node; −1 for a leaf."""
    right: npt.NDArray[np.int64] = attrs.field(repr=False)
    missing_left: npt.NDArray[np.bool_] = attrs.field(repr=False)
    value: Vector = attrs.field(repr=False)

    def at(self, rows: Vector) -> Vector:
        """The value of the leaf that each row of features reaches."""
        node = np.zeros(len(rows), np.int64)
        moving = np.flatnonzero(self.left[node] >= 0)
        while len(moving):
            here = node[moving]
            found = rows[moving, self.feature[here]]
            goes = np.where(np.isnan(found), self.missing_left[here], found <= self.threshold[here])
            node[moving] = np.where(goes, self.left[here], self.right[here])
            moving = moving[self.left[node[moving]] >= 0]
        return self.value[node]


@register("antiphon.Trees/1")
@attrs.frozen
class Trees:
    """Gradient-boosted trees: the score is the sum of the trees' values."""

    intercept: float
    trees: tuple[Tree, ...] = attrs.field(repr=False)

    def __call__(self, features: Sequence[Read]) -> Vector:
        rows = matrix(features)
        total = np.full(len(rows), self.intercept)
        for tree in self.trees:
            total += tree.at(rows)
        return total

    @property
    def name(self) -> str:
        return f"{len(self.trees)} boosted trees"

    def uses(self, feature: int) -> bool:
        return any(feature in tree.feature[tree.left >= 0] for tree in self.trees)
