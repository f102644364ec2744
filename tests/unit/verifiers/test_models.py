"""Verification functions against slow references written from the definitions (law 4)."""

from fractions import Fraction
from itertools import product

import attrs
import numpy as np
import pytest
import references
from hypothesis import given
from hypothesis import strategies as st
from trying import over

import antiphon as ap
from antiphon import spaces
from antiphon.verifiers import (
    AddOrRemove,
    AnyTwo,
    EachWithin,
    Near,
    OfUpdates,
    OneEntry,
    OnlyEntry,
    Refused,
    ReplacedRow,
    Within,
    bounded,
    event_level,
    every_pair,
    neighbouring_start,
    updates_and_queries,
    user_level,
)

NUMBERS = (0, 1, 2)
RECORDS = (("ann", 1), ("ann", 2), ("bob", 1), ap.EMPTY)
STRANGE = (("ann", 1), ("ann", 2), (), 7, "ann", ap.EMPTY)
"""Records, and sides that are none."""
LIKE_NUMBERS = (0, 0.0, -0.0, False, 1, True, float("nan"))
MIXED = (0, 1, "count", "top")
QUERIES = spaces.Finite(("count", "top"))

CASES = [
    (neighbouring_start(), NUMBERS, True),
    (neighbouring_start(Within(1)), NUMBERS, True),
    (event_level(), NUMBERS, False),
    (event_level(Within(1)), NUMBERS, False),
    (event_level(AddOrRemove(0)), NUMBERS, False),
    (event_level(events=2), NUMBERS, False),
    (user_level(), RECORDS, False),
    (user_level(AddOrRemove(ap.EMPTY)), RECORDS, False),
    (user_level(), STRANGE, False),
    (user_level(events=1), RECORDS, False),
    (user_level(events=2), RECORDS, False),
    (every_pair(Within(1)), NUMBERS, False),
    (every_pair(monotone=True), LIKE_NUMBERS, False),
    (every_pair(Within(1), monotone=True), NUMBERS, False),
    (every_pair(AddOrRemove(0), monotone=True), NUMBERS, False),
    (updates_and_queries(event_level(), QUERIES), MIXED, False),
    (updates_and_queries(neighbouring_start(), QUERIES), MIXED, False),
    (bounded(event_level(), 2), NUMBERS, False),
    (bounded(neighbouring_start(), 2), NUMBERS, True),
    (bounded(event_level(), 1), NUMBERS, True),
    (bounded(event_level(), 0), NUMBERS, True),
]
"""f, a small domain for its messages, and whether it is first-pair consistent (Def. 5.3)."""

EVERY = over(("f", "domain", "consistent"), CASES, at_least=18)


def ints(*values):
    return np.array(values)


def run(f, pairs):
    """Validity after each pair, message by message."""
    state, valid = f.initial_state, []
    for zero, one in pairs:
        state = f.step(state, zero, one)
        if type(state) is Refused:
            return [*valid, False]
        valid.append(True)
    return valid


@EVERY
def test_agrees_with_the_definition_on_all_short_sequences(f, domain, consistent):
    reference = references.reference_of(f)
    pairs = list(product(domain, repeat=2))
    seen = [0, 0]

    def explore(prefix, state, depth):
        for zero, one in pairs:
            sequence = (*prefix, (zero, one))
            after = f.step(state, zero, one)
            valid = type(after) is not Refused
            seen[valid] += 1
            assert reference(sequence) is valid, sequence
            if valid and depth > 1:
                explore(sequence, after, depth - 1)

    explore((), f.initial_state, 3)
    assert seen[False]
    assert seen[True] or getattr(f, "pairs", 1) == 0


@EVERY
@given(data=st.data())
def test_agrees_with_the_definition_on_long_sequences(f, domain, consistent, data):
    value = st.sampled_from(domain)
    mostly_alike = st.one_of(value.map(lambda v: (v, v)), st.tuples(value, value))
    pairs = data.draw(st.lists(mostly_alike, max_size=12))
    valid = references.reference_of(f)(pairs)
    assert all(run(f, pairs)) is valid
    assert f([ap.Pair(*pair) for pair in pairs]) is (ap.TOP if valid else ap.BOTTOM)


