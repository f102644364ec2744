"""Learners of experts, one round at a time and whole games; compare within a group.

    make bench ARGS="-k learners"

A *round* is the advice and then the loss. For each test the time of one round is in its extra_info.
``add`` is a bare NumPy addition of two int64 arrays of that size, into a new one, which no learner
that keeps its old states can do without; GB/s are of the three arrays that it reads and writes.
``hedge_by_hand`` is Hedge in doubles with NumPy's own generator, which is no mechanism;
``hedge_by_river`` is the exponentially weighted average of river, a maintained peer.
*phases* of a noisy leader are Gaussian draws, its counter's update, and the draw of the expert,
each beside a draw by softmax in bare NumPy, which is neither private nor exact.
"""

from __future__ import annotations

from time import perf_counter

import attrs
import numpy as np
import pytest
from peers import Peer

from antiphon.composition import ComplexMechanism
from antiphon.learners import (
    ADVICE,
    Hedge,
    LazyExperts,
    LazyPolicy,
    LazyToPrivate,
    NoisyLeader,
    ShrinkingDartboard,
    contest,
    games,
)
from antiphon.mechanisms.counters.factors.rows import gaussians
from antiphon.mechanisms.counters.streams import Rolling
from antiphon.protocol import SampledCoins

HORIZON = 1 << 16
ROUNDS = 1 << 10
"""Of whole games."""
SIZES = pytest.mark.parametrize("experts", [10, 1000, 10**6])


def report(benchmark, rounds: int, experts: int = 0) -> None:
    """Note the time of one round, and what goes through memory; nothing where it is disabled."""
    if benchmark.stats is not None:
        each = benchmark.stats.stats.min / rounds * 1e6
        benchmark.extra_info["µs a round"] = round(each, 3)
        if experts:
            benchmark.extra_info["GB/s"] = round(3 * 8e-3 * experts / each, 2)
        print("\n" + ", ".join(f"{value} {name}" for name, value in benchmark.extra_info.items()))


