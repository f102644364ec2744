"""From zCDP to (ε, δ), against fifty digits."""

import math
from fractions import Fraction

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf
from trying import over

import antiphon as ap
from antiphon.composition.accounting import from_concentrated
from antiphon.protocol.measures.conversions import approximate, converted, implies, zcdp_epsilon
from antiphon.protocol.measures.kinds import (
    Approximate,
    BoundedRange,
    Dominated,
    DominatingPair,
    GaussianDP,
    Pure,
    Renyi,
    ZeroConcentrated,
)

GOLDEN = (mp.sqrt(5) - 1) / 2


def real(value):
    return mpf(value.numerator) / value.denominator


def proposition_12(rho, delta):
    """min over α > 1 of ρα + (ln(1/δ) + (α−1)ln(1−1/α) − ln α)/(α−1), at least 0."""

    def at(log):
        order = 1 + mp.exp(log)
        rest = (order - 1) * mp.log(1 - 1 / order) - mp.log(order)
        return real(rho) * order + (rest - mp.log(real(delta))) / (order - 1)

    low, high = mpf(-40), mpf(80)
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    values = [at(left), at(right)]
    for _ in range(160):
        if values[0] <= values[1]:
            high, right = right, left
            left = high - GOLDEN * (high - low)
            values = [at(left), values[0]]
        else:
            low, left = left, right
            right = low + GOLDEN * (high - low)
            values = [values[1], at(right)]
    return max(mpf(0), min(values))


@attrs.frozen
class Falling(DominatingPair):
    """δ(ε) = (1 - ε/size)/2, so that the ε of a δ is known."""

    size: int

    def delta_at(self, epsilon):
        return max(Fraction(0), (1 - Fraction(epsilon) / self.size) / 2)

    def divergence_at(self, order):
        return math.inf


@over("size", [1, 3, 7000])
@over("delta", [Fraction(1, 3), Fraction(1, 10**6), Fraction(499, 1000)])
def test_the_epsilon_of_a_pair_is_enough_and_hardly_more(size, delta):
    pair = Falling(size)
    found, truth = approximate(Dominated(pair), delta).epsilon, size * (1 - 2 * delta)
    assert pair.delta_at(found) <= delta
    assert truth <= found <= truth * (1 + Fraction(1, 2**30))


RHOS = [Fraction(1, 10**8), Fraction(1, 1000), Fraction(1, 10), Fraction(1, 2), 3, 100, 10**6]
DELTAS = [Fraction(1, 10**12), Fraction(1, 10**6), Fraction(1, 100), HALF := Fraction(1, 2)]
DELTAS += [Fraction(9, 10), Fraction(1, 10**300)]


@over("delta", DELTAS)
@over("rho", RHOS)
def test_it_is_the_formula_rounded_up(rho, delta):
    """Never below the proposition, and above it by 1e-9 at most."""
    truth, found = proposition_12(Fraction(rho), delta), zcdp_epsilon(Fraction(rho), delta)
    assert truth <= real(found) <= truth * (1 + mpf(10) ** -9) + mpf(10) ** -9


@given(st.fractions(Fraction(1, 10**6), 50), st.fractions(Fraction(1, 10**9), Fraction(99, 100)))
def test_two_ways_to_the_same_figure_agree(rho, delta):
    """The conversion of a claim, and the curve of the accountant."""
    curve = from_concentrated(rho).epsilon_at(delta)
    assert float(zcdp_epsilon(rho, delta)) == pytest.approx(curve, rel=1e-8, abs=1e-9)


@pytest.mark.parametrize("delta", [0, 1, -1, 2])
def test_delta_lies_strictly_between_0_and_1(delta):
    with pytest.raises(ap.InvalidArgument, match="strictly"):
        zcdp_epsilon(HALF, Fraction(delta))


# --- to zCDP -------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [Fraction(1, 100), Fraction(1), Fraction(20)])
def test_rho_is_that_of_each_theorem(size):
    """ε²/2 (Bun and Steinke 2016), η²/8 (Cesar and Rogers 2021), μ²/2 (Dong et al. 2022)."""
    assert converted(Pure(size), ZeroConcentrated) == ZeroConcentrated(size**2 / 2)
    assert converted(BoundedRange(size), ZeroConcentrated) == ZeroConcentrated(size**2 / 8)
    assert converted(GaussianDP(size), ZeroConcentrated) == ZeroConcentrated(size**2 / 2)


@pytest.mark.parametrize("epsilon", [Fraction(1, 100), Fraction(1), Fraction(20), ap.Log(3)])
def test_rho_is_no_less_than_randomized_response_loses(epsilon):
    """Its Kullback-Leibler divergence, D_1 = ε tanh(ε/2), is at most ρ = ε²/2, rounded up."""
    rho = converted(Pure(epsilon), ZeroConcentrated).rho
    with mp.workdps(60):
        size = mp.log(3) if isinstance(epsilon, ap.Log) else real(epsilon)
        assert size * mp.tanh(size / 2) <= size**2 / 2 * (1 + mpf(10) ** -58)
        assert size**2 / 2 <= real(rho) * (1 + mpf(10) ** -58)
        assert real(rho) <= size**2 / 2 * (1 + mpf(10) ** -35)


def test_a_delta_is_any_number_and_a_renyi_curve_is_told_where_it_is_converted():
    for measure in (ZeroConcentrated(Fraction(1, 10)), GaussianDP(1), Pure(1)):
        known = approximate(measure, Fraction(1, 100))
        assert approximate(measure, 0.01) == known
    with pytest.raises(ap.InvalidArgument, match=r"from_renyi\(curve\)\.epsilon_at\(0\.01\)"):
        approximate(Renyi(lambda order: order), 0.01)
    with pytest.raises(ap.InvalidArgument, match="delta"):
        approximate(Pure(1), 2)
    assert not implies(Renyi(lambda order: order), Approximate(9, 0.01))
    assert 0 < ap.composition.accounting.from_renyi(lambda order: order).epsilon_at(0.01) < 9
