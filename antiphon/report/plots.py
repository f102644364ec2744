# pyright: reportUnknownMemberType=false
"""``thing.plot()``: curves, counters, audit reports, searches and regrets as matplotlib axes."""

from __future__ import annotations

import io
from functools import singledispatch
from typing import TYPE_CHECKING, Final, Union

import numpy as np

from antiphon.audit.exact.tight_curve import TightCurve
from antiphon.audit.statistical.audit_report import AuditReport
from antiphon.audit.statistical.report_card import title
from antiphon.composition.accounting import PrivacyCurve
from antiphon.conjectures.conjectured import Conjectured
from antiphon.learners.contests import Standings
from antiphon.mechanisms.counters import Counter, UnboundedCounter
from antiphon.numbers.errors import MissingExtra
from antiphon.report.audits import draw_bounds
from antiphon.report.canvas import COLOURS, INK, STYLE, UNDATED, matplotlib, plain
from antiphon.report.climbs import draw_climb
from antiphon.report.curves import draw_curves
from antiphon.report.learning import draw_regrets

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SIZE: Final = (6.4, 3.8)
"""Inches."""
_POINTS: Final = 64
_FAR: Final = 1 << 16
"""Updates of a counter that has no horizon."""
_BETA: Final = 0.05


def plot(thing: object, ax: Axes | None = None) -> Axes:
    """Draw a result into ``ax``, or into a new figure of pyplot's; the axes.

    Raises: MissingExtra without matplotlib; InvalidArgument for an audit report that bounds no
    curve.
    """
    with matplotlib().rc_context(STYLE):
        if ax is None:
            from matplotlib import pyplot

            ax = pyplot.subplots(figsize=_SIZE, layout="constrained")[1]
        draw(thing, ax)
    return ax


def svg(thing: object) -> str | None:
    """The same as the text of an SVG file; None without matplotlib."""
    try:
        mpl = matplotlib()
    except MissingExtra:
        return None
    from matplotlib.figure import Figure

    file = io.StringIO()
    with mpl.rc_context({**STYLE, "svg.fonttype": "none"}):
        figure = Figure(figsize=_SIZE, layout="constrained")
        draw(thing, figure.subplots())
        figure.savefig(file, format="svg", metadata=UNDATED)
    return file.getvalue()


@singledispatch
def draw(thing: object, axes: Axes) -> None:
    """Draw one result."""
    raise TypeError(f"a {type(thing).__name__} has no picture of numbers")


@draw.register(PrivacyCurve)
def _(thing: PrivacyCurve, axes: Axes) -> None:
    draw_curves(axes, [thing], points=_POINTS)
    axes.set_title(thing.method, loc="left", fontsize=11, color=INK)


@draw.register(TightCurve)
def _(thing: TightCurve, axes: Axes) -> None:
    points = [(float(epsilon), float(delta)) for epsilon, delta in thing]
    last = max((epsilon for epsilon, _ in points), default=0.0)
    epsilons = np.linspace(0.0, 1.05 * last or 1.0, _POINTS)
    ends = thing.delta_between(epsilons)
    plain(axes)
    axes.fill_between(epsilons, ends.lower, ends.upper, color=COLOURS[0], alpha=0.25, linewidth=0)
    axes.plot(epsilons, ends.upper, color=COLOURS[0], linewidth=1.2, label="at most")
    if points:
        axes.plot(*zip(*points, strict=True), "o", color=COLOURS[0], markersize=4, label="tight")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("ε (nats)")
    axes.set_ylabel("δ")
    axes.legend(frameon=False, fontsize=9, labelcolor=INK)
    axes.set_title(thing.source.partition(";")[0], loc="left", fontsize=11, color=INK)


@draw.register(AuditReport)
def _(thing: AuditReport, axes: Axes) -> None:
    draw_bounds(axes, thing)
    axes.set_title(title(thing), loc="left", fontsize=11, color=INK)


@draw.register(Standings)
def _(thing: Standings, axes: Axes) -> None:
    draw_regrets(axes, [(thing.learner.partition("(")[0], thing)])
    axes.set_title(thing.game, loc="left", fontsize=11, color=INK)


@draw.register(Conjectured)
def _(thing: Conjectured, axes: Axes) -> None:
    draw_climb(axes, thing)


@draw.register(Counter)
@draw.register(UnboundedCounter)
def _(thing: Union[Counter, UnboundedCounter], axes: Axes) -> None:
    horizon = thing.horizon if isinstance(thing, Counter) else _FAR
    times = sorted({round(each) for each in np.geomspace(1, horizon, _POINTS).tolist()})
    times = list(range(1, horizon + 1)) if horizon <= _POINTS else times
    errors = np.sqrt([thing.squared_error(each) for each in times])
    bounds = [thing.error_bound(each, beta=_BETA) for each in times]
    plain(axes)
    axes.plot(times, errors, color=COLOURS[0], label="standard deviation")
    axes.plot(
        times, bounds, color=COLOURS[1], linewidth=1.2,
        label=f"not exceeded with probability {1 - _BETA:.0%}",
    )  # fmt: skip
    axes.set_xscale("log" if horizon > _POINTS else "linear")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("updates")
    axes.set_ylabel("error of a count")
    axes.legend(frameon=False, fontsize=9, labelcolor=INK)
    axes.set_title(type(thing).__name__, loc="left", fontsize=11, color=INK)
