"""Convex bodies, in which learners choose points, and convex losses of a point given a datum.

A body is around the origin: a ball or a box.

A *datum* is a message: an int64 array with entries in {-``grid``, …, ``grid``}, entry i meaning z_i
= entry/grid. ℓ(·; z) is convex, and ``lipschitz`` bounds its slope (in ℓ₂) on a body for every
datum of a game; gradients are clipped to this bound, so privacy never depends on whether the loss
keeps this bound.
"""

import math
from abc import ABC, abstractmethod
from typing import ClassVar, Protocol, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.learners.learner import GRID
from antiphon.mechanisms import fields
from antiphon.protocol import Arrays, column_safe, register

Point = NDArray[np.float64]


class Body(Protocol):
    """The interface of a convex, bounded body K that is symmetric about the origin."""

    @property
    def dimension(self) -> int: ...

    @property
    def reach(self) -> float:
        """The largest ℓ₂ norm of a point of the body."""
        ...

    @property
    def points(self) -> Arrays:
        """A space of messages that contains all points of K; rounding may put a point just
        outside of K."""
        ...

    def project(self, point: Point) -> Point:
        """The point of K that is nearest to ``point``."""
        ...

    def least(self, direction: Point) -> Point:
        """The point x of K at which ⟨direction, x⟩ is least."""
        ...


@register("antiphon.Ball/1")
@attrs.frozen(kw_only=True)
class Ball:
    """The ball ‖x‖₂ <= ``radius``."""

    dimension: int = attrs.field(converter=fields.size, metadata=fields.COORDINATES)
    radius: float = attrs.field(default=1.0, converter=fields.double)

    @property
    def reach(self) -> float:
        return self.radius

    @property
    def points(self) -> Arrays:
        return Arrays((self.dimension,), "float64")

    def project(self, point: Point) -> Point:
        """The nearest point of the ball: a point outside is scaled to norm ``radius``."""
        norm = math.sqrt(point @ point)
        return point if norm <= self.radius else point * (self.radius / norm)

    def least(self, direction: Point) -> Point:
        """The point -radius·direction/‖direction‖; the origin if ``direction`` is 0."""
        norm = math.sqrt(direction @ direction)
        return direction * (-self.radius / norm if norm else 0.0)


@register("antiphon.Box/1")
@attrs.frozen(kw_only=True)
class Box:
    """The box |x_i| <= ``half_width``."""

    dimension: int = attrs.field(converter=fields.size, metadata=fields.COORDINATES)
    half_width: float = attrs.field(default=1.0, converter=fields.double)

    @property
    def reach(self) -> float:
        return self.half_width * math.sqrt(self.dimension)

    @property
    def points(self) -> Arrays:
        return Arrays((self.dimension,), "float64")

    def project(self, point: Point) -> Point:
        """The nearest point of the box: each coordinate is clipped to ±``half_width``."""
        return np.clip(point, -self.half_width, self.half_width)

    def least(self, direction: Point) -> Point:
        """The corner of the box whose signs are opposite to those of ``direction``."""
        return -self.half_width * np.sign(direction)


Datum = NDArray[np.int64]
"""The type of one datum, or of a table with one datum in each row."""
Values = NDArray[np.float64]
Rows: TypeAlias = "Datum | Values"
"""The type of a table of data, or of the counts of its rows: integers or, for speed, doubles."""
Sum = tuple[float, Point]
"""The type of a pair (value, gradient) of a function at a point, such as a sum of losses or a
linear function."""


