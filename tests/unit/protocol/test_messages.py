"""Messages, ``identical`` and ``freeze``."""

import copy
import pickle
from fractions import Fraction

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import ALIENS, arrays, messages, nested_tuple
from trying import over

import antiphon as ap
from antiphon.protocol import identical
from antiphon.protocol.messages import MAX_DEPTH, freeze


@given(messages())
def test_identical_is_reflexive_and_follows_copies(message):
    assert identical(message, message)
    assert identical(message, copy.deepcopy(message))


@given(messages(), messages())
def test_identical_is_symmetric_and_respects_type(left, right):
    assert identical(left, right) is identical(right, left)
    if identical(left, right):
        assert type(left) is type(right)
        assert repr(left) == repr(right)


@over(
    ("left", "right"),
    [
        (1, True), (0, False), (1, 1.0), (0.0, -0.0), (Fraction(1), 1), ("1", 1), ("a", b"a"),
        ((1,), (True,)), ((1, 2), (1,)), ((), None), (ap.TOP, ap.BOTTOM), (ap.TOP, "⊤"),
        (np.zeros(2), np.zeros(3)), (np.zeros(2), np.zeros(2, "f4")),
        (np.zeros(2), np.zeros((2, 1))), (np.array([0.0]), np.array([-0.0])), (np.zeros(1), (0.0,)),
        (ap.Pair(0, 1), ap.Pair(0, True)),
        (ap.Ask(0, 0), ap.Ask(0, False)), (ap.Ask(0, 0), ap.Pair(0, 0)), (ap.Pair(0, 1), (0, 1)),
        (ap.Log(2), Fraction(2)),
        (range(2), range(2)), ({1}, {1}), ([1], [1]), (np.float64(1), np.float64(1)),
    ],
)  # fmt: skip
def test_these_are_not_the_same_message(left, right):
    assert not identical(left, right)


@over(
    ("left", "right"),
    [
        (float("nan"), float("nan")), (10**400, 10**400), (Fraction(1, 3), Fraction(2, 6)),
        ((1, (2, b"x")), (1, (2, b"x"))), (np.array([np.nan]), np.array([np.nan])),
        (np.asfortranarray(np.ones((2, 3))), np.ones((2, 3))),
        (ap.Pair((0, 1), "a"), ap.Pair((0, 1), "a")), (ap.Ask(1, 2), ap.Ask(1, 2)),
        (ap.mechanisms.LeakyBit(delta=0.1), ap.mechanisms.LeakyBit(delta=Fraction(1, 10))),
        (ap.Create(ap.mechanisms.LeakyBit(delta=0)), ap.Create(ap.mechanisms.LeakyBit(delta=0))),
    ],
)  # fmt: skip
def test_these_are(left, right):
    assert identical(left, right)


def test_no_method_of_a_strangers_class_is_called():
    class Loud:
        def __eq__(self, other):
            raise AssertionError("called")

        def __hash__(self):
            raise AssertionError("called")

        def __len__(self):
            raise AssertionError("called")

        def __bool__(self):
            raise AssertionError("called")

    assert not identical(Loud(), Loud())
    assert not identical((Loud(),), (Loud(),))
    assert identical(loud := Loud(), loud)
    for alien in ALIENS:
        if not type(alien).__module__.startswith("antiphon"):
            assert not identical(alien, object())


def test_value_classes_with_a_dictionary_are_not_trusted():
    """Attributes outside the fields could tell two of them apart."""

    @attrs.frozen(slots=False)
    class Loose:
        value: int

    @attrs.frozen
    class Tight:
        value: int

    assert not identical(Loose(1), Loose(1))
    assert identical(Tight(1), Tight(1))
    assert not identical(Tight(1), Tight(True))


@given(arrays())
def test_freeze_copies_arrays_and_forbids_writing(array):
    writable = array.copy()
    frozen = freeze((0, (writable,)))[1][0]
    assert identical(frozen, array)
    assert not frozen.flags.writeable
    assert frozen.base is not writable
    with pytest.raises(ValueError, match="WRITEABLE"):
        frozen.setflags(write=True)


@pytest.mark.parametrize("wrong", [np.array([object()]), np.zeros(2, "O"), np.zeros(3, "V0")])
def test_freeze_refuses_arrays_that_hold_no_numbers(wrong):
    for nested in (wrong, (wrong,)):
        with pytest.raises(ap.InvalidArgument):
            freeze(nested)
    for make in (lambda: ap.Pair(wrong, 0), lambda: ap.same(wrong), lambda: ap.Ask(wrong, 0)):
        with pytest.raises(ap.InvalidArgument):
            make()


def test_freeze_bounds_nesting():
    deepest = nested_tuple(MAX_DEPTH - 1)  # around (), so MAX_DEPTH tuples
    assert freeze(deepest) == deepest
    for depth in (MAX_DEPTH, 10_000):
        with pytest.raises(ap.InvalidArgument):
            freeze(nested_tuple(depth))


def test_messages_are_immutable_values():
    pair, ask = ap.Pair(0, (1, 2)), ap.Ask("q", 3)
    for message, name in [(pair, "zero"), (pair, "one"), (ask, "query"), (ask, "index")]:
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            setattr(message, name, 9)
        with pytest.raises(AttributeError):
            message.other = 1
        assert hash(message) == hash(copy.copy(message))
    assert ap.same("x") == ap.Pair("x", "x")


def test_symbols_survive_copies():
    for symbol in (ap.EMPTY, ap.HALT, ap.TOP, ap.BOTTOM):
        assert copy.deepcopy(symbol) is symbol
        assert pickle.loads(pickle.dumps(symbol)) is symbol
        assert repr(symbol) == symbol.name


@given(st.recursive(st.integers(), lambda inner: st.lists(inner, max_size=3).map(tuple)))
def test_freeze_changes_no_plain_message(message):
    assert freeze(message) == message


def test_arrays_of_other_dtypes_are_other_messages():
    """Of the same bytes and shape: the dtype is part of what is said."""
    for one, other in [
        (np.zeros(2, "<i8"), np.zeros(2, "<f8")),
        (np.ones(2, "<i4"), np.ones(2, "<u4")),
        (np.zeros(1, "<i2"), np.zeros(1, ">i2")),
        (np.zeros(1, "|u1"), np.zeros(1, "|b1")),
    ]:
        assert one.tobytes() == other.tobytes()
        assert one.shape == other.shape
        assert not identical(one, other)
        assert not identical((ap.Pair(1, one),), (ap.Pair(1, other),))
        assert identical(one, one.copy())


def test_what_is_frozen_is_not_copied_again_and_is_still_its_own():
    once = freeze(np.arange(6))
    twice = freeze(once)
    assert twice is not once
    assert np.shares_memory(once, twice)
    once.shape = (2, 3)  # of this array alone
    assert twice.shape == (6,)
    assert not twice.flags.writeable
    with pytest.raises(ValueError, match="WRITEABLE"):
        twice.flags.writeable = True
    assert np.shares_memory(freeze(once[:, ::2]), twice)


def test_what_others_may_still_write_is_copied():
    ours = np.arange(6)
    shown = ours.view()
    shown.flags.writeable = False
    for each in (ours, shown, shown[::2], np.frombuffer(bytearray(8), np.int64)):
        assert not np.shares_memory(freeze(each), each)
