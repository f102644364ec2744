"""Reading the log of a durable session, and running its steps again."""

import os
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Final

import attrs

from antiphon.numbers.errors import PartError, ReplayMismatch, ResumeError, TranscriptError
from antiphon.numbers.interning import all_are, fingerprint
from antiphon.protocol import HALT, Mechanism, ReplayedCoins, identical
from antiphon.protocol.records.codec import Fields, Json, decode, decode_draws, encode
from antiphon.protocol.records.headers import rebuilt, rerunning
from antiphon.protocol.records.transcript import MAX_LINE, parsed
from antiphon.protocol.session import Last
from antiphon.sessions.durable.checks import check_before, check_of, hole, lost_its_end, out_of_turn
from antiphon.sessions.durable.guard import Progress
from antiphon.sessions.durable.lines import Keyed, Keys, keyed
from antiphon.sessions.durable.states import restored

VERSION: Final = 2
_UNCHECKED: Final = 1
"""The older file version, whose lines have no check sums, unless these were added later."""
NOTHING: Final = object()


@attrs.frozen
class Opening:
    """The first line of a log: the session's identity, its mechanism and its initial state."""

    session: str
    system: Json
    initial: Json
    end: int = 0
    """The position of the end of the first line."""
    check: int | None = None
    """The check sum of the first line; None in a file of the older version."""

    @property
    def line(self) -> dict[str, Json]:
        """The first line of the log as a JSON object."""
        whose: dict[str, Json] = {"session": self.session, "system": self.system}
        return {"antiphon": VERSION, "kind": "session", **whose, "initial": self.initial}

    def rebuild_system(self) -> Mechanism:
        """The mechanism, from its registered name. Raises: InvalidArgument if it has none."""
        mechanism: Mechanism = rebuilt(self.system, Mechanism, "mechanism")
        return mechanism


@attrs.define
class Course:
    """The progress of a durable session, as its log records it."""

    state: Any
    number: int = 0
    last: Last | None = None
    over: str | None = None
    generation: int = 0
    guard: int = 0
    """The identity of the session's guard file."""
    promised: Any = NOTHING
    """The message at the end of the log that has no answer; ``NOTHING`` if there is none."""
    key: Keyed | None = None
    """The key that came with the message without an answer."""
    tries: int = 0
    """The number of times that a restart has begun to step the unanswered message."""
    begin: int = 0
    """The position where the last whole line begins."""
    end: int = 0
    """The position where the last whole line ends."""
    check: int | None = None
    """The check sum of the last whole line; None if it has none."""
    cut: str | None = None
    stepped: int = 0
    """The number of messages that have been stepped through."""
    kept: tuple[int, int] = 0, 0
    """The end position and the length of the log line with the last stored state."""
    failure: PartError | None = None
    """A PartError that stands for the session's own failed step; None if none failed."""
    keys: Keys = attrs.field(factory=Keys)


def opening(file: IO[bytes], path: Path) -> Opening:
    """The first line of a log. Raises: TranscriptError if it is no durable session's."""
    raw = file.readline(MAX_LINE)
    if not raw.endswith(b"\n"):
        raise TranscriptError(f"{path}: its first line is torn, so no session has begun")
    line = parsed(raw, 1)
    version = line.get("antiphon")
    known = type(version) is int and version in (_UNCHECKED, VERSION)
    if not known or line.get("kind") != "session":
        raise TranscriptError(
            f"{path} is not the log of a durable session of version {_UNCHECKED} or {VERSION}; "
            "views and recordings are loaded by ap.View.load and ap.Recording.load"
        )
    try:
        check = check_of(raw, 0 if version == VERSION else None)
        return Opening(str(line["session"]), line["system"], line["initial"], file.tell(), check)
    except KeyError as error:
        raise TranscriptError(f"{path}: its first line has no {error}") from None
    except TranscriptError as error:
        raise TranscriptError(f"{path}: line 1: {error}") from None


def follow(file: IO[bytes], first: Opening, mechanism: Mechanism, hint: int = 0) -> Course:
    """Step through a whole log, from the stored state at byte ``hint`` if there is one; returns how
    far the session has come.

    Raises: TranscriptError for a line that is damaged; ReplayMismatch if the mechanism does not
    answer as it did before.
    """
    return deque(steps(file, first, mechanism, hint), maxlen=1)[0]


def steps(file: IO[bytes], first: Opening, mechanism: Mechanism, hint: int = 0) -> Iterator[Course]:
    """The progress of a session after each line of its log, as one object that is updated. Raises:
    as ``follow``."""
    course, coins = _begun(file, first, mechanism, hint), ReplayedCoins()
    yield course
    for line in _lines(file, course):
        _take(course, line, mechanism, coins)
        # A restart may begin here: all message keys before this line are in the log.
        if "state" in line and not course.keys.fresh:
            course.kept = course.end, course.end - course.begin
        yield course


def _begun(file: IO[bytes], first: Opening, mechanism: Mechanism, hint: int) -> Course:
    if first.end <= hint < os.fstat(file.fileno()).st_size:
        raw, check = _line_at(file, hint, first)
        if raw.startswith(b'{"state"'):
            end = file.tell()
            course = Course(None, begin=hint, end=end, check=check, kept=(end, len(raw)))
            line = parsed(raw, 0)
            _restore(course, line, mechanism)
            for place in _places(line):
                said, _ = _line_at(file, place, first)
                course.keys.take(parsed(said, 0), place)
            file.seek(end)
            return course
    file.seek(first.end)
    state = mechanism.enter(decode(first.initial))
    return Course(state, end=first.end, check=first.check, kept=(first.end, 0))


