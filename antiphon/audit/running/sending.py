"""Sends a task to another process, with the parts that pickle alone would leave behind.

A decorated function hides the function that it was made of, and a lambda has no name of its
own: both go by the variable of their module that holds them. Modules that were run by path are
run again where the task arrives. What was defined in a notebook or at the prompt stands in no file
that another process could run: it goes by value, with cloudpickle.

In the worker it is run on one chunk at a time, and what goes wrong comes back as a value.
"""

import importlib
import io
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Final, TypeAlias

import attrs

from antiphon.audit.statistical.search import AdversaryFamily
from antiphon.numbers.errors import MissingExtra
from antiphon.numbers.public import load_file
from antiphon.protocol.registry import Named

Files: TypeAlias = tuple[tuple[str, str], ...]
"""The name of a module, and the file that it was made of."""

_run: Final[dict[str, str]] = {}


def run_file(path: Path, name: str | None = None) -> ModuleType:
    """Run a file; its module. What it prints goes to standard error.

    It may import what lies beside it, as a script may, but shadows no other module so.
    Raises: FileNotFoundError, and whatever the file raises.
    """
    name = name or f"_antiphon_with_{path.stem}"
    directory = str(path.absolute().parent)
    if directory not in sys.path:
        sys.path.append(directory)
    with redirect_stdout(sys.stderr):
        module = load_file(path, name)
    _run[name] = str(path.absolute())
    return module


def files_run() -> Files:
    """The files that this process has run, for another process to run, too."""
    return tuple(_run.items())


def run_again(files: Iterable[tuple[str, str]]) -> None:
    """Run what this process has not run yet. Raises: ImportError where a file is missing."""
    for name, path in files:
        if _run.get(name) == path:
            continue
        try:
            run_file(Path(path), name)
        except FileNotFoundError:
            raise ImportError(f"there is no file {path} where this worker runs") from None


class InNoFile(pickle.PicklingError):
    """Something was defined where no other process finds it."""


class _Pickler(pickle.Pickler):
    def reducer_override(self, thing: object) -> Any:
        defined = getattr(thing, "function", thing)
        if (
            isinstance(defined, FunctionType | type)
            and defined.__module__ == "__main__"
            and not _main_has_a_file()
        ):
            raise InNoFile(f"{defined.__qualname__} is defined in a notebook or at the prompt")
        place = _place(thing)
        return NotImplemented if place is None else (_at, place)


def _place(thing: object) -> tuple[str, str] | None:
    """The module and the variable that hold this; None for what pickle finds by itself."""
    if isinstance(thing, Named):
        function: object = getattr(thing, "function", None)
    elif isinstance(thing, AdversaryFamily):
        function = thing.build
    else:
        function = thing
    if type(function) is not FunctionType:
        return None
    module = sys.modules.get(function.__module__)
    own: dict[str, object] = vars(module) if module is not None else {}
    if own.get(function.__qualname__) is thing is function:
        return None
    found = (name for name, value in own.items() if value is thing)
    return next(((function.__module__, name) for name in found), None)


def _at(module: str, name: str) -> object:
    return getattr(importlib.import_module(module), name)


def pack(task: object) -> tuple[Files, bytes]:
    """A task to be sent. Raises: what pickle does for what has no name in any module; MissingExtra
    for what has no file, without cloudpickle.
    """
    buffer = io.BytesIO()
    try:
        _Pickler(buffer, pickle.HIGHEST_PROTOCOL).dump(task)
    except InNoFile as error:
        try:
            return packed_by_value(task)
        except ImportError:
            raise MissingExtra(f"{error}, and so cloudpickle", "notebook") from None
    return files_run(), buffer.getvalue()


def _main_has_a_file() -> bool:
    """Whether a process that is started can run what this one was started with."""
    file = _file_of_main()
    return isinstance(file, str) and Path(file).is_file()


def is_misled() -> bool:
    """Whether a process that is started looks for a file that is none: of a program on a pipe."""
    return _file_of_main() is not None and not _main_has_a_file()


def _file_of_main() -> object:
    main = sys.modules["__main__"]
    spec: object = getattr(main, "__spec__", None)
    return __file__ if getattr(spec, "name", None) else getattr(main, "__file__", None)


def packed_by_value(task: object) -> tuple[Files, bytes]:
    """The same for dask, with the functions that a worker cannot import: those of a script, of
    a notebook, or of a file that was run by its path, whole.
    """
    cloudpickle: Any = importlib.import_module("cloudpickle")  # dask has it; extra ``notebook``
    modules = [sys.modules[name] for name, _ in files_run() if name in sys.modules]
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    try:
        return (), cloudpickle.dumps(task)
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)


def unpack(files: Files, data: bytes) -> Any:
    """The task that was packed. Raises: ImportError, AttributeError for what is not here."""
    run_again(files)
    return pickle.loads(data)


Task = Callable[[Any], object]
"""A pure function of a chunk, or of what else a piece of work is."""


@attrs.frozen
class Done:
    """The result of a chunk."""

    result: object


@attrs.frozen
class Failed:
    """An exception raised by the task itself; any other that the caller gets is the executor's."""

    error: Exception
    trace: str


def run_task(task: Task, chunk: object) -> Done | Failed:
    """Run the task on a chunk."""
    try:
        return Done(task(chunk))
    except Exception as error:
        return Failed(_portable(error), traceback.format_exc())


def attempt_packed(task: tuple[Files, bytes], chunk: object) -> Done | Failed:
    """Run a packed task on a chunk. What loading it raises is raised."""
    return run_task(unpack(*task), chunk)


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


def begin_worker(task: Task) -> None:
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
    begin_worker(unpack(*task))


def attempt_own(chunk: object) -> Done | Failed:
    """Run the task that this process was made for."""
    assert _task is not None
    return run_task(_task, chunk)


def _die_with_parent() -> None:
    """A worker whose parent was killed would wait for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
