"""Privacy curves: δ as a function of ε and back, as certified intervals."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar, Final, TypeAlias, TypeVar, overload

import attrs
import numpy as np

from antiphon.composition.accounting.curve_lines import (
    LEAST,
    CurveLine,
    draw_lines,
    named_lines,
)
from antiphon.numbers import Intractable, InvalidArgument, exact, shown_down, shown_up
from antiphon.numbers.interval import Floats, Interval, above, below, down, least_reading, up
from antiphon.protocol.display import Card, Grid, Part, Shown
from antiphon.protocol.pictures import Axes, Plotted, drawn, legend, titled

Value = TypeVar("Value")
Epsilons: TypeAlias = Iterable[exact.Epsilon] | Floats
Delta: TypeAlias = float | Fraction
Deltas: TypeAlias = Iterable[Delta] | Floats
Ends: TypeAlias = Interval[float] | Interval[Floats]

_ENOUGH: Final = 2.0**-50
"""The relative distance of the two ends at which a search for ε stops."""
_FAR: Final = 4.0
"""The ε at which the displayed table ends for a curve that never comes near its least δ."""
_DELTAS: Final = tuple(Fraction(1, 10**n) for n in (3, 6, 9))
_DRAWN: Final = 64
"""The number of points of a line in a picture."""


class PrivacyCurve(Shown, Plotted, ABC):
    """A privacy curve: the composition is (ε, δ(ε))-DP for every ε >= 0.

    ``delta_at`` and ``epsilon_at`` are upper bounds, always safe to report; the
    ``…_between`` forms give both ends of an interval around the least such figure. All take one
    number or many (a sequence or an array), and return one for each. ε in nats. ``method`` and
    ``source`` say how and by which theorem.
    """

    method: str
    """A short name of the method: basic, advanced, optimal, …"""
    source: str
    """The paper and theorem that the figures follow from."""

    @property
    @abstractmethod
    def floor(self) -> Interval[float]:
        """The limit of δ(ε) for ε → ∞: the least δ that can be asked for."""

    @property
    @abstractmethod
    def _enough(self) -> float:
        """The least ε where δ(ε) is known to have reached the floor; inf if there is none."""

    def _card(self) -> Card:
        return Card(f"{self.method} ({self.source})", self._parts())

    @abstractmethod
    def _parts(self) -> Iterator[Part]:
        """The parts of the curve's display: a table of points (or an error text), and the
        picture."""

    def line(self, last: float, points: int = _DRAWN) -> CurveLine:
        """The points of a curve to draw up to ε = ``last``: equally spaced, and two around the ε
        where δ reaches its floor.

        So a picture shows a sudden fall of δ at its true place.
        """
        end, epsilons = self._enough, np.linspace(0.0, last, points)
        more = [end * (1 - 1e-9), end] if 0 < end < last else []
        epsilons = np.sort(np.append(epsilons, more))
        ends = self.delta_between(epsilons)
        return CurveLine(f"{self.method}: {self.source}", epsilons, ends, self.floor.upper)

    @overload
    def delta_between(self, epsilon: exact.Epsilon) -> Interval[float]: ...
    @overload
    def delta_between(self, epsilon: Epsilons) -> Interval[Floats]: ...
    def delta_between(self, epsilon: exact.Epsilon | Epsilons) -> Ends:
        """Bounds on the least δ at ``epsilon``. Raises: InvalidArgument for ε < 0."""
        if isinstance(epsilon, Iterable):
            return _gathered(self._deltas([exact.epsilon(each) for each in _listed(epsilon)]))
        return self._delta(exact.epsilon(epsilon))

    @overload
    def epsilon_between(self, delta: Delta) -> Interval[float]: ...
    @overload
    def epsilon_between(self, delta: Deltas) -> Interval[Floats]: ...
    def epsilon_between(self, delta: Delta | Deltas) -> Ends:
        """Bounds on the least ε at ``delta``.

        Raises: InvalidArgument for δ outside [0, 1], or below the floor.
        """
        if isinstance(delta, Iterable):
            return _gathered([self._promised(self._target(each)) for each in _listed(delta)])
        return self._promised(self._target(delta))

    @overload
    def delta_at(self, epsilon: exact.Epsilon) -> float: ...
    @overload
    def delta_at(self, epsilon: Epsilons) -> Floats: ...
    def delta_at(self, epsilon: exact.Epsilon | Epsilons) -> float | Floats:
        """A δ that is promised at ``epsilon``. Raises: InvalidArgument for ε < 0, NaN."""
        return self.delta_between(epsilon).upper

    @overload
    def epsilon_at(self, delta: Delta) -> float: ...
    @overload
    def epsilon_at(self, delta: Deltas) -> Floats: ...
    def epsilon_at(self, delta: Delta | Deltas) -> float | Floats:
        """An ε that is promised at ``delta``. Raises: as ``epsilon_between``."""
        return self.epsilon_between(delta).upper

    def _target(self, delta: Delta) -> Fraction:
        target = exact.probability(delta)
        if target < self.least_delta:
            raise InvalidArgument(
                f"delta = {shown_down(target)} is below the floor of this composition: "
                f"δ >= {self.floor.upper!r} for every epsilon; ask for that much or more"
            )
        return target

    @property
    def least_delta(self) -> Fraction:
        """The least ``delta`` that ``epsilon_at`` accepts; ``delta_at`` gives none below."""
        exactly = self._exact_floor
        return least_reading(self.floor.upper) if exactly is None else exactly

    @property
    @abstractmethod
    def _exact_floor(self) -> Fraction | None:
        """The floor as a rational number; None if it is not known exactly."""

    def _deltas(self, epsilons: list[exact.ExactEpsilon]) -> list[Interval[float]]:
        return [self._delta(each) for each in epsilons]

    def _promised(self, delta: Fraction) -> Interval[float]:
        """Bounds on the least ε at δ = ``delta``; at the upper one ``delta_at`` is at most δ.

        The search for ε may round differently from the δ at that ε: then the upper end moves up by
        a few units.
        """
        found, target = self._epsilon(delta), max(delta, Fraction(self.floor.upper))
        upper, step = found.upper, 2.0**-50
        while upper < self._enough and least_reading(self.delta_at(upper)) > target:
            upper, step = min(above(upper * (1 + step) + 5e-324), self._enough), 2 * step
        return Interval(found.lower, upper)

    @abstractmethod
    def _delta(self, epsilon: exact.ExactEpsilon) -> Interval[float]:
        """An interval around the least δ at an ε; both bounds decrease in ε."""

    @abstractmethod
    def _epsilon(self, delta: Fraction) -> Interval[float]:
        """An interval around the least ε at a δ that is not below the floor."""


class TheoremCurve(PrivacyCurve):
    """A curve given by a theorem; it is displayed at its floor, at round δ, and between them."""

    def _parts(self) -> Iterator[Part]:
        try:
            found = sorted([*points(self), *_between(self)])
        except Intractable as error:
            yield str(error)
        else:
            rows = [(shown_up(epsilon), shown_up(delta)) for epsilon, delta in found]
            yield Grid(rows, ("ε", "δ"), numbers=("ε", "δ"))
        yield self._picture()

    def plot(self, *, ax: Axes | None = None, label: str = "", color: str = "") -> Axes:
        """Draw the curve into the axes ``ax``, or into a new figure; returns the axes.

        Axes that already have a curve keep it: this one has the next colour, and a legend names
        both, by ``label`` or else by the method. Raises: MissingExtra without matplotlib.
        """
        return drawn(partial(self._draw, label=label, color=color), ax)

    def _draw(self, axes: Axes, label: str = "", color: str = "") -> None:
        alone = not named_lines(axes)
        line = self.line(reach([self]))
        draw_lines(axes, [attrs.evolve(line, name=label or self.method, colour=color)])
        titled(axes, self.method if alone else "")
        if label or not alone:
            legend(axes)


def stated_field(text: Callable[[Any], str]) -> Any:
    """An attrs field computed from the other fields of a curve, for ``method`` and ``source``."""
    whole = attrs.Factory(text, takes_self=True)
    return attrs.field(init=False, eq=False, repr=False, default=whole)


class Searched(PrivacyCurve):
    """A curve whose ε at a given δ is found by numerical search."""

    _near: ClassVar[float] = _ENOUGH
    """The relative distance of the two ends at which the search for ε stops."""

    def _epsilon(self, delta: Fraction) -> Interval[float]:
        """The least ε at δ, by a search; both ends are points at which δ was computed."""
        if math.isinf(self._enough) and delta <= self.floor.upper:
            return Interval(math.inf, math.inf)  # There is no finite ε with this δ.
        least, most = down(delta), up(delta)
        seen: dict[float, Interval[float]] = {}
        floor = self.floor.lower

        def excess(epsilon: float, target: float, end: int) -> float:
            if epsilon not in seen:
                seen[epsilon] = self._delta(Fraction(epsilon))
            ends = seen[epsilon]
            value = ends.upper if end else ends.lower
            return _excess(value, target, min(floor, target))

        low, high = self._guess(least)
        near = self._near
        upper = crossing(lambda e: excess(e, least, 1), low, high, self._enough, near)[1]
        low = max((e for e in seen if excess(e, most, 0) > 0), default=0.0)
        high = min((e for e in seen if e > low), default=upper)
        lower = crossing(lambda e: excess(e, most, 0), low, high, upper, near)[0]
        return Interval(below(lower), upper if upper == self._enough else above(upper))

    @abstractmethod
    def _guess(self, delta: float) -> tuple[float, float]:
        """Two numbers between which ε(delta) probably lies, where the search begins."""


class FromZero(Searched):
    """A searched curve without a good guess for ε: the search starts between 0 and 1."""

    def _guess(self, delta: float) -> tuple[float, float]:
        return 0.0, min(1.0, self._enough)


def points(curve: PrivacyCurve) -> list[tuple[float, float]]:
    """Points (ε, δ) to display, each of them promised: one at the floor if that is reached, then
    some at round δ; at least one.

    >>> from antiphon.composition.accounting import optimal
    >>> points(optimal([(1, 0)]))[0]
    (1.0, 0.0)
    """
    floor = curve.floor.upper
    shown: list[tuple[float, float]] = []
    if math.isfinite(curve._enough):  # pyright: ignore[reportPrivateUsage]
        shown.append((curve.epsilon_at(floor), floor))
    for delta in reversed(_DELTAS):
        if delta > Fraction(floor) * 3 / 2:
            epsilon = curve.epsilon_at(delta)
            # Points with nearly the same ε are shown once.
            if not shown or epsilon < 0.99 * shown[-1][0]:
                shown.append((epsilon, float(delta)))
    if not shown:  # No ε reaches the floor (the limit of δ), and no round δ is above it.
        higher = min(2 * floor, (1 + floor) / 2)
        shown.append((curve.epsilon_at(higher), higher))
    return shown


def _between(curve: PrivacyCurve) -> Iterator[tuple[float, float]]:
    """Points (ε, δ) to display at round ε, where δ still decreases."""
    last = _come_down(curve)
    last = last if math.isfinite(last) else _FAR
    for share in (0.0, 0.25, 0.5, 0.75):
        epsilon = float(f"{share * last:.3g}")
        yield epsilon, curve.delta_at(epsilon)


def reach(curves: Iterable[PrivacyCurve]) -> float:
    """An ε at which the lowest of the curves has decreased to about 1e-12, or to its floor."""
    return 1.15 * min(map(_come_down, curves)) or 1.0


def _come_down(curve: PrivacyCurve) -> float:
    """An ε at which the δ of the curve is about 1e-12 (``LEAST``), or about its floor."""
    return curve.epsilon_at(min(1.0, max(LEAST, curve.floor.upper * (1 + 1e-3))))


def _excess(value: float, delta: float, base: float) -> float:
    """The logarithm of (``value`` - ``base``)/(``delta`` - ``base``), a measure of how far
    ``value`` is above ``delta``; negative if it is not above.

    The sign is that of a comparison, as the quotient of two numbers near 1 may round to 1.
    """
    size = 1.0
    if delta > base:
        size = abs(math.log(max(value - base, 1e-320) / (delta - base)))
    return max(size, 1e-300) if value > delta else -size


# The bracket [a, b] of ``crossing`` is certified: only the signs of ``excess`` at a and b matter,
# and there it was evaluated (at b = ``most`` its sign is known). The points tried between affect
# speed only; continuity is not needed, and a search that is cut off after 400 steps has a wider
# bracket, not a wrong one.
#
# Regula falsi tries the zero of the line through both ends. On a convex curve one end would stay
# for ever and convergence be slow; the Illinois variant (Dowell and Jarratt 1971) halves the value
# at an end that stays twice running, so that the line passes the root. Where even that is slow (a
# step, a very steep curve), a bisection follows any four steps that have not made the bracket eight
# times smaller.


def crossing(
    excess: Callable[[float], float], low: float, high: float, most: float, near: float = _ENOUGH
) -> tuple[float, float]:
    """Bracket the root of a decreasing function: points a < b with excess(a) > 0 >= excess(b).

    ``excess`` decreases, and is not positive at ``most``, which may be inf; (0, 0) where it is
    not even at 0. ``low`` and ``high`` are a guess. Regula falsi in its Illinois form, with a
    bisection at every fourth step; ends when a and b are relatively ``near``.
    """
    while (at_high := excess(high) if high < most else -1.0) > 0:
        low, high = high, min(high + _wider(low, high), most)
    while (at_low := excess(low)) <= 0:
        if low == 0:
            return 0.0, 0.0
        low, high, at_high = max(0.0, low - _wider(low, high)), low, at_low
    size, middle_was = high - low, 0
    for step in range(1, 400):
        if high - low <= near * high:
            break
        at_high = min(at_high, -1e-300)
        middle = low + (high - low) * at_low / (at_low - at_high)
        # After every four steps it is checked whether regula falsi was slower than bisection.
        if step % 4 == 0:
            middle = middle if high - low <= size / 8 else (low + high) / 2
            size = high - low
        if not low < middle < high:
            middle = (low + high) / 2
        value = excess(middle)
        if value > 0:
            at_high = at_high / 2 if middle_was == 1 else at_high
            low, at_low, middle_was = middle, value, 1
        else:
            at_low = at_low / 2 if middle_was == -1 else at_low
            high, at_high, middle_was = middle, value, -1
    return low, high


def _wider(low: float, high: float) -> float:
    return max(8 * (high - low), 2.0**-20 * high, 1e-300)


def _listed(values: Iterable[Value] | Floats) -> list[Value] | list[float]:
    if isinstance(values, np.ndarray):
        listed: float | list[float] = values.tolist()
        return listed if isinstance(listed, list) else [listed]
    return list(values)


def _gathered(intervals: list[Interval[float]]) -> Interval[Floats]:
    lower = np.array([each.lower for each in intervals], dtype=np.float64)
    upper = np.array([each.upper for each in intervals], dtype=np.float64)
    return Interval(lower, upper)
