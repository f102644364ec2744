"""The curve of Gaussian noise for discrete noise on a fine grid: its slack, and its claim."""

import math
from fractions import Fraction

import numpy as np
import pytest

import antiphon as ap
from antiphon.composition import Create
from antiphon.mechanisms import BufferedToeplitzCounter, SquareRootCounter
from antiphon.mechanisms.counters.gaussian_curve import (
    AtGaussianCurve,
    delta_of,
    largest_gaussian_rho,
)
from antiphon.protocol import Approximate, Status, ZeroConcentrated

DELTA = Fraction(1, 10**6)


def laws(resolution):
    """The laws of a discrete Gaussian and of a rounded normal number, σ = R, on |k| <= 12R."""
    k = np.arange(-12 * resolution, 12 * resolution + 1)
    discrete = np.exp(-(k**2) / (2 * resolution**2))
    ends = np.array(
        [math.erf((each - 0.5) / (resolution * math.sqrt(2))) for each in (*k, k[-1] + 1)]
    )
    return discrete / discrete.sum(), np.diff(ends) / 2


@pytest.mark.parametrize("resolution", [4, 7, 32])
def test_the_two_laws_are_as_near_as_is_said(resolution):
    discrete, rounded = laws(resolution)
    apart = abs(discrete - rounded).sum() / 2
    assert apart <= 1 / (16 * resolution**2)
    assert apart > 1 / (64 * resolution**2)


@pytest.mark.parametrize("resolution", [4, 16])
@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(1), Fraction(2)])
def test_one_draw_has_at_most_that_delta(resolution, epsilon):
    """One draw shifted by R, μ = 1: the bound is above the truth, by the slack at most twice."""
    law, _ = laws(resolution)
    zero, one = np.pad(law, (0, resolution)), np.pad(law, (resolution, 0))
    true = np.maximum(zero - math.exp(epsilon) * one, 0).sum()
    bound = float(delta_of(Fraction(1, 2), epsilon, 1, resolution))
    slack = (1 + math.exp(epsilon)) / (16 * resolution**2)
    assert bound - 2 * slack <= true <= bound


def test_it_takes_less_noise_than_zcdp():
    """σ at (1, 10⁻⁶) is that of real noise, 4.2247, where zCDP takes 4.53."""
    rho = largest_gaussian_rho(Fraction(1), DELTA, 365 * 16, 2**32)
    assert 4.2246 < 1 / math.sqrt(2 * rho) < 4.2248


@pytest.mark.parametrize("kind", [SquareRootCounter, BufferedToeplitzCounter])
def test_its_claim_is_checked_and_stands_in_derivations(kind):
    rho = largest_gaussian_rho(Fraction(1), DELTA, 32, 2**32)
    counter = AtGaussianCurve(mechanism=kind(horizon=32, rho=rho), epsilon=1, delta=DELTA)
    assert [claim.measure for claim in counter.claims] == [
        Approximate(1, DELTA), ZeroConcentrated(rho),
    ]  # fmt: skip
    found = ap.guarantee(ap.ConComp([counter]))
    assert found.status is Status.PROVED
    assert found.delta_at(1) <= 1.0001e-6
    assert Create(counter).parameters == (1, DELTA)
    with pytest.raises(ap.InvalidArgument, match="smaller rho"):
        AtGaussianCurve(mechanism=kind(horizon=32, rho=rho * 1.01), epsilon=1, delta=DELTA)


def test_it_counts_as_the_counter_does():
    counter = BufferedToeplitzCounter(horizon=8, rho=Fraction(1, 100))
    both = counter, AtGaussianCurve(mechanism=counter, epsilon=1, delta=Fraction(1, 10))
    told = [
        [s.send(m) for m in (1, "count", 0, 1, "count")] for s in (b.start(seed=3) for b in both)
    ]
    assert told[0] == told[1]


@pytest.mark.parametrize(("epsilon", "delta"), [(1, Fraction(1, 10**40)), (Fraction(100), DELTA)])
def test_where_nothing_is_gained_there_is_no_rho(epsilon, delta):
    assert largest_gaussian_rho(Fraction(epsilon), delta, 10, 2**8) is None
