# pyright: reportUnknownMemberType=false
"""Mistakes over rounds: between what every private learner pays and what one does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from antiphon.learners.mistakes import MistakeFigure
from antiphon.report.canvas import COLOURS, INK, SOFT, picture, plain


class Bounds(Protocol):
    """Two curves."""

    @property
    def rounds(self) -> Sequence[int]:
        """T."""
        ...

    @property
    def lower(self) -> Sequence[float]:
        """What every private, concentrated learner pays."""
        ...

    @property
    def upper(self) -> Sequence[float]:
        """What the sparse-vector learner does."""
        ...


def drawn(
    bounds: Bounds, found: Sequence[tuple[str, MistakeFigure]], *, title: str, paths: Iterable[Path]
) -> None:
    """The two curves, and a mark with its interval for each adversary at the last T.

    The axis of T is logarithmic. One file for each path.
    Raises: MissingExtra without matplotlib; InvalidArgument for a file that is no picture.
    """
    with picture(paths, width=8, height=5) as figure:
        axes = figure.subplots()
        plain(axes)
        times = list(bounds.rounds)
        lower, upper = list(bounds.lower), list(bounds.upper)
        axes.fill_between(times, lower, upper, color=SOFT, alpha=0.12, linewidth=0)
        axes.plot(times, upper, color=COLOURS[0], label="sparse vector, wrong every round")
        axes.plot(times, lower, color=COLOURS[1], label="lower bound of every private learner")
        for number, (name, mistakes) in enumerate(found):
            value = float(mistakes.value)
            ends = [[value - float(mistakes.low)], [float(mistakes.high) - value]]
            axes.errorbar(
                times[-1:], [value], yerr=ends, fmt="os^"[number % 3], label=name,
                color=COLOURS[2 + number % 4], capsize=4,
            )  # fmt: skip
        axes.set_xscale("log", base=2)
        axes.set_xlabel("rounds T")
        axes.set_ylabel("expected mistakes")
        axes.set_ylim(bottom=0)
        axes.legend(frameon=False, fontsize=9, labelcolor=INK)
        figure.suptitle(title, x=0.1, ha="left", fontweight="bold", color=INK)
        figure.subplots_adjust(left=0.1, right=0.97, top=0.9, bottom=0.11)
