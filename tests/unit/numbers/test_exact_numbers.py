"""Exact ε and δ. Comparisons between logarithms and rationals are in law 7."""

import math
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trying import over

import antiphon as ap
from antiphon import Log
from antiphon.numbers import exact
from antiphon.numbers.errors import of_kind


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_the_shortest_decimal_that_prints_it(value):
    assert float(exact.fraction(value)) == value
    assert exact.fraction(value) == Fraction(repr(value))


@given(st.integers() | st.fractions())
def test_exact_numbers_stay_what_they_are(value):
    assert exact.fraction(value) == value
    assert type(exact.fraction(value)) is Fraction


@over("wrong", [math.nan, math.inf, -math.inf, True, "1", None, 1j, [1], b"1"])
def test_what_is_no_finite_number_is_refused(wrong):
    for read in (exact.fraction, exact.probability, exact.epsilon, Log):
        with pytest.raises(ap.InvalidArgument):
            read(wrong)


@over("wrong, cure", [(np.float32(1), "float"), (np.int64(1), "int"), (np.bool_(1), "bool")])
def test_a_number_of_numpy_is_told_to_be_pythons(wrong, cure):
    name = type(wrong).__name__
    assert of_kind(wrong) == f"a NumPy {name} (write {cure}(x))"
    with pytest.raises(ap.InvalidArgument, match=rf"n must be an int >= 1, not a NumPy {name} \(w"):
        exact.whole(wrong, "n")
    assert of_kind(np.ones(2)) == "a ndarray"
    assert of_kind(Fraction(1)) == "a Fraction"


def test_ranges():
    for wrong in (-1, Fraction(-1, 10**30), -1e-300):
        with pytest.raises(ap.InvalidArgument):
            exact.epsilon(wrong)
        with pytest.raises(ap.InvalidArgument):
            exact.positive(wrong, "x")
    with pytest.raises(ap.InvalidArgument):
        exact.positive(0, "x")
    for wrong in (0, 0.5, Fraction(99, 100)):
        with pytest.raises(ap.InvalidArgument):
            Log(wrong)


def test_log_one_is_zero():
    assert exact.epsilon(Log(1)) == Fraction(0)
    assert type(exact.epsilon(Log(1))) is Fraction
    assert exact.epsilon(Log(3)) == Log(Fraction(3))


@given(st.fractions(1, 10**9))
def test_the_float_of_a_logarithm(argument):
    assert math.isclose(float(Log(argument)), math.log(argument), rel_tol=1e-12, abs_tol=1e-15)


def test_the_float_of_a_huge_logarithm():
    assert math.isclose(float(Log(10**400)), 400 * math.log(10))
    assert math.isclose(float(Log(Fraction(10**900, 10**400 + 1))), 500 * math.log(10))


def test_exp():
    assert exact.exp(Log(3)) == 3
    assert exact.exp(Fraction(0)) == 1
    assert math.isclose(exact.exp(Fraction(1)), math.e)


def test_numbers_made_to_be_close_hold_nobody_up():
    """A rational that is ln 3 to n digits: told from it up to a thousand, then refused."""
    near = {n: Fraction(Context(prec=n).ln(Decimal(3))) for n in (900, 1200)}
    assert exact.at_most(Log(3), near[900]) is not exact.at_most(near[900], Log(3))
    for sides in ((Log(3), near[1200]), (near[1200], Log(3))):
        with pytest.raises(ap.InvalidArgument, match="fewer digits"):
            exact.at_most(*sides)


def test_errors_show_public_numbers_and_no_more():
    with pytest.raises(ap.InvalidArgument, match="2"):
        exact.probability(2)
    with pytest.raises(ap.InvalidArgument) as caught:
        exact.probability(10**5000)
    assert len(str(caught.value)) < 200
    with pytest.raises(ap.InvalidArgument) as caught:
        exact.probability("canary")
    assert "canary" not in str(caught.value)


@over(
    ("smaller", "larger"),
    [
        (Log(2), Log(3)),
        (Log(Fraction(10**20 + 1, 10**20)), Log(Fraction(10**20 + 2, 10**20))),
        (Fraction(1, 3), Fraction(1, 2)),
        (Fraction(69, 100), Log(2)),
        (Log(2), Fraction(70, 100)),
        (Fraction(0), Log(2)),
        (Log(1), Fraction(0)),
    ],
)
def test_the_smaller_is_at_most_the_larger(smaller, larger):
    assert exact.at_most(smaller, larger)
    assert exact.at_most(larger, smaller) is (exact.epsilon(smaller) == exact.epsilon(larger))
    assert exact.at_most(smaller, smaller)


def test_a_fraction_of_another_class_is_no_number():
    class Half(Fraction):
        """Another number at every look, for all that is known."""

    for half in (Half(1, 2), Half(0)):
        with pytest.raises(ap.InvalidArgument, match="must be a finite int, float or Fraction"):
            exact.fraction(half)


@pytest.mark.parametrize(
    "value", [Fraction(2), Fraction(1, 3), Fraction(10**50 + 1), Fraction(3, 7**80)]
)
def test_a_root_is_rounded_up_and_hardly(value):
    root = exact.root_up(value)
    assert value < root**2 < value * (1 + Fraction(1, 2**39))
    assert exact.root_up(value**2) == value


@given(st.integers(1, 30), st.integers(1, 30), st.integers(0, 5))
def test_logarithms_add_up_exactly(a, b, times):
    assert Log(a) + Log(b) == Log(a * b) == sum([Log(a), Log(b)])
    assert times * Log(a) == Log(a) * times == Log(a**times)
    assert (Log(a) < Log(b), Log(a) <= Log(b)) == (a < b, a <= b)
    assert (Log(a) > Log(b), Log(a) >= Log(b)) == (a > b, a >= b)
    if times:
        assert Log(Fraction(a**times)) / times == Log(a)


def test_logarithms_are_compared_with_numbers():
    assert 1 < Log(3) < Fraction(11, 10)
    assert not Log(3) <= 1
    assert 0 <= Log(1) <= 0
    assert min(Log(3), 2, Fraction(1, 2)) == Fraction(1, 2)
    assert -1 < Log(3) < math.inf
    assert not Log(3) >= math.inf
    assert -math.inf <= Log(2)
    for other in ("a", None, math.nan, True):
        assert Log(3).__lt__(other) is NotImplemented
    assert sum([Log(2), exact.epsilon(Log(1))], Fraction(0)) == Log(2)
    assert Log(10**400 + 1) / 1 == Log(10**400 + 1)


@pytest.mark.parametrize(
    "wrong",
    [lambda: Log(3) / 2, lambda: Log(8) / 0, lambda: Fraction(1, 2) * Log(3), lambda: Log(3) + 1,
     lambda: 1 + Log(3), lambda: Log(3) * -1, lambda: Log(3) * True,
     lambda: Log(Fraction(9, 2)) / 2, lambda: Log(10**400 + 1) / 2],
)  # fmt: skip
def test_what_is_no_logarithm_of_a_rational_is_refused(wrong):
    with pytest.raises(ap.InvalidArgument):
        wrong()
