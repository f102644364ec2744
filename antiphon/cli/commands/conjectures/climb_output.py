"""``antiphon conjecture``: value against bound as it climbs, and what was found."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from antiphon.audit.conjectures import Conjecture, Conjectured, HowFar
from antiphon.cli.output import print_json
from antiphon.cli.user_code import import_file, running, split_target
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.records.files import refuse_taken, write_text


class ConjectureOptions(NamedTuple):
    """What was asked for."""

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
    """Search; status 1 if the conjecture is refuted."""
    refuse_taken([path for path in (asked.save, asked.svg) if path is not None], asked.force)
    path, name = split_target(asked.target, "search")
    module = import_file(path)
    if name not in vars(module):
        raise InvalidArgument(f"{path} has no {name}")
    given: object = vars(module)[name]
    if not isinstance(given, Conjecture):
        raise InvalidArgument(
            f"{name} is a {type(given).__name__}: what is searched is a Conjecture(pattern, bound)"
        )
    with _climbing(asked.as_json) as climbs, running(path):
        found = given.search(
            seconds=asked.seconds, starts=asked.starts, seed=asked.seed, watch=climbs,
            to_the_end=asked.to_the_end, executor=asked.workers, checkpoint=asked.checkpoint,
        )  # fmt: skip
    _write(found, asked, climbs)
    if asked.as_json:
        print_json(found.to_dict())
    else:
        print(found)
        if found.refuted:
            print(f"\n{found.tree()}")
    return 1 if found.refuted else 0


class Climbing:
    """How far a search is, on a line that a person may watch; each better value is printed."""

    def __init__(self, console: Any, quiet: bool) -> None:
        self.line: list[tuple[int, float]] = []
        self._console, self._quiet = console, quiet
        self._best = -1.0
        self._out = sys.stdout  # while others' code runs, it is another

    def __call__(self, standing: HowFar) -> None:
        self.line.append((standing.starts, standing.best))
        bound = float(standing.bound)
        text = (
            f"{standing.seconds:7.1f} s {standing.starts:6} starts   {standing.best:.6f} "
            f"against {bound:.6f}"
        )
        if self._console is not None:
            self._console.update(text)
        if not self._quiet and standing.best > self._best + 1e-9:
            print(text, file=self._out, flush=True)
        self._best = max(self._best, standing.best)


@contextmanager
def _climbing(quiet: bool) -> Generator[Climbing, None, None]:
    if quiet or not sys.stderr.isatty():
        yield Climbing(None, quiet)
        return
    from rich.console import Console

    with Console(stderr=True).status("searching") as status:
        yield Climbing(status, quiet)


def _write(found: Conjectured, asked: ConjectureOptions, climbs: Climbing) -> None:
    if asked.plot is not None:
        from antiphon.report.climbs import drawn

        drawn(climbs.line, float(found.bound), title=str(found).splitlines()[0], paths=[asked.plot])
    if asked.svg is not None:
        write_text(asked.svg, found.svg(), overwrite=asked.force)
    if asked.save is not None and found.refuted:
        found.save(asked.save, overwrite=asked.force)
