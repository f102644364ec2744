"""Risk: the values of the formulas, each rounded up; and what an adversary really reaches."""

import math
from fractions import Fraction
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trying import examples, over, sized

import antiphon as ap
from antiphon import InvalidArgument
from antiphon.composition.accounting.bounds import group_curve, of_measure
from antiphon.composition.accounting.risk import risk_of
from antiphon.mechanisms import Gaussian, LeakyBit, RandomizedResponse, TreeCounter
from antiphon.protocol.measures.kinds import Approximate, GaussianDP, Pure, ZeroConcentrated

MEASURES = [Approximate(1, Fraction(1, 10**6)), GaussianDP(1), ZeroConcentrated(Fraction(1, 2))]


def risk(measure, **more):
    return risk_of(of_measure(measure), [measure], **more)


def near(found, value, digits):
    """As printed with so many digits; never below the figure that was printed, by a rounding."""
    return value - 10.0**-digits <= found <= value + 10.0**-digits


@over(
    "measure, advantage, percent, permille, right",
    [
        (MEASURES[0], 0.462118, 0.027184, 0.002720, 0.731066),
        (MEASURES[1], 0.382925, 0.092363, 0.018299, 0.902308),
        (MEASURES[2], 0.479099, 0.124590, 0.024911, 0.925701),
    ],
)
def test_values(measure, advantage, percent, permille, right):
    found = risk(measure)
    assert near(found.advantage, advantage, 6)
    assert near(found.true_positive, percent, 6)
    assert near(found.right_accusations, right, 5)
    assert near(risk(measure, false_positive=0.001).true_positive, permille, 6)


def test_best_guesses():
    guesses = [risk(measure, prior=0.1).best_guess for measure in MEASURES]
    assert near(guesses[0], 0.9000001, 7)
    assert near(guesses[1], 0.901337, 6)
    assert 0.903537 <= guesses[2] <= 0.90355  # of a list of orders, not of all
    assert risk(MEASURES[1], prior=0.9).best_guess == guesses[1]


def test_of_a_pure_epsilon_all_is_known_in_full():
    """RR attains each figure, so they are neither less nor, but for rounding, more."""
    e = math.e
    found = risk(Pure(1), prior=0.3, false_positive=0.05)
    assert math.tanh(0.5) <= found.advantage <= math.tanh(0.5) + 1e-9
    assert 0.05 * e <= found.true_positive <= 0.05 * e + 1e-9
    assert found.posterior_above(0.3 * e / (0.3 * e + 0.7) + 1e-9) < 1e-6
    assert found.posterior_above(0.4) <= 1


def test_how_often_anybody_is_sure():
    """RR of (ε, δ): posterior 1 with probability δ; so P(posterior > t) is δ past e^ε's."""
    found = risk(MEASURES[0], prior=0.5)
    assert 1e-6 <= found.posterior_above(0.9) <= 1e-6 / (1 - math.e / 9) + 1e-12
    assert found.posterior_above(0.6) >= math.e / (1 + math.e) - 1e-6  # as RR shows 1 so often
    normal = risk(GaussianDP(1)).posterior_above(0.9)
    assert 1 - NormalDist().cdf(math.log(9) - 0.5) <= normal <= 0.2


@given(st.floats(0.05, 3), st.floats(0.01, 0.99), st.floats(1e-4, 0.9))
@examples(2)
def test_no_gaussian_adversary_reaches_more(mu, prior, a):
    """μ-GDP is attained: TPR(a) = Φ(μ - z_a), and its advantage 2Φ(μ/2) - 1."""
    normal = NormalDist()
    found = risk(GaussianDP(Fraction(repr(mu))), prior=prior, false_positive=a)
    truth = normal.cdf(mu - normal.inv_cdf(1 - a))
    assert truth <= found.true_positive * (1 + 1e-12) <= truth + 2e-4
    assert 2 * normal.cdf(mu / 2) - 1 <= found.advantage * (1 + 1e-12)
    hit = prior * truth
    assert hit / (hit + (1 - prior) * a) <= found.right_accusations * (1 + 1e-12)


def test_a_guess_by_the_exact_engine_is_no_better():
    """The best adversary against RR_{ln 3}: right with 3/4 at prior 1/2."""
    mechanism = RandomizedResponse(epsilon=ap.Log(3))
    found = ap.guarantee(mechanism).risk()
    assert 0.75 <= found.best_guess <= 0.75 + 1e-9
    assert 0.5 <= found.advantage <= 0.5 + 1e-9
    leak = ap.guarantee(LeakyBit(delta=Fraction(1, 10))).risk()
    assert 0.1 <= leak.advantage <= 0.1 + 1e-9


@over("given_", [{"prior": 0}, {"prior": 1}, {"false_positive": 0}, {"false_positive": math.nan}])
def test_rates_lie_between_0_and_1(given_):
    with pytest.raises(InvalidArgument):
        ap.guarantee(TreeCounter(horizon=8, epsilon=1)).risk(**given_)
    with pytest.raises(InvalidArgument, match="threshold"):
        risk(MEASURES[0]).posterior_above(0.4)


@pytest.mark.slow
def test_the_card_says_what_is_assumed():
    proved = ap.guarantee(TreeCounter(horizon=8, epsilon=1)).risk()
    assumed = ap.guarantee(Gaussian(rho=1, sensitivity=1)).risk()
    assert (proved.proved, assumed.proved) == (True, False)
    assert "assumed" not in str(proved)
    assert "if what is assumed holds" in str(assumed)
    assert assumed.to_dict()["proved"] is False


@over("measure", [*MEASURES, Pure(1)])
def test_the_picture_is_at_most_a_bit_above_the_figures(measure):
    """Its line is a bound, too: of one list of ε, and so at most 2 % larger."""
    found = risk(measure, false_positive=0.01)
    bound, guess, here = found.plot().get_lines()
    for rate, height in list(zip(*bound.get_data(), strict=True))[:: sized(21, 9)]:
        figure = risk(measure, false_positive=float(rate)).true_positive
        assert rate <= figure <= height <= 1.02 * figure
    assert list(here.get_ydata()) == [found.true_positive]
    assert list(guess.get_xdata()) == list(guess.get_ydata())


@over("measure", [Pure(1), Approximate(1, Fraction(1, 100)), GaussianDP(1)])
def test_all_lines_of_a_group_come_from_one_curve(measure):
    """At a prior of 1/2, P(right) = (1 + advantage)/2; a group's δ(0) may be larger than that."""
    found = risk_of(group_curve(of_measure(measure), 2), [])
    assert abs(found.best_guess - (1 + found.advantage) / 2) < 1e-9
    assert risk_of(group_curve(of_measure(Pure(1)), 2), []).advantage <= math.tanh(1) + 1e-9


@over("prior", [0.1, 0.3, 0.5, 0.7])
def test_a_guess_is_bounded_by_every_point_of_the_curve(prior):
    """RR_{ε,δ} reaches the larger corner of its region, and its bound is no less."""
    epsilon, delta = 1, Fraction(1, 10)
    found = risk(Approximate(epsilon, delta), prior=prior).best_guess
    rare, grown = min(prior, 1 - prior), math.e
    reached = max(0, (grown - (1 - rare) / rare) / (grown + 1))
    truth = 1 - rare + rare * (0.1 + 0.9 * reached)
    assert truth - 1e-12 <= found <= truth + 1e-9
