# pyright: reportUnknownMemberType=false
"""Plots of results: a result draws itself with matplotlib (extra ``plot``), in one style."""

import io
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from antiphon.numbers.errors import InvalidArgument, MissingExtra
from antiphon.numbers.user_files import path_of
from antiphon.protocol.display import Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
    from matplotlib.figure import Figure as Figure
else:
    Axes = Figure = Any


COLOURS: Final = ("#1d5fa8", "#c2410c", "#0f766e", "#7c3aed", "#a16207", "#be185d")
INK, SOFT, GRID = "#1e293b", "#64748b", "#e2e8f0"
DASHED: Final = (0, (4, 3))
_STYLE: Final[dict[str, object]] = {
    "font.size": 10, "svg.hashsalt": "antiphon", "savefig.dpi": 150, "axes.edgecolor": SOFT,
    "axes.labelcolor": SOFT, "xtick.color": SOFT, "ytick.color": SOFT,
}  # fmt: skip
_SIZE: Final = (6.4, 3.8)
"""The width and height of a plot in inches."""
_UNDATED: Final = {"Date": None}
_FORMATS: Final = (".png", ".svg", ".pdf")


class Plotted(ABC):
    """A result that can draw itself as a plot, into matplotlib axes."""

    __slots__ = ()

    @abstractmethod
    def _draw(self, axes: Axes) -> None:
        """Draw the result into the axes. Raises: InvalidArgument if there is nothing to draw."""

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the result into the axes ``ax``, or into a new figure; returns the axes.

        Raises: MissingExtra without matplotlib.
        """
        return drawn(self._draw, ax)

    def _picture(self) -> Picture:
        """The plot as a part of the result's notebook page; empty without matplotlib."""
        return Picture(self._as_svg)

    def _as_svg(self) -> str | None:
        try:
            mpl = _matplotlib()
        except MissingExtra:
            return None
        from matplotlib.figure import Figure

        file = io.StringIO()
        with mpl.rc_context({**_STYLE, "svg.fonttype": "none"}):
            figure = Figure(figsize=_SIZE, layout="constrained")
            self._draw(figure.subplots())
            figure.savefig(file, format="svg", metadata=_UNDATED)
        return file.getvalue()


def drawn(draw: Callable[[Axes], None], ax: Axes | None) -> Axes:
    """The axes ``ax``, or those of a new figure, into which ``draw`` has drawn. Raises:
    MissingExtra without matplotlib."""
    with _matplotlib().rc_context(_STYLE):
        if ax is None:
            from matplotlib import pyplot

            ax = pyplot.subplots(figsize=_SIZE, layout="constrained")[1]
        draw(ax)
    return ax


# --- files of plots ------------------------------------------------------------------------------


def check_pictures(paths: Iterable[Path]) -> None:
    """Check the paths of plots, and that matplotlib is there, before anything costly is computed.

    Raises: MissingExtra without matplotlib; InvalidArgument for a name that is no picture's,
    and for a directory.
    """
    for path in paths:
        if path_of(path).suffix.lower() not in _FORMATS:
            raise InvalidArgument(f"a plot is a .png, .svg or .pdf file, not {path.name}")
    _matplotlib()


@contextmanager
def picture(paths: Iterable[Path], *, width: float, height: float) -> Generator[Figure, None, None]:
    """An empty matplotlib figure of this size in inches, saved to each path once it has been drawn.

    Equal drawings give equal SVG files, which contain no date. Raises: the errors of
    ``check_pictures``.
    """
    paths = list(paths)
    check_pictures(paths)
    from matplotlib.figure import Figure

    with _matplotlib().rc_context(_STYLE):
        figure = Figure(figsize=(width, height))
        yield figure
        for path in paths:
            figure.savefig(path, metadata=_UNDATED if path.suffix == ".svg" else None)


def _matplotlib() -> ModuleType:
    """The imported package matplotlib. Raises: MissingExtra if it is not installed."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise MissingExtra("matplotlib", "plot") from None
    return mpl


# --- the style of plots --------------------------------------------------------------------------


def style_axes(axes: Axes, across: str = "", upwards: str = "") -> None:
    """Style axes: no frame at the top or right, a light grid, labels ``across`` and ``upwards``."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(axis="y", color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(length=3)
    if across:
        axes.set_xlabel(across)
    if upwards:
        axes.set_ylabel(upwards)


def by_date(axes: Axes) -> None:
    """Label the horizontal axis, whose values are dates, with at most nine short dates."""
    import matplotlib.dates

    dates: Any = matplotlib.dates
    locator = dates.AutoDateLocator(maxticks=9)
    if axes.dataLim.width == 0:
        # Around a single date matplotlib would show years, and warn that its ticks are too many.
        axes.set_xlim(axes.dataLim.x0 - 1, axes.dataLim.x1 + 1)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))


def legend(axes: Axes, **where: Any) -> None:
    """Add a legend without a frame to the axes."""
    axes.legend(frameon=False, fontsize=9, labelcolor=INK, **where)


def titled(axes: Axes, title: str, size: float = 11, **how: Any) -> None:
    """Add a title at the left of the axes."""
    axes.set_title(title, loc="left", fontsize=size, color=INK, **how)


def headed(figure: Figure, title: str, x: float, **where: Any) -> None:
    """Add a bold title above all axes of a figure."""
    figure.suptitle(title, x=x, ha="left", fontweight="bold", color=INK, **where)
