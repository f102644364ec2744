"""Bounds on the errors of a board's numbers, which depend on its definition alone."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final, Literal, TypeAlias, TypeGuard, Union

import attrs

from antiphon.mechanisms import BalancedTreeCounter, fields
from antiphon.mechanisms.counters.counter import Counter
from antiphon.numbers import InvalidArgument, exact
from antiphon.numbers.errors import shown

Best: TypeAlias = Union[Literal["total", "window"], int]
_UP: Final = 1 + 1e-12
"""A factor above 1 that exceeds the relative error of a logarithm."""
_FORETOLD: Final = 10_000
"""The largest number of windows whose errors are foretold; of a tree of one level, any number."""


@attrs.frozen
class ErrorBounds:
    """The bounds on the errors of totals that a counter tells, and of their differences."""

    counter: Counter
    rounded: bool
    """Whether totals are rounded to ints, as those of a Gaussian counter are."""
    windows: int
    step: Fraction
    best: Best

    def check_window(self, window: int) -> None:
        """Raises: InvalidArgument if this is not the number of a window."""
        if type(window) is not int or not 0 <= window < self.windows:
            raise InvalidArgument(
                f"windows are numbered from 0 to {self.windows - 1:,}, and {shown(window)} is none "
                f"of them: the last one alone is error_of({self.windows - 1}, 1)"
            )

    def error_of(self, window: int, reach: int | None, beta: float) -> Fraction:
        """A bound on the error of the sum over ``reach`` windows, of which ``window`` is the last.

        It is a difference of two totals. In a tree of one level, the noise of one window is
        that of one node: discrete Laplace, with P(|noise| > t) <= e^(-t/scale) for whole t.
        """
        self.check_window(window)
        if type(reach) is not int or not 1 <= reach <= window + 1:
            raise InvalidArgument(
                f"reach is how many windows are added, of which window {window} is the last: from "
                f"1 to {window + 1}, not {shown(reach)}; error_of({window}, 1) is of it alone"
            )
        bound = self.of_difference(window, window + 1 - reach, beta)
        if _one_level(self.counter) and reach == 1:
            scaled = float(self.counter.scale) * math.log(1 / fields.beta(beta))
            return min(bound, math.ceil(scaled * _UP) * self.step)
        return bound

    def of_difference(self, window: int, since: int, beta: float) -> Fraction:
        """A bound on the error of (total after ``window``) − (total after ``since`` windows)."""
        bound = exact.fraction(self.counter.error_bound(window + 1, beta=beta, since=since))
        # Each total of a Gaussian counter is rounded, which adds an error of 1/2 at most.
        rounded = Fraction(2 if since else 1, 2) if self.rounded else 0
        # The error is an int, in steps: what does not exceed the bound does not exceed its floor.
        return math.floor(bound + rounded) * self.step

    def forecast(self) -> dict[str, Fraction]:
        """The largest 95 % bound over all windows, for each published sum (one window, several, the
        total); empty if windows are too many.

        In a tree of one level, a sum has the noise of its windows. Noise is symmetric and unimodal,
        so the bound of a longer sum holds for a shorter one, too: the last windows have the
        largest.
        """
        last = self.windows - 1
        ends = range(last if _one_level(self.counter) else 0, last + 1)
        if len(ends) > _FORETOLD:
            return {}
        reaches = {1: "a window", 7: "7 windows"}
        if isinstance(self.best, int) and self.best > 1:
            reaches[self.best] = f"{self.best:,} windows"
        named = [(name, reach) for reach, name in sorted(reaches.items()) if reach <= last]
        return {
            name: max(self.error_of(end, min(reach, end + 1), 0.05) for end in ends)
            for name, reach in [*named, ("a total", last + 1)]
        }


def _one_level(counter: Counter) -> TypeGuard[BalancedTreeCounter]:
    """Whether each window has noise of its own, and a sum of windows the sum of their noises."""
    return isinstance(counter, BalancedTreeCounter) and counter.levels == 1
