"""Messages as JSON values, and back: the vocabulary of transcripts (docs/transcripts.md).

Decoding builds messages and registered attrs types only; it runs no code from
the file and is bounded in depth and size.
"""

import base64
import enum
import json
import math
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from inspect import isclass
from typing import Any, Final, TypeAlias, TypeGuard, Union

import attrs
import numpy as np
import numpy.typing as npt

from antiphon.numbers.errors import InvalidArgument, TranscriptError, of_kind, with_article
from antiphon.numbers.exact import Log
from antiphon.protocol import registry
from antiphon.protocol.chain import AnyChain, Links, PostProcessor, chain
from antiphon.protocol.coins.coins import Draw
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.messages import MAX_DEPTH, Ask, Pair, Signal, identical

Json: TypeAlias = Union[bool, int, float, str, "list[Json]", "dict[str, Json]", None]
Fields: TypeAlias = dict[str, Any]
"""The type of a JSON object read from a file, whose values have not been checked yet."""
Decoder: TypeAlias = Callable[[Fields, int], object]

_MAX_BITS: Final = 1 << 20
_MAX_DIGITS: Final = 4000
_FRACTION: Final = re.compile(r"-?[0-9]{1,100000}/[0-9]{1,100000}")
_HEX: Final = re.compile(r"-?0x[0-9a-f]{1,262144}")
_DTYPE: Final = re.compile(r"[<>|=]?[biufc][0-9]{1,2}")


# --- encoding: from messages to JSON -------------------------------------------------


def encode(value: object, *, secrets: bool = False) -> Json:
    """The JSON value of a message, a mechanism or another registered value.

    ``secrets``: whether fields marked secret are written (recordings only).
    Raises: InvalidArgument for a value of a type that has no JSON form.
    """
    kind = type(value)
    encoder = _ENCODERS.get(kind)
    if encoder is not None:
        return encoder(value, secrets)
    if isinstance(value, AnyChain | Links):
        parts = value.parts if isinstance(value, AnyChain) else value.links
        return {"chain": [encode(part, secrets=secrets) for part in parts]}
    name = registry.registered_name(value)
    if name is not None:
        return {"object": name}
    name = registry.registered_name(kind)
    if name is not None:
        return _registered(value, kind, name, secrets)
    if isinstance(value, registry.Named):
        return {"unregistered": registry.name_of(value)}
    if isinstance(value, Mechanism | PostProcessor) or attrs.has(kind) or callable(value):
        return {"unregistered": kind.__qualname__}
    raise InvalidArgument(
        f"{with_article(kind.__name__)} cannot stand in a transcript; use numbers, text, bytes, "
        "tuples, arrays, Fractions, or a registered attrs class"
    )


def _registered(value: object, kind: type, name: str, secrets: bool) -> Json:
    if isinstance(value, enum.Enum):
        return {"type": name, "member": value.name}
    parameters = {
        field.alias: encode(own, secrets=secrets)
        for field in attrs.fields(kind)
        if field.init and (secrets or not field.metadata.get(registry.SECRET))
        if not identical(own := getattr(value, field.name), field.default)
    }
    return {"type": name, "parameters": parameters} if parameters else {"type": name}


def _text(value: str, secrets: bool) -> Json:
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError:  # JSON would join lone surrogates (halves of a character)
        data = base64.b64encode(value.encode("utf-8", "surrogatepass")).decode("ascii")
        return {"text": data}
    return value


def _ratio(value: Fraction) -> str:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > 13 * _MAX_DIGITS // 4:
        raise InvalidArgument("a fraction message is too long for a transcript")
    return f"{value.numerator}/{value.denominator}"


def _int(value: int, secrets: bool) -> Json:
    if value.bit_length() <= 1024:
        return value
    if value.bit_length() > _MAX_BITS:
        raise InvalidArgument(f"an integer message has at most {_MAX_BITS} bits")
    return {"int": hex(value)}


def _float(value: float, secrets: bool) -> Json:
    return value if math.isfinite(value) else {"float": repr(value)}


def _array(value: npt.NDArray[np.generic], secrets: bool) -> Json:
    if not _DTYPE.fullmatch(value.dtype.str):
        raise InvalidArgument(f"an array of dtype {value.dtype} cannot stand in a transcript")
    data = base64.b64encode(value.tobytes()).decode("ascii")
    return {"array": data, "dtype": value.dtype.str, "shape": list(value.shape)}


def _pair(value: Pair, secrets: bool) -> Json:
    if value.one is value.zero:
        return {"same": encode(value.zero, secrets=secrets)}
    return {"pair": [encode(value.zero, secrets=secrets), encode(value.one, secrets=secrets)]}


def _as_is(value: bool | str | None, secrets: bool) -> Json:
    return value


