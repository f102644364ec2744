"""Datasets of which all records may move, a little, and few are replaced: smooth Rényi DP."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import attrs
import numpy as np

from antiphon.numbers import named
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.registry import register

_UP = 1 + 2.0**-40


def _count(_: object, field: attrs.Attribute[int], value: object) -> None:
    if type(value) is not int or value < 0:
        raise InvalidArgument(f"{field.name} must be an int >= 0")


@register("antiphon.Moved/1")
@attrs.frozen
class Moved:
    """Tables of finite floats, a record in each row, with Σ_i ‖S_i - S'_i‖₂ <= ``distance``.

    But for ``replaced`` rows, which may differ as they like. Sums are rounded up, so that two
    tables at the very edge may not be neighbours.
    """

    swap_symmetric = True

    distance: Fraction = attrs.field(default=Fraction(0), converter=named.fraction)
    replaced: int = attrs.field(default=1, validator=_count)

    def holds(self, zero: Any, one: Any) -> bool:
        """Whether both are such tables."""
        if type(zero) is not np.ndarray or type(one) is not np.ndarray:
            return False
        if zero.shape != one.shape or zero.ndim != 2 or not zero.dtype == one.dtype == np.float64:
            return False
        if not (np.isfinite(zero).all() and np.isfinite(one).all()):
            return False
        with np.errstate(over="ignore"):
            gaps = zero - one
            lengths = np.sort(np.sqrt(np.einsum("ij,ij->i", gaps, gaps)))
        rest = lengths[: max(0, len(lengths) - self.replaced)]
        total = math.fsum(rest) * _UP if np.isfinite(rest).all() else math.inf
        return total < math.inf and Fraction(total) <= self.distance
