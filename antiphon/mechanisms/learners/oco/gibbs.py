"""Draws x ∝ e^(⟨θ, x⟩ - q‖x‖²) from a ball or a box: a Gaussian law, conditioned to the body.

In doubles: whatever rests on the law is *assumed*.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from antiphon.mechanisms.learners.convex.bodies import Ball, Body, Box, Point
from antiphon.mechanisms.learners.oco.log_concave import table, uniforms
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.interval import Floats
from antiphon.populations.array_columns import float64s
from antiphon.populations.each_replica import for_all, for_each
from antiphon.protocol.coins import Coins


def check_body(body: Body) -> None:
    """Raises: InvalidArgument for a body from which nothing is drawn here."""
    kind: Any = type(body)
    if kind is not Ball and kind is not Box:
        raise InvalidArgument(
            f"points are drawn from a Ball or a Box, not from a {type(body).__name__}: LazyLeader "
            "asks a body for projections only"
        )


def gibbs(body: Body, slope: Point, curvature: float, coins: Coins) -> Point:
    """A point of the body with density ∝ e^(⟨slope, x⟩ - curvature·‖x‖²).

    Raises: InvalidArgument for a body that is neither a ball nor a box.
    """
    check_body(body)
    if isinstance(body, Box):
        return _of_box(body.half_width, slope, curvature, coins)
    reach = body.reach
    return _of_ball(slope * reach, curvature * reach * reach, coins) * reach


def _of_box(half: float, slope: Point, curvature: float, coins: Coins) -> Point:
    """Coordinate by coordinate."""

    def log_density(x: Floats) -> Floats:
        return (slope[:, None] - curvature * x) * x

    ends = np.full(len(slope), half)
    found = table(log_density, -ends, ends)
    point: Point = for_all(found.quantiles, uniforms(coins, len(slope)))
    return point


def _of_ball(slope: Point, curvature: float, coins: Coins) -> Point:
    """By the axis law: x = t·u + v, u the direction of the slope, v orthogonal to it.

    t has density ∝ e^(κt-qt²)·P[χ²_{d-1} <= 2q(1-t²)], κ = ‖slope‖ and q = ``curvature``; given t,
    ‖v‖ has density ∝ r^(d-2) e^(-qr²) on [0, √(1-t²)], and any direction. Both are log-concave.
    """
    size, dimension = math.sqrt(slope @ slope), len(slope)
    rest = (dimension - 1) / 2

    def axis(t: Floats) -> Floats:
        within = log_gamma_share(rest, curvature * (1 - t) * (1 + t)) if rest else 0.0
        found: Floats = (size - curvature * t) * t + within
        return found

    def radial(r: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            return (np.log(r) * (dimension - 2) if dimension > 2 else 0.0) - curvature * r * r

    one = np.ones(1)
    law = table(axis, -one, one)
    t = for_all(law.quantiles, uniforms(coins, 1))[0].item()
    along = slope / size if size else np.eye(dimension)[0]
    if dimension == 1:
        only: Point = along * t
        return only

    def distance(most: float, share: Floats) -> float:
        return float(table(radial, 0 * one, most * one).quantiles(share)[0])

    most = for_each(_height, t)
    r = for_each(distance, most, uniforms(coins, 1)) if most else 0.0
    across = float64s([coins.gaussian(1.0) for _ in range(dimension)])
    point: Point = for_each(_placed, along, t, r, across)
    return point


def _height(t: float) -> float:
    """Of a unit ball at t, from the axis."""
    return math.sqrt(max((1 - t) * (1 + t), 0.0))


def _placed(along: Point, t: float, r: float, across: Point) -> Point:
    """t·u + v, ‖v‖ = r, v in the direction of what is left of ``across`` orthogonally to u."""
    across = across - (across @ along) * along
    across = across - (across @ along) * along
    point: Point = along * t + across * (r / math.sqrt(across @ across))
    return point


def log_gamma_share(shape: float, x: Floats) -> Floats:
    """ln P[Γ(shape) <= x], for x >= 0: the regularised lower incomplete gamma function.

    By x^a e^-x/Γ(a+1)·(1 + x/(a+1) + x²/((a+1)(a+2)) + …), whose terms are positive; 0 beyond
    a + 12√a + 60, where what is missing is less than a double tells.
    """
    most = shape + 12 * math.sqrt(shape) + 60
    near = np.minimum(x, most)
    term, total, n = np.ones_like(near), np.ones_like(near), 0
    while term.max() > 1e-17:  # once they fall they go on falling
        n += 1
        term = term * near / (shape + n)
        total = total + term
    with np.errstate(divide="ignore"):
        found = shape * np.log(near) - near - math.lgamma(shape + 1) + np.log(total)
    return np.where(x < most, np.minimum(found, 0.0), 0.0)
