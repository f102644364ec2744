"""Reading transcripts: views and recordings as JSON lines (docs/transcripts.md).

Only complete lines and registered types are read, and no code from the file is run. ``View.cut``
describes what is missing from a file that stops in the middle.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, Any, Final, Literal, NamedTuple, NoReturn

import attrs
import cattrs

from antiphon.numbers.errors import InvalidArgument, TranscriptError
from antiphon.numbers.persistent_vector import Item, OnAccess
from antiphon.protocol.coins.coins import Draw
from antiphon.protocol.messages import HALT
from antiphon.protocol.records.codec import Fields, Json, decode, decode_draws, is_object
from antiphon.protocol.records.headers import Header, Secret, agree
from antiphon.protocol.records.rounds import Ending, Interaction, Round

VERSION: Final = 1
MAX_LINE: Final = 1 << 26
"""The largest number of bytes in one line; a longer line is refused before it is parsed."""


@attrs.frozen
class _FirstLine:
    antiphon: int
    kind: Literal["view", "recording"]
    adversary: Any
    system: Any
    seeded: bool
    secret: Secret | None = None
    evidence: Any = None


_converter = cattrs.Converter(forbid_extra_keys=True)


@_converter.register_structure_hook
def _strict_bool(value: object, _: type) -> bool:
    if type(value) is not bool:
        raise ValueError("expected true or false")
    return value


class TranscriptEntry(NamedTuple):
    """One line of a transcript after its header: a message, an answer or the end."""

    tag: str
    value: Any
    draws: tuple[Draw, ...]


def _encoder() -> Callable[[object], str]:
    """A function that writes a JSON value as compact text; it has its own encoder, because
    ``JSONEncoder.encode`` makes a new one at each call."""
    plain = json.JSONEncoder(separators=(",", ":"), allow_nan=False)
    make: Any = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return plain.encode
    text: Any = json.encoder.encode_basestring_ascii
    made = make(None, plain.default, text, None, ":", ",", False, False, False)
    return lambda value: "".join(made(value, 0))


dumps: Final = _encoder()
"""A function that writes a JSON value as one compact line, for transcripts and durable logs."""


def parsed(raw: bytes, number: int) -> Fields:
    """A line of a file as a JSON object. Raises: TranscriptError, with the line's number."""
    try:
        line = _loads(raw)
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise TranscriptError(f"line {number} is not JSON: {reason}") from None
    if not is_object(line):
        raise TranscriptError(f"line {number} is not a JSON object")
    return line


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON number")


def _unique(pairs: list[tuple[str, object]]) -> Fields:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in an object")
    return found


class _Torn(NamedTuple):
    """The last line of a file that a crash cut off before its line end: its size in bytes."""

    size: int


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError("a number is too large for a float")
    return value


_loads = partial(
    json.loads, parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_unique
)


def _lines(file: IO[bytes]) -> Iterator[tuple[int, bytes | _Torn]]:
    """The lines of a transcript file as bytes, each with its number."""
    number = 0
    while raw := file.readline(MAX_LINE):
        number += 1
        if not raw.endswith(b"\n"):
            if len(raw) == MAX_LINE:
                raise TranscriptError(f"line {number} is longer than {MAX_LINE} bytes")
            yield number, _Torn(len(raw))
            return
        yield number, raw


def _first(raw: bytes | _Torn) -> _FirstLine:
    if isinstance(raw, _Torn):
        raise TranscriptError("line 1 is torn: the header is not whole, so nothing can be read")
    line = parsed(raw, 1)
    if line.get("antiphon") != VERSION or type(line["antiphon"]) is not int:
        raise TranscriptError(
            f"line 1 is not the header of a version {VERSION} transcript "
            f"(its version is {str(line.get('antiphon', 'missing'))[:20]})"
        )
    try:
        return _converter.structure(line, _FirstLine)
    except Exception:
        raise TranscriptError(
            "line 1 is not a transcript header: it needs antiphon, kind, adversary, system, seeded"
        ) from None


_KNOWN: Final = 1024
"""The number of distinct lines that are cached while a file is read."""
_SHORT: Final = 256
"""The largest length, in bytes, of a file's line that is cached."""
_TAGS: Final = ("says", "answers", "end")


def _entry(number: int, line: Fields) -> TranscriptEntry:
    for tag in _TAGS:
        if tag in line:
            break
    else:
        raise TranscriptError(f"line {number} says, answers and ends nothing")
    if set(line) - {tag, "draws"}:
        raise TranscriptError(f"line {number} has keys besides {tag} and draws")
    try:
        value = _ending(line[tag]) if tag == "end" else decode(line[tag])
        return TranscriptEntry(tag, value, decode_draws(line["draws"]) if "draws" in line else ())
    except (TranscriptError, RecursionError) as error:
        raise TranscriptError(f"line {number}: {error}") from None


