"""Which code works on columns as on numbers: what declares it, and what takes it back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def column_safe(function: Function) -> Function:
    """Decorator: declares that a function works on columns as it does on numbers.

    For adversaries, features and other plain functions: arithmetic, comparison and ``if``,
    but no ``type(x) is float``, ``math.…`` or dictionary keys. A class says the same by
    ``step_many = step``.
    """
    function.__column_safe__ = True  # type: ignore[attr-defined]
    return function


def is_column_safe(function: object) -> bool:
    """Whether a function has been declared to work on columns."""
    return function is tuple or bool(getattr(function, "__column_safe__", False))


def own_reading(cls: type, base: type, method: str) -> None:
    """A class with its own ``step`` does not inherit another's ``step_many``: it would say
    what the other does. It says so itself, or its replicas are taken apart.
    """
    many = f"{method}_many"
    if method in vars(cls) and many not in vars(cls):
        setattr(cls, many, getattr(base, many))
