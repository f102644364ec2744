"""The output of ``antiphon demo``, and the files of its second stage, on delayed flights."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Final

import attrs

from antiphon.cli.output import exact_number, print_card, progress
from antiphon.demo.data import CARRIERS, LATE, ORIGINS, flights
from antiphon.demo.delays import BETA, DELTA, Delays, promised_delays, told_delays
from antiphon.demo.panels import Curve, Panel, along, bands
from antiphon.demo.survey import FlightAnalyst, FlightCounter, flight_game
from antiphon.numbers.errors import ReplayMismatch
from antiphon.numbers.rounded_text import shown_up
from antiphon.protocol import Card, Grid, Part, View
from antiphon.protocol.records.files import write_text

BUSIEST: Final = 6
"""The number of carriers' counters in the printed table."""


@attrs.frozen
class FlightReport:
    """The result of the flights demo: all that ``antiphon demo`` prints."""

    analyst: FlightAnalyst
    bit: int
    view: View = attrs.field(repr=False)
    counters: tuple[FlightCounter, ...] = attrs.field(repr=False)
    seconds: float
    files: dict[str, Path]
    replay_seconds: float
    mismatch: ReplayMismatch | None

    @property
    def origins(self) -> tuple[FlightCounter, ...]:
        return self.counters[: len(ORIGINS)]

    @property
    def busiest(self) -> list[FlightCounter]:
        """The carriers' counters with the largest noisy counts, largest first."""
        carriers = self.counters[len(ORIGINS) :]
        return sorted(carriers, key=lambda counter: -counter.noisy_count)[:BUSIEST]

    @property
    def challenged(self) -> list[FlightCounter]:
        """The counters that got the challenge flight, which is present in world 0 only."""
        return [counter for counter in self.counters if counter.differed]

    @property
    def challenge(self) -> str:
        """The challenge flight in words: carrier, origin and date."""
        data, place = flights(), self.analyst.challenge
        origin, carrier = divmod(data.slots[place], len(CARRIERS))
        return f"{CARRIERS[carrier]} from {ORIGINS[origin]} on {data.days[place]}"


def _f(counter: FlightCounter) -> str:
    return type(counter.claim.verification).__name__


def _guarantee(epsilon: Fraction) -> str:
    once, twice = exact_number(epsilon), exact_number(2 * epsilon)
    return (
        f"2ε = {twice} (pure DP), against adaptive adversaries, for whether any one flight "
        f"counts as 1 or as 0: CM Thm 5.2, f_∞ with k = 2 times ({once}, 0)."
    )


def print_outcome(outcome: FlightReport) -> None:
    """Print the result for people: the table, the guarantee, the replay and the files."""
    head = (
        f"{outcome.analyst.flights:,} flights in {len(outcome.view.rounds):,} rounds through "
        f"V[f_∞] ∘* I(b) ∘* ExtConComp: {len(outcome.counters)} counters, {outcome.seconds:.1f} s"
    )
    print_card(Card(head, _parts(outcome)))


def _parts(outcome: FlightReport) -> Iterator[Part]:
    if outcome.view.header.seeded:
        yield "SEEDED: the noise can be computed again by anyone. Not for release."
    sources = list(dict.fromkeys(counter.claim.source for counter in outcome.counters))
    rows = [_row(counter, sources) for counter in (*outcome.origins, *outcome.busiest)]
    numbers = ("ε", "true", "noisy", "error")
    yield ""
    yield Grid(rows, ("counter", "ε", "f", "status", "source", *numbers[1:]), numbers)
    yield "counts in flights, ε in nats (δ = 0); each counter counts from its creation"
    yield from (f"[{place}] {source}" for place, source in enumerate(sources, start=1))
    yield from _notes(outcome)


