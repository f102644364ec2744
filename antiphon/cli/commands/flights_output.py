"""What ``antiphon demo`` prints."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Final

import attrs

from antiphon.cli.output import print_table
from antiphon.cli.written import shown
from antiphon.demo.analyst import FlightAnalyst
from antiphon.demo.data import CARRIERS, ORIGINS, flights
from antiphon.demo.survey import FlightCounter, flight_game
from antiphon.numbers.errors import ReplayMismatch
from antiphon.protocol.records.view import View

BUSIEST: Final = 6
"""How many carriers' counters are shown."""


@attrs.frozen
class FlightReport:
    """Everything that is printed."""

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
        """The carriers' counters with the largest noisy counts."""
        carriers = self.counters[len(ORIGINS) :]
        return sorted(carriers, key=lambda counter: -counter.noisy_count)[:BUSIEST]

    @property
    def challenged(self) -> list[FlightCounter]:
        """The counters that the challenge reached."""
        return [counter for counter in self.counters if counter.differed]

    @property
    def challenge(self) -> str:
        """The challenge flight, in words."""
        data, place = flights(), self.analyst.challenge
        origin, carrier = divmod(data.slots[place], len(CARRIERS))
        return f"{CARRIERS[carrier]} from {ORIGINS[origin]} on {data.days[place]}"


def _f(counter: FlightCounter) -> str:
    return type(counter.claim.verification).__name__


def _guarantee(epsilon: Fraction) -> str:
    return (
        f"2ε = {shown(2 * epsilon)} (pure DP), against adaptive adversaries, for whether any one "
        f"flight counts as 1 or as 0: CM Thm 5.2, f_∞ with k = 2 times ({shown(epsilon)}, 0)."
    )


def print_outcome(outcome: FlightReport) -> None:
    """For people: the table, and what was promised, replayed and written."""
    analyst, view = outcome.analyst, outcome.view
    print(
        f"{analyst.flights:,} flights in {len(view.rounds):,} rounds through V[f_∞] ∘* I(b) ∘* "
        f"ExtConComp: {len(outcome.counters)} counters, {outcome.seconds:.1f} s"
    )
    if view.header.seeded:
        print("SEEDED: the noise can be computed again by anyone. Not for release.")
    sources = list(dict.fromkeys(counter.claim.source for counter in outcome.counters))
    rows = [_row(counter, sources) for counter in (*outcome.origins, *outcome.busiest)]
    numbers = ("ε", "true", "noisy", "error")
    print()
    columns = ("counter", "ε", "f", "status", "source", *numbers[1:])
    print_table(columns, rows, numbers=numbers)
    print("counts in flights, ε in nats (δ = 0); each counter counts from its creation")
    for place, source in enumerate(sources, start=1):
        print(f"[{place}] {source}")
    for line in _notes(outcome):
        print(line)


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
    """What was written."""
    print("Files:")
    for name, path in outcome.files.items():
        print(f"  {name.replace('_', ' '):<15} {path}")
    print("The view holds the flights that were played: it is as public as they are.")


def outcome_data(outcome: FlightReport) -> dict[str, object]:
    """The same as data, with every reading."""
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
