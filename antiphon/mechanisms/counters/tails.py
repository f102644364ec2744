# pyright: reportUnknownMemberType=false
"""Variances of discrete noise, and proved tail bounds for sums of noise.

A tail bound at beta is a number that |X| exceeds with probability at most beta. Also the display of
counters: their claims, and the errors of their counts.
"""

import math
from abc import abstractmethod
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from functools import lru_cache
from typing import Final

import numpy as np

from antiphon.numbers import InvalidArgument, exact, shown_up
from antiphon.protocol import Claim, message_label
from antiphon.protocol.display import Card, Displayed, Grid, Part
from antiphon.protocol.pictures import COLOURS, Axes, Plotted, legend, style_axes, titled

LAPLACE_PROXIES = np.linspace(0.001, 0.999, 999)
_EXACT: Final = 400
"""The largest number of Laplace draws for which the quantile of their sum is computed."""
_UP: Final = 1 + 1e-9
"""A factor above 1 that outweighs the rounding errors of a quantile of Laplace noise."""


_chernoff: Final = ContextVar("_chernoff", default=False)


@contextmanager
def chernoff_bounds() -> Generator[None, None, None]:
    """A context manager within which every tail of Laplace noise is Chernoff's bound: it is larger
    than the quantile, but equal in all versions of the library. A mechanism whose answers depend on
    a tail bound needs it, so that its views replay."""
    token = _chernoff.set(True)
    try:
        yield
    finally:
        _chernoff.reset(token)


def discrete_laplace_variance(scale: Fraction) -> float:
    """The variance of discrete Laplace noise, P(x) ∝ e^(-|x|/scale): ½/sinh²(1/(2 scale)), near
    2·scale² - 1/6."""
    inverse = float(1 / (2 * scale))
    return 0.5 / math.sinh(inverse) ** 2 if inverse < 300 else 0.0


def discrete_gaussian_variance(sigma: Fraction) -> float:
    """The variance of discrete Gaussian noise, P(x) ∝ e^(-x²/(2 sigma²)): nearly sigma².

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
    draws: the lesser of Chernoff's bound and the quantile of continuous noise.

    Chernoff: E e^(λX) of one draw is at most that of continuous Laplace noise, 1/(1 - λ²scale²),
    since cosh(√u) - 1 is convex in u. Every λ < 1/scale gives a bound; the best on a grid is taken.
    The quantile of continuous noise, rounded up to an int T: the whole part of an exponential
    variable is geometric and independent of the rest. So continuous noise is S + F, where S is the
    discrete sum and F is independent of it. S is symmetric and unimodal (log-concave), and
    |S + f| <= T for at most 2T + 1 neighbouring values of S: so P(|S + F| <= T) <= P(|S| <= T).
    """
    grid = LAPLACE_PROXIES
    bounds = (math.log(2 / beta) - count * np.log1p(-(grid**2))) / grid
    most = float(bounds.min())
    if count > _EXACT or _chernoff.get():
        return float(scale) * most
    quantile = _continuous_quantile(count, beta, most)
    return min(float(scale) * most, float(math.ceil(scale * Fraction(quantile))))


@lru_cache(maxsize=1 << 12)
def _continuous_quantile(count: int, beta: float, most: float) -> float:
    """The number, rounded up, that a sum of ``count`` Laplace draws of scale 1 exceeds in size with
    probability beta; it is at most ``most``.

    A sum of n is the difference of two sums of n exponential variables. These end one by one, at
    each turn one of either sum with equal chances; with probability C(2n-j-1, n-1)/2^(2n-j) one
    sum has j left when none of the others is. So P(|sum| > x) = 2e^(-x) Σ_i x^i/i! Σ_(j>i) of
    these chances.
    """
    left = [Fraction(math.comb(2 * count - j - 1, count - 1), 2 ** (2 * count - j))
            for j in range(1, count + 1)]  # fmt: skip
    sums = np.cumsum([float(each) for each in reversed(left)])[::-1]
    powers = np.arange(count)
    logs = np.log(2 * sums) - np.array([math.lgamma(i + 1) for i in range(count)])
    low, high = 0.0, most
    for _ in range(50):
        middle = (low + high) / 2
        tail = float(np.exp(logs + powers * math.log(middle) - middle).sum())
        low, high = (low, middle) if tail * _UP <= beta else (middle, high)
    return high * _UP


