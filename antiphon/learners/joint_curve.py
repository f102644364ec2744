"""The joint Rényi bound of decisions to stay or to draw anew, with what is drawn, rounded up.

*The argument*, against adversaries that adapt. Reveal more than is said: each decision, and what is
drawn. What is said follows from that, and with the adversary's own coins so does the next loss; so
it is enough to bound E = Σ P^α Q^(1-α) over the sequences of what is revealed, P and Q the laws in
the two worlds, in either order. They factor into conditional laws given what was revealed, so E is
at most the product of what each decision can contribute, whatever came before, by induction from
the last decision back. Given the past, whom the learner holds is known, and is the same in both.

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
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import chain
from typing import Any, Final, NamedTuple, TypeAlias

import attrs
import numpy as np

from antiphon.numbers import ExactEpsilon, Floats, exact, nearest, up
from antiphon.protocol.measures.divergences import SLACK, order_of, range_divergence
from antiphon.protocol.registry import register

LARGE: Final = 600.0
"""An exponent past which e^x is not computed."""
_HIGHEST: Final = 1e150
"""Orders past which doubles tell nothing: products of two overflow."""
_NEAREST: Final = 2.0**-20
"""The least α-1."""
_TINY: Final = 1e-200
"""An ηc below which doubles do not tell a decision of lazy experts."""
_SMALL: Final = 2.0**-8
"""α·η below which a range of η tells as much as αη²/8."""


class HexagonCorner(NamedTuple):
    """a in the world on the left, a in the other, and by how much the other is larger.

    Each the double nearest to what is meant, or a few roundings from it.
    """

    own: float
    other: float
    more: float


Corners: TypeAlias = tuple[HexagonCorner, ...]
UNTOLD: Final[Corners] = (HexagonCorner(math.inf, math.inf, 0.0),)
"""The corners of decisions that doubles cannot tell apart: the bound is infinite."""


def alike(exponent: float) -> Corners:
    """The corners for a decision that is the same in both worlds."""
    return (HexagonCorner(exponent, exponent, 0.0),)


def either_way(own: float, other: float, more: float) -> Corners:
    """The corners for two exponents, with either of them in the world on the left."""
    return HexagonCorner(own, other, more), HexagonCorner(other, own, -more)


def corners(low: Fraction, high: Fraction, apart: Fraction) -> Corners:
    """Corners of the hexagon, except the dominated one: (low, low) contributes less than (high,
    high)."""
    if high > LARGE:
        return UNTOLD
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
    """The contribution of one corner, as ln(s e^stays + (1-s) e^draws) with s = s₀, rounded up."""
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


@register("antiphon.JointCurve/1", state=True)
@attrs.frozen
class JointCurve:
    """order α ↦ (max{F, F'} + (k-1)·F' + k·G)/(α-1) nats, k = ``batches`` decided upon; 0 if none.

    F is the sum of the largest contributions of the decisions after the batch with the loss that
    differs (``first``), F' of those after a later one (``later``), each given by the corners where
    it may be largest; G is that of a decision which is the same in both worlds (``aside``). What is
    drawn is ``rho``-zCDP, so ln R = α(α-1)ρ; or, where ``ratio`` = η is given, R = e^((α-1)D), D
    the largest D_α of two laws whose log-ratio has a range of 2η (at most αη²/2).
    """

    first: tuple[Corners, ...]
    later: tuple[Corners, ...]
    batches: int
    rho: Fraction = Fraction(0)
    ratio: float = 0.0
    aside: Corners = ()

    def __call__(self, order: float) -> float:
        if not self.batches:
            return 0.0
        less = above_one(order)
        if less == math.inf:
            return math.inf
        drawn = self._drawn(less)
        total: float = self._total(lambda each: contribution(each, less, drawn), max)
        told = total < math.inf  # which a NaN, of 0·inf, is not
        return total / less * (1 + SLACK) + 5e-324 if told else math.inf

    def _total(self, told: Callable[[Corners], Any], larger: Callable[[Any, Any], Any]) -> Any:
        """max{F, F'} + (k-1)·F' + k·G, by what a decision contributes."""
        differs, after = (sum(map(told, each)) for each in (self.first, self.later))
        total = larger(differs, after) + (self.batches - 1) * after
        return total + self.batches * told(self.aside) if self.aside else total

    def _drawn(self, less: float) -> float:
        """ln R, rounded up."""
        if self.ratio:
            return less * range_divergence(exact.epsilon(2 * self.ratio), 1 + less)
        return less * (1 + less) * up(self.rho) * (1 + SLACK)

    # --- in plain floats, many orders at once: where to look --------------------------------------

    def seems_to_keep(self, epsilon: float, delta: float, orders: int, span: float) -> bool:
        """Whether ε is enough, by so many orders; the largest is ``span`` times the least."""
        if not self.batches:
            return True
        if any(corner.own == math.inf for decision in self.first for corner in decision):
            return False
        most = 50 * (1 - math.log(delta)) / epsilon
        less = np.geomspace(most / span, most, orders)
        drawn = rough_ratio(self.ratio, less) if self.ratio else less * (1 + less) * float(self.rho)
        total = self._total(lambda each: _rough(each, less, drawn), np.maximum)
        shape = less * np.log(less) - (1 + less) * np.log1p(less) - math.log(delta)
        return bool(((total + shape) / less).min() <= epsilon)


def rough_ratio(rate: float, less: Floats) -> Floats:
    """ln R of a range of 2η at many orders, as ``range_divergence`` has it."""
    size, order = 2 * rate, 1 + less
    straight = less * order * rate**2 / 2
    whole, share = np.log(-np.expm1(-order * size)), np.log(-np.expm1(-less * size))
    found = less * (np.log1p(-1 / order) + size - share) + order * whole
    found -= math.log(-math.expm1(-size)) + np.log(order)
    return np.where(order * size < _SMALL, straight, np.minimum(straight, found))


def _rough(corners: Corners, less: Floats, drawn: Floats) -> Floats:
    """The largest contribution at the corners."""
    found: list[Floats] = []
    for own, other, more in corners:
        logs = math.log(-math.expm1(-own)), math.log(-math.expm1(-other))
        draws = (logs[0] - logs[1]) * less + drawn + logs[0]
        found.append(np.logaddexp(more * less - own, draws))
    most: Floats = np.maximum.reduce(found)
    return most


# --- of learners, by their parameters -------------------------------------------------------------


@register("antiphon.LazyCurve/1", state=True)
@attrs.frozen
class LazyCurve:
    """order α ↦ ln(max{1 + r(R-1), F}·(1 + r(R-1))^(k-1))/(α-1) nats; 0 if k = ``decisions`` is.

    r = 1 - e^(-η(c+B)) bounds the probability to draw anew; R = e^((α-1)D), D the largest D_α of
    two laws whose log-ratio has a range of 2η (at most αη²/2); F is the largest
    s₀^α s₁^(1-α) + (1-s₀)^α (1-s₁)^(1-α)·R with s₀ = e^(-η(c+L)) and s₁ = e^(-η(c+L+1)), or the
    other way round, for L = 0 and B-1. What it bounds, and why: ``LazyExperts``. Without
    ``draws`` R is 1: of the decisions alone, whoever is drawn.
    """

    rate: ExactEpsilon
    cost: Fraction
    batch: int
    decisions: int
    draws: bool = True

    def __call__(self, order: float) -> float:
        rate, cost = nearest(self.rate), float(self.cost)
        return lazy_bound(rate, cost, self.batch, self.decisions, draws=self.draws)(order)


def lazy_bound(
    rate: float, cost: float, batch: int, decisions: int, *, draws: bool = True
) -> JointCurve:
    """The bound of ``LazyCurve``: after the differing batch its L is 0 and 1, or B-1 and B."""
    if rate * cost < _TINY:
        return JointCurve((UNTOLD,), (UNTOLD,), decisions)
    differing = (
        either_way(rate * (cost + loss), rate * (cost + (loss + 1)), rate)
        for loss in {0, batch - 1}
    )
    later = alike(rate * (cost + batch))
    ratio = rate if draws else 0.0
    return JointCurve((tuple(chain(*differing)),), (later,), decisions, ratio=ratio)


@register("antiphon.L2PCurve/1", state=True)
@attrs.frozen
class L2PCurve:
    """order α ↦ ln(max{X, F}·X^(k-1)·Y^k)/(α-1) nats; 0 if k = ``decisions`` is.

    X = 1 + (1 - (1-p)e^(-(m+1)Bη))(R-1) and Y = 1 + p(R-1), p = ``fakes``, m = ``margin``; R =
    e^((α-1)D), D the largest D_α of two laws whose log-ratio has a range of 2η; F is the largest
    s₀^α s₁^(1-α) + (1-s₀)^α (1-s₁)^(1-α)·R with s₀ = (1-p)e^-a and s₁ = (1-p)e^-(a+2η), or the
    other way round, for a = (m-1)Bη and (m+1)Bη - 2η. What it bounds, and why: ``Optimised``.
    """

    rate: ExactEpsilon
    fakes: Fraction
    margin: int
    batch: int
    decisions: int

    def __call__(self, order: float) -> float:
        rate, real = nearest(self.rate), _less(self.fakes)
        return l2p_bound(rate, real, self.margin, self.batch, self.decisions)(order)


def l2p_bound(rate: float, real: float, margin: int, batch: int, decisions: int) -> JointCurve:
    """The bound of ``L2PCurve``, by ``real`` = -ln(1-p)."""
    low, high = (margin - 1) * batch, (margin + 1) * batch
    differing = (
        either_way(real + rate * steps, real + rate * (steps + 2), 2 * rate)
        for steps in {low, high - 2}
    )
    later = alike(real + high * rate)
    first = tuple(chain(*differing))
    return JointCurve((first,), (later,), decisions, ratio=rate, aside=alike(real))


def _less(fakes: Fraction) -> float:
    """-ln(1-p)."""
    return -math.log1p(-float(fakes)) if fakes < Fraction(1, 2) else -math.log(float(1 - fakes))


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
    horizon: int, batch: int, fakes: float, margin: float | Fraction, reach: float | Fraction,
    rho: Fraction,
) -> JointCurve:  # fmt: skip
    """The bound of Alg. 1 with e^(-margin) in S, reach = βLD, points ρ-zCDP; proof: ``DPOCO``."""
    real = -math.log1p(-fakes)
    least = Fraction(real) + max(Fraction(0), Fraction(margin) - batch * Fraction(reach))
    most = Fraction(real) + Fraction(margin) + batch * Fraction(reach)
    other = alike(real)
    first = corners(least, most, 2 * Fraction(reach)), other
    later = corners(least, most, Fraction(0)), other
    return JointCurve(first, later, -(-horizon // batch) - 1, rho)
