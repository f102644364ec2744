"""How long it takes to start: processor time, as the machine may be busy."""

from __future__ import annotations

import subprocess
import sys

import pytest

_CLOCK = "import time; start = time.process_time(); {}; print(time.process_time() - start)"
_HELP = (
    "import contextlib, io; from antiphon.cli import main; "
    "exec('with contextlib.redirect_stdout(io.StringIO()): main([\"--help\"])')"
)


def seconds(before, code):
    """The least of five fresh processes."""
    command = [sys.executable, "-c", f"{before}; {_CLOCK.format(code)}"]
    times = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(5)]
    return min(float(done.stdout) for done in times)


@pytest.mark.benchmark(group="start")
class TestStart:
    @pytest.mark.parametrize(
        ("name", "before", "code"),
        [
            ("numpy and cattrs", "pass", "import numpy, cattrs"),
            ("antiphon beyond them", "import numpy, cattrs", "import antiphon"),
            ("all its rooms", "import numpy, cattrs", "import antiphon.audit.check"),
            ("antiphon --help", "pass", _HELP),
        ],
    )
    def test_start(self, benchmark, name, before, code):
        benchmark.extra_info[f"{name}, seconds of processor time"] = seconds(before, code)
        benchmark.pedantic(lambda: None)
