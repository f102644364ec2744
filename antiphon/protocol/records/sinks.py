"""Stores for the rounds of an interaction: memory, or a file of JSON lines (docs/transcripts.md).

A file has one line for each message, written at once, so that a long run streams to disk and a
killed process loses at most the line being written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

import attrs

from antiphon.numbers.errors import TranscriptError
from antiphon.protocol.coins.coins import Draw
from antiphon.protocol.messages import MAX_DEPTH
from antiphon.protocol.records import codec
from antiphon.protocol.records.files import Growing, whole
from antiphon.protocol.records.headers import Header, Secret
from antiphon.protocol.records.rounds import Ending, Interaction, Round
from antiphon.protocol.records.transcript import VERSION, Stored, dumps


class MemorySink(AbstractContextManager["MemorySink"]):
    """Collects the rounds of an interaction in memory."""

    def __init__(self) -> None:
        self.rounds = 0
        self._said: tuple[object, tuple[Draw, ...]] = (None, ())
        self._rounds: list[Round] = []
        self._tape: list[tuple[Draw, ...]] = []

    def __exit__(self, *_: object) -> None:
        return None

    def says(self, message: object, draws: tuple[Draw, ...]) -> None:
        self._said = message, draws

    def answers(self, answer: object, draws: tuple[Draw, ...]) -> None:
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


_KNOWN: Final = 256
"""The number of messages whose encoded lines are cached while a file is written."""
_SHORT: Final = 512
"""The largest length, in characters, of a file's line that is cached."""


class FileSink:
    """Writes the rounds of an interaction to a file as they happen, one line for each message."""

    def __init__(
        self, file: Growing, header: Header, secret: Secret | None, evidence: codec.Json = None
    ) -> None:
        self.rounds = 0
        self._file = file
        self._header = _header_line(header, secret, evidence)
        self._said: dict[int, tuple[object, str]] = {}
        """A cache of encoded messages: the identity (``id``) of a message -> message and line."""

    def __enter__(self) -> FileSink:
        try:
            self._write(dumps(self._header))
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self._file.finish()
        self._file.close()

    def _write(self, text: str) -> None:
        self._file.write((text + "\n").encode("ascii"))

    def says(self, message: object, draws: tuple[Draw, ...]) -> None:
        known = None if draws else self._said.get(id(message))
        text = self._saying(message, draws) if known is None else known[1]
        if known is None and not draws and len(self._said) < _KNOWN and len(text) <= _SHORT:
            # The cache refers to the message, so no other object gets its ``id``.
            self._said[id(message)] = message, text
        self._write(text)

    def _saying(self, message: object, draws: tuple[Draw, ...]) -> str:
        said = codec.encode_any(message)
        text = dumps(_line("says", said, draws))
        if text.count("{") + text.count("[") > MAX_DEPTH // 4 and not _readable(said):
            text = dumps(_line("says", codec.unwritable(message), draws))
        return text

    def answers(self, answer: object, draws: tuple[Draw, ...]) -> None:
        self._write(dumps(_line("answers", codec.encode(answer), draws)))
        self.rounds += 1

    def end(self, ending: Ending, closing: tuple[Draw, ...]) -> None:
        self._write(dumps(_line("end", ending.value, closing)))

    def stored_rounds(self) -> Sequence[Round]:
        return Stored(self._file.path, self.rounds, 0)

    def stored_tape(self) -> Sequence[tuple[Draw, ...]]:
        return Stored(self._file.path, self.rounds, 1)


def _readable(said: codec.Json) -> bool:
    """Whether an encoded message can be decoded again; one that is nested too deeply cannot."""
    try:
        codec.decode(said)
    except (TranscriptError, RecursionError):
        return False
    return True


def _line(tag: str, value: codec.Json, draws: tuple[Draw, ...]) -> dict[str, codec.Json]:
    return {tag: value, "draws": codec.encode_draws(draws)} if draws else {tag: value}


def _header_line(
    header: Header, secret: Secret | None, evidence: codec.Json
) -> dict[str, codec.Json]:
    line: dict[str, codec.Json] = {"antiphon": VERSION, "kind": "recording" if secret else "view"}
    line |= attrs.asdict(header)
    if secret is not None:
        line["secret"] = attrs.asdict(secret)
    if evidence is not None:
        line["evidence"] = evidence
    return line


def save(
    view: Interaction,
    path: Path,
    secret: Secret | None = None,
    tape: Iterable[tuple[Draw, ...]] = (),
    evidence: codec.Json = None,
    *,
    overwrite: bool = False,
) -> None:
    """Write a finished view to a file, whole or not at all; with secret and tape, a recording.

    ``evidence``: the claim that the view refutes, if it is a counterexample (``audit``). Raises:
    FileError, if the path is taken and not to be overwritten, or cannot be written.
    """
    with (
        whole(path, secret=secret is not None, overwrite=overwrite) as file,
        FileSink(file, view.header, secret, evidence) as sink,
    ):
        stretches = iter(tape)
        for each in view.rounds:
            sink.says(each.message, each.draws)
            sink.answers(each.answer, next(stretches, ()))
        if view.complete:
            sink.end(view.ending, view.closing)
