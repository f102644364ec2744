# pyright: reportUnknownMemberType=false
"""What a preprocessing costs, over the number of records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from antiphon.report.canvas import COLOURS, INK, picture, plain

_LINES: Final = {
    "naive": ("naive (wrong)", COLOURS[1], ":"),
    "printed": ("printed, p = 2", COLOURS[4], "--"),
    "group": ("group privacy", COLOURS[3], "-."),
    "derived": ("derived", COLOURS[0], "-"),
}


def over_sizes(rows: Sequence[Mapping[str, float]], *, title: str, paths: Iterable[Path]) -> None:
    """ε over n, both logarithmic: a line for each way to reckon it. One file for each path.

    Raises: MissingExtra without matplotlib; InvalidArgument for a file that is no picture.
    """
    with picture(paths, width=8, height=5) as figure:
        axes = figure.subplots()
        plain(axes)
        sizes = [row["size"] for row in rows]
        for name, (label, colour, style) in _LINES.items():
            values = [row[name] for row in rows]
            axes.plot(sizes, values, style, color=colour, marker="o", markersize=4, label=label)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("records n")
        axes.set_ylabel("ε")
        axes.legend(frameon=False, fontsize=9, labelcolor=INK)
        figure.suptitle(title, x=0.1, ha="left", fontweight="bold", color=INK)
        figure.subplots_adjust(left=0.1, right=0.97, top=0.9, bottom=0.11)
