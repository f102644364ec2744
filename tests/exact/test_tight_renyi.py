"""Tight Rényi divergence: equal to the plain recursion, to closed forms, and to sixty digits."""

import math
from fractions import Fraction

import pytest
from exact_reference import VERIFICATIONS, composition_messages, moment, pairs_of, tables
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf
from trying import examples, over

import antiphon as ap
from antiphon.audit.exact.comparison import law_of_views
from antiphon.audit.exact.divergence import logarithm, power
from antiphon.composition import fixed_mechanisms, fixed_parameters, sparse_parallel
from antiphon.composition.accounting import response_divergence
from antiphon.mechanisms import LeakyBit, RandomizedResponse

ORDERS = (Fraction(101, 100), Fraction(3, 2), Fraction(7, 3), Fraction(64))


def real(value):
    return mpf(value.numerator) / value.denominator


def of(mechanism):
    return ap.PrivacyGame(mechanism, mechanism.claims[0].verification)


# --- whole orders: equality -----------------------------------------------------------------------


def agree(game, messages, order, rounds, **search):
    found = game.tight_renyi(order, rounds=rounds, **search)
    expected = max(moment(game, messages, order, rounds, bit) for bit in (0, 1))
    if expected == math.inf:
        assert found.moment is None
        assert found.lower == found.upper == math.inf
    else:
        assert found.moment == expected
        truth = mp.log(real(expected)) / (order - 1)
        assert found.lower <= truth <= found.upper <= truth * (1 + mpf(2) ** -51)


@given(tables(), st.sampled_from((2, 3, 5)), st.integers(0, 3))
def test_one_mechanism_with_two_hidden_states(table, order, rounds):
    agree(ap.PrivacyGame(table, table.claims[0].verification), pairs_of([0, 1]), order, rounds)


@given(tables(refusals=True), st.sampled_from(VERIFICATIONS))
def test_refusals_and_an_f_that_is_not_symmetric(table, f):
    agree(ap.PrivacyGame(table, f), pairs_of([0, 1]), 2, 2)


@pytest.mark.every(3)
@given(table=tables(answers=(0, 1, ap.HALT)))
@examples(4)
@pytest.mark.parametrize(
    "make",
    [
        fixed_mechanisms,
        lambda ms: fixed_parameters([m.claims[0].parameters for m in ms]),
        lambda ms: sparse_parallel([ms[0].claims[0].parameters]),
    ],
)
def test_a_composition(make, table):
    """With columns that meet, creations that count as messages, and a purse."""
    made = [table, RandomizedResponse(epsilon=ap.Log(2))]
    game = ap.PrivacyGame(ap.ExtConComp(), make(made))
    messages = composition_messages([ap.Create(each) for each in made], (0, 1), 2)
    agree(game, messages, 2, 3, catalogue=made, max_creations=2)


def test_a_leak_is_infinite():
    found = of(LeakyBit(delta=Fraction(1, 10))).tight_renyi(2, rounds=2)
    assert (found.lower, found.upper, found.moment) == (math.inf, math.inf, None)


# --- a strategy that attains it -------------------------------------------------------------------


def attains(game, order, rounds, **search):
    found, adversary = game.question(**search).best_of_order(order, rounds)
    own, other = (
        law_of_views(adversary, game.mechanism(bit), rounds=rounds + 1)
        for bit in (found.bit, 1 - found.bit)
    )
    assert found.moment == game.tight_renyi(order, rounds=rounds, **search).moment
    assert own.moment(other, order) == found.moment
    theirs = {(view.answers, view.ending): p for view, p in other.views}
    for view, p in own.views:
        assert adversary.event(view) is (p > theirs.get((view.answers, view.ending), 0))


@given(tables(), st.sampled_from((2, 3)), st.integers(0, 2))
def test_a_strategy_has_views_of_that_moment(table, order, rounds):
    game = ap.PrivacyGame(table, table.claims[0].verification)
    if game.tight_renyi(order, rounds=rounds).moment is not None:
        attains(game, order, rounds)


def test_so_has_one_that_creates():
    made = [RandomizedResponse(epsilon=ap.Log(q)) for q in (2, 3)]
    for f in (fixed_mechanisms(made), sparse_parallel([(ap.Log(3), 0)])):
        search = {"catalogue": made, "max_creations": 2}
        attains(ap.PrivacyGame(ap.ExtConComp(), f), 2, 4, **search)


