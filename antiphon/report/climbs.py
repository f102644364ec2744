# pyright: reportUnknownMemberType=false
"""How a search climbed: the best value over starts, against the bound."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from antiphon.conjectures.conjectured import Conjectured
from antiphon.report.canvas import COLOURS, INK, SOFT, picture, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot(found: Conjectured, paths: Iterable[Path]) -> None:
    """The best after each start, and the bound. One file for each path.

    Raises: MissingExtra without matplotlib; InvalidArgument for a file that is no picture.
    """
    with picture(paths, width=8, height=4) as figure:
        draw_climb(figure.subplots(), found)
        figure.subplots_adjust(left=0.11, right=0.96, top=0.9, bottom=0.14)


def draw_climb(axes: Axes, found: Conjectured) -> None:
    """The best so far after each start, in doubles; the bound as a line across."""
    starts = [start for start, _ in found.history]
    best = [value for _, value in found.history]
    bound = float(found.bound)
    plain(axes)
    if best:
        line = [*starts, found.starts], [*best, best[-1]]
        axes.step(*line, where="post", color=COLOURS[0], label="the best found")
        axes.plot(starts, best, "o", markersize=4, color=COLOURS[0])
    axes.axhline(bound, color=COLOURS[1], linestyle="--", linewidth=1.2, label="the bound")
    axes.set_xlim(left=0, right=1.04 * max(found.starts, 1))
    axes.set_xlabel("starts", color=SOFT)
    axes.set_ylabel(found.figure, color=SOFT)
    axes.legend(frameon=False, fontsize=9, labelcolor=INK, loc="best")
    axes.set_title(found.title, loc="left", fontsize=9, color=INK)