_ENCODERS: Final[dict[type, Callable[[Any, bool], Json]]] = {
    type(None): _as_is,
    bool: _as_is,
    str: _text,
    int: _int,
    float: _float,
    Signal: lambda value, secrets: {"symbol": value.name},
    tuple: lambda value, secrets: [encode(item, secrets=secrets) for item in value],
    Pair: _pair,
    Ask: lambda value, secrets: {
        "ask": [encode(value.query, secrets=secrets), encode(value.index)]
    },
    Fraction: lambda value, secrets: {"fraction": _ratio(value)},
    Log: lambda value, secrets: {"log": _ratio(value.argument)},
    bytes: lambda value, secrets: {"bytes": base64.b64encode(value).decode("ascii")},
    np.ndarray: _array,
    registry.Unregistered: lambda value, secrets: (
        json.loads(value.text) if value.text else {"unregistered": value.name}
    ),
}


def encode_any(value: object, *, secrets: bool = False) -> Json:
    """The JSON value of any value; for a value that cannot be written, the name of its type.

    A verifier answers HALT to a message without a JSON form, and the transcript must still show
    this message.
    """
    try:
        return encode(value, secrets=secrets)
    except (InvalidArgument, RecursionError, AttributeError):
        return unwritable(value)


def unwritable(value: object) -> Json:
    """The JSON value that stands for a value that cannot be written: the name of its type."""
    return {"unregistered": type(value).__qualname__}


def encode_draws(draws: tuple[Draw, ...]) -> Json:
    """The JSON value of a sequence of random draws: [[kind, parameter, value], …]."""
    return [[draw.kind, encode(draw.parameter), encode(draw.value)] for draw in draws]


# --- decoding: from JSON to messages -------------------------------------------------


def decode(data: object, depth: int = 0) -> Any:
    """The value that ``encode`` wrote as JSON. Raises: TranscriptError.

    Raises: TranscriptError for anything else: an unknown tag or type, wrong
    parameters, a number or a nesting past the limits.
    """
    if depth > 4 * MAX_DEPTH:
        raise TranscriptError("nested too deeply for a transcript")
    if data is None or type(data) in (bool, str, int):
        return data
    if type(data) is float:
        if not math.isfinite(data):
            raise TranscriptError("a number is too large for a float")
        return data
    if _is_list(data):
        return tuple(decode(item, depth + 1) for item in data)
    if is_object(data):
        for tag in data:
            decoder = _DECODERS.get(tag)
            if decoder is not None:
                if not set(data) <= _KEYS.get(tag, {tag}):
                    raise TranscriptError(f"{_short(sorted(map(str, data)))} is no kind of value")
                return _decoded(decoder, tag, data, depth + 1)
        raise TranscriptError(f"unknown kind of value {_short(sorted(map(str, data)))}")
    raise TranscriptError(f"{of_kind(data)} is not JSON")


def _decoded(decoder: Decoder, tag: str, data: Fields, depth: int) -> object:
    try:
        return decoder(data, depth)
    except TranscriptError:
        raise
    except RecursionError:
        raise TranscriptError("nested too deeply for a transcript") from None
    except Exception as error:  # Constructors get unchecked values here and may raise anything.
        raise TranscriptError(f"not a valid {tag}: {_short(str(error), 300)}") from None


def _matched(pattern: re.Pattern[str], text: object) -> str:
    if type(text) is not str or not pattern.fullmatch(text):
        raise TranscriptError(f"{_short(text)} is malformed")
    return text


_decode_bytes: Final = partial(base64.b64decode, validate=True)


def _decode_fraction(text: object) -> Fraction:
    numerator, denominator = _matched(_FRACTION, text).split("/")
    if max(len(numerator), len(denominator)) > _MAX_DIGITS:
        raise TranscriptError(f"a fraction has at most {_MAX_DIGITS} digits")
    return Fraction(int(numerator), int(denominator))


def _decode_array(data: Fields, depth: int) -> npt.NDArray[np.generic]:
    shape = tuple(data["shape"])
    if not all(type(n) is int and 0 <= n < 2**40 for n in shape):
        raise TranscriptError("an array's shape is a list of sizes")
    dtype = np.dtype(_matched(_DTYPE, data["dtype"]))
    raw = _decode_bytes(data["array"])
    if math.prod(shape) * dtype.itemsize != len(raw):
        raise TranscriptError("an array's shape does not fit its data")
    return np.frombuffer(raw, dtype=dtype).reshape(shape)


def _decode_type(data: Fields, depth: int) -> object:
    kind = registry.lookup(data["type"]) if type(data["type"]) is str else None
    if kind is None and registry.is_suggested(str(data["type"])):
        return _unregistered(data["type"], data)
    if not isclass(kind):
        raise TranscriptError(
            f"no type is registered as {_short(data['type'])}; import the module that registers it "
            "(on the command line: --with FILE.py)"
        )
    if issubclass(kind, enum.Enum):
        return kind[data["member"]]
    assert attrs.has(kind)  # Besides Enums, ``register`` accepts only attrs classes.
    parameters = data.get("parameters", {})
    allowed = {field.alias for field in attrs.fields(kind) if field.init}
    if not set(parameters) <= allowed:
        raise TranscriptError(
            f"{data['type']} has no parameters {_short(set(parameters) - allowed)}"
        )
    decoded = {name: decode(value, depth + 1) for name, value in parameters.items()}
    if any(type(value) is registry.Unregistered for value in decoded.values()):
        return _unregistered(kind.__qualname__, data)
    try:
        return kind(**decoded)
    except Exception:
        if mentions_unregistered(data):
            return _unregistered(kind.__qualname__, data)
        raise


