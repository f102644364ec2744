"""Counters against their expected errors, by simulation; every test also rejects broken twins.

One d-dimensional counter gives d independent samples of its error at every time. Each test is
the DKW inequality on n = d samples against the law that ``squared_error`` says: normal for
Gaussian noise (its sums are within ``GRAIN`` of it, which is added to the threshold), the exact
convolution for Laplace noise. Level and power: see ``bounds``. With ``MANY`` samples the twins
are noise with a standard deviation off by 1.1, by 1.5 (a shrunk column), a variance taken for
a deviation (where it is at least 1.5) and a lag of one update; with ``SOME`` only the last three.
"""

import math
from fractions import Fraction

import attrs
import bounds
import numpy as np
import pytest
from trying import over

from antiphon.mechanisms import (
    COUNT,
    BalancedTreeCounter,
    BufferedToeplitzCounter,
    DecayedCounter,
    GaussianTreeCounter,
    RefinedTreeCounter,
    SquareRootCounter,
    TreeCounter,
    UnboundedCounter,
    Window,
)
from antiphon.mechanisms.counters.balanced_tree import nodes
from antiphon.protocol.registry import set_derived

MANY, SOME = 100_000, 8_000
"""Samples: counters of Python ints are slower."""
GRAIN = 0.001
"""How far the distribution of a sum of discrete Gaussian noise is from a normal one."""


def exact(counter, time):
    """The count of so many ones, exactly."""
    decay = getattr(counter, "decay", None)
    return time if decay is None else float((1 - decay**time) / (1 - decay))


def errors(counter, times, *, dimension, seed, lag=0):
    """The errors of all coordinates at some times, for a stream of ones."""
    counter = with_dimension(counter, dimension)
    session, found = counter.start(seed=bounds.seeded(seed)), {}
    ones = np.ones(dimension, np.int64)
    for time in range(1, max(times) + 1):
        session.send(ones)
        if time in times:
            found[time] = session.send(COUNT) - (exact(counter, time) + lag)
    return found


def with_dimension(counter, dimension):
    if isinstance(counter, UnboundedCounter):
        return UnboundedCounter(counter=with_dimension(counter.counter, dimension))
    return attrs.evolve(counter, dimension=dimension, sensitivity=1)


def normal(deviation):
    return lambda x: math.erfc(-x / deviation / math.sqrt(2)) / 2


def is_normal(sample, variance, step):
    """Not rejected at α: the sample is N(0, variance), rounded to multiples of ``step``."""
    jitter = np.random.default_rng(bounds.seeded(1)).uniform(-step / 2, step / 2, len(sample))
    law = normal(math.sqrt(variance + step**2 / 12))
    found = bounds.distance(sample + jitter, law)
    return found <= bounds.reach(len(sample), ALPHA) + GRAIN


def power(n, variance, twin, lag=0.0):
    """Of ``is_normal`` where errors have another variance and mean."""
    law, other = normal(variance**0.5), normal(twin**0.5)
    points = np.linspace(-6, 6, 2001) * max(variance, twin) ** 0.5
    apart = bounds.apart(law, lambda x: other(x + lag), points.tolist())
    return bounds.dkw_power(n, apart, ALPHA, slack=2 * GRAIN)


GAUSSIAN = [
    (GaussianTreeCounter(horizon=15, rho=Fraction(1, 4)), (7, 8, 15), SOME),
    (RefinedTreeCounter(horizon=15, rho=Fraction(1, 4)), (7, 8, 15), SOME),
    (SquareRootCounter(horizon=40, rho=0.5), (1, 20, 40), MANY),
    (SquareRootCounter(horizon=40, rho=0.5, normalised=True), (1, 20, 40), MANY),
    (BufferedToeplitzCounter(horizon=100, rho=0.5), (1, 40, 100), MANY),
    (BufferedToeplitzCounter(horizon=100, rho=0.5, normalised=True), (1, 40, 100), MANY),
    (UnboundedCounter(counter=BufferedToeplitzCounter(horizon=4, rho=0.1)), (4, 13), MANY),
    (DecayedCounter(horizon=100, rho=0.5, decay=0.9), (1, 40), MANY),
]  # fmt: skip
EVERY = pytest.mark.parametrize(("counter", "times", "n"), GAUSSIAN, ids=lambda x: repr(x)[:60])


def grid(counter):
    if isinstance(counter, GaussianTreeCounter):
        return 1
    return 2.0**-14


@pytest.mark.every(9)
@EVERY
def test_errors_are_normal_with_the_expected_variance(counter, times, n):
    found = errors(counter, times, dimension=n, seed=11)
    for time, sample in found.items():
        expected = counter.squared_error(time)
        assert is_normal(sample, expected, grid(counter)), time
        twins = [1.1] * (n == MANY) + [1.5] + [expected**0.5] * (expected >= 1.5**2)
        for factor in twins:
            assert power(n, expected, factor**2 * expected) >= 1 - bounds.BETA
            assert not is_normal(sample * factor, expected, grid(counter))


@pytest.mark.every(3)
@EVERY
def test_a_sum_that_lags_by_one_is_noticed(counter, times, n):
    found = errors(counter, times[:1], dimension=n, seed=12, lag=1)
    for time, sample in found.items():
        expected = counter.squared_error(time)
        assert power(n, expected, expected, lag=1) >= 1 - bounds.BETA
        assert not is_normal(sample, expected, grid(counter))


SLIDING = [
    (BufferedToeplitzCounter(horizon=1000, rho=0.5, window=9), MANY),
    (BufferedToeplitzCounter(horizon=100, rho=0.5), MANY),
    (GaussianTreeCounter(horizon=100, rho=Fraction(1, 4)), SOME),
]


