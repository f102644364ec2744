"""Convex losses: what a datum costs at a point.

A *datum* is a message: an int64 array with entries in {-``grid``, …, ``grid``}, entry i meaning
z_i = entry/grid. ℓ(·; z) is convex, and ``lipschitz`` bounds its slope (in ℓ₂) on a body for
every datum that a game may tell; gradients are clipped to it, so privacy never rests on it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.mechanisms import fields
from antiphon.mechanisms.learners.convex.bodies import Body, Point
from antiphon.mechanisms.learners.learner import GRID
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Arrays

Datum = NDArray[np.int64]
"""One datum, or a table with one in each row."""
Values = NDArray[np.float64]
Rows: TypeAlias = "Datum | Values"
"""A table, or the number of times that each of its rows counts; for speed they may be doubles."""
Sum = tuple[float, Point]
"""What a sum of losses is at a point, and its gradient there; or those of a linear function."""


@attrs.frozen(kw_only=True)
class ConvexLoss(ABC):
    """ℓ(x; z) for points x of so many coordinates. Abstract."""

    looks: ClassVar[int] = 1 << 26
    """How many data may be looked at, again and again, to find what is best in hindsight."""

    dimension: int = attrs.field(converter=fields.size, metadata=fields.COORDINATES)
    grid: int = attrs.field(default=1 << 10, converter=fields.size, metadata=GRID)

    @property
    @abstractmethod
    def data(self) -> Arrays:
        """The space of a datum."""

    @abstractmethod
    def lipschitz(self, body: Body) -> float:
        """L: the largest ℓ₂ norm of a gradient on the body, for data as they should be."""

    @abstractmethod
    def value(self, point: Point, datum: Datum) -> float:
        """ℓ(x; z)."""

    @abstractmethod
    def gradient(self, point: Point, datum: Datum) -> Point:
        """∇ℓ(x; z), or a subgradient."""

    def values(self, points: Values, table: Rows) -> Values:
        """ℓ(x_t; z_t) for rows x_t and z_t; or one point x for all rows."""
        rows = np.broadcast_to(points, (len(table), self.dimension))
        return np.array([self.value(*each) for each in zip(rows, table, strict=True)])

    # --- sums of losses, for what is best in hindsight --------------------------------------------

    def merged(self, table: Datum, counts: Datum) -> tuple[Datum, Datum]:
        """A shorter table with the same sum of losses: each datum once, and how often it came."""
        rows, places = np.unique(table, axis=0, return_inverse=True)
        total = np.zeros(len(rows), np.int64)
        np.add.at(total, places.ravel(), counts)
        return rows, total

    def total(self, point: Point, table: Rows, counts: Rows) -> Sum:
        """F(x) = Σ count·ℓ(x; z) over the rows z, and ∇F(x)."""
        slopes = np.array([self.gradient(point, datum) for datum in table])
        return float(self.values(point, table) @ counts), counts @ slopes

    def smoothed(self, width: float) -> ConvexLoss:
        """A smooth loss that is nowhere larger, and smaller by ``width``/2 at most."""
        return self

    def line(self, point: Point, table: Rows, counts: Rows, width: float) -> Sum:
        """A linear function that is nowhere above F: its value at the point, and its slope.

        The tangent; of a loss with kinks, one that looks so far around them.
        """
        return self.total(point, table, counts)


@register("antiphon.LinearLoss/1")
@column_safe
@attrs.frozen(kw_only=True)
class LinearLoss(ConvexLoss):
    """⟨z, x⟩, with ‖z‖₂ <= 1."""

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

    def merged(self, table: Datum, counts: Datum) -> tuple[Datum, Datum]:
        """One row, which is the sum: a loss that is linear in the datum, too."""
        return (counts @ table)[None, :], np.ones(1, np.int64)

    def total(self, point: Point, table: Rows, counts: Rows) -> Sum:
        slope = (counts @ table) / self.grid
        return float(slope @ point), slope
