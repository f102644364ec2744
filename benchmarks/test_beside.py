"""The task of docs/beside.md, in each library that can be installed, prints what the page says.

make bench ARGS="-k beside"
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from peers import PEERS, opendp

HERE = Path(__file__).parent / "beside"
PAGE = (HERE.parents[1] / "docs/beside.md").read_text()


def printed(program, python=sys.executable):
    done = subprocess.run([python, HERE / program], capture_output=True, text=True, cwd=HERE)
    assert done.returncode == 0, done.stderr
    return done.stdout


def recorded(program):
    """What stands on the page below a program."""
    return re.split(rf"beside/{program}\n```", PAGE)[1].split("```text\n")[1].split("```")[0]


def test_ours():
    assert printed("ours.py") == recorded("ours.py")


def test_opendp():
    opendp()
    assert printed("with_opendp.py") == recorded("with_opendp.py")


def test_dp_accounting():
    if not (PEERS / ".made").exists():
        pytest.skip("no .venv-peers here: run `make bench`")
    python = PEERS / "bin" / "python"
    assert printed("with_dp_accounting.py", python) == recorded("with_dp_accounting.py")
