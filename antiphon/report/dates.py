# pyright: reportUnknownMemberType=false
"""What pictures over dates, or counts of steps, share: the axis, a name at each curve's end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from antiphon.report.canvas import COLOURS, INK, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis


Dates: TypeAlias = npt.NDArray[Any]
"""Dates; or, where there are few of them, how many steps there were."""
_SHORT: Final = 9
"""Days below which dates say little."""
_LONG: Final = 10**15
"""Counts from here on are written to three digits."""


def along(dates: Dates, steps: Sequence[int], *, first: Any, last: Any) -> Dates:
    """What a picture goes along: the dates, unless all of it lies between few of them."""
    return np.asarray(steps) if last - first < np.timedelta64(_SHORT, "D") else dates


def dated(axes: Axes, dates: Sequence[Dates], step: str = "flights told") -> None:
    """All of these dates, or counts of a ``step``, from left to right, and counts upwards."""
    import matplotlib.dates

    mdates: Any = matplotlib.dates
    plain(axes)
    first, last = min(each[0] for each in dates), max(each[-1] for each in dates)
    if isinstance(first, np.datetime64):
        locator = mdates.AutoDateLocator(maxticks=9)
        axes.xaxis.set_major_locator(locator)
        axes.xaxis.set_major_formatter(mdates.ConciseDateFormatter(locator))
        margin: Any = (last - first) // 40
    else:
        _whole(axes.xaxis)
        axes.set_xlabel(step)
        margin = max(1, (last - first) / 40)
    _whole(axes.yaxis)
    axes.set_xlim(first - margin, last + margin)


def _whole(axis: Axis) -> None:
    """Whole numbers, with commas."""
    locator: Any = axis.get_major_locator()
    locator.set_params(integer=True)
    axis.set_major_formatter(_thousands)


def beside_title(axes: Axes) -> None:
    """The legend of a figure, right of its title: where there are no curves."""
    figure: Any = axes.figure
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="upper right", bbox_to_anchor=(0.99, 0.995), ncols=len(labels),
        frameon=False, fontsize=9.5, labelcolor=INK, columnspacing=1.4, handlelength=1.6,
    )  # fmt: skip


def _thousands(value: float, position: float | None = None) -> str:
    return f"{value:,.0f}"


def label_ends(axes: Axes, ends: Sequence[tuple[str, Any, int]]) -> None:
    """Each curve's name and last value at its right end, moved apart where two would overlap."""
    values = [value for _, _, value in ends]
    step = 0.052 * (axes.get_ylim()[1] - axes.get_ylim()[0])
    heights: dict[int, float] = {}
    below = -step
    for place in sorted(range(len(ends)), key=lambda i: values[i]):
        below = heights[place] = max(values[place], below + step)
    for place, (name, date, value) in enumerate(ends):
        axes.annotate(
            f"{name}  {_short(value)}", (date, value), xytext=(1.015, heights[place]),
            textcoords=("axes fraction", "data"), va="center", fontsize=9.5,
            color=COLOURS[place % len(COLOURS)], annotation_clip=False,
        )  # fmt: skip


def _short(value: int) -> str:
    """A count in full; one that no picture has room for, to three digits."""
    return f"{value:,}" if abs(value) < _LONG else f"{value:.3g}"
