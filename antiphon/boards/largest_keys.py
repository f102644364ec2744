"""The largest keys of a board, window by window, with errors that hold for all keys at once."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

import attrs

from antiphon.numbers.rounded_text import band
from antiphon.protocol.display import Card, ForPrograms, Grid, Part, Shown
from antiphon.protocol.records.labels import counted

SHOWN: Final = 12
"""The number of windows that a print shows."""
_PLACES: Final = 8


@attrs.frozen(repr=False)
class LargestKeys(Shown, ForPrograms):
    """The keys with the largest published values, window by window; ``series.top(3)`` has three.

    ``named``: for each window, pairs (key, value), the largest first. ``errors``: for each window,
    a bound on the errors of all its keys at once, with probability 0.95; so a counted key that is
    not named exceeds a named one by twice that at most. Empty for a series that no board made.
    """

    how: str
    count: int
    keys: int
    """The number of keys from which these were chosen."""
    windows: tuple[str, ...]
    named: tuple[tuple[tuple[str, Fraction], ...], ...]
    errors: tuple[Fraction, ...]
    surely: int = 0
    """The number of users in one window that surely opens a key; 0: the keys are public."""

    def csv(self) -> str:
        """CSV text, a line for each window and place: the key, its value, and the error."""
        text = io.StringIO()
        lines = csv.writer(text, lineterminator="\n")
        lines.writerow(["window", "place", "key", "value", "error of all keys at 95 %"])
        for window, row, error in self._lines:
            for place, (key, value) in enumerate(row, 1):
                lines.writerow([window, place, key, plain(value), error])
        return text.getvalue()

    @property
    def _lines(self) -> Iterator[tuple[str, tuple[tuple[str, Fraction], ...], str]]:
        errors = map(band, self.errors) if self.errors else ("",) * len(self.windows)
        return zip(self.windows, self.named, errors, strict=True)

    def _card(self) -> Card:
        which = f"the {self.count:,} largest of {counted(self.keys, 'key')}"
        return Card(f"{self.how}: {which}, {counted(len(self.windows), 'window')}", self._parts())

    def _parts(self) -> Iterator[Part]:
        places = [f"{place}." for place in range(1, min(self.count, _PLACES) + 1)]
        rows = list[tuple[str, ...]]()
        for window, row, error in [*self._lines][-SHOWN:]:
            cells = [f"{key} {plain(value)}" for key, value in row] + [""] * len(places)
            rows.append((window, *cells[: len(places)], f"± {error}" if error else ""))
        if not rows:
            return
        yield Grid(rows, ("window", *places, "95 %"), numbers=("95 %",))
        if self.errors:
            yield (
                "with a probability of at least 95 %, all numbers of a window together lie within "
                "± of the exact ones; a key that is counted and not named exceeds none by more "
                "than twice that"
            )
        if self.surely:
            yield (
                "a key that is not open is in no count and may be larger, but surely opens where "
                f"{counted(self.surely, 'user')} have rows of it that count in one window"
            )
        if len(self.windows) > SHOWN or self.count > _PLACES:
            yield f"the last {SHOWN} windows, {_PLACES} places at most; csv(), or --csv, has all"


def plain(value: Fraction | None) -> str:
    """A published number as text; empty for a key that was not open yet."""
    if value is None:
        return ""
    if value.denominator == 1:
        return str(value.numerator)
    return f"{float(value):.10g}"