def _unregistered(name: str, data: Json) -> registry.Unregistered:
    """A placeholder for a value of an unregistered type; saving the placeholder writes the value as
    it was read."""
    return registry.Unregistered(name, json.dumps(data))


def mentions_unregistered(data: Json) -> bool:
    """Whether a JSON value contains a value without a registered name."""
    if isinstance(data, dict):
        return "unregistered" in data or any(map(mentions_unregistered, data.values()))
    return isinstance(data, list) and any(map(mentions_unregistered, data))


def unregistered(data: Json) -> Iterator[str]:
    """The names of all values without a registered name inside a JSON value."""
    if isinstance(data, dict) and "unregistered" in data:
        yield str(data["unregistered"])
    elif isinstance(data, dict | list):
        for each in data.values() if isinstance(data, dict) else data:
            yield from unregistered(each)


def _decode_object(data: Fields, depth: int) -> object:
    thing = registry.lookup(data["object"]) if type(data["object"]) is str else None
    if thing is None and registry.is_suggested(str(data["object"])):
        return _unregistered(data["object"], data)
    if thing is None or isclass(thing):
        raise TranscriptError(
            f"no object is registered as {_short(data['object'])}; import the module that "
            "registers it (on the command line: --with FILE.py)"
        )
    return thing


def _decode_same(data: Fields, depth: int) -> Pair:
    # A pair of equal messages is written once, so nested pairs may double the size at each level;
    # hence the lower depth limit.
    message = decode(data["same"], depth + MAX_DEPTH // 4 - 1)
    return Pair(message, message)


def _decode_pair(data: Fields, depth: int) -> Pair:
    zero, one = data["pair"]
    return Pair(decode(zero, depth), decode(one, depth))


def _decode_ask(data: Fields, depth: int) -> Ask:
    query, index = data["ask"]
    return Ask(decode(query, depth), decode(index, depth))


def _decode_chain(data: Fields, depth: int) -> object:
    *parts, last = (decode(part, depth) for part in data["chain"])
    if any(type(part) is registry.Unregistered for part in (*parts, last)):
        return _unregistered("Chain", data)
    if not all(isinstance(part, PostProcessor) for part in parts):
        raise TranscriptError("a chain is made of post-processors, with a mechanism at its end")
    if not isinstance(last, Mechanism | PostProcessor):
        raise TranscriptError("a chain ends in a mechanism or a post-processor")
    return chain(parts, last) if isinstance(last, Mechanism) else Links((*parts, last))  # pyright: ignore[reportUnknownArgumentType]


def _decode_float(data: Fields, depth: int) -> float:
    if data["float"] not in ("inf", "-inf", "nan"):
        raise TranscriptError(f"{_short(data['float'])} is malformed")
    return float(data["float"])


_DECODERS: Final[dict[str, Decoder]] = {
    "symbol": lambda data, depth: Signal[data["symbol"]],
    "text": lambda data, depth: _decode_bytes(data["text"]).decode("utf-8", "surrogatepass"),
    "same": _decode_same,
    "pair": _decode_pair,
    "ask": _decode_ask,
    "int": lambda data, depth: int(_matched(_HEX, data["int"]), 16),
    "float": _decode_float,
    "fraction": lambda data, depth: _decode_fraction(data["fraction"]),
    "log": lambda data, depth: Log(_decode_fraction(data["log"])),
    "bytes": lambda data, depth: _decode_bytes(data["bytes"]),
    "array": _decode_array,
    "chain": _decode_chain,
    "type": _decode_type,
    "object": _decode_object,
    "unregistered": lambda data, depth: registry.Unregistered(str(data["unregistered"])),
}


_KEYS: Final[dict[str, set[str]]] = {
    "array": {"array", "dtype", "shape"},
    "type": {"type", "parameters", "member"},
}


def decode_draws(data: object) -> tuple[Draw, ...]:
    """The random draws that ``encode_draws`` wrote. Raises: TranscriptError."""
    if not _is_list(data):
        raise TranscriptError("draws are a list")
    draws: list[Draw] = []
    for item in data:
        if not _is_list(item) or len(item) != 3 or type(item[0]) is not str:
            raise TranscriptError("a draw is [kind, parameter, value]")
        draws.append(Draw(item[0], decode(item[1]), decode(item[2])))
    return tuple(draws)


def is_object(data: object) -> TypeGuard[Fields]:
    """Whether a value is a JSON object, that is a dict."""
    return type(data) is dict


def _is_list(data: object) -> TypeGuard[list[Any]]:
    return type(data) is list


def _short(value: object, limit: int = 80) -> str:
    text = value if type(value) is str else repr(value)
    return text if len(text) <= limit else text[: limit - 3] + "..."
