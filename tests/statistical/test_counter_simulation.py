"""Counters against their expected errors, by simulation; every test also rejects broken twins.

One d-dimensional counter gives d independent samples of its error at every time. Each test is
the DKW inequality at α = 1e-8 on n = d samples against the law that ``squared_error`` says:
normal for Gaussian noise (its sums are within 1e-3 of it, which is added to the threshold),
the exact convolution for Laplace noise. With n = 20 000 the threshold is 0.0218 + 0.001: noise
with a standard deviation off by 1.1 is 0.023 away, by 1.5 (a shrunk column) 0.096, a variance
taken for a deviation (3.3 for 1.8) 0.14, a lag of one update (of 1, at a deviation below 4) 0.1.
"""

import math
from fractions import Fraction

import attrs
import numpy as np
import pytest

from antiphon.mechanisms import (
    COUNT,
    BalancedTreeCounter,
    BufferedToeplitzCounter,
    GaussianTreeCounter,
    RefinedTreeCounter,
    SquareRootCounter,
    TreeCounter,
    UnboundedCounter,
)
from antiphon.mechanisms.counters.balanced_tree import nodes

ALPHA = 1e-8
MANY, SOME = 20_000, 4_000
"""Samples: counters of Python ints are slower."""


def errors(counter, times, *, dimension, seed, lag=0):
    """The errors of all coordinates at some times, for a stream of ones."""
    counter = with_dimension(counter, dimension)
    session, found = counter.start(seed=seed), {}
    ones = np.ones(dimension, np.int64)
    for time in range(1, max(times) + 1):
        session.send(ones)
        if time in times:
            found[time] = session.send(COUNT) - (time + lag)
    return found


def with_dimension(counter, dimension):
    if isinstance(counter, UnboundedCounter):
        return UnboundedCounter(counter=with_dimension(counter.counter, dimension))
    return attrs.evolve(counter, dimension=dimension, sensitivity=1)


def distance(sample, cdf):
    """sup |F_n - F|."""
    ordered = np.sort(sample)
    values = np.array([cdf(x) for x in ordered])
    places = np.arange(len(ordered) + 1) / len(ordered)
    return max(np.abs(values - places[1:]).max(), np.abs(values - places[:-1]).max())


def is_normal(sample, variance, step):
    """Not rejected at α: the sample is N(0, variance), rounded to multiples of ``step``."""
    jitter = np.random.default_rng(1).uniform(-step / 2, step / 2, len(sample))
    deviation = math.sqrt(variance + step**2 / 12)

    def cdf(x):
        return math.erfc(-x / deviation / math.sqrt(2)) / 2

    limit = math.sqrt(math.log(2 / ALPHA) / (2 * len(sample))) + 0.001
    return distance(sample + jitter, cdf) <= limit


GAUSSIAN = [
    (GaussianTreeCounter(horizon=15, rho=Fraction(1, 4)), (7, 8, 15), SOME),
    (RefinedTreeCounter(horizon=15, rho=Fraction(1, 4)), (7, 8, 15), SOME),
    (SquareRootCounter(horizon=40, rho=0.5), (1, 20, 40), MANY),
    (SquareRootCounter(horizon=40, rho=0.5, normalised=True), (1, 20, 40), MANY),
    (BufferedToeplitzCounter(horizon=300, rho=0.5), (1, 40, 300), MANY),
    (BufferedToeplitzCounter(horizon=300, rho=0.5, normalised=True), (1, 40, 300), MANY),
    (UnboundedCounter(counter=BufferedToeplitzCounter(horizon=4, rho=0.1)), (4, 13), MANY),
]  # fmt: skip
EVERY = pytest.mark.parametrize(("counter", "times", "n"), GAUSSIAN, ids=lambda x: repr(x)[:60])


def grid(counter):
    if isinstance(counter, GaussianTreeCounter) and not isinstance(counter, RefinedTreeCounter):
        return 1
    return 2.0**-14


@EVERY
def test_errors_are_normal_with_the_expected_variance(counter, times, n):
    found = errors(counter, times, dimension=n, seed=11)
    for time, sample in found.items():
        expected = counter.squared_error(time)
        assert is_normal(sample, expected, grid(counter)), time
        if n == MANY:
            assert not is_normal(sample * 1.1, expected, grid(counter))
        assert not is_normal(sample * 1.5, expected, grid(counter))
        assert not is_normal(sample * expected**0.5, expected, grid(counter)) or expected < 1.5


