"""The command ``antiphon demo``: it plays the flights demo, draws pictures, and replays the
view."""

import os
import signal
import sys
import time
from collections.abc import Callable, Generator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from fractions import Fraction
from functools import partial
from multiprocessing import active_children, get_context
from pathlib import Path

import numpy as np

from antiphon.cli.commands import flights_output
from antiphon.cli.output import Advance, exact_number, print_json, progress
from antiphon.demo.data import flights
from antiphon.demo.delays import Delays, promised_delays, told_delays
from antiphon.demo.panels import Curve, Panel, along, running_counts
from antiphon.demo.survey import FlightAnalyst, FlightCounter, play
from antiphon.numbers.errors import InvalidArgument, ReplayMismatch
from antiphon.numbers.exact import rational
from antiphon.protocol.records.files import refuse_taken, write_text
from antiphon.protocol.records.interaction import replay
from antiphon.protocol.records.view import View

_DIAGRAM_ROUNDS = 24
_MANY = 50_000
"""The number of flights from which the second stage, on delays, runs in a process of its own."""
_FILES = (
    "flights.view.jsonl", "counters.csv", "flights.png", "flights.svg", "diagram.svg",
    "delays.csv", "delays.png", "delays.svg",
)  # fmt: skip
"""The files that the demo writes; none of them is overwritten without ``--force``."""


