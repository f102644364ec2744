"""Boards, exactly: what the units of docs/boards.md cost, each beside a twin that it does not."""

from fractions import Fraction
from itertools import product

import attrs
import pytest
from trying import over, sized

import antiphon as ap
from antiphon import TOP, Ask, Create, ExtConComp, Log, spaces
from antiphon.boards import (
    BoundedSums,
    GroupedSums,
    SharedPurse,
    SingleRow,
    SingleUser,
    SingleUserWindow,
    SumsWithin,
    VectorSums,
)
from antiphon.boards.purse import UNIT
from antiphon.boards.vector_sums import distance
from antiphon.composition import Property, check_properties
from antiphon.mechanisms import COUNT
from antiphon.mechanisms.counters.counter import QUERIES
from antiphon.protocol import Status
from antiphon.protocol.measures.kinds import Pure
from antiphon.verifiers import event_level, updates_and_queries

F = Fraction


@attrs.frozen
class Silent(ap.ContinualMechanism):
    """Takes ints, tells nothing: which answers it gives is no matter to what P sends."""

    initial_state = 0
    signature = spaces.Signature(
        spaces.Either((spaces.Integers(), QUERIES)), spaces.Finite((0,)), spaces.Integers()
    )
    claims = (ap.Claim(Pure(F(1)), UNIT, Status.ASSUMED, "it tells nothing"),)

    def step(self, state, message, coins):
        return state, 0


@attrs.frozen
class Clamped(ap.ContinualMechanism):
    """A sum of {0, 1, 2} with geometric noise of ratio 1/2, clamped to [0, 2]: ε = ln 2 a unit."""

    initial_state = 0
    signature = spaces.Signature(
        spaces.Either((spaces.Integers(0, 2), QUERIES)),
        spaces.Either((spaces.Finite((TOP,)), spaces.Integers(0, 2))),
        spaces.Integers(0, 2),
    )
    claims = (ap.Claim(Pure(Log(2)), UNIT, Status.PROVED, "clamped geometric, one answer"),)

    def step(self, state, message, coins):
        if message != COUNT or state < 0:
            return (min(state + message, 2), TOP) if state >= 0 else (state, TOP)
        table = {0: (4, 1, 1), 1: (2, 2, 2), 2: (1, 1, 4)}[state]
        return -1, coins.categorical([F(each, 6) for each in table])


def batches(users, keys, longest, amounts=(1,)):
    rows = list(product(users, keys, amounts))
    return [batch for size in range(longest + 1) for batch in product(rows, repeat=size)]


def board(per_user, unit, *, kind=BoundedSums, in_total=False, keys=("a", "b"), windows=2, **more):
    return kind(keys=keys, windows=windows, counter=Silent(), per_user=per_user,
                in_total=in_total, unit=unit, **more)  # fmt: skip


def violation(p, messages, units=None, f=None):
    inner = SharedPurse(p.created, units=p.units if units is None else units)
    return check_properties(
        p, f or p.unit, inner, queries=messages, rounds=1000, questions=p.windows
    )


TWO_KEYS = ("a", "b")
SMALL = batches("uv", TWO_KEYS, 2)
ALONE = batches("u", TWO_KEYS, 3)


def said(*texts):
    """Batches of words: "ua vb" is a row of u with key a, and one of v with key b."""
    return [tuple((*row, 1) for row in text.split()) for text in texts]


