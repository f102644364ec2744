"""`make mutants`: how many wrong versions of the mathematics the tests notice.

Every mutant of ``lists`` (see ``listing``) is put into a copy of the project, and its tests are
run. What has been tried is kept, so that Ctrl-C loses one mutant at most.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import re
import signal
import sys
import threading
from pathlib import Path

from listing import ROOT, Mutant, change, faults, judges, read
from report import Progress, lived, table
from workbench import Workbench

REQUIRED = 0.98


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", metavar="PATTERN",
                        help="those whose file and reason match a regular expression")  # fmt: skip
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N")
    parser.add_argument("--afresh", action="store_true", help="forget what has been tried")
    parser.add_argument("--list", action="store_true", help="show the mutants, and run nothing")
    parser.add_argument("--equivalent", action="store_true",
                        help="try those that are listed as equivalent, too")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="all outcomes, as JSON")
    parser.add_argument("--kept", type=Path, default=ROOT / ".mutants.json", metavar="FILE",
                        help="where outcomes are kept (default: %(default)s)")  # fmt: skip
    return parser.parse_args()


class Run:
    """The outcomes of mutants, as they come."""

    def __init__(self, mutants: list[Mutant], kept: Path, afresh: bool) -> None:
        self.kept = kept
        self.known = {} if afresh or not kept.exists() else json.loads(kept.read_text())
        self.keys = {each: change(each) for each in mutants}
        self.outcomes = {each: found for each in mutants if (found := self._known(each))}
        self.waiting: queue.SimpleQueue[Mutant] = queue.SimpleQueue()
        for each in mutants:
            if each not in self.outcomes:
                self.waiting.put(each)
        self.done: queue.SimpleQueue = queue.SimpleQueue()
        self._benches: list[Workbench] = []
        self.stopped = False

    def _known(self, mutant: Mutant) -> dict | None:
        """What came of it before, if neither its file nor the tests that say so have changed."""
        found = self.known.get(self.keys[mutant])
        return found if found and found["judges"] == judges(mutant, found["by"]) else None

    def work(self) -> None:
        """One worker: mutants until there are none; ends with None, or with what went wrong."""
        bench = Workbench()
        self._benches.append(bench)
        try:
            while not self.stopped:
                mutant = self.waiting.get_nowait()
                self.done.put((mutant, bench.try_(mutant)))
        except queue.Empty:
            self.done.put(None)
        except Exception as error:
            self.done.put(error)
        finally:
            bench.close()

    def all(self, jobs: int, progress: Progress) -> None:
        """Try all that wait. Raises: RuntimeError of a worker; KeyboardInterrupt."""
        workers = [threading.Thread(target=self.work, daemon=True) for _ in range(jobs)]
        for each in workers:
            each.start()
        try:
            running = jobs
            while running:
                result = self.done.get()
                if result is None:
                    running -= 1
                elif isinstance(result, Exception):
                    raise result
                else:
                    self._keep(*result)
                    progress.advance(*result)
            self._check(progress)
        finally:
            self.stopped = True
            for bench in self._benches:
                bench.close()
            for each in workers:
                each.join(timeout=10)

    def _check(self, progress: Progress) -> None:
        """Raises: RuntimeError if tests that noticed a mutant fail, or take too long, without."""
        told = {found["by"] for found in self.outcomes.values() if found["outcome"] == "failed"}
        late = {m.tests for m, found in self.outcomes.items() if found["outcome"] == "timeout"}
        again = [tests for tests in (tuple(sorted(told - {""})), *sorted(late)) if tests]
        if not again:
            return
        progress.say(f"{len(again)} runs of tests that noticed, once more without any mutant")
        bench = Workbench()
        self._benches.append(bench)
        for tests in again:
            result = bench.run(tests)
            if result["outcome"] != "passed":
                raise RuntimeError(f"without any mutant: {result} of {' '.join(tests)}")

    def _keep(self, mutant: Mutant, outcome: dict) -> None:
        if outcome["outcome"] == "error":
            raise RuntimeError(f"{mutant.name}: the tests did not run: {outcome['by']}")
        self.outcomes[mutant] = outcome
        self.known[self.keys[mutant]] = outcome
        partial = self.kept.with_suffix(".partial")
        partial.write_text(json.dumps(self.known, indent=0))
        partial.replace(self.kept)


def main() -> int:
    given = arguments()
    listed = read()
    if wrong := faults(listed):
        print("The list of mutants is stale; mend tests/mutants/lists:", *wrong, sep="\n")
        return 2
    chosen = [
        each for each in listed
        if re.search(given.only, each.name) and (given.equivalent or not each.equivalent)
    ]  # fmt: skip
    if given.list:
        print(*(each.name for each in chosen), sep="\n")
        return 0
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    run = Run(chosen, given.kept, given.afresh)
    try:
        with Progress(run.waiting.qsize(), quiet=given.json) as progress:
            run.all(max(1, min(given.jobs, run.waiting.qsize())), progress)
    except KeyboardInterrupt:
        print("\nStopped; what has been tried is kept: go on with the same command.")
        return 130
    except RuntimeError as error:
        print(f"Cannot tell: {error}", file=sys.stderr)
        return 2
    if given.json:
        print(json.dumps([{"room": m.room, "mutant": m.name, **run.outcomes[m]} for m in chosen],
                         indent=1))  # fmt: skip
    else:
        print(table(run.outcomes))
    killed = len(chosen) - len(lived(run.outcomes))
    return 0 if killed >= REQUIRED * len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
