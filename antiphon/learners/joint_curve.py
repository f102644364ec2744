"""Rényi bounds for lazy learners, which after each batch of rounds decide to keep their expert or
to draw a new one: for all decisions and draws together, rounded up.

*The argument*, against adversaries that adapt. Reveal more than the answers: each decision, and
each draw. These determine the answers and, with the adversary's own coins, the next loss; so it is
enough to bound E = Σ P^α Q^(1-α) over the revealed sequences, P and Q their laws in the two worlds,
in either order. These factor into conditional laws given the past, so E is at most the product of
the largest contributions of the decisions given any past, by induction from the last decision back.
Given the past, the learner's present expert is known, and is the same in both worlds.

A lazy learner keeps its expert with probability s = e^(-a), and else draws anew. If the probability
is s₀ in one world and s₁ in the other, and the draw has E' <= R in place of E, a decision
contributes at most

    s₀^α s₁^(1-α) + (1-s₀)^α (1-s₁)^(1-α)·R

to E = Σ P^α Q^(1-α). That is jointly convex in (s₀, s₁), as perspectives of a power are. If both a
lie in [low, high] and are at most ``apart`` apart, the pairs (s₀, s₁) make a hexagon, for
|ln(s₀/s₁)| <= apart is s₀ <= e^apart·s₁ and s₁ <= e^apart·s₀. So it is largest at a corner.
"""

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from typing import Any, Final, NamedTuple, TypeAlias

import attrs
import numpy as np

from antiphon.numbers import ExactEpsilon, Floats, exact, nearest, up
from antiphon.protocol.measures.divergences import SLACK, order_of, range_divergence
from antiphon.protocol.registry import register

LARGE: Final = 600.0
"""The largest exponent a for which e^(-a), the probability to keep the expert, is computed."""
_HIGHEST: Final = 1e150
"""The largest Rényi order α with a finite bound: for a larger one α² would overflow."""
_NEAREST: Final = 2.0**-20
"""The least α-1, for a Rényi order α, at which a bound is evaluated."""
_TINY: Final = 1e-200
"""The least product η·c of a lazy learner's rate η and cost c for which a bound is computed, since
doubles underflow below it."""
_SMALL: Final = 2.0**-8
"""A search bounds the Rényi divergence D_α(P‖Q) by αs²/8 if αs is smaller than this, where s is the
range (largest minus least value) of ln(P/Q)."""


class HexagonCorner(NamedTuple):
    """A corner of the hexagon of pairs (a₀, a₁) such that a decision may keep the expert with
    probability e^(-a₀) in one world and e^(-a₁) in the other: ``own`` = a₀, ``other`` = a₁ and
    ``more`` = a₁ - a₀.

    Each is the double nearest to the exact value, or a few roundings from it.
    """

    own: float
    other: float
    more: float


Corners: TypeAlias = tuple[HexagonCorner, ...]
UNTOLD: Final[Corners] = (HexagonCorner(math.inf, math.inf, 0.0),)
"""A stand-in for the corners of a decision whose exponents are out of the range of doubles: it
makes the bound infinite."""


def alike(exponent: float) -> Corners:
    """The corner for keeping the expert with probability e^-``exponent`` in both worlds."""
    return (HexagonCorner(exponent, exponent, 0.0),)


def either_way(own: float, other: float, more: float) -> Corners:
    """The two corners for a decision that keeps the expert with probability e^-``own`` in one world
    and e^-``other`` in the other, and with the worlds exchanged; ``more`` = other - own."""
    return HexagonCorner(own, other, more), HexagonCorner(other, own, -more)


def corners(low: Fraction, high: Fraction, apart: Fraction) -> Corners:
    """The corners of the hexagon of pairs of exponents (one for each world) in [low, high] that are
    at most ``apart`` apart; (low, low) is left out, as (high, high) contributes more."""
    if high > LARGE:
        return UNTOLD
    apart = min(apart, high - low)
    pairs = {(high, high), (low, low + apart), (high - apart, high)}
    both = pairs | {(other, own) for own, other in pairs}
    return tuple(
        HexagonCorner(float(own), float(other), float(other - own)) for own, other in sorted(both)
    )


def contribution(corners: Iterable[HexagonCorner], less: float, drawn: float) -> float:
    """The contribution of a decision to the bound at the order α = 1 + ``less``: the largest
    ln(s₀^α s₁^(1-α) + (1-s₀)^α (1-s₁)^(1-α)·R) over the ``corners`` (own, other, …), with the
    probabilities s₀ = e^-own and s₁ = e^-other to keep the expert; ``drawn`` = ln R >= 0 is the
    contribution of a draw.

    At least 0. Infinite where exponents are too large for doubles.
    """
    found = [_mixed(corner, less, drawn) for corner in corners]
    # A NaN is not equal to itself; the contribution is then infinite.
    return max(found) if all(each == each for each in found) else math.inf