@pytest.mark.every(3)
@pytest.mark.parametrize(("counter", "n"), SLIDING, ids=lambda x: repr(x)[:60])
def test_errors_of_windows_are_normal_with_the_expected_variance(counter, n):
    window = Window(9)
    session = (window @ with_dimension(counter, n)).start(seed=bounds.seeded(13))
    for _ in range(30):
        sample = session.send(np.ones(n, np.int64)) - 9
    expected = window.squared_error(counter, 30)
    assert is_normal(sample, expected, grid(counter))
    for twin in (1.5**2 * expected, counter.squared_error(30)):
        if abs(twin / expected - 1) > 1:
            assert power(n, expected, twin) >= 1 - bounds.BETA
            assert not is_normal(sample * (twin / expected) ** 0.5, expected, grid(counter))


def shrunk(counter):
    """Noise divided by the norm of a column, the claim as before."""
    twin = with_dimension(counter, MANY)
    factor = twin._largest_norm()
    set_derived(twin, _room=twin._room * factor, _blocks={})
    set_derived(twin, _only=twin.divisor(0))
    return twin


@pytest.mark.every(2)
@pytest.mark.parametrize("normalised", [False, True])
def test_noise_that_shrinks_with_its_columns_is_noticed(normalised):
    counter = BufferedToeplitzCounter(horizon=300, rho=0.5, normalised=normalised)
    expected, factor = counter.squared_error(40), counter._largest_norm()
    assert power(MANY, expected, expected / factor**2) >= 1 - bounds.BETA
    session = shrunk(counter).start(seed=bounds.seeded(3))
    for _ in range(40):
        session.send(np.ones(MANY, np.int64))
    assert not is_normal(session.send(COUNT) - 40, expected, grid(counter))


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
    return np.abs(shares - cdf).max() <= bounds.reach(len(sample), ALPHA)


def power_of_follows(n, law, other):
    """Where the other law is true; both are symmetric, on intervals around 0."""
    wide = (max(len(law), len(other)) - 1) // 2
    cdfs = [np.cumsum(np.pad(each, wide - len(each) // 2)) for each in (law, other)]
    return bounds.dkw_power(n, np.abs(cdfs[0] - cdfs[1]).max(), ALPHA)


def stretched(law, factor):
    """The law of ⌊factor·X⌉."""
    wide = len(law) // 2
    found = np.zeros(2 * math.ceil(factor * wide) + 1)
    np.add.at(found, np.rint(factor * np.arange(-wide, wide + 1)).astype(int) + len(found) // 2,
              law)  # fmt: skip
    return found


LAPLACE = [
    (TreeCounter(horizon=7, epsilon=1), int.bit_count, (4, 7)),
    (BalancedTreeCounter(horizon=40, epsilon=1, arity=5), lambda time: nodes(time, 5, 0, 3),
     (2, 11, 13, 37)),
]  # fmt: skip


@pytest.mark.parametrize(("counter", "count", "times"), LAPLACE, ids=["binary", "balanced"])
def test_errors_are_sums_of_laplace_noise(counter, count, times):
    """The twins have 1.3 times the noise, or another node: the fifth is too little to notice."""
    n = 40_000
    for time, sample in errors(counter, times, dimension=n, seed=5).items():
        values, law = laplace_sum(counter.scale, count(time))
        assert abs((law * values**2).sum() / counter.squared_error(time) - 1) < 1e-6
        assert follows(sample, values, law)
        assert power_of_follows(n, law, stretched(law, 1.3)) >= 1 - bounds.BETA
        assert not follows(np.rint(1.3 * sample).astype(int), values, law)
        if count(time) < 4:
            more = laplace_sum(counter.scale, count(time) + 1)
            assert power_of_follows(n, law, more[1]) >= 1 - bounds.BETA
            assert not follows(sample, *more)


# --- bounds --------------------------------------------------------------------------------------


BOUNDED = [
    TreeCounter(horizon=15, epsilon=1), BalancedTreeCounter(horizon=13, epsilon=1),
    GaussianTreeCounter(horizon=15, rho=0.5), RefinedTreeCounter(horizon=15, rho=0.5),
    BufferedToeplitzCounter(horizon=60, rho=0.5, normalised=True),
    UnboundedCounter(counter=TreeCounter(horizon=3, epsilon=1)),
]  # fmt: skip
LAST = 13
ALPHA = bounds.level(
    "statistical/test_counter_simulation",
    sum(len(times) for _, times, _ in GAUSSIAN)
    + len(SLIDING)
    + sum(len(times) for _, _, times in LAPLACE)
    + len(BOUNDED) * (LAST + 1),
)


@over("counter", BOUNDED, at_least=6)
def test_errors_leave_their_bounds_as_rarely_as_promised(counter):
    """β = 0.1, n = 3000 streams. The twin's bounds are a quarter of these.

    It is left by at least 0.3 of all streams at the worst time, and by more at some time.
    """
    n, beta = 3000, 0.1
    found = np.array(list(errors(counter, range(1, LAST + 1), dimension=n, seed=8).values()))
    bound = np.array([counter.error_bound(time, beta=beta) for time in range(1, LAST + 1)])
    band = np.array([counter.band(time, beta=beta) for time in range(1, LAST + 1)])
    most = bounds.at_most(n, beta, ALPHA)
    assert (np.abs(found) > bound[:, None]).sum(axis=1).max() <= most
    assert (np.abs(found) > band[:, None]).any(axis=0).sum() <= most
    assert bounds.chernoff_power(n, beta, 0.25, ALPHA) >= 1 - bounds.BETA
    assert (np.abs(found) > bound[:, None] / 4).sum(axis=1).max() > most
    assert (np.abs(found) > band[:, None] / 4).any(axis=0).sum() > most
