# pyright: reportUnknownMemberType=false
"""The command ``antiphon counters``: the expected errors of all counters, beside the lower
bound."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import attrs

from antiphon.cli.output import CommandOutcome, exact_number, progress, tell
from antiphon.mechanisms import BalancedTreeCounter, BufferedToeplitzCounter, SquareRootCounter
from antiphon.mechanisms.counters import Counter, lower_bound, tree_counter
from antiphon.numbers import InvalidArgument, exact, shown_up, up
from antiphon.numbers.exact import rational
from antiphon.protocol.display import Card, Grid, Part
from antiphon.protocol.pictures import COLOURS, GRID, INK, SOFT, Axes, picture, style_axes

_BAR: Final = 26
_LONG: Final = 1 << 20
"""The longest horizon at which the table has the normalised square-root counter."""
_SEARCHED: Final = 1 << 16
"""The longest horizon at which the table has binary trees for a window, whose errors take a search
over all times."""
_LONGEST: Final = 1 << 22
"""The longest horizon at which the table has the square-root counter and the normalised buffered
Toeplitz counter."""


@attrs.frozen
class CounterErrors:
    """The expected squared errors of one counter."""

    name: str
    claim: str
    numbers_kept: int
    max_squared_error: float
    mean_squared_error: float | None
    """The mean squared error over all times; None for sums over a window."""


@attrs.frozen
class ImpliedByRho:
    """The (ε, δ) that the counters' ρ-zCDP implies at the requested δ."""

    epsilon: float
    delta: Fraction


@attrs.frozen
class CounterTable(CommandOutcome):
    """The expected errors of all counters, and the lower bound."""

    horizon: int
    events: int
    """The number of updates that may differ."""
    rho: Fraction
    window: int | None
    """The number of latest updates that an answer adds up; None: all updates so far."""
    lower_bound: float
    counters: list[CounterErrors]
    converted: ImpliedByRho | None
    plot: Path | None

    def _card(self) -> Card:
        claim = f"ρ = {exact_number(self.rho)} (zCDP; ε-DP with ε = √(2ρ) implies it)"
        differ = "one" if self.events == 1 else f"any {self.events:,}"
        title = f"{self.horizon:,} updates in {{0, 1}}, {differ} of which may differ; {claim}"
        return Card(title, self._parts())

    def _parts(self) -> Iterator[Part]:
        columns = ("counter", "claim", "numbers kept", "max error", "mean error", "max/bound", "")
        bound = self.lower_bound
        widest = math.log(max(row.max_squared_error for row in self.counters) / bound)
        cells = [_cells(row, row.max_squared_error / bound, widest) for row in self.counters]
        below = "no factorisation below" + " (one event)" * (self.events > 1)
        cells.append((below, "ρ", "", "", _number(bound), "1.000", "▏"))
        yield Grid(cells, columns, numbers=columns[2:6])
        of = "a count" if self.window is None else f"a sum of the last {self.window:,} updates"
        yield f"Expected squared errors of {of}; max/bound is drawn on a logarithmic scale."
        if self.window is None:
            yield "Normalised: all columns of the factor have one norm: each update costs all of ρ."
            if self.events > 1:
                yield "They charge k² times one event; the others what k columns overlap."
        if self.converted is not None:
            epsilon, delta = shown_up(self.converted.epsilon), exact_number(self.converted.delta)
            yield f"The claims with ρ imply ({epsilon}, {delta})-DP."
        if self.plot is not None:
            yield f"The errors are drawn in {self.plot}"


def _cells(row: CounterErrors, ratio: float, widest: float) -> tuple[str, ...]:
    mean = "" if row.mean_squared_error is None else _number(row.mean_squared_error)
    return (
        row.name, row.claim, f"{row.numbers_kept:,}", _number(row.max_squared_error), mean,
        f"{ratio:.3f}", "█" * _length(ratio, widest),
    )  # fmt: skip


def counters(
    *,
    horizon: int,
    events: int,
    rho: str,
    window: int | None,
    delta: str | None,
    plot: Path | None,
    as_json: bool,
) -> int:
    """Compute, print and draw the expected errors of the counters; returns the exit status."""
    exact_rho = exact.positive(rational(rho, "rho"), "rho")
    if window is not None and window >= horizon:
        raise InvalidArgument("a window is shorter than the horizon; leave it out, for counts")
    size = {"horizon": exact.whole(horizon, "horizon"), "events": exact.whole(events, "events")}
    made = list(_made(size, exact_rho, window))
    bound = lower_bound(horizon=horizon, rho=exact_rho, window=window)
    converted = None if delta is None else _converted(made, delta)
    rows: list[CounterErrors] = []
    with progress("Errors", len(made), quiet=as_json) as advance:
        for name, counter in made:
            rows.append(_row(name, counter, window))
            advance(len(rows))
    if plot is not None:
        spans = [
            (row.name, row.mean_squared_error or row.max_squared_error, row.max_squared_error)
            for row in rows
        ]
        of = "a count" if window is None else f"a window of {window:,}"
        title = (
            f"Expected squared error of {of}, {horizon:,} updates, ρ = {exact_number(exact_rho)}"
        )
        _draw(spans, bound=bound, title=title, paths=[plot])
    table = CounterTable(horizon, events, exact_rho, window, bound, rows, converted, plot)
    tell(table, as_json=as_json)
    return 0


