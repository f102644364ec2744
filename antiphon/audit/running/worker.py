"""What runs in a worker: one chunk, and what went wrong with it as a value."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any

import attrs

from antiphon.audit.running.sending import Files, unpacked

Task = Callable[[Any], object]
"""A pure function of a chunk, or of what else a piece of work is."""


@attrs.frozen
class Done:
    """The result of a chunk."""

    result: object


@attrs.frozen
class Failed:
    """What the task itself raised; whatever reaches the caller otherwise is the executor's."""

    error: Exception
    trace: str


def attempt(task: Task, chunk: object) -> Done | Failed:
    """Run the task on a chunk."""
    try:
        return Done(task(chunk))
    except Exception as error:
        return Failed(_portable(error), traceback.format_exc())


def attempt_packed(task: tuple[Files, bytes], chunk: object) -> Done | Failed:
    """Run a packed task on a chunk. What loading it raises is raised."""
    return attempt(unpacked(*task), chunk)


@attrs.frozen
class Parcel:
    """A call that is made by unpickling it, and by ``pickle.loads`` alone.

    So nobody between here and the worker needs this package, and a worker without it
    says so, where it would die if it could not even read what it shall do.
    """

    function: Callable[..., object]
    arguments: tuple[object, ...]

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return self.function, self.arguments


def _portable(error: Exception) -> Exception:
    """An error that survives the way home: some cannot be pickled, or not be read again."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


# --- processes of our own: the task is handed over once, when they start --------------------

_task: Task | None = None


def begin(task: Task) -> None:
    """Make this process a worker for one task."""
    global _task
    _task = task
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that asked
    threading.Thread(target=_die_with_parent, daemon=True).start()
    limits = sys.modules.get("threadpoolctl")
    if limits is not None:  # one core each; and a forked OpenMP would hang with more threads
        limits.threadpool_limits(1)


def begin_packed(task: tuple[Files, bytes]) -> None:
    """The same where the process was not forked, and has to load the task."""
    begin(unpacked(*task))


def attempt_own(chunk: object) -> Done | Failed:
    """Run the task that this process was made for."""
    assert _task is not None
    return attempt(_task, chunk)


def _die_with_parent() -> None:
    """A worker whose parent was killed would wait for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
