"""Where each relation and each model ends: the last that is allowed, and the first that is not."""

import enum
import math
import operator
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trying import over

import antiphon as ap
from antiphon import BOTTOM, EMPTY, Side, Verification, Verifier
from antiphon.numbers.errors import InvalidArgument, PartError
from antiphon.populations.play import play_sample
from antiphon.protocol.coins.column_safety import is_column_safe
from antiphon.protocol.registry import column_safe
from antiphon.verifiers import (
    AddOrRemove,
    AnyTwo,
    EachWithin,
    Monotone,
    Near,
    OfUpdates,
    OnlyEntry,
    Refused,
    ReplacedRow,
    Within,
    bounded,
    event_level,
    every_pair,
    neighbouring_start,
    user_level,
)
from antiphon.verifiers.models import EventLevel, UserLevel

LEFT = Side.LEFT


def allowed(f, *pairs):
    """Whether f allows the pairs, one after the other."""
    return f([ap.Pair(*pair) for pair in pairs]) is ap.TOP


def array(*values, dtype=np.int64):
    return np.array(values, dtype)


# --- what the functions make -----------------------------------------------------------------


@pytest.mark.parametrize("make", [neighbouring_start, event_level, user_level, every_pair])
def test_the_relation_that_is_given_is_the_one_that_holds(make):
    assert make().relation == AnyTwo()
    assert make(Within(3)).relation == Within(3)


def test_the_number_of_events_that_is_given_is_the_one_that_counts():
    assert EventLevel() == event_level() == event_level(events=1)
    assert event_level(events=4).events == 4
    assert UserLevel() == user_level()
    assert user_level(events=4).events == 4
    assert user_level().events is None


# --- user level ------------------------------------------------------------------------------


def test_a_user_may_have_so_many_events_and_no_more():
    f = user_level(events=2)
    change = (("u", 1), ("u", 2))
    assert allowed(f, change, (("v", 1), ("v", 1)), change)
    assert not allowed(f, change, change, change)
    assert not allowed(user_level(events=0), change)


@over("stranger", [5, "u", None, (), ["u", 1], ap.TOP])
def test_both_sides_are_records_or_empty(stranger):
    f = user_level()
    assert allowed(f, (("u", 1), EMPTY), (EMPTY, ("u", 2)))
    for pair in ((("u", 1), stranger), (stranger, ("u", 1)), (stranger, EMPTY), (EMPTY, stranger)):
        assert type(f.step(f.initial_state, *pair)) is Refused


def test_the_user_is_the_first_entry():
    assert allowed(user_level(), (("u", 1), ("u", 2)))
    assert not allowed(user_level(), (("u", 1), ("v", 1)))


# --- relations -------------------------------------------------------------------------------


@over("norm", [0, 3, True, 2.0, "2", None, -math.inf, math.nan])
def test_only_three_norms_are_known(norm):
    with pytest.raises(ap.InvalidArgument, match="norm must be 1, 2 or"):
        Near(1, norm)


@over(
    ("relation", "related", "unrelated"),
    [
        (Near(5, 1), [(2, 3), (5, 0), (-2, 3), (0, 0)], [(3, 3), (6, 0), (-3, 3), (5, 1)]),
        (Near(5, 2), [(3, 4), (5, 0), (-3, 4)], [(4, 4), (6, 0), (3, -5)]),
        (Near(5), [(3, 4)], [(4, 4)]),
        (Near(Fraction(1, 2), 2), [(0, 0)], [(1, 0)]),
        (Near(5, math.inf), [(5, 5), (5, -5), (0, 0)], [(6, 0), (0, -6)]),
        (Near(Fraction(1, 2), math.inf), [(0, 0)], [(1, 0)]),
        (Near(-1, math.inf), [], [(0, 0), (1, 0)]),
        (Monotone(Near(5, math.inf)), [(5, 5), (5, 0), (-5, 0), (0, 0)], [(6, 0), (1, -1)]),
        (Monotone(Near(5, 1)), [(3, 2), (-3, -2)], [(3, 3), (3, -2)]),
        (ReplacedRow(), [(1, -1), (-1, 1), (0, 0)],
         [(1, 0), (-1, 0), (1, 1), (2, -2), (1, -2)]),
    ],
)  # fmt: skip
def test_arrays_near_each_other(relation, related, unrelated):
    start = array(10, 20)
    for moves, holds in ((related, True), (unrelated, False)):
        for move in moves:
            assert relation.holds(start, start + array(*move)) is holds
            assert relation.holds(start + array(*move), start) is holds


