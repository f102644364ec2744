"""Scales, claims and error bounds against their formulas, worked out here once more."""

import math
from fractions import Fraction

import mpmath
import pytest
from trying import over

from antiphon import Log, Side
from antiphon.mechanisms import (
    BalancedTreeCounter,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    GridGaussian,
    GridLaplace,
    KaryResponse,
    Laplace,
    LeakyBit,
    RandomizedResponse,
    ReportNoisyMax,
    RoundToGrid,
    SparseVector,
    TreeCounter,
)
from antiphon.mechanisms.counters.tails import laplace_tail
from antiphon.mechanisms.noise.discrete import gaussian_bound, laplace_bound
from antiphon.protocol import Approximate, Draw, ReplayedCoins
from antiphon.verifiers import Near, Within, every_pair, neighbouring_start


def said(mechanism, message, *tape):
    """The answer on a tape, which must be used up."""
    coins = ReplayedCoins([Draw(*draw) for draw in tape])
    answer = mechanism.start(coins=coins).send(message)
    coins.feed([])
    return answer


# --- randomized response ---------------------------------------------------------------------


@pytest.mark.parametrize(("epsilon", "delta"), [(1, 0.1), (Log(3), 0), (0, 1), (2.5, 0.25)])
def test_randomized_response_claims_its_own_parameters(epsilon, delta):
    claim, *_ = RandomizedResponse(epsilon=epsilon, delta=delta).claims
    assert claim.measure == Approximate(epsilon, delta)
    claim, *_ = LeakyBit(delta=delta).claims
    assert claim.measure == Approximate(0, delta)


@over("epsilon", [Fraction(n, 7) for n in range(1, 300, 13)], at_least=20)
def test_the_truth_is_never_told_more_often_than_claimed(epsilon):
    """By no more than a few units in the last place less, either."""
    with mpmath.workdps(60):
        claimed = 1 / (1 + mpmath.exp(-mpmath.mpf(epsilon.numerator) / epsilon.denominator))
        told = RandomizedResponse(epsilon=epsilon).truth
        assert claimed * (1 - mpmath.mpf(2) ** -48) < told < claimed
        for values in (2, 3, 10):
            weight = mpmath.exp(mpmath.mpf(epsilon.numerator) / epsilon.denominator)
            claimed = weight / (weight + values - 1)
            truth = KaryResponse(epsilon=epsilon, values=values).truth
            told = mpmath.mpf(truth.numerator) / truth.denominator
            assert claimed * (1 - mpmath.mpf(2) ** -60) < told <= claimed


@pytest.mark.parametrize("values", [2, 5, 40])
def test_a_share_errs_by_hoeffding_over_all_values(values):
    mechanism = KaryResponse(epsilon=Log(3), values=values)
    apart = Fraction(3, 2 + values) - Fraction(1, 2 + values)
    expected = math.sqrt(math.log(2 * values / 0.05) / (2 * 1000)) / float(apart)
    assert mechanism.error_bound(1000, beta=0.05) == pytest.approx(expected, rel=1e-9)


# --- noise -----------------------------------------------------------------------------------


def test_laplace_noise_has_scale_sensitivity_over_epsilon():
    assert said(Laplace(epsilon=8, sensitivity=2), 1.0, ("laplace", 0.25, -0.5)) == 0.5


@pytest.mark.parametrize("step", [0.5, 1.0, 8.0])
def test_on_a_grid_rounding_errs_too(step):
    """A half of a step, beside what the noise exceeds with probability at most beta."""
    for mechanism, bound in (
        (GridLaplace(epsilon=0.5, step_size=step), lambda m: laplace_bound(m.scale, 0.05)),
        (GridGaussian(rho=0.1, step_size=step), lambda m: gaussian_bound(m.sigma, 0.05)),
    ):
        expected = (bound(mechanism) + 0.5) * step
        assert expected <= mechanism.error_bound(beta=0.05) <= expected * (1 + 1e-12)


@over(
    "mechanism",
    [
        DiscreteLaplace(epsilon=1, sensitivity=3),
        DiscreteGaussian(rho=1, sensitivity=3),
        GridLaplace(epsilon=1, sensitivity=3, step_size=0.5),
        GridGaussian(rho=1, sensitivity=3, step_size=0.5),
        Laplace(epsilon=1, sensitivity=3),
        Gaussian(rho=1, sensitivity=3),
    ],
)
def test_neighbours_are_as_far_apart_as_the_noise_is_for(mechanism):
    claim, *_ = mechanism.claims
    assert claim.verification == neighbouring_start(Within(3))


def test_neighbours_of_arrays_are_near_in_the_norm_of_the_noise():
    for kind, norm in (
        (DiscreteLaplace(epsilon=1, sensitivity=3, dimension=2), 1),
        (DiscreteGaussian(rho=1, sensitivity=3, dimension=2), 2),
    ):
        claim, *_ = kind.claims
        assert claim.verification == neighbouring_start(Near(3, norm))


def test_the_noisy_maximum_errs_by_two_noises():
    mechanism = ReportNoisyMax(epsilon=0.5, candidates=7, sensitivity=3)
    assert mechanism.scale == 12
    assert mechanism.error_bound(beta=0.05) == 2 * laplace_bound(Fraction(12), 0.05 / 7)


def test_a_grid_for_answers_leaves_queries_as_they_are():
    grid = RoundToGrid(0.5)
    assert grid.step(None, Side.LEFT, 0.3, None) == (None, Side.RIGHT, 0.3)
    assert grid.step(None, Side.RIGHT, 0.3, None) == (None, Side.LEFT, 0.5)


# --- counters --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "nodes"),
    [
        (TreeCounter(horizon=63, epsilon=1), {1: 1, 7: 3, 8: 1, 63: 6}),
        (BalancedTreeCounter(horizon=40, epsilon=1, arity=3), {1: 1, 2: 2, 5: 3, 9: 1, 40: 4}),
    ],
    ids=["binary", "balanced"],
)
def test_a_prefix_errs_by_the_noise_of_all_its_nodes(kind, nodes):
    for time, count in nodes.items():
        expected = laplace_tail(kind.scale, count, 0.05)
        assert kind.error_bound(time, beta=0.05) == pytest.approx(expected, rel=1e-8)
        assert kind.squared_error(time) == pytest.approx(count * kind.noise_variance, rel=1e-9)


@pytest.mark.parametrize("monotone", [False, True])
def test_a_sparse_vector_claims_what_its_noise_is_for(monotone):
    claim, *_ = SparseVector(epsilon=1, sensitivity=3, monotone=monotone).claims
    assert claim.verification == every_pair(Within(3), monotone=monotone)
