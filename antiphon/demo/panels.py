# pyright: reportUnknownMemberType=false
"""Plots of noisy numbers over dates or steps: running counts, and bands around the truth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import attrs
import numpy as np
import numpy.typing as npt

from antiphon.protocol import pictures
from antiphon.protocol.pictures import COLOURS, DASHED, INK, SOFT, Axes, picture, style_axes, titled

if TYPE_CHECKING:
    from matplotlib.axis import Axis

Dates: TypeAlias = npt.NDArray[Any]
"""The values of a curve's horizontal axis: dates or, if these span few days, numbers of steps."""
_SHORT: Final = 9
"""The number of days from which the horizontal axis shows dates, and below which it shows steps."""
_LONG: Final = 10**15
"""The count from which labels show three digits only."""
_LOW: Final = 0.25
"""A horizontal line that is lower than this part of the largest true value is labelled above, any
other below."""


# --- drawing running counts -----------------------------------------------------------------------


@attrs.frozen(eq=False)
class Curve:
    """True and noisy values at some dates, and the half-widths of a band around the noisy ones."""

    name: str
    dates: Dates = attrs.field(repr=False)
    true: Sequence[int] = attrs.field(repr=False)
    noisy: Sequence[int] = attrs.field(repr=False)
    width: Sequence[int] = attrs.field(default=(), repr=False)
    """The band's half-width at each date, a bound on |noisy - true|; () without a band."""
    steps: bool = False
    """Whether the noisy values and the band are drawn as constant from one date to the next."""


@attrs.frozen(eq=False)
class Panel:
    """Curves that share an axis; ``meaning`` is the label of a horizontal line at ``level``."""

    title: str
    curves: Sequence[Curve]
    level: int | None = None
    meaning: str = ""


def running_counts(
    panels: Sequence[Panel], *, title: str, subtitle: str, unit: str, paths: Iterable[Path]
) -> None:
    """Draw true and noisy running counts, and their errors below; writes one file for each path.

    Raises: MissingExtra without matplotlib; InvalidArgument for a name that is no picture's.
    """
    with picture(paths, width=13.5, height=7.2) as figure:
        axes = figure.subplots(2, len(panels), sharex="col", height_ratios=(2.6, 1), squeeze=False)
        limit = 1.15 * max(_largest_errors(panels))
        for place, panel in enumerate(panels):
            _panel(axes[0][place], panel, unit)
            axes[0][place].set_xlabel("")
            _errors(axes[1][place], panel, unit, limit)
        _legend(axes[0][0])
        figure.text(0.075, 0.955, title, fontsize=15, fontweight="bold", color=INK)
        figure.text(0.075, 0.92, subtitle, fontsize=10.5, color=SOFT)
        figure.subplots_adjust(
            left=0.075, right=0.905, top=0.85, bottom=0.075, wspace=0.46, hspace=0.16
        )


def _largest_errors(panels: Sequence[Panel]) -> Iterator[int]:
    yield 1
    for panel in panels:
        for curve in panel.curves:
            yield from (abs(n - t) for n, t in zip(curve.noisy, curve.true, strict=True))


def _panel(axes: Axes, panel: Panel, unit: str = "") -> None:
    """Draw the curves of a panel: true values as a line, noisy ones as dots, and any bands."""
    dated(axes, panel.curves)
    titled(axes, panel.title, 11.5, fontweight="bold")
    axes.set_ylabel(unit)
    if panel.level is not None:
        low = panel.level < _LOW * max(max(curve.true) for curve in panel.curves)
        axes.axhline(panel.level, color=SOFT, linewidth=0.9, linestyle=DASHED)
        axes.annotate(
            panel.meaning, (0.99, panel.level), xycoords=("axes fraction", "data"), ha="right",
            va="bottom" if low else "top", xytext=(0, 4 if low else -4), fontsize=9, color=SOFT,
            textcoords="offset points",
        )  # fmt: skip
    for place, curve in enumerate(panel.curves):
        colour, values = COLOURS[place % len(COLOURS)], (curve.true, curve.noisy, curve.width)
        true, noisy, width = (np.array(each, float) for each in values)
        if curve.width:
            axes.fill_between(
                curve.dates, np.maximum(noisy - width, 0), noisy + width, color=colour, alpha=0.13,
                linewidth=0, step="post" if curve.steps else None,
            )  # fmt: skip
        axes.plot(curve.dates, true, color=colour, linewidth=1.4, alpha=0.9)
        if curve.steps:
            axes.plot(curve.dates, noisy, color=colour, linewidth=0.9, drawstyle="steps-post")
        axes.plot(curve.dates, noisy, "o", color=colour, markersize=3.6, alpha=0.75)
    axes.set_ylim(bottom=0)
    _label_ends(axes, panel.curves)


