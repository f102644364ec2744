# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false
"""A running board (private counts of rows by time windows) that a service feeds and publishes."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from antiphon.composition.accounting.bounds import exact_point
from antiphon.numbers import shown_up
from antiphon.numbers.errors import AntiphonError, InvalidArgument, ProtocolError
from antiphon.numbers.rounded_text import band
from antiphon.service import pages
from antiphon.service.asked import Wrong
from antiphon.service.drawing import Drawn, drawing
from antiphon.service.memory import POINTS, Json, Reply
from antiphon.service.writer import BUSY, OVER, WAITING
from antiphon.sessions.durable.resuming import Witness

if TYPE_CHECKING:
    from antiphon.boards.board_files import BoardFile
    from antiphon.boards.live import LiveBoard
    from antiphon.boards.series import BoardSeries

PATH: Final = "/api/rows"
MOST: Final = 500
"""The largest number of rows that one request may send."""
_DELTA: Final = Fraction(1, 10**6)
"""The δ at which pages show the ε of a board that is not pure, as its privacy statement does."""


class Posted(NamedTuple):
    """The rows that a request sends, and the time up to which, it says, all rows have come."""

    rows: tuple[tuple[Any, ...], ...]
    until: str | None


class BoardRun:
    """A running board in its folder, with its published counts; a single thread feeds it."""

    path = PATH

    def __init__(
        self, file: BoardFile, title: str, *, pace: float, until: str | None, moved: bool,
        witness: Witness | None,
    ) -> None:  # fmt: skip
        self.file, self.title, self._pace, self._until = file, title, pace, until
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="board")
        self._waiting, self._seen, self._said = 0, dict[str, tuple[int, int]](), ""
        promise = file.board.guarantee()
        self.derivation, self.statement = str(promise), file.board.statement()
        self.risk = promise.risk()
        least = max(_DELTA, promise.curve.least_delta)
        point: Any = exact_point(promise.curve) or (promise.curve.epsilon_at(least), least)
        self._epsilon, self._delta = point

        def opened() -> LiveBoard:
            return file.board.open(file.folder, moved=moved, witness=witness)

        # The board's SQLite database may be used by a single thread only.
        self._live = self._thread.submit(opened).result()
        self.total: BoardSeries = self._thread.submit(self._live.ask).result()
        self._announced = len(self.total.windows)

    @asynccontextmanager
    async def started(self, changed: Callable[[], None]) -> AsyncGenerator[None]:
        """Context manager: until the block ends, files are read and windows are closed
        regularly."""
        self._changed, self._loop = changed, asyncio.get_running_loop()
        feeding = asyncio.create_task(self._feed_all())
        try:
            yield
        finally:
            feeding.cancel()
            with suppress(asyncio.CancelledError):
                await feeding
            await self._loop.run_in_executor(self._thread, self._live.close)
            self._thread.shutdown()

    async def _feed_all(self) -> None:
        while True:
            await self._loop.run_in_executor(self._thread, self._feed_files)
            self._tell()
            await asyncio.sleep(self._pace)

    def _tell(self) -> None:
        """Tell browsers about new windows only, since the arrival of rows is not public."""
        if len(self.total.windows) > self._announced:
            self._announced = len(self.total.windows)
            self._changed()

    def _feed_files(self) -> None:
        """Add the rows of the files that have changed, and close the windows that are over."""
        try:
            marks = {str(each): each for each in self.file.sources}
            states = {name: (s := each.stat()) and (s.st_mtime_ns, s.st_size)
                      for name, each in marks.items()}  # fmt: skip
            if self.file.patterns and self.file.unmatched and not self._live.fed:
                raise InvalidArgument(self.file.unmatched)
            fresh = [each for name, each in marks.items() if self._seen.get(name) != states[name]]
            self._live.feed(*fresh, until=self._until, progress=False)
            self._seen, self._said = states, ""
            self.total = self._live.ask()
        except (AntiphonError, OSError) as error:  # The text may hold data.
            if str(error) != self._said:
                self._said = str(error)
                said = "the board is not fed, and what it has told is served"
                print(f"{said}: {error}", file=sys.stderr, flush=True)

    async def feed(self, who: str, key: str, data: object) -> Reply:
        """Add the rows of a JSON body. They are identified by sender, key and position, so that a
        row that is sent again is not added again.

        Raises: Wrong.
        """
        said = self.batch(data)
        if self._waiting >= WAITING:
            return BUSY
        self._waiting += 1
        try:
            feeding = self._loop.run_in_executor(self._thread, self._feed, f"{who}:{key}", said)
            # The rows are added even if the client's connection is lost meanwhile.
            reply = await asyncio.shield(feeding)
        finally:
            self._waiting -= 1
        self._tell()
        return reply

    def _feed(self, name: str, said: Posted) -> Reply:
        board, live = self.file.board, self._live
        try:
            # Without a time in the request, no window is closed.
            told = board.clock.begins(live.windows)
            until = said.until or told
            live.feed(said.rows, until=until, name=name, bad="refuse", progress=False)
            self.total = live.ask()
        except ProtocolError:
            return OVER
        except InvalidArgument as error:
            return Reply(422, {"error": "refused", "message": str(error)})
        return Reply(200, {"rows": len(said.rows)})

    def batch(self, data: Any) -> Posted:
        """The rows and the time of a body {"rows": [{column: cell, …}, …], "until": time}. Raises:
        Wrong."""
        names = self.file.board.columns.names
        good = type(data) is dict and "rows" in data and data.keys() <= {"rows", "until"}
        given: Any = data["rows"] if good else None
        until: Any = data.get("until") if good else None
        if type(given) is not list or len(given) > MOST or type(until) not in (str, type(None)):
            text = f'the body is {{"rows": […], "until": time}}, of at most {MOST} rows'
            raise Wrong(422, "not rows", text)
        for place, each in enumerate(given):
            if (
                type(each) is not dict
                or each.keys() != {*names}
                or not all(type(cell) in (str, int, float) for cell in each.values())
            ):
                text = (
                    f"row {place}: an object of {', '.join(names)}, each a text or a number, and "
                    "of nothing else"
                )
                raise Wrong(422, "not a row", text)
        return Posted(tuple(tuple(each[name] for name in names) for each in given), until)

    # --- published counts for pages and programs ----------------------------------------------

    @property
    def _words(self) -> str:
        windows, told = self.file.board.clock.windows, len(self.total.windows)
        return (
            f"ε = {shown_up(self._epsilon)} is spent once, on all {windows:,} windows together: "
            f"{told:,} are told, and the {windows - told:,} that are left cost nothing more"
        )

    def board(self) -> str:
        windows, told = self.file.board.clock.windows, len(self.total.windows)
        note = "A window is told when the clock says so, also an empty one. " + (
            f"The last one is {self.total.windows[-1]}." if told else "None has been told yet."
        )
        cards = "".join(self._card(place, key) for place, key in enumerate(self.total.keys))
        each, totals = "/board.csv?how=window", "/board.csv"
        links = [(each, "each window alone"), (totals, "totals since the start")]
        links = links if self.file.board.best == "window" else links[::-1]
        files = " or ".join(f'<a href="{to}" download>{name}</a>' for to, name in links)
        soft = f'<p class="soft">As CSV: {files}.</p>'
        return pages.budget_card(100 * told // windows, self._words, note) + soft + cards

    def _card(self, number: int, key: str) -> str:
        total, columns = self.total, self.file.board.columns
        name, said, picture = pages.escape(key), "", ""
        if total.windows:
            known = zip(range(len(total.windows)), total.of(key), total.errors, strict=True)
            points = _thinned([(at, value, error) for at, value, error in known
                               if value is not None])  # fmt: skip
            within = band(points[-1][2])
            rest = f" in all, the window of {pages.escape(total.windows[-1])} included, "
            said = f"<strong>{_plain(points[-1][1])}</strong>{rest}give or take {within} (95%)"
            ends = pages.escape(total.begun[number]), pages.escape(total.windows[-1])
            label = f"{name}: {_plain(points[-1][1])}, give or take {within}"
            picture = drawing(points, label, ends, signed=columns.low < 0)
        soft = "Rows" if columns.amount is None else f"The sum of {columns.amount}"
        since = total.begun[number] if total.windows else "the start"
        return pages.series_card(
            number, name, said, picture, pages.escape(f"{soft} since {since}, window by window. ")
            + pages.escape(self.file.board.counted),
        )  # fmt: skip

    def forms(self) -> str:
        return ""

    def spent(self) -> str:
        board = self.file.board
        figures = [("Promised of all windows together", shown_up(self._epsilon), "see Why")]
        rows = [
            (str(place), key, "shared") for place, key in enumerate(board.keys)
        ]  # fmt: skip
        return pages.spent_section(
            self._words, shown_up(self._delta), figures, ("Series", "Key", "Takes"), rows
        )

    def budget(self) -> Json:
        told, windows = len(self.total.windows), self.file.board.clock.windows
        amounts = [shown_up(self._epsilon), shown_up(self._delta)]
        return {
            "unit": "epsilon", "limits": amounts, "spent": amounts, "remaining": ["0", "0"],
            "windows": windows, "told": told,
        }  # fmt: skip

    def series(self) -> Json:
        keys = self.total.keys
        shown = [self._public_of(place, key) for place, key in enumerate(keys)]
        return {"windows": len(self.total.windows), "series": shown}

    def _public_of(self, number: int, key: str) -> Json:
        total = self.total
        if not total.windows:
            return {"counter": number, "key": key, "count": None}
        last = {"window": total.windows[-1], "count": _number(total.of(key)[-1])}
        within = band(total.errors[-1])
        return {"counter": number, "key": key, **last, "within": within}

    def one(self, number: int) -> Json | None:
        total = self.total
        if number >= len(total.keys):
            return None
        key = total.keys[number]
        named = zip(total.windows, total.of(key), total.errors, strict=True)
        series = [
            {"window": window, "count": _number(count), "within": band(error)}
            for window, count, error in named
        ]
        return {**self._public_of(number, key), "series": series}

    def csv(self, how: str, last: int | None) -> str:
        board, step = self.file.board, self.file.board.columns.step
        names = self.total.keys
        told = [
            {
                key: int(each / step)
                for key, each in zip(names, row, strict=True)
                if each is not None
            }
            for row in self.total.values
        ]
        from antiphon.boards.series import series

        return series(board, told, cast("Any", how), last).csv()

    def state(self) -> str:
        told, windows = len(self.total.windows), self.file.board.clock.windows
        return f"{told:,} of {windows:,} windows have been published"


def _thinned(points: Sequence[Drawn]) -> list[Drawn]:
    """Every n-th of the points, with the first and the last, so that about ``POINTS`` are left."""
    step = -(-len(points) // POINTS)
    return [*points[:-1:step], points[-1]]


def _number(value: int | Fraction | None) -> int | float | None:
    """A released number as JSON: an int if it is whole; None before its key was counted."""
    if value is None:
        return None
    return value.numerator if value.denominator == 1 else float(value)


def _plain(value: int | Fraction) -> str:
    """A released number as text on a page."""
    return f"{_number(value):,}"
