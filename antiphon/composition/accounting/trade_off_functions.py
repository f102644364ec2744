# pyright: reportUnknownMemberType=false
"""Trade-off functions of f-DP: given as a claim by their corners, and read off a privacy curve.

f(α) is the least type II error of a test of the two worlds with type I error α (Dong, Roth and Su
2022, Def. 2.1). A privacy curve δ(·), which holds in both orders of the worlds, says that f is at
least

    f(α) = sup over s > 0 of g(s),  g(s) = 1 - H(s) - sα,  H(e^ε) = δ(ε) for ε >= 0,
    H(1/s) = 1 - 1/s + H(s)/s

(ibid., Prop. 2.12), and says no more. *Lower end*: g, with δ rounded up, at any s. *Upper end*: H
is convex, so g is concave, and between two tried s it is below the lines through their neighbours,
extended; left of the least s tried g(s) <= s(1 - α), right of the largest g(s) <= 1 - δ(∞) - sα.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, Final, TypeAlias

import attrs
import numpy as np

from antiphon.composition.accounting.bounds import of_measure
from antiphon.composition.accounting.curve import PrivacyCurve, reach
from antiphon.composition.accounting.pairs.points import FinitePair
from antiphon.numbers import InvalidArgument, exact, shown_down
from antiphon.numbers.errors import of_kind, shown, written_as
from antiphon.numbers.interval import UNIT, Interval, above, below, down, probability, up
from antiphon.protocol.display import Card, Grid, Part, Shown
from antiphon.protocol.measures.kinds import MEASURES, Dominated, Measure
from antiphon.protocol.pictures import COLOURS, DASHED, SOFT, Axes, Plotted, style_axes, titled

Corners: TypeAlias = list[tuple[Fraction, Fraction]]
"""The corners (α, f(α)) of a piecewise linear function, in the order of α."""

_MOST: Final = 1024
"""The largest number of corners of a trade-off function."""
_WRITE: Final = "trade_off([(0, 1), (Fraction(1, 4), Fraction(1, 4)), (1, 0)])"


@written_as(_WRITE)
def trade_off(corners: Any) -> Dominated:
    """The measure f-DP, for a piecewise linear trade-off function f given by its corners (α, f(α)).

    It is for claims, for the measures that a verification function fixes, and for ``compose``.
    f-DP speaks of both orders of the worlds, so it is f^S-DP with f^S = max(f, f⁻¹) (Dong, Roth and
    Su 2022, Prop. 2.4): the pair of laws of the measure has the trade-off function f^S, exactly.
    Instead of a smooth f, give the polygon of some of its tangents.
    Raises: InvalidArgument if f is no trade-off function: not convex, increasing, or above 1 - α.

    >>> trade_off([(0, 1), (Fraction(1, 4), Fraction(1, 4)), (1, 0)]).pair
    FinitePair(zero=(0.75, 0.25), one=(0.25, 0.75))
    """
    steps = _steps(_symmetric(_checked(corners)))
    return Dominated(FinitePair([q for _, q in steps], [p for p, _ in steps]))


def _checked(corners: Any) -> Corners:
    """The corners of a trade-off function as Fractions. Raises: InvalidArgument if it is not
    one."""
    try:
        listed: list[tuple[Any, Any]] = [(alpha, beta) for alpha, beta in corners]
    except (TypeError, ValueError):
        raise InvalidArgument(
            f"a trade-off function is a list of its corners (α, f(α)), not {shown(corners)}: write "
            f"{_WRITE}; of a smooth function give the corners of a polygon of tangents"
        ) from None
    f = [(exact.probability(a, "α"), exact.probability(b, "f(α)")) for a, b in listed]
    if not 2 <= len(f) <= _MOST:
        raise InvalidArgument(f"a trade-off function has 2 to {_MOST} corners: write {_WRITE}")
    alphas = [alpha for alpha, _ in f]
    if alphas[0] != 0 or alphas[-1] != 1 or any(a >= b for a, b in pairwise(alphas)):
        raise InvalidArgument(
            f"the corners of a trade-off function go from α = 0 to α = 1, each α above the one "
            f"before: write {_WRITE}"
        )
    slopes = [(d - b) / (c - a) for (a, b), (c, d) in pairwise(f)]
    for alpha, beta in f:
        if beta > 1 - alpha:
            raise InvalidArgument(
                f"no trade-off function: f({alpha}) = {beta} is above 1 - α, which a guess without "
                f"any answer reaches; give at most {1 - alpha} there"
            )
    if max(slopes) > 0:
        raise InvalidArgument(
            "no trade-off function: f increases, but a test that may err more often by type I errs "
            "no more often by type II; give f(α) that do not increase in α"
        )
    bent = [left > right for left, right in pairwise(slopes)]
    if any(bent):
        raise InvalidArgument(
            f"no trade-off function: f is not convex at α = {alphas[1 + bent.index(True)]}, where "
            "a random choice of two tests does better; leave that corner out"
        )
    return f


def _symmetric(f: Corners) -> Corners:
    """The corners of the larger of a trade-off function and its inverse."""
    inverse = [(beta, alpha) for alpha, beta in reversed(f)]
    # Here f reaches 0 before α = 1; the inverse at β is the least α with f(α) <= β.
    if inverse[1][0] == 0:
        inverse = [(Fraction(0), min(a for b, a in inverse if b == 0)), *inverse]
        inverse = [inverse[0], *[each for each in inverse if each[0] > 0]]
    alphas = sorted({alpha for alpha, _ in (*f, *inverse)})
    crossings: list[Fraction] = []
    for left, right in pairwise(alphas):
        start, end = (_value(f, at) - _value(inverse, at) for at in (left, right))
        if start * end < 0:
            crossings.append(left + (right - left) * start / (start - end))
    return [(at, max(_value(f, at), _value(inverse, at))) for at in sorted([*alphas, *crossings])]


def _value(f: Corners, at: Fraction) -> Fraction:
    """The value of a piecewise linear function at a point; 0 after its last corner."""
    place = bisect_left(f, at, key=lambda each: each[0])
    if place == len(f):
        return Fraction(0)
    (c, d), (a, b) = f[place], f[place - 1]
    return d if c == at else b + (at - a) * (d - b) / (c - a)


def _steps(f: Corners) -> list[tuple[Fraction, Fraction]]:
    """The steps (Δα, Δβ) down a trade-off function from (0, 1) to (1, 0), equal slopes merged."""
    steps: list[tuple[Fraction, Fraction]] = []
    for (a, b), (c, d) in pairwise([(Fraction(0), Fraction(1)), *f]):
        p, q = c - a, b - d
        if steps and steps[-1][0] * q == p * steps[-1][1]:
            last = steps.pop()
            p, q = last[0] + p, last[1] + q
        if p or q:
            steps.append((p, q))
    return steps


_GRID: Final = 48
_AROUND: Final = 12
_ROUNDS: Final = 7
_SLACK: Final = 1 + 2.0**-24
"""A factor above 1 that exceeds the relative error of a line through two points of a grid."""
_LEAST_STEP: Final = 2.0**-22
_FAR: Final = 600.0
"""The largest logarithm ln s of a slope that is tried."""
_SHOWN: Final = (0.001, 0.01, 0.05, 0.1, 0.25, 0.5)


def _curve(given: PrivacyCurve | Measure) -> PrivacyCurve:
    if isinstance(given, PrivacyCurve):
        return given
    if isinstance(given, MEASURES):  # pyright: ignore[reportUnnecessaryIsInstance]
        return of_measure(given)
    raise InvalidArgument(
        f"a trade-off curve is of a privacy curve or a measure, not {of_kind(given)}: write "
        "TradeOffCurve(GaussianDP(1)), TradeOffCurve(compose([…])) or promise.trade_off"
    )


@attrs.frozen(eq=False, repr=False)
class TradeOffCurve(Shown, Plotted):
    """The trade-off function f that a privacy curve or a measure promises, as a certified interval
    at each α.

    ``at(α)`` is safe to report: no test with type I error α has a type II error below it.
    ``between(α)`` gives both ends around the largest such figure. Where a curve is the least of
    several bounds its own lower end is 0, and the upper end here 1 - α.

    >>> from antiphon.composition.accounting import compose
    >>> two = TradeOffCurve(compose([trade_off([(0, 1), (0.25, 0.25), (1, 0)])], times=2))
    >>> round(two.at(0.0625), 9), two.between(0.25).width < 1e-6
    (0.4375, True)
    """

    curve: PrivacyCurve = attrs.field(converter=_curve)

    def at(self, alpha: float | Fraction) -> float:
        """A type II error that no test with type I error ``alpha`` gets below, rounded down.

        Raises: InvalidArgument for α outside [0, 1].
        """
        return self.between(alpha).lower

    def between(self, alpha: float | Fraction) -> Interval[float]:
        """Lower and upper bounds on f(α). Raises: InvalidArgument for α outside [0, 1]."""
        return self._between(exact.probability(alpha, "α"), _ROUNDS)

    def _between(self, alpha: Fraction, rounds: int) -> Interval[float]:
        """Bounds on f(α) from a grid of slopes s, refined ``rounds`` times around the best."""
        floor = self.curve.floor
        if alpha == 0:  # At α = 0 the trade-off function is the limit of 1 - δ(ε).
            least, most = (1 - Fraction(end) for end in (floor.upper, floor.lower))
            return probability(Interval(down(least), up(most)))
        low, high = (math.nextafter(float(alpha), end) for end in (0.0, 1.0))
        points = dict(self._grid)
        for _ in range(rounds):
            tried = sorted(points)
            best = max(range(len(tried)), key=lambda place: points[tried[place]].lowest(high))
            left, right = tried[max(best - 1, 0)], tried[min(best + 1, len(tried) - 1)]
            if right - left <= _LEAST_STEP:
                break
            points.update(self._points(np.linspace(left, right, _AROUND)[1:-1].tolist()))
        listed = [points[each] for each in sorted(points)]
        lower = max(0.0, *(each.lowest(high) for each in listed))
        upper = _highest([_ORIGIN, *listed], low, 1 - floor.lower)
        return probability(Interval(below(lower), above(max(lower, upper))))

    @cached_property
    def _grid(self) -> dict[float, _Point]:
        """The bounds on 1 - H(s), H the divergence, on a symmetric grid of ln s."""
        last = min(reach([self.curve]), _FAR)
        epsilons = (np.linspace(0.0, 1.0, _GRID) ** 1.5 * last).tolist()
        return self._points([*epsilons, *(-each for each in epsilons[1:])])

    def _points(self, logs: Sequence[float]) -> dict[float, _Point]:
        epsilons = sorted({abs(each) for each in logs})
        ends = self.curve.delta_between(epsilons)
        deltas = zip(ends.lower.tolist(), ends.upper.tolist(), strict=True)
        known = dict(zip(epsilons, deltas, strict=True))
        return {log: _point(log, *known[abs(log)]) for log in logs}

    def _card(self) -> Card:
        return Card(f"trade-off function ({self.curve.source})", self._parts())

    def _parts(self) -> Iterator[Part]:
        rows = [(str(alpha), shown_down(self.at(alpha))) for alpha in _SHOWN]
        yield Grid(rows, ("α", "f(α)"), numbers=("α", "f(α)"))
        yield self._picture()

    def _draw(self, axes: Axes) -> None:
        alphas = [place / 48 for place in range(49)]
        ends = [self._between(Fraction(place, 48), 0) for place in range(49)]
        style_axes(axes, "type I error α", "type II error, at least")
        lower = [each.lower for each in ends]
        axes.plot(alphas, lower, color=COLOURS[0], linewidth=1.7, label="f(α)")
        if any(each.upper < 1 - alpha for each, alpha in zip(ends, alphas, strict=True)):
            upper = [each.upper for each in ends]
            axes.fill_between(alphas, lower, upper, color=COLOURS[0], alpha=0.25, linewidth=0)
        axes.plot([0, 1], [1, 0], color=SOFT, linestyle=DASHED, linewidth=0.9)
        titled(axes, "trade-off function")


@attrs.frozen
class _Point:
    """Bounds on a slope s and on 1 - H(s), H the hockey-stick divergence at ε = ln s."""

    s: Interval[float]
    value: Interval[float]

    def lowest(self, alpha: float) -> float:
        return self.value.lower - self.s.upper * alpha * _UP

    def highest(self, alpha: float) -> float:
        return self.value.upper - self.s.lower * alpha / _UP


_UP: Final = 1 + 8 * UNIT
_NOUGHT: Final = Interval(0.0, 0.0)
_ORIGIN: Final = _Point(_NOUGHT, _NOUGHT)
"""The point at the slope s = 0, where Σ max(0, P - sQ) is 1."""


def _point(log: float, least: float, most: float) -> _Point:
    """The point at the slope s = e^log, from bounds on δ(|log|)."""
    grown = math.exp(abs(log))
    low, high = (1 - most) / _UP, (1 - least) * _UP
    if log >= 0:
        return _Point(Interval(grown / _UP, grown * _UP), Interval(low, high))
    # At the inverse slope, 1 - H(1/s) = (1 - H(s))/s.
    low, high = low / grown / _UP, high / grown * _UP
    return _Point(Interval(1 / grown / _UP, 1 / grown * _UP), Interval(low, high))


def _highest(points: Sequence[_Point], alpha: float, limit: float) -> float:
    """An upper bound on f(α), from points in the order of s, with ``limit`` >= 1 - δ(∞)."""
    lows = [each.lowest(alpha) for each in points]
    highs = [each.highest(alpha) for each in points]

    def beyond(place: int, other: int, across: float) -> float:
        """The height of the line through the points ``other`` and ``place``, extended beyond
        ``place`` by ``across`` in s."""
        if not 0 <= other < len(points):
            return math.inf
        one, two = sorted((points[place].s, points[other].s), key=lambda each: each.lower)
        over, rise = two.lower - one.upper, max(0.0, highs[place] - lows[other])
        return highs[place] + rise * across / over * _SLACK if over > 0 else math.inf

    bounds = [limit * _UP - points[-1].s.lower * alpha / _UP]
    for place, (one, two) in enumerate(pairwise(points)):
        across = two.s.upper - one.s.lower
        lines = beyond(place, place - 1, across), beyond(place + 1, place + 2, across)
        ends = two.s.upper * (1 - alpha) * _UP, limit * _UP - one.s.lower * alpha / _UP
        bounds.append(min(*lines, *ends))
    return max(bounds)