def gaussian_tail(variance: float, beta: float) -> float:
    """A tail bound, at probability beta, on noise whose moments are at most those of a Gaussian of
    this variance.

    Discrete Gaussian noise satisfies this (Canonne, Kamath, Steinke 2020, Fact 20 and Prop. 27: it
    is sub-Gaussian with parameter sigma), and so are weighted sums of independent draws.
    """
    return math.sqrt(2 * variance * math.log(2 / beta))


def added(one: float, other: float) -> float:
    """The largest variance of a sum of two terms with the variances ``one`` and ``other``, whatever
    their correlation."""
    return (math.sqrt(one) + math.sqrt(other)) ** 2


_SUMMED: Final = 1 << 18
_WIDEST: Final = 1 << 22
_DOWN: Final = 1 - 1e-9
"""A factor below 1 that outweighs the rounding errors of ``lower_bound``."""


def lower_bound(
    *,
    horizon: int,
    rho: Fraction | float,
    sensitivity: Fraction | float = 1,
    window: int | None = None,
    decay: Fraction | float | None = None,
) -> float:
    """A lower bound on the mean (so also on the largest) squared error of any Gaussian
    factorisation A = B·C.

    (‖A‖_*/T)²·sensitivity²/(2ρ), with ‖A‖_* the nuclear norm of the T×T matrix A: that of ones,
    which sums prefixes; that of the sums of the last ``window`` updates; or that of sums in which
    an update counts ``decay`` times as much after each later one. Rounded down.
    Source: Edmonds, Nikolov, Ullman 2020; Henzinger, Upadhyay, Upadhyay 2023; windows and decay:
    docs/windows.md. Raises: InvalidArgument for a horizon, rho or sensitivity that is not positive,
    a window of more than 2^22 updates, a decay outside (0, 1), or both of them.
    """
    count = exact.whole(horizon, "horizon")
    scale = exact.positive(sensitivity, "sensitivity") ** 2 / (2 * exact.positive(rho, "rho"))
    if window is not None and decay is not None:
        raise InvalidArgument("a bound is for window=… or for decay=…, not for both")
    if decay is not None:
        deviation = _decayed(count, checked_decay(decay))
    elif window is not None and (width := exact.whole(window, "window")) < count:
        deviation = _sliding(count, width)
    else:
        deviation = _prefixes(count)
    return deviation**2 * float(scale) * _DOWN


def checked_decay(value: object) -> Fraction:
    """A decay factor λ as a Fraction. Raises: InvalidArgument outside (0, 1)."""
    found = exact.positive(value, "decay")
    if not found < 1:
        raise InvalidArgument("decay lies strictly between 0 and 1: decay=0.99 forgets 1 % a step")
    return found


def _prefixes(count: int) -> float:
    """The quotient ‖A‖_*/T for the T×T matrix A that sums prefixes, T = ``count``: its nuclear norm
    is the sum of its singular values ½/sin((2j-1)π/(4T+2)), j = 1, …, T."""
    step, summed = math.pi / (2 * count + 1), min(count, _SUMMED)
    nuclear = float((0.5 / np.sin((np.arange(summed) + 0.5) * step)).sum())
    if count > summed:
        # ½/sin is convex: a midpoint sum is below the integral, by at most step/12 times its slope.
        start, end = summed * step / 2, count * step / 2
        nuclear += (math.log(math.tan(end)) - math.log(math.tan(start))) / (2 * step)
        nuclear -= step / 12 * 0.5 / (summed * step) ** 2
    return nuclear / count


# A banded or decaying Toeplitz matrix A has a symbol a(θ), and the Toeplitz matrix U of a/|a| has
# norm <= 1, so ‖A‖_* >= <A, U> = Σ_k (T - k) a_k u_k. Here Σ_k a_k u_k = L, the mean of |a|, and
# Σ_k k a_k u_k is the mean of |a| times the derivative of the angle of a. Moreover ‖A‖_*/T >= 1, as
# A has ones on its diagonal.


def _sliding(count: int, window: int) -> float:
    """A lower bound on ‖A‖_*/T for the matrix A of sums of the last W = ``window`` of T = ``count``
    updates.

    It is the larger of 1 and L_W·(1 - (W-1)/(2T)). L_W, a Lebesgue constant, is Σ tan(πν/W)/(πν)
    over ν = -(W-1)/2, …, (W-1)/2, with 1/W at ν = 0.
    """
    if window > _WIDEST:
        raise InvalidArgument(f"a bound for a window is a sum of W terms: at most {_WIDEST}")
    places = np.arange(1.0 + window % 2, window, 2) / 2
    half = float((np.tan(np.pi * places / window) / (np.pi * places)).sum())
    lebesgue = 2 * half + (window % 2) / window
    return max(1.0, lebesgue * (1 - (window - 1) / (2 * count)))


