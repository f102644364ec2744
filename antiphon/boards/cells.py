"""Parsing of a board's input: cells are read, checked and converted to rows before anything is
counted."""

from __future__ import annotations

import csv
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias, Union

import attrs

from antiphon.boards.clock import Clock, moment
from antiphon.boards.units import LONGEST_KEY
from antiphon.numbers.errors import FileError, InvalidArgument

LONGEST: Final = 200
"""The largest number of characters of a user's name, and of a row's own key."""

Source: TypeAlias = Union[str, Path, Iterable[Sequence[object]]]


class BadRow(InvalidArgument):
    """The error for a row that cannot be counted, with file and line; nothing of its file is added.

    The error text has no content of the row, which is data: look at the line.
    """

    def __init__(self, file: str, line: int, reason: str) -> None:
        super().__init__(f"{file}, line {line}: {reason}; nothing of it has been counted")
        self.file = file
        self.line = line


class BoardRow(NamedTuple):
    """A valid row, parsed from its cells and ready to be counted."""

    line: int
    name: str
    """The row's own key, by which it is recognised when it is sent again."""
    window: int
    time: str
    user: str
    key: int | str
    """The index of the row's key among the board's keys; its text, if keys are found."""
    amount: int


@attrs.frozen(kw_only=True)
class BoardColumns:
    """The columns that a board reads, and how their cells are interpreted."""

    time: str
    user: str | None
    by: str | None
    amount: str | None
    row: str | None
    """The column with each row's own key; None: rows are identified by file and line."""
    clock: Clock
    keys: tuple[str, ...]
    """The public keys; () if they are found in the data."""
    others: str | None
    """The key under which rows with unlisted keys are counted."""
    low: int
    high: int
    step: Fraction
    """The unit in which amounts are counted; ``low`` and ``high`` are multiples of it."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns that are read, in the order of a frame's cells."""
        wanted = (self.time, self.user, self.by, self.amount, self.row)
        return tuple(dict.fromkeys(each for each in wanted if each is not None))


def rows_of(
    source: Source, columns: BoardColumns, name: str | None
) -> tuple[str, Iterator[BoardRow]]:
    """The name of a source, and its rows, lazily. Raises: InvalidArgument, FileError, BadRow."""
    if isinstance(source, str | Path):
        path = Path(source)
        return path.name, CellReader(path.name, columns, columns.names).all(
            csv_cells(path, columns)
        )
    if name is None and columns.row is None:
        raise InvalidArgument(
            "rows of a frame are known by a column (row='id') or by the frame's name and their "
            "number: say name=…, another for each frame"
        )
    label = name or "the frame"
    return label, CellReader(label, columns, columns.names).all(enumerate(source))


@contextmanager
def _lines(path: Path) -> Generator[Any]:
    """The reader of a CSV file's lines. Raises: FileError, InvalidArgument."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            yield csv.reader(file, strict=True)
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}") from None
    except (csv.Error, UnicodeDecodeError) as error:
        raise InvalidArgument(f"{path.name} is no CSV file in UTF-8: {error}") from None


def csv_cells(path: Path, columns: BoardColumns) -> Iterator[tuple[int, list[str]]]:
    """The cells of the requested columns, line by line with line numbers, from a CSV file."""
    with _lines(path) as lines:
        places, width = _head(path.name, lines, columns)
        for cells in lines:
            if len(cells) != width:
                if not cells:
                    continue
                text = f"{len(cells)} cells, where the first line has {width}"
                raise BadRow(path.name, lines.line_num, text)
            yield lines.line_num, [cells[place] for place in places]


def csv_head(path: Path, columns: BoardColumns) -> tuple[list[int], int]:
    """The places of a board's columns in a CSV file, and the number of its columns."""
    with _lines(path) as lines:
        return _head(path.name, lines, columns)


