"""A running service: its live stream or board, the tokens, and the browsers that listen."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Final, NamedTuple, TypeAlias, Union

from antiphon.numbers.errors import FileError
from antiphon.service.board_run import BoardRun
from antiphon.service.definition import Definition, StreamFile
from antiphon.service.pages import Frame
from antiphon.service.stream_run import StreamRun, open_stream
from antiphon.service.tokens import TOKENS, Holder, Tokens, hashed
from antiphon.service.wire.floods import RATES, Floods
from antiphon.sessions.durable.journal import Sync
from antiphon.sessions.durable.resuming import Witness

Run: TypeAlias = Union[StreamRun, BoardRun]
"""The two types that a service can run; their methods are alike, except for analysts' actions."""
_SIGNED_IN: Final = 12 * 3600
"""The number of seconds after which an analyst must sign in again."""
_BROWSERS: Final = 20
"""The largest number of browsers signed in with one token; one more signs the oldest out."""
STALE: Final = 0.2
"""The largest age of a served page in seconds, so that many changes cost one drawing."""


class _Drawn(NamedTuple):
    """One version of the page of released numbers: the HTML part that changes, and the whole."""

    version: int
    at: float
    board: str
    page: bytes


class Service:
    """The service of one live stream or board, made in an event loop; ``running`` starts it."""

    def __init__(self, run: Run, tokens: Tokens, *, reads: float = RATES["read"][0]) -> None:
        self.run, self.tokens, self.floods = run, tokens, Floods(reads)
        self.frame = Frame(run.title, isinstance(run, StreamRun))
        self.closing = False
        self.streams = Counter[str]()
        """The number of browsers that listen for changes, by address."""
        self.version = 0
        self._browsers: OrderedDict[str, tuple[str, float]] = OrderedDict()
        self._drawn = _Drawn(-1, 0.0, "", b"")

    @property
    def stream(self) -> StreamRun:
        """The live stream that the service runs; it must not run a board."""
        assert isinstance(self.run, StreamRun)
        return self.run

    @asynccontextmanager
    async def running(self, _: object = None) -> AsyncGenerator[None]:
        """Context manager: the service runs until the block ends."""
        self._news, self._loop = asyncio.Event(), asyncio.get_running_loop()
        async with self.run.started(self._changed):
            yield

    def end(self) -> None:
        """Tell listening browsers that the service ends; from any thread or signal handler."""
        self.closing = True
        self._loop.call_soon_threadsafe(self._changed)

    # --- telling browsers about changes -------------------------------------------------------

    def _changed(self) -> None:
        self.version += 1
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def news(self, seen: int, seconds: float) -> bool:
        """Whether the page has another version than ``seen``, now or within these seconds."""
        if self.version == seen and not self.closing:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), seconds)
        return self.version != seen

    @property
    def drawn(self) -> _Drawn:
        """The page of the last released values; drawing it asks the mechanism nothing."""
        now = time.monotonic()
        if self._drawn.version != self.version and now - self._drawn.at > STALE:
            board = self.run.board()
            page = self.frame.board(board, None).encode()
            self._drawn = _Drawn(self.version, now, board, page)
        return self._drawn

    # --- signing analysts in and out ----------------------------------------------------------

    def sign_in(self, holder: Holder) -> str:
        """The value of a new cookie, which stands for the analyst's token in one browser."""
        cookie = secrets.token_urlsafe(32)
        theirs = [each for each, (digest, _) in self._browsers.items() if digest == holder.digest]
        if len(theirs) >= _BROWSERS:
            del self._browsers[theirs[0]]
        self._browsers[hashed(cookie)] = holder.digest, time.monotonic() + _SIGNED_IN
        return cookie

    def signed_in(self, cookie: str) -> Holder | None:
        """The holder of the token behind a cookie; None for an old cookie or a replaced token."""
        digest, until = self._browsers.get(hashed(cookie), ("", 0.0))
        return self.tokens.known(digest) if digest and time.monotonic() < until else None

    def sign_out(self, cookie: str) -> None:
        """Forget a browser's cookie, so that it is signed out."""
        self._browsers.pop(hashed(cookie), None)


def opened(
    known: Definition,
    *,
    title: str = "",
    sync: Sync = "each",
    pace: float = 1,
    moved: bool = False,
    until: str | None = None,
    witness: Witness | None = None,
    reads: float = RATES["read"][0],
) -> Service:
    """The service that a TOML file defines, with a new session in its folder or the session that is
    there.

    ``pace``: seconds between questions, or between checks of a board's files. ``until``: as of
    ``feed``. ``moved`` and ``witness``: as of ``ap.resume``. ``title``: the title of a board's
    pages. Raises: FileError for a folder that others may write into; the errors of ``ap.resume``.
    """
    folder = known.folder
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if folder.stat().st_mode & 0o022:
        raise FileError(f"others may write into {folder}, and let themselves in: chmod go-w it")
    run: Run
    if isinstance(known, StreamFile):
        run = open_stream(known, sync=sync, pace=pace, moved=moved, witness=witness)
    else:
        run = BoardRun(known, title, pace=pace, until=until, moved=moved, witness=witness)
    return Service(run, Tokens(folder / TOKENS), reads=reads)
