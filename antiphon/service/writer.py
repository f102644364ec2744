"""The writer of a live stream's session: requests that wait together share one sync of the disk."""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, TypeAlias

from antiphon import Create
from antiphon.numbers.errors import AntiphonError
from antiphon.service.event_counters import Said, creates
from antiphon.service.memory import Reply, StreamMemory, digest
from antiphon.service.spending import too_dear
from antiphon.sessions.durable.durable_session import DurableSession

WAITING: Final = 4096
"""The largest number of waiting requests; the sender of a further one is told to come later."""
TOGETHER: Final = 1024
"""The largest number of events and questions whose answers are stored by one sync of the disk."""
_SAVE: Final = 4 << 20
"""The number of bytes by which the log grows before the memory is saved, for faster restarts."""
_COMPACT: Final = 256 << 20
"""The size of the log, in bytes, from which it is compacted."""

OVER: Final = Reply(503, {"error": "closed", "message": "the session has ended: see the log"})
BUSY: Final = Reply(503, {"error": "busy", "message": "too much is waiting; send it again later"})
CONFLICT: Final = Reply(
    409, {"error": "key in use", "message": "this Idempotency-Key came with another body before"}
)
Waiting: TypeAlias = "tuple[Any, asyncio.Future[Reply]]"
"""A waiting message, with the future of the reply to its request."""


class TooDear(Exception):
    """The error for a counter that the budget does not cover; its text is public."""


class Writer:
    """A task that sends waiting messages to the mechanism, in order, and replies once the answers
    are safely stored.

    Only ``run`` uses the session, in a thread of its own, and only ``run`` changes the memory, in
    the event loop between two batches. ``changed`` is called after each batch.
    """

    def __init__(
        self, session: DurableSession, memory: StreamMemory, changed: Callable[[], None]
    ) -> None:
        self.session, self.memory = session, memory
        self._changed = changed
        self._waiting: deque[Waiting] = deque()
        self._under_way: dict[tuple[str, str], tuple[str, asyncio.Future[Reply]]] = {}
        self._wake = asyncio.Event()
        self._closing = False
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="writer")
        self._saved = session.path.stat().st_size

    async def say(self, who: str, key: str, said: Said) -> Reply:
        """The reply to a request. A repeated key gets its first reply, or ``CONFLICT`` if the
        request is another one."""
        at, mark = (who, key), digest(said) if key else ""
        if key and (known := self.memory.known(who, key)) is not None:
            return known[1] if known[0] == mark else CONFLICT
        if key and (ahead := self._under_way.get(at)) is not None:
            return await asyncio.shield(ahead[1]) if ahead[0] == mark else CONFLICT
        if self._closing or self.session.over:
            return OVER
        if len(self._waiting) >= WAITING:
            return BUSY
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        if key:
            self._under_way[at] = mark, future
        self._waiting.append(((who, key, said), future))
        self._wake.set()
        return await asyncio.shield(future)  # A request counts even if its connection is lost.

    async def run(self) -> None:
        """Write requests until ``close`` is called, and then those that wait."""
        try:
            while self._waiting or not self._closing:
                if self._waiting:
                    await self._write(self._batch())
                else:
                    self._wake.clear()
                    await self._wake.wait()
        finally:  # However the loop ends, all waiting requests get a reply.
            self._closing = True
            self._give_up()

    def _batch(self) -> list[Waiting]:
        """The next messages to store together; one that creates a counter is alone."""
        weight, batch = 0, list[Waiting]()
        while self._waiting and weight < TOGETHER:
            said = self._waiting[0][0][2]
            if creates(said):
                return batch or [self._waiting.popleft()]
            batch.append(self._waiting.popleft())
            weight += 1 if type(said) is int else len(said)
        return batch

    async def _write(self, batch: list[Waiting]) -> None:
        loop, messages = asyncio.get_running_loop(), [message for message, _ in batch]
        try:
            answers, refusal = await loop.run_in_executor(self._thread, self._step, messages)
            self._tell(batch, answers, refusal)
        except BaseException:
            self._waiting.extendleft(each for each in reversed(batch) if not each[1].done())
            raise
        self._changed()
        if not self.session.over and self.session.path.stat().st_size - self._saved > _SAVE:
            await loop.run_in_executor(self._thread, self.keep)

    def _step(self, messages: list[Any]) -> tuple[list[Any], Exception | None]:
        """The mechanism's answers to the messages, until one is refused or ends the session, and
        the error of that one."""
        answers: list[Any] = []
        try:
            self._check_price(messages[0][2])
            answers.extend(self.session.send_many(messages))
        except Exception as error:  # Only the sender of the message learns of the error.
            return answers, error
        return answers, None

    def _check_price(self, said: Said) -> None:
        """Refuse a creation that the budget does not cover, so that it is not logged."""
        if creates(said):
            price = self.session.price(Create(self.memory.machine.counter(said)))
            if not price.accepted:
                raise TooDear(too_dear(price))

    def _tell(self, batch: list[Waiting], answers: list[Any], refusal: Exception | None) -> None:
        for (message, future), answer in zip(batch, answers, strict=False):
            failed = self.session.failure is not None and answer is answers[-1]
            self._resolve(message, future, OVER if failed else self.memory.take(message, answer))
        rest = batch[len(answers) :]
        if refusal is not None and not self.session.over:
            self._resolve(*rest.pop(0), _reply_of(refusal))
        self._waiting.extendleft(reversed(rest))
        if self.session.over:
            self._give_up()

    def _give_up(self) -> None:
        while self._waiting:
            self._resolve(*self._waiting.popleft(), OVER)

    def _resolve(self, message: Any, future: asyncio.Future[Reply], reply: Reply) -> None:
        self._under_way.pop(message[:2], None)
        if not future.done():
            future.set_result(reply)

    def keep(self) -> None:
        """Save the memory, and compact the log if it is long, while no message is being answered.

        If saving fails, the log still has everything.
        """
        path = self.session.path
        try:
            self.memory.save(path.parent)
            if path.stat().st_size > _COMPACT:
                self.session.compact()
                self.memory.save(path.parent)
        except (OSError, AntiphonError) as error:
            print(f"memory.json is not kept: {type(error).__name__}", file=sys.stderr, flush=True)
        self._saved = path.stat().st_size

    async def close(self, task: asyncio.Task[None]) -> None:
        """Answer all waiting requests, save the memory, and close the session."""
        self._closing = True
        self._wake.set()
        try:
            await task
            if not self.session.over:
                await asyncio.get_running_loop().run_in_executor(self._thread, self.keep)
        finally:
            self.session.close()
            self._thread.shutdown()


def _reply_of(refusal: Exception) -> Reply:
    """The reply to a message refused by the mechanism or for its price; the state is unchanged."""
    if type(refusal) is TooDear:
        return Reply(402, {"error": "no budget", "message": str(refusal)})
    text = f"the mechanism refused it: {type(refusal).__name__}"
    return Reply(422, {"error": "refused", "message": text})
