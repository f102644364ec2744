"""Transcripts: views and recordings as JSON lines (docs/transcripts.md).

One message a line, each written at once, so that a long run streams to disk and a
killed process loses at most the line being written. Reading accepts whole lines
only, registered types only, and runs no code from the file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, Any, Final, Literal, NamedTuple, NoReturn, overload

import attrs
import cattrs

from antiphon.protocol.codec import (
    Json,
    decode,
    decode_draws,
    encode,
    encode_any,
    encode_draws,
    is_object,
    unwritable,
)
from antiphon.protocol.coins import Draw
from antiphon.protocol.errors import InvalidArgument, TranscriptError
from antiphon.protocol.messages import HALT, MAX_DEPTH
from antiphon.protocol.view import Ending, Header, Recording, Round, Secret, View

VERSION: Final = 1
MAX_LINE: Final = 1 << 26
"""Bytes in one line; a longer one is refused unread."""

_dumps = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


# --- writing -------------------------------------------------------------------------


class MemorySink:
    """Collects the rounds of an interaction in memory."""

    def __init__(self) -> None:
        self.rounds = 0
        self._said: tuple[Any, tuple[Draw, ...]] = (None, ())
        self._rounds: list[Round] = []
        self._tape: list[tuple[Draw, ...]] = []

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None

    def says(self, message: Any, draws: tuple[Draw, ...]) -> None:
        self._said = message, draws

    def answers(self, answer: Any, draws: tuple[Draw, ...]) -> None:
        message, own = self._said
        self._rounds.append(Round(message, answer, own))
        self._tape.append(draws)
        self.rounds += 1

    def end(self, ending: Ending, closing: tuple[Draw, ...]) -> None:
        return None

    def stored_rounds(self) -> Sequence[Round]:
        return tuple(self._rounds)

    def stored_tape(self) -> Sequence[tuple[Draw, ...]]:
        return tuple(self._tape)


class FileSink:
    """Streams the rounds of an interaction to a file, one line a message."""

    def __init__(
        self, path: Path, header: Header, secret: Secret | None, evidence: Json = None
    ) -> None:
        self.rounds = 0
        self._path = path
        self._file = _create(path, secret is not None)
        self._write(_header_line(header, secret, evidence))

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _write(self, line: dict[str, Json]) -> None:
        self._put(_dumps(line))

    def _put(self, text: str) -> None:
        self._file.write((text + "\n").encode("ascii"))

    def says(self, message: Any, draws: tuple[Draw, ...]) -> None:
        said = encode_any(message)
        text = _dumps(_line("says", said, draws))
        if text.count("{") + text.count("[") > MAX_DEPTH // 4 and not _readable(said):
            text = _dumps(_line("says", unwritable(message), draws))
        self._put(text)

    def answers(self, answer: Any, draws: tuple[Draw, ...]) -> None:
        self._write(_line("answers", encode(answer), draws))
        self.rounds += 1

    def end(self, ending: Ending, closing: tuple[Draw, ...]) -> None:
        self._write(_line("end", ending.value, closing))

    def stored_rounds(self) -> Sequence[Round]:
        return Stored(self._path, self.rounds, 0)

    def stored_tape(self) -> Sequence[tuple[Draw, ...]]:
        return Stored(self._path, self.rounds, 1)


def _create(path: Path, secret: bool) -> IO[bytes]:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600 if secret else 0o666)
    if secret and hasattr(os, "fchmod"):
        os.fchmod(descriptor, 0o600)  # also where the file was there before
    return os.fdopen(descriptor, "wb", buffering=0)


def _readable(said: Json) -> bool:
    """Whether a message can be read again: what is nested too deeply cannot."""
    try:
        decode(said)
    except (TranscriptError, RecursionError):
        return False
    return True


def _line(tag: str, value: Json, draws: tuple[Draw, ...]) -> dict[str, Json]:
    return {tag: value, "draws": encode_draws(draws)} if draws else {tag: value}


def _header_line(header: Header, secret: Secret | None, evidence: Json) -> dict[str, Json]:
    line: dict[str, Json] = {"antiphon": VERSION, "kind": "recording" if secret else "view"}
    line |= attrs.asdict(header)
    if secret is not None:
        line["secret"] = attrs.asdict(secret)
    if evidence is not None:
        line["evidence"] = evidence
    return line


def save(view: View, recording: Recording | None, path: Path, evidence: Json = None) -> None:
    """Write a finished view, or a recording: beside the path first, then renamed.

    ``evidence``: what it is a counterexample to, if it is one (``audit``).
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    sink = FileSink(beside, view.header, recording.secret if recording else None, evidence)
    try:
        with sink:
            stretches = iter(recording.tape if recording else ())
            for each in view.rounds:
                sink.says(each.message, each.draws)
                sink.answers(each.answer, next(stretches, ()))
            if view.complete:
                sink.end(view.ending, view.closing)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


