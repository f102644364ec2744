"""The numerical part of additive models: sparse designs, and Newton's method on them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import attrs
import numpy as np
import numpy.typing as npt

from antiphon.audit.statistical.events.scorers import Vector

_MOST_STEPS = 25


class Term(NamedTuple):
    """In each row, one of ``size`` parameters, and how much of it is in the row's score."""

    start: int
    """The first of these parameters."""
    size: int
    codes: npt.NDArray[np.intp]
    shares: Vector


def hats(values: Vector, knots: Vector, start: int) -> tuple[Term, Term]:
    """Linear interpolation between knots, and constant outside; a missing value adds nothing."""
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
    """Columns of zeros and ones, at most one of them 1 in a row."""
    codes: npt.NDArray[np.intp] = np.argmax(columns, axis=1)
    return Term(start, columns.shape[1], codes, columns.sum(axis=1))


@attrs.frozen(eq=False)
class Design:
    """Scores that are linear in ``size`` parameters: the sum of the terms."""

    size: int
    terms: Sequence[Term]

    def scores(self, solution: Vector) -> Vector:
        """The score of each row."""
        total = np.zeros(len(self.terms[0].codes))
        for start, size, codes, shares in self.terms:
            total += solution[start : start + size][codes] * shares
        return total

    def slope(self, surplus: Vector) -> Vector:
        """(size,): the sum over rows of the surplus times each parameter's share."""
        made = np.zeros(self.size)
        for start, size, codes, shares in self.terms:
            made[start : start + size] += np.bincount(codes, surplus * shares, size)
        return made

    def curvature(self, weights: Vector) -> Vector:
        """(size, size): the sum over rows of the weight times products of shares."""
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
    """The logistic regression of the world on the design, and the curvature there, per view.

    ``weights``: (rows, 2), views of each world; ``solution``: where to begin; ``curvature``:
    to be used as it is, else it is computed at every step. Stops when the log-likelihood has
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
