# pyright: reportUnknownMemberType=false
"""How a search climbs: the best value over starts, against the bound."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from antiphon.report.canvas import COLOURS, INK, picture, plain


def drawn(
    climbs: Sequence[tuple[int, float]], bound: float, *, title: str, paths: Iterable[Path]
) -> None:
    """The best so far after each start, and the bound. One file for each path.

    Raises: MissingExtra without matplotlib; InvalidArgument for a file that is no picture.
    """
    with picture(paths, width=8, height=4) as figure:
        axes = figure.subplots()
        plain(axes)
        starts, best = zip(*climbs, strict=True) if climbs else ((), ())
        axes.step(starts, best, where="post", color=COLOURS[0], label="best mechanisms found")
        axes.axhline(bound, color=COLOURS[1], linestyle="--", label="the bound")
        axes.set_xlabel("starts", color=INK)
        axes.set_ylabel("loss", color=INK)
        axes.set_title(title, fontsize=9, color=INK)
        axes.legend(frameon=False)
