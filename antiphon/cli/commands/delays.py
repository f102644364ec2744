"""``antiphon demo``, second stage: delayed flights per carrier, with bands the truth lies in."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Final

from antiphon.cli.output import print_table, progress
from antiphon.demo.data import CARRIERS, LATE, flights
from antiphon.demo.delays import BETA, DELTA, CarrierReading, Delays, play_delays
from antiphon.demo.panels import Band, along, bands
from antiphon.numbers.printed import shown_up
from antiphon.protocol.records.files import write_text

_LISTED: Final = 6
_DRAWN: Final = 4
"""How many carriers are shown."""
_WEEK: Final = (6.5, 7.5)
"""Days between two readings, on average, that are a week."""


def delays_stage(
    number: int, *, every: int, epsilon: Fraction, seed: int | None, quiet: bool
) -> Delays:
    """Play it, with a progress bar."""
    with progress("counting delayed flights", number, quiet=quiet) as advance:
        return play_delays(number, every=every, epsilon=epsilon, seed=seed, progress=advance)


def write_delays(found: Delays, output: Path, *, seeded: bool) -> dict[str, Path]:
    """The readings as a table of commas, and the picture; the files' names."""
    files = {
        "delays": output / "delays.csv",
        "delays_picture": output / "delays.png",
        "delays_svg": output / "delays.svg",
    }
    rows = ["date,flights_told,carrier,noisy_delayed,true_delayed,band"]
    for reading, date in zip(found.readings, found.dates, strict=True):
        rows += (
            f"{date},{reading.told},{code},{noisy},{true},{reading.band}"
            for code, noisy, true in zip(CARRIERS, reading.noisy, reading.true, strict=True)
        )
        largest = f"{reading.largest},{max(reading.true)},{reading.largest_band}"
        rows.append(f"{date},{reading.told},largest (HSS),{largest}")
    write_text(files["delays"], "\n".join(rows) + "\n", overwrite=True)
    _draw(found, (files["delays_picture"], files["delays_svg"]), seeded=seeded)
    return files


def _draw(found: Delays, paths: tuple[Path, Path], *, seeded: bool) -> None:
    readings, told = found.readings, [each.told for each in found.readings]
    dates = along(found.dates, told, first=flights().days[0], last=found.dates[-1])
    carriers = [
        Band(
            CARRIERS[carrier], dates, [each.true[carrier] for each in readings],
            [each.noisy[carrier] for each in readings], [each.band for each in readings],
        )
        for carrier in found.most[:_DRAWN]
    ]  # fmt: skip
    largest = Band(
        "most", dates, [max(each.true) for each in readings], [each.largest for each in readings],
        [each.largest_band for each in readings], steps=True,
    )  # fmt: skip
    intervals = readings[-1].interval
    plural = "s" if intervals > 1 else ""
    panels = [
        (f"H: delayed flights of each carrier, {_how_often(found)}", carriers),
        (
            f"HSS: the most of any carrier, at every flight; {intervals} interval" + plural,
            [largest],
        ),
    ]
    epsilon = shown_up(found.promise.epsilon_at(DELTA), 4)
    subtitle = (
        f"both together ({epsilon}, {shown_up(DELTA)})-DP for any one flight; each band holds as "
        f"a whole with probability {1 - BETA:.0%}"
    )
    title = f"Flights that came at least {LATE} minutes late"
    bands(panels, title=title, subtitle=subtitle + "; seeded" * seeded, paths=paths)


def _how_often(found: Delays) -> str:
    """When H is told: once a week, or after so many flights."""
    told = [reading.told for reading in found.readings]
    if len(told) < 2:
        return "told at the end"
    days = (found.dates[-1] - found.dates[0]).astype(int) / (len(told) - 1)
    every = told[1] - told[0]
    if _WEEK[0] <= days <= _WEEK[1]:
        return "once a week"
    return f"after every {every:,} flights" if every > 1 else "after every flight"


def print_delays(found: Delays) -> None:
    """The last reading as a table; what was promised, and how it went."""
    print(f"\nFlights at least {LATE} minutes late, by H and by HSS (CM §7):\n")
    numbers = ("true", "noisy", "error", "at most")
    print_table(("delayed", *numbers), list(_rows(found)), numbers=numbers)
    for line in _notes(found):
        print(line)
    print()


def _rows(found: Delays) -> Iterator[tuple[str, ...]]:
    last = found.readings[-1]
    for carrier in found.most[:_LISTED]:
        yield _row(CARRIERS[carrier], last.true[carrier], last.noisy[carrier], last.band)
    yield _row("the most (HSS)", max(last.true), last.largest, last.largest_band)


def _row(name: str, true: int, noisy: int, band: int) -> tuple[str, ...]:
    return name, f"{true:,}", f"{noisy:,}", f"{noisy - true:+,}", f"{band:,}"


def _notes(found: Delays) -> Iterator[str]:
    readings, promise = found.readings, found.promise
    alone = found.histogram.claims[0].parameters[0]
    epsilon = shown_up(promise.epsilon_at(DELTA), 4)
    yield (
        f"H is told {len(readings)} times, ({alone}, 0)-DP; HSS is told each flight. Together: "
        f"({epsilon}, {shown_up(DELTA)})-DP, {promise.status.value}, by {promise.theorem}."
    )
    yield (
        f"HSS changed its answer {readings[-1].interval - 1} times; the truth lay in its band at "
        f"{_held(readings)} of {len(readings)} readings (at all, with probability {1 - BETA:.0%})."
    )


def _held(readings: tuple[CarrierReading, ...]) -> int:
    return sum(abs(each.largest - max(each.true)) <= each.largest_band for each in readings)


def delays_data(found: Delays) -> dict[str, object]:
    """The same as data."""
    promise = found.promise
    return {
        "guarantee": {
            "epsilon": promise.epsilon_at(DELTA),
            "delta": DELTA,
            "status": promise.status.value,
            "theorem": promise.theorem,
        },
        "beta": BETA,
        "carriers": list(CARRIERS),
        "readings": [
            {
                "date": str(date), "flights_told": each.told, "noisy": list(each.noisy),
                "true": list(each.true), "band": each.band, "largest": each.largest,
                "interval": each.interval, "largest_band": each.largest_band,
            }
            for each, date in zip(found.readings, found.dates, strict=True)
        ],
    }  # fmt: skip
