"""Keys found in the data, exactly: what opening them costs, beside twins that it does not."""

import math
from fractions import Fraction
from itertools import pairwise, product

import attrs
import pytest
from test_boards_exact import ALONE, Silent, batches, said
from trying import over, sized

import antiphon as ap
from antiphon import TOP, Ask, Create, ExtConComp, Log, Pair, same, spaces
from antiphon.boards import (
    BoundedSums,
    CellsWithin,
    DiscoveringSums,
    KeyOpener,
    OpeningPurse,
    SingleRow,
    SingleUser,
    SingleUserWindow,
)
from antiphon.boards.discovering import cells_of
from antiphon.boards.opener import opening
from antiphon.composition import NoGuarantee, Property, check_properties
from antiphon.mechanisms import COUNT, BalancedTreeCounter
from antiphon.mechanisms.counters.counter import QUERIES
from antiphon.protocol import Status
from antiphon.protocol.measures.kinds import Pure

F = Fraction
E2 = KeyOpener(epsilon=Log(2), delta=F(1, 10))
CELLS = [tuple((key, n) for key, n in zip("ab", each, strict=True) if n)
         for each in product(range(4), repeat=2)]  # fmt: skip
OF_ONE = [(), (("a", 1),), (("a", 2),), (("a", 3),)]


def deltas(opener, f, messages, rounds):
    """The tight δ at e^ε = 1, 2, 4."""
    game = ap.PrivacyGame(opener, f)
    at = (0, Log(2), Log(4))
    return [game.tight_delta(epsilon=each, rounds=rounds, queries=messages) for each in at]


def promised(opener, cells):
    """δ of Comp[RR × cells] there, as the rule has it; the counters' part is next to nothing."""
    counter = Create(BalancedTreeCounter(horizon=1, epsilon=F(1, 10**9), clip=True))
    f = OpeningPurse(opener=Create(opener), counter=counter, units=1, cells=cells)
    known = ap.guarantee(ExtConComp(), f)
    assert known.status is Status.PROVED
    return [known.curve.delta_between(each).upper for each in (0, Log(2), Log(4))]


