"""What `make mutants` shows: progress, and a table of kill rates."""

from __future__ import annotations

import sys

from listing import Mutant

WORDS = {"passed": "LIVED", "failed": "died", "timeout": "died (timeout)"}


def lived(outcomes: dict[Mutant, dict]) -> list[Mutant]:
    """The mutants that no test noticed."""
    return [mutant for mutant, outcome in outcomes.items() if outcome["outcome"] == "passed"]


def table(outcomes: dict[Mutant, dict]) -> str:
    """How many died, a room a row, and which lived."""
    rooms = list(dict.fromkeys(mutant.room for mutant in outcomes))
    lines = [f"{'room':16}{'mutants':>8}{'died':>6}{'timeout':>9}{'lived':>7}{'killed':>9}"]
    for room in [*rooms, "all"]:
        here = {m: o for m, o in outcomes.items() if room in (m.room, "all")}
        late = sum(outcome["outcome"] == "timeout" for outcome in here.values())
        alive = len(lived(here))
        rate = 1 - alive / len(here) if here else 1.0
        lines.append(f"{room:16}{len(here):8}{len(here) - alive:6}{late:9}{alive:7}{rate:9.1%}")
    lines += [f"lived: {mutant.name}" for mutant in lived(outcomes)]
    return "\n".join(lines)


class Progress:
    """A bar where a person watches, a line for each mutant that lived where not."""

    def __init__(self, total: int, quiet: bool) -> None:
        self.total, self.quiet, self.count, self.bar = total, quiet, 0, None

    def __enter__(self) -> Progress:
        if self.total and not self.quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import Progress as Bar
            from rich.progress import TimeRemainingColumn

            shown = (*Bar.get_default_columns()[:3], TimeRemainingColumn(), "{task.fields[last]}")
            self.bar = Bar(*shown, console=Console(stderr=True))
            self.task = self.bar.add_task("mutants", total=self.total, last="")
            self.bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self.bar:
            self.bar.stop()

    def say(self, text: str) -> None:
        if not self.quiet:
            print(text, file=sys.stderr, flush=True)

    def advance(self, mutant: Mutant, outcome: dict) -> None:
        self.count += 1
        line = f"{WORDS[outcome['outcome']]:6} {outcome['seconds']:5.1f} s  {mutant.name}"
        if self.bar:
            if outcome["outcome"] == "passed":
                self.bar.console.print(line)
            self.bar.update(self.task, advance=1, last=mutant.name[:60])
        elif not self.quiet:
            by = f"  by {outcome['by']}" if outcome["by"] else ""
            print(f"{self.count}/{self.total} {line}{by}", flush=True)
