# pyright: reportUnknownMemberType=false
"""Regret over rounds, with bands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from antiphon.audit.contests import Standings
from antiphon.report.canvas import COLOURS, INK, picture, plain


def regrets(curves: Sequence[tuple[str, Standings]], *, title: str, paths: Iterable[Path]) -> None:
    """Mean regret at each checkpoint, both axes logarithmic, in bands of confidence 95 %.

    The legend has the slope of each.
    What is below 1 is drawn at 1. One file for each path.
    Raises: MissingExtra without matplotlib; InvalidArgument for a file that is no picture.
    """
    with picture(paths, width=8, height=5) as figure:
        axes = figure.subplots()
        plain(axes)
        for number, (name, standings) in enumerate(curves):
            colour = COLOURS[number % len(COLOURS)]
            mean, band = standings.mean, np.nan_to_num(standings.band(), posinf=0.0)
            times = standings.checkpoints
            label = name if np.isnan(standings.slope) else f"{name}, T^{standings.slope:.2f}"
            axes.plot(times, np.maximum(mean, 1), color=colour, linewidth=1.8, label=label)
            low, high = (np.maximum(each, 1) for each in (mean - band, mean + band))
            axes.fill_between(times, low, high, color=colour, alpha=0.15, linewidth=0)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("rounds")
        axes.set_ylabel("regret against the best in hindsight")
        axes.legend(frameon=False, fontsize=9, labelcolor=INK)
        figure.suptitle(title, x=0.1, ha="left", fontweight="bold", color=INK)
        figure.subplots_adjust(left=0.1, right=0.97, top=0.9, bottom=0.11)
