"""Continual counters, one step at a time and whole streams; compare within a group.

    make bench ARGS="-k counters --benchmark-timer=time.process_time"

(processor time, so that other programs count less). A *step* is an update and the noisy
count after it. For each test the time of one step is in its extra_info. ``by_hand`` is the
same buffered Toeplitz noise with NumPy's Gaussians in doubles, which may not be released:
what exactness costs.
"""

from __future__ import annotations

import numpy as np
import pytest
from peers import opendp

from antiphon.mechanisms import (
    COUNT,
    BalancedTreeCounter,
    BufferedToeplitzCounter,
    CountAfter,
    GaussianTreeCounter,
    RefinedTreeCounter,
    TreeCounter,
)
from antiphon.protocol import SampledCoins

HORIZON = 1 << 20
GRID = 2**32
SEEDS = pytest.mark.parametrize("seed", [1, None], ids=["seeded", "system entropy"])
KINDS = {
    "buffered": BufferedToeplitzCounter(horizon=HORIZON, rho=0.5),
    "buffered, normalised": BufferedToeplitzCounter(horizon=HORIZON, rho=0.5, normalised=True),
}


def report(benchmark, steps: int, what: str = "µs a step") -> None:
    """Note the time of one step; nothing where benchmarks are disabled."""
    if benchmark.stats is not None:
        each = benchmark.stats.stats.min / steps * 1e6
        benchmark.extra_info[what] = round(each, 3)
        print(f"\n{each:.3f} {what}")


def by_hand(counter: BufferedToeplitzCounter, stream: np.ndarray) -> np.ndarray:
    """B z + the prefix sums, in doubles."""
    generator = np.random.default_rng()
    thetas, weights = np.array(counter.thetas)[:, None], np.array(counter.weights)[:, None]
    buffers, total = np.zeros((len(thetas), stream.shape[1])), np.zeros(stream.shape[1])
    sigma, found = counter.squared_error(1) ** 0.5, np.empty(stream.shape)
    for t, x in enumerate(stream):
        v = sigma * generator.standard_normal(stream.shape[1]) - (weights * buffers).sum(axis=0)
        buffers = thetas * buffers + v
        total = total + x + v
        found[t] = total
    return found


@pytest.mark.benchmark(group="counters: a whole stream, d = 1")
class TestStream:
    """Target: at most 1 µs a step."""

    @SEEDS
    @pytest.mark.parametrize("kind", KINDS)
    def test_buffered(self, benchmark, kind, seed):
        stream = [1] * 200_000
        benchmark.pedantic(lambda: KINDS[kind].counts(stream, seed=seed), rounds=5)
        report(benchmark, len(stream))

    def test_by_hand(self, benchmark):
        stream = np.ones((20_000, 1))
        benchmark.pedantic(lambda: by_hand(KINDS["buffered"], stream), rounds=3)
        report(benchmark, len(stream))


@pytest.mark.benchmark(group="counters: a whole stream, d = 1000")
class TestWideStream:
    """Target: at most 20 µs a step (jax-privacy: 62 to 96 µs)."""

    @SEEDS
    def test_buffered(self, benchmark, seed):
        counter = BufferedToeplitzCounter(horizon=HORIZON, rho=0.5, dimension=1000)
        stream = np.ones((2000, 1000), np.int64)
        benchmark.pedantic(lambda: counter.counts(stream, seed=seed), rounds=5)
        report(benchmark, len(stream))

    def test_by_hand(self, benchmark):
        stream = np.ones((2000, 1000))
        benchmark.pedantic(lambda: by_hand(KINDS["buffered"], stream), rounds=5)
        report(benchmark, len(stream))


@pytest.mark.benchmark(group="counters: a live session, d = 1")
class TestLive:
    """Target: at most 4 µs a step, update and count (jax-privacy: 9.5 µs, update only)."""

    @SEEDS
    @pytest.mark.parametrize(
        "counter",
        [
            *KINDS.values(), GaussianTreeCounter(horizon=HORIZON, rho=0.5),
            RefinedTreeCounter(horizon=HORIZON, rho=0.5), TreeCounter(horizon=HORIZON, epsilon=1),
            BalancedTreeCounter(horizon=HORIZON, epsilon=1),
        ],
        ids=[*KINDS, "Gaussian tree", "refined tree", "tree", "balanced tree"],
    )  # fmt: skip
    def test_steps(self, benchmark, counter, seed):
        def play() -> None:
            send = counter.start(seed=seed).send
            for _ in range(10_000):
                send(1)
                send(COUNT)

        benchmark.pedantic(play, rounds=7)
        report(benchmark, 10_000)

    @SEEDS
    @pytest.mark.parametrize("counter", KINDS.values(), ids=KINDS)
    def test_count_after(self, benchmark, counter, seed):
        def play() -> None:
            send = (CountAfter() @ counter).start(seed=seed).send
            for _ in range(10_000):
                send(1)

        benchmark.pedantic(play, rounds=7)
        report(benchmark, 10_000)


@pytest.mark.benchmark(group="counters: a live session, d = 1000")
def test_wide_session(benchmark):
    counter = BufferedToeplitzCounter(horizon=HORIZON, rho=0.5, dimension=1000)
    x = np.ones(1000, np.int64)

    def play() -> None:
        send = counter.start(seed=1).send
        for _ in range(500):
            send(x)
            send(COUNT)

    benchmark.pedantic(play, rounds=5)
    report(benchmark, 500)


@pytest.mark.benchmark(group="counters: noise, a million draws")
class TestNoise:
    @SEEDS
    def test_exact_grid_noise(self, benchmark, seed):
        coins = SampledCoins(seed)
        benchmark.pedantic(lambda: coins.gaussian_array(GRID, 1_000_000), rounds=5)
        report(benchmark, 1_000_000, "µs a draw")

    def test_numpy_doubles(self, benchmark):
        generator = np.random.default_rng(1)
        benchmark.pedantic(lambda: generator.standard_normal(1_000_000), rounds=5)
        report(benchmark, 1_000_000, "µs a draw")


LEAVES = 1 << 12


@pytest.mark.benchmark(group="counters: a binary tree with Laplace noise, ε = 1, a whole stream")
class TestTree:
    """OpenDP's has no streaming form: it takes all leaves and gives all noisy nodes at once."""

    def test_antiphon(self, benchmark):
        counter = TreeCounter(horizon=LEAVES, epsilon=1)
        benchmark.pedantic(lambda: counter.counts([1] * LEAVES), rounds=5)
        report(benchmark, LEAVES)

    def test_opendp(self, benchmark):
        dp = opendp()
        space = dp.vector_domain(dp.atom_domain(T=int), size=LEAVES), dp.l1_distance(T=int)
        tree = dp.t.make_b_ary_tree(*space, leaf_count=LEAVES, branching_factor=2)
        noisy = tree >> dp.m.then_laplace(scale=float(LEAVES.bit_length()))
        assert noisy.map(1) <= 1
        benchmark.pedantic(lambda: noisy([1] * LEAVES), rounds=3)
        report(benchmark, LEAVES)
