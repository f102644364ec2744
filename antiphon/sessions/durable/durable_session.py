"""A session that writes a log before it answers, so that another process can go on with it."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeAlias

from antiphon.numbers.errors import FileError, InvalidArgument, PartError, ProtocolError
from antiphon.protocol import HALT, Mechanism, RecordedCoins, SampledCoins
from antiphon.protocol.records.transcript import dumps
from antiphon.protocol.session import Exchange, Last, Session, sealed
from antiphon.sessions.durable import lines
from antiphon.sessions.durable.guard import Guard, Progress
from antiphon.sessions.durable.journal import Journal
from antiphon.sessions.durable.reading import Course, opening

_TAIL: Final = 1 << 19
"""The number of bytes of messages after which the state is logged again, so that a restart steps
through few messages."""

_BETWEEN: Final = "it was interrupted between a message and its answer"

Reached: TypeAlias = tuple[int, Progress, tuple[object, int, object, object]]
"""A stage of the session: the size of the log, the progress to record in the guard file, and the
state with the last message and answer."""


class DurableSession(Session):
    """A running mechanism M(s) that is written to a file first, so that no answer is lost in a
    crash (docs/durable.md).

    Made by ``ap.begin(mechanism, path)`` and by ``ap.resume(path)``. A message is written before it
    is stepped, and its answer, with the coins drawn for it, before the caller gets it. A context
    manager; ``close`` it, or just let the process end.
    """

    # The possible ends of the log after the process died, for its last message m and answer a:
    #
    #   (nothing of m)   The message counts as never sent.
    #   says m           An answer is due. Nobody has seen the coins drawn for it: the resumed
    #                    session steps m again, with fresh coins; so its data and its charge are not
    #                    lost, and its answer is ``last``.
    #   answers a        The message is answered, and the caller may have got a. (A line that is cut
    #                    off counts as missing.)
    #   refused          The message was refused, and no coin was drawn.
    #
    # The state changes in memory between ``says`` and ``answers``. If ``answers`` is not written,
    # the session is over: nobody gets the answer, and a resumed session draws anew. So a ``says``
    # without an answer is always the last line of a log.

    __slots__ = (
        "_guard", "_instead", "_kept", "_key", "_keys", "_lasting", "_log", "_mark", "_promised",
        "_written", "cut", "unkept",
    )  # fmt: skip

    def __init__(
        self,
        mechanism: Mechanism,
        course: Course,
        *,
        log: Journal,
        guard: Guard,
        mark: Progress,
        keep: bool = False,
    ) -> None:
        tape = RecordedCoins(SampledCoins())
        super().__init__(mechanism, course.state, coins=tape, keep=keep)
        # The coins are recorded on a tape, but come from the operating system.
        self._seeded = False
        self._step: lines.Written = lines.Written(mechanism, tape)
        if (last := course.last) is not None:
            self._now = course.state, last.number, last.message, last.answer
        self._written = self._lasting = self._now
        """The last state, message and answer that are in the log; ``_lasting`` holds the last that
        are safely stored."""
        self._promised = False
        """Whether the log ends in a message without an answer."""
        self._keys, self._key = course.keys, course.key
        """The answered messages' keys, and the key of the message in the log without an answer."""
        self._over, self.failure = course.over, course.failure
        self._instead = "start another"
        self._log, self._guard, self._mark = log, guard, mark
        self._kept = course.kept
        """The size of the log after the state was last written, and the size of that line."""
        self.cut: str | None = course.cut
        """A description of the file's torn end, left out on resuming; None if there was none."""
        self.unkept: str | None = None
        """The reason why the state cannot be written, so that a restart steps through all messages;
        None if it can be written."""

    @property
    def path(self) -> Path:
        """The path of the session's log."""
        return self._log.path

    @property
    def last(self) -> Last | None:
        """The last message and its answer, once they are safely stored; None before the first."""
        with self._lock:
            if self._log.takes_more:
                self.settle()
            _, number, message, answer = self._lasting
            return Last(number, message, answer) if number else None

    @property
    def transcript(self) -> tuple[Exchange, ...]:
        """The messages and answers that are safely stored, if started with ``keep=True``;
        contains private data, so keep it secret."""
        with self._lock:
            said, last = super().transcript, self.last
            return said[: 0 if last is None else last.number]

    @property
    def generation(self) -> int:
        """The number of times the session has been resumed."""
        return self._mark.generation

    def send(self, message: object, *, key: str | None = None) -> Any:
        """Send one message and return its answer, once both are safely stored.

        ``key``: a text of your own for this message, such as its row number. A message sent again
        with its key, also after a restart, is not stepped again: the same answer is returned. Keys
        are kept for ever, each with its answer.

        Raises: as any session; InvalidArgument for a message that cannot be written, or a key that
        was used for another message; FileError if the log takes no more: then there is no answer,
        and the session is over.
        """
        with self._lock:
            answer = self._answer(message, key)
            if not self._log.shares_syncs:
                self.settle()
                return answer
            reached = self._reached
        self.settle(reached)
        return answer

    def send_many(
        self,
        messages: Iterable[object],
        *,
        keys: Iterable[str] | None = None,
        at_once: int = 1024,
    ) -> Generator[Any]:
        """The answers to messages, in order; ``at_once`` of them share one sync.

        ``keys``: one for each message, as ``send`` takes it. If a message is refused, its error is
        raised after the answers to earlier messages have been yielded.
        """
        if type(at_once) is not int or at_once < 1:
            raise InvalidArgument("at_once is a whole number >= 1")
        waiting = lines.with_keys(messages, keys)
        while block := list(islice(waiting, at_once)):
            answers: list[object] = []
            refusal: Exception | None = None
            with self._lock:
                try:
                    for message, key in block:
                        answers.append(self._answer(message, key))
                except Exception as error:
                    refusal = error
                if answers:
                    self.settle()
            yield from answers
            if refusal is not None:
                raise refusal

    def _answer(self, message: object, key: object = None) -> object:
        """Write a message to the log, step it, and write its answer; returns the answer, which is
        safe only after ``settle``."""
        if self._over is not None and (key is None or not self._log.takes_more):
            raise self._is_over()
        message = sealed(message, self._mechanism.signature.queries)
        if key is not None:
            _, asked = lines.saying(message, key)
            if asked is not None and (known := self._keys.answer(asked)) is not lines.UNKNOWN:
                return known
        taken = self._accepts is None or self._accepts(message)
        if self._over is not None or not taken or self._stepping is self._now:
            return super().send(message)
        # A signal handler has called ``send`` while the last message has no answer yet.
        if self._promised:
            raise ProtocolError(f"the session is over ({_BETWEEN})")
        line, asked = lines.saying(message, key)
        with _Closing(self):
            self._promised, self._key = True, asked
            self._log.append(line)
        return self.step_written(message)

    def step_written(self, message: object) -> object:
        """Step a message that is already in the log, as on resuming, and write its answer."""
        before = self._now
        try:
            return super().send(message)
        except Exception as error:
            if self._now is before and self._over is None:
                with _Closing(self):
                    self._log.append(dumps({"refused": type(error).__name__}))
                    self._promised, self._key = False, None
            raise
        finally:  # An interrupt may come after the step; then its answer is written all the same.
            if self._now is not before:
                with _Closing(self):
                    self._write_answer()
            if self._promised:
                self._let_go(_BETWEEN)

    def _write_answer(self) -> None:
        failed = None if self.failure is None else type(self.failure).__name__
        line = self._step.line if failed is None else lines.failing(failed)
        state = None if failed is not None or not self._step.died else self._joined(line)
        if state is not None and self._key is None and not self._keys.fresh:
            self._append_state(state)
        else:  # A restart cannot begin at this line of the log, as it names no message keys.
            self._log.append(line if state is None else state)
        self._mark = self._mark._replace(number=self._now[1])
        self._remember(self._now[3])
        self._written, self._promised = self._now, False
        self.keep_if_due()

    def _remember(self, answer: object) -> None:
        if self._key is not None:
            self._keys.add(self._key, answer)
            self._key = None

    def _joined(self, answer: str) -> str | None:
        """A log line that holds an answer and the state after it; None if the state cannot be
        stored.

        None also if a part failed, for example by lack of memory, because the same step might
        succeed in a restart.
        """
        try:
            return lines.joined(self._state_line(self._keys.places), answer)
        except InvalidArgument as error:
            self.unkept = str(error)
            return None

    def keep_if_due(self) -> None:
        """Write the state to the log if a restart would have many messages to step through."""
        size, last = self._kept
        if self._log.size - size >= max(_TAIL, last) and self.unkept is None:
            self.keep_state()

    def keep_state(self) -> None:
        """Write the state to the log: a restart steps only through the messages after it.

        This happens automatically after each half MiB of messages; more rarely if the state is
        large.
        """
        with self._lock:
            if self._over is not None or self._promised:
                return
            try:
                with _Closing(self):
                    self._append_keys()
                line = self._state_line(self._keys.places)
            except InvalidArgument as error:
                self.unkept = str(error)
                return
            with _Closing(self):
                self._append_state(line)

    def _append_keys(self) -> None:
        """Write the message keys that the log lacks, before a state line records their
        positions."""
        if self._keys.fresh:
            places = self._keys.places
            for line in [*self._keys.lines(self._keys.fresh)]:
                places = [*places, self._log.size]
                self._log.append(line)
            self._keys.written(places)

    def _append_state(self, line: str) -> None:
        before = self._log.size
        self._log.append(line)
        self._kept = self._log.size, len(line) + 1
        self._mark = self._mark._replace(offset=before)

    def _state_line(self, keys: list[int]) -> str:
        mark = self._mark
        return lines.state_line(
            self._now[0], super().last, mark.generation, self._guard.place, keys
        )

    def give_up(self, message: object) -> None:
        """Answer HALT to a message whose step has repeatedly killed the process."""
        state, number, *_ = self._now
        self._over = "a step killed its process"
        self.failure = PartError(self._over)
        self._now = state, number + 1, message, HALT
        self._log.append(lines.failing("its process died of it"))
        self._mark = self._mark._replace(number=number + 1)
        self._remember(HALT)
        self._written = self._now

    def compact(self) -> tuple[int, int]:
        """Replace the log by a shorter one that begins with the present state; the session goes on.

        The earlier messages and coins are then gone, so ``verify`` can no longer check them; keys
        stay, with their answers. If it fails the file is unchanged, and the session goes on.
        Returns: the size before and after. Raises: InvalidArgument if the state cannot be kept;
        FileError if the shorter file cannot be written; ProtocolError if the session is over.
        """
        with self._lock:
            if self._over is not None:
                raise self._is_over()
            if self._promised:
                raise ProtocolError(f"the session is over ({_BETWEEN})")
            before, keys = self._log.size, self._keys
            with self.path.open("rb") as file:
                first = opening(file, self.path)
            shorter = [dumps(first.line), self._state_line([]), *keys.all_lines()]
            try:
                _, _, *places = self._log.replace(shorter)
            except FileError:  # On this failure the old log is still in place, unchanged.
                raise
            except BaseException as error:
                self.end(error)
                raise
            keys.written(places)
            with _Closing(self):
                self._kept = self._log.size, self._log.size
                self._mark = self._mark._replace(offset=0)
                self.settle()
        return before, self._log.size

    @property
    def _reached(self) -> Reached:
        return self._log.size, self._mark, self._written

    def settle(self, reached: Reached | None = None, *, sync: bool = False) -> None:
        """Wait until everything written so far, or up to ``reached``, is safely stored."""
        size, mark, now = reached or self._reached
        with _Closing(self):
            self._log.settle(size, sync=sync)
            # The guard file is written after the log: it may lag behind, but never be ahead.
            self._guard.write(mark, sync=sync)
        with self._lock:
            if now[1] > self._lasting[1]:
                self._lasting = now

    def end(self, error: BaseException) -> None:
        """End the session after an error in writing its log."""
        if isinstance(error, FileError):
            self._let_go(f"its file takes no more: {error}")
            self._log.end(str(self._over))
        else:
            self._let_go(_BETWEEN)

    def _let_go(self, why: str) -> None:
        self._over, self._instead = self._over or why, "ap.resume goes on with it"

    def close(self) -> None:
        """End the session in this process, with everything synced to the disk; it can be resumed.

        Raises: FileError, if the sync fails.
        """
        with self._lock:
            try:
                if self._log.takes_more:
                    self._mark = self._mark._replace(boot="")
                    self.settle(sync=True)
            finally:
                if self._over is None:
                    self._let_go("it was closed")
                self._log.close()
                self._guard.close()

    def __enter__(self) -> DurableSession:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Closing:
    """A context manager for writing log lines: an error ends the session without an answer."""

    def __init__(self, session: DurableSession) -> None:
        self._session = session

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None:
            self._session.end(error)