def test_nothing_attains_what_is_infinite():
    found, adversary = of(LeakyBit(delta=Fraction(1, 10))).question().best_of_order(2, 2)
    assert found.upper == math.inf
    assert adversary is None


def test_only_of_a_whole_order():
    with pytest.raises(ap.InvalidArgument, match="a whole order"):
        of(RandomizedResponse(epsilon=ap.Log(3))).question().best_of_order(1.5, 1)


def test_nothing_said_is_zero():
    for order in (2, 1.5):
        found = of(RandomizedResponse(epsilon=ap.Log(3))).tight_renyi(order, rounds=0)
        assert (found.lower, found.upper) == (0, 0)


# --- other orders: enclosures ---------------------------------------------------------------------


def divergence(q, order):
    """D_α of RR(ln q), from its definition, in sixty digits."""
    truth, alpha = real(q) / (1 + real(q)), real(order)
    total = truth**alpha * (1 - truth) ** (1 - alpha) + (1 - truth) ** alpha * truth ** (1 - alpha)
    return mp.log(total) / (alpha - 1)


@over("order", ORDERS)
@over("q", [Fraction(3), Fraction(11, 10), Fraction(10**6)])
def test_randomized_response(q, order):
    found = of(RandomizedResponse(epsilon=ap.Log(q))).tight_renyi(order, rounds=2)
    truth = divergence(q, order)
    assert found.lower <= truth <= found.upper
    assert found.upper - found.lower <= 2**-50 * truth
    assert found.upper <= response_divergence(ap.Log(q), float(order)) * (1 + 1e-12)
    assert float(found) == found.upper


@pytest.mark.parametrize("order", ORDERS)
def test_two_responses_add_up(order):
    two = [RandomizedResponse(epsilon=ap.Log(q)) for q in (3, 2)]
    game = ap.PrivacyGame(ap.ExtConComp(), fixed_mechanisms(two))
    found = game.tight_renyi(order, rounds=4)
    truth = divergence(Fraction(3), order) + divergence(Fraction(2), order)
    assert found.lower <= truth <= found.upper
    assert found.upper - found.lower <= 2**-50 * truth


@given(tables(), st.fractions(Fraction(11, 10), 5))
def test_enclosures_lie_between_whole_orders(table, order):
    """D_α rises with α; and the moment of a fractional order, by floats."""
    game = ap.PrivacyGame(table, table.claims[0].verification)
    below, found, above = (
        game.tight_renyi(each, rounds=2)
        for each in (max(Fraction(21, 20), order - 1), order, math.floor(order) + 1)
    )
    assert found.lower <= found.upper
    assert below.lower <= found.upper
    assert found.lower <= above.upper
    if math.isfinite(found.upper):
        assert found.upper - found.lower <= 1e-14 * found.upper + 1e-300


@given(st.fractions(Fraction(1, 10**6), 10**6), st.fractions(Fraction(1, 100), 100))
def test_powers_are_enclosed(base, exponent):
    low, high = power(base, exponent)
    truth = mp.power(real(base), real(exponent))
    assert real(low) <= truth * (1 + mpf(10) ** -55)
    assert truth * (1 - mpf(10) ** -55) <= real(high)
    assert high - low <= high * Fraction(1, 2**140)


def test_whole_powers_are_exact():
    assert power(Fraction(2, 3), Fraction(3)) == (Fraction(8, 27),) * 2


def test_the_logarithm_is_rounded_outward_and_never_negative():
    assert logarithm(Fraction(1), Fraction(2)) == (0, 0)
    assert logarithm(Fraction(99, 100), Fraction(2)) == (0, 0)
    low, high = logarithm(Fraction(7, 3), Fraction(3))
    assert low < mp.log(mpf(7) / 3) / 2 < high


@over("wrong", [1, 0.5, 0, -2, math.nan, math.inf, True, "2", None, 5000])
def test_orders_are_checked(wrong):
    with pytest.raises(ap.InvalidArgument, match="order"):
        of(LeakyBit(delta=0)).tight_renyi(wrong, rounds=1)


def test_the_limit_is_kept():
    with pytest.raises(ap.Intractable, match="limit 3"):
        of(RandomizedResponse(epsilon=ap.Log(3))).tight_renyi(2, rounds=2, limit=3)