def demo(
    *,
    number: int,
    output: Path,
    seed: int | None,
    epsilon: str,
    bit: int,
    force: bool,
    as_json: bool,
) -> int:
    """Play the flights demo, draw, replay and print it; returns the exit status."""
    if output.exists() and not output.is_dir():
        raise InvalidArgument(f"{output} is a file: --output takes the directory for several files")
    exact = rational(epsilon, "epsilon")
    if exact == 0:
        raise InvalidArgument("epsilon must be positive: at 0 the counters would answer noise only")
    # This raises an error for parameters without a guarantee, before the play.
    promised_delays(exact, ())
    analyst = FlightAnalyst(
        flights=number, every=max(1, number // 52), busy=max(1, number // 8),
        challenge=number * 3 // 4, epsilon=exact,
    )  # fmt: skip
    say = partial(_say, quiet=as_json)
    say(f"reading the flights of 2013, to play {number:,} of them")
    # This raises an error if the flight data are missing, before the first file is written.
    flights()
    output.mkdir(parents=True, exist_ok=True)
    refuse_taken((output / name for name in _FILES), force)
    path = output / _FILES[0]
    with _delays(number, every=analyst.every, epsilon=exact, seed=seed, quiet=as_json) as delays:
        say("playing them: counters are created depending on the answers")
        with progress("playing flights", analyst.flights, quiet=as_json) as advance:
            start = time.perf_counter()
            view, counters = _played(analyst, bit, path, force, seed, advance)
            seconds = time.perf_counter() - start
        say("replaying what was saved")
        replay_seconds, mismatch = _replayed(view, as_json)
        say("counting delayed flights")
        late = delays()
    say("drawing")
    files = {"view": path, "counters": output / "counters.csv"}
    outcome = flights_output.FlightReport(
        analyst, bit, view, counters, seconds, files, replay_seconds, mismatch
    )
    _write_readings(counters, files["counters"])
    _draw(outcome, output)
    files |= flights_output.write_delays(late, output, seeded=seed is not None)
    if as_json:
        print_json(
            flights_output.outcome_data(outcome) | {"delays": flights_output.delays_data(late)}
        )
    else:
        flights_output.print_outcome(outcome)
        flights_output.print_delays(late)
        flights_output.print_files(outcome)
    return 0 if mismatch is None else 1


def _played(
    analyst: FlightAnalyst, bit: int, path: Path, force: bool, seed: int | None, advance: Advance
) -> tuple[View, tuple[FlightCounter, ...]]:
    try:
        return play(analyst, bit=bit, path=path, overwrite=force, seed=seed, progress=advance)
    except KeyboardInterrupt:
        if path.exists():
            print(f"stopped; what was played so far is in {path}", file=sys.stderr)
        raise


@contextmanager
def _delays(
    number: int, *, every: int, epsilon: Fraction, seed: int | None, quiet: bool
) -> Generator[Callable[[], Delays], None, None]:
    """Context manager: it starts the second stage, on delayed flights, if there are many in another
    process; it yields a function that waits for the result."""
    if number < _MANY or (os.cpu_count() or 1) < 2:
        yield lambda: flights_output.delays_stage(
            number, every=every, epsilon=epsilon, seed=seed, quiet=quiet
        )
        return
    with ProcessPoolExecutor(1, get_context("spawn"), _deaf) as pool:
        waiting = pool.submit(told_delays, number, every=every, epsilon=epsilon, seed=seed)
        try:
            yield lambda: promised_delays(epsilon, waiting.result())
        except BaseException:
            # The worker process is ended, since leaving the block would wait for it.
            for process in active_children():
                process.terminate()
            raise


def _deaf() -> None:
    """Ignore Ctrl-C in the worker process: the main process ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _replayed(view: View, as_json: bool) -> tuple[float, ReplayMismatch | None]:
    """Replay the saved view from its file; returns the seconds taken, and the mismatch, if any."""
    start, mismatch = time.perf_counter(), None
    try:
        with progress("replaying the saved view", None, quiet=as_json):
            replay(view)
    except ReplayMismatch as error:
        mismatch = error
    return time.perf_counter() - start, mismatch


def _say(text: str, *, quiet: bool) -> None:
    """Print the stage that begins on standard error, unless ``quiet``."""
    if not quiet:
        print(f"antiphon: {text}", file=sys.stderr, flush=True)


def _write_readings(counters: tuple[FlightCounter, ...], path: Path) -> None:
    rows = ["counter,date,flights_told,noisy_flights,true_flights"]
    for counter in counters:
        for reading, true, date in zip(counter.readings, counter.true, counter.dates, strict=True):
            rows.append(f"{counter.name},{date},{reading.told},{reading.noisy},{true}")
    write_text(path, "\n".join(rows) + "\n", overwrite=True)


def _draw(outcome: flights_output.FlightReport, output: Path) -> None:
    files, analyst = outcome.files, outcome.analyst
    files["picture"], files["picture_svg"] = output / "flights.png", output / "flights.svg"
    files["diagram"] = output / "diagram.svg"
    days = flights().days[: analyst.flights]
    drawn = partial(_curve, first=days[0], last=days[-1])
    panels = [Panel(
        "Flights of each airport", [drawn(counter) for counter in outcome.origins], analyst.busy,
        "busy from here on:\none counter per carrier",
    )]  # fmt: skip
    if outcome.busiest:
        busiest = [drawn(counter) for counter in outcome.busiest]
        panels.append(
            Panel(f"The {flights_output.BUSIEST} busiest carriers, from their creation", busiest)
        )
    often = f"{analyst.every:,} flights" if analyst.every > 1 else "flight"
    subtitle = (
        f"{analyst.flights:,} flights, {len(outcome.counters)} counters, "
        f"each {exact_number(analyst.epsilon)}-DP; asked after every {often}"
    )
    subtitle += "; seeded, not for release" * outcome.view.header.seeded
    running_counts(
        panels, title="Flights from New York in 2013, counted privately while they depart",
        subtitle=subtitle, unit="flights", paths=(files["picture"], files["picture_svg"]),
    )  # fmt: skip
    write_text(files["diagram"], outcome.view.svg(_DIAGRAM_ROUNDS), overwrite=True)


def _curve(counter: FlightCounter, *, first: np.datetime64, last: np.datetime64) -> Curve:
    told = [reading.told for reading in counter.readings]
    noisy = [reading.noisy for reading in counter.readings]
    where = along(counter.dates, told, first=first, last=last)
    return Curve(counter.name, where, counter.true, noisy)
