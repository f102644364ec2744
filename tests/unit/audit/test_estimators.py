"""Bounds from samples, each at a value that tells it from the bound beside it."""

import math

import numpy as np

import antiphon as ap
from antiphon.audit.exact.claimed import OfRange
from antiphon.audit.statistical.claim_audit import Ladder
from antiphon.audit.statistical.estimators import (
    Hits,
    Rates,
    delta_lower_bound,
    holm,
    p_value,
)
from antiphon.audit.statistical.event import _Scored


def test_an_epsilon_at_a_delta_is_of_what_exceeds_it():
    rates = Rates(0.5, 0.1)
    assert math.log(3) - 1e-9 < rates.epsilon_at(0.2) <= math.log(3)
    assert rates.epsilon_at(0.5) == 0


def test_a_p_value_is_the_least_alpha_that_refutes_epsilon_and_delta():
    hits = Hits(90, 100, 20, 100)
    p = p_value(hits, epsilon=0.5, delta=0.25)
    lows = [delta_lower_bound(90, 100, 20, 100, epsilon=0.5, alpha=p * x) for x in (0.99, 1.01)]
    assert lows[0] <= 0.25 < lows[1]


def test_adjusted_p_values_do_not_fall():
    assert holm([0.25, 0.125, 0.25]) == (0.5, 0.375, 0.5)


def test_a_bound_is_the_last_of_the_claims_that_fell_in_a_row():
    bounds = [Ladder((0.0, 1.0, 2.0), (), fallen).bound for fallen in ({0, 2}, {1}, set(), {0, 1})]
    assert bounds == [0.0, -1.0, -1.0, 1.0]


def test_above_a_limit_is_not_at_it():
    scored = _Scored(np.array([1.0, 3.0]), np.array([1.0, 2.0]), np.array([0, 3, 5]))
    assert scored.above(np.array([0.5, 1.0, 2.0])).tolist() == [7, 3, 1]
    assert scored.below(np.array([1.0, 2.0, 3.5])).tolist() == [0, 4, 7]


def test_a_delta_that_is_claimed_is_what_has_to_be_exceeded():
    """20,000 plays of a response whose δ(0) is 1/2: a bound above .45 but for probability 10⁻⁶."""
    response = ap.mechanisms.RandomizedResponse(epsilon=ap.Log(3))
    game = ap.PrivacyGame(response, response.claims[0].verification)
    asked = ap.scripted([ap.Pair(0, 1)])
    for claimed, verdict in ((0.4, "refuted"), (0.6, "not refuted")):
        report = game.audit(asked, epsilon=0, delta=claimed, samples=20_000, seed=1)
        assert report.verdict == verdict


def test_a_range_that_is_infinite_refutes():
    assert OfRange(1, math.inf).refuted
    assert [OfRange(1, tight).refuted for tight in (0.5, 1, 1.5)] == [False, False, True]
