# pyright: reportUnknownMemberType=false
"""What pictures over dates share: the axis, and a name at each curve's end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from antiphon.report.canvas import COLOURS, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes


Dates: TypeAlias = npt.NDArray[np.datetime64]


def dated(axes: Axes, dates: Sequence[Dates]) -> None:
    """All of these dates from left to right, at least two weeks, and counts upwards."""
    import matplotlib.dates

    mdates: Any = matplotlib.dates
    plain(axes)
    locator = mdates.AutoDateLocator(maxticks=9)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(mdates.ConciseDateFormatter(locator))
    axes.yaxis.set_major_formatter(_thousands)
    axes.set_xlim(*_span(dates))


def _thousands(value: float, position: float | None = None) -> str:
    return f"{value:,.0f}"


def _span(dates: Sequence[Dates]) -> tuple[Any, Any]:
    first, last = min(each[0] for each in dates), max(each[-1] for each in dates)
    day = np.timedelta64(1, "D")
    missing = max(0, 14 - (last - first) // day)
    margin = (last - first) // day // 40 + (missing + 1) // 2
    return first - margin * day, last + margin * day


def label_ends(axes: Axes, ends: Sequence[tuple[str, np.datetime64, int]]) -> None:
    """Each curve's name and last value at its right end, moved apart where two would overlap."""
    values = [value for _, _, value in ends]
    step = 0.052 * (axes.get_ylim()[1] - axes.get_ylim()[0])
    heights: dict[int, float] = {}
    below = -step
    for place in sorted(range(len(ends)), key=lambda i: values[i]):
        below = heights[place] = max(values[place], below + step)
    for place, (name, date, value) in enumerate(ends):
        axes.annotate(
            f"{name}  {value:,}", (date, value), xytext=(1.015, heights[place]),
            textcoords=("axes fraction", "data"), va="center", fontsize=9.5,
            color=COLOURS[place % len(COLOURS)], annotation_clip=False,
        )  # fmt: skip
