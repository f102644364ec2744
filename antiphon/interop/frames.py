"""Conversion of data frames to streams of messages, chunk by chunk: pandas, polars, Arrow, and all
other frames that narwhals supports."""

import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import pairwise
from typing import Any, Final, Literal, TypeAlias, Union

import numpy as np

from antiphon.numbers import InvalidArgument, MissingExtra, exact
from antiphon.numbers.errors import of_kind, written_as
from antiphon.numbers.interning import all_are

Progress: TypeAlias = Union[Callable[[int, Union[int, None]], object], Literal[False], None]
Rows: TypeAlias = Iterator[tuple[Any, ...]]

_CHUNK: Final = 1 << 14


@written_as('ap.stream(frame, "column")')
def stream(
    frame: Any,
    columns: str | Iterable[str],
    *,
    to: Callable[..., object] | None = None,
    by: str | None = None,
    times: Iterable[object] | None = None,
    missing: str | None = None,
    chunk: int = _CHUNK,
    progress: Progress = None,
) -> Iterator[Any]:
    """An iterator that yields the rows of a frame as messages, in the frame's order.

    ``frame``: a pandas or polars DataFrame, a polars LazyFrame, an Arrow table, anything with
    ``__arrow_c_stream__``, or an iterable of such, each a part of the whole; at most ``chunk`` rows
    at a time are Python objects. ``columns``: one name, whose cells are the messages, or several
    names, whose cells form tuples; ``to``: a function of the cells that returns the message
    instead.

    ``by``: a column of times that never goes back. A message is then the tuple of all rows at one
    time, or ``to`` of that tuple. The number of times is data; with ``times``, a public list of all
    times in order, there is one message for each, also without rows.

    Cells are Python's numbers, texts and dates, exactly: pandas converts integers to floats if some
    are missing. ``missing``: a text in place of each missing cell, such as "", which a board reads
    as an empty cell of a CSV file; None: a missing cell is refused. ``progress``: a function of
    (rows done, rows in all or None), or False for none; by default a bar, on a terminal with rich
    installed. Raises: InvalidArgument for anything but a frame, an unknown column, a missing cell
    (by row and column, counted from 0), a time that goes back or is not in ``times``; MissingExtra.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"day": [1, 1, 3], "late": [0, 1, 1]})
    >>> list(stream(frame, "late")), list(stream(frame, "late", by="day", times=(1, 2, 3), to=sum))
    ([0, 1, 1], [1, 0, 1])
    """
    names = (columns,) if isinstance(columns, str) else tuple(columns)
    wanted = names if by is None else (*names, by)
    if not wanted or not all_are(str, wanted):
        raise InvalidArgument("columns are named by texts, at least one")
    if times is not None and by is None:
        raise InvalidArgument("times are those of a column: pass by=…, its name")
    if by is not None and missing is not None:
        raise InvalidArgument("a missing time stands in no order: missing=… goes without by=…")
    _extra("narwhals")
    found = _rows(frame, wanted, exact.whole(chunk, "chunk"), missing, progress)
    cells = None if isinstance(columns, str) else tuple
    if by is None:
        return _each(found, to or cells)
    return _groups(found, cells is None, to, None if times is None else tuple(times), by)


