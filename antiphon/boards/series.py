# pyright: reportUnknownMemberType=false
"""The published counts of a board: totals, and their differences over windows."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from functools import cache, partial
from typing import Any, Final, Literal, NoReturn, Protocol, TypeAlias

import attrs
import numpy as np

from antiphon.boards.cells import BoardColumns
from antiphon.boards.clock import Clock
from antiphon.boards.largest_keys import SHOWN, LargestKeys, plain
from antiphon.numbers import InvalidArgument
from antiphon.numbers.errors import Elsewhere, shown
from antiphon.numbers.rounded_text import band
from antiphon.protocol.display import Card, ForPrograms, Grid, Part, Shown
from antiphon.protocol.pictures import COLOURS, Axes, Plotted, by_date, legend, style_axes, titled
from antiphon.protocol.records.labels import counted

How: TypeAlias = Literal["total", "window", "sliding"]
_ERROR: Final = (
    "Each number has noise added to it. By itself it lies within ± of the exact one, of the rows "
    "that count, as they count, with a probability of at least 95 %: on average, five numbers in "
    "a hundred may lie further off."
)
_FRAME: Final = "write pd.DataFrame(series.to_columns()), or pl.DataFrame(…)"


class Defined(Protocol):
    """The interface of a board that ``BoardSeries`` reads: columns, clock, keys and error
    bounds."""

    @property
    def columns(self) -> BoardColumns: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def keys(self) -> tuple[str, ...]: ...
    @property
    def surely(self) -> int: ...
    def error_of(self, window: int, reach: int, *, beta: float = 0.05) -> Fraction: ...


@attrs.frozen(repr=False)
class BoardSeries(Shown, ForPrograms, Plotted):
    """Private counts or sums: a row for each window, a column for each key.

    ``errors``: for each window, a bound on the error of a single number, with probability 0.95.
    """

    _told = "how keys windows values errors begun"
    frame, to_frame = Elsewhere(_FRAME), Elsewhere(_FRAME)

    how: str
    keys: tuple[str, ...]
    windows: tuple[str, ...]
    values: tuple[tuple[Fraction | None, ...], ...]
    """The count of each key in each window; None where the key was not open yet."""
    errors: tuple[Fraction, ...]
    begun: tuple[str, ...] = ()
    """The window in which each key began to be counted: the first one, if keys are public."""
    together: Callable[[], tuple[Fraction, ...]] = attrs.field(default=tuple, eq=False, repr=False)
    """Computes, for each window, a bound on the errors of all keys at once, with probability
    0.95."""
    surely: int = attrs.field(default=0, eq=False, repr=False)
    """The number of users in one window that surely opens a key; 0: the keys are public."""

    def __getitem__(self, key: object) -> NoReturn:
        one = (*self.keys, "key")[0]
        raise InvalidArgument(f"a series is read by key, such as series.of({one!r})")

    def of(self, key: str) -> tuple[Fraction | None, ...]:
        """The values of one key, window by window; None before the key was opened. Raises:
        InvalidArgument for an unknown key."""
        if key not in self.keys:
            raise InvalidArgument(f"there is no such key; there are {', '.join(self.keys[:20])}")
        place = self.keys.index(key)
        return tuple([row[place] for row in self.values])

    def top(self, count: int) -> LargestKeys:
        """For each window, the ``count`` keys with the largest values, and these values; a key that
        was not open yet is left out.

        Computed from what is published, so it costs no privacy. Of equal values the key listed
        first comes first. Its errors hold for all keys of a window at once, as those that are named
        were chosen by their noise, too.
        Raises: InvalidArgument unless ``count`` is an int from 1 to the number of keys.
        """
        if type(count) is not int or not 1 <= count <= max(1, len(self.keys)):
            raise InvalidArgument(f"top takes a number of keys, from 1 to {len(self.keys)}")
        rows = (zip(self.keys, row, strict=True) for row in self.values)
        known = ([(key, value) for key, value in row if value is not None] for row in rows)
        named = tuple([tuple(sorted(row, key=lambda each: -each[1])[:count]) for row in known])
        return LargestKeys(self.how, count, len(self.keys), self.windows, named, self.together(),
                           self.surely)  # fmt: skip

    def csv(self) -> str:
        """The series as CSV text: the window, a column for each key, and the error; a cell is empty
        before its key was opened."""
        text = io.StringIO()
        lines = csv.writer(text, lineterminator="\n")
        lines.writerow(["window", *self.keys, "error at 95 %"])
        for window, row, error in zip(self.windows, self.values, self.errors, strict=True):
            lines.writerow([window, *map(plain, row), band(error)])
        return text.getvalue()

    def to_columns(self) -> dict[str, list[Any]]:
        """The columns of ``csv`` by their names, for a frame: ``pd.DataFrame(series.to_columns())``
        or ``pl.DataFrame(…)``. Windows are datetimes; values are ints if all are whole, else
        floats, and None before a key was opened.

        Raises: InvalidArgument if a key has the name of another column.
        """
        names = ["window", *self.keys, "error at 95 %"]
        if len(set(names)) < len(names):
            raise InvalidArgument(f"a key is called {names[0]!r} or {names[-1]!r}: take csv()")
        whole = all(each is None or each.denominator == 1 for row in self.values for each in row)
        kind = int if whole else float
        values = ([each if each is None else kind(each) for each in self.of(k)] for k in self.keys)
        errors = [float(band(each)) for each in self.errors]
        return dict(zip(names, [self._times, *values, errors], strict=True))

    @property
    def _times(self) -> list[datetime]:
        return [datetime.fromisoformat(each) for each in self.windows]

    def _card(self) -> Card:
        windows, keys = counted(len(self.windows), "window"), counted(len(self.keys), "key")
        return Card(f"{self.how}: {windows} of {keys}", self._parts())

    def public_card(self) -> Card:
        """The card for a page that others read: what its error means, and no word to whoever runs
        the board."""
        return Card(self._card().title, self._parts(public=True))

    def _parts(self, *, public: bool = False) -> Iterator[Part]:
        keys, hidden = self.keys[:8], len(self.keys) - 8
        lines = list(zip(self.windows, self.values, self.errors, strict=True))[-SHOWN:]
        rows = [
            (window, *[plain(each) or "not opened" for each in row[:8]], f"± {band(error)}")
            for window, row, error in lines
        ]
        if not rows:
            return
        yield Grid(rows, ("window", *keys, "95 %"), numbers=(*keys, "95 %"))
        if public:
            yield _ERROR
        if len(self.windows) > SHOWN:
            where = "" if public else "; csv(), or --csv on the command line, has all"
            yield f"the last {SHOWN} of {len(self.windows):,} windows{where}"
        late = [
            f"{key} since {first}" for key, first in zip(keys, self.begun, strict=False)
            if first not in self.windows[:1]
        ]  # fmt: skip
        if late:
            yield f"counted only from the window that opened a key: {', '.join(late)}"
        if hidden > 0:
            where = "" if public else ", which csv() has"
            yield f"and {counted(hidden, 'key')} more{where}"
        yield self._picture()

    def _draw(self, axes: Axes) -> None:
        times = np.array(self._times, "datetime64[us]")
        errors = np.array([float(band(each)) for each in self.errors])
        keys, hidden = self.keys[:8], len(self.keys) - 8
        for place, key in enumerate(keys):
            told = [math.nan if each is None else float(each) for each in self.of(key)]
            values, colour = np.array(told), COLOURS[place % len(COLOURS)]
            style = "-" if place < len(COLOURS) else "--"
            axes.plot(times, values, style, color=colour, marker=".", label=key)
            axes.fill_between(
                times, values - errors, values + errors, color=colour, alpha=0.15, linewidth=0,
                label="± the error\nat 95 %" if key == keys[-1] else None,
            )  # fmt: skip
        titled(axes, self.how + (f" (8 of {len(self.keys):,} keys)" if hidden > 0 else ""))
        style_axes(axes, "window, by its beginning", "told, with noise")
        if self.windows:
            by_date(axes)
            legend(axes, loc="upper left", bbox_to_anchor=(1, 1))


def series(
    board: Defined, published: Sequence[Mapping[str, int]], how: How, last: int | None
) -> BoardSeries:
    """A ``BoardSeries`` from the totals that were published. Raises: InvalidArgument.

    Keys that are found in the data are in the order of their texts; before it was opened, a key
    has no value. The counter of a key begins with the window that opens the key: so errors are
    those of its own age, and the bound of a window is the largest of its keys.
    """
    if how not in ("total", "window", "sliding"):
        raise InvalidArgument("how is 'total', 'window' or 'sliding'")
    if (how == "sliding") is (last is None):
        raise InvalidArgument("last=… goes with 'sliding': how many windows, together")
    if last is not None and (type(last) is not int or last < 1):
        raise InvalidArgument(f"last is an int >= 1, not {shown(last)}")
    keys = board.keys or tuple(sorted(published[-1] if published else ()))
    firsts = [
        next((window for window, counts in enumerate(published) if key in counts), 0)
        for key in keys
    ]
    reach = 1 if how == "window" else len(published) if last is None else last
    step, values = board.columns.step, list[tuple[Fraction | None, ...]]()
    for window, counts in enumerate(published):
        earlier = published[window - reach] if window >= reach else dict[str, int]()
        values.append(tuple([
            (counts[key] - earlier.get(key, 0)) * step if key in counts else None for key in keys
        ]))  # fmt: skip
    errors = partial(_errors, board, firsts, len(published), reach)
    names = tuple(map(board.clock.name, range(len(published))))
    label = {"total": "total since the start", "window": "each window"}.get(how, f"last {last}")
    begun = tuple(map(board.clock.name, firsts))
    return BoardSeries(label, keys, names, tuple(values), errors(0.05), begun,
                       partial(errors, 0.05 / max(1, len(keys))), board.surely)  # fmt: skip


def _errors(
    board: Defined, firsts: Sequence[int], windows: int, reach: int, beta: float
) -> tuple[Fraction, ...]:
    """For each window, the largest bound of the keys that are open, each by its own age."""

    @cache
    def of(age: int) -> Fraction:
        return board.error_of(age, min(reach, age + 1), beta=beta)

    ages = set(firsts) or {0}
    known = ([first for first in ages if first <= at] or [at] for at in range(windows))
    return tuple([max(of(at - first) for first in each) for at, each in enumerate(known)])