@EVERY
def test_first_pair_consistency_is_as_declared(f, domain, consistent):
    """Def. 5.3: f = ⊥ once the first pair is identical and a later one is not."""
    counterexamples = [
        sequence
        for length in (2, 3)
        for sequence in product(product(domain, repeat=2), repeat=length)
        if references.alike(*sequence[0])
        and references.differing(sequence)
        and all(run(f, sequence))
    ]
    assert f.first_pair_consistent is consistent
    assert bool(counterexamples) is not consistent


@EVERY
def test_the_empty_sequence_is_valid_and_what_is_no_pair_is_not(f, domain, consistent):
    assert f([]) is ap.TOP
    for alien in (0, (0, 0), None, ap.Ask(0, 0), [0, 0]):
        assert f([alien]) is ap.BOTTOM


@EVERY
def test_reasons_name_no_message(f, domain, consistent):
    canary = 987_654_321
    for zero, one in [(canary, -canary), ((canary, 1), (-canary, 1)), (canary, "count")]:
        state = f.initial_state
        for _ in range(3):
            state = f.step(state, zero, one)
            if type(state) is Refused:
                assert str(canary) not in repr(state)
                break


def test_a_function_that_is_valid_again_later_is_closed_under_prefixes():
    """theory.md §2.1: without prefix closure Theorem 5.2 is false."""
    only_two = references.closed(lambda pairs: len(pairs) == 2)
    assert not only_two([(0, 0), (0, 1)])


def test_identical_is_by_exact_type():
    f = event_level(events=0)
    for zero, one in [(1, True), (0.0, -0.0), (1, 1.0), ((1,), (True,))]:
        assert type(f.step(f.initial_state, zero, one)) is Refused
    assert f.step(0, float("nan"), float("nan")) == 0


@pytest.mark.parametrize("wrong", [-1, True, 1.5, "2", None])
def test_counts_are_checked(wrong):
    with pytest.raises(ap.InvalidArgument):
        bounded(event_level(), wrong)
    with pytest.raises(ap.InvalidArgument):
        event_level(events=wrong)


def test_a_monotone_sequence_goes_one_way_however_the_first_pair_goes():
    f = every_pair(Within(1), monotone=True)
    assert f([ap.Pair(1, 1), ap.Pair(1, 2), ap.Pair(0, 1), ap.same(7)]) is ap.TOP
    assert f([ap.Pair(2, 1), ap.same(7), ap.Pair(5, 4)]) is ap.TOP
    assert f([ap.Pair(2, 1), ap.Pair(1, 2)]) is ap.BOTTOM
    assert every_pair(Within(1))([ap.Pair(2, 1), ap.Pair(1, 2)]) is ap.TOP