@EVERY
def test_a_sum_that_lags_by_one_is_noticed(counter, times, n):
    found = errors(counter, times[:1], dimension=n, seed=12, lag=1)
    for time, sample in found.items():
        assert not is_normal(sample, counter.squared_error(time), grid(counter))


def shrunk(counter):
    """Noise divided by the norm of a column, the claim as before."""
    twin = with_dimension(counter, MANY)
    factor = twin._largest_norm()
    twin._set(_room=twin._room * factor, _blocks={})
    twin._set(_only=twin.divisor(0))
    return twin


@pytest.mark.parametrize("normalised", [False, True])
def test_noise_that_shrinks_with_its_columns_is_noticed(normalised):
    counter = BufferedToeplitzCounter(horizon=300, rho=0.5, normalised=normalised)
    session = shrunk(counter).start(seed=3)
    for _ in range(40):
        session.send(np.ones(MANY, np.int64))
    assert not is_normal(session.send(COUNT) - 40, counter.squared_error(40), grid(counter))


# --- Laplace noise -------------------------------------------------------------------------------


def laplace_sum(scale, count):
    """The law of a sum of discrete Laplace draws, by convolution."""
    wide = math.ceil(40 * scale)
    one = np.exp(-np.abs(np.arange(-wide, wide + 1)) / float(scale))
    one /= one.sum()
    law = one
    for _ in range(count - 1):
        law = np.convolve(law, one)
    return np.arange(len(law)) - len(law) // 2, law


def follows(sample, values, law):
    """Not rejected at α: integers with this law, by DKW on the integers."""
    cdf = np.cumsum(law)
    shares = np.searchsorted(np.sort(sample), values, side="right") / len(sample)
    return np.abs(shares - cdf).max() <= math.sqrt(math.log(2 / ALPHA) / (2 * len(sample)))


LAPLACE = [
    (TreeCounter(horizon=7, epsilon=1), lambda time: time.bit_count(), (4, 7)),
    (BalancedTreeCounter(horizon=40, epsilon=1, arity=5), lambda time: nodes(time, 5),
     (2, 11, 13, 37)),
]  # fmt: skip


@pytest.mark.parametrize(("counter", "count", "times"), LAPLACE, ids=["binary", "balanced"])
def test_errors_are_sums_of_laplace_noise(counter, count, times):
    """n = 16 000: the threshold is 0.0245; another node, or 1.3 times the noise, is further."""
    for time, sample in errors(counter, times, dimension=16_000, seed=5).items():
        values, law = laplace_sum(counter.scale, count(time))
        assert abs((law * values**2).sum() / counter.squared_error(time) - 1) < 1e-6
        assert follows(sample, values, law)
        assert not follows(np.rint(1.3 * sample).astype(int), values, law)
        assert not follows(sample, *laplace_sum(counter.scale, count(time) + 1))


# --- bounds --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "counter",
    [
        TreeCounter(horizon=15, epsilon=1), BalancedTreeCounter(horizon=13, epsilon=1),
        GaussianTreeCounter(horizon=15, rho=0.5), RefinedTreeCounter(horizon=15, rho=0.5),
        BufferedToeplitzCounter(horizon=60, rho=0.5, normalised=True),
        UnboundedCounter(counter=TreeCounter(horizon=3, epsilon=1)),
    ],
    ids=lambda x: repr(x)[:50],
)  # fmt: skip
def test_errors_leave_their_bounds_as_rarely_as_promised(counter):
    """β = 0.1, n = 3000 streams. More than 0.1 + 0.056 of them outside has probability < 1e-8
    (Hoeffding); a quarter of the bound is left by far more."""
    last = 13
    found = np.array(list(errors(counter, range(1, last + 1), dimension=3000, seed=8).values()))
    limit = 0.1 + math.sqrt(math.log(1 / ALPHA) / (2 * 3000))
    bounds = np.array([counter.error_bound(time, beta=0.1) for time in range(1, last + 1)])
    bands = np.array([counter.band(time, beta=0.1) for time in range(1, last + 1)])
    assert (np.abs(found) > bounds[:, None]).mean(axis=1).max() <= limit
    assert (np.abs(found) > bands[:, None]).any(axis=0).mean() <= limit
    assert (np.abs(found) > bounds[:, None] / 4).mean(axis=1).max() > limit
    assert (np.abs(found) > bands[:, None] / 4).any(axis=0).mean() > limit
