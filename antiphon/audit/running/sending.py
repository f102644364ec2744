"""Sends a task to another process, with the modules that pickle alone would leave behind.

A decorated function hides the function that it was made of, and a lambda has no name of its
own: both are sent as the name of the module variable that holds them. Modules that were run by path
are run again in the worker. Definitions in a notebook or at the prompt are in no file that another
process could run: they are sent by value, with cloudpickle.

The worker runs the task on one chunk at a time, and returns an error as a value.
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
"""(name of a module, the file that it was loaded from), for some modules."""

_run: Final[dict[str, str]] = {}


def run_file(path: Path, name: str | None = None) -> ModuleType:
    """Run a Python file as a module, and return the module; output goes to standard error.

    The file may import files beside it, as a script may, but without shadowing other modules.
    Raises: FileNotFoundError, and any error of the file's code.
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
    """(module name, file) of each file that this process has run, for another process to run."""
    return tuple(_run.items())


def run_again(files: Iterable[tuple[str, str]]) -> None:
    """Run the files that this process has not run yet. Raises: ImportError for a missing file."""
    for name, path in files:
        if _run.get(name) == path:
            continue
        try:
            run_file(Path(path), name)
        except FileNotFoundError:
            raise ImportError(f"there is no file {path} where this worker runs") from None


class InNoFile(pickle.PicklingError):
    """Raised for a function or class that is defined in no file, so that no process finds it."""


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
    """(module, variable) of a function or decorated object; None if pickle finds it by its name."""
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
    """The task, pickled. Raises: pickle's errors; MissingExtra if cloudpickle is needed."""
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
    """Whether a started process can run the main program's file."""
    file = _file_of_main()
    return isinstance(file, str) and Path(file).is_file()


def is_misled() -> bool:
    """Whether a started process would look for a main file that is not there (piped code)."""
    return _file_of_main() is not None and not _main_has_a_file()


def _file_of_main() -> object:
    main = sys.modules["__main__"]
    spec: object = getattr(main, "__spec__", None)
    return __file__ if getattr(spec, "name", None) else getattr(main, "__file__", None)


def packed_by_value(task: object) -> tuple[Files, bytes]:
    """The task, pickled with its functions' code, for dask workers that cannot import them."""
    # cloudpickle comes with dask, or with the extra ``notebook``.
    cloudpickle: Any = importlib.import_module("cloudpickle")
    modules = [sys.modules[name] for name, _ in files_run() if name in sys.modules]
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    try:
        return (), cloudpickle.dumps(task)
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)


def unpack(files: Files, data: bytes) -> Any:
    """The task that ``pack`` packed. Raises: ImportError, AttributeError for missing modules."""
    run_again(files)
    return pickle.loads(data)


Task = Callable[[Any], object]
"""A pure function of a piece of work, such as a chunk."""


@attrs.frozen
class Done:
    """The result of a piece of work, as a worker returns it."""

    result: object


@attrs.frozen
class Failed:
    """An exception of the task itself; errors of the executor are raised."""

    error: Exception
    trace: str


def run_task(task: Task, chunk: object) -> Done | Failed:
    """The result of the task on a piece of work, or the exception that the task raised."""
    try:
        return Done(task(chunk))
    except Exception as error:
        return Failed(_portable(error), traceback.format_exc())


def attempt_packed(task: tuple[Files, bytes], chunk: object) -> Done | Failed:
    """``run_task`` for a packed task; errors of unpacking are raised."""
    return run_task(unpack(*task), chunk)


@attrs.frozen
class Parcel:
    """A call of a function that happens when ``pickle.loads`` reads the parcel.

    A worker without this package then returns a clear error, and does not die on unpickling.
    """

    function: Callable[..., object]
    arguments: tuple[object, ...]

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return self.function, self.arguments


def _portable(error: Exception) -> Exception:
    """The error; or a RuntimeError with its text if the error cannot be pickled and unpickled."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


# --- A process of our own gets the task once, when it starts -------------------------

_task: Task | None = None


def begin_worker(task: Task) -> None:
    """Make this process a worker for one task."""
    global _task
    _task = task
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent process
    threading.Thread(target=_die_with_parent, daemon=True).start()
    limits = sys.modules.get("threadpoolctl")
    # Each worker uses one core; a forked OpenMP would hang with more threads.
    if limits is not None:
        limits.threadpool_limits(1)


def begin_packed(task: tuple[Files, bytes]) -> None:
    """Make this process, which was not forked, a worker for a packed task."""
    begin_worker(unpack(*task))


def attempt_own(chunk: object) -> Done | Failed:
    """``run_task`` for the task of this worker."""
    assert _task is not None
    return run_task(_task, chunk)


def _die_with_parent() -> None:
    """End this worker when its parent process ends; else it would wait for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
