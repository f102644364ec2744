"""Beginning and resuming durable sessions: each resumption once, from the newest state only."""

import os
from collections.abc import Callable
from contextlib import ExitStack, suppress
from itertools import islice
from pathlib import Path
from typing import Final, TypeAlias

from antiphon.numbers import errors
from antiphon.numbers.errors import FileError, InvalidArgument, ResumeError, written_as
from antiphon.numbers.user_files import path_of
from antiphon.protocol.coins.sampled import SampledCoins
from antiphon.protocol.mechanism import Mechanism, entered
from antiphon.protocol.records.codec import encode, mentions_unregistered
from antiphon.protocol.records.files import naming, refuse_taken, sync_directory
from antiphon.protocol.records.transcript import MAX_LINE, dumps
from antiphon.protocol.registry import name_of
from antiphon.sessions.durable import reading
from antiphon.sessions.durable.durable_session import DurableSession
from antiphon.sessions.durable.guard import UNKNOWN, Guard, Progress, beside, this_boot
from antiphon.sessions.durable.journal import Journal, Sync, check_sync, clear
from antiphon.sessions.durable.states import kept

Witness: TypeAlias = Callable[[str, int], bool]
"""The type of a witness, a call (session, generation) -> bool: True, which it returns only once for
each generation, lets the generation begin."""

_TRIES: Final = 2
"""The number of times that the step of an unanswered message is tried again, before HALT."""
_BEGINNING: Final = 2
"""The number of lines that ``begin`` writes to a new log."""


@written_as('ap.begin(M, "year.jsonl")')
def begin(
    mechanism: Mechanism,
    path: str | Path,
    *,
    initial: object = None,
    sync: Sync = "each",
    witness: Witness | None = None,
    keep: bool = False,
) -> DurableSession:
    """Start a durable session M(s), which is written to a new file before it answers, so that
    ``ap.resume`` can go on.

    Its coins come from the operating system. Args: ``sync``, when an answer may be given
    (docs/durable.md): once the log is on the disk (``each``), likewise with one sync for all
    waiting threads (``group``), or once the operating system has the log (``os``); ``initial`` and
    ``keep`` as of ``mechanism.start``; ``witness`` as of ``ap.resume``. Raises: InvalidArgument for
    a system, or a state of it, that could not be resumed; FileError if the path is taken or cannot
    be written.
    """
    check_sync(sync)
    state = entered(mechanism, initial)
    first = _opening(mechanism, initial)
    kept(state)  # A state that cannot be saved is refused before the session begins.
    path = _named(path)
    with ExitStack() as undo:  # If the start fails, the files made for it are removed.
        refuse_taken([path], overwrite=False)
        if os.path.lexists(path):
            raise FileError(f"{path} is there already, and is no file: give another path")
        guard = Guard(path, new=True)
        undo.callback(guard.close)
        if not guard.fresh:
            raise FileError(
                f"{guard.path} is the guard of a session whose file is not here: bring it back, "
                "remove the guard if that session is done with, or give another path"
            )
        undo.callback(guard.remove)
        _ask(witness, first.session, 0)
        with naming(path):
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        undo.callback(path.unlink, missing_ok=True)
        log = Journal(path, descriptor, sync)
        undo.callback(log.close)
        mark = Progress(first.session, 0, 0, 0, _boot(sync))
        log.append(dumps(first.line))
        log.append(dumps({"resumed": 0, "guard": guard.place}))
        log.settle(log.size, sync=True)
        guard.write(mark, sync=True)
        sync_directory(path.parent)
        course = reading.Course(state, kept=(log.size, 0))
        session = DurableSession(mechanism, course, log=log, guard=guard, mark=mark, keep=keep)
        undo.pop_all()
    return session


@written_as('ap.resume("year.jsonl")')
def resume(
    path: str | Path,
    *,
    mechanism: Mechanism | None = None,
    sync: Sync = "each",
    generation: int | None = None,
    moved: bool = False,
    orderly: bool = False,
    witness: Witness | None = None,
) -> DurableSession:
    """Go on with a durable session from its file, with fresh entropy.

    A message that was in flight when the process died is stepped now: its answer is
    ``session.last``. A torn end of the file is cut, and ``session.cut`` says so.

    Args: ``mechanism``, to compare with the log's; ``generation``, the number of resumptions that
    you expect, if you keep count yourself; ``moved``, your word that these files, which have been
    moved, are the only copy; ``orderly``, your word that the machine was shut down in order, after
    a session with ``sync="os"`` that was not closed; ``witness``, called with the session's id and
    the generation that would begin: a service elsewhere that answers True only once to each.

    Raises: ResumeError where resuming could draw the noise of answered messages again: an older
    copy of the log, another system, a generation that has begun already; FileError if a live
    session uses this file, here or in another process; TranscriptError, ReplayMismatch if the log
    is damaged or the mechanism does not answer as it did.
    """
    path = _named(path)
    check_sync(sync)
    if type(moved) is not bool:  # pyright: ignore[reportUnnecessaryComparison]
        raise InvalidArgument("moved is True or False: True is your word that no copy goes on")
    if type(orderly) is not bool:  # pyright: ignore[reportUnnecessaryComparison]
        raise InvalidArgument("orderly is True or False: True is your word that no power was cut")
    with ExitStack() as undo:
        if not path.is_file():
            raise FileError(f"{path} is no file; ap.begin(mechanism, path) makes one")
        guard = Guard(path, new=False)
        undo.callback(guard.close)
        if guard.fresh:
            _refuse_unbegun(path)
        mark = guard.read()
        with path.open("rb") as file:
            first = reading.opening(file, path)
            system = reading.named(mechanism, first)
            reading.same_session(path, first, mark)
            course = reading.follow(file, first, system, mark.offset)
        _newest(path, course, mark, guard.place, moved=moved)
        if mark.unsynced and not orderly:
            raise _forgetful(path, course)
        if generation is not None and generation != course.generation:
            raise ResumeError(
                f"{path} is in generation {course.generation}, not {generation}: somebody has "
                "gone on with it, or it is an older copy"
            )
        clear(path)
        end, length = course.kept
        mark = Progress(
            first.session, course.generation + 1, course.number, end - length, _boot(sync)
        )
        _ask(witness, first.session, mark.generation)
        log = Journal(path, _reopened(path, course.end), sync, course.check or 0)
        undo.callback(log.close)
        log.append(dumps({"resumed": mark.generation, "guard": guard.place}))
        log.settle(log.size, sync=True)
        guard.write(mark, sync=True)
        session = DurableSession(system, course, log=log, guard=guard, mark=mark)
        _keep_promise(session, log, course)
        undo.pop_all()
    session.keep_if_due()
    return session


