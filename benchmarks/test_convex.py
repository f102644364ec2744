"""DP-FTRL at d = 20, one round at a time and whole games; compare within a group.

    make bench ARGS="-k test_convex"

A *round* is the advice and then the datum. For each test the time of one round is in its
extra_info. ``counter`` is what stands on the right, by itself: an update and a count, the floor of
every learner on its left. ``gradient_descent_by_hand`` is projected gradient descent in doubles,
without noise, which is no mechanism.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from antiphon.learners import ADVICE
from antiphon.learners.convex import Ball, LinearLoss, dp_ftrl, follow, ftrl
from antiphon.mechanisms import COUNT
from antiphon.protocol import SampledCoins

HORIZON, DIMENSION, ROUNDS = 1 << 16, 20, 4000
BODY, LOSS = Ball(dimension=DIMENSION), LinearLoss(dimension=DIMENSION)
GAME = {"body": BODY, "loss": LOSS, "horizon": HORIZON}
LEARNERS = {"private": dp_ftrl(**GAME, epsilon=1, delta=1e-6), "exact": ftrl(**GAME)}


def report(benchmark) -> None:
    """Note the time of one round; nothing where benchmarks are disabled."""
    if benchmark.stats is not None:
        each = benchmark.stats.stats.min / ROUNDS * 1e6
        benchmark.extra_info["µs a round"] = round(each, 3)
        print(f"\n{each:.3f} µs a round")


def table() -> np.ndarray:
    """Data of length 1."""
    normal = np.random.default_rng(1).normal(size=(ROUNDS, DIMENSION))
    unit = normal / np.linalg.norm(normal, axis=1, keepdims=True)
    return (unit * LOSS.grid).astype(np.int64)


@pytest.mark.parametrize("kind", LEARNERS)
@pytest.mark.benchmark(group="convex: rounds")
def test_a_session(benchmark, kind):
    data = table()

    def play():
        session = LEARNERS[kind].start()
        for datum in data:
            session.send(ADVICE)
            session.send(datum)

    benchmark(play)
    report(benchmark)


@pytest.mark.parametrize("kind", LEARNERS)
@pytest.mark.benchmark(group="convex: rounds")
def test_steps(benchmark, kind):
    data, learner, coins = table(), LEARNERS[kind], SampledCoins()

    def play():
        state = learner.initial_state
        for datum in data:
            state, _ = learner.step(state, ADVICE, coins)
            state, _ = learner.step(state, datum, coins)

    benchmark(play)
    report(benchmark)


@pytest.mark.benchmark(group="convex: rounds")
def test_counter(benchmark):
    data, counter, coins = table(), LEARNERS["private"].mechanism, SampledCoins()

    def play():
        state = counter.initial_state
        for datum in data:
            state, _ = counter.step(state, datum, coins)
            state, _ = counter.step(state, COUNT, coins)

    benchmark(play)
    report(benchmark)


@pytest.mark.parametrize("kind", LEARNERS)
@pytest.mark.benchmark(group="convex: whole games")
def test_whole_games(benchmark, kind):
    data = table()
    benchmark(lambda: follow(LEARNERS[kind], data, SampledCoins()))
    report(benchmark)


@pytest.mark.benchmark(group="convex: whole games")
def test_gradient_descent_by_hand(benchmark):
    data = table()

    def play():
        point = np.zeros(DIMENSION)
        for time, datum in enumerate(data, 1):
            point = point - LOSS.gradient(point, datum) / math.sqrt(time)
            point = BODY.project(point)

    benchmark(play)
    report(benchmark)
