"""A running board: it takes rows, closes windows by the clock, and publishes private counts."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from contextlib import nullcontext
from datetime import timedelta
from fractions import Fraction
from functools import partial
from pathlib import Path
from string import Template
from typing import Any, Final, Protocol

import attrs

from antiphon.boards.cells import Bad, Source, check_bad
from antiphon.boards.clock import public_time
from antiphon.boards.inbox import INBOX, LOG, Inbox, Late, is_begun, not_begun
from antiphon.boards.intake import Intake, Progress, told_to
from antiphon.boards.series import BoardSeries, Defined, How, series
from antiphon.composition.complex_mechanism import ComplexMechanism
from antiphon.composition.guarantees.guarantee import Guarantee
from antiphon.composition.guarantees.statement import Statement
from antiphon.numbers.errors import InvalidArgument, ProtocolError
from antiphon.protocol import HALT, Card, ForPrograms, Grid, Shown
from antiphon.protocol.display import bundle, escaped
from antiphon.protocol.records.files import naming, refuse_taken
from antiphon.protocol.records.labels import counted
from antiphon.protocol.session import Session
from antiphon.sessions.durable.durable_session import DurableSession
from antiphon.sessions.durable.guard import beside
from antiphon.sessions.durable.resuming import Witness, begin, resume


class Runs(Defined, Protocol):
    """The interface that a board must have so that ``LiveBoard`` can run it."""

    @property
    def epsilon(self) -> Fraction: ...
    @property
    def lateness(self) -> timedelta: ...
    @property
    def late(self) -> Late: ...
    @property
    def bad(self) -> Bad: ...
    @property
    def engine(self) -> str: ...
    @property
    def counted(self) -> str: ...
    @property
    def mechanism(self) -> ComplexMechanism: ...
    @property
    def definition(self) -> str: ...
    def by_key(self, answer: Any) -> dict[str, int]: ...
    def guarantee(self) -> Guarantee: ...
    def statement(self) -> Statement: ...
    def intake(self, inbox: Inbox, folder: Path | None) -> Intake: ...


_AT_ONCE: Final = 16
"""The number of windows whose messages are written to the disk together, for speed."""
_BEHIND: Final = 8
"""The largest number of windows, and of days, that one call of ``feed`` publishes by the machine's
clock, unless called with ``until="now"``."""
_PAGE: Final = Template("""<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>$title</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;
color:#1e293b;background:#fff}h1{font-size:1.4rem}h2{font-size:1.05rem;margin-bottom:.2rem}
section{margin:2rem 0;overflow-x:auto}ul{margin-top:.2rem}</style>
<main><h1>$title</h1>$body</main></html>
""")
_PRIVATE: Final = "private, do not publish: these numbers of rows are exact"


@attrs.frozen(repr=False)
class Fed(Shown, ForPrograms):
    """The result of feeding a board: how many rows were new, known before or too late, and
    how many wait for the end of their windows."""

    new: int
    """The number of rows added for the first time."""
    again: int
    """The number of rows that had been added before."""
    told: int
    """The number of windows published since the last feed, by this process or by one that was
    killed."""
    waiting: int
    """The number of rows in windows that are not over yet."""
    late: int = 0
    """The number of rows left out because they came too late."""
    bad: int = 0
    """The number of lines left out because they could not be read."""

    def _card(self) -> Card:
        late = f", {self.late:,} too late and left out" if self.late else ""
        bad = f", {self.bad:,} that cannot be read and left out" if self.bad else ""
        return Card(
            f"{self.new:,} new rows, {self.again:,} known ones{late}{bad}; "
            f"{counted(self.told, 'window')} published, "
            f"{self.waiting:,} rows wait for the end of their window",
            (f"({_PRIVATE})",),
        )


@attrs.frozen(repr=False)
class BoardStatus(Shown, ForPrograms):
    """The progress of a running board for its operator: windows published, and rows that wait.

    The numbers of rows are exact and private: a page for others shows ``LiveBoard`` itself.
    """

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
        return Card(_published(self.told, self.windows), (Grid(rows), f"({_PRIVATE})"))


def _published(told: int, windows: int) -> str:
    return f"{told:,} of {windows:,} windows published"


class LiveBoard(Shown):
    """A running board of private counts: ``feed`` adds rows, ``ask`` returns published counts. It
    is a context manager; if the process is killed, no row or count is lost."""

    def __init__(
        self, board: Runs, session: Session, inbox: Inbox, place: Path | None = None
    ) -> None:
        self.board = board
        self._session, self._inbox, self._intake = session, inbox, board.intake(inbox, place)
        self.over = False
        """Whether a counter has failed, so that no further count can be published."""
        self._said = self.windows
        """The number of windows published up to the last feed; the next feed reports those after
        it."""
        last = session.last if isinstance(session, DurableSession) else None
        self._answered = last.number if last else 0
        """The number of windows answered before, all in the inbox, unless that was lost."""
        self._catch_up()

    def feed(
        self,
        *sources: Source,
        until: object = None,
        name: str | None = None,
        late: Late | None = None,
        bad: Bad | None = None,
        progress: Progress = None,
    ) -> Fed:
        """Add the rows of files or of a frame; then publish the counts of the windows that are
        over.

        A source is the path of a CSV file, or the rows of a frame as ``ap.stream(frame,
        board.columns.names)``, identified by ``name`` and row number. Rows come in any order, and a
        repeated row counts once. ``until``: all rows up to this time are in, so the windows before
        it (minus the board's lateness) are published and closed; "now": the machine's clock; None:
        the same, but refused where that publishes windows in the first feed, or those of more than
        eight days. It is public. ``late``: rows of published windows are refused, or left out and
        counted; ``bad``: lines that cannot be read, likewise; None: by the board. ``progress``: a
        call that gets the number of rows read; False: none; None: a bar on a
        terminal. Raises: BadRow, InvalidArgument, FileError; then nothing of this call has been
        counted. ProtocolError once a counter has failed.
        """
        late = self.board.late if late is None else late
        if late not in ("refuse", "leave out", self.board.late):
            raise InvalidArgument("late is 'refuse' or 'leave out', or what the board says")
        bad = check_bad(self.board.bad if bad is None else bad, self.board.engine)
        self._check_alive()
        if late == "next window" and self._inbox.closed == self.board.clock.windows:
            # Late rows cannot be moved to a later window once every window of the board is closed.
            late = "refuse"
        closing = self._closing(until)
        tell = partial(told_to, progress)
        with self._inbox.at_once():
            found = self._intake.take(sources, name, closing, tell, late=late, bad=bad)
            self._inbox.say({"begun": "yes"})
            self._check_fed()
        self._catch_up()
        told, self._said = self.windows - self._said, self.windows
        self._check_alive()
        return Fed(found.new, found.again, told, found.waiting, found.late, found.bad)

    def _closing(self, until: object) -> int:
        clock, lateness = self.board.clock, self.board.lateness
        if until is not None and until != "now":
            try:
                wall = clock.wall(public_time(until, "until"))
            except ValueError as error:
                raise InvalidArgument(f"until: {str(error).removeprefix('until: ')}") from None
            return max(clock.over(wall, lateness), self._inbox.closed)
        now, closed = clock.now(), self._inbox.closed
        over = clock.over(now, lateness)
        if until is None and over > closed:
            behind = clock.window(now - lateness) - closed
            if not self.fed or behind > max(_BEHIND, timedelta(days=_BEHIND) // clock.every):
                raise InvalidArgument(
                    f"by this machine's clock {counted(over - closed, 'window')} would be "
                    f"published at once, from {clock.name(closed)} to {clock.name(over - 1)}, and "
                    "take no more rows. If these are all in, as in a live feed, say until='now' "
                    "(--until now). If not, say the first time whose rows are not all in, such as "
                    f"until='{clock.name(closed + 1)}' (--until): later windows wait"
                )
        return max(over, closed)

    def _catch_up(self) -> None:
        """Publish the counts of all windows that are closed and not yet published.

        The log of a durable session has the answer of each window under its name, so that after a
        crash the same answers come again. In memory an answer is stored as it comes.
        """
        inbox = self._inbox
        waiting = range(self.windows, inbox.closed)
        batches = map(self._intake.message, waiting)
        lasts = isinstance(self._session, DurableSession)
        with inbox.at_once() if lasts else nullcontext():
            for window, counts in zip(waiting, self._answers(batches, waiting), strict=False):
                if counts is HALT:
                    self.over, self._answered = True, 0  # This answer is in no inbox.
                    break
                inbox.tell(window, self.board.by_key(counts))

    def _check_fed(self) -> None:
        """Raise FileError if rows of a lost inbox have come back otherwise than they were told."""
        known = range(self.windows, min(self._answered, self._inbox.closed))
        try:
            deque(self._answers(map(self._intake.message, known), known), maxlen=0)
        except InvalidArgument:
            self._inbox.check_whole(self._answered)
            raise

    def _check_alive(self) -> None:
        if self.over:
            raise ProtocolError(
                "the board is over: a counter has failed, and nobody may count its window again; "
                "what was told before can be asked"
            )

    def _answers(self, batches: Iterable[object], windows: Iterable[int]) -> Iterable[Any]:
        if isinstance(self._session, DurableSession):
            keys = (f"window {window}" for window in windows)
            return self._session.send_many(batches, keys=keys, at_once=_AT_ONCE)
        return map(self._session.send, batches)

    def purge(self) -> int:
        """Remove from the board's files the rows of windows whose counts have been published.

        Of each its own key and a hash are left, by which it is known when it comes again; the key
        of the hash is in the folder, so that whoever has the folder can try guesses.
        The log begins anew with its state: sums without noise, and with ``per="total"`` the users
        and how many of their rows were kept. Copies, backups and what a disk keeps are not reached.
        Returns: the number of rows removed.
        """
        if isinstance(self._session, DurableSession):
            self._session.compact()
        return self._inbox.purge()

    # --- reading what is published ------------------------------------------------------------

    @property
    def fed(self) -> bool:
        """Whether a feed has been taken, also one without rows."""
        return self._inbox.said("begun") is not None

    @property
    def windows(self) -> int:
        """The number of windows whose counts have been published."""
        return len(self._inbox.told)

    def ask(self, how: How = "total", *, last: int | None = None) -> BoardSeries:
        """The published counts of each window, by key.

        ``how``: "total", all since the start; "window", of each window alone; "sliding", of the
        ``last`` windows together. All are computed from the published totals, so they cost no
        privacy, and agree with one another. Raises: FileError if the board's inbox was lost.
        """
        self._inbox.check_whole(self._answered)
        return series(self.board, self._inbox.told, how, last)

    def page(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the board's page as an HTML file that may be published, like ``antiphon board
        page``.

        It has the counts with pictures (extra ``plot``), the risk and the statement: released
        numbers and public times only, as it is published. Returns: its path.
        Raises: FileError for a file that is there already, without ``overwrite``, or that cannot
        be written.
        """
        path, board, amount = Path(path), self.board, self.board.columns.amount
        refuse_taken([path], overwrite)
        kind = "Counts" if amount is None else f"Sums of {amount}"
        risk = board.guarantee().risk()
        parts = [
            ("How far it is", self, self._card()),
            *((kind, each, each.public_card()) for each in (self.ask("total"), self.ask("window"))),
            ("Risk", risk, risk.public_card()),
        ]
        shown = (bundle(part, card, kind)["text/html"] for kind, part, card in parts)
        body = "".join(f"<section>{each}</section>" for each in shown)
        text = _PAGE.substitute(title=escaped(path.stem), body=body + board.statement().html())
        with naming(path, "written"):
            path.write_text(text, encoding="utf-8")
        return path

    def status(self) -> BoardStatus:
        """The board's progress for its operator: windows published, and how many rows wait.

        Private: the numbers of rows are exact. Raises: as ``ask``."""
        self._inbox.check_whole(self._answered)
        closed, clock = self.windows, self.board.clock
        last = clock.name(closed - 1) if closed else None
        return BoardStatus(
            closed, clock.windows, last, self._inbox.count(), self._inbox.count(closed)
        )

    def _card(self) -> Card:
        closed, clock = self.windows, self.board.clock
        last = clock.name(closed - 1) if closed else "none"
        return Card(_published(closed, clock.windows), (Grid([("last", last)]), self.board.counted))

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
    witness: Witness | None = None, begin_new: bool = True,
) -> LiveBoard:  # fmt: skip
    """Start or resume a board in a folder, as ``Board.open`` does, or start one in memory."""
    if folder is None:
        return LiveBoard(board, board.mechanism.start(seed=seed), Inbox(None))
    if not (begin_new or is_begun(folder)):
        raise not_begun(folder, board.epsilon, "board.open(folder, begin=True)")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    log = folder / LOG
    session: DurableSession | None = None
    inbox = Inbox(folder / INBOX)
    try:
        known = inbox.said("definition")
        if known is not None and known != board.definition:
            _replace(log, inbox, moved=moved, witness=witness)
        if log.exists():
            session = resume(log, mechanism=board.mechanism, moved=moved, witness=witness)
        else:
            if inbox.closed:
                raise InvalidArgument(f"{log} is gone: bring it back, or begin in another folder")
            session = begin(board.mechanism, log, witness=witness)
        inbox.say({"definition": board.definition})
        return LiveBoard(board, session, inbox, folder)
    except BaseException:
        inbox.close()
        if session is not None:
            session.close()
        raise


def _replace(log: Path, inbox: Inbox, *, moved: bool, witness: Witness | None) -> None:
    """Remove the log of a board with other parameters that has no rows and published nothing.

    Its counters have got no message, so no ε is spent. Raises: InvalidArgument if it has rows or
    has published; FileError if a process runs it.
    """
    if inbox.closed:
        raise InvalidArgument(
            f"another board lives in {log.parent}: its parameters are not these. Open it with its "
            "own, or give this one a folder of its own; its ε is then spent besides"
        )
    if inbox.count():
        raise InvalidArgument(
            f"rows wait in {log.parent} for another board: its parameters are not these. It has "
            "published nothing and spent no ε: remove the folder, and feed the files again"
        )
    if log.exists():
        # Resuming the session raises an error if another process runs it.
        resume(log, moved=moved, witness=witness).close()
        beside(log).unlink(missing_ok=True)
        log.unlink()
