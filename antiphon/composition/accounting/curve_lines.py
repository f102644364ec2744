# pyright: reportUnknownMemberType=false
"""Drawing of privacy curves: δ on a logarithmic scale, against ε."""

import math
from collections.abc import Sequence
from typing import Final

import attrs
import numpy as np

from antiphon.numbers.interval import Floats, Interval
from antiphon.numbers.rounded_text import Figure, shown_up
from antiphon.protocol.pictures import COLOURS, DASHED, GRID, INK, SOFT, Axes, style_axes

LEAST: Final = 1e-12
"""The smallest δ that a picture shows."""


@attrs.frozen(eq=False)
class CurveLine:
    """The points of a privacy curve to be drawn, from ε = 0 to the right edge of the picture."""

    name: str
    epsilons: Floats = attrs.field(repr=False)
    ends: Interval[Floats] = attrs.field(repr=False)
    floor: float
    colour: str = ""


def named_lines(axes: Axes) -> list[str]:
    """The names of the lines in the axes that have one: matplotlib's own begin with "_"."""
    labels = (str(line.get_label()) for line in axes.get_lines())
    return [label for label in labels if not label.startswith("_")]


def draw_lines(
    axes: Axes, lines: Sequence[CurveLine], marks: Sequence[tuple[Figure, Figure]] = ()
) -> None:
    """Draw each curve's upper bound, the band down to its lower bound, and the highest floor.

    ``marks`` (ε, δ) are drawn as points, and named. In axes that have curves, these stay: the
    colours go on, the limits only grow, and the floor is not named again.
    """
    before = len(named_lines(axes))
    style_axes(axes, "ε (nats)", "δ")
    axes.set_yscale("log")
    right, bottom = (axes.get_xlim()[1], axes.get_ylim()[0]) if before else (0.0, 1.0)
    for place, line in enumerate(lines, before):
        _draw(axes, line, line.colour or COLOURS[place % len(COLOURS)])
    if not before:
        _floor(axes, max(line.floor for line in lines))
    axes.set_xlim(0, max(right, *(float(line.epsilons[-1]) for line in lines)))
    axes.set_ylim(min(bottom, _bottom(lines, [float(delta) for _, delta in marks])), 1.6)
    _mark(axes, marks)
    axes.grid(axis="x", color=GRID, linewidth=0.8)


def _draw(axes: Axes, line: CurveLine, colour: str) -> None:
    least = np.maximum(line.ends.upper, 1e-300)
    axes.plot(line.epsilons, least, color=colour, linewidth=1.7, label=line.name)
    if np.any(line.ends.lower > line.floor):
        axes.fill_between(
            line.epsilons, np.maximum(line.ends.lower, 1e-300), least, color=colour, alpha=0.25,
            linewidth=0,
        )  # fmt: skip


def _floor(axes: Axes, floor: float) -> None:
    if floor > 0:
        axes.axhline(floor, color=SOFT, linewidth=0.9, linestyle=DASHED)
        axes.annotate(
            f"floor 1-Π(1-δᵢ) = {shown_up(floor)}", (0.99, floor), ha="right", va="top", fontsize=9,
            xycoords=("axes fraction", "data"), xytext=(0, -3), textcoords="offset points",
            color=SOFT,
        )  # fmt: skip


def _mark(axes: Axes, points: Sequence[tuple[Figure, Figure]]) -> None:
    """Draw the requested points, with labels in the lower left corner, below the curves."""
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


def _bottom(lines: Sequence[CurveLine], deltas: Sequence[float]) -> float:
    """The lower limit of the picture: a power of ten below all curves and requested δ."""
    shown = [max(float(np.min(line.ends.upper)), LEAST) for line in lines]
    least = min([*shown, *(each / 10 for each in deltas if each > 0)])
    return float(10.0 ** max(math.floor(math.log10(least)), -300))