ONE = said("", "ua", "ub", "ua ub", "va", "va ua")
TWO = said("", "ua ua", "ub ub", "ua ua ub", "ua ub", "va")
CROSSED = said("ua uc vd", "vb uc vd", "ua", "vb")
ROWS = [
    # unit, per_user, in_total, B at A = 1, windows, a few batches, and many
    (SingleUser(), 1, True, 1, 2, ONE, SMALL),
    (SingleUser(), 2, True, 2, 2, TWO, ALONE),
    (SingleUser(replaced=True), 1, True, 2, 2, ONE, SMALL),
    (SingleUser(replaced=True), 2, True, 4, 2, TWO, ALONE),
    (SingleUser(), 1, False, 2, 2, ONE, SMALL),
    (SingleUser(replaced=True), 1, False, 4, 2, ONE, SMALL),
    (SingleUserWindow(), 1, False, 1, 2, ONE, SMALL),
    (SingleUserWindow(), 2, False, 2, 2, TWO, ALONE),
    (SingleUserWindow(replaced=True), 1, False, 2, 2, ONE, SMALL),
    (SingleUserWindow(), 1, True, 2, 2, ONE, SMALL),
    (SingleUserWindow(), 2, True, 4, 2, TWO, ALONE),
    (SingleUserWindow(replaced=True), 1, True, 2, 2, ONE, SMALL),
    (SingleRow(), 1, False, 2, 2, ONE, SMALL),
    (SingleRow(), 2, False, 2, 1, TWO, ALONE),
    (SingleRow(), 1, True, 2, 2, ONE, SMALL),
    (SingleRow(replaced=True, same_user=True), 1, False, 2, 1, ONE, SMALL),
    (SingleRow(replaced=True), 1, False, 4, 1, CROSSED, batches("uv", "abcd", 2) + CROSSED),
    (SingleRow(), None, False, 1, 2, ONE, SMALL),
    (SingleRow(replaced=True), None, False, 2, 2, ONE, SMALL),
]


def check_row(unit, per_user, in_total, units, windows, messages):
    keys = tuple(sorted({row[1] for batch in messages for row in batch}))
    p = board(per_user, unit, in_total=in_total, keys=keys, windows=windows)
    assert p.units == units
    assert violation(p, messages) is None
    if units > 1:
        assert violation(p, messages, units - 1).property is Property.VALIDITY


@over("unit, per_user, in_total, units, windows, few, many", sized(ROWS[::2], ROWS))
def test_each_unit_costs_what_the_table_says_and_no_less(
    unit, per_user, in_total, units, windows, few, many
):
    check_row(unit, per_user, in_total, units, windows, few)


@pytest.mark.slow
@over("unit, per_user, in_total, units, windows, few, many", ROWS)
def test_so_on_all_small_batches(unit, per_user, in_total, units, windows, few, many):
    check_row(unit, per_user, in_total, units, windows, many)


def test_amounts_count_by_the_larger_end():
    """Row added or removed, amounts in [1, 3]: 6."""
    p = board(1, SingleRow(), low=1, high=3, windows=1)
    messages = [(), *[(("u", key, each),) for key in TWO_KEYS for each in (1, 3)],
                (("u", "a", 9), ("u", "b", 3))]  # fmt: skip
    assert p.units == 6
    assert violation(p, messages) is None
    assert violation(p, messages, 5).property is Property.VALIDITY


def test_sums_that_an_engine_has_bounded_share_the_same_purse():
    """``GroupedSums``: what differs in the sums differs in the updates, and no more."""
    p = GroupedSums(bounds=board(2, SingleUserWindow()))
    assert p.unit == SumsWithin(units=2, rows=SingleUserWindow())
    messages = [(0, 0), (1, 0), (2, 0), (1, 1), (0, 2), (2, 2)]
    inner = {units: SharedPurse(p.created, units=units) for units in (1, 2)}
    found = {
        units: check_properties(p, p.unit, f, queries=messages, rounds=1000, questions=2)
        for units, f in inner.items()
    }
    assert found[2] is None
    assert found[1].property is Property.VALIDITY


@attrs.frozen
class SilentVectors(Silent):
    """Takes vectors of ints, tells nothing."""

    smallest, largest = -9, 9
    within: ap.verifiers.Near

    @property
    def signature(self):
        vectors = spaces.Arrays((4,), "int64")
        return spaces.Signature(
            spaces.Either((vectors, QUERIES)), spaces.Finite(((0,) * 4,)), vectors
        )

    @property
    def claims(self):
        f = updates_and_queries(event_level(self.within), QUERIES)
        return (ap.Claim(Pure(F(1)), f, Status.ASSUMED, "it tells nothing"),)