def _opening(mechanism: Mechanism, initial: object) -> reading.Opening:
    system, start = encode(mechanism, secrets=True), encode(initial, secrets=True)
    if mentions_unregistered([system, start]):
        raise InvalidArgument(
            f"{name_of(mechanism)} or its initial state has a part without a registered name: a "
            "log must name its system, so that it is resumed into the same. Use "
            "@ap.register('name/1')"
        )
    first = reading.Opening(f"{SampledCoins().uniform_integer(1 << 128):032x}", system, start)
    if len(dumps(first.line)) >= MAX_LINE:
        raise InvalidArgument(f"a system and its initial state have less than {MAX_LINE} bytes")
    return first


def _named(path: str | Path) -> Path:
    """The absolute path of a log. Raises: FileError if it cannot name a file."""
    given = path_of(path)
    try:
        named = given.absolute()
        os.lstat(named.parent)
        with suppress(FileNotFoundError):
            os.lstat(beside(named))
    except (OSError, ValueError) as error:
        raise FileError(f"{str(path)!r} is no file that can be: {error}") from None
    return named


def _refuse_unbegun(path: Path) -> None:
    with path.open("rb") as file:
        begun = list(islice(file, _BEGINNING + 1))
    if len(begun) <= _BEGINNING:
        raise ResumeError(
            f"no session has begun in {path}: its process died in start, before it answered "
            "anything. Remove it and its guard, and start again"
        )


def _reopened(path: Path, end: int) -> int:
    """Open a log for appending, cut off at byte ``end``; returns the descriptor."""
    with naming(path):
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND)
        try:
            os.ftruncate(descriptor, end)
        except OSError:
            os.close(descriptor)
            raise
    return descriptor


def _ask(witness: Witness | None, session: str, generation: int) -> None:
    if witness is not None and witness(session, generation) is not True:
        raise ResumeError(
            f"the witness says no: generation {generation} of session {session} has begun already, "
            "and a second one would answer with noise of its own where that one has answered"
        )


def _newest(path: Path, course: reading.Course, mark: Progress, place: int, *, moved: bool) -> None:
    """Check that a log is not an older copy, by its guard. Raises: ResumeError if it may be one."""
    missing = mark.number - course.number
    if missing > 0 or course.generation < mark.generation:
        lost = f"{missing} answers are not in it" if missing > 0 else "it has been resumed since"
        raise ResumeError(
            f"{path} is older than the session was ({lost}): a restored backup, or a file that a "
            "power cut has shortened. Going on would answer again, with other noise, what has been "
            "answered, and spend again what is spent. Bring the newest file, or start another "
            "session, with a budget that is less by what this one was given"
        )
    if course.guard != place and not moved:
        raise ResumeError(
            f"{path} and its guard are copies: where they were copied from, the session may have "
            "gone on, and two that go on from one state answer with noise twice. If they were "
            "moved here, and no other copy is ever resumed, say moved=True (--moved)"
        )


def _forgetful(path: Path, course: reading.Course) -> ResumeError:
    return ResumeError(
        f'{path} may have forgotten answers: with sync="os" they left before they were on the '
        "disk, its session was not closed, and the machine has been started anew since. After a "
        f"power cut those that were given after the {course.number} that are in it are lost, and "
        "going on would answer again with other noise. If the machine was shut down in order, so "
        "that all was written, say orderly=True; else start another session, with a budget that "
        "is less by what this one was given"
    )


def _boot(sync: Sync) -> str:
    """The machine's boot identifier, if answers may be given before they are on the disk, or ""."""
    return (this_boot() or UNKNOWN) if sync == "os" else ""


def _keep_promise(session: DurableSession, log: Journal, course: reading.Course) -> None:
    """Step the last message of the log, if it has no answer yet."""
    if course.promised is reading.NOTHING:
        return
    if course.tries >= _TRIES:
        session.give_up(course.promised)
        session.settle()
        return
    log.append(dumps({"again": course.tries + 1}))
    try:
        session.step_written(course.promised)
    except errors.AntiphonError:  # The message is refused, so it counts as never sent.
        if session.over:
            raise
    session.settle()
