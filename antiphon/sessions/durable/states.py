"""States of mechanisms as JSON values, and back.

Values that may be messages are written as in a transcript. Other parts of a state are containers,
named tuples and attrs classes, each under its registered name. Decoding builds these only, and runs
no code from the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import attrs
import numpy as np
import numpy.typing as npt

from antiphon.numbers import errors
from antiphon.numbers.errors import InvalidArgument, TranscriptError, with_article
from antiphon.numbers.exact import Log
from antiphon.numbers.interning import fingerprint
from antiphon.numbers.persistent_vector import Vector
from antiphon.protocol import registry
from antiphon.protocol.records import codec
from antiphon.protocol.registry import is_named_tuple, registered_name, state_name

_OURS: Final = "antiphon."
_OTHERS: Final = re.compile(r'"(?:made|type|object)": "(?!antiphon\.)')
"""A pattern that finds classes outside this library in a state: their decoding must be tested."""
_SEQUENCES: Final[dict[type, str]] = {
    tuple: "tuple", list: "list", Vector: "vector", frozenset: "frozenset",
}  # fmt: skip
_MADE: Final[dict[str, Callable[[Any], object]]] = {name: kind for kind, name in _SEQUENCES.items()}
_TAGS: Final = frozenset({*_MADE, "dict", "objects", "array", "made", "message"})
Array: TypeAlias = "npt.NDArray[Any]"

# ``Log`` is registered here, as the package of ``Log`` may not import the registry.
registry.register("antiphon.Log/1", state=True)(Log)


def keep(state: object) -> codec.Json:
    """The JSON value of a state of a mechanism.

    Raises: InvalidArgument, naming the type that cannot be saved, and the cure.
    """
    kind = type(state)
    value: Any = state
    if kind in _SEQUENCES:
        return {_SEQUENCES[kind]: [keep(each) for each in value]}
    if kind is dict:
        return {"dict": [[keep(key), keep(item)] for key, item in value.items()]}
    if kind is np.ndarray:
        return _laid(value)
    name = state_name(kind)
    if name is None or registered_name(kind) is not None:
        said = _said(state)
        if said is not None and (name is None or not _has_arrays(said[0], kind)):
            return {"message": said[0]}
        if name is None:
            raise InvalidArgument(
                f"a state with {with_article(kind.__qualname__)} in it cannot be kept: states "
                "are numbers, text, tuples, dicts, arrays, and attrs classes and named tuples "
                "under @ap.register('name/1', state=True)"
            )
    return {"made": name, "parts": [keep(part) for part in _parts(value, kind)]}


def kept(state: object) -> codec.Json:
    """The JSON value of a state, as ``keep`` gives it, checked to decode to an equal state.

    Raises: InvalidArgument, also for a state that decodes to an unequal one, from which a session
    would go on wrongly: a class that recomputes its fields, or compares its values by identity.
    """
    try:
        said = keep(state)
        text = json.dumps(said)
        same = not _OTHERS.search(text) or fingerprint(restored(json.loads(text))) == fingerprint(
            state
        )
    except InvalidArgument:
        raise
    except Exception as error:  # A user's class failed, or the state is nested too deep.
        reason = type(error).__name__
        raise InvalidArgument(f"a state cannot be kept: reading it again raises {reason}") from None
    if not same:
        raise InvalidArgument(
            f"a state with {errors.of_kind(state)} cannot be kept: what comes back is not "
            "equal to it. Let its attrs classes take their fields as they are, and compare by them"
        )
    return said


def restored(data: object) -> Any:
    """The state that ``keep`` wrote as JSON. Raises: TranscriptError for anything else."""
    return _read(data, {})


_Known: TypeAlias = "dict[str, Any]"
"""A cache of decoded classes and messages: the states of thousands of created mechanisms often hold
equal immutable values, which can be shared."""


def _read(data: object, known: _Known) -> Any:
    if not codec.is_object(data) or len(tags := _TAGS & set(data)) != 1:
        raise TranscriptError("this is not a state as it is kept")
    (tag,) = tags
    try:
        return _restored(tag, data, known)
    except errors.AntiphonError:
        raise
    except Exception as error:  # A constructor or an array's shape got a wrong value from the file.
        raise TranscriptError(f"not a state as it is kept: {str(error)[:200]}") from None


def _restored(tag: str, data: codec.Fields, known: _Known) -> object:
    if tag == "message":
        return _message(data["message"], known)
    if tag == "dict":
        return {_read(key, known): _read(value, known) for key, value in data["dict"]}
    if tag in ("objects", "array"):
        return _laid_again(data, known)
    if tag == "made":
        name = data["made"]
        if name not in known:
            known[name] = _class(name)
        return _made(known[name], [_read(part, known) for part in data["parts"]])
    return _MADE[tag](_read(each, known) for each in data[tag])


def _message(said: codec.Json, known: _Known) -> object:
    if type(said) is not dict:
        return codec.decode(said)
    text = json.dumps(said)
    if text not in known:
        known[text] = codec.decode(said)
    return known[text]


def _laid(array: Array) -> codec.Json:
    """The JSON value of an array with its memory layout, which decides how sums of its entries are
    rounded.

    Raises: InvalidArgument for entries that are no numbers or objects, or an array with gaps.
    """
    axes = [*range(array.ndim)]
    if not array.flags.c_contiguous:
        axes = sorted(axes, key=lambda axis: -array.strides[axis])
    rows = array.transpose(axes)
    if not rows.flags.c_contiguous:
        raise InvalidArgument(
            "a state with an array that is a part of another, or has its entries repeated, cannot "
            "be kept as it lies in memory: let the step take a copy of it"
        )
    order: codec.Fields = {} if array.flags.c_contiguous else {"axes": [*axes]}
    if array.dtype == object:
        entries = [keep(each) for each in rows.ravel().tolist()]
        return {"objects": entries, "shape": [*rows.shape], **order}
    if (said := _said(rows)) is None:
        raise InvalidArgument(
            f"a state with an array of {array.dtype} in it cannot be kept: let it be of numbers"
        )
    if array.flags.writeable:
        return {"array": said[0], "writeable": True, **order}
    return {"array": said[0], **order} if order else {"message": said[0]}


def _laid_again(data: codec.Fields, known: _Known) -> object:
    array: Array
    if "objects" in data:
        array = np.empty(len(data["objects"]), object)
        array[:] = [_read(each, known) for each in data["objects"]]
        array = array.reshape(data["shape"])
    else:
        array = codec.decode(data["array"])
        array = array.copy() if data.get("writeable") is True else array
    if "axes" not in data:
        return array
    axes = data["axes"]
    return array.transpose([axes.index(axis) for axis in range(len(axes))])


def _has_arrays(said: codec.Json, kind: type) -> bool:
    """Whether a user's class holds arrays, whose memory layout the JSON form of a message loses."""
    return not kind.__module__.startswith(_OURS) and '"array"' in json.dumps(said)