def _made(size: dict[str, Any], rho: Fraction, window: int | None) -> Iterator[tuple[str, Counter]]:
    """The counters to compare, with their names; without those whose errors take too long to
    compute."""
    epsilon, horizon = _pure(rho), size["horizon"]
    if window is None or horizon <= _SEARCHED:
        yield "binary tree (Laplace)", tree_counter.TreeCounter(**size, epsilon=epsilon)
    balanced = BalancedTreeCounter(**size, epsilon=epsilon)
    yield f"balanced {balanced.base}-ary tree", balanced
    if window is not None:
        sliding = BalancedTreeCounter(**size, epsilon=epsilon, window=window)
        yield f"{sliding.base}-ary tree for the window", sliding
    if window is None or horizon <= _SEARCHED:
        yield "binary tree (Gaussian)", tree_counter.GaussianTreeCounter(**size, rho=rho)
        yield "refined tree", tree_counter.RefinedTreeCounter(**size, rho=rho)
    kinds: list[tuple[str, Callable[..., Counter], int, int]] = [
        ("square root", SquareRootCounter, _LONGEST, _LONG),
        ("buffered Toeplitz", BufferedToeplitzCounter, 1 << 30, _LONGEST),
    ]
    for name, kind, most, _ in kinds:
        if horizon <= most:
            yield name, kind(**size, rho=rho)
    if window is not None:
        buffered = BufferedToeplitzCounter(**size, rho=rho, window=window)
        yield "buffers for the window", buffered
        return
    for name, kind, _, most in kinds:
        if horizon <= most:
            yield f"{name}, normalised", kind(**size, rho=rho, normalised=True)


def _pure(rho: Fraction) -> Fraction:
    """An ε with ε²/2 <= ρ, so that ε-DP implies ρ-zCDP (Bun and Steinke 2016, Prop. 1.4)."""
    square = 2 * rho
    shift = 80
    root = math.isqrt(math.floor(square * 4**shift))
    return Fraction(root, 2**shift)


def _row(name: str, counter: Counter, window: int | None) -> CounterErrors:
    claim = "ρ"
    if isinstance(counter, (tree_counter.TreeCounter, BalancedTreeCounter)):
        claim = f"ε = {exact_number(counter.epsilon)}"
    if window is not None:
        return CounterErrors(
            name, claim, counter.state_size, counter.max_squared_window(window), None
        )
    return CounterErrors(
        name, claim, counter.state_size, counter.max_squared_error, counter.mean_squared_error
    )


def _converted(made: list[tuple[str, Counter]], delta: str) -> ImpliedByRho:
    """The (ε, δ) that ρ-zCDP implies, for a counter with Gaussian noise."""
    (claim,) = next(counter for _, counter in made if counter.norm == 2).claims
    epsilon, found = claim.at(exact.probability(rational(delta, "delta"))).parameters
    assert isinstance(epsilon, Fraction)
    return ImpliedByRho(up(epsilon), found)


# --- pictures of the counters' errors -------------------------------------------------------------


def _draw(
    rows: Sequence[tuple[str, float, float]], *, bound: float, title: str, paths: Iterable[Path]
) -> None:
    """Draw each counter's mean and maximal squared error as the ends of a bar on a logarithmic
    axis, and a line at the lower bound.

    One file for each path. Raises: MissingExtra without matplotlib; InvalidArgument for
    a file that is no .png, .svg or .pdf.
    """
    height = 1.9 + 0.42 * len(rows)
    with picture(paths, width=9.6, height=height) as figure:
        axes = figure.subplots()
        style_axes(axes)
        axes.grid(axis="y", visible=False)
        axes.grid(axis="x", color=GRID, linewidth=0.8)
        axes.set_xscale("log")
        for place, (_, mean, largest) in enumerate(rows):
            _span(axes, place, mean, largest)
        axes.axvline(bound, color=COLOURS[1], linewidth=1.6)
        axes.annotate(
            f"no factorisation below {_tick(bound)}", (bound, -0.75), xytext=(5, 0), fontsize=9.5,
            textcoords="offset points", color=COLOURS[1], va="center",
        )  # fmt: skip
        axes.set_yticks(range(len(rows)), [name for name, _, _ in rows])
        axes.set_ylim(len(rows) - 0.4, -1.2)
        axes.set_xlim(bound / 1.2, 6 * max(largest for _, _, largest in rows))
        axes.tick_params(axis="y", length=0, labelcolor=INK)
        axes.set_xlabel("expected squared error: mean ○ and max ●", color=SOFT)
        figure.text(0.02, 0.94, title, fontsize=13, fontweight="bold", color=INK)
        figure.subplots_adjust(left=0.25, right=0.97, top=1 - 0.62 / height, bottom=0.62 / height)


def _span(axes: Axes, place: int, mean: float, largest: float) -> None:
    axes.plot([mean, largest], [place, place], color=COLOURS[0], linewidth=2.4, zorder=3)
    axes.plot(largest, place, "o", color=COLOURS[0], markersize=8, zorder=4)
    axes.plot(
        mean, place, "o", color="white", markeredgecolor=COLOURS[0], markeredgewidth=2,
        markersize=7.5, zorder=5,
    )  # fmt: skip
    axes.annotate(
        f"{_tick(mean)} / {_tick(largest)}", (largest, place), xytext=(9, 0), fontsize=9.5,
        textcoords="offset points", va="center", color=INK,
    )  # fmt: skip


def _tick(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def _length(ratio: float, widest: float) -> int:
    return 1 + round(_BAR * math.log(ratio) / widest) if widest > 0 else 1


def _number(value: float) -> str:
    """A number with four significant digits.

    >>> _number(30.27358), _number(17636.7), _number(0.0123456)
    ('30.27', '17,640', '0.01235')
    """
    if value >= 1e4:
        digits = math.floor(math.log10(value)) - 3
        return f"{round(value, -digits):,.0f}"
    return f"{value:.4g}"