WORD = st.integers(-(2**63), 2**63 - 1) | st.sampled_from([-(2**63), 2**63 - 1])
MOVE = st.integers(-3, 3) | st.integers(-(2**64), 2**64)


def clipped(value):
    return min(max(value, -(2**63)), 2**63 - 1)


@given(
    st.lists(st.tuples(WORD, MOVE), max_size=5),
    st.fractions(0, 12) | st.integers(0, 2**66).map(Fraction),
    st.data(),
)
def test_distances_are_those_of_exact_numbers(entries, distance, data):
    """At the ends of int64, where its differences and squares overflow, and at equality."""
    zero = [value for value, _ in entries]
    one = [clipped(value + move) for value, move in entries]
    gaps = [abs(a - b) for a, b in zip(zero, one, strict=True)]
    sums = {1: sum(gaps), 2: sum(gap**2 for gap in gaps), math.inf: max(gaps, default=0)}
    for norm, found in sums.items():
        limit = data.draw(st.sampled_from([distance, Fraction(math.isqrt(found)), Fraction(found)]))
        expected = found <= (limit**2 if norm == 2 else limit)
        near, up = Near(limit, norm), all(map(operator.le, zero, one))
        one_way = up or all(map(operator.ge, zero, one))
        assert near.holds(array(*zero), array(*one)) is expected
        assert Monotone(near).holds(array(*zero), array(*one)) is (expected and one_way)
    each = EachWithin(distance)
    assert each.holds(tuple(zero), tuple(one)) is (sums[math.inf] <= distance)
    assert Monotone(each).holds(tuple(zero), tuple(one)) is (each.holds(tuple(zero), tuple(one))
                                                             and one_way)  # fmt: skip


def test_arrays_of_other_widths_are_compared_as_numbers():
    short, long = array(-128, 127, dtype=np.int8), array(127, -128)
    assert Near(255, math.inf).holds(short, long)
    assert not Near(254, math.inf).holds(short, long)
    assert not Monotone(Near(255, math.inf)).holds(short, long)


def test_only_numbers_go_one_way():
    alike = Monotone(AnyTwo())
    assert alike.holds((1, 0.5), (2, Fraction(3, 2)))
    assert alike.holds((2, Fraction(3, 2)), (1, 0.5))
    assert not alike.holds((2, 0.5), (1, Fraction(3, 2)))
    assert alike.holds((), ())
    for other in (
        (1,),
        (1, 2, 3),
        (1, math.nan),
        (1, "2"),
        (1, True),
        [1, 2],
        1,
        None,
        array(1, 2),
    ):
        assert not alike.holds((1, 2), other)
        assert not alike.holds(other, (1, 2))
    assert not alike.holds(1, 2)
    assert not alike.holds(array(1, 2), array(1, 2, 3))


def test_two_rows_are_not_one():
    assert ReplacedRow().holds(array(1, 2, 3), array(2, 2, 2))
    assert not ReplacedRow().holds(array(1, 2, 3), array(2, 1, 4))
    assert not ReplacedRow().holds(array(1, 1, 3, 3), array(2, 2, 2, 2))


@pytest.mark.parametrize("relation", [Near(10**9, 1), Near(10**9, 2), Near(10**9, math.inf),
                                      Monotone(Near(10**9, math.inf)), ReplacedRow()])  # fmt: skip
def test_only_integer_arrays_of_one_shape_are_compared(relation):
    ours = array(1, 2, 3, 4)
    assert relation.holds(ours, ours.copy())
    for other in (ours.reshape(2, 2), ours[:3], ours.astype(float), ours.tolist(), None, 1):
        assert not relation.holds(ours, other)
        assert not relation.holds(other, ours)
    floats = ours.astype(float)
    assert not relation.holds(floats, floats)


def test_rows_of_histograms_are_flat():
    square = array(1, 2, 3, 4).reshape(2, 2)
    assert not ReplacedRow().holds(square, square)


def test_updates_of_one_length_are_compared_by_their_last_entries():
    relation = OfUpdates(Within(1))
    assert relation.holds(("u", 9, 1), ("v", 0, 2))
    for other in (("u", 3), ("u", 9, 1, 2), ("u", 9, 3), (), 1, ["u", 9, 1], None):
        assert not relation.holds(("u", 9, 1), other)
        assert not relation.holds(other, ("u", 9, 1))
    assert not relation.holds((), ())


