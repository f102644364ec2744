"""Gradients in whole steps, clipped in ℓ₂ exactly, of which states hold sums."""

from __future__ import annotations

import operator
from typing import TypeAlias

import numpy as np

from antiphon.mechanisms.learners.convex.bodies import Body, Point
from antiphon.mechanisms.learners.convex.clipping import clipped
from antiphon.mechanisms.learners.convex.convex_losses import ConvexLoss, Datum
from antiphon.populations.each_replica import for_each

Steps: TypeAlias = tuple[int, ...]
"""A vector of whole steps; Python's ints, so that no sum is ever too large."""


def gradient_steps(loss: ConvexLoss, body: Body, point: Point, datum: Datum) -> Steps:
    """∇ℓ(x; z) in steps of L/``grid``, of a norm of at most ``grid`` steps, as ``clipped`` says."""
    with np.errstate(all="ignore"):  # whatever NumPy was told: an error would tell of the datum
        gradient = loss.gradient(point, datum)
        found = for_each(clipped, gradient, loss.lipschitz(body), loss.grid, body.dimension)
        return tuple(found.tolist())


def plus(left: Steps, right: Steps) -> Steps:
    """Their sum."""
    return tuple(map(operator.add, left, right))