# --- reading -------------------------------------------------------------------------


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
def _strict_bool(value: Any, _: type) -> bool:
    if type(value) is not bool:
        raise ValueError("expected true or false")
    return value


class Entry(NamedTuple):
    """One line after the header."""

    tag: str
    value: Any
    draws: tuple[Draw, ...]


def _parsed(raw: bytes, number: int) -> dict[str, Any]:
    try:
        line = json.loads(raw, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise TranscriptError(f"line {number} is not JSON: {reason}") from None
    if not is_object(line):
        raise TranscriptError(f"line {number} is not a JSON object")
    return line


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON number")


def _lines(file: IO[bytes]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The whole lines of a file, parsed; what follows the last line break is left."""
    number = 0
    while raw := file.readline(MAX_LINE):
        number += 1
        if not raw.endswith(b"\n"):
            if len(raw) == MAX_LINE:
                raise TranscriptError(f"line {number} is longer than {MAX_LINE} bytes")
            return
        yield number, _parsed(raw, number)


def _first(number: int, line: dict[str, Any]) -> _FirstLine:
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


_TAGS: Final = ("says", "answers", "end")


def _entry(number: int, line: dict[str, Any]) -> Entry:
    for tag in _TAGS:
        if tag in line:
            break
    else:
        raise TranscriptError(f"line {number} says, answers and ends nothing")
    if set(line) - {tag, "draws"}:
        raise TranscriptError(f"line {number} has keys besides {tag} and draws")
    try:
        value = _ending(line[tag]) if tag == "end" else decode(line[tag])
        return Entry(tag, value, decode_draws(line["draws"]) if "draws" in line else ())
    except (TranscriptError, RecursionError) as error:
        raise TranscriptError(f"line {number}: {error}") from None


def _entries(path: Path) -> Iterator[Entry]:
    """The lines after the header, with their order checked."""
    with path.open("rb") as file:
        expected, halted = "says", False
        for number, line in islice(_lines(file), 1, None):
            entry = _entry(number, line)
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
    said: Entry | None = None
    for entry in _entries(path):
        if entry.tag == "says":
            said = entry
        elif entry.tag == "answers" and said is not None:
            yield Round(said.value, entry.value, said.draws), entry.draws


class Stored(Sequence[Any]):
    """The rounds (part 0) or the tape (part 1) of a file, read as they are asked for."""

    def __init__(self, path: Path, length: int, part: int) -> None:
        self._path, self._length, self._part = path, length, part

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Any]:
        return (each[self._part] for each in islice(_rounds(self._path), self._length))

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Any, ...]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return tuple(self)[index]
        place = index + self._length if index < 0 else index
        if not 0 <= place < self._length:
            raise IndexError(index)
        return next(islice(self, place, None))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]

    def __hash__(self) -> int:
        return hash((self._path, self._length, self._part))


def _opened(path: Path) -> _FirstLine:
    try:
        with path.open("rb") as file:
            number, line = next(_lines(file), (1, dict[str, Any]()))
            return _first(number, line)
    except OSError as error:
        raise InvalidArgument(f"cannot read {path}: {error.strerror}") from None


def evidence(path: Path) -> Json:
    """What a saved view or recording is a counterexample to; None if it is none.

    Raises: TranscriptError, InvalidArgument, as ``load`` does.
    """
    found: Json = _opened(path).evidence
    return found


def load(path: Path, *, stream: bool = False) -> tuple[View, Recording | None]:
    """Read a file: its view, and the recording if it is one.

    ``stream``: check the whole file now but keep only where it is, and read the
    rounds again as they are asked for.
    Raises: TranscriptError, naming the line; InvalidArgument if there is no such file.
    """
    first = _opened(path)
    ending, count = Ending.OPEN, 0
    closing: tuple[Draw, ...] = ()
    rounds: list[Round] = []
    tape: list[tuple[Draw, ...]] = []
    said: Entry | None = None
    for entry in _entries(path):
        if entry.tag == "says":
            said = entry
        elif entry.tag == "answers" and said is not None:
            count += 1
            if not stream:
                rounds.append(Round(said.value, entry.value, said.draws))
                tape.append(entry.draws)
        else:
            ending, closing = entry.value, entry.draws
    header = Header(first.adversary, first.system, first.seeded)
    view = View(header, Stored(path, count, 0) if stream else tuple(rounds), ending, closing)
    if first.kind == "view":
        if first.secret is not None:
            raise TranscriptError("line 1: a view has no secret part; this may be a recording")
        return view, None
    if first.secret is None:
        raise TranscriptError("line 1: a recording needs its secret part")
    stretches = Stored(path, count, 1) if stream else tuple(tape)
    return view, Recording(view, first.secret, stretches)


def _ending(value: Any) -> Ending:
    try:
        ending = Ending(value)
    except ValueError:
        ending = Ending.OPEN
    if ending is Ending.OPEN:
        raise TranscriptError("the end is one of rounds, adversary, mechanism")
    return ending
