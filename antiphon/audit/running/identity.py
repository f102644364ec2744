"""What an experiment is, in a few digests: enough to refuse a checkpoint of another one.

Parameters, messages, and the code of plain functions count; the code of classes does not.
"""

from __future__ import annotations

import functools
import hashlib
import json
import pickle
from collections.abc import Callable, Iterable, Mapping
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any

import attrs
import numpy as np

from antiphon.audit.running.chunks import Chunks
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.records.codec import Json, encode


def experiment(task: object, chunks: Chunks) -> dict[str, Json]:
    """The chunk size in the clear, and digests of the task (part by part) and of the seed.

    Digests, because a party may hold data and a seed is nobody's business. A task with a
    method ``fingerprint`` names its parts itself: {name: any value}.
    """
    own: Callable[[], Mapping[str, object]] | None = getattr(task, "fingerprint", None)
    parts = _fields(task) if own is None else own()
    root = chunks.root
    seed = [root.entropy, root.spawn_key, root.pool_size]
    return {
        "task": _name(type(task)),
        **{name: digest(value) for name, value in parts.items()},
        "chunk size": chunks.size,
        "seed": digest(seed),
    }


def digest(value: object) -> str:
    """A short digest of what a value is; the same in every process."""
    return hashlib.sha256(_text(describe(value)).encode()).hexdigest()[:16]


def describe(value: object, around: tuple[int, ...] = ()) -> Json:
    """A value as JSON, for comparison only. ``around``: what it is a part of."""
    if id(value) in around:  # a function that knows itself
        return "itself"
    try:
        plain = encode(value, secrets=True)
        if not _mentions(plain, "unregistered") and not _mentions(plain, "object"):
            return plain  # an object goes by its name there, and by its code here
    except InvalidArgument:
        pass
    inner = (*around, id(value))
    if isinstance(value, type):
        return ["type", _name(value)]
    if isinstance(value, FunctionType):
        return ["function", _name(value), *(describe(part, inner) for part in _function(value))]
    if isinstance(value, MethodType):
        return ["method", describe(value.__func__, inner), describe(value.__self__, inner)]
    if isinstance(value, CodeType):
        parts = (value.co_code, value.co_names, value.co_consts)
        return ["code", *(describe(part, inner) for part in parts)]
    return [_name(type(value)), *(describe(part, inner) for part in _parts(value, inner))]


def _function(function: FunctionType) -> tuple[object, ...]:
    cells = tuple(_content(cell) for cell in function.__closure__ or ())
    return function.__code__, function.__defaults__, function.__kwdefaults__, cells


def _content(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # not bound yet
        return None


def _parts(value: Any, around: tuple[int, ...]) -> Iterable[object]:
    """What a value is made of; sets and mappings in an order that does not depend on hashes."""
    kind: type[Any] = type(value)  # pyright: ignore[reportUnknownVariableType]
    if issubclass(kind, (list, tuple)):
        items: Iterable[object] = value
        return items
    if issubclass(kind, (set, frozenset, Mapping)):
        items = value.items() if issubclass(kind, Mapping) else value
        return sorted(_text(describe(item, around)) for item in items)
    if kind is functools.partial:
        return value.func, value.args, value.keywords
    if attrs.has(kind):
        return _fields(value).values()
    if issubclass(kind, np.generic):
        return (value.item(),)
    try:
        return (pickle.dumps(value, protocol=5),)
    except Exception:
        return ()


def _fields(value: object) -> dict[str, object]:
    """The parameters of an attrs object; any other is its only part."""
    kind: type[Any] = type(value)
    if not attrs.has(kind):
        return {"function": value}
    return {field.alias: getattr(value, field.name) for field in attrs.fields(kind) if field.init}


def _mentions(data: Json, tag: str) -> bool:
    if isinstance(data, dict):
        return tag in data or any(_mentions(part, tag) for part in data.values())
    return isinstance(data, list) and any(_mentions(part, tag) for part in data)


def _name(thing: type | FunctionType) -> str:
    return f"{thing.__module__}.{thing.__qualname__}"


def _text(value: Json) -> str:
    return json.dumps(value, sort_keys=True)