@over(
    "unit, per_user, low, high, apart",
    [
        (SingleUserWindow(), 1, 0, 1, 1),
        (SingleUserWindow(), 2, 0, 1, 2),
        (SingleUserWindow(replaced=True), 1, 0, 1, 2**0.5),
        (SingleUserWindow(replaced=True), 2, 0, 1, 2 * 2**0.5),
        (SingleUserWindow(replaced=True), 1, -1, 1, 2),
        (SingleRow(), None, 0, 1, 1),
        (SingleRow(replaced=True), None, 0, 1, 2**0.5),
        (SingleRow(replaced=True), None, -1, 1, 2),
    ],
)
def test_vectors_are_as_far_apart_as_one_counter_of_all_keys_is_told(
    unit, per_user, low, high, apart
):
    """``VectorSums``: ℓ₂, attained: a bit less is violated."""
    bounds = board(per_user, unit, keys=tuple("abcd"), windows=1, low=low, high=high)
    claimed = distance(bounds)
    assert apart <= claimed <= apart * (1 + 1e-6)
    messages = batches("u", "ab", per_user or 1, amounts=(low, high) if low else (1,))

    def found(at_most):
        within = ap.verifiers.Near(distance=at_most, norm=2)
        p = VectorSums(bounds=bounds, counter=SilentVectors(within=within))
        return check_properties(
            p, p.unit, p.lifting.inner, queries=messages, rounds=100, questions=1
        )

    assert found(claimed) is None
    assert found(claimed * F(99, 100)).property is Property.VALIDITY


def test_where_several_vectors_may_differ_there_is_no_distance():
    assert distance(board(1, SingleUser(), in_total=True)) is None
    assert distance(board(1, SingleUserWindow(), in_total=True)) is None


class KeepsOneMore(BoundedSums):
    """Twin: bounded by c - 1 in words, by c in deed."""

    @property
    def units(self):
        return self.per_user - 1


class Forgets(BoundedSums):
    """Twin: forgets after each window whom it has counted."""

    def bounded(self, batch, kept):
        return super().bounded(batch, kept)[0], ()


class CreatesLate(BoundedSums):
    """Twin: creates the counters of keys as they come."""

    initial_state = ()

    def exchange(self, state, batch):
        heard = []
        for key in dict.fromkeys(row[1] for row in batch):
            if key not in state:
                yield self.created[0]
                state = (*state, key)
        for place in range(len(state)):
            heard.append((yield Ask(COUNT, place)))
        return state, (*heard, *[0] * (len(self.keys) - len(state)))


