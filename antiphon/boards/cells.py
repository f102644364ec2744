"""Parsing of a board's input: cells are checked and converted to rows before any row is counted."""

from __future__ import annotations

import csv
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from numbers import Integral, Number
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeAlias, Union, cast

import attrs

from antiphon.boards.clock import Clock, moment
from antiphon.boards.units import LONGEST_KEY
from antiphon.numbers.errors import FileError, InvalidArgument, of_kind

LONGEST: Final = 200
"""The largest number of characters of a user's name, and of a row's own key."""

_NAMED: Final = 20
"""The largest number of bad lines, or of columns, that an error text lists."""
Source: TypeAlias = Union[str, Path, Iterable[Union[Sequence[object], Mapping[str, object]]]]

Bad: TypeAlias = Literal["refuse", "leave out"]


ONE_TEXT: Final = (
    "a key is one text of one column; to count by two columns make one of both, such as "
    "frame['both'] = frame['country'] + ' ' + frame['device'], and say by='both', "
    "keys=['FR phone', …]"
)


def check_bad(value: object, engine: str) -> Bad:
    """The treatment of unreadable lines, if the engine can do it. Raises: InvalidArgument."""
    if value == "refuse":
        return "refuse"
    if value != "leave out":
        raise InvalidArgument("bad is 'refuse' or 'leave out'")
    if engine != "rows":
        raise InvalidArgument(
            "bad='leave out' reads row by row: with engine='duckdb' every line must be readable"
        )
    return "leave out"


class BadRow(InvalidArgument):
    """The error for a row that cannot be counted, with file and line; none of the file is added.

    The error text has no content of the row, which is data: look at the line.
    """

    def __init__(self, file: str, line: int, reason: str, *, said: str | None = None) -> None:
        """The error about one line, with its ``reason`` or, in place of that, with the text
        ``said`` about all bad lines."""
        text = f"line {line}: {reason}" if said is None else said
        super().__init__(f"{file}, {text}; nothing of it has been counted")
        self.file = file
        self.line = line


class _Unread:
    """The lines of a source that cannot be read: their number, and the first ones by reason."""

    def __init__(self) -> None:
        self.number, self._lines = 0, dict[str, list[int]]()

    def add(self, line: int, reason: str) -> None:
        """Record a line that cannot be read, with the reason."""
        self.number += 1
        if self.number <= _NAMED:
            self._lines.setdefault(reason, []).append(line)

    def error(self, file: str, more: str = "") -> BadRow:
        """The error that names the first unreadable lines, and how many more there are."""
        told = [
            f"line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}: {reason}"
            for reason, lines in self._lines.items()
        ]
        if self.number > _NAMED:
            told.append(f"and {self.number - _NAMED:,} lines more")
        reason, lines = next(iter(self._lines.items()))
        return BadRow(file, lines[0], reason, said="; ".join(told) + more)


class _Uneven(str):
    """The reason why the cells of a CSV line cannot be read: there are too few or too many."""


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
        """The names of the columns that are read; a frame's rows have their cells in this order."""
        wanted = (self.time, self.user, self.by, self.amount, self.row)
        return tuple(dict.fromkeys(each for each in wanted if each is not None))


def rows_of(
    source: Source, columns: BoardColumns, name: str | None, bad: Bad
) -> tuple[CellReader, Iterable[tuple[int, Any]]]:
    """A pair: the parser of a source's cells, and the source's numbered lines, which are read
    lazily; ``bad``: whether unreadable lines are refused. Raises: InvalidArgument."""
    if isinstance(source, str | Path):
        path = Path(source)
        reader = CellReader(path.name, columns, columns.names, leave_out=bad == "leave out")
        return reader, csv_cells(path, columns)
    if isinstance(source, list | tuple) and any(isinstance(each, str | Path) for each in source):
        raise InvalidArgument("files are given one by one: live.feed(*paths), not live.feed(paths)")
    if hasattr(type(source), "columns") or hasattr(source, "__arrow_c_stream__"):
        raise InvalidArgument(
            "a frame is fed by its rows: live.feed(ap.stream(frame, live.board.columns.names, "
            "missing=''), name='january')"
        )
    if name is None and columns.row is None:
        raise InvalidArgument(
            "rows of a frame are known by a column (row='id') or by the frame's name and their "
            "number: say name=…, another for each frame"
        )
    reader = CellReader(name or "the frame", columns, columns.names, leave_out=bad == "leave out")
    return reader, _frame_cells(reader.label, source, columns)