def _decayed(count: int, decay: Fraction) -> float:
    """A lower bound on ‖A‖_*/T for the matrix A of sums with weights λ^k, λ = ``decay``, of T =
    ``count`` updates.

    It is the larger of 1 and L - ((4/π)/(1 - λ²) - L)/(2T), L = (2/π)K(m = λ²) = 1/AGM(1, √(1 -
    λ²)); the mean of |a|³ is at most (4/π)/(1 - λ²)².
    """
    left = float(1 - decay**2)
    large, small = 1.0, math.sqrt(left)
    while large - small > 1e-15 * large:
        large, small = (large + small) / 2, math.sqrt(large * small)
    least = 1 / large
    return max(1.0, least - (4 / math.pi / left - least) / (2 * count))


_MOST: Final = 1 << 16
"""The largest time at which errors are displayed if no time is asked for."""
_POINTS: Final = 64
_BETA: Final = 0.05


class ErrorsShown(Displayed, Plotted):
    """A base class of counters whose errors are known in advance, so that they can be displayed."""

    __slots__ = ()

    @property
    @abstractmethod
    def claims(self) -> tuple[Claim, ...]:
        """The privacy claims of the counter."""

    @abstractmethod
    def squared_error(self, updates: int, since: int = 0) -> float:
        """The expected squared error of an answer after ``updates`` updates.

        With ``since``: a bound on that of the difference of this answer and the one after the
        first ``since`` updates, which is the sum of the updates between.
        """

    @abstractmethod
    def error_bound(self, updates: int, *, beta: float, since: int = 0) -> float:
        """A bound on the error of every coordinate of the count after ``updates`` updates, with
        probability at least 1 - beta; with ``since``, of the difference of two counts."""

    @property
    def _last(self) -> int:
        """The time whose errors are displayed: the horizon or, without one, 2^16."""
        return getattr(self, "horizon", _MOST)

    @property
    def _window(self) -> int | None:
        """The number of latest updates whose sum is displayed; None for the sum of all."""
        return getattr(self, "window", None)

    def _since(self, updates: int) -> int:
        return 0 if self._window is None else max(0, updates - self._window)

    def _card(self) -> Card:
        return Card(message_label(self, 160), self._parts())

    def _parts(self) -> Iterator[Part]:
        yield Grid(list(self._rows()))
        if self._last <= _MOST:
            yield self._picture()

    def _rows(self) -> Iterator[tuple[str, str]]:
        for claim in self.claims:
            yield "claim", f"{message_label(claim.measure)}, {claim.status.value} ({claim.source})"
            yield "with respect to", message_label(claim.verification, 120)
        last = self._last
        if last <= _MOST:
            since = self._since(last)
            deviation = math.sqrt(self.squared_error(last, since))
            label = f"standard deviation after {last:,}"
            of = "" if self._window is None else f", of the last {self._window:,}"
            yield label + of, shown_up(deviation, 4)
            bound = self.error_bound(last, beta=_BETA, since=since)
            yield "  with probability 95 %", f"an error of at most {shown_up(bound, 4)}"

    def _draw(self, axes: Axes) -> None:
        last = self._last
        times = sorted({round(each) for each in np.geomspace(1, last, _POINTS).tolist()})
        times = list(range(1, last + 1)) if last <= _POINTS else times
        ends = [(each, self._since(each)) for each in times]
        errors = np.sqrt([self.squared_error(*each) for each in ends])
        bounds = [self.error_bound(each, beta=_BETA, since=since) for each, since in ends]
        style_axes(axes, "updates", f"error of a {'count' if self._window is None else 'window'}")
        axes.plot(times, errors, color=COLOURS[0], label="standard deviation")
        axes.plot(
            times, bounds, color=COLOURS[1], linewidth=1.2,
            label=f"not exceeded with probability {1 - _BETA:.0%}",
        )  # fmt: skip
        axes.set_xscale("log" if last > _POINTS else "linear")
        axes.set_ylim(bottom=0)
        legend(axes)
        titled(axes, type(self).__name__)
