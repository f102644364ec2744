"""Inspection of a durable session's log file, and its replacement by a shorter one."""

import os
from datetime import UTC, datetime
from pathlib import Path

import attrs

from antiphon.numbers.errors import FileError, InvalidArgument, ResumeError
from antiphon.numbers.user_files import path_of
from antiphon.protocol.budget_view import BudgetInSight
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.records.codec import Json
from antiphon.protocol.records.files import naming
from antiphon.protocol.records.transcript import dumps
from antiphon.protocol.session import FAILED
from antiphon.sessions.durable import reading
from antiphon.sessions.durable.guard import Guard, is_held, marked
from antiphon.sessions.durable.journal import as_written, begin_anew
from antiphon.sessions.durable.lines import saying, state_line
from antiphon.sessions.spending import budget_of_record


@attrs.frozen
class SessionFile:
    """A report on a durable session's file: how far it has come, and whether it can go on."""

    path: Path
    session: str
    """The identity of the session."""
    system: Json
    generation: int
    """The number of times the session has been resumed."""
    answered: int
    stepped: int
    """The number of messages through which this report stepped the mechanism, like a restart."""
    size: int
    """The size of the file, in bytes."""
    in_flight: bool
    """Whether the log ends in a message without an answer; a restart will step it."""
    over: str | None
    """The reason why the session has ended; None if it has not."""
    cut: str | None
    """A description of the file's torn end, which a restart leaves out; None if there is none."""
    missing: int
    """The number of answers that the guard records but the file lacks: above 0 for an older
    copy, which must not be resumed."""
    unsynced: bool
    """Whether the machine was restarted after answers were given before they were on the disk
    (``sync="os"``): some may be missing, so the session must not be resumed."""
    live: bool
    """Whether a session is running on the file now; then this report may be out of date already."""
    written: datetime
    """The time of the last write to the file before this report read it."""
    budget: BudgetInSight | None = attrs.field(default=None, repr=False)
    """The budget after ``answered`` messages and the unanswered one; None without a composition."""


def status(path: str | Path, mechanism: Mechanism | None = None) -> SessionFile:
    """A report on how far a durable session, live or not, has come, from its file.

    Raises: FileError, TranscriptError, ReplayMismatch; InvalidArgument if its system has no
    registered name here and is not given.
    """
    path = _log(path)
    return _examined(path, mechanism, marked(path).offset)


def verify(path: str | Path, mechanism: Mechanism | None = None) -> SessionFile:
    """A report like ``status``, after stepping through the whole file from its beginning.

    Raises: the errors of ``status``, at the first line that the mechanism would not have written.
    """
    return _examined(_log(path), mechanism, 0)


def compact(path: str | Path, mechanism: Mechanism | None = None) -> tuple[int, int]:
    """Replace the log of a session that is not running by a shorter one with its last state.

    The earlier messages and coins are then gone, so ``verify`` can no longer check them. Returns:
    the size before and after. Raises: FileError if a running session uses the log; ResumeError if
    the log is an older copy; InvalidArgument if the session is over, or its state cannot be kept.
    """
    path = _log(path)
    guard = Guard(path, new=False)
    try:
        mark = guard.read()
        first, _, course, _ = _read(path, mechanism, mark.offset)
        reading.same_session(path, first, mark)
        if course.number < mark.number or course.generation < mark.generation or mark.unsynced:
            raise ResumeError(
                f"{path} is older than its session was, or may be, and is left as it is"
            )
        if course.over is not None:
            raise InvalidArgument(f"{path} is of a session that is over, so it cannot be resumed")
        before = path.stat().st_size
        data, _, _ = as_written(_shortest(first, course))
        os.close(begin_anew(path, data))
    finally:
        guard.close()
    return before, path.stat().st_size


def _log(path: str | Path) -> Path:
    """The path of an existing file. Raises: InvalidArgument, FileError."""
    path = path_of(path)
    if not path.is_file():
        raise FileError(f"{path} is no file; ap.begin(mechanism, path) makes one")
    return path


def _shortest(first: reading.Opening, course: reading.Course) -> list[str]:
    state = state_line(course.state, course.last, course.generation, course.guard, [])
    lines = [dumps(first.line), state, *course.keys.all_lines()]
    if course.promised is not reading.NOTHING:
        key = None if course.key is None else course.key.key
        lines.append(saying(course.promised, key)[0])
        lines += [dumps({"again": each + 1}) for each in range(course.tries)]
    return lines


def _read(
    path: Path, mechanism: Mechanism | None, hint: int
) -> tuple[reading.Opening, Mechanism, reading.Course, datetime]:
    """The contents of a log: its first line, its mechanism, the session's progress, and the time of
    the last write to the file."""
    with naming(path, "read"), path.open("rb") as file:
        written = datetime.fromtimestamp(os.fstat(file.fileno()).st_mtime, UTC)
        first = reading.opening(file, path)
        system = reading.named(mechanism, first)
        return first, system, reading.follow(file, first, system, hint), written


def _examined(path: Path, mechanism: Mechanism | None, hint: int) -> SessionFile:
    live = is_held(path)
    mark = marked(path)
    first, system, course, written = _read(path, mechanism, hint)
    in_flight = course.promised is not reading.NOTHING
    return SessionFile(
        path=path,
        session=first.session,
        system=first.system,
        generation=course.generation,
        answered=course.number,
        stepped=course.stepped,
        size=path.stat().st_size,
        in_flight=in_flight,
        over=course.over,
        cut=course.cut,
        missing=max(0, (mark.number if mark.session == first.session else 0) - course.number),
        unsynced=mark.unsynced,
        live=live,
        written=written,
        budget=budget_of_record(
            system, course.state, [course.promised] * in_flight,
            failed=course.over is not None and course.over.startswith(FAILED),
        ),
    )  # fmt: skip
