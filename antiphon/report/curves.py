# pyright: reportUnknownMemberType=false
"""Privacy curves in one picture: δ against ε."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from antiphon.composition.accounting import Interval, PrivacyCurve
from antiphon.composition.accounting.figures import LEAST, come_down
from antiphon.numbers.interval import Floats
from antiphon.numbers.printed import Figure, shown_up
from antiphon.report.canvas import COLOURS, GRID, INK, SOFT, picture, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_POINTS: Final = 160


def privacy_curves(
    curves: Sequence[PrivacyCurve],
    *,
    title: str,
    paths: Iterable[Path],
    last: float | None = None,
    points: Sequence[tuple[Figure, Figure]] = (),
) -> None:
    """Draw δ(ε) of every curve, upper ends; the interval of one that has a lower end is shaded.

    ``last`` is where the ε axis ends (nats); by default, where the last curve has come down
    to 1e-12 or its floor. ``points`` (ε, δ) are marked and named, and the axis reaches them.
    One file for each path. Raises: MissingExtra without matplotlib.
    """
    with picture(paths, width=9.0, height=5.4 + 0.24 * len(curves)) as figure:
        draw_curves(figure.subplots(), curves, last, marks=points)
        figure.legend(loc=(0.08, 0.005), frameon=False, fontsize=9, labelcolor=INK)
        figure.text(0.09, 0.955, title, fontsize=12.5, fontweight="bold", color=INK)
        figure.subplots_adjust(left=0.09, right=0.975, top=0.93, bottom=0.09 + 0.033 * len(curves))


def draw_curves(
    axes: Axes,
    curves: Sequence[PrivacyCurve],
    last: float | None = None,
    points: int = _POINTS,
    marks: Sequence[tuple[Figure, Figure]] = (),
) -> None:
    """The curves and the floor of the highest, δ on a logarithmic scale; ``marks`` are named."""
    end = reach(curves) if last is None else last
    finite = sorted((each for each in marks if each[0] != math.inf), key=_across)
    far = max([end, *(1.08 * _across(each) for each in finite)])
    epsilons = np.linspace(0.0, far, points)
    falls = [_with_its_fall(curve, epsilons) for curve in curves]
    ends = [curve.delta_between(each) for curve, each in zip(curves, falls, strict=True)]
    plain(axes)
    axes.set_yscale("log")
    axes.set_xlabel("ε (nats)")
    axes.set_ylabel("δ")
    for place, (curve, each) in enumerate(zip(curves, ends, strict=True)):
        _draw(axes, curve, falls[place], each, COLOURS[place % len(COLOURS)])
    _floor(axes, max(curve.floor.upper for curve in curves))
    axes.set_xlim(0, float(epsilons[-1]))
    axes.set_ylim(_bottom(ends, [float(delta) for _, delta in marks]), 1.6)
    _mark(axes, finite)
    axes.grid(axis="x", color=GRID, linewidth=0.8)


def _across(mark: tuple[Figure, Figure]) -> float:
    return float(mark[0])


def _with_its_fall(curve: PrivacyCurve, epsilons: Floats) -> Floats:
    """And where δ comes to its floor, and just before: a fall stands where it is, not before."""
    end = curve._enough  # pyright: ignore[reportPrivateUsage]
    more = [end * (1 - 1e-9), end] if 0 < end < epsilons[-1] else []
    return np.sort(np.append(epsilons, more))


def reach(curves: Sequence[PrivacyCurve]) -> float:
    """An ε at which the lowest curve has come down to about 1e-12, or to its floor."""
    return 1.15 * min(map(come_down, curves)) or 1.0


def _draw(
    axes: Axes, curve: PrivacyCurve, epsilons: Floats, ends: Interval[Floats], colour: str
) -> None:
    least = np.maximum(ends.upper, 1e-300)
    axes.plot(epsilons, least, color=colour, linewidth=1.7, label=f"{curve.method}: {curve.source}")
    if np.any(ends.lower > curve.floor.upper):
        axes.fill_between(
            epsilons, np.maximum(ends.lower, 1e-300), least, color=colour, alpha=0.25, linewidth=0
        )


def _floor(axes: Axes, floor: float) -> None:
    if floor > 0:
        axes.axhline(floor, color=SOFT, linewidth=0.9, linestyle=(0, (4, 3)))
        axes.annotate(
            f"floor 1-Π(1-δᵢ) = {shown_up(floor)}", (0.99, floor), ha="right", va="top", fontsize=9,
            xycoords=("axes fraction", "data"), xytext=(0, -3), textcoords="offset points",
            color=SOFT,
        )  # fmt: skip


def _mark(axes: Axes, points: Sequence[tuple[Figure, Figure]]) -> None:
    """The points that were asked for, named in the lower left corner, where no falling curve is."""
    for place, (epsilon, delta) in enumerate(points):
        at, height = float(epsilon), max(float(delta), axes.get_ylim()[0])
        axes.plot([at], [height], "o", color=INK, markersize=6, zorder=5, clip_on=False)
        axes.annotate(
            f"ε = {shown_up(epsilon)}, δ = {shown_up(delta)}", (at, height),
            xytext=(0.03, 0.05 + 0.065 * (len(points) - 1 - place)), textcoords="axes fraction",
            ha="left", va="center", fontsize=9.5, color=INK, zorder=6,
            arrowprops={
                "arrowstyle": "-", "color": SOFT, "linewidth": 0.8, "shrinkB": 4,
                "relpos": (1, 0.5),
            },
        )  # fmt: skip


def _bottom(ends: Sequence[Interval[Floats]], deltas: Sequence[float]) -> float:
    """A power of ten below the curves, and below what was asked for."""
    shown = [max(each, LEAST) for each in (float(np.min(e.upper)) for e in ends)]
    least = min([*shown, *(each / 10 for each in deltas if each > 0)])
    return float(10.0 ** max(math.floor(math.log10(least)), -300))
