"""Histograms through live sessions, with the operating system's entropy: µs an update.

    make bench ARGS="-k histograms"

Target: HSS at d = 16 over 10⁶ updates in at most 15 s, which one benchmark runs in full.
"""

from __future__ import annotations

import time

import numpy as np
import pytest

from antiphon.composition import ComplexMechanism
from antiphon.mechanisms import (
    HSS,
    ContinualHistogram,
    CountAbove,
    HistogramMonitor,
    HSSWithoutTest,
    KthLargest,
    SparseVector,
    quantile,
)
from antiphon.protocol.coins.sampled import generator


def stream(dimension, length=1000):
    """Vectors of bits, a third of them ones."""
    table = generator(1).random((length, dimension)) < np.linspace(0.1, 0.6, dimension)
    return [tuple(row) for row in table.astype(int).tolist()]


def driven(benchmark, mechanism, rows, count, rounds=3):
    """Time ``count`` updates of a new session, again and again."""

    spent = []

    def run():
        session, started = mechanism.start(), time.process_time()
        send, answer = session.send, None
        for _ in range(count // len(rows)):
            for row in rows:
                answer = send(row)
        spent.append(time.process_time() - started)
        return answer

    answer = benchmark.pedantic(run, rounds=rounds, warmup_rounds=0)
    if benchmark.stats is not None:
        benchmark.extra_info["µs each"] = round(1e6 * benchmark.stats.stats.min / count, 3)
        benchmark.extra_info["µs of CPU each"] = round(1e6 * min(spent) / count, 3)
        benchmark.extra_info["last answer"] = str(answer)[:60]


@pytest.mark.benchmark(group="histograms: HSS, d = 16, 10⁶ updates")
class TestHistogramsMillion:
    def test_hss(self, benchmark):
        hss = HSS(epsilon=1, query=KthLargest(1), dimension=16)
        driven(benchmark, ComplexMechanism(hss), stream(16), 10**6, rounds=1)


@pytest.mark.benchmark(group="histograms: 20,000 updates")
class TestHistogramsUpdates:
    @pytest.mark.parametrize("dimension", [1, 4, 16, 64, 256])
    def test_hss(self, benchmark, dimension):
        hss = HSS(epsilon=1, query=KthLargest(1), dimension=dimension)
        driven(benchmark, ComplexMechanism(hss), stream(dimension), 20_000)

    @pytest.mark.parametrize(
        "query", [quantile(0.5, 16), CountAbove(1000, width=16)], ids=["median", "above"]
    )
    def test_hss_with_other_queries(self, benchmark, query):
        hss = HSS(epsilon=1, query=query, dimension=16)
        driven(benchmark, ComplexMechanism(hss), stream(16), 20_000)

    def test_hss_without_test(self, benchmark):
        hss = HSSWithoutTest(epsilon=1, query=KthLargest(1), dimension=16)
        driven(benchmark, ComplexMechanism(hss), stream(16), 20_000)

    def test_monitor(self, benchmark):
        monitor = HistogramMonitor(
            mechanism=SparseVector(epsilon=1), queries=(KthLargest(1),), dimension=16
        )
        driven(benchmark, ComplexMechanism(monitor), stream(16), 20_000)

    def test_continual_histogram(self, benchmark):
        """H alone: every update is counted and asked for, coordinate by coordinate."""
        driven(
            benchmark, ContinualHistogram.pure(dimension=16, epsilon=1), stream(16), 2000, rounds=1
        )
