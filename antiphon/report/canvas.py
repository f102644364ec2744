# pyright: reportUnknownMemberType=false
"""What all pictures share: their style, their file formats, and how they are saved."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Final

from antiphon.numbers.errors import InvalidArgument, MissingExtra
from antiphon.numbers.user_files import path_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


COLOURS: Final = ("#1d5fa8", "#c2410c", "#0f766e", "#7c3aed", "#a16207", "#be185d")
INK, SOFT, GRID = "#1e293b", "#64748b", "#e2e8f0"
STYLE: Final[dict[str, object]] = {
    "font.size": 10, "svg.hashsalt": "antiphon", "savefig.dpi": 150, "axes.edgecolor": SOFT,
    "axes.labelcolor": SOFT, "xtick.color": SOFT, "ytick.color": SOFT,
}  # fmt: skip
UNDATED: Final = {"Date": None}
_FORMATS: Final = (".png", ".svg", ".pdf")


def check_pictures(paths: Iterable[Path]) -> None:
    """Raises what ``picture`` would, before anything is computed for it.

    Raises: MissingExtra without matplotlib; InvalidArgument for a name that is no picture's,
    and for a directory.
    """
    for path in paths:
        if path_of(path).suffix.lower() not in _FORMATS:
            raise InvalidArgument(f"a plot is a .png, .svg or .pdf file, not {path.name}")
    matplotlib()


@contextmanager
def picture(paths: Iterable[Path], *, width: float, height: float) -> Generator[Figure, None, None]:
    """An empty matplotlib figure (inches), saved to each path once it has been drawn.

    Equal drawings give equal SVG files: they bear no date. Raises: as ``check_pictures``.
    """
    paths = list(paths)
    check_pictures(paths)
    from matplotlib.figure import Figure

    with matplotlib().rc_context(STYLE):
        figure = Figure(figsize=(width, height))
        yield figure
        for path in paths:
            figure.savefig(path, metadata=UNDATED if path.suffix == ".svg" else None)


def plain(axes: Axes) -> None:
    """No frame but two axes, and a light grid behind."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(axis="y", color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(length=3)


def matplotlib() -> ModuleType:
    """The package. Raises: MissingExtra without it."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise MissingExtra("matplotlib", "plot") from None
    return mpl
