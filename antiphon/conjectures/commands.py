"""The output of ``antiphon conjecture``: the loss against the bound during the search, and the
outcome."""

import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from antiphon.cli.output import check_files, print_json
from antiphon.cli.user_code import import_file, running, split_target
from antiphon.conjectures import Conjecture, Conjectured, HowFar
from antiphon.numbers.errors import InvalidArgument, of_kind
from antiphon.numbers.rounded_text import fixed_down, fixed_up
from antiphon.protocol.pictures import picture
from antiphon.protocol.records.files import write_text


class ConjectureOptions(NamedTuple):
    """The options of the command ``antiphon conjecture``."""

    target: str
    seconds: float
    starts: int | None
    seed: int | None
    workers: int | None
    checkpoint: Path | None
    to_the_end: bool
    plot: Path | None
    save: Path | None
    svg: Path | None
    force: bool
    as_json: bool


def conjecture(asked: ConjectureOptions) -> int:
    """Runs the search; returns the exit status, 1 if the conjecture is refuted."""
    path, name = split_target(asked.target, "search")
    _check(asked, path)
    module = import_file(path)
    if name not in vars(module):
        raise InvalidArgument(f"{path} has no {name}")
    given: object = vars(module)[name]
    if not isinstance(given, Conjecture):
        raise InvalidArgument(
            f"{name} is {of_kind(given)}: what is searched is a Conjecture(pattern, bound)"
        )
    with _climbing(asked.as_json) as watch, running(path):
        found = given.search(
            seconds=asked.seconds, starts=asked.starts, seed=asked.seed, watch=watch,
            to_the_end=asked.to_the_end, executor=asked.workers, checkpoint=asked.checkpoint,
        )  # fmt: skip
    try:
        _write(found, asked)
    finally:  # The outcome is printed even if it cannot be saved, as on a full disk.
        _print(found, asked)
    if found.refuted:
        return 1
    return 130 if found.interrupted and not found.starts else 0


def _print(found: Conjectured, asked: ConjectureOptions) -> None:
    if asked.as_json:
        print_json(found.to_dict())
    else:
        print(found)
        if found.refuted:
            print(f"\n{found.tree()}")


_BAR: Final = 24
_HEIGHTS: Final = "▁▂▃▄▅▆▇█"
_LAST: Final = 16
"""The number of latest improvements in the history that the progress line draws."""


def climb_line(standing: HowFar, better: Sequence[float]) -> str:
    """The progress of a search as one line of text: its time, the number of local searches, the
    best loss beside the bound, and the latest improvements."""
    bound = float(standing.bound)
    top = max(standing.best, bound) or 1.0
    filled, mark = (round(_BAR * max(each, 0.0) / top) for each in (standing.best, bound))
    bar = f"{'█' * filled:░<{_BAR}}"
    best, most = fixed_down(standing.best, 6), fixed_up(standing.bound, 6)
    return (
        f"{standing.seconds:8.1f} s {standing.starts:7,} starts  {bar[:mark]}│{bar[mark:]}  "
        f"{best} against {most}  {_heights(better[-_LAST:])}"
    )


def _heights(values: Sequence[float]) -> str:
    low, high = min(values, default=0.0), max(values, default=0.0)
    steps = (len(_HEIGHTS) - 1) / (high - low or 1.0)
    return "".join(_HEIGHTS[int((each - low) * steps)] for each in values)


@contextmanager
def _climbing(quiet: bool) -> Generator[Callable[[HowFar], None] | None, None, None]:
    """A context manager that yields a function to redraw the progress line on standard error, or
    None if that is no terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    better: list[float] = []
    # This thread redraws the line itself: a second thread would slow down the start of processes.
    options: dict[str, Any] = {"transient": True, "redirect_stdout": False}
    with Live(console=Console(stderr=True), auto_refresh=False, **options) as live:

        def watch(standing: HowFar) -> None:
            if not better or standing.best > better[-1]:
                better.append(standing.best)
            live.update(Text(climb_line(standing, better), no_wrap=True), refresh=True)

        yield watch


def _check(asked: ConjectureOptions, source: Path) -> None:
    """Checks, before the search begins, that the output files are different and can be written.
    Raises: InvalidArgument."""
    named = [source, asked.checkpoint, asked.plot, asked.save, asked.svg]
    files = [path.resolve() for path in named if path is not None]
    for path in files:
        if files.count(path) > 1:
            raise InvalidArgument(
                f"{path.name} is given twice: FILE.py, --checkpoint, --plot, --save and --svg are "
                "different files"
            )
    check_files((asked.save, asked.svg), asked.force)


def _write(found: Conjectured, asked: ConjectureOptions) -> None:
    if asked.plot is not None:
        with picture([asked.plot], width=8, height=4) as figure:
            found.plot(ax=figure.subplots())
            figure.subplots_adjust(left=0.11, right=0.96, top=0.9, bottom=0.14)
    if asked.svg is not None:
        write_text(asked.svg, found.svg(), overwrite=asked.force)
    if asked.save is not None and found.refuted:
        found.save(asked.save, overwrite=asked.force)
