# pyright: reportUnknownMemberType=false
"""Pictures of regret: over rounds, with bands; and of many learners in a grid of small pictures."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import attrs
import numpy as np
import numpy.typing as npt

from antiphon.numbers import InvalidArgument, shown_up
from antiphon.protocol import pictures

_STYLES = ("-", (0, (5, 2)), (0, (1, 1.5)))


@attrs.frozen(eq=False)
class Trace:
    """A line in a picture, with its name; ``spread`` is half the height of the band around it."""

    name: str
    xs: npt.ArrayLike = attrs.field(repr=False)
    ys: npt.ArrayLike = attrs.field(repr=False)
    spread: npt.ArrayLike = attrs.field(default=0.0, repr=False)


@attrs.frozen(eq=False)
class Facet:
    """A small picture with its title, one of many in a figure."""

    title: str
    lines: Sequence[Trace]


def regrets(lines: Sequence[Trace], *, title: str, paths: Iterable[Path]) -> None:
    """Save a picture of regret over rounds, drawn by ``draw_regrets``, to each path.

    Raises: MissingExtra without matplotlib; InvalidArgument for a file that is no picture.
    """
    with pictures.picture(paths, width=8, height=5) as figure:
        draw_regrets(figure.subplots(), lines)
        pictures.headed(figure, title, 0.1)
        figure.subplots_adjust(left=0.1, right=0.97, top=0.9, bottom=0.11)


def draw_regrets(axes: pictures.Axes, lines: Sequence[Trace]) -> None:
    """Draws each line with its band on logarithmic axes, down to its least value above 0, but not
    below 0.01 and not above 1; the label says where anything lower, such as 0, is drawn."""
    every = np.concatenate([np.asarray(line.ys, np.float64) for line in lines])
    least = max(0.01, min([1.0, *every[every > 0].tolist()]))
    low = f" (at most {shown_up(least, 2)}: drawn there)" if np.any(every < least) else ""
    pictures.style_axes(axes, "rounds", f"regret against the best in hindsight{low}")
    _logarithmic(axes)
    for number, line in enumerate(lines):
        _draw(axes, line, number, least=least)
    pictures.legend(axes)


def facets(
    rows: Sequence[Sequence[Facet]],
    *,
    title: str,
    axes: tuple[str, str],
    paths: Iterable[Path],
    least: float | None = 1,
) -> None:
    """Saves a grid of small pictures with the same axes, under one title and one legend.

    ``axes`` are the labels, across and upwards. The scales are logarithmic, and values below
    ``least`` are drawn at ``least``; with None the scales are linear. One file for each path.
    Raises: MissingExtra without matplotlib; InvalidArgument for a file that is no picture, and for
    rows that are empty or differ in length.
    """
    if not rows or len({len(row) for row in rows}) > 1 or not rows[0]:
        raise InvalidArgument("facets stand in rows of equal length, of at least one")
    names = _names(rows)
    width, height = 1.2 + 3 * len(rows[0]), 1.7 + 2.3 * len(rows)
    with pictures.picture(paths, width=width, height=height) as figure:
        grid = figure.subplots(len(rows), len(rows[0]), squeeze=False, sharex=True, sharey=True)
        for own, facet in zip(grid.flat, (each for row in rows for each in row), strict=True):
            _fill(own, facet, names, least)
        _key(figure, grid.flat, names, columns=2 * len(rows[0]))
        figure.supxlabel(axes[0], y=0.62 / height, fontsize=10, color=pictures.SOFT)
        figure.supylabel(axes[1], x=0.15 / width, fontsize=10, color=pictures.SOFT)
        _headed(figure, title, width, height)
        figure.subplots_adjust(
            left=0.75 / width, right=1 - 0.2 / width, top=1 - 0.75 / height, bottom=1.05 / height,
            wspace=0.12, hspace=0.32,
        )  # fmt: skip


def _headed(figure: pictures.Figure, title: str, width: float, height: float) -> None:
    """Puts the title above all pictures, at the same distance for every height of the figure."""
    pictures.headed(figure, title, 0.7 / width, y=1 - 0.15 / height, va="top")


def powers(
    rows: Mapping[str, Sequence[Facet]], *, title: str, paths: Iterable[Path], least: float = 1
) -> None:
    """Saves a figure of small pictures of regret: in each row, regret over the quantity that is the
    row's name, such as T; all axes are logarithmic.

    Rows may differ in length. Values below ``least`` are drawn at ``least``. One file for each
    path. Raises: MissingExtra without matplotlib; InvalidArgument for a file that is no picture,
    and for no rows, or an empty one.
    """
    if not rows or not all(rows.values()):
        raise InvalidArgument("rows of pictures are of at least one each")
    names, wide = _names(rows.values()), max(map(len, rows.values()))
    width = max(6.0, 1.2 + 3 * wide)
    columns = int(width / 1.8)
    below = 0.75 + 0.2 * -(-len(names) // columns)
    height = 0.75 + 2.8 * len(rows) + below
    with pictures.picture(paths, width=width, height=height) as figure:
        grid = figure.subplots(len(rows), wide, squeeze=False, sharex="row", sharey=True)
        for (across, facets), line in zip(rows.items(), grid, strict=True):
            for own, facet in zip(line, facets, strict=False):
                _fill(own, facet, names, least)
                own.set_xlabel(across)
            _mark(line[0], facets)
            for own in line[len(facets) :]:
                own.set_visible(False)
        _key(figure, grid.flat, names, columns=columns)
        figure.supylabel("regret", x=0.15 / width, fontsize=10, color=pictures.SOFT)
        _headed(figure, title, width, height)
        figure.subplots_adjust(
            left=0.8 / width, right=1 - 0.2 / width, top=1 - 0.75 / height, bottom=below / height,
            wspace=0.12, hspace=0.5,
        )  # fmt: skip


def _names(rows: Iterable[Sequence[Facet]]) -> list[str]:
    """The names of all lines, without repetition."""
    return list(dict.fromkeys(line.name for row in rows for each in row for line in each.lines))


def _fill(own: pictures.Axes, facet: Facet, names: Sequence[str], least: float | None) -> None:
    """Draws the lines of one small picture."""
    pictures.style_axes(own)
    own.grid(axis="x", color=pictures.GRID, linewidth=0.8)
    pictures.titled(own, facet.title, 10)
    if least is not None:
        _logarithmic(own)
    for line in facet.lines:
        _draw(own, line, names.index(line.name), least=least)


def _mark(own: pictures.Axes, facets: Sequence[Facet]) -> None:
    """Puts at most five ticks on the x-axis, at x-values of the lines."""
    lines = [np.asarray(line.xs, np.float64) for facet in facets for line in facet.lines]
    places = np.unique(np.concatenate(lines))
    places = places[:: -(-len(places) // 5)]
    own.set_xticks(places, labels=[f"{place:,.6g}" for place in places])
    own.set_xticks([], minor=True)


def _key(
    figure: pictures.Figure, grid: Iterable[pictures.Axes], names: Sequence[str], columns: int
) -> None:
    """Adds one legend for all pictures, with at most ``columns`` names in a line."""
    handles = {str(line.get_label()): line for own in grid for line in own.get_lines()}
    figure.legend(
        [handles[name] for name in names], names, loc="lower center", frameon=False,
        ncols=-(-len(names) // -(-len(names) // columns)), fontsize=9, labelcolor=pictures.INK,
    )  # fmt: skip


def _logarithmic(axes: pictures.Axes) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")


def _draw(axes: pictures.Axes, line: Trace, number: int, *, least: float | None) -> None:
    """Draws a line and its band, in the colour and style for ``number``, the index of its name."""
    colour = pictures.COLOURS[number % len(pictures.COLOURS)]
    style = _STYLES[number // len(pictures.COLOURS) % len(_STYLES)]
    mean = np.asarray(line.ys, np.float64)
    band = np.nan_to_num(np.broadcast_to(line.spread, mean.shape), posinf=0.0)
    low, mean, high = (np.maximum(each, least) if least else each
                       for each in (mean - band, mean, mean + band))  # fmt: skip
    axes.plot(line.xs, mean, color=colour, linestyle=style, linewidth=1.8, label=line.name)
    if band.any():
        axes.fill_between(line.xs, low, high, color=colour, alpha=0.15, linewidth=0)