class TestOpener:
    def test_the_probabilities_are_those_of_the_theory(self):
        table = [F(0), F(1, 10), F(3, 10), F(7, 10), F(9, 10), F(1)]
        assert list(E2.probabilities) == table

    @over("epsilon, delta", [(F(1, 3), F(1, 1000)), (Log(F(3, 2)), F(1, 10**6)), (F(5), F(1, 2))])
    def test_they_grow_and_are_as_private_as_they_say_and_no_less(self, epsilon, delta):
        """π(n) and π(n + 1) keep to (ε, δ) in both directions; the first step takes all of δ."""
        table = opening(epsilon, delta)
        grown = F(math.exp(float(epsilon)) * (1 + 1e-12))
        assert (table[0], table[-1]) == (0, 1)
        assert delta - F(1, 2**60) <= table[1] <= delta
        for p, q in pairwise(table):
            assert p < q <= grown * p + delta
            assert 1 - p <= grown * (1 - q) + delta

    def test_one_cell_costs_what_its_claim_says(self):
        found = deltas(E2, CellsWithin(cells=1), CELLS, 1)
        assert found == [F(4, 10), F(1, 10), F(1, 10)]
        claimed = [F(1, 10) + F(9, 10) * each for each in (F(1, 3), 0, 0)]
        assert found == claimed

    def test_two_cells_cost_two_in_one_window_or_in_two(self):
        """In two windows more, as the second may be chosen by the answer of the first."""
        found = deltas(E2, CellsWithin(cells=2), OF_ONE, 2)
        assert found == [F(23, 50), F(17, 50), F(19, 100)]
        at_once = deltas(E2, CellsWithin(cells=2), CELLS, 1)
        assert all(each <= most for each, most in zip(at_once, found, strict=True))
        for each, most in zip(found, promised(E2, 2), strict=True):
            assert each <= most + 1e-9
        assert found[1] > promised(E2, 1)[1] + 1e-6  # the twin: two at the price of one

    def test_who_opens_at_the_first_user_tells_that_somebody_came(self):
        """δ = 1 at every s: nobody is opened at 0, and surely at 1."""

        @attrs.frozen
        class First(ap.ContinualMechanism):
            initial_state = 0
            signature = E2.signature

            def step(self, state, message, coins):
                return state, tuple(key for key, _ in message)

        assert deltas(First(), CellsWithin(cells=1), CELLS, 1) == [1, 1, 1]

    def test_tested_again_with_all_users_so_far_it_costs_more(self):
        """c = 1, two windows: one user changes the number of both, and 1/10 is too little."""
        both = [(("a", 2),), (("a", 3),)]
        once = deltas(E2, CellsWithin(cells=1), both, 2)
        again = deltas(E2, CellsWithin(cells=2), OF_ONE, 2)
        assert once[2] <= F(1, 10) < again[2]

    @over(
        "zero, one, valid",
        [
            ((("a", 1),), (), True),
            ((("a", 2),), (), False),
            ((("a", 2),), (("a", 1),), True),
            ((("a", 1), ("b", 1)), (), False),
            ((("a", 1),), (("b", 1),), False),
        ],
    )
    def test_which_cells_are_neighbours(self, zero, one, valid):
        f = CellsWithin(cells=1)
        assert f([Pair(zero, one)]) is f([Pair(one, zero)]) is (TOP if valid else ap.BOTTOM)
        assert f([Pair(zero, one), Pair(zero, one)]) is ap.BOTTOM

    def test_cells_stand_in_the_order_of_their_keys(self):
        space = E2.signature.queries
        assert space.contains((("a", 1), ("b", 7)))
        for wrong in ((("b", 1), ("a", 1)), (("a", 1), ("a", 1)), (("a", 0),), [("a", 1)]):
            assert not space.contains(wrong)
        assert cells_of([("u", "b", 1), ("u", "b", 1), ("v", "b", 1), ("v", "a", 1)], ["c"]) == (
            ("a", 1), ("b", 2),
        )  # fmt: skip

    def test_an_epsilon_that_opens_nothing_is_refused(self):
        with pytest.raises(ap.InvalidArgument, match="10,000 users"):
            KeyOpener(epsilon=F(1, 10**7), delta=F(1, 10**12))
        with pytest.raises(ap.InvalidArgument, match="10,000 users"):
            KeyOpener(epsilon=1, delta=0)


@attrs.frozen
class Opens(ap.ContinualMechanism):
    """Opens any keys of two, as an adversary would: what is opened is the same in both worlds."""

    initial_state = 0
    signature = spaces.Signature(E2.signature.queries, spaces.Finite(((), ("a",), ("a", "b"))))
    claims = (ap.Claim(Pure(F(1)), CellsWithin(cells=1), Status.ASSUMED, "it opens by itself"),)

    def step(self, state, message, coins):
        return state, ()


def finding(per_user, unit, *, kind=DiscoveringSums, in_total=False, windows=2):
    bounds = BoundedSums(keys=("any",), windows=windows, counter=Silent(), per_user=per_user,
                         in_total=in_total, unit=unit)  # fmt: skip
    return kind(bounds=bounds, opener=Opens())


def violation(p, messages, units=None, cells=None):
    inner = attrs.evolve(p.lifting.inner, units=units or p.bounds.units, cells=cells or p.cells)
    return check_properties(
        p, p.unit, inner, queries=messages, rounds=1000, questions=p.bounds.windows
    )


MANY = batches("uv", ("a", "b"), 2)
ONE, TWO = said("", "ua", "ub"), said("", "ua ua", "ua ub", "ub ub")
ROWS = [
    # unit, per_user, in_total, B and cells, windows, a few batches, and many
    (SingleUserWindow(), 1, False, 1, 2, ONE, MANY),
    (SingleUserWindow(), 2, False, 2, 1, TWO, ALONE),
    (SingleUserWindow(replaced=True), 1, False, 2, 1, ONE, MANY),
    (SingleUserWindow(), 1, True, 2, 2, ONE, MANY),
    (SingleUser(), 1, True, 1, 2, ONE, MANY),
    (SingleUser(), 2, True, 2, 2, TWO, ALONE),
    (SingleUser(replaced=True), 1, True, 2, 2, ONE, MANY),
    (SingleUser(), 1, False, 2, 2, ONE, MANY),
]


