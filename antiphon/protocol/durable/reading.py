"""Reading the log of a durable session, and stepping through it again."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Final

import attrs

from antiphon.numbers.errors import PartError, ReplayMismatch, ResumeError, TranscriptError
from antiphon.numbers.interning import all_are
from antiphon.protocol.coins.tapes import ReplayedCoins
from antiphon.protocol.durable.guard import Progress
from antiphon.protocol.durable.states import restored
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.messages import HALT, identical
from antiphon.protocol.records.codec import Fields, Json, decode, decode_draws, encode
from antiphon.protocol.records.headers import rebuilt, rerunning
from antiphon.protocol.records.transcript import MAX_LINE, parsed
from antiphon.protocol.session import Last

VERSION: Final = 1
NOTHING: Final = object()


@attrs.frozen
class Opening:
    """The first line: which session of which system it is."""

    session: str
    system: Json
    initial: Json
    end: int = 0
    """Where the line ends."""

    @property
    def line(self) -> dict[str, Json]:
        """The line."""
        whose: dict[str, Json] = {"session": self.session, "system": self.system}
        return {"antiphon": VERSION, "kind": "session", **whose, "initial": self.initial}

    def rebuild_system(self) -> Mechanism:
        """The mechanism, from its registered name. Raises: InvalidArgument if it has none."""
        mechanism: Mechanism = rebuilt(self.system, Mechanism, "mechanism")
        return mechanism


@attrs.define
class Course:
    """How far a session has come, by its log."""

    state: Any
    number: int = 0
    last: Last | None = None
    over: str | None = None
    generation: int = 0
    guard: int = 0
    """Which file its guard is."""
    promised: Any = NOTHING
    """The message in flight when the log stops, if there is one."""
    tries: int = 0
    """How often its step has been begun again."""
    end: int = 0
    """Where the last whole line ends."""
    cut: str | None = None
    stepped: int = 0
    """How many messages have been stepped through."""
    kept: tuple[int, int] = 0, 0
    """Where the line of the state kept last ends, and how long it is."""
    failure: PartError | None = None
    """What stands for the exception of its own step."""


def opening(file: IO[bytes], path: Path) -> Opening:
    """The first line of a log. Raises: TranscriptError."""
    raw = file.readline(MAX_LINE)
    if not raw.endswith(b"\n"):
        raise TranscriptError(f"{path}: its first line is torn, so no session has begun")
    line = parsed(raw, 1)
    version = line.get("antiphon")
    if type(version) is not int or version != VERSION or line.get("kind") != "session":
        raise TranscriptError(
            f"{path} is not the log of a durable session of version {VERSION}; views and "
            "recordings are loaded by ap.View.load and ap.Recording.load"
        )
    try:
        found = Opening(str(line["session"]), line["system"], line["initial"], file.tell())
    except KeyError as error:
        raise TranscriptError(f"{path}: its first line has no {error}") from None
    return found


def follow(file: IO[bytes], first: Opening, mechanism: Mechanism, hint: int = 0) -> Course:
    """Step through a log, from the state that is kept at ``hint`` if there is one.

    Raises: TranscriptError for a line that is damaged; ReplayMismatch if the mechanism does not
    answer as it did.
    """
    return deque(steps(file, first, mechanism, hint), maxlen=1)[0]


def steps(file: IO[bytes], first: Opening, mechanism: Mechanism, hint: int = 0) -> Iterator[Course]:
    """How far it has come after each line: one course, that grows. Raises: as ``follow``."""
    course, coins = _begun(file, first, mechanism, hint), ReplayedCoins()
    yield course
    for line in _lines(file, course):
        _take(course, line, mechanism, coins)
        yield course


def _begun(file: IO[bytes], first: Opening, mechanism: Mechanism, hint: int) -> Course:
    if first.end <= hint < os.fstat(file.fileno()).st_size:
        file.seek(hint - 1)  # a hint of before the log was made shorter leads anywhere
        raw = file.readline(MAX_LINE) if file.read(1) == b"\n" else b""
        if raw.startswith(b'{"state"') and raw.endswith(b"\n"):
            course = Course(None, end=file.tell(), kept=(file.tell(), len(raw)))
            _restore(course, parsed(raw, 0), mechanism)
            return course
    file.seek(first.end)
    return Course(mechanism.enter(decode(first.initial)), end=first.end, kept=(first.end, 0))


def _lines(file: IO[bytes], course: Course) -> Iterator[Fields]:
    """The whole lines from here on; what is torn is noted."""
    while raw := file.readline(MAX_LINE):
        if not raw.endswith(b"\n"):
            if len(raw) == MAX_LINE:
                raise TranscriptError(f"the line at byte {course.end} is longer than {MAX_LINE}")
            course.cut = f"the line at byte {course.end} is torn: it stops after {len(raw)} bytes"
            return
        try:
            line = parsed(raw, 0)
        except TranscriptError as error:
            raise TranscriptError(f"{error} (it begins at byte {course.end})") from None
        course.end += len(raw)
        if "state" in line:
            course.kept = course.end, len(raw)
        yield line


def _take(course: Course, line: Fields, mechanism: Mechanism, coins: ReplayedCoins) -> None:
    """One line more."""
    if "says" in line:  # after another: an interrupt fell before the step of that one
        course.promised, course.tries = decode(line["says"]), 0
    elif "answers" in line:
        _answered(course, line, mechanism, coins)
    elif "refused" in line:
        course.promised = NOTHING
    elif "again" in line:
        course.tries += 1
    elif "state" in line:
        if course.promised is NOTHING and course.stepped:
            return  # stepped through to it already
        _restore(course, line, mechanism)
    elif "resumed" in line:
        course.generation, course.guard = _ints(line, "resumed", "guard")
    else:
        raise TranscriptError(f"a line before byte {course.end} says nothing that is known")


def _ints(line: Fields, *keys: str) -> list[int]:
    numbers = [line.get(key) for key in keys]
    if not all_are(int, tuple(numbers)):
        raise TranscriptError(f"a line has no whole number as its {' or '.join(keys)}")
    return numbers  # type: ignore[return-value]


def _restore(course: Course, line: Fields, mechanism: Mechanism) -> None:
    try:
        course.state, course.number = restored(line["state"]), *_ints(line, "number")
        course.generation, course.guard = _ints(line, "generation", "guard")
        if "last" in line:
            message, answer = line["last"]
            course.last = Last(course.number, decode(message), decode(answer))
    except (KeyError, ValueError, TypeError):
        raise TranscriptError("a state is not whole in the log") from None
    _see_whether_over(course, mechanism)


def _see_whether_over(course: Course, mechanism: Mechanism) -> None:
    last = course.last
    if last is not None and last.answer is HALT and mechanism.is_over(course.state):
        course.over = "the mechanism halted"


def _answered(course: Course, line: Fields, mechanism: Mechanism, coins: ReplayedCoins) -> None:
    message, course.promised = course.promised, NOTHING
    if message is NOTHING:
        raise TranscriptError(f"an answer to nothing before byte {course.end}")
    if "state" in line:  # a part died of reasons of its own, and need not die again
        _restore(course, line, mechanism)
        return
    answer = decode(line["answers"])
    course.number += 1
    course.last = Last(course.number, message, answer)
    if "failed" in line:
        course.over = f"a step failed, by {str(line['failed'])[:80]}"
        course.failure = PartError(course.over)
        return
    with rerunning():
        coins.feed(decode_draws(line.get("draws", [])))
        course.state, again = mechanism.step(course.state, message, coins)
        coins.feed(())
    course.stepped += 1
    if not identical(again, answer):
        raise ReplayMismatch(course.number, "the answer in the log", "another")
    _see_whether_over(course, mechanism)


def same_session(path: Path, first: Opening, mark: Progress) -> None:
    """Raises: ResumeError for a log and a guard that do not belong together."""
    if first.session != mark.session:
        raise ResumeError(f"{path} and the guard beside it are of two sessions")


def named(mechanism: Mechanism | None, first: Opening) -> Mechanism:
    """The system of a log: that which is given, if it is the one, or as the log names it.

    Raises: ResumeError if it is another.
    """
    system = first.rebuild_system() if mechanism is None else mechanism
    if encode(system, secrets=True) != first.system:
        raise ResumeError(
            "the log is of another system than the one given, or than the one that its registered "
            "name makes: its charges and its noise are not "
            "those of this one. Give the system that it was started with, with its parameters; "
            "given none, it is made from its registered name"
        )
    return system
