"""The pictures of README and the pages that are no cell of a page: `python docs/pictures.py`."""

from __future__ import annotations

import ast
import re
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
    times = range(0, len(late), 20)
    bands = [(exact[t], counter.band(t + 1, beta=0.01)) for t in times]
    axes.fill_between(
        times, [at - band for at, band in bands], [at + band for at, band in bands],
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


LAYERS = {
    "proved: rules and accounting": [
        "antiphon/composition/guarantees/**/*.py", "antiphon/composition/accounting/**/*.py",
    ],
    "exact: the engine": ["antiphon/audit/exact/**/*.py"],
    "machine-checked: both readers": [
        "antiphon/audit/certificates/antiphon_check.py",
        "antiphon/audit/certificates/derived_rows.py",
    ],
    "its figure, of given tables": ["antiphon/audit/certificates/antiphon_check.py"],
    "kernel: Coq definitions, statements": ["proofs/Model.v", "proofs/Statements.v"],
}  # fmt: skip
"""The files that each kind of answer rests on, beside Python and your step function."""


def layers(axes: Any) -> None:
    """The lines of code that have to be believed, for each kind of answer."""
    root = FOLDER.parents[1]
    counts = {
        name: sum(_lines(path) for each in files for path in root.glob(each))
        for name, files in LAYERS.items()
    }
    axes.barh(range(len(counts)), list(counts.values()), height=0.55, color=ANALYST, alpha=0.75)
    for place, number in enumerate(counts.values()):
        rounded = -(-number // 100) * 100 if number > 1000 else -(-number // 10) * 10
        axes.text(number + 60, place, f"{rounded:,}", va="center", color=FAINT)
    axes.set_yticks(range(len(counts)), list(counts))
    axes.invert_yaxis()
    axes.set(xlabel="lines of code, without comments and docstrings")
    axes.spines[["top", "right"]].set_visible(False)


def _lines(path: Path) -> int:
    """The lines of a file that are code."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".v":
        code = re.sub(r"\(\*.*?\*\)", "", source, flags=re.DOTALL)
        return sum(bool(line.strip()) for line in code.split("\n"))
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [each for each in body if not _is_text(each)]  # type: ignore[attr-defined]
    return sum(bool(line.strip()) for line in ast.unparse(tree).split("\n"))


def _is_text(node: Any) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _box(time: int, top: float, color: str) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((time, top - 0.3), 0.7, 0.6, fill=False, color=color)


def main() -> None:
    """Writes each picture, the same bytes each time."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "antiphon", "svg.fonttype": "none", "font.size": 9})
    import matplotlib.pyplot as plt

    sizes = {
        first_count: (7.2, 2.9),
        compositions: (6.4, 3.6),
        filters: (7.2, 4.2),
        layers: (6.8, 2.4),
    }
    for draw, size in sizes.items():
        figure, axes = plt.subplots(figsize=size, layout="constrained")
        draw(axes)
        figure.savefig(FOLDER / f"{draw.__name__}.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
