"""Message spaces: total, by exact type, and consistent with their own listing."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from catalogue import SPACES
from hypothesis import given
from hypothesis import strategies as st
from strategies import ALIENS, messages
from trying import over

import antiphon as ap
from antiphon import spaces
from antiphon.protocol.messages import identical
from antiphon.protocol.records.codec import decode, encode

EVERY = over("space", SPACES, at_least=18)


@EVERY
def test_contains_is_total(space):
    for alien in ALIENS:
        assert space.contains(alien) in (True, False)


@EVERY
@given(messages())
def test_contains_is_total_on_messages(space, message):
    assert type(space.contains(message)) is bool


@EVERY
def test_listing_and_membership_agree(space):
    if not space.finite:
        with pytest.raises(ap.Intractable):
            space.enumerate()
        return
    listed = list(space.enumerate())
    assert all(map(space.contains, listed))
    assert not any(identical(a, b) for i, a in enumerate(listed) for b in listed[:i])
    assert space.discrete


@EVERY
@given(st.data())
def test_inclusion_is_sound(space, data):
    other = data.draw(st.sampled_from(SPACES))
    if space.includes(other):
        for value in [*ALIENS, *(other.enumerate() if other.finite else ())]:
            assert space.contains(value) or not other.contains(value)
    assert space.includes(space)


@EVERY
def test_spaces_are_values(space):
    again = decode(encode(space))
    assert again == space
    assert hash(again) == hash(space)


def test_membership_by_exact_type():
    inside = [
        (spaces.BITS, [0, 1]),
        (spaces.Integers(-2, 2), [-2, 2]),
        (spaces.Reals(-1.0, 1.0), [-1.0, 0.5, -0.0]),
        (spaces.Multiples(0.1), [0.1, 0.2, round(3.0) * 0.1, -7 * 0.1, 0.0, 1e300]),
        (spaces.Texts(2), ["", "ab"]),
        (spaces.Arrays((2,)), [np.zeros(2)]),
        (spaces.Arrays((), "int64", 0, 1), [np.array(1)]),
        (spaces.Tuples((spaces.BITS, spaces.Texts())), [(0, "x")]),
        (spaces.Pairs(spaces.BITS), [ap.Pair(0, 1), ap.same(0)]),
    ]
    outside = [
        (spaces.BITS, [True, 0.0, -0.0, np.int64(0), Fraction(0), 2, "0", None]),
        (spaces.Integers(-2, 2), [3, -3, True, 1.0, np.int64(1)]),
        (spaces.Reals(-1.0, 1.0), [1, 1.1, math.nan, math.inf, np.float64(0), Fraction(1, 2)]),
        (spaces.Reals(), [math.inf, -math.inf, math.nan]),
        (spaces.Multiples(0.1), [0.15, 1, math.nan, math.inf, -math.inf, "0.1"]),
        (spaces.Texts(2), ["abc", b"ab", 1]),
        (spaces.Arrays((2,)), [np.zeros(3), np.zeros((2, 1)), np.zeros(2, "f4"), [0.0, 0.0],
                               np.array([0.0, math.nan]), np.array([math.inf, 0.0])]),
        (spaces.Arrays((), "int64", 0, 1), [np.array(2), np.array(True), 1]),
        (spaces.Tuples((spaces.BITS, spaces.Texts())), [(0,), (0, "x", 1), ["0", "x"], (True, "")]),
        (spaces.Pairs(spaces.BITS), [(0, 1), ap.Pair(0, 2), ap.Pair(True, 0), 0]),
    ]  # fmt: skip
    assert [(s, v) for s, values in inside for v in values if not s.contains(v)] == []
    assert [(s, v) for s, values in outside for v in values if s.contains(v)] == []


def test_a_finite_space_lists_each_value_once_by_exact_type():
    assert list(spaces.Finite((1, True, 1.0, 0.0, -0.0)).enumerate()) == [1, True, 1.0, 0.0, -0.0]
    for wrong in [(1, 1), ("a", "b", "a"), ((1, 2), (1, 2))]:
        with pytest.raises(ap.InvalidArgument):
            spaces.Finite(wrong)
    with pytest.raises(ap.InvalidArgument):
        spaces.Finite(([],))


def test_a_lying_element_does_not_get_in():
    class Equal:
        def __eq__(self, other):
            return True

        def __hash__(self):
            return hash("a")

    assert not spaces.Finite(("a",)).contains(Equal())


def test_a_union_lists_no_value_twice():
    union = spaces.Either((spaces.Integers(0, 3), spaces.Integers(2, 5)))
    assert list(union.enumerate()) == [0, 1, 2, 3, 4, 5]
    assert union.includes(spaces.Integers(1, 4))
    assert union.includes(spaces.Finite((5,)))
    assert not union.includes(spaces.Finite((6,)))
    assert list(spaces.Either(()).enumerate()) == []


def test_inclusions():
    assert spaces.Anything().includes(spaces.Reals())
    assert spaces.Integers().includes(spaces.Integers(0))
    assert not spaces.Integers(0).includes(spaces.Integers())
    assert not spaces.Integers(0, 5).includes(spaces.Integers(0))
    assert spaces.Integers(0).includes(spaces.Finite((0, 7)))
    assert spaces.Reals().includes(spaces.Reals(0.0, 1.0))
    assert not spaces.Reals(0.0).includes(spaces.Reals())
    assert spaces.Pairs(spaces.Integers()).includes(spaces.Pairs(spaces.BITS))
    assert not spaces.BITS.includes(spaces.Anything())


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([0.1, 1.0, 3.7, 1e-3]))
def test_multiples_are_what_a_grid_rounds_to(value, step):
    if abs(value / step) < 2**53:
        assert spaces.Multiples(step).contains(round(value / step) * step)


def test_discrete_is_what_the_theorems_mean():
    discrete = [spaces.BITS, spaces.Integers(), spaces.Multiples(0.5), spaces.Texts(),
                spaces.Arrays((2,), "int8"), spaces.Pairs(spaces.BITS),
                spaces.Tuples(())]  # fmt: skip
    assert all(space.discrete for space in discrete)
    dense = [spaces.Anything(), spaces.Reals(), spaces.Arrays((2,)), spaces.Pairs(spaces.Reals()),
             spaces.Tuples((spaces.BITS, spaces.Reals()))]  # fmt: skip
    assert not any(space.discrete for space in dense)


ALIKE = [spaces.BITS, spaces.Finite(("a", "b")), spaces.Finite((0, 1.0)), spaces.Finite((0, True)),
         spaces.Finite(()), spaces.Finite((ap.TOP,)), spaces.Integers(0, 1)]  # fmt: skip


class Liar(int):
    """An int that says it is what one looks for."""

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0


@given(
    st.sampled_from(ALIKE),
    st.lists(st.sampled_from([0, 1, 2, True, False, 0.0, 1.0, "a", "b", None, ap.TOP, Liar(7)])
             | st.lists(st.just(0)), max_size=3).map(tuple),
)  # fmt: skip
def test_all_entries_of_a_product_are_checked_as_each_one(space, values):
    each = all(map(space.contains, values))
    assert space.contains_all(values) is each
    assert spaces.Tuples((space,) * len(values)).contains(values) is each
    other = spaces.Tuples((*(space,) * len(values), spaces.Texts()))
    assert other.contains((*values, "x")) is each


def test_finite_spaces_that_are_equal_but_not_the_same_are_told_apart():
    """Finite((0, 1)) == Finite((False, True)) for attrs, as 0 == False."""
    mixed = spaces.Tuples((spaces.BITS, spaces.Finite((False, True))))
    assert mixed.contains((0, True))
    assert not mixed.contains((0, 1))


def test_a_product_is_listed_as_its_factors_are():
    """In the order of itertools.product, however many there are: once it was by recursion."""
    factors = (spaces.BITS, spaces.Integers(3, 5), spaces.Tuples(()), spaces.Finite(("a",)))
    each = [tuple(factor.enumerate()) for factor in factors]
    assert list(spaces.Tuples(factors).enumerate()) == list(product(*each))
    assert list(spaces.Tuples((*factors, spaces.Either(()))).enumerate()) == []
    long = spaces.Tuples((spaces.BITS,) * 5000).enumerate()
    assert next(long) == (0,) * 5000
    assert next(long) == (*(0,) * 4999, 1)


def test_a_huge_product_is_listed_lazily():
    """Its parts were listed whole: a MemoryError."""
    wide = spaces.Tuples((spaces.Integers(0, 2**60),) * 2)
    assert next(wide.enumerate()) == (0, 0)
    assert next(spaces.Pairs(spaces.Integers(0, 2**60)).enumerate()) == ap.Pair(0, 0)


@over("wrong", [int, [0, 1], None, "bits", spaces.Integers, range(2)])
@over("name", ["queries", "answers", "updates"])
def test_a_signature_is_made_of_spaces(name, wrong):
    """``queries=int`` was an AttributeError, at the first message."""
    given = {"queries": spaces.BITS, "answers": spaces.BITS, name: wrong}
    with pytest.raises(ap.InvalidArgument, match=f"{name} is a space"):
        spaces.Signature(**given)
    if name != "updates" or wrong is not None:  # None: all queries are
        with pytest.raises(ap.InvalidArgument, match=f"{name} is a space"):
            ap.mechanism(**given)


@pytest.mark.parametrize("wrong", [float("nan"), True, "0", None, np.float64(1)], ids=repr)
def test_ends_of_arrays_that_are_none(wrong):
    for name in ("low", "high"):
        with pytest.raises(ap.InvalidArgument, match=name):
            spaces.Arrays((2,), **{name: wrong})


@over("wrong", [0.0, 0.75, 3, -1.0, float("inf"), float("nan"), "1"])
def test_steps_of_arrays_that_are_no_powers_of_two(wrong):
    with pytest.raises(ap.InvalidArgument, match="step"):
        spaces.Arrays((2,), step=wrong)
