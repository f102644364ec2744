"""Convex bodies around the origin, in which a learner stands: a ball and a box."""

from __future__ import annotations

import math
from typing import Protocol

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.mechanisms import fields
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Arrays

Point = NDArray[np.float64]


class Body(Protocol):
    """K: convex, bounded, with the origin in its middle."""

    @property
    def dimension(self) -> int: ...

    @property
    def reach(self) -> float:
        """The largest ℓ₂ norm of a point."""
        ...

    @property
    def points(self) -> Arrays:
        """A space that has all points, as messages; rounding may put one just outside of K."""
        ...

    def project(self, point: Point) -> Point:
        """The nearest point of K."""
        ...

    def least(self, direction: Point) -> Point:
        """Where ⟨direction, x⟩ is least."""
        ...


@register("antiphon.Ball/1")
@attrs.frozen(kw_only=True)
class Ball:
    """‖x‖₂ <= ``radius``."""

    dimension: int = attrs.field(converter=fields.size, metadata=fields.COORDINATES)
    radius: float = attrs.field(default=1.0, converter=fields.double)

    @property
    def reach(self) -> float:
        return self.radius

    @property
    def points(self) -> Arrays:
        return Arrays((self.dimension,), "float64")

    def project(self, point: Point) -> Point:
        """The point, moved towards the origin if it is outside."""
        norm = math.sqrt(point @ point)
        return point if norm <= self.radius else point * (self.radius / norm)

    def least(self, direction: Point) -> Point:
        """-radius·direction/‖direction‖; the origin for none."""
        norm = math.sqrt(direction @ direction)
        return direction * (-self.radius / norm if norm else 0.0)


@register("antiphon.Box/1")
@attrs.frozen(kw_only=True)
class Box:
    """|x_i| <= ``half_width`` for each i."""

    dimension: int = attrs.field(converter=fields.size, metadata=fields.COORDINATES)
    half_width: float = attrs.field(default=1.0, converter=fields.double)

    @property
    def reach(self) -> float:
        return self.half_width * math.sqrt(self.dimension)

    @property
    def points(self) -> Arrays:
        return Arrays((self.dimension,), "float64")

    def project(self, point: Point) -> Point:
        """Each coordinate moved into its interval."""
        return np.clip(point, -self.half_width, self.half_width)

    def least(self, direction: Point) -> Point:
        """The corner against the signs of the direction."""
        return -self.half_width * np.sign(direction)
