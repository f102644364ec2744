"""The joint Rényi bounds of lazy points, by their parameters."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TypeAlias

from antiphon.mechanisms.learners.decisions import HexagonCorner, corners
from antiphon.mechanisms.learners.joint_curve import JointCurve

Number: TypeAlias = float | Fraction


def prefix_curve(
    horizon: int, batch: int, sigma: Fraction, cost: Fraction, clip: Fraction
) -> JointCurve:
    """The bound of these parameters; its proof is in ``LazyLeader``."""
    apart = min(2 / sigma**2, 2 * clip)
    high = cost + 2 * batch * clip
    first = corners(cost, high, 2 * clip + (batch - 1) * apart)
    later = corners(cost, high, batch * apart)
    return JointCurve((first,), (later,), -(-horizon // batch) - 1, 2 / sigma**2)


def paired_curve(
    horizon: int,
    batch: int,
    fakes: float,
    margin: Number,
    reach: Number,
    rho: Fraction,
) -> JointCurve:
    """The bound of Alg. 1 with e^(-margin) in S, reach = βLD, points ρ-zCDP; proof: ``DPOCO``."""
    real = -math.log1p(-fakes)
    least = Fraction(real) + max(Fraction(0), Fraction(margin) - batch * Fraction(reach))
    most = Fraction(real) + Fraction(margin) + batch * Fraction(reach)
    other = (HexagonCorner(real, real, 0.0),)
    first = corners(least, most, 2 * Fraction(reach)), other
    later = corners(least, most, Fraction(0)), other
    return JointCurve(first, later, -(-horizon // batch) - 1, rho)
