"""The joint Rényi bound of decisions to stay or to draw anew, with what is drawn, rounded up.

A lazy learner stays with what it holds with probability s = e^(-a), and else draws anew. Where it
stays with s₀ in one world and with s₁ in the other, and what it draws has E' <= R in place of E,
a decision contributes at most

    s₀^α s₁^(1-α) + (1-s₀)^α (1-s₁)^(1-α)·R

to E = Σ P^α Q^(1-α). That is jointly convex in (s₀, s₁), as perspectives of a power are. If both a
lie in [low, high] and are at most ``apart`` apart, the pairs (s₀, s₁) make a hexagon, for
|ln(s₀/s₁)| <= apart is s₀ <= e^apart·s₁ and s₁ <= e^apart·s₀. So it is largest at a corner.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Final, NamedTuple

import attrs

from antiphon.numbers.interval import up
from antiphon.protocol.measures.divergences import SLACK, order_of

LARGE: Final = 600.0
"""An exponent past which e^x is not computed."""
_HIGHEST: Final = 1e150
"""Orders past which doubles tell nothing: products of two overflow."""
_NEAREST: Final = 2.0**-20
"""The least α-1."""


class HexagonCorner(NamedTuple):
    """a in the world on the left, a in the other, and by how much the other is larger.

    Each the double nearest to what is meant, or a few roundings from it.
    """

    own: float
    other: float
    more: float


def corners(low: Fraction, high: Fraction, apart: Fraction) -> tuple[HexagonCorner, ...]:
    """Of the hexagon, but for (low, low), where decisions contribute less than at (high, high)."""
    if high > LARGE:
        return (HexagonCorner(math.inf, math.inf, 0.0),)
    apart = min(apart, high - low)
    pairs = {(high, high), (low, low + apart), (high - apart, high)}
    both = pairs | {(other, own) for own, other in pairs}
    return tuple(
        HexagonCorner(float(own), float(other), float(other - own)) for own, other in sorted(both)
    )


def above_one(order: float) -> float:
    """α-1, for bounds that rise with α, and are no better told where that vanishes.

    Infinite for orders that are not told apart from infinity.
    """
    less = max(order_of(order) - 1, _NEAREST)
    return less if less <= _HIGHEST else math.inf


def contribution(corners: Iterable[HexagonCorner], less: float, drawn: float) -> float:
    """The largest ln(s₀^α s₁^(1-α) + (1-s₀)^α (1-s₁)^(1-α)·R), less = α-1, drawn = ln R >= 0.

    At least 0. Infinite where exponents are too large to tell.
    """
    found = [_mixed(corner, less, drawn) for corner in corners]
    return max(found) if all(each == each for each in found) else math.inf  # not of a NaN


def _mixed(corner: HexagonCorner, less: float, drawn: float) -> float:
    """That of one corner, as ln(s e^stays + (1-s) e^draws) with s = s₀, rounded up."""
    exponent, other, more = corner
    if exponent <= 0 or other <= 0 or max(exponent, other) > LARGE:
        return math.inf
    stays, draws = less * more, less * _ratio(corner) + drawn
    stays, draws = stays + SLACK * abs(stays), draws + SLACK * (abs(draws) + drawn)
    staying, drawing = math.exp(-exponent), -math.expm1(-exponent)
    slack = SLACK * (1 + exponent)
    if max(stays, draws) < LARGE:
        parts = staying * math.expm1(stays), drawing * math.expm1(draws)
        excess = parts[0] + parts[1] + slack * (abs(parts[0]) + abs(parts[1]))
        return max(0.0, math.log1p(max(0.0, excess)) * (1 + SLACK))
    logs = stays - exponent, draws + math.log(drawing)
    most = max(logs)
    if most == math.inf:
        return math.inf
    sizes = abs(stays) + abs(draws) + exponent + abs(math.log(drawing))
    return most + math.log1p(math.exp(min(logs) - most)) + slack * (1 + sizes)


def _ratio(corner: HexagonCorner) -> float:
    """ln((1 - e^-own)/(1 - e^-other)), rounded up."""
    own, other, more = corner
    if own == other and not more:
        return 0.0
    ends = math.log(-math.expm1(-own)), math.log(-math.expm1(-other))
    return ends[0] - ends[1] + SLACK * (1 + abs(ends[0]) + abs(ends[1]))


Corners = tuple[HexagonCorner, ...]


@attrs.frozen
class JointCurve:
    """order α ↦ (F + (k-1)·F')/(α-1) nats, k = ``batches`` that are decided upon; 0 if none.

    F is the sum of the largest contributions of the decisions after the batch with the loss that
    differs (``first``), F' of those after a later one, each given by the corners where it may be
    largest (``decisions``); what is drawn is ``rho``-zCDP, so ln R = α(α-1)ρ.
    """

    first: tuple[Corners, ...]
    later: tuple[Corners, ...]
    batches: int
    rho: Fraction

    def __call__(self, order: float) -> float:
        if not self.batches:
            return 0.0
        less = above_one(order)
        if less == math.inf:
            return math.inf
        drawn = less * (1 + less) * up(self.rho) * (1 + SLACK)
        differs, after = (
            sum(contribution(each, less, drawn) for each in decisions)
            for decisions in (self.first, self.later)
        )
        total = max(differs, after) + (self.batches - 1) * after
        return total / less * (1 + SLACK) + 5e-324
