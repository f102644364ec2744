# pyright: reportUnknownMemberType=false
"""Expected errors of counters, drawn beside the lower bound."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from antiphon.report.canvas import COLOURS, GRID, INK, SOFT, picture, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def errors(
    rows: Sequence[tuple[str, float, float]], *, bound: float, title: str, paths: Iterable[Path]
) -> None:
    """Each (name, mean, max) squared error as a span, logarithmic, and a line at the bound.

    One file for each path. Raises: MissingExtra without matplotlib; InvalidArgument for
    a file that is no .png, .svg or .pdf.
    """
    height = 1.9 + 0.42 * len(rows)
    with picture(paths, width=9.6, height=height) as figure:
        axes: Axes = figure.subplots()
        plain(axes)
        axes.grid(axis="y", visible=False)
        axes.grid(axis="x", color=GRID, linewidth=0.8)
        axes.set_xscale("log")
        for place, (_, mean, largest) in enumerate(rows):
            _span(axes, place, mean, largest)
        axes.axvline(bound, color=COLOURS[1], linewidth=1.6)
        axes.annotate(
            f"no factorisation below {_number(bound)}", (bound, -0.75), xytext=(5, 0), fontsize=9.5,
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
        f"{_number(mean)} / {_number(largest)}", (largest, place), xytext=(9, 0), fontsize=9.5,
        textcoords="offset points", va="center", color=INK,
    )  # fmt: skip


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"