def check_row(unit, per_user, in_total, cells, windows, messages):
    p = finding(per_user, unit, in_total=in_total, windows=windows)
    assert p.bounds.units == p.cells == cells
    assert violation(p, messages) is None
    if cells > 1:
        assert violation(p, messages, cells=cells - 1).property is Property.VALIDITY
        assert violation(p, messages, units=cells - 1).property is Property.VALIDITY


@over("unit, per_user, in_total, cells, windows, few, many", sized(ROWS[::4], ROWS))
def test_each_unit_changes_so_many_cells_and_no_fewer(
    unit, per_user, in_total, cells, windows, few, many
):
    check_row(unit, per_user, in_total, cells, windows, few)


@pytest.mark.slow
@over("unit, per_user, in_total, cells, windows, few, many", ROWS)
def test_so_on_all_small_batches(unit, per_user, in_total, cells, windows, few, many):
    check_row(unit, per_user, in_total, cells, windows, many)


class CountsRows(DiscoveringSums):
    """Twin: the number of a cell is that of its rows, and not of its users."""

    def exchange(self, state, batch):
        numbered = tuple((f"{user}{n}", key, x) for n, (user, key, x) in enumerate(batch))
        return super().exchange(state, numbered)


class AllSoFar(DiscoveringSums):
    """Twin: asks in each window about all users so far."""

    def exchange(self, state, batch):
        after, answer = yield from super().exchange(
            state._replace(kept=(), opened=()), (*state.kept, *batch)
        )
        return after._replace(kept=(*state.kept, *batch), opened=()), answer


class CreatesAtFirst(DiscoveringSums):
    """Twin: creates the counter of a key at its first row, and asks nobody."""

    def exchange(self, state, batch):
        if not state.windows:
            yield Create(self.opener)
        new = sorted({row[1] for row in batch} - set(state.opened))
        for _ in new:
            yield self.counter
        return state._replace(windows=1, opened=(*state.opened, *new)), ()


class TestTwins:
    def test_who_counts_rows_for_users_moves_a_cell_by_two(self):
        twin = finding(2, SingleUserWindow(), kind=CountsRows, windows=1)
        assert violation(twin, TWO).property is Property.VALIDITY

    def test_who_asks_about_all_so_far_asks_about_a_user_twice(self):
        twin = finding(1, SingleUserWindow(), kind=AllSoFar)
        assert violation(twin, ONE).property is Property.VALIDITY

    def test_who_creates_at_the_first_row_says_that_it_came(self):
        twin = finding(1, SingleUserWindow(), kind=CreatesAtFirst, windows=1)
        assert violation(twin, ONE).property is Property.DESTINATION

    def test_its_zero_is_exact_and_no_epsilon_covers_it(self):
        """Present: geometric noise of ratio 1/2 shows 0 with 1/6; absent: surely. δ = 5/6."""

        @attrs.frozen
        class Shown(ap.ContinualMechanism):
            """What the twin shows of a key: 0 while nobody sent it, then a noisy 1."""

            initial_state = 0
            signature = spaces.Signature(spaces.Finite((0, 1)), spaces.Integers(-1, 2))

            def step(self, state, message, coins):
                weights = [F(each, 6) for each in (1, 1, 2, 2)]
                return state, coins.categorical(weights) - 1 if message else 0

        game = ap.PrivacyGame(Shown(), ap.verifiers.event_level())
        for s in (1, 2, 1000):
            found = game.tight_delta(epsilon=Log(s) if s > 1 else 0, rounds=1, queries=[0, 1])
            assert found == F(5, 6)

    def test_rows_have_no_proof_and_are_refused(self):
        with pytest.raises(ap.InvalidArgument, match="by two"):
            finding(1, SingleRow())