def _legend(axes: Axes, *, band: str = "") -> None:
    """Draw the figure's legend to the right of its title, where there are no curves."""
    axes.plot([], [], color=INK, linewidth=1.4, label="true")
    axes.plot([], [], "o", color=INK, markersize=3.6, label="noisy, as answered")
    if band:
        axes.fill_between([], [], [], color=INK, alpha=0.15, label=band)
    figure: Any = axes.figure
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="upper right", bbox_to_anchor=(0.99, 0.995), ncols=len(labels),
        frameon=False, fontsize=9.5, labelcolor=INK, columnspacing=1.4, handlelength=1.6,
    )  # fmt: skip


def _errors(axes: Axes, panel: Panel, unit: str, limit: float) -> None:
    dated(axes, panel.curves)
    axes.set_ylabel(f"noisy − true\n({unit})")
    axes.axhline(0, color=SOFT, linewidth=0.9)
    for place, curve in enumerate(panel.curves):
        gap = np.subtract(curve.noisy, curve.true)
        colour = COLOURS[place % len(COLOURS)]
        axes.plot(curve.dates, gap, color=colour, linewidth=0.9, marker="o", markersize=2.4)
    axes.set_ylim(-limit, limit)


# --- drawing error bands --------------------------------------------------------------------------


def bands(panels: Sequence[Panel], *, title: str, subtitle: str, paths: Iterable[Path]) -> None:
    """Draw panels of bands side by side; writes one file for each path.

    Raises: MissingExtra without matplotlib; InvalidArgument for a name that is no picture's.
    """
    with picture(paths, width=13.5, height=5.6) as figure:
        axes = figure.subplots(1, len(panels), squeeze=False)[0]
        for place, panel in enumerate(panels):
            _panel(axes[place], panel)
        _legend(axes[0], band="where the true value should lie")
        figure.text(0.065, 0.945, title, fontsize=15, fontweight="bold", color=INK)
        figure.text(0.065, 0.9, subtitle, fontsize=10.5, color=SOFT)
        figure.subplots_adjust(left=0.065, right=0.915, top=0.8, bottom=0.1, wspace=0.42)


# --- axes and labels of all drawings --------------------------------------------------------------


def along(dates: Dates, steps: Sequence[int], *, first: Any, last: Any) -> Dates:
    """The values of the horizontal axis: ``dates``, or ``steps`` if the dates span few days."""
    return np.asarray(steps) if last - first < np.timedelta64(_SHORT, "D") else dates


def dated(axes: Axes, curves: Sequence[Curve]) -> None:
    """Set up the axes: dates (or numbers of flights) from left to right, and counts upwards."""
    style_axes(axes)
    first = min(each.dates[0] for each in curves)
    last = max(each.dates[-1] for each in curves)
    if isinstance(first, np.datetime64):
        pictures.by_date(axes)
        margin: Any = (last - first) // 40
    else:
        _whole(axes.xaxis)
        axes.set_xlabel("flights told")
        margin = max(1, (last - first) / 40)
    _whole(axes.yaxis)
    axes.set_xlim(first - margin, last + margin)


def _whole(axis: Axis) -> None:
    """Label an axis with whole numbers, with commas at the thousands."""
    locator: Any = axis.get_major_locator()
    locator.set_params(integer=True)
    axis.set_major_formatter(_thousands)


def _thousands(value: float, position: float | None = None) -> str:
    return f"{value:,.0f}"


def _label_ends(axes: Axes, curves: Sequence[Curve]) -> None:
    """Write each curve's name and last value at its right end, moved apart if they overlap."""
    values = [curve.noisy[-1] for curve in curves]
    step = 0.052 * (axes.get_ylim()[1] - axes.get_ylim()[0])
    heights: dict[int, float] = {}
    below = -step
    for place in sorted(range(len(curves)), key=lambda i: values[i]):
        below = heights[place] = max(values[place], below + step)
    for place, (curve, value) in enumerate(zip(curves, values, strict=True)):
        axes.annotate(
            f"{curve.name}  {_short(value)}", (curve.dates[-1], value),
            xytext=(1.015, heights[place]), textcoords=("axes fraction", "data"), va="center",
            fontsize=9.5, color=COLOURS[place % len(COLOURS)], annotation_clip=False,
        )  # fmt: skip


def _short(value: int) -> str:
    """A count as a text: in full, or with three digits if it is too long for a picture."""
    return f"{value:,}" if abs(value) < _LONG else f"{value:.3g}"