def test_what_says_nothing_of_columns_does_not_take_them():
    class Plain:
        def holds(self, zero, one):
            return True

    class Truthy(Plain):
        column_safe = True  # no declaration: a name like any other

    assert not is_column_safe(Plain())
    assert not is_column_safe(Truthy())
    assert not is_column_safe(Near(1))
    assert is_column_safe(AddOrRemove())
    assert is_column_safe(OnlyEntry(0))
    assert not is_column_safe(OnlyEntry(0, Plain()))


# --- verifiers -------------------------------------------------------------------------------


@attrs.frozen
class Rising(Verification[int]):
    """Every pair rises from side zero to side one: no symmetric f, and none with a memory."""

    @property
    def initial_state(self) -> int:
        return 0

    def step(self, state: int, zero: Any, one: Any, /) -> Any:
        return 0 if zero <= one else Refused("it falls")


def test_the_sides_are_read_in_their_order():
    assert allowed(Rising(), (0, 1), (1, 1))
    assert not allowed(Rising(), (1, 0))
    for pair, valid in (((0, 1), True), ((1, 0), False), ((1, 1), True)):
        state, _, sent = Verifier(Rising()).step(0, LEFT, ap.Pair(*pair), None)
        assert (type(state) is not Refused) is valid
        assert (sent == ap.Pair(*pair)) is valid


def test_a_verifier_that_has_refused_stays_shut_whatever_f_remembers():
    verifier = Verifier(Rising())
    state, _, _ = verifier.step(0, LEFT, ap.Pair(1, 0), None)
    again, side, answer = verifier.step(state, LEFT, ap.Pair(0, 1), None)
    assert (again, side, answer) == (state, LEFT, ap.HALT)


def test_an_f_says_for_itself_that_it_takes_columns():
    assert not is_column_safe(Rising())
    assert not Rising().first_pair_consistent


@attrs.frozen
class Numbers(Rising):
    """An f that looks at types, which of a column is none of its own."""

    def step(self, state: int, zero: Any, one: Any, /) -> Any:
        return state if type(zero) is type(one) is float else Refused("it is no float")


def test_an_f_that_knows_nothing_of_columns_sees_plain_numbers():
    @column_safe
    def player(heard, coins):
        return ap.Pair(*(coins.laplace(1.0),) * 2) if len(heard) < 2 else ap.HALT

    system = ap.mechanism(queries=ap.spaces.Reals(), answers=ap.spaces.Reals())(
        column_safe(lambda state, message, coins: (state, message))
    )
    game = ap.PrivacyGame(system, Numbers())
    sample = play_sample(ap.adversary(player), game.mechanism(0), replicas=20, seed=1)
    assert sample.replicas == 20
    assert not any(ap.HALT in kind for kind in sample.cells)


@over("verdict", [BOTTOM, Refused("why"), Refused, "no", None, NotImplemented, 0, ()])
@over(
    "f",
    [neighbouring_start, event_level, every_pair, lambda r: event_level(OfUpdates(r)),
     lambda r: event_level(OnlyEntry(0, r))],
)  # fmt: skip
def test_a_relation_answers_true_or_false(verdict, f):
    """⊥, Refused and a text are true in Python, and opened the verifier."""

    class Odd:
        def holds(self, zero, one):
            return verdict

    with pytest.raises(PartError, match=r"Odd.holds returned .* wrap what it returns in bool"):
        f(Odd())([ap.Pair((0,), (1,))])


class Kind(enum.Enum):
    ONE = 1


@pytest.mark.parametrize("after", [Kind, NotImplemented, ..., ValueError("no")], ids=repr)
def test_what_else_is_no_state(after):
    class Odd(Verification):
        initial_state = 0

        def step(self, state, zero, one):
            return after

    with pytest.raises(PartError, match="which is no state"):
        Odd()([ap.Pair(0, 1)])


def test_how_many_pairs_there_may_be_is_bounded():
    """An int of 5,000 digits cannot even be shown."""
    for made in (lambda n: bounded(event_level(), n), lambda n: event_level(events=n)):
        assert repr(made(2**200))
        with pytest.raises(InvalidArgument, match="at most 2\\^200"):
            made(10**5000)
