"""Learners whose mistakes are counted: a round of each, whole plays, and laws.

    make bench ARGS="-k mistakes"

For each step the time of one round is in its extra_info.
"""

from __future__ import annotations

import pytest

from antiphon.learners.littlestone import (
    BLANK,
    NameAndShame,
    hard_shape,
    point_learner,
    sparse_vector_learner,
    tree_counter_learner,
)
from antiphon.learners.mistakes import (
    FiniteLaw,
    SimulatedLaw,
    every_round,
    hard_sequence,
    known_law,
    worst_sequence,
)
from antiphon.protocol import SampledCoins

ROUNDS = 1 << 10
LONG = 1 << 20
LEARNERS = {
    "name and shame": lambda: NameAndShame(delta=1e-6),
    "sparse vector": lambda: sparse_vector_learner(horizon=LONG, epsilon=1),
    "tree counter": lambda: tree_counter_learner(horizon=LONG, epsilon=1),
    "1000 points": lambda: point_learner(points=1000, horizon=LONG, epsilon=1),
}


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.benchmark(group="mistakes: steps")
def test_steps(benchmark, name):
    learner, coins = LEARNERS[name](), SampledCoins(1)

    def play():
        state = learner.initial_state
        for _ in range(ROUNDS):
            state, _ = learner.step(state, BLANK, coins)

    benchmark(play)
    if benchmark.stats is not None:
        each = benchmark.stats.stats.min / ROUNDS * 1e6
        benchmark.extra_info["µs a round"] = round(each, 3)


@pytest.mark.parametrize("name", ["sparse vector", "1000 points"])
@pytest.mark.benchmark(group="mistakes: a million rounds, wrong in each")
def test_plays(benchmark, name):
    learner = LEARNERS[name]()

    def play():
        law = SimulatedLaw(learner, LONG, repetitions=8, seed=1, executor="serial")
        return law.mistakes(every_round(LONG))

    benchmark(play)


@pytest.mark.parametrize("name", ["sparse vector", "1000 points"])
@pytest.mark.benchmark(group="mistakes: a million rounds, wrong in each")
def test_known_laws(benchmark, name):
    law = known_law(LEARNERS[name](), LONG)
    benchmark(lambda: law.mistakes(every_round(LONG)))


@pytest.mark.benchmark(group="mistakes: sequences")
def test_a_hard_sequence(benchmark):
    law = known_law(LEARNERS["sparse vector"](), LONG)
    benchmark(lambda: hard_sequence(law))


@pytest.mark.benchmark(group="mistakes: sequences")
def test_the_worst_of_all(benchmark):
    law = FiniteLaw(NameAndShame(delta=0.1), 12)
    benchmark(lambda: worst_sequence(law))


@pytest.mark.benchmark(group="mistakes: sequences")
def test_the_bound(benchmark):
    benchmark(lambda: hard_shape(LONG, epsilon=0.1, delta=1e-6, beta=0.1))
