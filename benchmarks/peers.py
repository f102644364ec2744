"""Other libraries beside ours: imported, or asked in ``.venv-peers`` where theirs cannot be ours.

A peer whose requirements conflict with our pins (the Makefile's ``PEERS``) would choose our
versions for us. It answers instead from an environment of its own, which ``make bench`` makes,
through a script beside this file that reads one question and says how long the answer took.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PEERS = HERE.parent / ".venv-peers"


def opendp(*features):
    """OpenDP's prelude."""
    dp = pytest.importorskip("opendp.prelude", reason="no opendp here: run `make bench`")
    dp.enable_features("contrib", *features)
    return dp


class Peer:
    """A peer in ``.venv-peers``; ``clock`` is a benchmark's timer: what its answers took.

    So its time stands in the same table as ours, without its start, imports and the pipe.
    """

    def __init__(self, script):
        self.script = HERE / script
        self.spent = 0.0

    def clock(self):
        """Seconds that all answers so far took, by the peer's own clock."""
        return self.spent

    def ask(self, **question):
        """What the script writes: a dict with the ``seconds`` and the answer."""
        if not (PEERS / ".made").exists():
            pytest.skip("no .venv-peers here, where this peer lives: run `make bench`")
        done = subprocess.run(
            [PEERS / "bin" / "python", self.script],
            input=json.dumps(question),
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        said = json.loads(done.stdout)
        self.spent += said["seconds"]
        return said
