# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false
"""A service as a TOML file defines it: a board, or a live stream with analysts' counters."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias, Union

import attrs

from antiphon.composition import BasicFilter, WhitehouseFilter
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.user_files import read_toml
from antiphon.service.event_counters import EventCounters, EventField, Watch

if TYPE_CHECKING:
    from antiphon.boards.board_files import BoardFile

_KEYS: Final = {
    "title", "noun", "counted", "folder", "epsilon", "delta", "horizon", "charges", "fields",
}  # fmt: skip
_FIELD_KEYS: Final = {"values", "low", "high", "least", "label", "any", "words", "option"}
Table: TypeAlias = "dict[str, Any]"
_TEXT: Final = 64


@attrs.frozen(kw_only=True)
class FieldWords:
    """The texts on pages about a field of events; ``{}`` stands for the chosen value."""

    label: str
    any: str
    words: str
    option: str


@attrs.frozen(kw_only=True)
class StreamFile:
    """A live stream read from a TOML file: its mechanism, its folder, and the texts of its
    pages."""

    title: str
    noun: str
    folder: Path
    machine: EventCounters
    words: Mapping[str, FieldWords]
    counted: str
    """The template of a counter's name; {field} stands for the text about a field's chosen
    value."""

    def name(self, watch: Watch) -> str:
        """A counter's name on pages: a text about the events that it counts."""
        pieces = {
            name: words.any if choice == "" else words.words.replace("{}", str(choice))
            for choice, (name, words) in zip(watch, self.words.items(), strict=False)
        }
        return self.counted.format_map(pieces)


Definition: TypeAlias = Union[StreamFile, "BoardFile"]


def read_definition(path: Path, folder: Path | None = None) -> Definition:
    """Read a service from a TOML file: a live stream if it has ``[fields]``, else a board.

    ``folder``: the folder of the service's data; None for the folder that the file names. Raises:
    FileError, InvalidArgument.
    """
    given = read_toml(path)
    if "fields" in given:
        found = _stream(path, given)
        return found if folder is None else attrs.evolve(found, folder=folder)
    from antiphon.boards.board_files import read_board

    board = read_board(path)
    return board if folder is None else attrs.evolve(board, folder=folder)


def _stream(path: Path, given: Table) -> StreamFile:
    fields: Table = given["fields"]
    if type(fields) is not dict or not all(type(each) is dict for each in fields.values()):
        raise InvalidArgument(f"{path}: [fields.NAME] is a table, for each field of an event")
    _check_names(path, given, _KEYS)
    if "epsilon" not in given:
        raise InvalidArgument(f"{path}: say epsilon = …, the budget of all counters together")
    noun = _text(given.get("noun", "events"), f"{path}: noun")
    epsilon = _number(given["epsilon"], f"{path}: epsilon")
    delta = _number(given.get("delta", 0), f"{path}: delta")
    charges: object = given.get("charges", ["1/20", "1/10", "1/5", "1/2", "1"])
    if type(charges) is not list or not charges:
        raise InvalidArgument(f"{path}: charges is a list of the ε that a counter may have")
    machine = EventCounters(
        fields=tuple(_field(path, name, each) for name, each in fields.items()),
        charges=tuple(exact.positive(_number(each, "charges"), "charges") for each in charges),
        budget=(WhitehouseFilter if delta else BasicFilter)(epsilon=epsilon, delta=delta),
        horizon=exact.whole(given.get("horizon", 1 << 19), f"{path}: horizon"),
    )
    words = {name: _words(path, name, each) for name, each in fields.items()}
    counted = _text(
        given.get("counted", noun + "".join(f"{{{name}}}" for name in words)), f"{path}: counted"
    )
    found = StreamFile(
        title=_text(given.get("title", path.stem), f"{path}: title"), noun=noun,
        folder=path.parent / _text(given.get("folder", path.stem), f"{path}: folder"),
        machine=machine, words=words, counted=counted,
    )  # fmt: skip
    try:
        found.name(("",) * len(fields))
    except (KeyError, ValueError, IndexError, AttributeError):
        raise InvalidArgument(
            f"{path}: counted has {{NAME}} for fields only: {', '.join(words)}"
        ) from None
    return found


def _field(path: Path, name: str, given: Table) -> EventField:
    """A field of events, from its table in the TOML file. Raises: InvalidArgument."""
    _check_names(path, given, _FIELD_KEYS)
    values, least = given.get("values", []), given.get("least", [])
    if not name.isidentifier() or name in ("epsilon", "key", "counter"):
        raise InvalidArgument(f"{path}: a field's name is a word, and not {name!r}")
    if "values" in given:
        good = type(values) is list and values and not {"low", "high", "least"} & given.keys()
        if not good or not all(type(v) is str and v and len(v) <= _TEXT for v in values):
            raise InvalidArgument(f"{path}: {name}.values is a list of texts, and stands alone")
    else:
        ends = [given.get("low"), given.get("high")]
        numbers = [*ends, *least] if type(least) is list else []
        if not numbers or not all(type(n) is int for n in numbers) or ends[0] > ends[1]:  # type: ignore[operator]
            raise InvalidArgument(f"{path}: {name} has values = […], or ints low, high and least")
    low, high = given.get("low", 0), given.get("high", 0)
    choices: list[object] = values or least
    if len({*choices}) < len(choices):
        raise InvalidArgument(f"{path}: {name} names something twice")
    return EventField(name=name, values=tuple(values), low=low, high=high, least=tuple(least))


def _words(path: Path, name: str, given: Table) -> FieldWords:
    number = "values" not in given
    default = {
        "label": name, "any": "", "words": f", {name}{' at least' if number else ''} {{}}",
        "option": "at least {}" if number else "{}",
    }  # fmt: skip
    said = {key: _text(given.get(key, each), f"{path}: {key}") for key, each in default.items()}
    return FieldWords(**said)


def _check_names(path: Path, given: Table, known: set[str]) -> None:
    unknown = [name for name in given if name not in known]
    if unknown:
        raise InvalidArgument(
            f"{path}: no parameter {unknown[0]!r}; there are {', '.join(sorted(known))}"
        )


def _text(value: object, name: str) -> str:
    if type(value) is not str:
        raise InvalidArgument(f"{name} is a text")
    return value


def _number(value: object, name: str) -> Fraction:
    return exact.rational(value, name) if type(value) is str else exact.fraction(value, name)