def losses(experts: int) -> np.ndarray:
    """Some rounds of a game."""
    return games.StochasticGap(rounds=max(8, 2**22 // experts // 4), experts=experts).losses(1, 0)


def lazy(experts: int) -> LazyExperts:
    """With the parameters for ε = 1, δ = 1e-6 and so many rounds."""
    return LazyExperts.tuned(horizon=HORIZON, experts=experts, epsilon=1, delta=1e-6)


def l2p(experts: int) -> LazyToPrivate:
    """As ``lazy``."""
    return LazyToPrivate.tuned(horizon=HORIZON, experts=experts, epsilon=1, delta=1e-6)


def noisy(experts: int) -> NoisyLeader:
    """A noisy leader, with the parameters for the same."""
    return NoisyLeader.tuned(horizon=HORIZON, experts=experts, epsilon=1, delta=1e-6)


KINDS = {
    "lazy": lazy,
    "l2p": l2p,
    "dartboard": lambda experts: ShrinkingDartboard.tuned(horizon=HORIZON, experts=experts),
    "hedge": lambda experts: Hedge.tuned(horizon=HORIZON, experts=experts),
    "noisy": noisy,
}


@SIZES
@pytest.mark.parametrize("kind", ["lazy", "l2p", "dartboard", "hedge"])
@pytest.mark.benchmark(group="learners: steps")
def test_steps(benchmark, experts, kind):
    learner, table, coins = KINDS[kind](experts), losses(experts), SampledCoins(1)

    def play():
        state = learner.initial_state
        for loss in table:
            state, _ = learner.step(state, ADVICE, coins)
            state, _ = learner.step(state, loss, coins)

    benchmark(play)
    report(benchmark, len(table), experts)


@SIZES
@pytest.mark.benchmark(group="learners: steps")
def test_a_session(benchmark, experts):
    learner, table = lazy(experts), losses(experts)

    def play():
        session = learner.start()
        for loss in table:
            session.send(ADVICE)
            session.send(loss)

    benchmark(play)
    report(benchmark, len(table))


@pytest.mark.parametrize("experts", [10, 100, 1000])
@pytest.mark.parametrize("kind", ["lazy", "parts", "every round"])
@pytest.mark.benchmark(group="learners: of parts")
def test_of_parts(benchmark, experts, kind):
    """P ∘* ExtConComp beside what it says; at worst a decision in every round."""
    size = {"horizon": 1 << 14, "experts": experts}
    learner = LazyExperts.tuned(**size, epsilon=1, delta=1e-6)
    if kind == "every round":
        learner = attrs.evolve(learner, batch=1)
    policy = LazyPolicy.capped(learner, beta=0.01)
    system = learner if kind == "lazy" else ComplexMechanism(policy)
    game, coins = games.StochasticGap(rounds=1 << 14, experts=experts), SampledCoins(1)
    blocks = [game.losses(1, number) for number in range(-(-game.rounds // game.block))]
    table = np.concatenate(blocks)

    def play():
        state = system.initial_state
        for loss in table:
            state, _ = system.step(state, ADVICE, coins)
            state, _ = system.step(state, loss, coins)

    benchmark.pedantic(play, rounds=3)
    report(benchmark, len(table))


@SIZES
@pytest.mark.benchmark(group="learners: steps")
def test_add(benchmark, experts):
    table = losses(experts)

    def play():
        total = np.zeros(experts, np.int64)
        for loss in table:
            total = total - loss

    benchmark(play)
    report(benchmark, len(table), experts)


@pytest.mark.parametrize("experts", [10, 1000])
@pytest.mark.parametrize("kind", ["lazy", "l2p", "dartboard", "hedge", "noisy"])
@pytest.mark.benchmark(group="learners: whole games")
def test_whole_games(benchmark, experts, kind):
    learner, table = KINDS[kind](experts), losses(experts)[:ROUNDS]
    benchmark(lambda: learner.follow(learner.initial_state, table, SampledCoins()))
    report(benchmark, len(table), experts)


@pytest.mark.parametrize("experts", [10, 1000])
@pytest.mark.benchmark(group="learners: whole games")
def test_a_noisy_session(benchmark, experts):
    learner, table = noisy(experts), losses(experts)[:ROUNDS]

    def play():
        session = learner.start()
        for loss in table:
            session.send(ADVICE)
            session.send(loss)

    benchmark(play)
    report(benchmark, len(table), experts)


@pytest.mark.parametrize("experts", [10, 100, 1000, 10**4])
@pytest.mark.parametrize("seed", [None, 1], ids=["system", "seeded"])
@pytest.mark.benchmark(group="learners: phases of a noisy leader")
def test_phases(benchmark, experts, seed):
    """The least time of each phase, by turns; a round is that of ``follow``."""
    learner, coins = noisy(experts), SampledCoins(seed)
    counter, softmax = learner.counter, learner.softmax
    table = losses(experts)[: max(8, 2**16 // experts)]  # several stocks of noise
    rolling, generator = Rolling(counter, counter.initial_state), np.random.default_rng(1)
    state, _ = learner.follow(learner.initial_state, table[:1], coins)

    def bare(sums):
        weights = np.exp(float(learner.rate) * (sums.min() - sums)).cumsum()
        return weights.searchsorted(generator.random() * weights[-1])

    noise, best = gaussians(coins, counter.grid, experts), dict[str, float]()
    phases = {
        "gaussians": lambda loss: gaussians(coins, counter.grid, experts),
        "update": lambda loss: rolling.push(loss * float(counter.unit), noise, counter.divisor(0)),
        "sums": lambda loss: rolling.sums(),
        "expert": lambda loss: softmax.drawn(rolling.sums(), coins),
        "bare": lambda loss: bare(rolling.sums()),
    }

    def play(name):
        start = perf_counter()
        if name == "round":
            learner.follow(state, table, coins)
        else:
            for loss in table:
                phases[name](loss)
        each = (perf_counter() - start) / len(table) * 1e6
        best[name] = min(best.get(name, each), each)

    benchmark.pedantic(lambda: [play(name) for name in (*phases, "round")], rounds=50)
    benchmark.extra_info["µs"] = {name: round(each, 2) for name, each in best.items()}
    benchmark.extra_info["beside bare"] = {
        name: round(each / best["bare"], 2) for name, each in best.items()
    }


@pytest.mark.parametrize("experts", [10, 1000])
@pytest.mark.benchmark(group="learners: whole games")
def test_hedge_by_hand(benchmark, experts):
    table, rate = losses(experts)[:ROUNDS], 0.01

    def play():
        generator, scores = np.random.default_rng(), np.zeros(experts)
        for loss in table:
            scores -= rate * loss
            weights = np.exp(scores - scores.max()).cumsum()
            weights.searchsorted(generator.random() * weights[-1])

    benchmark(play)
    report(benchmark, len(table))


RIVER = Peer("ask_river.py")


@pytest.mark.parametrize("experts", [10, 1000])
@pytest.mark.benchmark(group="learners: whole games", timer=RIVER.clock)
def test_hedge_by_river(benchmark, experts):
    """A maintained library of online learning: its exponentially weighted average."""
    table = losses(experts)[: ROUNDS if experts == 10 else 64].astype(float).tolist()
    benchmark.pedantic(lambda: RIVER.ask(losses=table, rate=0.01), rounds=3)
    report(benchmark, len(table))


@pytest.mark.benchmark(group="learners: contests")
def test_a_contest(benchmark):
    game, learner = games.StochasticGap(rounds=HORIZON, experts=10), lazy(10)
    benchmark.pedantic(
        lambda: contest(learner, game, repetitions=4, seed=1, executor="serial"), rounds=2
    )
    report(benchmark, 4 * HORIZON)
