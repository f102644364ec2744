"""A running board: it is fed with rows, closes its windows by the clock, and publishes counts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from datetime import timedelta
from pathlib import Path
from typing import Any, Final, Literal, Protocol, TypeAlias, Union

import attrs

from antiphon.boards.cells import Source, rows_of
from antiphon.boards.clock import public_time
from antiphon.boards.inbox import Added, Inbox
from antiphon.boards.series import BoardSeries, Defined, How, series
from antiphon.boards.units import Batch
from antiphon.composition.complex_mechanism import ComplexMechanism
from antiphon.numbers.errors import InvalidArgument, ProtocolError
from antiphon.protocol import HALT, Card, ForPrograms, Grid, Shown
from antiphon.protocol.session import Session
from antiphon.sessions.durable.durable_session import DurableSession
from antiphon.sessions.durable.resuming import Witness, begin, resume

Progress: TypeAlias = Union[Callable[[int], object], Literal[False], None]


class Runs(Defined, Protocol):
    """The interface of a board that ``LiveBoard`` can run."""

    @property
    def lateness(self) -> timedelta: ...
    @property
    def mechanism(self) -> ComplexMechanism: ...
    @property
    def definition(self) -> str: ...


LOG: Final = "session.jsonl"
INBOX: Final = "inbox.sqlite"
_AT_ONCE: Final = 16
"""The number of windows that share one wait for the disk."""


@attrs.frozen(repr=False)
class Fed(Shown, ForPrograms):
    """The result of one feed: how many rows were added, known, late or waiting."""

    new: int
    """The number of rows added for the first time."""
    again: int
    """The number of rows that had been added before."""
    told: int
    """The number of windows published since the last feed, including those a killed process had
    left."""
    waiting: int
    """The number of rows in windows that are not over yet."""
    late: int = 0
    """The number of rows left out because they came too late."""

    def _card(self) -> Card:
        late = f", {self.late:,} too late and left out" if self.late else ""
        return Card(
            f"{self.new:,} new rows, {self.again:,} known ones{late}; {self.told:,} windows told, "
            f"{self.waiting:,} rows wait for theirs to be over"
        )


@attrs.frozen(repr=False)
class BoardStatus(Shown, ForPrograms):
    """The progress of a running board: windows answered so far, and rows that wait."""

    told: int
    windows: int
    last: str | None
    """The name of the window published last."""
    rows: int
    waiting: int
    """The number of rows in windows that are not over yet."""

    def _card(self) -> Card:
        rows = [
            ("last", self.last or "none"),
            ("rows", f"{self.rows:,}"),
            ("of windows that are not over", f"{self.waiting:,}"),
        ]
        return Card(f"{self.told:,} of {self.windows:,} windows told", (Grid(rows),))


class LiveBoard(Shown):
    """A running board: ``feed`` it, ``ask`` it. A context manager; killing the process is safe,
    too."""

    def __init__(self, board: Runs, session: Session, inbox: Inbox) -> None:
        self.board = board
        self._session, self._inbox = session, inbox
        self.over = False
        """Whether a counter has failed, so that no further count can be published."""
        self._said = self.windows
        """The number of published windows at the last feed, to report only the new ones."""
        self._catch_up()

    def feed(
        self,
        *sources: Source,
        until: object = None,
        name: str | None = None,
        late: Literal["refuse", "leave out"] = "refuse",
        progress: Progress = None,
    ) -> Fed:
        """Add the rows of files or of a frame; then publish the counts of the windows that are
        over.

        A source is the path of a CSV file, or the rows of a frame as ``ap.stream(frame,
        board.columns.names)``, known by ``name`` and their number. Rows come in any order. A row
        that was fed before counts once, whoever feeds it again.
        ``until``: all rows up to this time are in, so the windows before it, by the lateness of
        the board, are told and take no more; None: until now. It is public.
        ``late``: rows of windows that have been told are refused, or left out and counted.
        ``progress``: hears how many rows are read; False: nobody; None: who watches a terminal.
        Raises: BadRow, InvalidArgument, FileError; then nothing of this call has been counted.
        ProtocolError once a counter has failed.
        """
        if late not in ("refuse", "leave out"):
            raise InvalidArgument("late is 'refuse' or 'leave out'")
        self._check_alive()
        closing = self._closing(until)
        found: list[Added] = []
        with self._inbox.at_once():
            for source in sources:
                label, rows = rows_of(source, self.board.columns, name)
                tell = _told_to(progress, label)
                found.append(self._inbox.add(label, rows, tell, drop=late == "leave out"))
            self._inbox.shut(closing, self.board.keys)
        self._catch_up()
        told, self._said = self.windows - self._said, self.windows
        self._check_alive()
        new, again, left = (sum(each) for each in zip(Added(0, 0, 0), *found, strict=True))
        return Fed(new, again, told, self._inbox.count(self._inbox.closed), left)

    def _closing(self, until: object) -> int:
        clock, lateness = self.board.clock, self.board.lateness
        if until is not None:
            try:
                wall = clock.wall(public_time(until, "until"))
            except ValueError as error:
                raise InvalidArgument(f"until: {error}") from None
            return max(clock.over(wall, lateness), self._inbox.closed)
        over = clock.over(clock.now(), lateness)
        if over == clock.windows > self._inbox.closed:
            raise InvalidArgument(
                "all windows of this board lie in the past, so that telling them all would end it: "
                "say until=…, the time up to which all rows are in"
            )
        return max(over, self._inbox.closed)

    def _catch_up(self) -> None:
        """Publish the counts of windows that are closed but not yet answered.

        The log of a durable session has the answers: who dies before they are kept here too hears
        the same again, by the key of the window. In memory each is kept as it comes.
        """
        inbox = self._inbox
        waiting = range(self.windows, inbox.closed)
        batches = (inbox.batch(window, self.board.keys) for window in waiting)
        lasts = isinstance(self._session, DurableSession)
        with inbox.at_once() if lasts else nullcontext():
            for window, counts in zip(waiting, self._answers(batches, waiting), strict=False):
                if counts is HALT:
                    self.over = True
                    break
                inbox.tell(window, counts)

    def _check_alive(self) -> None:
        if self.over:
            raise ProtocolError(
                "the board is over: a counter has failed, and nobody may count its window again; "
                "what was told before can be asked"
            )

    def _answers(self, batches: Iterable[Batch], windows: Iterable[int]) -> Iterable[Any]:
        if isinstance(self._session, DurableSession):
            keys = (f"window {window}" for window in windows)
            return self._session.send_many(batches, keys=keys, at_once=_AT_ONCE)
        return map(self._session.send, batches)

    # --- answers -------------------------------------------------------------------------------

    @property
    def windows(self) -> int:
        """The number of windows whose counts have been published."""
        return len(self._inbox.told)

    def ask(self, how: How = "total", *, last: int | None = None) -> BoardSeries:
        """The published counts of each window, by key.

        ``how``: "total", all since the start; "window", of each window alone; "sliding", of the
        ``last`` windows together. All are made of the totals that were told, so they cost nothing,
        and agree with one another.
        """
        return series(self.board, self._inbox.told, how, last)

    def status(self) -> BoardStatus:
        """The board's progress: windows answered so far, and rows that wait."""
        board, closed = self.board, self.windows
        last = board.clock.name(closed - 1) if closed else None
        return BoardStatus(
            closed, board.clock.windows, last, self._inbox.count(), self._inbox.count(closed)
        )

    def _card(self) -> Card:
        return self.status()._card()  # pyright: ignore[reportPrivateUsage]

    def close(self) -> None:
        """Release the board's folder; the board can then be opened elsewhere and goes on."""
        if isinstance(self._session, DurableSession):
            self._session.close()
        self._inbox.close()

    def __enter__(self) -> LiveBoard:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def begin_live(
    board: Runs, folder: Path | None, *, seed: int | None = None, moved: bool = False,
    witness: Witness | None = None,
) -> LiveBoard:  # fmt: skip
    """Start or resume a board, in memory or in a folder. See ``Board.open``."""
    if folder is None:
        return LiveBoard(board, board.mechanism.start(seed=seed), Inbox(None))
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    log = folder / LOG
    session: DurableSession | None = None
    inbox = Inbox(folder / INBOX)
    try:
        known = inbox.said("definition")
        if known is not None and known != board.definition:
            raise InvalidArgument(
                f"another board lives in {folder}: its parameters are not these. Open it with its "
                "own, or give this one a folder of its own; its ε is then spent besides"
            )
        if log.exists():
            session = resume(log, mechanism=board.mechanism, moved=moved, witness=witness)
        else:
            if inbox.closed:
                raise InvalidArgument(f"{log} is gone: bring it back, or begin in another folder")
            session = begin(board.mechanism, log, witness=witness)
        inbox.say({"definition": board.definition})
        return LiveBoard(board, session, inbox)
    except BaseException:
        inbox.close()
        if session is not None:
            session.close()
        raise


def _told_to(progress: Progress, label: str) -> Callable[[int], object]:
    watched = progress is None and sys.stderr.isatty()

    def tell(rows: int) -> None:
        if callable(progress):
            progress(rows)
        elif watched:
            print(f"\r{label}: {rows:,} rows", end="", file=sys.stderr, flush=True)

    return tell