@attrs.frozen(kw_only=True)
class ConvexLoss(ABC):
    """A convex loss ℓ(x; z) of a point x, given a datum z. Abstract."""

    looks: ClassVar[int] = 1 << 26
    """About the largest number of evaluations of the loss, each on one datum, in one gradient
    descent for the best point in hindsight."""
    adds_up: ClassVar[bool] = False
    """Whether the loss is linear in the datum, so that it suffices to know the sum of the data."""

    dimension: int = attrs.field(converter=fields.size, metadata=fields.COORDINATES)
    grid: int = attrs.field(default=1 << 10, converter=fields.size, metadata=GRID)

    @property
    @abstractmethod
    def data(self) -> Arrays:
        """The space of the data z that the loss takes."""

    @abstractmethod
    def lipschitz(self, body: Body) -> float:
        """The Lipschitz constant L: the largest ℓ₂ norm of a gradient on the body, for data that
        keep the bounds of this loss."""

    @abstractmethod
    def value(self, point: Point, datum: Datum) -> float:
        """The loss ℓ(x; z) of the point x, given the datum z."""

    @abstractmethod
    def gradient(self, point: Point, datum: Datum) -> Point:
        """The gradient ∇ℓ(x; z) of the loss at the point x, or a subgradient, given the datum z."""

    @abstractmethod
    def values(self, points: Values, table: Rows) -> Values:
        """The losses ℓ(x_t; z_t) of points x_t (rows, or one point) and data z_t (rows)."""

    # --- sums of losses, for the best point in hindsight ------------------------------------------

    @abstractmethod
    def total(self, point: Point, table: Rows, counts: Rows) -> Sum:
        """The value F(x) = Σ count·ℓ(x; z), summed over the rows z of ``table``, and the gradient
        ∇F(x), at the point x."""

    def merged(self, table: Datum, counts: Datum) -> tuple[Datum, Datum]:
        """A shorter table with the same sum of losses: each distinct datum once, with its count.

        For a loss that is linear in the datum, a single row: the sum.
        """
        if self.adds_up:
            return (counts @ table)[None, :], np.ones(1, np.int64)
        rows, places = np.unique(table, axis=0, return_inverse=True)
        total = np.zeros(len(rows), np.int64)
        np.add.at(total, places.ravel(), counts)
        return rows, total


@attrs.frozen(kw_only=True)
class RowByRow(ConvexLoss):
    """A loss that is evaluated for one datum at a time. Abstract."""

    def values(self, points: Values, table: Rows) -> Values:
        rows = np.broadcast_to(points, (len(table), self.dimension))
        return np.array([self.value(*each) for each in zip(rows, table, strict=True)])

    def total(self, point: Point, table: Rows, counts: Rows) -> Sum:
        slopes = np.array([self.gradient(point, datum) for datum in table])
        return float(self.values(point, table) @ counts), counts @ slopes


@register("antiphon.LinearLoss/1")
@column_safe
@attrs.frozen(kw_only=True)
class LinearLoss(ConvexLoss):
    """The linear loss ⟨z, x⟩ of a datum z with ‖z‖₂ <= 1."""

    adds_up: ClassVar[bool] = True

    @property
    def data(self) -> Arrays:
        return Arrays((self.dimension,), "int64", -self.grid, self.grid)

    def lipschitz(self, body: Body) -> float:
        return 1.0

    def value(self, point: Point, datum: Datum) -> float:
        return float(point @ datum) / self.grid

    def gradient(self, point: Point, datum: Datum) -> Point:
        return datum / self.grid

    def values(self, points: Values, table: Rows) -> Values:
        found: Values = np.einsum("ti,ti->t", np.broadcast_to(points, table.shape), table)
        return found / self.grid

    def total(self, point: Point, table: Rows, counts: Rows) -> Sum:
        slope = (counts @ table) / self.grid
        return float(slope @ point), slope


@attrs.frozen(kw_only=True)
class RegressionLoss(ConvexLoss):
    """A loss φ(s, y) of a point x, with the score s = ⟨a, x⟩, given a datum (a, y): d features a
    with ‖a‖₂ <= 1, then the label y in [-1, 1].

    Abstract. So ∇ℓ = φ'·a, and ``lipschitz`` is the largest |φ'|.
    """

    @property
    def data(self) -> Arrays:
        return Arrays((self.dimension + 1,), "int64", -self.grid, self.grid)

    @abstractmethod
    def cost(self, scores: Values, labels: Values) -> Values:
        """The loss φ(s, y) for a score s = ⟨a, x⟩ and a label y, or for arrays of them."""

    @abstractmethod
    def slope(self, scores: Values, labels: Values) -> Values:
        """The derivative of the loss φ(s, y) in the score s = ⟨a, x⟩; a subgradient at a kink."""

    def value(self, point: Point, datum: Datum) -> float:
        scaled = datum / self.grid
        return float(self.cost(point @ scaled[:-1], scaled[-1]))

    def gradient(self, point: Point, datum: Datum) -> Point:
        scaled = datum / self.grid
        return self.slope(point @ scaled[:-1], scaled[-1]) * scaled[:-1]

    def values(self, points: Values, table: Rows) -> Values:
        features = table[:, :-1]
        scores = np.einsum("ti,ti->t", np.broadcast_to(points, features.shape), features)
        return self.cost(scores / self.grid, table[:, -1] / self.grid)

    def total(self, point: Point, table: Rows, counts: Rows) -> Sum:
        scores, labels = self._read(point, table)
        slope = (counts * self.slope(scores, labels)) @ table[:, :-1] / self.grid
        return float(counts @ self.cost(scores, labels)), slope

    def _read(self, point: Point, table: Rows) -> tuple[Values, Values]:
        return table[:, :-1] @ point / self.grid, table[:, -1] / self.grid


