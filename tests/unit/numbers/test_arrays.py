"""Questions about whole arrays, against Python's integers and against one entry after the other."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of
from trying import over

from antiphon.numbers import arrays

WORD = st.integers(-(2**63), 2**63 - 1)
ROWS = st.lists(st.tuples(WORD | st.sampled_from([-(2**63), 2**63 - 1, 0]), WORD), max_size=6)


@given(ROWS)
def test_sums_of_gaps_are_those_of_python(row):
    zero, one = (np.array([pair[side] for pair in row], np.int64) for side in (0, 1))
    gaps = [abs(a - b) for a, b in row]
    found = arrays.gaps(zero, one)
    assert found.tolist() == gaps == arrays.gaps(one, zero).tolist()
    assert arrays.largest(found) == max(gaps, default=0)
    assert arrays.total(found) == sum(gaps)
    assert arrays.squares(found) == sum(gap * gap for gap in gaps)


@pytest.mark.parametrize("gap", [2**32 - 1, 2**32, 2**64 - 1, 1, 2**22])
def test_sums_of_many_gaps_do_not_overflow(gap):
    many = np.full(2**20, gap, np.uint64)
    assert arrays.total(many) == gap * 2**20
    assert arrays.squares(many[: 2**14]) == gap * gap * 2**14


def one_by_one(values, low, high):
    return all(math.isfinite(each) and low <= each <= high for each in values.ravel().tolist())


BOUNDS = st.sampled_from([-math.inf, math.inf, 0.0, -0.0, 1.0, -1, 2**53, -(2.0**63), 2.0**63])


@given(
    arrays_of.arrays(
        st.sampled_from(["float64", "int64", "uint64", "int8", "bool"]),
        arrays_of.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=3),
    ),
    BOUNDS,
    BOUNDS,
)
def test_the_ends_decide_as_all_entries_do(values, low, high):
    assert arrays.inside(values, low, high) is one_by_one(values, low, high)


@over("odd", [math.nan, math.inf, -math.inf])
@over("place", [0, 1, 2])
def test_one_odd_entry_is_seen_wherever_it_stands(odd, place):
    for kind in ("float64", "float32", "float16"):
        values = np.array([0.0, 1.0, -1.0], kind)
        assert arrays.inside(values, -math.inf, math.inf)
        values[place] = odd
        assert not arrays.inside(values, -math.inf, math.inf)
        assert not arrays.inside(values, -1.0, 1.0)


def test_whole_numbers_are_compared_with_their_bounds_exactly():
    assert not arrays.inside(np.array([2**53 + 1]), 0.0, 2.0**53)
    assert not arrays.inside(np.array([2**63 - 1]), 0, 2**63 - 2)
    assert arrays.inside(np.array([2**53]), 0.0, 2.0**53)


@over("kind", ["float16", "float32", "float64", "longdouble"])
@over("bound", [0.1, 2**60 + 1, Fraction(1, 3), 2**11 + 1, 2**24 + 1, 2**53 + 1])
def test_no_bound_is_rounded_to_the_dtype_of_the_entries(kind, bound):
    with np.errstate(over="ignore"):
        values = np.array([float(bound)]).astype(kind)
    value = values[0]
    if np.isfinite(value):
        exactly = Fraction(*value.as_integer_ratio())
        assert arrays.inside(values, -math.inf, bound) == (exactly <= Fraction(bound))
        assert arrays.inside(values, bound, math.inf) == (exactly >= Fraction(bound))


@pytest.mark.parametrize("kind", ["S3", "U2", "m8", "M8", "V4"])
def test_what_is_no_number_is_inside_of_nothing(kind):
    assert not arrays.inside(np.zeros(2, kind), -math.inf, math.inf)
    assert not arrays.inside(np.array([1j]), 0, 1)


def test_complex_numbers_are_finite_in_both_parts():
    assert arrays.inside(np.array([1 + 1j]), -math.inf, math.inf)
    assert not arrays.inside(np.array([complex(1, math.nan)]), -math.inf, math.inf)
