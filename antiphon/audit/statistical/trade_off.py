# pyright: reportUnknownMemberType=false
"""Trade-off curves that a few events prove: bounds for every (ε, δ) at once, and for Gaussian DP.

A test of b = 0 against b = 1 that errs with probabilities (α, β) shows that the trade-off function
T(α), the least type II error at a type I error of α, is at most β there (Dong, Roth and Su 2022,
Def. 2.1). A curve δ(ε) claims T >= f, f(α) = max over ε of 1 − δ(ε) − e^ε α and of
e^(−ε) (1 − δ(ε) − α) (Prop. 2.12); so a point below f refutes it.

Pictures show the proved bounds beside the claimed curve.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from statistics import NormalDist
from typing import Final, TypeAlias

import attrs
import numpy as np

from antiphon.audit.statistical.estimators import Rates, exp_up
from antiphon.audit.statistical.event import EventGoal
from antiphon.audit.statistical.scorers import Vector
from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.numbers import Floats, shown_down
from antiphon.numbers.errors import InvalidArgument, of_kind
from antiphon.protocol.pictures import COLOURS, DASHED, SOFT, Axes, legend, style_axes

_NORMAL: Final = NormalDist()
_SLACK: Final = 1e-12
"""An upper bound on the relative error of the normal quantiles (Wichura 1988)."""


@attrs.frozen
class Point:
    """A proved point of a trade-off curve: bounds on the rates of an event that favours ``bit``."""

    bit: int
    rates: Rates
    """Bounds on the event S: Pr_bit[S] >= low, and Pr_{1−bit}[S] <= high."""

    @property
    def errors(self) -> tuple[float, float]:
        """Upper bounds on the type I and type II errors of the test that decides for one world if
        the view lies in the event S."""
        own, other = self.rates.high, 1 - self.rates.low
        return (own, other) if self.bit else (other, own)

    @property
    def mu(self) -> float:
        """A lower bound on μ for a μ-GDP mechanism: Φ⁻¹(low) − Φ⁻¹(high), rounded down."""
        low, high = self.rates.low, self.rates.high
        if not 0 < high < low < 1:
            return 0.0
        ends = _NORMAL.inv_cdf(low), _NORMAL.inv_cdf(high)
        return max(0.0, ends[0] - ends[1] - _SLACK * (1 + abs(ends[0]) + abs(ends[1])))


@attrs.frozen
class TradeOff:
    """A proved bound on the trade-off curve: points that hold together, with one confidence."""

    points: tuple[Point, ...]

    def delta_at(self, epsilon: float) -> float:
        """A lower bound on δ(ε), for all ε at once."""
        return max(each.rates.delta_at(epsilon) for each in self.points)

    def epsilon_at(self, delta: float) -> float:
        """A lower bound on the least ε for a δ, for all δ at once."""
        return max(each.rates.epsilon_at(delta) for each in self.points)

    @property
    def mu(self) -> float:
        """The largest μ such that the points refute μ'-GDP for every μ' < μ."""
        return max(each.mu for each in self.points)

    def at(self, alphas: Floats) -> Floats:
        """The least type II error that is proved possible at each type I error in ``alphas``.

        The bound consists of chords between the points and the trivial errors (0, 1) and (1, 0), as
        two tests can be mixed at random.
        """
        corners = [(0.0, 1.0), (1.0, 0.0), *(each.errors for each in self.points)]
        hull = lower_hull(corners)
        return np.interp(alphas, [x for x, _ in hull], [y for _, y in hull])


def lower_hull(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The corners of the greatest convex function below some points (Andrew 1979), left to right.

    >>> lower_hull([(1.0, 0.0), (0.0, 1.0), (0.5, 0.25), (0.75, 0.5)])
    [(0.0, 1.0), (0.5, 0.25), (1.0, 0.0)]
    """
    hull: list[tuple[float, float]] = []
    for x, y in sorted(points):
        if hull and x == hull[-1][0]:
            continue
        while len(hull) > 1:
            (a, b), (c, d) = hull[-2:]
            if (d - b) * (x - a) < (y - b) * (c - a):
                break
            hull.pop()
        hull.append((x, y))
    return hull


