"""Convex losses: what a datum costs at a point.

A *datum* is a message: an int64 array with entries in {-``grid``, …, ``grid``}, entry i meaning
z_i = entry/grid. ℓ(·; z) is convex, and ``lipschitz`` bounds its slope (in ℓ₂) on a body for
every datum that a game may tell; gradients are clipped to it, so privacy never rests on it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.mechanisms import fields
from antiphon.mechanisms.learners.convex.bodies import Body, Point
from antiphon.mechanisms.learners.learner import GRID
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Arrays

Datum = NDArray[np.int64]
"""One datum, or a table with one in each row."""
Values = NDArray[np.float64]


@attrs.frozen(kw_only=True)
class ConvexLoss(ABC):
    """ℓ(x; z) for points x of so many coordinates. Abstract."""

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

    def values(self, points: Values, table: Datum) -> Values:
        """ℓ(x_t; z_t) for rows x_t and z_t; or one point x for all rows."""
        rows = np.broadcast_to(points, (len(table), self.dimension))
        return np.array([self.value(*each) for each in zip(rows, table, strict=True)])


@register("antiphon.LinearLoss/1")
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

    def values(self, points: Values, table: Datum) -> Values:
        found: Values = np.einsum("ti,ti->t", np.broadcast_to(points, table.shape), table)
        return found / self.grid
