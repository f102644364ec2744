"""Discrete noise, choices and sparse vector, with the operating system's entropy, beside OpenDP.

    make bench ARGS="-k noise"

Targets: at most 6 µs a scalar draw of discrete Laplace noise, at least 2·10⁶ a second for many at
once; at least 3·10⁵ sparse vector queries a second through a live session. OpenDP's groups are
skipped where it is not installed.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from peers import opendp

from antiphon.composition import ComplexMechanism
from antiphon.mechanisms import (
    AboveThreshold,
    DiscreteLaplace,
    ExponentialMechanism,
    HistogramSVT,
    KthLargest,
    NumericSparseVector,
    PermuteAndFlip,
    ReportNoisyMax,
    SparseVector,
    learned_weights,
)
from antiphon.protocol import SampledCoins
from antiphon.protocol.coins import discrete_noise, samplers
from antiphon.protocol.coins.sampled import system_words

SCALES = [
    Fraction(1, 2),
    Fraction(1),
    Fraction(4),
    Fraction(10),
    Fraction(1000),
    Fraction(10**6, 7),
]
MANY = 20_000
"""Draws at once."""
EACH = 2_000
"""Draws, or messages, in one round of a benchmark of small things."""


def per_item(benchmark, count):
    """Note microseconds and items a second; nothing where benchmarks are disabled."""
    if benchmark.stats is not None:
        each = benchmark.stats.stats.median / count
        benchmark.extra_info["µs each"] = round(1e6 * each, 3)
        benchmark.extra_info["a second"] = round(1 / each)


def repeated(benchmark, act, count=EACH):
    """Time many calls together, so that the clock is not what is measured."""

    def run():
        for _ in range(count):
            act()

    benchmark(run)
    per_item(benchmark, count)


@pytest.mark.parametrize("scale", SCALES, ids=str)
class TestNoiseScalar:
    """One draw of discrete Laplace noise at a time."""

    @pytest.fixture(autouse=True)
    def _group(self, benchmark, scale):
        benchmark.group = f"noise: one discrete Laplace draw, scale {scale}"

    def test_antiphon(self, benchmark, scale):
        coins = SampledCoins()
        repeated(benchmark, lambda: coins.discrete_laplace(scale))

    def test_antiphon_by_the_series(self, benchmark, scale):
        """CKS Algorithm 2 as it is printed."""
        coins = SampledCoins()
        repeated(benchmark, lambda: samplers.discrete_laplace(scale, coins._below))

    def test_opendp(self, benchmark, scale):
        dp = opendp()
        space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
        measurement = dp.m.make_laplace(*space, scale=float(scale))
        repeated(benchmark, lambda: measurement(0))


@pytest.mark.parametrize("sigma", [Fraction(1), Fraction(10), Fraction(1000)], ids=str)
class TestNoiseGaussian:
    """One draw of discrete Gaussian noise at a time."""

    @pytest.fixture(autouse=True)
    def _group(self, benchmark, sigma):
        benchmark.group = f"noise: one discrete Gaussian draw, sigma {sigma}"

    def test_antiphon(self, benchmark, sigma):
        coins = SampledCoins()
        repeated(benchmark, lambda: coins.discrete_gaussian(sigma))

    def test_opendp(self, benchmark, sigma):
        dp = opendp()
        space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
        measurement = dp.m.make_gaussian(*space, scale=float(sigma))
        repeated(benchmark, lambda: measurement(0))


@pytest.mark.parametrize("scale", SCALES, ids=str)
class TestNoiseMany:
    """Twenty thousand draws at once."""

    @pytest.fixture(autouse=True)
    def _group(self, benchmark, scale):
        benchmark.group = f"noise: 20,000 discrete Laplace draws at once, scale {scale}"

    def test_antiphon(self, benchmark, scale):
        sampler = discrete_noise.LaplaceDraws(scale)
        benchmark(sampler.many, MANY, system_words)
        per_item(benchmark, MANY)

    def test_antiphon_as_a_tuple_of_ints(self, benchmark, scale):
        coins = SampledCoins()
        benchmark(coins.discrete_laplaces, scale, MANY)
        per_item(benchmark, MANY)

    def test_opendp(self, benchmark, scale):
        dp = opendp()
        space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
        measurement, zeros = dp.m.make_laplace(*space, scale=float(scale)), [0] * MANY
        benchmark.pedantic(measurement, [zeros], rounds=3)
        per_item(benchmark, MANY)


@pytest.mark.benchmark(group="noise: mechanisms, from new to answered")
class TestNoiseMechanisms:
    def test_discrete_laplace(self, benchmark):
        mechanism = DiscreteLaplace(epsilon=0.1)
        repeated(benchmark, lambda: mechanism.start().send(7))

    @pytest.mark.parametrize("dimension", [10, 1000, 100_000])
    def test_discrete_laplace_of_vectors(self, benchmark, dimension):
        mechanism, row = DiscreteLaplace(epsilon=0.1, dimension=dimension), np.arange(dimension)
        benchmark(lambda: mechanism.start().send(row))
        per_item(benchmark, dimension)

    @pytest.mark.parametrize("kind", [ExponentialMechanism, PermuteAndFlip, ReportNoisyMax])
    @pytest.mark.parametrize("candidates", [10, 1000])
    def test_choices(self, benchmark, kind, candidates):
        mechanism, scores = kind(epsilon=0.1, candidates=candidates), tuple(range(candidates))
        benchmark(lambda: mechanism.start().send(scores))

    @pytest.mark.parametrize("candidates", [1000, 10**5, 10**6])
    def test_choices_among_arrays(self, benchmark, candidates):
        mechanism = ExponentialMechanism(epsilon=0.1, candidates=candidates, arrays=True)
        scores = np.arange(candidates)
        benchmark(lambda: mechanism.start().send(scores))
        per_item(benchmark, candidates)

    @pytest.mark.parametrize("candidates", [10, 1000])
    def test_opendp_noisy_max(self, benchmark, candidates):
        dp = opendp()
        space = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
        measurement = dp.m.make_noisy_max(*space, dp.max_divergence(), scale=20.0)
        benchmark(measurement, list(range(candidates)))


@pytest.mark.benchmark(group="noise: sparse vector, queries through a live session")
class TestNoiseSparseVector:
    @pytest.mark.parametrize(
        "mechanism",
        [
            AboveThreshold(epsilon=1, threshold=10**9),
            SparseVector(epsilon=1, threshold=10**9, tops=50),
            NumericSparseVector(epsilon=1, threshold=10**9, tops=50),
        ],
        ids=lambda mechanism: type(mechanism).__name__,
    )
    def test_below(self, benchmark, mechanism):
        session = mechanism.start()
        repeated(benchmark, lambda: session.send(3))

    @pytest.mark.parametrize("dimension", [1, 16])
    def test_on_a_histogram(self, benchmark, dimension):
        svt = HistogramSVT(epsilon=1, query=KthLargest(), histogram=(0,) * dimension)
        session, message = svt.start(), ((1,) + (0,) * (dimension - 1), 10**9)
        repeated(benchmark, lambda: session.send(message))


@pytest.mark.benchmark(group="noise: private multiplicative weights, a linear query")
@pytest.mark.parametrize("size", [100, 1000, 10_000])
class TestNoiseMultiplicativeWeights:
    """A live session over a million rows, and the same hypothesis in doubles without privacy."""

    def test_session(self, benchmark, size):
        learner = learned_weights(size=size, rows=10**6, queries=10**4, epsilon=1, delta=1e-6)
        session = ComplexMechanism(learner).start()
        session.send(np.full(size, 10**6 // size))
        query = (np.arange(size) % 2).astype(float)
        repeated(benchmark, lambda: session.send(query), 200)

    def test_not_private(self, benchmark, size):
        counts, weights = np.full(size, 10**6 // size), np.full(size, 1 / size)
        query = (np.arange(size) % 2).astype(float)
        repeated(benchmark, lambda: (query @ counts, query @ weights), 200)

    def test_parameters(self, benchmark, size):
        benchmark(learned_weights, size=size, rows=10**6, queries=10**4, epsilon=1, delta=1e-6)
