# pyright: reportUnknownMemberType=false
"""Variances of discrete noise, and proved tail bounds for sums of noise.

A tail bound at beta is a number that |X| exceeds with probability at most beta. Also the display of
counters: their claims, and the errors of their counts.
"""

import math
from abc import abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

import numpy as np

from antiphon.numbers import exact, shown_up
from antiphon.protocol import Claim, message_label
from antiphon.protocol.display import Card, Displayed, Grid, Part
from antiphon.protocol.pictures import COLOURS, Axes, Plotted, legend, style_axes, titled

LAPLACE_PROXIES = np.linspace(0.001, 0.999, 999)


def discrete_laplace_variance(scale: Fraction) -> float:
    """The variance of discrete Laplace noise, P(x) ∝ e^(-|x|/scale): ½/sinh²(1/(2 scale)), near
    2·scale² - 1/6."""
    inverse = float(1 / (2 * scale))
    return 0.5 / math.sinh(inverse) ** 2 if inverse < 300 else 0.0


def discrete_gaussian_variance(sigma: Fraction) -> float:
    """The variance of the discrete Gaussian, P(x) ∝ e^(-x²/(2 sigma²)): sigma² times 1 -
    c·e^(-2π²sigma²).

    Source: Canonne, Kamath, Steinke 2020, Cor. 9; the series is summed for small sigma.
    """
    if sigma > 3:
        return float(sigma) ** 2
    exponent = -1 / (2 * float(sigma) ** 2)
    terms = [math.exp(x * x * exponent) for x in range(1, 40)]
    second = sum(x * x * term for x, term in enumerate(terms, start=1))
    return 2 * second / (1 + 2 * sum(terms))


def laplace_tail(scale: Fraction, count: int, beta: float) -> float:
    """A tail bound, at probability beta, on the sum of ``count`` independent discrete Laplace
    draws.

    Chernoff: E e^(λX) of one draw is at most that of continuous Laplace noise, 1/(1 - λ²scale²),
    since cosh(√u) - 1 is convex in u. Every λ < 1/scale gives a bound; the best on a grid is taken.
    """
    grid = LAPLACE_PROXIES
    bounds = (math.log(2 / beta) - count * np.log1p(-(grid**2))) / grid
    return float(scale) * float(bounds.min())


def gaussian_tail(variance: float, beta: float) -> float:
    """A tail bound, at probability beta, on a sum whose moments are at most a Gaussian's of this
    variance.

    Discrete Gaussian noise satisfies this (Canonne, Kamath, Steinke 2020, Fact 20 and Prop. 27: it
    is sub-Gaussian with parameter sigma), and so are weighted sums of independent draws.
    """
    return math.sqrt(2 * variance * math.log(2 / beta))


_SUMMED: Final = 1 << 18


def lower_bound(*, horizon: int, rho: Fraction | float, sensitivity: Fraction | float = 1) -> float:
    """A lower bound on the mean (so also on the largest) squared error of any Gaussian
    factorisation A = B·C.

    (‖A‖_*/T)²·sensitivity²/(2ρ), with ‖A‖_* the nuclear norm of the T×T matrix of ones
    that sums prefixes: its singular values are ½/sin((2j-1)π/(4T+2)). Rounded down.
    Source: Edmonds, Nikolov, Ullman 2020; Henzinger, Upadhyay, Upadhyay 2023.
    Raises: InvalidArgument for a horizon, rho or sensitivity that is not positive.
    """
    count = exact.whole(horizon, "horizon")
    scale = exact.positive(sensitivity, "sensitivity") ** 2 / (2 * exact.positive(rho, "rho"))
    step, summed = math.pi / (2 * count + 1), min(count, _SUMMED)
    nuclear = float((0.5 / np.sin((np.arange(summed) + 0.5) * step)).sum())
    if count > summed:
        # ½/sin is convex, so a midpoint sum is below its integral, by at most step·|f'|/12.
        start, end = summed * step / 2, count * step / 2
        nuclear += (math.log(math.tan(end)) - math.log(math.tan(start))) / (2 * step)
        nuclear -= step / 12 * 0.5 / (summed * step) ** 2
    return (nuclear / count) ** 2 * float(scale) * (1 - 1e-9)


_MOST: Final = 1 << 16
"""The largest number of updates for which errors are displayed without being asked for."""
_POINTS: Final = 64
_BETA: Final = 0.05


class ErrorsShown(Displayed, Plotted):
    """A base class of counters whose errors are known in advance, so that they can be displayed."""

    __slots__ = ()

    @property
    @abstractmethod
    def claims(self) -> tuple[Claim, ...]:
        """The privacy claims."""

    @abstractmethod
    def squared_error(self, updates: int) -> float:
        """The expected squared error of an answer after ``updates`` updates."""

    @abstractmethod
    def error_bound(self, updates: int, *, beta: float) -> float:
        """A bound on the error of every coordinate after ``updates``, with probability at least
        1 - beta."""

    @property
    @abstractmethod
    def _last(self) -> int | None:
        """The horizon, at which errors are displayed; None if there is none: then after
        ``_MOST`` updates."""

    def _card(self) -> Card:
        return Card(message_label(self, 160), self._parts())

    def _parts(self) -> Iterator[Part]:
        yield Grid(list(self._rows()))
        if self._last is None or self._last <= _MOST:
            yield self._picture()

    def _rows(self) -> Iterator[tuple[str, str]]:
        for claim in self.claims:
            yield "claim", f"{message_label(claim.measure)}, {claim.status.value} ({claim.source})"
            yield "with respect to", message_label(claim.verification, 120)
        last = _MOST if self._last is None else self._last
        if last <= _MOST:
            deviation = math.sqrt(self.squared_error(last))
            yield f"standard deviation after {last:,}", shown_up(deviation, 4)
            bound = self.error_bound(last, beta=_BETA)
            yield "  with probability 95 %", f"an error of at most {shown_up(bound, 4)}"

    def _draw(self, axes: Axes) -> None:
        last = _MOST if self._last is None else self._last
        times = sorted({round(each) for each in np.geomspace(1, last, _POINTS).tolist()})
        times = list(range(1, last + 1)) if last <= _POINTS else times
        errors = np.sqrt([self.squared_error(each) for each in times])
        bounds = [self.error_bound(each, beta=_BETA) for each in times]
        style_axes(axes, "updates", "error of a count")
        axes.plot(times, errors, color=COLOURS[0], label="standard deviation")
        axes.plot(
            times, bounds, color=COLOURS[1], linewidth=1.2,
            label=f"not exceeded with probability {1 - _BETA:.0%}",
        )  # fmt: skip
        axes.set_xscale("log" if last > _POINTS else "linear")
        axes.set_ylim(bottom=0)
        legend(axes)
        titled(axes, type(self).__name__)
