# pyright: reportUnknownMemberType=false
"""Running counts over time: the true ones and the noisy ones, and their difference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs
import numpy as np

from antiphon.report.canvas import COLOURS, INK, SOFT, picture
from antiphon.report.dates import Dates, beside_title, dated, label_ends

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_LOW: Final = 0.25
"""The share of the height below which nothing is written under a line."""


@attrs.frozen(eq=False)
class Curve:
    """A running count: exact and noisy values at some dates."""

    name: str
    dates: Dates = attrs.field(repr=False)
    true: Sequence[int] = attrs.field(repr=False)
    noisy: Sequence[int] = attrs.field(repr=False)


@attrs.frozen(eq=False)
class Panel:
    """Curves that share an axis; ``level``, a line across it, and what that line means."""

    title: str
    curves: Sequence[Curve]
    level: int | None = None
    meaning: str = ""


def running_counts(
    panels: Sequence[Panel], *, title: str, subtitle: str, unit: str, paths: Iterable[Path]
) -> None:
    """Draw true against noisy running counts, with the error below; one file for each path.

    Raises: MissingExtra without matplotlib; InvalidArgument for a name that is no picture's.
    """
    with picture(paths, width=13.5, height=7.2) as figure:
        axes = figure.subplots(2, len(panels), sharex="col", height_ratios=(2.6, 1), squeeze=False)
        limit = 1.15 * max(_largest_errors(panels))
        for place, panel in enumerate(panels):
            _counts(axes[0][place], panel, unit)
            axes[0][place].set_xlabel("")
            label_ends(axes[0][place], [(c.name, c.dates[-1], c.noisy[-1]) for c in panel.curves])
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


def _counts(axes: Axes, panel: Panel, unit: str) -> None:
    dated(axes, [curve.dates for curve in panel.curves])
    axes.set_title(panel.title, loc="left", fontsize=11.5, color=INK, fontweight="bold")
    axes.set_ylabel(unit)
    if panel.level is not None:
        low = panel.level < _LOW * max(max(curve.true) for curve in panel.curves)
        axes.axhline(panel.level, color=SOFT, linewidth=0.9, linestyle=(0, (4, 3)))
        axes.annotate(
            panel.meaning, (0.99, panel.level), xycoords=("axes fraction", "data"), ha="right",
            va="bottom" if low else "top", xytext=(0, 4 if low else -4), fontsize=9, color=SOFT,
            textcoords="offset points",
        )  # fmt: skip
    for place, curve in enumerate(panel.curves):
        colour = COLOURS[place % len(COLOURS)]
        axes.plot(curve.dates, curve.true, color=colour, linewidth=1.4, alpha=0.9)
        axes.plot(curve.dates, curve.noisy, "o", color=colour, markersize=3.6, alpha=0.75)
    axes.set_ylim(bottom=0)


def _legend(axes: Axes) -> None:
    axes.plot([], [], color=INK, linewidth=1.4, label="true")
    axes.plot([], [], "o", color=INK, markersize=3.6, label="noisy, as answered")
    beside_title(axes)


def _errors(axes: Axes, panel: Panel, unit: str, limit: float) -> None:
    dated(axes, [curve.dates for curve in panel.curves])
    axes.set_ylabel(f"noisy − true\n({unit})")
    axes.axhline(0, color=SOFT, linewidth=0.9)
    for place, curve in enumerate(panel.curves):
        gap = np.subtract(curve.noisy, curve.true)
        colour = COLOURS[place % len(COLOURS)]
        axes.plot(curve.dates, gap, color=colour, linewidth=0.9, marker="o", markersize=2.4)
    axes.set_ylim(-limit, limit)
