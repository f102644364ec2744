"""Workers for chunks: processes of our own, or an executor that the caller lends."""

import multiprocessing
import os
import pickle
import sys
import threading
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Final, Protocol

from antiphon.audit.running import sending
from antiphon.numbers.errors import ExecutorError, InvalidArgument, of_kind

_UNKNOWN: Final = 32
"""The number of workers that is assumed of an executor which does not tell it."""


class Future(Protocol):
    """The interface of a future, as far as it is used here."""

    def result(self) -> Any: ...
    def add_done_callback(self, fn: Callable[[Any], object], /) -> object: ...
    def cancel(self) -> object: ...


class Executor(Protocol):
    """The interface of an executor: ``submit`` returns a future, as in ``concurrent.futures``."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
        """Schedule the call fn(*args, **kwargs), and return its future."""
        ...


class WorkerPool(ABC):
    """Workers that take chunks, at most ``window`` at once, and return futures. Abstract."""

    window: int
    stuck: ExecutorError | None = None
    """Why the task cannot be pickled, so that only threads can run it; else None."""

    @abstractmethod
    def submit(self, chunk: object) -> Future:
        """Give a chunk to a worker; the future of its ``Done`` or ``Failed``. Raises:
        ExecutorError."""

    @abstractmethod
    def close(self, *, now: bool) -> None:
        """Dismiss the workers; with ``now`` at once, though they work on chunks."""


class OwnProcesses(WorkerPool):
    """A pool of processes for one task, which is renewed when one of them dies."""

    def __init__(self, task: sending.Task, workers: int) -> None:
        self._workers = workers
        self._method = start_method()
        self._begin: tuple[Callable[..., None], tuple[object]] = sending.begin_worker, (task,)
        if self._method != "fork":
            if sending.is_misled():
                raise ExecutorError(
                    "this program was read from standard input, which processes that are started "
                    'cannot run again: put it into a file, or pass executor="serial"'
                )
            try:
                self._begin = sending.begin_packed, (sending.pack(task),)
            except Exception as error:
                raise _not_sent(error) from error
        self._pool = self._fresh()
        self.window = 2 * workers + 1

    def _fresh(self) -> ProcessPoolExecutor:
        context = multiprocessing.get_context(self._method)
        start, arguments = self._begin
        pool = ProcessPoolExecutor(
            self._workers, mp_context=context, initializer=start, initargs=arguments
        )
        with warnings.catch_warnings():
            # From Python 3.12 on, the warning that to fork beside threads is unsafe counts threads
            # of native libraries, too; ``start_method`` has made sure that it is safe.
            warnings.filterwarnings("ignore", "This process .* is multi-threaded")
            pool.submit(os.getpid)  # This call starts the processes.
        return pool

    def submit(self, chunk: object) -> Future:
        try:
            return self._pool.submit(sending.attempt_own, chunk)
        except BrokenExecutor:
            self.close(now=True)
            self._pool = self._fresh()
            return self._pool.submit(sending.attempt_own, chunk)

    def close(self, *, now: bool) -> None:
        if now:
            # From Python 3.14 on, the pool's method ``terminate_workers`` ends its processes.
            processes: dict[int, BaseProcess] | None = getattr(self._pool, "_processes", None)
            for process in list((processes or {}).values()):
                process.terminate()
        self._pool.shutdown(wait=True, cancel_futures=True)


class LentExecutor(WorkerPool):
    """A pool on an executor that the caller made and will close."""

    def __init__(self, task: sending.Task, executor: Any) -> None:
        if isinstance(executor, type) or not callable(getattr(executor, "submit", None)):
            raise InvalidArgument(
                f"executor is {of_kind(executor)} without `submit`; pass a number of "
                'processes, "serial", or an executor as of concurrent.futures: a '
                "ProcessPoolExecutor(), a dask Client(…), an MPIPoolExecutor()"
            )
        self._executor: Executor = executor
        self._task = task
        self._packed: tuple[sending.Files, bytes] | None = None
        self.window = 2 * _width(executor) + 1
        dask = hasattr(executor, "get_executor")
        # A dask Client takes equal calls for one, and would return a lost result again.
        self._how = {"pure": False} if dask else {}
        try:
            self._packed = sending.packed_by_value(task) if dask else sending.pack(task)
        except Exception as error:
            self.stuck = _not_sent(error)  # Only threads can run a task that cannot be pickled.

    def submit(self, chunk: object) -> Future:
        submit, how = self._executor.submit, self._how
        try:
            if self._packed is None:
                return submit(sending.run_task, self._task, chunk, **how)
            parcel = sending.Parcel(sending.attempt_packed, (self._packed, chunk))
            return submit(pickle.loads, pickle.dumps(parcel), **how)
        except Exception as error:  # The executor is broken or shut down.
            raise self.stuck or ExecutorError(
                f"the executor takes no more chunks ({type(error).__name__}: {error}); pass a new "
                "one, or a number of processes, which are replaced when they die"
            ) from error

    def close(self, *, now: bool) -> None:
        """Do nothing: a lent executor is closed by its owner."""


def _width(executor: Any) -> int:
    """The number of workers of an executor, if it tells that; else a guess."""
    for name in ("_max_workers", "num_workers"):  # The names in concurrent.futures, mpi4py.
        count = getattr(executor, name, None)
        if type(count) is int and count > 0:
            return count
    try:
        return sum(executor.nthreads().values()) or _UNKNOWN
    except Exception:  # The executor is no dask Client, or has no workers yet.
        return _UNKNOWN


def start_method() -> str | None:
    """The start method of our processes: "fork" where that is safe, else the platform's own method.

    A forked process has all that its parent has, even functions of a notebook. To fork is not safe
    beside other threads, nor with an OpenMP runtime, for whose threads a child would wait in vain
    (unless threadpoolctl limits it to one thread; see ``begin_worker``).
    """
    stranded = "threadpoolctl" not in sys.modules and _openmp()
    if sys.platform != "linux" or threading.active_count() > 1 or stranded:
        return None if multiprocessing.get_start_method() != "fork" else "forkserver"
    return "fork"


def _openmp() -> bool:
    maps = Path("/proc/self/maps").read_text(errors="replace")
    return any(name in maps for name in ("libgomp", "libomp", "libiomp"))


def cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _not_sent(error: Exception) -> ExecutorError:
    return ExecutorError(
        f"the task cannot be sent to a worker ({type(error).__name__}: {error}); define its "
        "functions, and what is decorated with @mechanism or @adversary, at the top of a module, "
        'or pass executor="serial"'
    )


def may_start(task: sending.Task) -> bool:
    """Whether to start processes for this task is useful and possible."""
    if cores() == 1 or multiprocessing.current_process().daemon:
        return False
    if start_method() != "fork":
        try:
            sending.pack(task)
        except Exception:
            return False
        return not sending.is_misled()
    return True
