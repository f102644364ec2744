"""Gradients in whole steps of a grid, clipped in ℓ₂ exactly."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from antiphon.mechanisms.learners.convex.bodies import Point
from antiphon.numbers.errors import PartError

Steps = NDArray[np.int64]
_DOUBLES: Final = np.dtype(np.float64)


def clipped(gradient: Any, bound: float, steps: int, dimension: int) -> Steps:
    """The gradient in steps of bound/steps, shortened to Σ k_i² <= steps², exactly.

    Each entry is rounded to the nearest step; where that makes the vector too long, as for most
    gradients of the bound's norm or more, each is truncated towards 0 instead, so that it may be
    off by nearly a whole step. A gradient with an entry that is no finite number counts as 0.
    Doubles find the steps and whole numbers check them, so the bound rests on no rounding.
    Raises: PartError for what is no array of so many doubles.
    """
    kind: Any = type(gradient)  # pyright: ignore[reportUnknownVariableType]
    if kind is not np.ndarray or gradient.dtype != _DOUBLES or gradient.shape != (dimension,):
        raise PartError(f"a gradient is an array of {dimension} doubles, as a point is")
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = gradient * (steps / bound)
        norm = math.sqrt(scaled @ scaled)
    if not norm <= steps:
        scaled = _shortened(gradient, steps)
    found: Steps = np.rint(scaled).astype(np.int64)
    if found @ found > steps * steps:
        found = scaled.astype(np.int64)
        while found @ found > steps * steps:
            found -= np.sign(found)
    return found


def _shortened(gradient: Point, steps: int) -> Point:
    """Of norm ``steps``, about, in its direction; 0 where it has none."""
    largest = float(np.abs(gradient).max())
    if not 0 < largest < math.inf:
        return np.zeros(len(gradient))
    unit = gradient / largest  # whose squares neither overflow nor vanish
    return unit * (steps / math.sqrt(unit @ unit))
