"""Running sums of privacy parameters, past the lengths up to which they are exact."""

from decimal import Decimal
from fractions import Fraction
from functools import reduce

import mpmath
import pytest
from trying import over

from antiphon import Log
from antiphon.composition.accounting.parameters import parameters
from antiphon.composition.filters.sums import (
    Sum,
    above,
    below,
    log_above,
    root_above,
    rounded_down,
)


def real(value):
    """A sum, an ε or a rational, to a thousand digits."""
    if isinstance(value, Log):
        return mpmath.log(real(value.argument))
    if isinstance(value, Sum):
        logarithm = 0 if value.argument is None else mpmath.log(real(value.argument))
        return real(value.rational) + logarithm
    return mpmath.mpf(value.numerator) / value.denominator


def total(terms):
    return reduce(Sum.plus, terms, Sum())


LONG = [
    [Log(3)] * 700,
    [Log(Fraction(10**20 + 1, 10**20))] * 60,
    [Fraction(1, n) for n in range(1, 2500)],
    [*[Log(5)] * 400, *(Fraction(1, n) for n in range(1, 1800))],
    [*(Fraction(1, n) for n in range(1, 1800)), *[Log(5)] * 400],
]


@pytest.mark.every(2)
@pytest.mark.parametrize("terms", LONG, ids=["Log(3)", "Log near 1", "harmonic", "mixed", "turned"])
def test_a_long_sum_is_rounded_up_and_hardly(terms):
    with mpmath.workdps(1000):
        true, found = mpmath.fsum(map(real, terms)), total(terms)
        assert true <= real(found) < true + mpmath.mpf(10) ** -50
        assert true <= real(found.value) < true + mpmath.mpf(10) ** -50


@over(
    ("terms", "limit", "fits"),
    [
        ([Log(2), Fraction(1)], Log(Fraction(544, 100)), True),  # 2e = 5.4365…
        ([Log(2), Fraction(1)], Log(Fraction(543, 100)), False),
        ([Log(2), Fraction(1)], Log(2), False),
        ([Log(2), Fraction(1)], Fraction(1_693_148, 1_000_000), True),  # 1 + ln 2 = 1.6931471…
        ([Log(2), Fraction(1)], Fraction(1_693_147, 1_000_000), False),
        ([Log(2), Fraction(1)], Fraction(1), False),
        ([Log(2), Log(3)], Log(6), True),
        ([Fraction(1, 3), Fraction(2, 3)], Fraction(1), True),
        ([Fraction(1, 3), Fraction(2, 3), Fraction(1, 10**30)], Fraction(1), False),
    ],
)
def test_what_is_within_a_limit_is_decided_exactly(terms, limit, fits):
    assert total(terms).at_most(limit) is fits
    assert total(terms[::-1]).at_most(limit) is fits


@pytest.mark.parametrize("far", [10**-11, 10**-14])
def test_near_a_limit_floats_do_not_decide(far):
    """ln 2 in doubles is off by more than these."""
    low = Fraction(str(mpmath.nstr(mpmath.log(2), 15)))
    for limit in (low - Fraction(far), low + Fraction(far)):
        with mpmath.workdps(60):
            assert Sum().plus(Log(2)).at_most(limit) is bool(mpmath.log(2) <= real(limit))
            assert total([Log(2), limit]).at_most(Log(4)) is bool(mpmath.log(2) >= real(limit))


def test_what_is_left_is_never_more_than_the_truth():
    spent = total([Log(2), Fraction(1, 2)])
    with mpmath.workdps(200):
        left = real(Fraction(3)) - real(spent)
        assert left - mpmath.mpf(10) ** -50 < real(spent.left(Fraction(3))) <= left
    assert Sum().plus(Log(2)).left(Log(6)) == Log(3)


def test_a_total_of_both_kinds_lies_between_its_ends():
    composed = parameters([(1, 0), (Log(3), 0), (Log(3), 0)])
    assert composed.total is None
    low, high = composed.sum
    with mpmath.workdps(100):
        assert real(low) < 1 + 2 * mpmath.log(3) < real(high)


@pytest.mark.parametrize("value", [Log(3), Log(Fraction(10**9 + 1, 10**9)), Fraction(1, 3)])
def test_decimals_are_rounded_to_their_side(value):
    with mpmath.workdps(200):
        low, high = (mpmath.mpf(str(end(value))) for end in (below, above))
        assert low < real(value) < high
        assert high - low < real(value) * mpmath.mpf(10) ** -45


@pytest.mark.parametrize("value", [Fraction(2), Fraction(1, 7), Fraction(10**40)])
def test_roots_and_logarithms_are_rounded_up(value):
    decimal = above(value)
    with mpmath.workdps(200):
        root, log = mpmath.mpf(str(root_above(decimal))), mpmath.mpf(str(log_above(1 + value)))
        assert mpmath.sqrt(mpmath.mpf(str(decimal))) < root
        assert mpmath.log(1 + real(value)) < log
        assert real(rounded_down(decimal)) <= mpmath.mpf(str(decimal))
    assert rounded_down(Decimal(2) / Decimal(3), 5) == Fraction(66666, 100000)
