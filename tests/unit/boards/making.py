"""Boards to try, and files to feed them with."""

import os
import signal

import antiphon as ap

DAYS = ["2026-01-01T08:00,ada,FR", "2026-01-01T09:00,ada,DE", "2026-01-01T10:00,ada,DE",
        "2026-01-02,bob,FR", "2026-01-04T23:59:59,ada,FR"]  # fmt: skip
SURE = 10**6
"""An ε at which there is no noise, so that what is counted shows."""
HEAD = "time,user,country\n"


def counting(**more):
    given = {
        "by": "country", "keys": ["FR", "DE"], "start": "2026-01-01", "horizon": 10,
        "epsilon": SURE, "per_user": 2,
    }  # fmt: skip
    return ap.boards.counts(**{**given, **more})


def summing(**more):
    given = {
        "low": 0, "high": 500, "start": "2026-01-01", "horizon": 10, "epsilon": SURE,
        "per_user": 2,
    }  # fmt: skip
    return ap.boards.sums("amount", **{**given, **more})


def csv(folder, rows, name="events.csv", head=HEAD):
    path = folder / name
    path.write_text(head + "".join(f"{row}\n" for row in rows))
    return path


def dies(run):
    """Run it in a process that kills itself by kill -9; whether it did."""
    child = os.fork()
    if not child:
        try:
            run()
        finally:
            os._exit(3)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def kill(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
