"""The intakes of a board, which store rows and make messages: row by row, or through DuckDB."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, TypeAlias, Union

import attrs

from antiphon.boards.cells import Bad, BoardColumns, Source, rows_of
from antiphon.boards.engine import FeedCounts, Grouping, clear_spilled
from antiphon.boards.inbox import Inbox, Late, Told

Progress: TypeAlias = Union[Callable[[int], object], Literal[False], None]
Tells: TypeAlias = Callable[[str], Told]
"""A function from a source's name to a callback that gets the number of its rows read so far."""


@attrs.frozen
class Intake(ABC):
    """The part of a running board that stores fed rows, and makes each window's message."""

    inbox: Inbox
    columns: BoardColumns

    @abstractmethod
    def take(
        self, sources: Sequence[Source], name: str | None, closing: int, tell: Tells, *,
        late: Late, bad: Bad,
    ) -> FeedCounts:  # fmt: skip
        """Store the sources' rows, close the first ``closing`` windows, and count the rows."""

    @abstractmethod
    def message(self, window: int) -> object:
        """The message of a closed window for the board's mechanism: its rows, or its sums."""


@attrs.frozen
class RowIntake(Intake):
    """An intake that stores each row; the message of a window is the batch of its rows."""

    def take(
        self, sources: Sequence[Source], name: str | None, closing: int, tell: Tells, *,
        late: Late, bad: Bad,
    ) -> FeedCounts:  # fmt: skip
        new, again, left, left_out = 0, 0, 0, 0
        for source in sources:
            reader, lines = rows_of(source, self.columns, name, bad)
            label = reader.label
            added = self.inbox.add(label, reader.all(lines), tell(label), late=late)
            new, again, left = new + added.new, again + added.again, left + added.late
            left_out += reader.left_out
        self.inbox.shut(closing, self.columns.keys)
        return FeedCounts(new, again, left, self.inbox.count(self.inbox.closed), left_out)

    def message(self, window: int) -> object:
        return self.inbox.batch(window, self.columns.keys)


@attrs.frozen
class EngineIntake(Intake):
    """An intake that has DuckDB sum the rows of each window, and stores the sums only."""

    per_user: int | None
    place: Path | None
    """The directory for data that do not fit in memory; it exists while rows are being fed."""

    def __attrs_post_init__(self) -> None:
        if self.place is not None:
            clear_spilled(self.place)

    def take(
        self, sources: Sequence[Source], name: str | None, closing: int, tell: Tells, *,
        late: Late, bad: Bad,
    ) -> FeedCounts:  # fmt: skip
        inbox = self.inbox
        task = Grouping(
            columns=self.columns, per_user=self.per_user, closed=inbox.closed, closing=closing,
            marks=inbox.marks, drop=late == "leave out",
        )  # fmt: skip
        windows, found = task.of(sources, self.place)
        tell("all files")(sum(found))
        inbox.store(windows)
        inbox.close_windows(closing)
        return found

    def message(self, window: int) -> object:
        return self.inbox.sums(window) or (0,) * len(self.columns.keys)


def told_to(progress: Progress, label: str) -> Told:
    """The callback that gets the number of rows read of a source: a bar on a terminal, or none."""
    watched = progress is None and sys.stderr.isatty()

    def tell(rows: int) -> None:
        if callable(progress):
            progress(rows)
        elif watched:
            print(f"\r{label}: {rows:,} rows", end="", file=sys.stderr, flush=True)

    return tell