def _row(counter: FlightCounter, sources: list[str]) -> tuple[str, ...]:
    claim = counter.claim
    return (
        counter.name, str(claim.parameters[0]), _f(counter), claim.status.value,
        f"[{sources.index(claim.source) + 1}]", f"{counter.true_count:,}",
        f"{counter.noisy_count:,}", f"{counter.error:+,}",
    )  # fmt: skip


def _notes(outcome: FlightReport) -> Iterator[str]:
    hidden = len(outcome.counters) - len(outcome.origins) - len(outcome.busiest)
    if hidden:
        yield f"{hidden} more counters of carriers are in {outcome.files['counters']}"
    yield ""
    world = "present: b = 0" if outcome.bit == 0 else "absent: b = 1"
    names = " and ".join(counter.name for counter in outcome.challenged)
    yield f"Challenge: flight {outcome.analyst.challenge:,}, {outcome.challenge} ({world})."
    yield f"  Its pairs (1, 0) go to the counters {names}; all other pairs are equal."
    yield f"Guarantee: {_guarantee(outcome.analyst.epsilon)}"
    rounds = len(outcome.view.rounds)
    if outcome.mismatch is None:
        took = f"{outcome.replay_seconds:.1f} s"
        yield f"Replay of the saved view: identical, {rounds:,} rounds, {took}"
    else:
        yield f"Replay of the saved view: DIFFERENT: {outcome.mismatch}"


def print_files(outcome: FlightReport) -> None:
    """Print the files that were written."""
    print("Files:")
    for name, path in outcome.files.items():
        print(f"  {name.replace('_', ' '):<15} {path}")
    print("The view holds the flights that were played: it is as public as they are.")


def outcome_data(outcome: FlightReport) -> dict[str, object]:
    """The result as JSON data, with all readings of all counters."""
    analyst, view = outcome.analyst, outcome.view
    mismatch = outcome.mismatch
    return {
        "flights": analyst.flights,
        "rounds": len(view.rounds),
        "seconds": round(outcome.seconds, 3),
        "seeded": view.header.seeded,
        "releasable": view.header.releasable,
        "bit": outcome.bit,
        "guarantee": {
            "epsilon": 2 * analyst.epsilon,
            "delta": "0",
            "verification": type(flight_game(analyst.epsilon).verification).__name__,
            "source": "CM Thm 5.2",
            "explanation": _guarantee(analyst.epsilon),
        },
        "challenge": {
            "flight": analyst.challenge,
            "description": outcome.challenge,
            "counters": [counter.name for counter in outcome.challenged],
        },
        "counters": [_counter_data(counter) for counter in outcome.counters],
        "replay": {
            "identical": mismatch is None,
            "rounds": len(view.rounds),
            "seconds": round(outcome.replay_seconds, 3),
            "mismatch": None if mismatch is None else str(mismatch),
        },
        "files": outcome.files,
    }


def _counter_data(counter: FlightCounter) -> dict[str, object]:
    claim = counter.claim
    epsilon, delta = claim.parameters
    return {
        "name": counter.name,
        "claim": {
            "epsilon": epsilon, "delta": delta, "verification": _f(counter),
            "status": claim.status, "source": claim.source,
        },
        "created_after_flights": counter.created,
        "true": counter.true_count,
        "noisy": counter.noisy_count,
        "error": counter.error,
        "readings": [
            {"flights_told": reading.told, "date": str(date), "noisy": reading.noisy, "true": true}
            for reading, date, true in zip(
                counter.readings, counter.dates, counter.true, strict=True
            )
        ],
    }  # fmt: skip


_LISTED: Final = 6
_DRAWN: Final = 4
"""The number of carriers in the picture of delayed flights."""
_WEEK: Final = (6.5, 7.5)
"""The range of days between readings that is called a week."""


def delays_stage(
    number: int, *, every: int, epsilon: Fraction, seed: int | None, quiet: bool
) -> Delays:
    """Play the second stage, which counts delayed flights, with a progress bar."""
    with progress("counting delayed flights", number, quiet=quiet) as advance:
        told = told_delays(number, every=every, epsilon=epsilon, seed=seed, progress=advance)
    return promised_delays(epsilon, told)


