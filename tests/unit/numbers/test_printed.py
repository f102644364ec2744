"""Figures as text: read back exactly, they are on their side of what they stand for."""

import math
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from trying import over

from antiphon.numbers import exact
from antiphon.numbers.exact import Log
from antiphon.numbers.rounded_text import fixed_down, fixed_up, shown_down, shown_up, told_apart

doubles = st.floats(0, allow_nan=False, allow_infinity=False)
fractions = st.fractions(0, 10**9) | st.builds(Fraction, st.integers(0, 99), st.integers(1, 10**80))
figures = doubles | fractions
digits = st.integers(1, 20)


def read(text):
    return Fraction(text.replace(",", ""))


@given(figures, digits)
def test_so_many_digits_on_their_side(value, digits):
    low, high = read(shown_down(value, digits)), read(shown_up(value, digits))
    true = exact.fraction(value)
    assert low <= true <= high
    assert high - low <= true * Fraction(10, 10**digits)


@given(figures, st.integers(0, 12))
def test_so_many_places_on_their_side(value, places):
    low, high = fixed_down(value, places), fixed_up(value, places)
    assert read(low) <= exact.fraction(value) <= read(high)
    assert read(high) - read(low) in (0, Fraction(1, 10**places))
    assert len(low.partition(".")[2]) == len(high.partition(".")[2]) == places


@given(st.fractions(1, 10**12), digits)
def test_a_logarithm_lies_between(argument, digits):
    low, high = read(shown_down(Log(argument), digits)), read(shown_up(Log(argument), digits))
    assert exact.at_most(low, Log(argument))
    assert exact.at_most(Log(argument), high)
    assert exact.at_most(read(fixed_down(Log(argument), digits)), Log(argument))
    assert exact.at_most(Log(argument), read(fixed_up(Log(argument), digits)))


@given(figures, figures)
def test_two_figures_are_told_apart(one, other):
    low, high = map(read, told_apart(one, other))
    assert low <= exact.fraction(one)
    assert high >= exact.fraction(other)
    assert (low > high) == (exact.fraction(one) > exact.fraction(other))


@given(st.floats(1e-9, 1e9), st.integers(1, 4))
def test_next_doubles_are_told_apart(value, steps):
    more = value
    for _ in range(steps):
        more = math.nextafter(more, math.inf)
    low, high = told_apart(more, value)
    assert Fraction(low) > Fraction(high)


@given(st.integers(0, 10**6), st.integers(-6, 6))
def test_what_has_few_digits_stays_as_it_is(figures, power):
    """As Python prints it, but for ".0"."""
    value = Fraction(figures) * Fraction(10) ** power
    assert Fraction(shown_up(value, 7)) == Fraction(shown_down(value, 7)) == value
    assert shown_up(value, 10) == f"{float(value):.10g}"


@over(
    ("value", "text"),
    [
        (0.1, "0.1"), (0.3, "0.3"), (1, "1"), (100, "100"), (1e-6, "1e-06"), (0.0001, "0.0001"),
        (1.00000049, "1.00001"), (2e-9, "2e-09"), (999999.5, "1e+06"), (0.0, "0"), (-0.25, "-0.25"),
        (np.float64(0.1), "0.1"), (math.inf, "inf"), (math.nan, "nan"), (Log(3), "1.09862"),
    ],
)  # fmt: skip
def test_by_example(value, text):
    assert shown_up(value) == text


def test_what_ends_nowhere():
    assert fixed_up(math.inf, 3) == fixed_down(math.inf, 3) == "inf"
    assert told_apart(math.inf, 0.5) == ("inf", "0.5")
    assert told_apart(math.nan, 0.5) == ("nan", "0.5")
    assert told_apart(1, Log(2)) == ("1", "0.693148")