@register("antiphon.SquaredLoss/1")
@attrs.frozen(kw_only=True)
class SquaredLoss(RegressionLoss):
    """The squared loss ½(⟨a, x⟩ - y)² of a datum (a, y)."""

    def lipschitz(self, body: Body) -> float:
        """The Lipschitz constant reach + 1: a residual is at most the body's reach plus 1 for
        the label."""
        return body.reach + 1

    def cost(self, scores: Values, labels: Values) -> Values:
        return (scores - labels) ** 2 / 2

    def slope(self, scores: Values, labels: Values) -> Values:
        return scores - labels


@register("antiphon.LogisticLoss/1")
@attrs.frozen(kw_only=True)
class LogisticLoss(RegressionLoss):
    """The logistic loss ln(1 + e^(-y⟨a, x⟩)), for labels y of -1 or 1."""

    def lipschitz(self, body: Body) -> float:
        """The Lipschitz constant 1: the slope in ⟨a, x⟩ is |y|/(1 + e^(y⟨a, x⟩)) < 1."""
        return 1.0

    def cost(self, scores: Values, labels: Values) -> Values:
        return np.logaddexp(0.0, -labels * scores)

    def slope(self, scores: Values, labels: Values) -> Values:
        # The logistic function 1/(1 + e^m) is computed as (1 - tanh(m/2))/2, which does not
        # overflow.
        found: Values = labels * (np.tanh(labels * scores / 2) - 1) / 2
        return found


@register("antiphon.AbsoluteLoss/1")
@attrs.frozen(kw_only=True)
class AbsoluteLoss(RegressionLoss):
    """The absolute loss |⟨a, x⟩ - y| of a datum (a, y), which has a kink at y."""

    def lipschitz(self, body: Body) -> float:
        """The Lipschitz constant 1: the slope on either side of the kink."""
        return 1.0

    def cost(self, scores: Values, labels: Values) -> Values:
        return abs(scores - labels)

    def slope(self, scores: Values, labels: Values) -> Values:
        return np.sign(scores - labels)

    def smoothed(self, width: float) -> ConvexLoss:
        """A smooth loss (Huber's) that is nowhere larger than this loss, and smaller by at most
        ``width``/2."""
        return _Huber(dimension=self.dimension, grid=self.grid, width=width)

    def line(self, point: Point, table: Rows, counts: Rows, width: float) -> Sum:
        """A linear lower bound on the sum of losses, as its value at ``point`` and its gradient: Σ
        count·u·(⟨a, x⟩ - y), where u is ``point``'s residual ⟨a, x⟩ - y, divided by ``width`` and
        clipped to [-1, 1].

        |r| >= u·r for each |u| <= 1; with u the slope of Huber's loss there is equality except for
        residuals below the width.
        """
        scores, labels = self._read(point, table)
        weights = counts * np.clip((scores - labels) / width, -1, 1)
        return float(weights @ (scores - labels)), weights @ table[:, :-1] / self.grid


@attrs.frozen(kw_only=True)
class _Huber(RegressionLoss):
    """The Huber loss (Huber 1964): r²/2w for residuals |r| <= w = ``width``, and |r| - w/2 for
    larger ones."""

    width: float

    def lipschitz(self, body: Body) -> float:
        return 1.0

    def cost(self, scores: Values, labels: Values) -> Values:
        size = abs(scores - labels)
        return np.where(size <= self.width, size**2 / (2 * self.width),
                                 size - self.width / 2)  # fmt: skip

    def slope(self, scores: Values, labels: Values) -> Values:
        return np.clip((scores - labels) / self.width, -1, 1)