def _frame_cells(
    label: str, source: Iterable[object], columns: BoardColumns
) -> Iterator[tuple[int, object]]:
    """The numbered rows of a frame, each as its cells; those of a dict by the columns' names.
    Raises: BadRow for a dict that lacks a column."""
    for line, row in enumerate(source):
        if not isinstance(row, Mapping):
            yield line, row
            continue
        named = cast("Mapping[object, object]", row)
        missing = [name for name in columns.names if name not in named]
        if missing:
            raise BadRow(
                label, line, f"a dict without {missing[0]!r}; a row that is a dict has all columns "
                f"that the board reads: {', '.join(columns.names)}",
            )  # fmt: skip
        yield line, tuple([named[name] for name in columns.names])


@contextmanager
def _lines(path: Path) -> Generator[Any]:
    """The lines of a CSV file, as a context manager that closes the file. Raises: FileError,
    InvalidArgument."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            yield csv.reader(file, strict=True)
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}") from None
    except (csv.Error, UnicodeDecodeError) as error:
        raise InvalidArgument(f"{path.name} is no CSV file in UTF-8: {error}") from None


def csv_cells(path: Path, columns: BoardColumns) -> Iterator[tuple[int, list[str] | str]]:
    """The numbered lines of a CSV file, one by one, each as its cells in the requested columns.

    Of a line with too few or too many cells: the reason why it cannot be read.
    """
    with _lines(path) as lines:
        places, width = _head(path.name, lines, columns)
        for cells in lines:
            if len(cells) != width:
                if not cells:
                    continue
                why = f"{len(cells)} cells, where the first line has {width}"
                yield lines.line_num, _Uneven(why)
                continue
            yield lines.line_num, [cells[place] for place in places]


def csv_head(path: Path, columns: BoardColumns) -> tuple[list[int], int]:
    """The positions of a board's columns in a CSV file, and the number of columns of the file."""
    with _lines(path) as lines:
        return _head(path.name, lines, columns)


def _head(name: str, lines: Iterator[list[str]], columns: BoardColumns) -> tuple[list[int], int]:
    head = next(lines, None)
    if head is None:
        raise BadRow(name, 1, "the file is empty: its first line names the columns")
    for wanted in columns.names:
        if (found := head.count(wanted)) != 1:
            how = "no column" if not found else f"{found} columns"
            raise BadRow(
                name, 1, f"{how} {wanted!r}; the board reads {', '.join(columns.names)}, and the "
                f"file has {_columns_in(head)}",
            )  # fmt: skip
    return [head.index(each) for each in columns.names], len(head)


def _columns_in(head: Sequence[str]) -> str:
    """The columns that the first line of a file names, as part of an error text, with advice if
    they seem to be separated by other than commas."""
    shown = ", ".join(each[:64] for each in head[:_NAMED]) + (", …" if len(head) > _NAMED else "")
    other = next((mark for mark in (";", "\t", "|") if len(head) == 1 and mark in head[0]), None)
    if other is None:
        return shown
    return (
        f"the single column {head[0][:200]!r}: its cells are separated by {other!r}, where a CSV "
        "file has commas; write it anew with commas, or read it into a frame and feed that"
    )


