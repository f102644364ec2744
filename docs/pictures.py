"""The pictures of README and the pages that are no cell of a page: `python docs/pictures.py`."""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path
from runpy import run_path
from typing import Any

from antiphon.demo import flights
from antiphon.mechanisms import BalancedTreeCounter

FOLDER = Path(__file__).with_name("_static")
MECHANISMS, ANALYST, FAINT = "#7a3e00", "#0b57a4", "#888888"

TURNS = {
    "sequential": ("one after the other, all chosen beforehand", "AABBCC"),
    "adaptive": ("one after the other; the next is chosen by the answers", "AABBCC"),
    "concurrent": ("all at once; each message is chosen by all answers", "ABACBC"),
}
"""The kinds of composition: what is so, and which mechanism each message goes to."""


def first_count(axes: Any) -> None:
    """A private count of late flights, the first 6,000 of January 2013, beside the exact one."""
    late = flights().late[:6_000]
    counter = BalancedTreeCounter(horizon=27_004, epsilon=1)
    private, exact = counter.counts(late, seed=7), list(accumulate(late))
    band, times = counter.band(len(late), beta=0.01), range(0, len(late), 20)
    axes.fill_between(
        times, [exact[t] - band for t in times], [exact[t] + band for t in times],
        alpha=0.12, label="within, at all times, with probability 99 %",
    )  # fmt: skip
    axes.plot(times, [exact[t] for t in times], linewidth=2.4, color="#bbbbbb", label="exact")
    axes.plot(times, [private[t] for t in times], linewidth=0.8, label="private, ε = 1")
    axes.set(xlabel="flights of January 2013", ylabel="15 minutes late or more")
    axes.legend(frameon=False)


def compositions(axes: Any) -> None:
    """Who is asked when, in sequential, adaptive and concurrent composition."""
    for row, (kind, (told, turns)) in enumerate(TURNS.items()):
        top = -3.2 * row
        axes.text(-2.6, top, kind, weight="bold", va="center")
        axes.text(0, top + 1.0, told, size=8, color=FAINT)
        for time, name in enumerate(turns):
            known = kind == "concurrent" or (kind == "adaptive" and turns[time - 1] != name)
            axes.add_patch(_box(time, top, MECHANISMS))
            axes.text(time + 0.35, top, f"M{'ABC'.index(name) + 1}", ha="center", va="center")
            if time and known:
                axes.annotate(
                    "", (time + 0.2, top - 0.38), (time - 0.5, top - 0.38),
                    arrowprops={"arrowstyle": "->", "color": ANALYST,
                                "connectionstyle": "arc3,rad=0.6"},
                )  # fmt: skip
    axes.text(0, -8.6, "a blue arrow: chosen by the answers so far", size=8, color=ANALYST)
    axes.set(xlim=(-2.7, 6.2), ylim=(-8.9, 1.5))
    axes.axis("off")


def filters(axes: Any) -> None:
    """How many charges each filter admits, of five workloads."""
    compared = run_path(str(FOLDER.parents[1] / "examples" / "filters_compared.py"))
    compared["draw"](axes, compared["table"]())


def _box(time: int, top: float, color: str) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((time, top - 0.3), 0.7, 0.6, fill=False, color=color)


def main() -> None:
    """Writes each picture, the same bytes each time."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "antiphon", "svg.fonttype": "none", "font.size": 9})
    import matplotlib.pyplot as plt

    sizes = {first_count: (7.2, 2.9), compositions: (6.4, 3.6), filters: (7.2, 4.2)}
    for draw, size in sizes.items():
        figure, axes = plt.subplots(figsize=size, layout="constrained")
        draw(axes)
        figure.savefig(FOLDER / f"{draw.__name__}.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