def _mixed(corner: HexagonCorner, less: float, drawn: float) -> float:
    """The contribution of a decision with the exponents of one ``corner`` (own, other, more),
    rounded up: ln(s·e^u + (1-s)·e^v), s = e^-own, u = (α-1)·more, v = (α-1)·ln((1 - e^-own)/(1 -
    e^-other)) + drawn, α-1 = ``less``."""
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
    """An upper bound on ln((1 - e^-own)/(1 - e^-other)), the log-ratio of the probabilities to draw
    a new expert in the two worlds."""
    own, other, more = corner
    if own == other and not more:
        return 0.0
    ends = math.log(-math.expm1(-own)), math.log(-math.expm1(-other))
    return ends[0] - ends[1] + SLACK * (1 + abs(ends[0]) + abs(ends[1]))


@register("antiphon.JointCurve/1", state=True)
@attrs.frozen
class JointCurve:
    """A bound on the Rényi divergences of a lazy learner, as a function of the order α: the largest
    contributions of its decisions, added up and divided by α-1.

    It is order α ↦ (max{F, F'} + (k-1)·F' + k·G)/(α-1) nats, k = ``batches``; 0 if k = 0.

    F is the sum of the largest contributions of the decisions after the batch with the loss that
    differs (``first``), F' of those after a later one (``later``), each given by the corners where
    it may be largest; G is that of a decision which is the same in both worlds (``aside``). A draw
    is ``rho``-zCDP, so ln R = α(α-1)ρ; or, where ``ratio`` = η is given, R = e^((α-1)D), D the
    largest D_α of two laws whose log-ratio has a range of 2η (at most αη²/2).
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
        # An order too near 1 is raised, because the bound is divided by α-1; divergences increase
        # with the order.
        less = max(order_of(order) - 1, _NEAREST)
        if less > _HIGHEST:
            return math.inf
        drawn = self._drawn(less)
        total: float = self._total(lambda each: contribution(each, less, drawn), max)
        # A NaN, which comes from 0·inf, makes this False, and the bound infinite.
        told = total < math.inf
        return total / less * (1 + SLACK) + 5e-324 if told else math.inf

    def _total(self, told: Callable[[Corners], Any], larger: Callable[[Any, Any], Any]) -> Any:
        """The sum of the contributions of all decisions: ``told`` computes that of one decision
        from its corners, and ``larger`` is the maximum."""
        differs, after = (sum(map(told, each)) for each in (self.first, self.later))
        total = larger(differs, after) + (self.batches - 1) * after
        return total + self.batches * told(self.aside) if self.aside else total

    def _drawn(self, less: float) -> float:
        """The contribution of a draw to the bound at the order 1 + ``less``, rounded up."""
        if self.ratio:
            return less * range_divergence(exact.epsilon(2 * self.ratio), 1 + less)
        return less * (1 + less) * up(self.rho) * (1 + SLACK)

    # --- the bound in plain floats, at many orders at once: for searches only ---------------------

    def seems_to_keep(self, epsilon: float, delta: float, orders: int, span: float) -> bool:
        """Whether the bound seems to give (ε, δ)-DP: computed in doubles without rounding up, at as
        many orders α as ``orders``, where the largest α-1 is ``span`` times the least."""
        if not self.batches:
            return True
        if any(corner.own == math.inf for decision in self.first for corner in decision):
            return False
        less, shape = _orders(epsilon, delta, orders, span)
        drawn = rough_ratio(self.ratio, less) if self.ratio else less * (1 + less) * float(self.rho)
        total = self._total(lambda each: _rough(each, less, drawn), np.maximum)
        return bool(((total + shape) / less).min() <= epsilon)


@lru_cache(maxsize=64)
def _orders(epsilon: float, delta: float, orders: int, span: float) -> tuple[Floats, Floats]:
    """The values α-1 for the orders α that a search tries; and for each the number c for which a
    Rényi bound D_α implies (ε, δ)-DP with ε = D_α + c/(α-1)."""
    most = 50 * (1 - math.log(delta)) / epsilon
    less = np.geomspace(most / span, most, orders)
    return less, less * np.log(less) - (1 + less) * np.log1p(less) - math.log(delta)


def rough_ratio(rate: float, less: Floats) -> Floats:
    """The contribution (α-1)·D_α of a draw at the orders α = 1 + ``less``, without rounding up, if
    the log-ratio of the draw's laws has a range of 2·``rate``."""
    size, order = 2 * rate, 1 + less
    straight = less * order * rate**2 / 2
    whole, share = np.log(-np.expm1(-order * size)), np.log(-np.expm1(-less * size))
    found = less * (np.log1p(-1 / order) + size - share) + order * whole
    found -= math.log(-math.expm1(-size)) + np.log(order)
    return np.where(order * size < _SMALL, straight, np.minimum(straight, found))


def _rough(corners: Corners, less: Floats, drawn: Floats) -> Floats:
    """The contribution of a decision to the bound at the orders 1 + ``less``, the largest over the
    corners, without rounding up; ``drawn`` is the contribution of a draw."""
    found: list[Floats] = []
    for own, other, more in corners:
        logs = math.log(-math.expm1(-own)), math.log(-math.expm1(-other))
        draws = (logs[0] - logs[1]) * less + drawn + logs[0]
        found.append(np.logaddexp(more * less - own, draws))
    most: Floats = np.maximum.reduce(found)
    return most


