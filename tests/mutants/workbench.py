"""A copy of the project in which one mutant after the other is tried."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from listing import HERE, ROOT, Mutant, judges

COPIED = ("antiphon", "tests", "examples", "docs", "proofs", "README.md", "pyproject.toml")


class Workbench:
    """Tries mutants in a copy of its own; the work tree is never written to."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="mutants-"))
        skip = shutil.ignore_patterns("__pycache__", "*.vo*", "*.glob", ".*.aux")
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, self.folder / name, ignore=skip)
            else:
                shutil.copy2(source, self.folder / name)
        self.server = subprocess.Popen(
            [sys.executable, HERE / "fork_server.py"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(self.folder)},
            start_new_session=True,  # Ctrl-C is the parent's to handle
        )  # fmt: skip
        self._stamp = 10**9

    def try_(self, mutant: Mutant) -> dict:
        """The outcome of the mutant's tests with its change in place."""
        path = self.folder / mutant.file
        source = path.read_text()
        try:
            self._write(path, mutant.of(source))
            outcome = self.run(mutant.tests)
        finally:
            self._write(path, source)
        return {**outcome, "judges": judges(mutant, outcome["by"], self.folder)}

    def run(self, tests: tuple[str, ...]) -> dict:
        """The outcome of tests with the files as they are."""
        print(json.dumps(tests), file=self.server.stdin, flush=True)
        if not (line := self.server.stdout.readline()):
            raise RuntimeError("the fork server has ended")
        return json.loads(line)

    def _write(self, path: Path, text: str) -> None:
        """Python knows a stale .pyc by whole seconds and by size: no two writes share a second."""
        path.write_text(text)
        self._stamp += 1
        os.utime(path, (self._stamp, self._stamp))

    def close(self) -> None:
        self.server.terminate()
        self.server.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
