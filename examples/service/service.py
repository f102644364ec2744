"""A running service: the session, its writer, who may come, and what is new."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import antiphon as ap
from antiphon.composition.filters.budget import Filter
from antiphon.numbers.errors import FileError
from antiphon.sessions.durable.durable_session import DurableSession
from antiphon.sessions.durable.journal import Sync

from . import pages
from .board import board
from .floods import RATES, Floods
from .memory import LOG, Memory
from .spending import Spending
from .tokens import Holder, Tokens, hashed
from .writer import Writer

_SIGNED_IN: Final = 12 * 3600
"""Seconds, after which a browser is asked for a token again."""
_BROWSERS: Final = 20
"""Of one token; the one that signed in first has to do so again."""
STALE: Final = 0.2
"""Seconds that a page may be old, while much is new."""


class _Drawn(NamedTuple):
    """The board at a version: the part that changes, and the page around it for anyone."""

    version: int
    at: float
    board: str
    page: bytes


class Service:
    """Made in an event loop's process, started by ``running``."""

    def __init__(
        self, session: DurableSession, memory: Memory, tokens: Tokens, *, pace: float, reads: float
    ) -> None:
        self.session, self.memory, self.tokens = session, memory, tokens
        self.floods = Floods(reads)
        self.spending = Spending.of(session)
        """As of the last counter that was made."""
        self._made = len(memory.counters)
        self.closing = False
        self.streams = Counter[str]()
        """How many browsers of each address hear of what is new."""
        self.version = 0
        self._pace = pace
        self._asked = -1
        self._browsers: OrderedDict[str, tuple[str, float]] = OrderedDict()
        self._drawn = _Drawn(-1, 0.0, "", b"")
        self.derivation = str(ap.guarantee(session.mechanism))

    @asynccontextmanager
    async def running(self, _: Any = None) -> AsyncIterator[None]:
        """While it is: the writer writes, and counters are asked from time to time."""
        self._news, self._loop = asyncio.Event(), asyncio.get_running_loop()
        self.writer = Writer(self.session, self.memory, self._changed)
        writing = asyncio.create_task(self.writer.run())
        asking = asyncio.create_task(self._ask_all())
        try:
            yield
        finally:
            asking.cancel()
            with suppress(asyncio.CancelledError):
                await asking
            await self.writer.close(writing)

    def end(self) -> None:
        """Tell whoever listens that it ends; from any thread, or a signal."""
        self.closing = True
        self._loop.call_soon_threadsafe(self._changed)

    async def _ask_all(self) -> None:
        """Ask each counter, every ``pace`` seconds in which flights have come."""
        while not self.closing:
            await asyncio.sleep(self._pace)
            if self.memory.flights != self._asked:
                self._asked = self.memory.flights
                live = [number for number, each in enumerate(self.memory.counters) if each]
                await asyncio.gather(*(self.writer.say("", "", number) for number in live))

    # --- what is new -------------------------------------------------------------------------

    def _changed(self) -> None:
        self.version += 1
        if len(self.memory.counters) > self._made:
            self._made, self.spending = len(self.memory.counters), Spending.of(self.session)
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def news(self, seen: int, seconds: float) -> bool:
        """Whether anything is newer than a version, or becomes so within so many seconds."""
        if self.version == seen and not self.closing:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), seconds)
        return self.version != seen

    @property
    def drawn(self) -> _Drawn:
        """The board as it is shown: the last released values, asking nothing."""
        now = time.monotonic()
        if self._drawn.version != self.version and now - self._drawn.at > STALE:
            board = pages.fragment(self.memory, self.spending)
            page = pages.board_page(board, None).encode()
            self._drawn = _Drawn(self.version, now, board, page)
        return self._drawn

    # --- browsers ----------------------------------------------------------------------------

    def sign_in(self, holder: Holder) -> str:
        """What the browser of an analyst keeps in place of the token."""
        cookie = secrets.token_urlsafe(32)
        theirs = [each for each, (digest, _) in self._browsers.items() if digest == holder.digest]
        if len(theirs) >= _BROWSERS:
            del self._browsers[theirs[0]]
        self._browsers[hashed(cookie)] = holder.digest, time.monotonic() + _SIGNED_IN
        return cookie

    def signed_in(self, cookie: str) -> Holder | None:
        """Who it is; nobody once the token has been replaced."""
        digest, until = self._browsers.get(hashed(cookie), ("", 0.0))
        return self.tokens.known(digest) if digest and time.monotonic() < until else None

    def sign_out(self, cookie: str) -> None:
        """Forget it."""
        self._browsers.pop(hashed(cookie), None)


def opened(
    folder: Path,
    budget: Filter,
    *,
    horizon: int = 1 << 19,
    sync: Sync = "each",
    pace: float = 1,
    moved: bool = False,
    reads: float = RATES["read"][0],
) -> Service:
    """The service of a folder: a new session there, or the one that is there, gone on with.

    Its budget and horizon are those that it was begun with. ``moved``: as of ``ap.resume``.
    Raises: FileError for a folder that others may write into; and as ``ap.resume``.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if folder.stat().st_mode & 0o022:
        raise FileError(f"others may write into {folder}, and let themselves in: chmod go-w it")
    path = folder / LOG
    if path.exists():
        session: Any = ap.resume(path, sync=sync, moved=moved)
    else:
        session = board(budget, horizon=horizon).start(sink=path, durable=True, sync=sync)
    memory = Memory.read(folder, session.mechanism.links[0])
    return Service(session, memory, Tokens(folder / "tokens"), pace=pace, reads=reads)


def state_of(service: Service) -> str:
    """What is said when it starts."""
    session, memory = service.session, service.memory
    lines = [f"generation {session.generation}: {memory.number:,} messages have been answered"]
    if session.cut:
        lines.append(f"cut from the log: {session.cut}")
    if memory.in_flight is not None:
        who, key = memory.in_flight
        whose = f"of {who}, key {key}" if who else "of the service's own"
        lines.append(f"in flight when it stopped, and answered now: a message {whose}")
    if memory.lost:
        lines.append(f"of {memory.lost:,} messages replies and counts are forgotten")
    if session.over:
        lines.append(f"the session is over: {session.why_halted}")
    return "\n".join(lines)
