# pyright: reportUnknownMemberType=false
"""``game.privacy_curve``: tight δ at some ε, and bounds on δ at every ε between them."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Final, TypeAlias

import numpy as np

from antiphon.audit.exact.divergence import rational_growth
from antiphon.audit.exact.question import Solution
from antiphon.composition.accounting.curve import FromZero
from antiphon.numbers import ExactEpsilon, exact
from antiphon.numbers.interval import Interval, down, up
from antiphon.protocol.display import Grid, Part
from antiphon.protocol.pictures import COLOURS, Axes, legend, style_axes, titled
from antiphon.protocol.records.labels import counted, message_label

_FAR: Final = Fraction(1000)
"""The largest ε for which e^ε is computed: at a larger ε, the δ at this ε is a bound."""
_DRAWN: Final = 64
"""The number of points of a drawn line."""
Point: TypeAlias = "tuple[Fraction, Fraction]"
"""A point (e^ε, δ) of the curve."""


class TightCurve(FromZero, tuple[tuple[ExactEpsilon, Fraction], ...]):
    """The tight points ((ε, δ(ε)), …) of a game, as a privacy curve with δ at every ε.

    As a function of g = e^ε, δ is max over S of Pr₁[S] − g Pr₀[S]: convex, falling, and 1 at g = 0.
    So the chord between two points is an upper bound, as is δ at any smaller ε; the line through
    two points, extended, is a lower bound, as is δ at any larger ε.

    Exact for this game and this number of messages: no guarantee against more messages.
    """

    method = "tight"

    rounds: int
    _known: list[Point]
    """The known points (e^ε, δ), in order, from (0, 1) on."""

    def __new__(cls, solutions: Iterable[Solution], rounds: int) -> TightCurve:
        found = list(solutions)
        self = super().__new__(cls, ((each.epsilon, each.delta) for each in found))
        self.rounds = rounds
        at = {rational_growth(each.epsilon)[0]: each.delta for each in found}
        self._known = sorted({Fraction(0): Fraction(1), **at}.items())
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (tuple(self), self.rounds)

    @property
    def source(self) -> str:  # type: ignore[override]
        """How the curve was obtained, in words."""
        return f"exactly solved, against {counted(self.rounds, 'message')}; chords between points"

    @property
    def floor(self) -> Interval[float]:
        return Interval(0.0, up(self._known[-1][1]))

    @property
    def _exact_floor(self) -> Fraction:
        return self._known[-1][1]

    @property
    def _enough(self) -> float:
        least = self._known[-1][1]
        growth = next(growth for growth, delta in self._known if delta == least)
        return up(exact.bracket(exact.epsilon(exact.Log(growth)), 40)[1]) if growth else 0.0

    def _delta(self, epsilon: ExactEpsilon) -> Interval[float]:
        far = exact.at_most(exact.epsilon(_FAR), epsilon)
        growth, error = rational_growth(exact.epsilon(_FAR) if far else epsilon)
        lower = Fraction(0) if far else max(Fraction(0), self._least(growth) - error)
        return Interval(down(lower), up(self._most(growth)))

    def _most(self, growth: Fraction) -> Fraction:
        """An upper bound on δ at e^ε = ``growth``: the chord between the neighbouring points."""
        place = bisect.bisect_left(self._known, (growth, Fraction(0)))
        if place == len(self._known):
            return self._known[-1][1]
        if self._known[place][0] == growth:
            return self._known[place][1]
        return _line(self._known[place - 1], self._known[place], growth)

    def _least(self, growth: Fraction) -> Fraction:
        """A lower bound on δ at e^ε = ``growth``: the next point, or an extrapolated line."""
        place = bisect.bisect_left(self._known, (growth, Fraction(0)))
        before, after = self._known[:place][-2:], self._known[place:][:2]
        if after and after[0][0] == growth:
            return after[0][1]
        pairs = (each for each in (before, after) if len(each) == 2)
        lines = [_line(one, other, growth) for one, other in pairs]
        return max([Fraction(0), *lines, *(delta for _, delta in after)])

    def _parts(self) -> Iterator[Part]:
        rows = [(message_label(epsilon), message_label(delta)) for epsilon, delta in self]
        yield Grid(rows, ("ε", "δ"), numbers=("ε", "δ"))
        yield self._picture()

    def _draw(self, axes: Axes) -> None:
        """Draw the known points, and the interval in which δ lies between them."""
        found = [(float(epsilon), float(delta)) for epsilon, delta in self]
        last = max((epsilon for epsilon, _ in found), default=0.0)
        epsilons = np.linspace(0.0, 1.05 * last or 1.0, _DRAWN)
        ends = self.delta_between(epsilons)
        style_axes(axes, "ε (nats)", "δ")
        axes.fill_between(
            epsilons, ends.lower, ends.upper, color=COLOURS[0], alpha=0.25, linewidth=0
        )
        axes.plot(epsilons, ends.upper, color=COLOURS[0], linewidth=1.2, label="at most")
        if found:
            axes.plot(*zip(*found, strict=True), "o", color=COLOURS[0], markersize=4, label="tight")
        axes.set_ylim(bottom=0)
        legend(axes)
        titled(axes, self.source.partition(";")[0])


def _line(one: Point, other: Point, growth: Fraction) -> Fraction:
    (start, high), (end, low) = one, other
    return high + (growth - start) * (low - high) / (end - start)


def _again(points: tuple[tuple[ExactEpsilon, Fraction], ...], rounds: int) -> TightCurve:
    solutions = [Solution(d, Fraction(0), e, rounds, 0, 0) for e, d in points]
    return TightCurve(solutions, rounds)
