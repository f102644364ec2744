"""Gradients in whole steps, clipped in ℓ₂ exactly: what a bound on their norm may rest on."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

import numpy as np

from antiphon.mechanisms.learners.convex.bodies import Body, Point
from antiphon.mechanisms.learners.convex.convex_losses import ConvexLoss, Datum

Steps: TypeAlias = tuple[int, ...]
"""A vector of whole steps; Python's ints, so that no sum is ever too large."""

_FARTHEST: Final = 2.0**60
"""Steps past which a coordinate is moved before it is clipped."""


def gradient_steps(loss: ConvexLoss, body: Body, point: Point, datum: Datum) -> Steps:
    """∇ℓ(x; z) in steps of L/``grid``, of a norm of at most ``grid`` steps.

    Whatever the loss returns: a NaN is no step, and what is too long is shortened.
    """
    scaled = loss.gradient(point, datum) * (loss.grid / loss.lipschitz(body))
    whole = np.nan_to_num(np.rint(scaled), nan=0.0, posinf=_FARTHEST, neginf=-_FARTHEST)
    return shortened(map(int, np.clip(whole, -_FARTHEST, _FARTHEST).tolist()), loss.grid)


def shortened(steps: Iterable[int], radius: int) -> Steps:
    """The steps; or, of a norm above the radius, in their direction and rounded towards 0.

    Σ x_i² <= radius² for what is returned: |x_i| <= radius·|s_i|/√(Σ s²).

    >>> shortened([3, -4], 5), shortened([6, -8], 5), shortened([1, -1], 1)
    ((3, -4), (3, -4), (0, 0))
    """
    steps = tuple(steps)
    size = inner(steps, steps)
    if size <= radius * radius:
        return steps
    norm = math.isqrt(size - 1) + 1  # rounded up
    return tuple(abs(each) * radius // norm * (1 if each > 0 else -1) for each in steps)


def inner(left: Sequence[int], right: Sequence[int]) -> int:
    """⟨left, right⟩."""
    return sum(map(operator.mul, left, right))


def plus(left: Steps, right: Steps) -> Steps:
    """Their sum."""
    return tuple(map(operator.add, left, right))