def claimed_errors(alphas: Floats, claimed: tuple[tuple[float, float], ...]) -> Floats:
    """The trade-off function of a claimed curve: the least type II errors that its points allow.

    >>> claimed_errors(np.array([0.0, 0.25, 1.0]), ((0.0, 0.5),)).tolist()
    [0.5, 0.25, 0.0]
    """
    found = np.zeros_like(alphas)
    for epsilon, delta in claimed:
        growth = np.exp(epsilon)
        steep, flat = 1 - delta - growth * alphas, (1 - delta - alphas) / growth
        found = np.maximum(found, np.maximum(steep, flat))
    return found


Claimed: TypeAlias = tuple[tuple[float, float], ...]
"""Points (ε, δ(ε)) in ascending order of ε, each δ rounded up."""

Bound: TypeAlias = Callable[[float], float]
"""A function ε ↦ a lower bound on δ(ε)."""

_NEAR: Final = 65
_FAR: Final = 16
_STEPS: Final = 48
_GOLDEN: Final = (math.sqrt(5) - 1) / 2


def tried_epsilons(curve: PrivacyCurve, trials: int) -> Claimed:
    """The points of a curve at which ``trials`` views can refute it: at ε up to about ln(trials).

    Most are at ε where the curve's δ exceeds 1/trials, including the last such ε.
    """
    last = math.log(trials) + 1
    reach = min(last, curve.epsilon_at(max(Fraction(1, trials), curve.least_delta)))
    near, far = np.linspace(0, reach, _NEAR), np.linspace(reach, last, _FAR)
    epsilons: list[float] = np.unique(np.concatenate([near, far])).tolist()
    return tuple((epsilon, claimed_delta(curve, epsilon)) for epsilon in epsilons)


def against(curve: PrivacyCurve, alpha: float, trials: int) -> AgainstCurve:
    """The aim to refute a privacy curve. Raises: InvalidArgument for another object."""
    if not isinstance(curve, PrivacyCurve):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidArgument(
            f"a curve is a PrivacyCurve, as ap.guarantee(system).curve is, not {of_kind(curve)}"
        )
    return AgainstCurve("delta", 0.0, 0.0, alpha, trials, claimed=tried_epsilons(curve, trials))


def claimed_delta(curve: PrivacyCurve, epsilon: float) -> float:
    """The claimed δ at exactly this float, rounded up: a float near 1/10 is not read as 1/10."""
    return curve.delta_at(Fraction(epsilon))


@attrs.frozen
class AgainstCurve(EventGoal):
    """The aim of an audit of a whole curve: an event whose bound exceeds the curve the most."""

    claimed: Claimed = ()

    def predicted(self, low: Vector, high: Vector) -> Vector:
        """The largest excess over δ(ε) that fresh samples would show, as a share of δ(ε)."""
        found = np.full_like(low, -np.inf)
        for epsilon, delta in self.claimed:
            beyond = self.excess(low - exp_up(epsilon) * high, delta)
            found = np.maximum(found, beyond)
        return found

    def excess(self, bound: Vector, delta: float) -> Vector:
        """The excess of a proved bound over the claimed δ, as a share; positive where it refutes.

        A share of δ, as otherwise a true claim would be tested where it promises almost nothing.
        """
        beyond = (bound - delta) / (delta + 1 / self.trials)
        return np.where(bound > 0, beyond, np.minimum(bound, 0) - 1)


def best_near(curve: PrivacyCurve, goal: AgainstCurve, bound: Bound, place: int) -> float:
    """The ε near a tried one at which the proved bound exceeds the curve most (golden section)."""

    def value(epsilon: float) -> float:
        return float(goal.excess(np.array(bound(epsilon)), claimed_delta(curve, epsilon)))

    epsilons = [epsilon for epsilon, _ in goal.claimed]
    seen = {epsilons[place]: value(epsilons[place])}
    low, high = epsilons[max(0, place - 1)], epsilons[min(len(epsilons) - 1, place + 1)]
    for _ in range(_STEPS):
        left, right = high - (high - low) * _GOLDEN, low + (high - low) * _GOLDEN
        for each in (left, right):
            if each not in seen:
                seen[each] = value(each)
        low, high = (low, right) if seen[left] >= seen[right] else (left, high)
        if high - low <= 1e-9 * high:
            break
    return max(seen, key=lambda epsilon: seen[epsilon])


_POINTS: Final = 400


