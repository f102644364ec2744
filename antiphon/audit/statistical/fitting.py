"""Scores of views, learned from training samples of both worlds with NumPy alone."""

import math
from collections.abc import Sequence
from itertools import groupby
from typing import Final, NamedTuple

import attrs
import numpy as np
import numpy.typing as npt

from antiphon.audit.statistical.reader import Reader
from antiphon.audit.statistical.scorers import Additive, Learned, LikelihoodTable, Vector, matrix
from antiphon.populations.sample import Sample

_MOST_STEPS = 25


class Term(NamedTuple):
    """A group of ``size`` parameters of a linear score. To each row it adds one of them (given by
    ``codes``), times a factor (``shares``)."""

    start: int
    """The index of the term's first parameter."""
    size: int
    codes: npt.NDArray[np.intp]
    shares: Vector


def hats(values: Vector, knots: Vector, start: int) -> tuple[Term, Term]:
    """The piecewise-linear curve of a numeric feature, as two terms: at each of ``values``, the
    heights of the curve at the knots just below and above, times the weights of these knots.
    Outside all knots the curve is constant; a NaN adds nothing."""
    known = ~np.isnan(values)
    inside = np.clip(np.where(known, values, knots[0]), knots[0], knots[-1])
    left = np.clip(np.searchsorted(knots, inside, "right") - 1, 0, len(knots) - 2)
    part = (inside - knots[left]) / (knots[left + 1] - knots[left])
    size = len(knots)
    return (
        Term(start, size, left, known * (1 - part)),
        Term(start, size, left + 1, known * part),
    )


def categories(columns: Vector, start: int) -> Term:
    """The term of a categorical feature, from its indicators: at most one of a view's is 1."""
    codes: npt.NDArray[np.intp] = np.argmax(columns, axis=1)
    return Term(start, columns.shape[1], codes, columns.sum(axis=1))


@attrs.frozen(eq=False)
class Design:
    """The design matrix of a regression: each row's score is a sum of parameters times factors."""

    size: int
    terms: Sequence[Term]

    def scores(self, solution: Vector) -> Vector:
        """The score of each row, if the parameters are ``solution``."""
        total = np.zeros(len(self.terms[0].codes))
        for start, size, codes, shares in self.terms:
            total += solution[start : start + size][codes] * shares
        return total

    def slope(self, surplus: Vector) -> Vector:
        """For each parameter, the sum of ``surplus`` times the parameter's factor, over all
        rows."""
        made = np.zeros(self.size)
        for start, size, codes, shares in self.terms:
            made[start : start + size] += np.bincount(codes, surplus * shares, size)
        return made

    def curvature(self, weights: Vector) -> Vector:
        """For each two parameters, the sum of ``weights`` times both factors, over all rows."""
        made = np.zeros((self.size, self.size))
        for place, (start, size, codes, shares) in enumerate(self.terms):
            weighed = weights * shares
            for other in self.terms[: place + 1]:
                half = 0.5 if other.codes is codes else 1.0
                pairs = codes * other.size + other.codes
                sums = np.bincount(pairs, half * weighed * other.shares, size * other.size)
                columns = slice(other.start, other.start + other.size)
                made[start : start + size, columns] += sums.reshape(size, other.size)
        return made + made.T


def newton(
    design: Design, weights: Vector, solution: Vector, curvature: Vector | None, *, ridge: float
) -> tuple[Vector, Vector]:
    """The parameters of a logistic regression of the world, by Newton's method, and the curvature.

    ``weights``: for each row, its views of each world; ``solution``: the start; ``curvature``: a
    fixed matrix, per view; None: it is computed at every step. Stops when the log-likelihood has
    less than 1/2 to gain, or, with a given curvature, once the gain no longer falls.
    """
    both = weights.sum(axis=1)
    total, shrink = both.sum(), ridge * np.eye(design.size)
    before, gain = solution, math.inf
    found = np.zeros_like(shrink) if curvature is None else curvature * total
    for _ in range(_MOST_STEPS):
        fitted = 1 / (1 + np.exp(-np.clip(design.scores(solution), -40, 40)))
        slope = design.slope(weights[:, 1] - both * fitted) - ridge * solution
        if curvature is None:
            found = design.curvature(both * fitted * (1 - fitted))
        step = np.linalg.solve(found + shrink, slope)
        last, gain = gain, float(slope @ step)
        if curvature is not None and gain > last:
            return before, found / total
        if gain < 1.0:
            break
        before = solution
        solution = solution + step * min(1.0, 4.0 / max(float(np.abs(step).max()), 1e-300))
    return solution, found / total


