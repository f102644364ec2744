"""Law 7: a reported (ε, δ) is never below the true one.

Accounting, discretised privacy-loss distributions and FFT belong to the parts that
build them (composition.accounting, audit); here: comparing ε exactly, δ as parsed, and
the probabilities of randomized response.
"""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from trying import over

import antiphon as ap
from antiphon import Log
from antiphon.mechanisms import RandomizedResponse
from antiphon.numbers import exact

rationals = st.fractions(min_value=0, max_value=40)
arguments = st.fractions(min_value=1, max_value=10**12)


def high_precision(value, digits=120):
    with localcontext() as context:
        context.prec = digits
        if isinstance(value, Log):
            ratio = Decimal(value.argument.numerator) / Decimal(value.argument.denominator)
            return ratio.ln()
        return Decimal(value.numerator) / Decimal(value.denominator)


@given(arguments, rationals)
def test_at_most_decides_between_a_logarithm_and_a_rational(argument, rational):
    log = Log(argument)
    below = high_precision(log) <= high_precision(rational)
    assert exact.at_most(log, rational) is below
    above = high_precision(log) >= high_precision(rational)
    assert exact.at_most(rational, log) is above


@given(arguments, st.integers(10, 60))
def test_at_most_separates_the_nearest_decimals(argument, digits):
    """Truncations of ln from below and above, to 60 digits."""
    assume(argument != 1)
    value = high_precision(Log(argument))
    scale = 10**digits
    low = Fraction(math.floor(Fraction(value) * scale), scale)
    assert exact.at_most(low, Log(argument))
    assert not exact.at_most(Log(argument), low)
    assert exact.at_most(Log(argument), low + Fraction(1, scale))
    assert not exact.at_most(low + Fraction(1, scale), Log(argument))


@given(arguments, arguments)
def test_at_most_on_logarithms_and_on_rationals(left, right):
    assert exact.at_most(Log(left), Log(right)) is (left <= right)
    assert exact.at_most(left, right) is (left <= right)


def test_at_most_ends_where_both_are_zero():
    assert exact.at_most(Log(1), Fraction(0))
    assert exact.at_most(Fraction(0), Log(1))
    assert not exact.at_most(Log(1 + Fraction(1, 10**300)), Fraction(0))
    assert exact.at_most(Fraction(0), Log(10**5000))


@given(st.floats(0, 1), st.fractions(0, 1))
def test_a_probability_is_the_decimal_that_prints_it(value, rational):
    assert exact.probability(value) == Fraction(repr(value))
    assert float(exact.probability(value)) == value
    assert exact.probability(rational) == rational


@over("wrong", [-1e-300, 1 + 2**-52, math.nan, math.inf, True, "0.1", None])
def test_what_is_no_probability_is_refused(wrong):
    with pytest.raises(ap.InvalidArgument):
        exact.probability(wrong)


@given(st.floats(0, 50) | st.fractions(0, 50) | st.floats(0, 1e-9))
def test_the_truth_of_randomized_response_is_never_rounded_up(epsilon):
    rr = RandomizedResponse(epsilon=epsilon)
    truth = Fraction(rr.truth)
    with localcontext() as context:
        context.prec = 80
        value = Decimal(rr.epsilon.numerator) / Decimal(rr.epsilon.denominator)
        true = value.exp() / (1 + value.exp())
    assert Fraction(1, 2) <= truth <= Fraction(true)
    assert truth >= Fraction(true) * (1 - Fraction(1, 2**47))


@pytest.mark.parametrize("epsilon", [1000, 10**6, 10**400, Fraction(10**400, 3)])
def test_the_truth_for_a_huge_epsilon_is_still_below_one(epsilon):
    truth = RandomizedResponse(epsilon=epsilon).truth
    assert 1 - 2**-40 < truth < 1
    assert RandomizedResponse(epsilon=epsilon).start(seed=0).send(1) == (1, ap.BOTTOM)


@given(arguments)
def test_the_truth_is_exact_for_logarithms(argument):
    truth = RandomizedResponse(epsilon=Log(argument)).truth
    assert type(truth) is Fraction
    assert truth == argument / (1 + argument)


def test_the_enumerated_epsilon_of_a_rounded_response_is_within_its_claim():
    """Both sides of the tight inequality, from the law itself: p ≤ e^ε q."""
    for epsilon in (0.1, 1.0, 2.5, 30.0):
        rr = RandomizedResponse(epsilon=epsilon)
        law = {a: p for p, (_, a) in ap.outcomes(lambda c, m=rr: m.step(False, 1, c))}
        ratio = law[1, ap.BOTTOM] / law[0, ap.BOTTOM]
        with localcontext() as context:
            context.prec = 60
            claimed = (Decimal(rr.epsilon.numerator) / rr.epsilon.denominator).exp()
        assert ratio <= Fraction(claimed)
