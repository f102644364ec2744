# pyright: reportUnknownMemberType=false
"""Noisy numbers over time, each with the band that the truth is promised to lie in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import numpy as np

from antiphon.report.canvas import COLOURS, INK, SOFT, picture
from antiphon.report.dates import Dates, beside_title, dated, label_ends

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@attrs.frozen(eq=False)
class Band:
    """True and noisy values at some dates, and how far apart they may be."""

    name: str
    dates: Dates = attrs.field(repr=False)
    true: Sequence[int] = attrs.field(repr=False)
    noisy: Sequence[int] = attrs.field(repr=False)
    width: Sequence[int] = attrs.field(repr=False)
    """What |noisy - true| is promised not to exceed."""
    steps: bool = False
    """Whether the noisy value stays until it changes."""


def bands(
    panels: Sequence[tuple[str, Sequence[Band]]],
    *,
    title: str,
    subtitle: str,
    paths: Iterable[Path],
) -> None:
    """Draw panels (title, bands) side by side; one file for each path.

    Raises: MissingExtra without matplotlib; InvalidArgument for a name that is no picture's.
    """
    with picture(paths, width=13.5, height=5.6) as figure:
        axes = figure.subplots(1, len(panels), squeeze=False)[0]
        for place, (heading, drawn) in enumerate(panels):
            _panel(axes[place], heading, drawn)
        axes[0].plot([], [], color=INK, linewidth=1.4, label="true")
        axes[0].plot([], [], "o", color=INK, markersize=3.6, label="noisy, as answered")
        axes[0].fill_between([], [], [], color=INK, alpha=0.15, label="where the truth should lie")
        beside_title(axes[0])
        figure.text(0.065, 0.945, title, fontsize=15, fontweight="bold", color=INK)
        figure.text(0.065, 0.9, subtitle, fontsize=10.5, color=SOFT)
        figure.subplots_adjust(left=0.065, right=0.915, top=0.8, bottom=0.1, wspace=0.42)


def _panel(axes: Axes, heading: str, drawn: Sequence[Band]) -> None:
    dated(axes, [band.dates for band in drawn])
    axes.set_title(heading, loc="left", fontsize=11.5, color=INK, fontweight="bold")
    for place, band in enumerate(drawn):
        colour, how = COLOURS[place % len(COLOURS)], "steps-post" if band.steps else "default"
        true, noisy, width = (np.array(each, float) for each in (band.true, band.noisy, band.width))
        axes.fill_between(
            band.dates, np.maximum(noisy - width, 0), noisy + width, color=colour, alpha=0.13,
            linewidth=0, step="post" if band.steps else None,
        )  # fmt: skip
        axes.plot(band.dates, true, color=colour, linewidth=1.4, alpha=0.9)
        if band.steps:
            axes.plot(band.dates, noisy, color=colour, linewidth=0.9, drawstyle=how)
        axes.plot(band.dates, noisy, "o", color=colour, markersize=3.6, alpha=0.75)
    axes.set_ylim(bottom=0)
    label_ends(axes, [(band.name, band.dates[-1], band.noisy[-1]) for band in drawn])