def _entries(path: Path) -> Iterator[TranscriptEntry]:
    """The entries of a transcript file after its header, checked to be in the right order. Equal
    short lines are decoded once."""
    known = dict[bytes, TranscriptEntry]()
    with path.open("rb") as file:
        expected, halted = "says", False
        for number, line in islice(_lines(file), 1, None):
            if isinstance(line, _Torn):
                yield TranscriptEntry(
                    "torn", f"line {number} is torn: it stops after {line.size} bytes", ()
                )
                return
            entry = known.get(line) or _entry(number, parsed(line, number))
            if len(known) < _KNOWN and len(line) <= _SHORT:
                known[line] = entry
            if expected == "nothing":
                raise TranscriptError(f"line {number} comes after the end")
            if entry.tag != expected and not (entry.tag == "end" and expected == "says"):
                raise TranscriptError(f"line {number}: {entry.tag} where {expected} was due")
            if entry.value is Ending.MECHANISM and entry.tag == "end" and not halted:
                raise TranscriptError(f"line {number}: the mechanism's last answer was no HALT")
            if entry.tag == "says" and entry.value is HALT:
                raise TranscriptError(f"line {number}: an adversary's HALT is an end")
            halted = entry.tag == "answers" and entry.value is HALT
            expected = {"says": "answers", "answers": "says", "end": "nothing"}[entry.tag]
            yield entry


def _rounds(path: Path) -> Iterator[tuple[Round, tuple[Draw, ...]]]:
    said: TranscriptEntry | None = None
    for entry in _entries(path):
        if entry.tag == "says":
            said = entry
        elif entry.tag == "answers" and said is not None:
            yield Round(said.value, entry.value, said.draws), entry.draws


class Stored(OnAccess[Item]):
    """The rounds (``part`` 0) or the mechanism's tape (``part`` 1) of a transcript file, as a
    sequence whose items are read from the file on access."""

    def __init__(self, path: Path, length: int, part: int) -> None:
        self._path, self._length, self._part = path, length, part

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Any]:
        return (each[self._part] for each in islice(_rounds(self._path), self._length))

    def _at(self, places: range) -> Iterable[Item]:
        read = enumerate(islice(self, max(places, default=-1) + 1))
        found = {place: item for place, item in read if place in places}
        return [found[place] for place in places]


def _opened(path: Path) -> _FirstLine:
    try:
        with path.open("rb") as file:
            return _first(next((line for _, line in _lines(file)), b"{}"))
    except OSError as error:
        raise InvalidArgument(f"cannot read {path}: {error.strerror}") from None


def evidence(path: Path) -> Json:
    """The refuted claim, in JSON form, of a view or recording saved as a counterexample; None if
    the file is no counterexample.

    Raises: TranscriptError, InvalidArgument, as ``load`` does.
    """
    found: Json = _opened(path).evidence
    return found


def read(
    path: Path, *, stream: bool = False
) -> tuple[Interaction, Secret | None, Sequence[tuple[Draw, ...]]]:
    """The interaction in a transcript file; with the secret and the tape, if it is a recording.

    ``stream``: check the whole file now, keep only its path and line positions, and read each round
    again on access. Raises: TranscriptError, naming the line; InvalidArgument if there is no such
    file.
    """
    first = _opened(path)
    ending, count = Ending.OPEN, 0
    closing: tuple[Draw, ...] = ()
    rounds: list[Round] = []
    tape: list[tuple[Draw, ...]] = []
    said: TranscriptEntry | None = None
    cut: str | None = None
    for entry in _entries(path):
        if entry.tag == "says":
            said = entry
        elif entry.tag == "torn":
            cut = entry.value
        elif entry.tag == "answers" and said is not None:
            count += 1
            if not stream:
                rounds.append(Round(said.value, entry.value, said.draws))
                tape.append(entry.draws)
            said = None
        else:
            ending, closing = entry.value, entry.draws
    if said is not None:
        unanswered = f"message {count + 1} has no answer in the file"
        cut = unanswered if cut is None else f"{cut}; {unanswered}"
    header = Header(first.adversary, first.system, first.seeded)
    stored: Sequence[Round] = Stored(path, count, 0) if stream else tuple(rounds)
    played = Interaction(header, stored, ending, closing, cut)
    if first.kind == "view":
        if first.secret is not None:
            raise TranscriptError("line 1: a view has no secret part; this may be a recording")
        return played, None, ()
    if first.secret is None:
        raise TranscriptError("line 1: a recording needs its secret part")
    if not agree(first.system, first.secret.system):
        raise TranscriptError(
            "line 1: the public description of the system and the secret one are of different "
            "systems: the file was edited, and what it shows is not what was played"
        )
    stretches: Sequence[tuple[Draw, ...]] = Stored(path, count, 1) if stream else tuple(tape)
    return played, first.secret, stretches


def _ending(value: object) -> Ending:
    try:
        ending = Ending(value)
    except ValueError:
        ending = Ending.OPEN
    if ending is Ending.OPEN:
        raise TranscriptError("the end is one of rounds, adversary, mechanism")
    return ending