def write_delays(found: Delays, output: Path, *, seeded: bool) -> dict[str, Path]:
    """Write the counts of delayed flights as a CSV table and as pictures; returns the paths."""
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
        Curve(
            CARRIERS[carrier], dates, [each.true[carrier] for each in readings],
            [each.noisy[carrier] for each in readings], [each.band for each in readings],
        )
        for carrier in found.most[:_DRAWN]
    ]  # fmt: skip
    largest = Curve(
        "most", dates, [max(each.true) for each in readings], [each.largest for each in readings],
        [each.largest_band for each in readings], steps=True,
    )  # fmt: skip
    intervals = readings[-1].interval
    plural = "s" if intervals > 1 else ""
    often = f"at every flight; {intervals} interval{plural}"
    panels = [
        Panel(f"H: delayed flights of each carrier, {_how_often(found)}", carriers),
        Panel(f"HSS: the maximum over the carriers, {often}", [largest]),
    ]
    epsilon = shown_up(found.promise.epsilon_at(DELTA), 4)
    subtitle = (
        f"both together ({epsilon}, {shown_up(DELTA)})-DP for any one flight; each band holds as "
        f"a whole with probability {1 - BETA:.0%}"
    )
    title = f"Flights that came at least {LATE} minutes late"
    bands(panels, title=title, subtitle=subtitle + "; seeded" * seeded, paths=paths)


def _how_often(found: Delays) -> str:
    """How often the counts were read, in words: once a week, or after a number of flights."""
    told = [reading.told for reading in found.readings]
    if len(told) < 2:
        return "told at the end"
    days = (found.dates[-1] - found.dates[0]).astype(int) / (len(told) - 1)
    every = told[1] - told[0]
    if _WEEK[0] <= days <= _WEEK[1]:
        return "once a week"
    return f"after every {every:,} flights" if every > 1 else "after every flight"


def print_delays(found: Delays) -> None:
    """Print the last counts of delayed flights as a table, with guarantee and true errors."""
    title = f"\nFlights at least {LATE} minutes late, by H and by HSS (CM §7):\n"
    numbers = ("true", "noisy", "error", "at most")
    table = Grid(list(_rows(found)), ("delayed", *numbers), numbers)
    print_card(Card(title, (table, *_delay_notes(found), "")))


def _rows(found: Delays) -> Iterator[tuple[str, ...]]:
    last = found.readings[-1]
    for carrier in found.most[:_LISTED]:
        yield _delay_row(CARRIERS[carrier], last.true[carrier], last.noisy[carrier], last.band)
    yield _delay_row("the most (HSS)", max(last.true), last.largest, last.largest_band)


def _delay_row(name: str, true: int, noisy: int, band: int) -> tuple[str, ...]:
    return name, f"{true:,}", f"{noisy:,}", f"{noisy - true:+,}", f"{band:,}"


def _delay_notes(found: Delays) -> Iterator[str]:
    readings, promise = found.readings, found.promise
    alone = found.histogram.claims[0].parameters[0]
    epsilon = shown_up(promise.epsilon_at(DELTA), 4)
    yield (
        f"H is told {len(readings)} times, ({alone}, 0)-DP; HSS is told each flight. Together: "
        f"({epsilon}, {shown_up(DELTA)})-DP, {promise.status.value}, by {promise.theorem}."
    )
    held = sum(abs(each.largest - max(each.true)) <= each.largest_band for each in readings)
    yield (
        f"HSS changed its answer {readings[-1].interval - 1} times; the truth lay in its band at "
        f"{held} of {len(readings)} readings (at all, with probability {1 - BETA:.0%})."
    )


def delays_data(found: Delays) -> dict[str, object]:
    """The counts of delayed flights, of the demo's second stage, as JSON data."""
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