def _extra(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtra(name, "frames") from None


def _each(rows: Rows, to: Callable[..., object] | None) -> Iterator[object]:
    for number, row in enumerate(rows):
        if to is None:
            yield row[0]
        elif to is tuple:
            yield row
        else:
            yield _made(to, row, f"row {number} of the frame")


def _made(to: Callable[..., object], arguments: tuple[object, ...], where: str) -> object:
    try:
        return to(*arguments)
    except Exception as error:
        error.add_note(where)
        raise


def _groups(
    rows: Rows, single: bool, to: Callable[..., object] | None, times: Any, by: str
) -> Iterator[object]:
    """The messages of rows grouped by time: one message of all rows with the same time.

    With ``times`` each of them has a message, also without rows; else each time that a row has.
    """
    if times is not None and any(b <= a for a, b in pairwise(times)):
        raise InvalidArgument("times must be in order, each once")
    group, later = list[object](), list(times or ())[::-1]
    running, now = bool(later), later.pop() if later else None

    def message() -> object:
        said = tuple(group)
        group.clear()
        return said if to is None else _made(to, (said,), f"time {now} of column {by!r}")

    for number, (*cells, time) in enumerate(rows):
        if times is None and not running:
            running, now = True, time
        while not running or time != now:
            if not running or time < now:
                cause = "goes back: sort the frame by it" if times is None else "is none of times"
                raise InvalidArgument(f"row {number}: its {by!r} {cause}")
            yield message()
            running, now = times is None or bool(later), later.pop() if later else time
        group.append(cells[0] if single else tuple(cells))
    while running:
        yield message()
        running, now = bool(later), later.pop() if later else now


def _rows(
    frame: Any, names: tuple[str, ...], chunk: int, missing: str | None, progress: Progress
) -> Rows:
    total = len(frame) if _is_frame(frame) else None
    done = 0
    with _watched(progress, total) as tell:
        for part in _parts(frame, chunk):
            unknown = [name for name in names if name not in part.columns]
            if unknown:
                raise InvalidArgument(
                    f"no column {unknown[0]!r} in the frame; it has {', '.join(part.columns)}"
                )
            for start in range(0, len(part), chunk):
                some = part[start : start + chunk]
                cells = [_cells(tuple(some[name].to_list()), name, done, missing) for name in names]
                yield from zip(*cells, strict=True)
                done += len(some)
                tell(done)


def _is_frame(frame: Any) -> bool:
    nw = _extra("narwhals")
    try:
        nw.from_native(frame, eager_only=True)
    except TypeError:
        return False
    return True


def _parts(frame: Any, chunk: int) -> Iterator[Any]:
    """The frame in consecutive chunks, each of them a narwhals frame in memory."""
    nw = _extra("narwhals")
    if _is_frame(frame):
        yield nw.from_native(frame, eager_only=True)
    elif hasattr(frame, "collect_batches"):  # A polars LazyFrame is read batch by batch.
        for batch in frame.collect_batches(chunk_size=chunk, maintain_order=True):
            yield nw.from_native(batch, eager_only=True)
    elif hasattr(frame, "__arrow_c_stream__"):
        arrow = _extra("pyarrow")
        for batch in arrow.RecordBatchReader.from_stream(frame):
            yield nw.from_native(arrow.Table.from_batches([batch]), eager_only=True)
    elif isinstance(frame, Iterable) and not isinstance(frame, str | bytes):
        for part in frame:  # pyright: ignore[reportUnknownVariableType]
            yield from _parts(part, chunk)
    else:
        raise InvalidArgument(
            f"{of_kind(frame)} is no frame: give a pandas, polars or Arrow one, collected "
            "if it is lazy, or an iterable of such"
        )


def _cells(values: tuple[Any, ...], name: str, start: int, missing: str | None) -> Sequence[Any]:
    """The values of a column as plain Python objects, with ``missing`` in place of a missing one;
    if it is None, a missing value raises InvalidArgument."""
    if any(all_are(kind, values) for kind in (int, str, bool)):
        return values
    found = list(map(_plain, values))
    for place, value in enumerate(found):
        if _missing(value):
            if missing is None:
                raise InvalidArgument(
                    f"row {start + place}, column {name!r}: the value is missing; fill it, or "
                    "leave the row out, before it is a message; or say missing='', a text in its "
                    "place (a board with bad='leave out' then leaves the row out)"
                )
            found[place] = missing
    return found


def _plain(value: Any) -> Any:
    if issubclass(type(value), np.generic):  # pyright: ignore[reportUnknownArgumentType]
        return value.item()
    # A value of pandas, a date or a duration, is converted to Python's.
    for convert in ("to_pydatetime", "to_pytimedelta"):
        if hasattr(value, convert) and value == value:
            return getattr(value, convert)()
    return value


def _missing(value: object) -> bool:
    """Whether a cell's value is missing: None, NaN, NaT or NA."""
    try:
        return value is None or bool(value != value)
    except TypeError:
        return True


@contextmanager
def _watched(progress: Progress, total: int | None) -> Generator[Callable[[int], object]]:
    """A context manager that yields a progress callback: the given function, a bar, or a no-op."""
    if callable(progress):
        yield lambda done: progress(done, total)
        return
    try:
        bars = None if progress is False or not sys.stderr.isatty() else _extra("rich.progress")
    except MissingExtra:
        bars = None
    if bars is None:
        yield lambda done: None
        return
    console = _extra("rich.console").Console(stderr=True)
    with bars.Progress(console=console, transient=True) as shown:
        task = shown.add_task("rows", total=total)
        yield lambda done: shown.update(task, completed=done)