class CellReader:
    """A parser that makes rows from cells; it caches the results for keys and the like."""

    def __init__(
        self, label: str, columns: BoardColumns, names: tuple[str, ...], *,
        leave_out: bool = False,
    ) -> None:  # fmt: skip
        self.label, self._columns, self._leaves = label, columns, leave_out
        self.left_out = 0
        """The number of lines that could not be read and were left out."""
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
        """The rows of numbered lines. Raises: BadRow after the last line, about all lines that
        cannot be read; with ``leave_out`` these are only counted, if they are at most half."""
        label, named, clock, unread = self.label, self._row, self._columns.clock, _Unread()
        columns, number, outside = self._columns, 0, 0
        for number, (line, cells) in enumerate(lines, 1):  # noqa: B007
            try:
                if type(cells) not in (list, tuple) or len(cells) != self._width:
                    raise ValueError(cells if type(cells) is _Uneven else self._shape)
                user = ""
                if self._user is not None:
                    user = self.text(cells[self._user], "a user", column=columns.user)
                wall = self.wall(cells[self._time], clock)
                window = clock.window(wall)
                if not 0 <= window < clock.windows:
                    outside += 1
                    raise ValueError("its time lies in none of the board's windows")
                key = 0 if self._by is None else self._key(cells[self._by])
                amount = 1 if self._amount is None else self.counted(cells[self._amount])
                name = f"{label}:{line}"
                if named is not None:
                    name = self.text(cells[named], "a key", column=columns.row)
            except ValueError as error:
                unread.add(line, str(error))
                continue
            yield BoardRow(line, name, window, wall.isoformat(), user, key, amount)
        self.left_out = unread.number
        if unread.number and not self._leaves:
            raise unread.error(label)
        if 2 * (unread.number - outside) > number:
            raise unread.error(
                label, "; more than half of its lines cannot be read, so bad='leave out' does not "
                "leave them out: see whether its format has changed",
            )  # fmt: skip

    @property
    def _shape(self) -> str:
        names = ", ".join(self._columns.names)
        return (
            f"a row of a frame is a list or tuple of {self._width} cells, or a dict: {names}. "
            "ap.stream(frame, board.columns.names) makes such rows of a frame"
        )

    @staticmethod
    def wall(cell: object, clock: Clock) -> datetime:
        """The local time that a cell states. Raises: ValueError."""
        try:
            return clock.wall(moment(cell))
        except ValueError:
            raise ValueError(
                "its time is none that can be read: write an ISO text such as 2026-01-31T12:00"
            ) from None

    @staticmethod
    def text(
        cell: object, of: str, longest: int = LONGEST, *, column: str | None = None
    ) -> str:  # fmt: skip
        """The text of a cell that holds a user's name or a key; ``of`` is "a user" or "a key", and
        ``column`` its column, for the error text. Raises: ValueError."""
        if type(cell) is not str:
            _refuse_float(cell, of[2:], column)
        text = cell if type(cell) is str else "" if cell is None or cell != cell else str(cell)
        if not 0 < len(text) <= longest or not text.isprintable():
            raise ValueError(f"it has no {of[2:]}, or one of other than 1 to {longest} characters")
        return text

    def _key(self, cell: object) -> int | str:
        if type(cell) is tuple or type(cell) is list:
            raise ValueError(f"its key is {of_kind(cast('object', cell))}: {ONE_TEXT}")
        if not self._keys:
            return self.text(cell, "a key", LONGEST_KEY, column=self._columns.by)
        if type(cell) is not str:
            _refuse_float(cell, "key", self._columns.by)
        found = self._keys.get(cell if type(cell) is str else str(cell), self._rest)
        if found is None:
            raise ValueError("its key is none of the board's: list it, or say others='a key'")
        return found

    def counted(self, cell: object) -> int:
        """The whole number of steps in an amount, within the bounds. Raises: ValueError."""
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
        # The exact Fraction of an amount with a very large exponent would have too many digits, so
        # such an amount is clipped first.
        if amount.adjusted() > _DIGITS or amount.adjusted() < -_DIGITS:
            amount = amount.copy_sign(Decimal(1)) * 0 if amount.adjusted() < 0 else amount
            exact = high if amount > 0 else low if amount < 0 else Fraction(0)
        else:
            exact = Fraction(amount)
        return round(min(max(exact, low), high) / columns.step)


def _refuse_float(cell: object, of: str, column: str | None) -> None:
    """Raise ValueError for a float other than NaN: 17.0 would be another user, or key, than 17."""
    if isinstance(cell, Number) and not isinstance(cell, Integral) and cell == cell:
        raise ValueError(
            f"its {of} is a float, as pandas makes of whole numbers where a cell is missing, and "
            f"17.0 is another {of} than 17: make the column whole numbers again, by "
            f"frame[{column!r}] = frame[{column!r}].astype('Int64')"
        )


_DIGITS: Final = 40