MOST_ROWS: Final = 200_000
"""The largest number of views with numbers, of each world, to which a model is fitted."""
_FIRST_ROWS: Final = 50_000
_PARAMETERS: Final = 240
_SURE: Final = 3.0
_RIDGE: Final = 1.0
"""The strength of the ridge penalty: the factor of half the parameters' squared length."""


def table(zero: Sample, one: Sample) -> LikelihoodTable:
    """A scorer by counting: log likelihood ratios of kinds, half a view added to each count."""
    n0, n1 = zero.counts, one.counts
    kinds = tuple(sorted({**n0, **n1}, key=lambda kind: -n0.get(kind, 0) - n1.get(kind, 0)))
    scale = math.log(max(zero.replicas, 1) / max(one.replicas, 1))
    values = tuple(
        math.log((n1.get(kind, 0) + 0.5) / (n0.get(kind, 0) + 0.5)) + scale for kind in kinds
    )
    return LikelihoodTable(kinds, values)


@attrs.frozen(eq=False)
class Rows:
    """Training views as rows of features; a row may stand for several views."""

    features: Vector
    weights: Vector
    """For each row, the number of views under b = 0 and under b = 1."""


def rows_of(reader: Reader, zero: Sample, one: Sample, *, most: int = MOST_ROWS) -> Rows:
    """The training views as rows: at most about ``most`` rows of each world."""
    found = [_rows(reader, sample, most) for sample in (zero, one)]
    worlds = [weights[:, None] * np.eye(2)[bit] for bit, (_, weights) in enumerate(found)]
    return Rows(np.concatenate([features for features, _ in found]), np.concatenate(worlds))


