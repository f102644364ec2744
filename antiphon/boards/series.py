# pyright: reportUnknownMemberType=false
"""The published counts of a board: totals, and their differences over windows."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final, Literal, Protocol, TypeAlias

import attrs

from antiphon.boards.cells import BoardColumns
from antiphon.boards.clock import Clock
from antiphon.numbers import InvalidArgument, shown_up
from antiphon.protocol.display import Card, ForPrograms, Grid, Part, Shown
from antiphon.protocol.pictures import Axes, Plotted, titled

How: TypeAlias = Literal["total", "window", "sliding"]
_SHOWN: Final = 12


class Defined(Protocol):
    """The interface of a board that ``BoardSeries`` reads: columns, clock, keys and errors."""

    @property
    def columns(self) -> BoardColumns: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def keys(self) -> tuple[str, ...]: ...
    def error_of(self, window: int, reach: int) -> Fraction: ...


@attrs.frozen(repr=False)
class BoardSeries(Shown, ForPrograms, Plotted):
    """Private counts or sums: a row for each window, a column for each key.

    ``errors``: for each window, a bound on the error of a single number, with probability 0.95.
    """

    _told = "how keys windows values errors"

    how: str
    keys: tuple[str, ...]
    windows: tuple[str, ...]
    values: tuple[tuple[Fraction, ...], ...]
    errors: tuple[Fraction, ...]

    def of(self, key: str) -> tuple[Fraction, ...]:
        """The values of one key, window by window. Raises: InvalidArgument for an unknown key."""
        if key not in self.keys:
            raise InvalidArgument(f"there is no such key; there are {', '.join(self.keys[:20])}")
        place = self.keys.index(key)
        return tuple([row[place] for row in self.values])

    def top(self, count: int) -> tuple[tuple[tuple[str, Fraction], ...], ...]:
        """The keys with the largest values, window by window, each with its value.

        Computed from what is published, so it costs no privacy. Of equal values the key listed
        first comes first. A named key's true value lies below that of a key that is not named by
        twice the error at most, with the probability that no count of the window errs by more.
        Raises: InvalidArgument unless ``count`` is an int from 1 to the number of keys.
        """
        if type(count) is not int or not 1 <= count <= max(1, len(self.keys)):
            raise InvalidArgument(f"top takes a number of keys, from 1 to {len(self.keys)}")
        ranked = (sorted(zip(self.keys, row, strict=True), key=_falling) for row in self.values)
        return tuple([tuple(row[:count]) for row in ranked])

    def csv(self) -> str:
        """The series as CSV text: the window, a column for each key, and the error."""
        text = io.StringIO()
        lines = csv.writer(text, lineterminator="\n")
        lines.writerow(["window", *self.keys, "error at 95 %"])
        for window, row, error in zip(self.windows, self.values, self.errors, strict=True):
            lines.writerow([window, *map(_plain, row), shown_up(error)])
        return text.getvalue()

    def _card(self) -> Card:
        return Card(f"{self.how}: {len(self.windows):,} windows of {len(self.keys):,} keys",
                    self._parts())  # fmt: skip

    def _parts(self) -> Iterator[Part]:
        keys, hidden = self.keys[:8], len(self.keys) - 8
        lines = list(zip(self.windows, self.values, self.errors, strict=True))[-_SHOWN:]
        rows = [
            (window, *map(_plain, row[:8]), f"± {shown_up(error, 3)}")
            for window, row, error in lines
        ]
        if rows:
            yield Grid(rows, ("window", *keys, "95 %"), numbers=(*keys, "95 %"))
        if hidden > 0:
            yield f"and {hidden:,} keys more"
        yield self._picture()

    def _draw(self, axes: Axes) -> None:
        for key in self.keys[:8]:
            axes.plot(range(len(self.windows)), [float(each) for each in self.of(key)], label=key)
        titled(axes, self.how)
        axes.set_xlabel("window")
        axes.set_ylabel("told")
        axes.legend()


def _falling(each: tuple[str, Fraction]) -> Fraction:
    return -each[1]


def _plain(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    return f"{float(value):.10g}"


def series(
    board: Defined, published: Sequence[Mapping[str, int]], how: How, last: int | None
) -> BoardSeries:
    """A ``BoardSeries`` from the totals that were published. Raises: InvalidArgument.

    Keys that are found in the data are in the order of their texts; before it was opened, a key
    has the count 0.
    """
    if how not in ("total", "window", "sliding"):
        raise InvalidArgument("how is 'total', 'window' or 'sliding'")
    if (how == "sliding") is (last is None):
        raise InvalidArgument("last=… goes with 'sliding': how many windows, together")
    if last is not None and (type(last) is not int or last < 1):
        raise InvalidArgument("last is an int >= 1")
    keys = board.keys or tuple(sorted(published[-1] if published else ()))
    told = [tuple([counts.get(key, 0) for key in keys]) for counts in published]
    reach = 1 if how == "window" else len(told) if last is None else last
    step, values, errors = board.columns.step, list[tuple[Fraction, ...]](), list[Fraction]()
    for window, counts in enumerate(told):
        earlier = told[window - reach] if window >= reach else (0,) * len(counts)
        values.append(tuple([(a - b) * step for a, b in zip(counts, earlier, strict=True)]))
        errors.append(board.error_of(window, reach))
    names = tuple(map(board.clock.name, range(len(told))))
    label = {"total": "total since the start", "window": "each window"}.get(how, f"last {last}")
    return BoardSeries(label, keys, names, tuple(values), tuple(errors))