def _said(value: object) -> tuple[codec.Json] | None:
    """The JSON form of a value as a message, in a 1-tuple; None if the value is no message."""
    try:
        said = codec.encode(value, secrets=True)
    except (InvalidArgument, AttributeError):
        return None
    return None if codec.mentions_unregistered(said) else (said,)


def _class(name: object) -> type:
    """The registered class of states with this name. Raises: TranscriptError if there is none."""
    text = name if type(name) is str else ""
    found: type | None = registry.lookup_state(_since(text))
    if found is None:
        raise TranscriptError(
            f"no kind of state is known as {str(name)[:80]}: import the module that registers it"
        )
    return found


_OTHERWISE: Final = {
    "LazyToPrivate": "antiphon.L2P/1",
    "Optimised": "antiphon.l2p.Optimised/1",
    "Printed": "antiphon.l2p.Printed/1",
    "Repaired": "antiphon.l2p.Repaired/1",
}
"""For classes of this library, by their names in older files: the registered name, if it is not
"antiphon.CLASS/1"."""


def _since(name: str) -> str:
    """The registered name of a class that an older file calls "module:class"."""
    module, colon, kind = name.partition(":")
    if not colon or not module.startswith(_OURS):
        return name
    return _OTHERWISE.get(kind, f"antiphon.{kind}/1")


def _parts(value: Any, kind: type) -> tuple[object, ...]:
    if hasattr(kind, "__keep__"):
        parts: tuple[object, ...] = value.__keep__()
        return parts
    if is_named_tuple(kind):
        return tuple(value)
    return tuple(getattr(value, field.name) for field in _fields(kind))


def _made(kind: Any, parts: list[Any]) -> object:
    if hasattr(kind, "__keep__"):
        return kind.__restore__(*parts)
    if is_named_tuple(kind):
        return kind(*parts)
    names = [str(field.alias) for field in _fields(kind)]
    if len(parts) > len(names):
        raise TranscriptError(
            f"{with_article(kind.__name__)} has {len(names)} parts, not {len(parts)}"
        )
    # A file of an older version may lack newer fields, which have defaults.
    return kind(**dict(zip(names, parts, strict=False)))


def _fields(kind: Any) -> list[attrs.Attribute[Any]]:
    """The fields that determine a value of an attrs class. Left out are derived fields and, in
    classes of this library, fields with a default that ``==`` ignores."""
    whole = not str(kind.__module__).startswith(_OURS)
    return [
        field
        for field in attrs.fields(kind)
        if field.init and (whole or field.eq or field.default is attrs.NOTHING)
    ]
