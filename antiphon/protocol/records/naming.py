"""Names in transcripts for what the variables of a user's file hold.

So that a view of a decorated function or an unregistered class can be rebuilt by whoever runs
the same file: ``noisy`` of my_system.py is "my_system.noisy/0", and the first of a list
``askers`` is "my_system.askers[0]/0".
"""

from __future__ import annotations

import enum
import sys
from collections.abc import Iterator
from inspect import isclass
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Final, cast

import attrs

from antiphon.protocol.chain import AnyChain, Links, PostProcessor
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.registry import registered_name, suggest

_DEEPEST: Final = 4
_MOST: Final = 1000
"""So many items of a list are looked at."""
_PARTIES: Final = (Mechanism, PostProcessor, FunctionType)


def name_variables(module: ModuleType, prefix: str) -> None:
    """Name what has no registered name; classes first, so that their instances go by them."""
    variables = [(name, value) for name, value in vars(module).items() if name[:2] != "__"]
    for name, value in variables:
        if isclass(value) and _is_users(value):
            suggest(f"{prefix}.{name}/0", value)
    for name, value in variables:
        for place, found in _nameless(name, value, 0):
            suggest(f"{prefix}.{place}/0", found)


def name_parties(*parties: object) -> None:
    """Name what has no name and stands in a file, as whoever runs that file will name it."""
    for _, found in _nameless("", parties, 0):
        module = sys.modules.get(_defined(found).__module__)
        file = Path(getattr(module, "__file__", None) or "")
        if module is not None and file.is_file() and not _is_ours(module.__name__):
            name_variables(module, file.stem)


def _defined(party: object) -> Any:
    """The function or the class that a party was made of."""
    function: object = getattr(party, "function", party)
    return function if isinstance(function, FunctionType) else type(party)


def _is_users(kind: type) -> bool:
    """Whether a transcript could hold values of this class, and it is none of ours."""
    return not _is_ours(kind.__module__) and (attrs.has(kind) or issubclass(kind, enum.Enum))


def _is_ours(module: str) -> bool:
    return str(module).partition(".")[0] == "antiphon"


def _nameless(place: str, value: object, depth: int) -> Iterator[tuple[str, object]]:
    """Parties and functions without a name, and where they are: in lists, games and chains too."""
    kind = cast("type[Any]", type(value))  # pyright: ignore[reportUnknownArgumentType]
    if depth > _DEEPEST or isclass(value) or registered_name(value) is not None:
        return
    if isinstance(value, list | tuple):
        items = cast("list[object]", value)
        for number, item in enumerate(items[:_MOST]):
            yield from _nameless(f"{place}[{number}]", item, depth + 1)
    elif isinstance(value, AnyChain | Links) or (attrs.has(kind) and registered_name(kind)):
        for field in attrs.fields(kind):
            part = getattr(value, field.name, None)
            yield from _nameless(f"{place}.{field.name}", part, depth + 1)
    elif attrs.has(kind) or isinstance(value, _PARTIES):
        yield place, value
