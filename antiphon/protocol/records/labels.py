"""Short one-line texts for messages and parties, safe to draw whatever they contain.

Objects in the variables of a user's file get a name in transcripts, so that a view of a decorated
function or an unregistered class can be rebuilt after the same file was run: ``noisy`` of
my_system.py is "my_system.noisy/0", and the first of a list ``askers`` is "my_system.askers[0]/0".
"""

import enum
import sys
from collections.abc import Iterator
from fractions import Fraction
from inspect import isclass
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Final, cast

import attrs
import numpy as np

from antiphon.numbers import Log, shown_up
from antiphon.numbers.symbolic import Symbolic
from antiphon.protocol import registry
from antiphon.protocol.chain import AnyChain, Links, PostProcessor
from antiphon.protocol.display import DrawnAs
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.messages import Ask, Creation, Pair, Signal, identical
from antiphon.protocol.records.codec import Json

_DEEPEST: Final = 6
_MOST: Final = 4
"""The largest number of items of a tuple, or of parameters, that a label shows."""
_LONGEST: Final = 4096
"""The largest number of bits of a fraction that is written out; a longer one is rounded."""


def shorten(text: str, width: int) -> str:
    """The first ``width`` characters of a text, on one line; unprintable characters become dots."""
    text = "".join(c if c.isprintable() else "·" for c in text[: width + 1])
    return text if len(text) <= width else text[: width - 1] + "…"