def _rows(reader: Reader, sample: Sample, most: int) -> tuple[Vector, Vector]:
    """The rows of features for one sample, and their weights: one row for each kind of view without
    numbers.

    Views with numbers have a row each, in equal shares of all kinds; of more than ``most`` kinds
    without numbers, a regular subset is used.
    """
    plain = [each for each in sample.cells.items() if not each[1].width]
    plain = plain[:: len(plain) // most + 1]
    numbered = [each for each in sample.cells.items() if each[1].width]
    share = min(1.0, most / max(1, sum(cell.count for _, cell in numbered)))
    features, weights = [np.empty((0, reader.width))], [np.empty(0)]
    if plain:
        features.append(np.array([reader.read(skeleton) for skeleton, _ in plain], float))
        weights.append(np.array([share * cell.count for _, cell in plain]))
    for skeleton, cell in numbered:
        kept = cell.first(math.ceil(share * cell.count))
        rows = matrix(reader.read(skeleton, kept.columns))
        features.append(np.broadcast_to(rows, (kept.count, reader.width)))
        weights.append(np.full(kept.count, share * cell.count / kept.count))
    return np.concatenate(features), np.concatenate(weights)


def additive(reader: Reader, zero: Sample, one: Sample) -> Learned:
    """An additive logistic model of the world: a score ln(Pr₁/Pr₀) from a view's features.

    A piecewise-linear curve with knots at quantiles for each number, a weight for each
    category. It uses the numbers or their changes, whichever fit better (Akaike 1974).
    """
    fits = [_pruned(basis, zero, one) for basis in reader.bases()]
    return max(fits, key=lambda fit: fit[0])[1]


def _pruned(reader: Reader, zero: Sample, one: Sample) -> tuple[float, Learned]:
    """(goodness of fit, model), fitted again without numbers that proved uninformative."""
    fit, model = _fitted(reader, zero, one)
    kept = [place for place in range(len(model.curves)) if model.uses(place)]
    if 0 < len(kept) < len(model.curves):
        reader = reader.only(kept)
        fit, model = _fitted(reader, zero, one)
    return fit, Learned(reader, model)


def _fitted(reader: Reader, zero: Sample, one: Sample) -> tuple[float, Additive]:
    """(goodness of fit, logistic model), by Newton's method with a ridge penalty.

    Of many rows, some serve for first steps, and for the curvature of later ones. Cost: rows ×
    features a step, and some rows × features² a first step.

    The curvature on some rows then serves for all rows. Cost: rows × features a step, and rows ×
    features² in the first part.
    """
    data = rows_of(reader, zero, one)
    numeric = len(reader.numbers) + len(reader.changes)
    knots = [_knots(values, numeric) for values in data.features[:, :numeric].T]
    solution = np.zeros(1 + sum(map(len, knots)) + len(reader.kinds))
    curvature: Vector | None = None
    first = 1 + len(data.features) // _FIRST_ROWS
    if first > 1:
        some, balanced = _part(reader, knots, data, first)
        solution, curvature = newton(some, balanced, solution, None, ridge=_RIDGE)
    design, balanced = _part(reader, knots, data, 1)
    solution, curvature = newton(design, balanced, solution, curvature, ridge=_RIDGE)
    information: Vector = curvature * data.weights.sum() + _RIDGE * np.eye(len(solution))
    covariance = np.linalg.inv(information).astype(np.float64, copy=False)
    scores = design.scores(solution)
    likelihood = -float((balanced * np.logaddexp(0, np.outer(scores, (1, -1)))).sum())
    return likelihood - len(solution), _model(knots, solution, covariance)


def _part(reader: Reader, knots: list[Vector], data: Rows, step: int) -> tuple[Design, Vector]:
    """The design of a regression on every ``step``-th row, and weights by which both worlds count
    the same."""
    weights: Vector = data.weights[::step]
    totals = np.maximum(weights.sum(axis=0), 1e-300)
    return _design(reader, knots, data.features[::step]), weights * (totals.mean() / totals)


def _design(reader: Reader, knots: list[Vector], features: Vector) -> Design:
    """The design of an additive model: intercept, heights at knots, weights of categories."""
    ones = np.ones(len(features))
    terms, start = [Term(0, 1, np.zeros(len(features), np.intp), ones)], 1
    for place, own in enumerate(knots):
        if len(own):
            terms += hats(features[:, place], own, start)
        start += len(own)
    first = len(knots)
    for _, group in groupby(reader.kinds, key=lambda kind: kind[0]):
        size = len(list(group))
        terms.append(categories(features[:, first : first + size], start))
        first, start = first + size, start + size
    return Design(start, terms)


def _knots(values: Vector, numeric: int) -> Vector:
    """The knots of a number's curve: quantiles of its values, fewer if there are many features."""
    known = values[np.isfinite(values)]
    if not len(known):
        return np.empty(0)
    count = max(3, min(24, _PARAMETERS // numeric))
    found = np.unique(np.quantile(known, np.linspace(0.002, 0.998, count)))
    return found if len(found) > 1 else np.empty(0)


def _model(knots: list[Vector], solution: Vector, covariance: Vector) -> Additive:
    """The fitted parameters as a model; a curve that may be flat (Wald's test) becomes constant."""
    curves: list[tuple[Vector, Vector]] = []
    start = 1
    for own in knots:
        part = slice(start, start + len(own))
        start += len(own)
        flat = len(own) and _surprise(solution[part], covariance[part, part]) < _SURE
        heights = solution[part]
        curves.append((own[:1], heights.mean(keepdims=True)) if flat else (own, heights))
    return Additive(float(solution[0]), tuple(curves), solution[start:])


def _surprise(heights: Vector, covariance: Vector) -> float:
    """How significantly a curve differs from flat: its Wald statistic, standardised."""
    centred = heights - heights.mean()
    centring = np.eye(len(heights)) - 1 / len(heights)
    statistic = centred @ np.linalg.pinv(centring @ covariance @ centring) @ centred
    freedom = len(heights) - 1
    return float((statistic - freedom) / math.sqrt(2 * freedom))
