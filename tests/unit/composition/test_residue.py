"""Residues of a Gaussian budget, against the inequality written afresh; chains of one claim."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from mpmath import mp, mpf
from trying import examples

import antiphon as ap
from antiphon import Log
from antiphon.composition import (
    BasicFilter,
    GaussianFilter,
    NaturalFilter,
    Refusal,
    ResidueFilter,
    WhitehouseFilter,
)
from antiphon.composition.accounting import optimal
from antiphon.composition.filters import residue
from antiphon.composition.filters.residue import root_down
from antiphon.mechanisms import LeakyBit, RandomizedResponse
from antiphon.numbers import normal
from antiphon.protocol import Approximate, BoundedRange, GaussianDP, Pure, ZeroConcentrated


def hockey_stick(nu, s):
    """H_ν(s) with forty digits."""
    x, nu = mp.log(s), mpf(nu)
    return mp.ncdf(nu / 2 - x / nu) - s * mp.ncdf(-nu / 2 - x / nu)


def gap(epsilon, left, nu, x):
    """How much more H_ν(e^x) is than that of RR_ε and then a Gaussian of r² = ``left``."""
    grown, s, r = mp.exp(epsilon), mp.exp(x), mp.sqrt(mpf(left.numerator) / left.denominator)
    p = grown / (1 + grown)
    ours = p * hockey_stick(r, s / grown) + (1 - p) * hockey_stick(r, s * grown)
    return hockey_stick(nu, s) - ours


def counted(budget, measure, most=2000):
    """How many charges fit, and the state after them."""
    state, number = budget.initial_state, 0
    while number < most and type(after := budget.charge(state, measure)) is not Refusal:
        state, number = after, number + 1
    return number, state


def left_by(epsilon, nu):
    return residue.residue(
        Fraction(epsilon), Fraction(nu) ** 2, GaussianFilter(mu=1).cost(Pure(epsilon))[0]
    )


@examples(10)
@given(st.floats(0.01, 3), st.floats(0.05, 4), st.lists(st.floats(0, 12), min_size=5, max_size=9))
def test_what_is_left_fits_and_little_more_would(epsilon, nu, places):
    """At random places, far beyond those where the grid ends, in forty digits; and one part in
    five hundred of ε² more is too much somewhere."""
    left = left_by(epsilon, nu)
    assume(left > 0)
    with mp.workdps(40):
        assert all(gap(epsilon, left, nu, x * nu) > 0 for x in places)
        naive = Fraction(nu) ** 2 - GaussianFilter(mu=1).cost(Pure(epsilon))[0]
        assert left >= naive
        more = left + Fraction(epsilon) ** 2 / 500
        near = [*np.linspace(0, 4 * nu + epsilon, 60)]
        assert any(gap(epsilon, more, nu, x) < 0 for x in near)


@pytest.mark.every(2)
@pytest.mark.parametrize(("epsilon", "nu"), [(2.4, 2.8), (1, 1.25), (3, 4), (0.5, 0.64)])
def test_what_is_left_of_little_fits_everywhere(epsilon, nu):
    """Where a response takes most of what there is, the worst place is not s = 1."""
    left = left_by(epsilon, nu)
    places = np.linspace(0, epsilon + 5 * nu, 80)
    with mp.workdps(40):
        gaps = [gap(epsilon, left, nu, x) for x in places]
    assert min(gaps) > 0


def test_few_intervals_certify_nothing():
    root = math.sqrt(left_by(0.1, 1))
    assert residue._leaves(0.1, root, 1.0, 2048, residue._SLACK)
    assert not residue._leaves(0.1, root, 1.0, 64, residue._SLACK)
    assert not residue._leaves(0.1, root + 1e-6, 1.0, 2048, residue._SLACK)


def test_figures():
    """Of the theory: after one RR_{.5} or RR_{.1} of μ = 1, and how many fit."""
    assert math.sqrt(left_by(0.5, 1)) == pytest.approx(0.859990, abs=1e-6)
    assert math.sqrt(left_by(0.1, 1)) == pytest.approx(0.994981, abs=1e-6)
    for epsilon, naive, found in ((0.5, 2, 3), (0.3, 7, 10)):
        assert counted(GaussianFilter(mu=1), Pure(epsilon))[0] == naive
        assert counted(ResidueFilter(mu=1), Pure(epsilon))[0] == found
    budget = ResidueFilter(mu=1)
    _, state = counted(budget, Pure(0.1), 50)
    assert 0.7064 < math.sqrt(budget.remaining(state)[0]) < 0.7065
    assert type(budget.charge(state, GaussianDP(0.7064))) is not Refusal
    assert type(budget.charge(state, GaussianDP(0.7065))) is Refusal


@pytest.mark.slow
def test_98_responses_where_the_sum_of_squares_admits_63():
    assert counted(GaussianFilter(mu=1), Pure(0.1))[0] == 63
    assert counted(ResidueFilter(mu=1), Pure(0.1))[0] == 98


@examples(8)
@given(st.lists(st.sampled_from([Pure(0.5), Pure(1), GaussianDP(0.4), BoundedRange(0.7),
                                 Approximate(0.3, 0.01)]), max_size=8))  # fmt: skip
def test_it_admits_all_that_the_sum_of_squares_does(measures):
    naive, better = GaussianFilter(mu=1, delta=0.1), ResidueFilter(mu=1, delta=0.1)
    state, other = naive.initial_state, better.initial_state
    for measure in measures:
        after = naive.charge(state, measure)
        if type(after) is Refusal:
            return
        state, other = after, better.charge(other, measure)
        assert type(other) is not Refusal
        assert better.remaining(other) >= naive.remaining(state)


def test_gaussians_and_ranges_cost_what_they_did():
    naive, better = GaussianFilter(mu=1), ResidueFilter(mu=1)
    for measure in (GaussianDP(0.6), BoundedRange(0.5)):
        assert better.charge(better.initial_state, measure) == naive.charge(
            naive.initial_state, measure
        )
    with pytest.raises(ap.InvalidArgument, match="ConcentratedFilter"):
        better.charge(better.initial_state, ZeroConcentrated(0.1))


@pytest.mark.parametrize("mu", [Fraction(1, 10**9), 30, Fraction(10**30)])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10**12), 20, Log(3)])
def test_beyond_its_range_it_is_the_sum_of_squares(mu, epsilon):
    naive, better = GaussianFilter(mu=mu), ResidueFilter(mu=mu)
    one, other = (each.charge(each.initial_state, Pure(epsilon)) for each in (naive, better))
    assert type(one) is type(other)
    if type(other) is not Refusal:
        assert 0 <= one.amount.value - other.amount.value <= one.amount.value / 2


def test_for_what_was_said_so_far_only_the_whole_is_promised():
    """What is spent is no bound on it: an RR_{.5} is no √.2605-GDP mechanism."""
    session = ap.ExtConComp(budget=ResidueFilter(mu=1)).start()
    session.send(ap.Create(RandomizedResponse(epsilon=0.5)))
    assert session.budget.spent[0] < 0.2605
    said = session.budget.at(1e-6)
    assert said.spent == said.total
    assert session.price(ap.Create(RandomizedResponse(epsilon=0.5))).accepted


@pytest.mark.parametrize("z", [-30, -9.5, -3, -0.1, 0, 0.1, 2, 6, 20])
def test_doubles_are_as_good_as_is_assumed(z):
    """A 16th of the slack, at most: erfc of this machine, against rationals around the tail."""
    found = Fraction(residue._normal(np.array([float(z)]))[0])
    low, high = normal.tail(-Fraction(z))
    allowed = Fraction(residue._SLACK) / 16
    assert low * (1 - allowed) <= found <= high * (1 + allowed)


def test_roots_are_below():
    for value in (Fraction(2), Fraction(1, 3), Fraction(9, 4), Fraction(10**40, 7), Fraction(0)):
        root = Fraction(root_down(value))
        assert root**2 <= value < (root * (1 + Fraction(1, 2**50)) + Fraction(1, 2**1070)) ** 2


class TestChains:
    @pytest.mark.parametrize("size", [0.3, 0.1, Fraction(3, 100), Log(2)])
    def test_as_many_as_if_they_were_fixed(self, size):
        budget = NaturalFilter(epsilon=2, delta=1e-6, claim=Pure(size))
        number, _ = counted(budget, Pure(size))
        assert optimal([(size, 0)], times=number).delta_at(2) <= 1e-6
        assert optimal([(size, 0)], times=number + 1).delta_at(2) > 1e-6
        assert number >= counted(BasicFilter(epsilon=2, delta=1e-6), Pure(size))[0]
        assert number >= counted(WhitehouseFilter(epsilon=2, delta=1e-6), Pure(size))[0]

    def test_less_is_charged_as_much(self):
        budget = NaturalFilter(epsilon=1, delta=1e-3, claim=Approximate(0.1, 1e-4))
        for measure in (Approximate(0.1, 1e-4), Pure(0.1), Approximate(0.05, 1e-5)):
            assert budget.cost(measure) == (1, 0)
        for measure in (Pure(0.11), Approximate(0.1, 2e-4), ZeroConcentrated(0.001)):
            with pytest.raises(ap.InvalidArgument, match="it would be no filter"):
                budget.charge(budget.initial_state, measure)

    def test_gaussians_add_up_to_the_largest_of_them(self):
        budget = NaturalFilter(epsilon=1, delta=1e-5, claim=GaussianDP(1))
        mu = math.sqrt(budget.limits[0])
        assert normal.gaussian_delta(Fraction(mu), Fraction(1))[1] <= Fraction(1, 10**5)
        assert normal.gaussian_delta(Fraction(mu * 1.00001), Fraction(1))[0] > Fraction(1, 10**5)
        with pytest.raises(ap.InvalidArgument, match="GaussianDP"):
            budget.cost(Pure(0.1))

    def test_the_promise_is_the_curve_of_all_that_fit(self):
        budget = NaturalFilter(epsilon=1, delta=1e-6, claim=Pure(0.1))
        promise = ap.guarantee(ap.ExtConComp(budget=budget), catalogue=[])
        assert promise.epsilon_at(1e-6) <= 1
        assert promise.epsilon_at(0) == pytest.approx(float(budget.limits[0]) * 0.1)


def test_the_deltas_of_what_is_charged_multiply():
    """Three of 1/3 would be 1 by their sum; of which all lose is 1 - (2/3)³ = 19/27."""
    budget = BasicFilter(epsilon=0, delta=Fraction(19, 27))
    session = ap.ExtConComp(budget=budget).start()
    third = ap.Create(LeakyBit(delta=Fraction(1, 3)))
    assert [session.send(third) for _ in range(3)] == [ap.TOP] * 3
    assert session.budget.remaining == (0, 0)
    refusal = session.send(ap.Create(LeakyBit(delta=Fraction(1, 10**9))))
    assert refusal.spent == (0, Fraction(19, 27))


def test_what_an_amount_below_the_whole_promises():
    """Half a claim counts as one; a refusal of residues says nothing in ε."""
    chain = NaturalFilter(epsilon=1, delta=1e-6, claim=Pure(0.03))
    two, more, three = (chain.within((Fraction(n, 2), Fraction(0))) for n in (4, 5, 6))
    assert two.delta_at(0) < more.delta_at(0) == three.delta_at(0)
    session = ap.ExtConComp(budget=ResidueFilter(mu=1)).start()
    session.send(ap.Create(RandomizedResponse(epsilon=0.1)))
    refusal = session.send(ap.Create(RandomizedResponse(epsilon=5)))
    assert type(refusal) is Refusal
    assert refusal.at(1e-6).in_epsilon is None
