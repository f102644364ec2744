"""Runs tests again and again, each time in a fork that has not imported antiphon yet.

Started by ``workbench`` in a copy of the project. Reads lines of JSON, lists of tests, and answers
each by {"outcome": "passed" | "failed" | "timeout" | "error", "seconds", "by"}. What takes long to
import and does not change (pytest, Hypothesis, NumPy) is imported once.
"""

import json
import os
import resource
import signal
import sys
import tempfile
import time
import traceback

MEMORY = 6 * 2**30
BUSY = 120
"""Seconds of processor time: more than any mutant's tests take where they pass."""
IDLE = 900
"""Seconds on the clock."""
OPTIONS = [
    "-x", "-q", "--no-header", "--tb=no", "-p", "no:cacheprovider", "-m", "not slow",
    "-W", "ignore::pytest.PytestAssertRewriteWarning",  # Hypothesis is imported already
    "-o", "addopts=--doctest-modules --doctest-glob=*.md --strict-markers",
]  # fmt: skip
FAILED = {1, 2, 3}
"""pytest: tests failed, or could not be collected."""


class Witness:
    """A pytest plugin that notes which test failed first."""

    def __init__(self, notes):
        self.notes = notes

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.notes.write(report.nodeid + "\n")

    pytest_collectreport = pytest_runtest_logreport


def child(tests, output, notes):
    import pytest

    os.setsid()  # so that a timeout ends what the tests started as well
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever ignored it
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (BUSY, BUSY + 5))
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(output.fileno(), 1)
    os.dup2(output.fileno(), 2)
    code = 1
    try:
        code = int(pytest.main([*OPTIONS, *tests], plugins=[Witness(notes)]))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        notes.flush()
        os._exit(code)


def run(tests, running):
    """One fork: the outcome, how long it took, and the test that failed."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as notes:
        began = time.monotonic()
        if not (pid := os.fork()):
            child(tests, output, notes)
        running.append(pid)
        status = None
        while status is None and time.monotonic() - began < IDLE:
            done, code = os.waitpid(pid, os.WNOHANG)
            status = code if done else time.sleep(0.01)
        if status is None:
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        running.clear()
        seconds = time.monotonic() - began
        output.seek(0)
        notes.seek(0)
        last, by = "".join(output.readlines()[-5:]), notes.readline().strip()
    code = -signal.SIGXCPU if status is None else os.waitstatus_to_exitcode(status)
    if code == -signal.SIGXCPU:
        return {"outcome": "timeout", "seconds": seconds, "by": ""}
    outcome = "passed" if code == 0 else "failed" if code in FAILED or code < 0 else "error"
    return {"outcome": outcome, "seconds": seconds, "by": last if outcome == "error" else by}


def end(running):
    """Ends the tests that are running, and itself."""
    for pid in running:
        os.killpg(pid, signal.SIGKILL)
    os._exit(0)


def serve():
    sys.path.insert(0, os.getcwd())
    import hypothesis  # noqa: F401
    import mpmath  # noqa: F401
    import numpy  # noqa: F401
    import pytest  # noqa: F401

    running = []
    signal.signal(signal.SIGTERM, lambda *_: end(running))
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line), running)), flush=True)


if __name__ == "__main__":
    serve()
