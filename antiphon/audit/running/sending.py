"""A task on its way to another process: what pickle alone would not send.

A decorated function hides the function that it was made of, and a lambda has no name of its
own: both go by the variable of their module that holds them. Modules that were run by path are
run again where the task arrives.
"""

from __future__ import annotations

import importlib
import io
import pickle
import sys
from types import FunctionType
from typing import Any

from antiphon.audit.running.by_path import Files, files_run, run_again
from antiphon.audit.statistical.search import AdversaryFamily
from antiphon.mechanisms.learners.convex.function_loss import FunctionLoss
from antiphon.protocol.adapters import FunctionMechanism
from antiphon.protocol.adversary import FunctionAdversary

_OF_A_FUNCTION: tuple[type, ...] = (FunctionMechanism, FunctionAdversary, FunctionLoss)


class _Pickler(pickle.Pickler):
    def reducer_override(self, thing: object) -> Any:
        place = _place(thing)
        return NotImplemented if place is None else (_at, place)


def _place(thing: object) -> tuple[str, str] | None:
    """The module and the variable that hold this; None for what pickle finds by itself."""
    if isinstance(thing, _OF_A_FUNCTION):
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


def packed(task: object) -> tuple[Files, bytes]:
    """A task to be sent. Raises: what pickle does for what has no name in any module."""
    buffer = io.BytesIO()
    _Pickler(buffer, pickle.HIGHEST_PROTOCOL).dump(task)
    return files_run(), buffer.getvalue()


def packed_by_value(task: object) -> tuple[Files, bytes]:
    """The same for dask, with the functions that a worker cannot import: those of a script, of
    a notebook, or of a file that was run by its path, whole.
    """
    cloudpickle: Any = importlib.import_module("cloudpickle")  # dask has it
    modules = [sys.modules[name] for name, _ in files_run() if name in sys.modules]
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    try:
        return (), cloudpickle.dumps(task)
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)


def unpacked(files: Files, data: bytes) -> Any:
    """The task that was packed. Raises: ImportError, AttributeError for what is not here."""
    run_again(files)
    return pickle.loads(data)