def draw_bounds(
    axes: Axes, proved: TradeOff, claim: tuple[float, float], refuted: bool,
    *, curve: Claimed, said: str,
) -> None:  # fmt: skip
    """Draw the proved lower bound on δ over ε, beside the claimed curve or the single claim.

    Every (ε, δ) below the bound is refuted; so is the claim if its mark lies below.
    """
    epsilon, delta = claim
    end = 1.25 * max(epsilon, proved.epsilon_at(0.0), 0.1)
    epsilons = np.linspace(0, end, _POINTS)
    bound = [proved.delta_at(float(each)) for each in epsilons]
    axes.plot(epsilons, bound, color=COLOURS[0], label="δ(ε) is at least this")
    if curve:
        shown = np.array(curve)
        axes.plot(*shown[shown[:, 0] <= end].T, color=COLOURS[1], linewidth=1.2, label="claimed")
    if refuted or not curve:
        label = None if curve else f"claimed: {said}"
        marker = "x" if refuted else "o"
        axes.plot([epsilon], [delta], marker, color=COLOURS[1], markersize=7, label=label)
    if not curve:
        axes.plot(
            epsilons, claimed_curve(epsilons, epsilon, delta), color=COLOURS[1], linewidth=0.9,
            linestyle=DASHED, label="the δ that this claim allows at other ε",
        )  # fmt: skip
    axes.set_xlim(0, end)
    axes.set_ylim(bottom=0)
    style_axes(axes, "ε (nats)", "δ")
    legend(axes)


def draw_errors(axes: Axes, proved: TradeOff, curve: Claimed) -> None:
    """Draw the proved trade-off function beside the claimed one."""
    alphas = np.linspace(0, 1, _POINTS)
    axes.fill_between(
        alphas, proved.at(alphas), 1, color=COLOURS[0], alpha=0.13, linewidth=0,
        label="a test with such errors is proved to exist",
    )  # fmt: skip
    axes.plot(*zip(*(each.errors for each in proved.points), strict=True), "o",
              color=COLOURS[0], markersize=3, label="events that were tested")  # fmt: skip
    axes.plot(
        alphas, claimed_errors(alphas, curve), color=COLOURS[1], linewidth=1.2,
        label="claimed: no test is below",
    )  # fmt: skip
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    style_axes(axes, "type I error, of b = 0 against b = 1", "type II error")
    legend(axes)


def draw_progress(
    axes: Axes, progress: Sequence[tuple[int, float]], claim: tuple[float, float]
) -> None:
    """Draw the lower bound on δ at the claimed ε, computed from growing numbers of test views; each
    bound is valid by itself, but not all of them together."""
    (counts, bounds), (epsilon, delta) = zip(*progress, strict=True), claim
    axes.plot(counts, bounds, "o-", color=COLOURS[0], markersize=3.5, linewidth=1.2)
    axes.axhline(delta, color=COLOURS[1], linewidth=0.9, linestyle=DASHED)
    axes.annotate(
        "claimed δ", (0.99, delta), xycoords=("axes fraction", "data"), ha="right",
        va="bottom", fontsize=9, color=SOFT,
    )  # fmt: skip
    if len(counts) > 1:
        axes.set_xscale("log")
    else:
        axes.locator_params(axis="x", nbins=4)
    axes.set_ylim(bottom=0)
    style_axes(axes, "test views of each world", f"δ at ε = {shown_down(epsilon)} is at least")


def claimed_curve(epsilons: Floats, epsilon: float, delta: float) -> Floats:
    """The privacy curve of a single claim: the δ that (ε₀, δ₀)-DP allows at each ε.

    For ε >= ε₀ it is δ₀. Below, max of Pr₁[S] − e^ε Pr₀[S] over pairs with
    Pr₁ <= e^ε₀ Pr₀ + δ₀ and 1 − Pr₀ <= e^ε₀ (1 − Pr₁) + δ₀: where both are tight
    (Dong, Roth and Su 2022, Prop. 2.5), 1 − (1 + e^ε)(1 − δ₀)/(1 + e^ε₀).

    >>> [float(round(each, 4)) for each in claimed_curve(np.array([0.0, 1.0, 2.0]), 1.0, 0.1)]
    [0.5159, 0.1, 0.1]
    """
    below = 1 - (1 + np.exp(epsilons)) * (1 - delta) / (1 + np.exp(epsilon))
    return np.where(epsilons < epsilon, np.maximum(below, delta), delta)