class TestRule:
    def test_a_whole_board_is_as_private_as_it_says(self):
        """P ∘* ExtConComp, one window, one key, up to three users, two cells and counts."""

        @attrs.frozen
        class Coin(ap.ContinualMechanism):
            """A sum of 0 or 1, told by a randomized response: ε = ln 2 a unit."""

            initial_state = 0
            signature = spaces.Signature(
                spaces.Either((spaces.Integers(0, 3), QUERIES)),
                spaces.Either((spaces.Finite((TOP,)), spaces.Integers(0, 3))),
                spaces.Integers(0, 3),
            )
            claims = (
                ap.Claim(Pure(Log(2)), BoundedSums(
                    keys=("a",), windows=1, counter=Silent(), per_user=1
                ).created[0].claim.verification, Status.ASSUMED, "geometric, clamped"),
            )  # fmt: skip

            def step(self, state, message, coins):
                if message != COUNT:
                    return state + message, TOP
                table = {0: (8, 2, 1, 1), 1: (4, 4, 2, 2), 2: (2, 2, 4, 4), 3: (1, 1, 2, 8)}
                return state, coins.categorical([F(each, 12) for each in table[state]])

        bounds = BoundedSums(keys=("any",), windows=1, counter=Coin(), per_user=1)
        p = DiscoveringSums(bounds=bounds, opener=E2)
        known = ap.guarantee(p @ ExtConComp(), p.unit)
        messages = [tuple((user, "a", 1) for user in users) for users in ("", "u", "uv", "uvw")]
        game = ap.PrivacyGame(p @ ExtConComp(), p.unit)
        for s in (1, 2, 4):
            epsilon = Log(s) if s > 1 else 0
            tight = game.tight_delta(epsilon=epsilon, rounds=1, queries=messages)
            assert 0 < tight <= known.curve.delta_between(epsilon).upper
        assert tight == F(1, 10)

    def test_what_the_rule_refuses(self):
        counter = Create(BalancedTreeCounter(horizon=1, epsilon=1, clip=True))
        for opener, made in ((counter, counter), (Create(E2), Create(E2))):
            f = OpeningPurse(opener=opener, counter=made, units=1, cells=1)
            with pytest.raises(NoGuarantee):
                ap.guarantee(ExtConComp(), f)

    @over(
        "pairs, valid",
        [
            ([Pair(Ask((("a", 1),), 0), Ask((), 0))], True),
            ([Pair(Ask((("a", 2),), 0), Ask((), 0))], False),
            ([Pair(Ask((("a", 1), ("b", 1)), 0), Ask((), 0))], False),
            ([Pair(Ask(1, 1), Ask(3, 1))], True),
            ([Pair(Ask(1, 1), Ask(2, 1)), Pair(Ask(1, 2), Ask(2, 2))], True),
            ([Pair(Ask(1, 1), Ask(2, 1)), Pair(Ask(1, 2), Ask(3, 2))], False),
            ([Pair(Ask((("a", 1),), 0), Ask((), 0)), Pair(Ask(1, 1), Ask(3, 1))], True),
            ([same(Ask(COUNT, 2)), same(Create(E2))], False),
            ([same(Ask(1, 3))], False),
            ([Pair(Ask((("b", 1), ("a", 1)), 0), Ask((("a", 1),), 0))], False),
        ],
    )
    def test_units_and_cells_are_two_purses(self, pairs, valid):
        counter = Create(BalancedTreeCounter(horizon=4, epsilon=1, clip=True, largest=9))
        f = OpeningPurse(opener=Create(E2), counter=counter, units=2, cells=1)
        begun = [same(Create(E2)), same(counter), same(counter)]
        assert f([*begun, *pairs]) is (TOP if valid else ap.BOTTOM)
        assert f([same(counter)]) is ap.BOTTOM


def test_the_cells_of_two_windows_are_two():
    """The universe is all texts in all windows: each cell has coins of its own."""
    outcomes = {}
    for p, (_, first) in ap.outcomes(lambda coins: E2.step(0, (("a", 3), ("b", 3)), coins)):
        outcomes[first] = outcomes.get(first, 0) + p
    each = {True: F(7, 10), False: F(3, 10)}
    for a, b in product((True, False), repeat=2):
        assert outcomes[tuple("ab"[i] for i, x in enumerate((a, b)) if x)] == each[a] * each[b]