class TestTwins:
    def test_one_row_more_than_bounded_is_seen(self):
        twin = board(2, SingleUserWindow(), kind=KeepsOneMore)
        assert violation(twin, TWO).property is Property.VALIDITY

    def test_who_forgets_between_windows_counts_a_user_twice(self):
        """Also late rows: user-day is ``SingleUser`` of (user, day), whose rows come twice."""
        late = batches(["u@1"], TWO_KEYS, 1)
        assert violation(board(1, SingleUser(), in_total=True), late) is None
        twin = board(1, SingleUser(), kind=Forgets, in_total=True)
        assert violation(twin, late).property is Property.VALIDITY

    def test_a_counter_created_at_the_first_row_of_its_key_says_who_came(self):
        twin = board(1, SingleUserWindow(), kind=CreatesLate)
        assert violation(twin, ONE).property is Property.DESTINATION

    def test_such_a_zero_is_exact_and_no_epsilon_covers_it(self):
        """Present: the clamped count of 1; absent: 0 surely. δ = P(not 0) = 2/3 at every s."""
        law = {answer: p for p, (_, answer) in ap.outcomes(lambda c: Clamped().step(1, COUNT, c))}
        assert {sum(p for each, p in law.items() if each) for _ in (1, 1000)} == {F(2, 3)}

    def test_rows_of_two_users_are_no_unit(self):
        two = (("u", "a", 1), ("v", "a", 1))
        for unit in (
            SingleUserWindow(),
            SingleUser(),
            SingleRow(),
            SingleUserWindow(replaced=True),
        ):
            assert unit([ap.Pair(two, ())]) is ap.BOTTOM
            assert unit([ap.Pair(two, two[:1])]) is ap.TOP

    def test_a_user_added_or_removed_is_on_no_other_pair(self):
        """Where ``user_level`` with (row, EMPTY) lets identical pairs hold rows of the user."""
        u, v = (("u", "a", 1),), (("v", "a", 1),)
        assert SingleUser()([ap.same(u), ap.Pair(u, ())]) is ap.BOTTOM
        assert SingleUser()([ap.Pair(u, ()), ap.same(u)]) is ap.BOTTOM
        assert SingleUser()([ap.same(v), ap.Pair(u, ()), ap.Pair(u + v, v)]) is ap.TOP
        assert SingleUser()([ap.Pair(u, ()), ap.Pair((), u)]) is ap.BOTTOM
        assert SingleUser(replaced=True)([ap.same(u), ap.Pair(u, ()), ap.Pair((), u)]) is ap.TOP

    def test_whose_rows_differ_may_be_told_late(self):
        """(u, v) against (v, u): either's rows may be all that differs, until one more does."""
        u, v = ("u", "a", 1), ("v", "a", 1)
        either, f = ap.Pair((u, v), (v, u)), SingleUser(replaced=True)
        assert f([either, ap.Pair((u,), ())]) is ap.TOP
        assert f([either, ap.Pair((u,), ()), ap.Pair((v,), ())]) is ap.BOTTOM


class TestPurse:
    @pytest.mark.parametrize(
        ("s", "delta", "promised"),
        [(1, F(1, 2), F(3, 5)), (2, F(1, 3), F(2, 5)), (4, F(0), F(0))],
    )
    def test_two_units_in_two_counters_of_sums(self, s, delta, promised):
        """The theory's 1/2, 1/3, 0 with both units in one key, below RR of 2ε₁: 3/5, 2/5, 0."""
        created = (Create(Clamped()),) * 2
        f = SharedPurse(created, units=2)
        game = ap.PrivacyGame(ExtConComp(), f)
        epsilon = Log(s) if s > 1 else 0
        assert game.tight_delta(epsilon=epsilon, rounds=6, catalogue=created) == delta
        claimed = ap.guarantee(ExtConComp(), f)
        assert claimed.curve.delta_between(epsilon).upper == pytest.approx(
            float(promised), abs=1e-12
        )

    def test_one_unit_costs_one_counter_once(self):
        created = (Create(Clamped()),) * 2
        game = ap.PrivacyGame(ExtConComp(), SharedPurse(created, units=1))
        assert game.tight_delta(epsilon=0, rounds=6, catalogue=created) == F(1, 3)
        assert game.tight_delta(epsilon=Log(2), rounds=6, catalogue=created) == 0

    def test_a_whole_board_is_as_private_as_it_says(self):
        """P ∘* ExtConComp, a window, two keys, two rows: no view exceeds e^(2 ln 2)."""
        p = BoundedSums(keys=TWO_KEYS, windows=1, counter=Clamped(), per_user=2)
        game = ap.PrivacyGame(p @ ExtConComp(), p.unit)
        messages = batches("u", TWO_KEYS, 2)
        assert game.tight_delta(epsilon=Log(4), rounds=1, queries=messages) == 0
        assert game.tight_delta(epsilon=Log(3), rounds=1, queries=messages) > 0