@over(
    ("relation", "related", "unrelated"),
    [
        (AnyTwo(), [(0, 1), ("a", None)], []),
        (AddOrRemove(), [(0, 5), (5, 0), (0, 0)], [(1, 2), (True, False), (0.0, 1)]),
        (AddOrRemove(ap.EMPTY), [(ap.EMPTY, 5)], [(1, 2)]),
        (Within(), [(0, 1), (1.5, 2), (Fraction(1, 2), Fraction(3, 2))],
         [(0, 2), (0, 1.01), (0, "a"), (None, (1,)), (True, 0), (0, float("nan"))]),
        (Within(0.1), [(Fraction(1), Fraction(11, 10))], [(0, 1)]),
        (EachWithin(1), [((1, 1), (2, 0)), ((), ())], [((1, 1), (3, 1)), ((1,), (1, 1)), (1, 1),
                                                       ((1, "a"), (1, "a")), ([1], [1])]),
        (OnlyEntry(0), [((1, 5), (2, 5)), ((1,), (None,))],
         [((1, 5), (1, 6)), ((1, 5), (2, 5.0)), ((1, 5), (1, 5, 5)), ((), ()), (1, 1), ([1], [1])]),
        (OnlyEntry(1, Within(1)), [((1, 5), (1, 6))], [((1, 5), (1, 7)), ((1,), (1,))]),
        (Near(2, norm=1), [(ints(0, 0), ints(1, 1)), (ints(3), ints(5)), (ints(3), ints(3))],
         [(ints(0, 0), ints(2, 1)), (ints(0, 0), ints(0, 0, 0)), (ints(0), np.array([0.0])),
          (ints(0), 0), ((0,), (0,)), (np.array([[0]]), ints(0)), (np.array([True]), ints(1))]),
        (Near(2), [(ints(0, 0), ints(1, 1)), (ints(3), ints(5)), (ints(*[0] * 4), ints(*[1] * 4))],
         [(ints(0, 0), ints(2, 1)), (ints(0), ints(3)), (ints(*[0] * 5), ints(*[1] * 5))]),
        (Near(Fraction(3, 2)), [(ints(0, 0), ints(1, 1))], [(ints(0), ints(2))]),
        (OfUpdates(Within(1)), [((1, 5), (2, 6)), ((5,), (5,)), (("ann", 3, 1), ("bob", 4, 2))],
         [((1, 5), (2, 7)), ((1, 5), (5,)), ((1, 5), (1, 1, 5)), ((), ()), (5, 5), ([5], [5]),
          ((5, "a"), (5, "a"))]),
        (ReplacedRow(),
         [(ints(1, 2), ints(2, 1)), (ints(1, 2), ints(1, 2)), (ints(0, 5, 1), ints(1, 5, 0))],
         [(ints(1, 2), ints(1, 3)), (ints(1, 2), ints(3, 0)), (ints(1, 2), ints(0, 2)),
          (ints(1, 1, 1, 1), ints(2, 2, 0, 0)), (ints(1), ints(1, 0)), (ints(1), (1,)),
          (np.array([1.0, 2.0]), np.array([2.0, 1.0])), (np.array([[1, 2]]), np.array([[2, 1]])),
          (np.array([1, 2], dtype="uint8"), np.array([2, 1], dtype="uint8"))]),
        (OneEntry(), [((1, 2), (1, 3)), ((1,), (1,)), ((), ())], [((1, 2), (2, 3)), ((1,), (1, 2)),
                                                                  (1, 2), ([1], [1])]),
    ],
)  # fmt: skip
def test_relations(relation, related, unrelated):
    assert all(relation.holds(*pair) for pair in related)
    assert not any(relation.holds(*pair) for pair in unrelated)


@pytest.mark.parametrize(("zero", "one"), [(0, 0.0), (0.0, -0.0), (1, True), (Fraction(1), 1.0)])
def test_equal_numbers_are_no_step_of_a_monotone_sequence(zero, one):
    """In either order, and before or after any step."""
    f = every_pair(AnyTwo(), monotone=True)
    for state in (0, 1, -1):
        assert f.step(state, zero, one) == f.step(state, one, zero) == state


def test_nan_is_no_number_of_a_monotone_sequence():
    f, nan = every_pair(AnyTwo(), monotone=True), float("nan")
    for pair in ((nan, 1.0), (1.0, nan), (nan, nan), (nan, float("nan"))):
        assert type(f.step(0, *pair)) is Refused


@attrs.frozen
class SameLength:
    """A user's relation that looks empty: it has a length, 0."""

    def __len__(self):
        return 0

    def holds(self, zero, one):
        return len(zero) == len(one)


@pytest.mark.parametrize("make", [neighbouring_start, event_level, user_level, every_pair])
def test_a_relation_that_looks_empty_is_still_the_relation(make):
    assert make(SameLength()).relation == SameLength()
    assert make().relation == make(None).relation == AnyTwo()


def test_user_level_counts_the_pairs_of_a_user():
    record = ap.Pair(("ann", 1), ("ann", 2))
    for events in range(3):
        f = user_level(events=events)
        assert f([record] * events) is ap.TOP
        assert f([record] * (events + 1)) is ap.BOTTOM


@over("alien", [7, "ann", (), None, ap.TOP, ["ann", 1]])
def test_a_side_that_is_no_record_differs_from_nobodys(alien):
    """It belongs to no user, whatever stands against it."""
    f = user_level()
    for other in (("ann", 1), ap.EMPTY, 8):
        for zero, one in ((alien, other), (other, alien)):
            assert type(f.step((), zero, one)) is Refused


def test_a_first_pair_has_initial_states_on_both_sides():
    f = neighbouring_start(initial=spaces.BITS)
    for pair in ((0, 2), (2, 0), (2, 3), ("0", 1)):
        assert isinstance(f.step(f.initial_state, *pair), Refused)
    after = f.step(f.initial_state, 0, 1)
    assert f.step(after, 2, 2) == after  # later on, any message that both worlds hear