def _line_at(file: IO[bytes], place: int, first: Opening) -> tuple[bytes, int | None]:
    """The line that begins at byte ``place``, with its check sum; empty if no line begins there.

    A place from before the log was shortened may be inside a line. Raises: TranscriptError for a
    line that is damaged.
    """
    before = check_before(file, place)
    file.seek(place - 1)
    if file.read(1) != b"\n" or (before is None and first.check is not None):
        return b"", None
    raw = file.readline(MAX_LINE)
    try:
        return (raw, check_of(raw, before)) if raw.endswith(b"\n") else (b"", None)
    except TranscriptError as error:
        raise TranscriptError(f"the line at byte {place}: {error}") from None


def _lines(file: IO[bytes], course: Course) -> Iterator[Fields]:
    """The whole lines from the present position on; a torn last line, or lines lost in a power cut,
    are noted in ``course.cut``."""
    while raw := file.readline(MAX_LINE):
        try:
            whole = _whole(raw, course.check)
        except TranscriptError as error:
            if course.check is not None:
                end, check = course.end, course.check
                course.cut = hole(file, end) or out_of_turn(file, end, check)
            if course.cut is None:
                raise TranscriptError(f"{error} (it begins at byte {course.end})") from None
            return
        if whole is None:
            stops = f"it stops after {len(raw)} bytes"
            course.cut = f"the line at byte {course.end} is torn: {stops}"
            return
        line, course.check = whole
        course.begin, course.end = course.end, course.end + len(raw)
        yield line


def _whole(raw: bytes, before: int | None) -> tuple[Fields, int | None] | None:
    """A line of the log, given as bytes, as a JSON object with its check sum; None if the line is
    torn. Raises: TranscriptError if it is damaged."""
    if raw.endswith(b"\n"):
        check = check_of(raw, before)
        return parsed(raw, 0), check
    if len(raw) == MAX_LINE:
        raise TranscriptError(f"a line is longer than {MAX_LINE}")
    if before is not None and (b"\0" in raw or lost_its_end(raw)):
        raise TranscriptError("it is damaged, and not torn")
    return None


def _take(course: Course, line: Fields, mechanism: Mechanism, coins: ReplayedCoins) -> None:
    """Update ``course``, the progress of a session, by one line of its log."""
    # A message replaces an earlier one that has no answer.
    if "says" in line:
        course.promised, course.tries = decode(line["says"]), 0
        course.key = keyed(line["key"], line["says"]) if "key" in line else None
    elif "answers" in line:
        _answered(course, line, mechanism, coins)
    elif "refused" in line:
        course.promised = NOTHING
    elif "again" in line:
        course.tries += 1
    elif "state" in line:
        if course.number == 0:
            _restore(course, line, mechanism)
        else:
            _compare(course, line, mechanism)
    elif "keys" in line:
        course.keys.take(line, course.begin)
    elif "resumed" in line:
        course.generation, course.guard = _ints(line, "resumed", "guard")
    else:
        raise TranscriptError(f"a line before byte {course.end} says nothing that is known")


def _compare(course: Course, line: Fields, mechanism: Mechanism) -> None:
    """Check that the state in a log line equals the state reached. Raises: ReplayMismatch."""
    kept = Course(None)
    _restore(kept, line, mechanism)
    one, two = (
        (fingerprint(each.state), each.number, each.generation, each.guard, each.last)
        for each in (kept, course)
    )
    if one != two:
        raise ReplayMismatch(course.number, "the state that is kept in the log", "another")


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


def _places(line: Fields) -> list[int]:
    places: list[int] = line.get("keys", [])
    if type(places) is not list or not all_are(int, tuple(places)):  # pyright: ignore[reportUnnecessaryComparison]
        raise TranscriptError("a state does not say where its keys are")
    return places


def _see_whether_over(course: Course, mechanism: Mechanism) -> None:
    last = course.last
    with rerunning():
        if last is not None and last.answer is HALT and mechanism.is_over(course.state):
            course.over = "the mechanism halted"


def _answered(course: Course, line: Fields, mechanism: Mechanism, coins: ReplayedCoins) -> None:
    message, course.promised = course.promised, NOTHING
    if message is NOTHING:
        raise TranscriptError(f"an answer to nothing before byte {course.end}")
    answer = decode(line["answers"])
    if course.key is not None:
        course.keys.add(course.key, answer)
        course.key = None
    # The mechanism is not stepped again here: a part that failed before could now succeed.
    if "state" in line:
        _restore(course, line, mechanism)
        return
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
    """Check that a log and its guard file belong together. Raises: ResumeError if they do not."""
    if first.session != mark.session:
        raise ResumeError(f"{path} and the guard beside it are of two sessions")


def named(mechanism: Mechanism | None, first: Opening) -> Mechanism:
    """The mechanism that a log was written with: the given one, checked to be the same; or, if none
    is given, the one of its registered name.

    Raises: ResumeError if the given mechanism is another one.
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
