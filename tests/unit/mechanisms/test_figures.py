"""Scales, claims and error bounds against their formulas, worked out here once more."""

import math
from fractions import Fraction

import mpmath
import pytest

from antiphon.mechanisms import (
    GridGaussian,
    GridLaplace,
    KaryResponse,
    Laplace,
    LeakyBit,
    RandomizedResponse,
)
from antiphon.mechanisms.noise.accuracy import gaussian_bound, laplace_bound
from antiphon.protocol import Approximate, Draw, Log, ReplayedCoins


def said(mechanism, message, *tape):
    """The answer on a tape, which must be used up."""
    coins = ReplayedCoins([Draw(*draw) for draw in tape])
    answer = mechanism.start(coins=coins).send(message)
    coins.feed([])
    return answer


# --- randomized response ---------------------------------------------------------------------


@pytest.mark.parametrize(("epsilon", "delta"), [(1, 0.1), (Log(3), 0), (0, 1), (2.5, 0.25)])
def test_randomized_response_claims_its_own_parameters(epsilon, delta):
    (claim,) = RandomizedResponse(epsilon=epsilon, delta=delta).claims
    assert claim.measure == Approximate(epsilon, delta)
    (claim,) = LeakyBit(delta=delta).claims
    assert claim.measure == Approximate(0, delta)


@pytest.mark.parametrize("epsilon", [Fraction(n, 7) for n in range(1, 300, 13)])
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
