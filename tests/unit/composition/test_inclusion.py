"""How many pairs may differ, and which models are about others' messages."""

import math
from fractions import Fraction

import attrs
import pytest
from trying import over

import antiphon as ap
from antiphon import InvalidArgument
from antiphon.composition import Certified, NoGuarantee, sparse_parallel
from antiphon.composition.accounting import optimal, sparse
from antiphon.composition.guarantees.inclusion import differing, group_size, includes, outside
from antiphon.mechanisms import RandomizedResponse, TreeCounter
from antiphon.protocol import Pure, Status, identical
from antiphon.protocol.spaces import BITS, Integers
from antiphon.verifiers import (
    Refused,
    bounded,
    event_level,
    every_pair,
    neighbouring_start,
    updates_and_queries,
    user_level,
)


@over(
    ("f", "most"),
    [
        (neighbouring_start(), 1),
        (event_level(events=3), 3),
        (user_level(events=4), 4),
        (user_level(), math.inf),
        (every_pair(), math.inf),
        (bounded(event_level(events=9), 4), 4),
        (bounded(event_level(events=3), 8), 3),
        (bounded(user_level(), 5), 5),
        (bounded(neighbouring_start(), 5), 1),
    ],
)
def test_how_many_pairs_may_differ(f, most):
    assert differing(f) == most


@pytest.mark.parametrize("events", [1, 5, None])
def test_what_starts_with_any_neighbours_is_about_no_users(events):
    """f_∼ lets (0, 1) pass, which are no records (user, …)."""
    assert not includes(user_level(events=events), neighbouring_start())
    assert group_size(user_level(events=events), neighbouring_start()) is None
    assert not includes(user_level(events=events), event_level())


@pytest.mark.parametrize("turn", [1, -1])
def test_over_all_created_each_counts_as_the_worst(turn):
    """The largest ε_i with the largest δ_i, wherever in the list they stand."""
    fixed = [(Fraction(1, 10), Fraction(1, 10)), (1, Fraction(1, 20))][::turn]
    promise = ap.guarantee(ap.ExtConComp(), sparse_parallel(fixed), max_creations=3)
    worst = optimal([(1, Fraction(1, 10))], times=3)
    general = sparse(fixed, k=2, creations=3)
    for epsilon in (0, Fraction(1, 4), 1, Fraction(11, 10), 3):
        figures = worst.delta_at(epsilon), general.delta_at(epsilon)
        assert promise.delta_at(epsilon) == min(figures)
    assert promise.epsilon_at(Fraction(271, 1000)) == general.epsilon_at(Fraction(271, 1000))


@attrs.frozen
class SpacedOut(ap.Verification):
    """A user's f: at most ``events`` pairs differ, no two in succession; a wider f is declared."""

    events: int
    narrower_than: ap.Verification | None = None
    initial_state = (0, True)

    def step(self, state, zero, one):
        spent, may_differ = state
        if identical(zero, one):
            return spent, True
        if not may_differ or spent == self.events:
            return Refused("too many pairs differ, or too soon")
        return spent + 1, False


RESPONSE = RandomizedResponse(epsilon=ap.Log(3), delta=0)
TREE = TreeCounter(horizon=8, epsilon=1)
TWICE = SpacedOut(2, event_level(events=2))
EVENT = ap.Claim(Pure(1), event_level(), Status.PROVED, "two lines")
QUIET = ap.mechanism(queries=Integers(), answers=BITS, initial_state=0, claims=(EVENT,))(
    lambda state, number, coins: (state, 0)
)


@over(
    ("system", "f", "epsilon"),
    [
        (QUIET, TWICE, 2),  # by group privacy
        (QUIET, SpacedOut(1, event_level()), 1),
        (QUIET, bounded(TWICE, 9), 2),
        (TREE, updates_and_queries(TWICE, TREE.verification.queries), 2),
        (Certified(QUIET, event_level()), SpacedOut(3, event_level(events=3)), 3),
        (Certified(QUIET, TWICE), TWICE, 2),  # Its claim is derived again, from its own inquiry.
    ],
)
def test_what_f_declares_itself_narrower_than_is_used_and_assumed(system, f, epsilon):
    promise = ap.guarantee(system, f)
    assert promise.epsilon_at(0) == epsilon
    assert promise.verification is f
    assert promise.status is Status.ASSUMED
    assumed = promise.statement().of("What is assumed")
    assert any("every sequence valid for" in each and "narrower_than" in each for each in assumed)


def test_the_exact_figure_w_r_t_f_is_no_larger_than_the_promise():
    claim = ap.Claim(Pure(ap.Log(3)), event_level(), Status.ASSUMED, "randomized response")

    @ap.mechanism(queries=BITS, answers=BITS, initial_state=0, claims=(claim,))
    def response(state, bit, coins):
        return state, bit ^ int(coins.bernoulli(Fraction(1, 4)))

    tight = ap.PrivacyGame(response, TWICE).tight_epsilon(delta=0, rounds=3)
    assert tight == ap.Log(9) <= ap.guarantee(response, TWICE).epsilon_at(0) < 2.1973


def test_a_claim_about_f_itself_comes_before_what_f_declares():
    claim = ap.Claim(Pure(Fraction(1, 2)), TWICE, Status.PROVED, "two lines")
    own = ap.mechanism(queries=BITS, answers=BITS, initial_state=0, claims=(claim,))
    promise = ap.guarantee(own(lambda state, bit, coins: (state, 0)), TWICE)
    assert (promise.epsilon_at(0), promise.status) == (Fraction(1, 2), Status.PROVED)


def test_a_declaration_that_a_few_messages_refute_is_refused():
    """RandomizedResponse takes bits, so all pairs are tried; ``ap.check`` tries some as well."""
    f = SpacedOut(2, event_level())
    with pytest.raises(NoGuarantee, match="which the other refuses; declare a wider f"):
        ap.guarantee(RESPONSE, f)
    (finding,) = ap.check(f, messages=[0, 1]).findings
    assert finding.check == "narrower"
    assert "((0, 1), (0, 0), (0, 1)), which that refuses" in finding.what
    assert not ap.check(SpacedOut(2, event_level(events=2)), messages=[0, 1]).findings
    assert outside(SpacedOut(1, user_level()), user_level(), (0, 1)) is not None


def test_a_subclass_does_not_inherit_what_f_declares():
    class Declares(ap.Verification):
        initial_state = 0
        narrower_than = event_level(events=2)

        def step(self, state, zero, one):
            if identical(zero, one):
                return state
            return Refused("a third pair differs") if state == 2 else state + 1

    class Inherits(Declares):
        def step(self, state, zero, one):
            return 0

    assert ap.guarantee(QUIET, Declares()).epsilon_at(0) == 2
    assert Declares().narrower_than is not None
    assert Inherits().narrower_than is None
    with pytest.raises(NoGuarantee, match="unless its class declares a wider one"):
        ap.guarantee(QUIET, Inherits())


def test_declarations_that_name_each_other_end():
    class Endless(ap.Verification):
        initial_state = 0

        @property
        def narrower_than(self):
            return Endless()

        def step(self, state, zero, one):
            return state

    with pytest.raises(NoGuarantee):
        ap.guarantee(TREE, Endless())
    with pytest.raises(InvalidArgument, match=r"an f is a verification.*not an int"):
        ap.guarantee(TREE, SpacedOut(1, 1))


def test_a_game_is_told_which_line_to_write():
    with pytest.raises(InvalidArgument, match=r"write ap.guarantee\(game.system, game.verif"):
        ap.guarantee(ap.PrivacyGame(RESPONSE))
