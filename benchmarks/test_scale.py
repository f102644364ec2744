"""Memory, and long streams. Figures are printed as extra_info of the benchmark."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from systems import session

import antiphon as ap
from antiphon.mechanisms import DiscreteLaplace, ExponentialMechanism, TreeCounter
from antiphon.populations.column_coins import ColumnCoins
from antiphon.populations.play import Population

MANY = 1_000_000
SOME = 20_000
"""Replicas whose states and messages are arrays."""
ROUNDS = 10


@pytest.mark.benchmark(group="one million created mechanisms")
def test_bytes_each(benchmark):
    """Beyond the creation message, which is one object here; the states of V and ExtConComp."""

    def create_all() -> float:
        live = session(created=0)
        create = ap.same(ap.Create(TreeCounter(horizon=1024, epsilon=1)))
        tracemalloc.start()
        for _ in range(MANY):
            live.send(create)
        used, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return used / MANY

    each = benchmark.pedantic(create_all, rounds=1)
    benchmark.extra_info["bytes each"] = round(each)
    print(f"\n{each:.0f} bytes for each created mechanism (target: at most 600)")


@pytest.mark.benchmark(group="a stream of updates to disk")
def test_streamed_rounds(benchmark, tmp_path):
    """100,000 updates with every message written to a view: seconds for all."""
    counter = TreeCounter(horizon=2**20, epsilon=1)
    game = ap.PrivacyGame(counter, counter.claims[0].verification)
    adversary = ap.scripted([ap.same(1)] * 100_000)
    benchmark.pedantic(lambda: game.play(adversary, bit=0, sink=tmp_path / "view.jsonl"), rounds=3)


@pytest.mark.benchmark(group="the demo's year of flights")
def test_demo_stream(benchmark, tmp_path):
    """All 336,776 flights through the demo's game, streamed to a view (target: 10 s).

    Memory is the resident set after 10,000 flights and at the end (target: + 10 MB).
    """
    data = pytest.importorskip("antiphon.demo.data")
    survey = pytest.importorskip("antiphon.demo.survey")
    resource = pytest.importorskip("resource")
    data.flights()  # read once, outside the measure
    resident: dict[int, int] = {}

    def watch(told: int) -> None:
        if told <= 10_000:
            resident[0] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        resident[1] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    analyst = survey.FlightAnalyst()
    benchmark.pedantic(
        lambda: survey.play(analyst, bit=0, path=tmp_path / "view.jsonl", progress=watch), rounds=1
    )
    grown = (resident[1] - resident[0]) / 1024
    benchmark.extra_info["MB grown"] = grown
    print(f"\npeak memory grew by {grown:.1f} MB after the 10,000th flight (target: at most 10)")


@ap.adversary
@ap.column_safe
def listening(answers, coins):
    """Asks with other scores after each choice."""
    if len(answers) == ROUNDS:
        return ap.HALT
    scores = np.arange(100)
    return ap.Ask((scores * (1 + answers[-1])) % 7 if answers else scores, len(answers))


ARRAYS = {
    "discrete Laplace, d = 100": (ap.scripted([np.arange(100)]),
                                  DiscreteLaplace(epsilon=1, dimension=100)),
    "ten choices of 100, heard": (listening, ap.ConComp(
        [ExponentialMechanism(epsilon=1, candidates=100, arrays=True)] * ROUNDS)),
    "tree counter, d = 10, T = 16": (ap.scripted([np.arange(10) % 2, "count"] * 16),
                                     TreeCounter(horizon=16, epsilon=1, dimension=10)),
}  # fmt: skip


@pytest.mark.benchmark(group="a population of arrays")
@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_that_differ(benchmark, name):
    """20,000 replicas; a million take fifty times as long, in the same memory (target: minutes)."""
    adversary, mechanism = ARRAYS[name]

    def play() -> int:
        population = Population(adversary, mechanism, None, ColumnCoins(1))
        return sum(lanes.size for lanes, _ in population.play(SOME))

    assert benchmark.pedantic(play, rounds=2) == SOME
    if benchmark.stats is not None:
        print(f"\n{50 * benchmark.stats.stats.min:.0f} s for a million replicas")