def _head(name: str, lines: Iterator[list[str]], columns: BoardColumns) -> tuple[list[int], int]:
    head = next(lines, None)
    if head is None:
        raise BadRow(name, 1, "the file is empty: its first line names the columns")
    missing = [each for each in columns.names if head.count(each) != 1]
    if missing:
        raise BadRow(
            name, 1, f"no column {missing[0]!r}, or several; a board's columns are "
            f"{', '.join(columns.names)}",
        )  # fmt: skip
    return [head.index(each) for each in columns.names], len(head)


class CellReader:
    """A parser from cells to rows; it caches lookups that recur from row to row."""

    def __init__(self, label: str, columns: BoardColumns, names: tuple[str, ...]) -> None:
        self._label, self._columns = label, columns
        place = names.index
        self._time = place(columns.time)
        self._user, self._by, self._amount, self._row = (
            None if each is None else place(each)
            for each in (columns.user, columns.by, columns.amount, columns.row)
        )
        self._keys = {key: number for number, key in enumerate(columns.keys)}
        self._rest = None if columns.others is None else self._keys[columns.others]
        self._width = len(names)

    def all(self, lines: Iterable[tuple[int, Any]]) -> Iterator[BoardRow]:
        label, named, clock = self._label, self._row, self._columns.clock
        for line, cells in lines:
            try:
                if type(cells) not in (list, tuple) or len(cells) != self._width:
                    raise ValueError(f"a row has {self._width} cells: {self._columns.names}")
                user = "" if self._user is None else self.text(cells[self._user], "a user")
                wall = self.wall(cells[self._time], clock)
                window = clock.window(wall)
                if not 0 <= window < clock.windows:
                    raise ValueError("its time lies in none of the board's windows")
                key = 0 if self._by is None else self._key(cells[self._by])
                amount = 1 if self._amount is None else self.counted(cells[self._amount])
                name = f"{label}:{line}" if named is None else self.text(cells[named], "a key")
            except ValueError as error:
                raise BadRow(label, line, str(error)) from None
            yield BoardRow(line, name, window, wall.isoformat(), user, key, amount)

    @staticmethod
    def wall(cell: object, clock: Clock) -> datetime:
        """The local time of a cell. Raises: ValueError."""
        try:
            return clock.wall(moment(cell))
        except ValueError:
            raise ValueError("its time is none: an ISO text such as 2026-01-31T12:00") from None

    @staticmethod
    def text(cell: object, of: str, longest: int = LONGEST) -> str:
        """A user's name, a key, or a row's own key. Raises: ValueError."""
        text = cell if type(cell) is str else "" if cell is None or cell != cell else str(cell)
        if not 0 < len(text) <= longest or not text.isprintable():
            raise ValueError(f"it has no {of[2:]}, or one of other than 1 to {longest} characters")
        return text

    def _key(self, cell: object) -> int | str:
        if not self._keys:
            return self.text(cell, "a key", LONGEST_KEY)
        found = self._keys.get(cell if type(cell) is str else str(cell), self._rest)
        if found is None:
            raise ValueError("its key is none of the board's: list it, or say others='a key'")
        return found

    def counted(self, cell: object) -> int:
        """An amount converted to steps and clipped to its bounds. Raises: ValueError."""
        columns = self._columns
        if type(cell) is str and cell.isdecimal() and len(cell) < 16 and columns.step == 1:
            return min(max(int(cell), columns.low), columns.high)
        if type(cell) not in (str, int, float, Decimal):
            raise ValueError("its amount is no number")
        try:
            amount = Decimal(cell if type(cell) is not float else repr(cell))  # type: ignore[arg-type]
        except InvalidOperation:
            raise ValueError("its amount is no number, but a text") from None
        if not amount.is_finite():
            raise ValueError("its amount is NaN or infinite")
        low, high = columns.low * columns.step, columns.high * columns.step
        if amount.adjusted() > _DIGITS or amount.adjusted() < -_DIGITS:  # too long for a Fraction
            amount = amount.copy_sign(Decimal(1)) * 0 if amount.adjusted() < 0 else amount
            exact = high if amount > 0 else low if amount < 0 else Fraction(0)
        else:
            exact = Fraction(amount)
        return round(min(max(exact, low), high) / columns.step)


_DIGITS: Final = 40