# --- Rényi bounds of learners, by their parameters ------------------------------------------------


@register("antiphon.LazyCurve/1", state=True)
@attrs.frozen
class LazyCurve:
    """A bound on the Rényi divergences of ``LazyExperts``, as a function of the order, for k =
    ``decisions`` decisions to stay or to draw anew; 0 if k = 0.

    It is order α ↦ ln(max{1 + r(R-1), F}·(1 + r(R-1))^(k-1))/(α-1) nats.

    r = 1 - e^(-η(c+B)) bounds the probability to draw anew; R = e^((α-1)D), D the largest D_α of
    two laws whose log-ratio has a range of 2η (at most αη²/2); F is the largest
    s₀^α s₁^(1-α) + (1-s₀)^α (1-s₁)^(1-α)·R with s₀ = e^(-η(c+L)) and s₁ = e^(-η(c+L+1)), or the
    other way round, for L = 0 and B-1. The proof is in ``LazyExperts``. Without ``draws`` R is 1:
    the bound for the decisions alone.
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
    """The ``JointCurve`` that computes the bound of ``LazyCurve``, from its parameters as
    floats."""
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
    """A bound on the Rényi divergences of L2P (lazy to private), as a function of the order, for k
    = ``decisions`` decisions to stay or to draw anew; 0 if k = 0.

    It is order α ↦ ln(max{X, F}·X^(k-1)·Y^k)/(α-1) nats.

    X = 1 + (1 - (1-p)e^(-(m+1)Bη))(R-1) and Y = 1 + p(R-1), p = ``fakes``, m = ``margin``; R =
    e^((α-1)D), D the largest D_α of two laws whose log-ratio has a range of 2η; F is the largest
    s₀^α s₁^(1-α) + (1-s₀)^α (1-s₁)^(1-α)·R with s₀ = (1-p)e^-a and s₁ = (1-p)e^-(a+2η), or the
    other way round, for a = (m-1)Bη and (m+1)Bη - 2η. The proof is in ``Optimised``.
    """

    rate: ExactEpsilon
    fakes: Fraction
    margin: int
    batch: int
    decisions: int

    def __call__(self, order: float) -> float:
        rate, real = nearest(self.rate), _no_fake_exponent(self.fakes)
        return l2p_bound(rate, real, self.margin, self.batch, self.decisions)(order)


def l2p_bound(rate: float, real: float, margin: int, batch: int, decisions: int) -> JointCurve:
    """The ``JointCurve`` that computes the bound of ``L2PCurve``, from its parameters as floats;
    ``real`` = -ln(1-p), p the probability of a fake switch (a draw whatever the losses)."""
    low, high = (margin - 1) * batch, (margin + 1) * batch
    differing = (
        either_way(real + rate * steps, real + rate * (steps + 2), 2 * rate)
        for steps in {low, high - 2}
    )
    later = alike(real + high * rate)
    first = tuple(chain(*differing))
    return JointCurve((first,), (later,), decisions, ratio=rate, aside=alike(real))


def _no_fake_exponent(fakes: Fraction) -> float:
    """The value -ln(1-p), p = ``fakes`` the probability of a fake switch (a draw in any case)."""
    return -math.log1p(-float(fakes)) if fakes < Fraction(1, 2) else -math.log(float(1 - fakes))


def prefix_curve(
    horizon: int, batch: int, sigma: Fraction, cost: Fraction, clip: Fraction
) -> JointCurve:
    """The bound on the Rényi divergences of a ``LazyPrefix`` learner, which holds a noisy sum of
    gradients; it is proved in ``LazyLeader``."""
    apart = min(2 / sigma**2, 2 * clip)
    high = cost + 2 * batch * clip
    first = corners(cost, high, 2 * clip + (batch - 1) * apart)
    later = corners(cost, high, batch * apart)
    return JointCurve((first,), (later,), -(-horizon // batch) - 1, 2 / sigma**2)


def paired_curve(
    horizon: int, batch: int, fakes: float, margin: float | Fraction, reach: float | Fraction,
    rho: Fraction,
) -> JointCurve:  # fmt: skip
    """The bound on the Rényi divergences of ``DPOCO`` with batches of B = ``batch`` rounds,
    ``margin`` = 2Bη for its rate η and ``reach`` = βLD for its β, the Lipschitz constant L and a
    body of diameter D; each drawn point is ``rho``-zCDP."""
    real = -math.log1p(-fakes)
    least = Fraction(real) + max(Fraction(0), Fraction(margin) - batch * Fraction(reach))
    most = Fraction(real) + Fraction(margin) + batch * Fraction(reach)
    other = alike(real)
    first = corners(least, most, 2 * Fraction(reach)), other
    later = corners(least, most, Fraction(0)), other
    return JointCurve(first, later, -(-horizon // batch) - 1, rho)