def counted(count: int, noun: str) -> str:
    """A count with its noun: "1 round", "2 rounds".

    >>> counted(1, "round"), counted(2000, "round")
    ('1 round', '2,000 rounds')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def message_label(value: Any, width: int = 60) -> str:
    """A message as the papers write it: (m₀, m₁) for pairs, (q, i) for questions."""
    return shorten(_shown(value, 0), width)


def _kind(value: object) -> type[Any]:
    return type(value)


def _shown(value: Any, depth: int) -> str:
    if depth > _DEEPEST:
        return "…"
    kind = _kind(value)
    if isinstance(value, Signal):
        return value.value
    if kind is Pair:
        return _pair(_shown(value.zero, depth + 1), _shown(value.one, depth + 1), value)
    if kind is Ask:
        return f"({_shown(value.query, depth + 1)}, {_shown(value.index, depth + 1)})"
    if kind is tuple:
        return _tuple(value, depth)
    if isinstance(value, AnyChain):
        return " ∘* ".join(_shown(part, depth + 1) for part in value.parts[:_MOST])
    if isinstance(value, registry.Unregistered):
        return shorten(value.name, 24)
    if attrs.has(kind) and not isinstance(value, Log):
        return _instance(value, depth)
    return _plain(value)


def _pair(zero: str, one: str, value: Pair) -> str:
    if len(zero) > 16 and identical(value.zero, value.one):
        return f"(m, m), m = {zero}"
    return f"({zero}, {one})"


def _tuple(value: tuple[object, ...], depth: int) -> str:
    items = [_shown(item, depth + 1) for item in value[:_MOST]]
    return f"({', '.join([*items, '…'] if len(value) > _MOST else items)})"


def _plain(value: Any) -> str:
    if type(value) in (str, bytes):
        return shorten(repr(value[:32]), 24)
    if type(value) is int:
        return str(value) if value.bit_length() <= 64 else f"a {value.bit_length()}-bit int"
    if type(value) is Fraction:
        return _fraction(value)
    if isinstance(value, Symbolic):
        return str(value)
    if isinstance(value, Log):
        return f"ln {_plain(value.argument)}"
    if type(value) is np.ndarray:
        return f"{value.dtype} array {'×'.join(map(str, value.shape)) or 'of one'}"
    return repr(value) if value is None or type(value) in (bool, float) else type(value).__name__


def _fraction(value: Fraction) -> str:
    """A fraction as a text; a long one as six digits, rounded up (it may be an ε or a δ)."""
    bits = max(value.numerator.bit_length(), value.denominator.bit_length())
    if bits <= 48:
        return str(value)
    if bits > _LONGEST:
        return "a long fraction"
    return f"≈{shown_up(value)}"


def _instance(value: Any, depth: int) -> str:
    """The text of an attrs object: its type, and its public parameters that are no defaults."""
    if issubclass(type(value), Creation):
        return f"create {_shown(value.mechanism, depth + 1)}"
    kind, name = _kind(value), registry.name_of(value)
    if name != kind.__name__:
        return name  # A part made of one function has that function's name as its label.
    shown: list[str] = []
    for field in attrs.fields(kind):
        own = getattr(value, field.name)
        public = field.init and field.repr and not field.metadata.get(registry.SECRET)
        if public and not identical(own, field.default):
            shown.append(f"{field.alias}={_shown(own, depth + 1)}")
    parameters = ", ".join([*shown[:_MOST], "…"] if len(shown) > _MOST else shown)
    return f"{name}({parameters})" if parameters else name


# --- parties, from their JSON form in a header ---------------------------------------


def type_of(part: Json) -> str:
    """The registered name of a part, from its JSON form; "" if it has none."""
    name = part.get("type", part.get("object")) if isinstance(part, dict) else None
    return name if isinstance(name, str) else ""


def party_label(part: Json, width: int = 26) -> str:
    """The short class name of a party: ExtConComp for "antiphon.ExtConComp/1"."""
    name: object = type_of(part)
    if not name and isinstance(part, dict):
        name = part.get("unregistered", "?")
    return shorten(str(name).split("/")[0].rsplit(".", 1)[-1], width) or "?"


def drawn_as(part: Json) -> DrawnAs:
    """The value of ``DrawnAs`` with which a class says how its parts are drawn; an inherited
    declaration does not count."""
    kind = registry.lookup(type_of(part))
    found: object = vars(kind).get("drawn_as") if isclass(kind) else None
    return found if isinstance(found, DrawnAs) else DrawnAs()


def parts_of(system: Json) -> list[Json]:
    """The parts of a system in JSON form, left to right; a mechanism alone is one part."""
    chain = system.get("chain") if isinstance(system, dict) else None
    return chain if isinstance(chain, list) and chain else [system]


_NAMED_DEEPEST: Final = 4
_MOST_NAMED: Final = 1000
"""The largest number of items of a list that are searched for unnamed parties."""
_PARTIES: Final = (Mechanism, PostProcessor, FunctionType)


def name_variables(module: ModuleType, prefix: str) -> None:
    """Give the unregistered classes and objects in a module's variables provisional names for
    transcripts, each beginning with ``prefix``."""
    variables = [(name, value) for name, value in vars(module).items() if name[:2] != "__"]
    for name, value in variables:
        if isclass(value) and _is_users(value):
            registry.suggest(f"{prefix}.{name}/0", value)
    for name, value in variables:
        for place, found in _nameless(name, value, 0):
            registry.suggest(f"{prefix}.{place}/0", found)


def name_parties(*parties: object) -> None:
    """Give unregistered parties, before they are saved, the provisional names that they will have
    again when the file that defines them is run again."""
    for _, found in _nameless("", parties, 0):
        module = sys.modules.get(_defined(found).__module__)
        file = Path(getattr(module, "__file__", None) or "")
        if module is not None and file.is_file() and not _is_ours(module.__name__):
            name_variables(module, file.stem)


def _defined(party: object) -> Any:
    """The function that a party was made of, or else its class."""
    function: object = getattr(party, "function", party)
    return function if isinstance(function, FunctionType) else type(party)


def _is_users(kind: type) -> bool:
    """Whether a class is a user's own attrs class or Enum, which transcripts can hold."""
    return not _is_ours(kind.__module__) and (attrs.has(kind) or issubclass(kind, enum.Enum))


def _is_ours(module: str) -> bool:
    return str(module).partition(".")[0] == "antiphon"


def _nameless(place: str, value: object, depth: int) -> Iterator[tuple[str, object]]:
    """The unregistered parties and functions inside a value (such as a list, game or chain), each
    with the text of its place, such as "askers[0]"."""
    kind = cast("type[Any]", type(value))  # pyright: ignore[reportUnknownArgumentType]
    if depth > _NAMED_DEEPEST or isclass(value) or registry.registered_name(value) is not None:
        return
    if isinstance(value, list | tuple):
        items = cast("list[object]", value)
        for number, item in enumerate(items[:_MOST_NAMED]):
            yield from _nameless(f"{place}[{number}]", item, depth + 1)
    elif isinstance(value, AnyChain | Links) or (
        attrs.has(kind) and registry.registered_name(kind)
    ):
        for field in attrs.fields(kind):
            part = getattr(value, field.name, None)
            yield from _nameless(f"{place}.{field.name}", part, depth + 1)
    elif attrs.has(kind) or isinstance(value, _PARTIES):
        yield place, value
