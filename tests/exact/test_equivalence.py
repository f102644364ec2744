"""M_a ≡ M_b decided both ways, with an adversary and a view that tell them apart."""

from fractions import Fraction

import attrs
import pytest
from exact_reference import Table, outcomes_of, pairs_of, tables
from hypothesis import given
from hypothesis import strategies as st
from trying import examples

import antiphon as ap
from antiphon import View, spaces
from antiphon.audit import law_of_views
from antiphon.mechanisms import Laplace, LeakyBit, RandomizedResponse
from antiphon.protocol import IdentityPostProcessor
from antiphon.protocol.records.rounds import Ending

HALF = Fraction(1, 2)


def doubled(table):
    """The same mechanism with every state twice: 2s and 2s + 1 are the same state s."""
    rows = tuple(
        tuple(
            tuple((w, 2 * to + (place % 2), answer) for place, (w, to, answer) in enumerate(row))
            for row in table.rows[state // 2]
        )
        for state in range(2 * len(table.rows))
    )
    return Table(
        rows, goes_on=tuple(2 * state + twin for state in table.goes_on for twin in (0, 1))
    )


def alike(view, shown):
    """The same rounds, ended by the same party; the horizon ends what the adversary could have."""
    ended = [each.ending is Ending.MECHANISM for each in (view, shown)]
    return view.rounds == shown.rounds and ended[0] == ended[1]


def total_variation(adversary, mechanisms, rounds):
    laws = [law_of_views(adversary, each, rounds=rounds) for each in mechanisms]
    return laws[0].hockey_stick(laws[1])


@given(table=tables(), rounds=st.integers(0, 4))
def test_other_states_and_other_wiring_are_equivalent(table, rounds):
    for other in (doubled(table), IdentityPostProcessor() @ table):
        result = ap.equivalent(table, other, rounds=rounds)
        assert result
        assert result.distance == 0
        assert result.adversary is result.transcript is None


@given(first=tables(), second=tables(), rounds=st.integers(1, 3))
def test_what_differs_is_told_apart(first, second, rounds):
    result = ap.equivalent(first, second, rounds=rounds)
    back = ap.equivalent(second, first, rounds=rounds)
    assert result.distance == back.distance
    if result:
        script = ap.scripted([0, 1, 0])
        assert total_variation(script, (first, second), rounds) == 0
        return
    assert total_variation(result.adversary, (first, second), rounds) == result.distance
    assert result.adversary.advantage == result.distance
    zero, one = result.probabilities
    assert zero > one
    shown = result.transcript
    laws = [law_of_views(result.adversary, each, rounds=rounds) for each in (first, second)]
    exact = [sum(p for view, p in law.views if alike(view, shown)) for law in laws]
    assert exact == [zero, one]
    assert result.adversary.event(shown)


def test_the_transcript_saves_loads_and_replays(tmp_path):
    rr = RandomizedResponse(epsilon=ap.Log(3), delta=Fraction(1, 7))
    other = RandomizedResponse(epsilon=ap.Log(2), delta=Fraction(1, 7))
    result = ap.equivalent(rr, other, rounds=2)
    assert result.distance == Fraction(6, 7) * (Fraction(3, 4) - Fraction(2, 3))
    assert result.probabilities == (
        Fraction(6, 7) * Fraction(3, 4),
        Fraction(6, 7) * Fraction(2, 3),
    )
    result.transcript.save(tmp_path / "view")
    loaded = View.load(tmp_path / "view")
    assert loaded == result.transcript
    assert ap.replay(loaded) == loaded
    assert loaded.header.rebuild_system() == rr
    assert not loaded.header.releasable


def test_a_difference_past_the_horizon_is_not_seen():
    rows = [[((1, i + 1, 0),)] for i in range(3)]
    loud = Table((*rows, [((1, 3, 1),)]))
    quiet = Table((*rows, [((1, 3, 0),)]))
    assert ap.equivalent(loud, quiet, rounds=3)
    result = ap.equivalent(loud, quiet, rounds=4)
    assert (result.distance, result.probabilities) == (1, (1, 0))
    assert result.transcript.answers == (0, 0, 0, 1)


def test_where_both_halt_at_different_times():
    once = Table(([((1, 1, 0),)], [((1, 1, ap.HALT),)]))
    always = Table(([((1, 0, 0),)],))
    result = ap.equivalent(once, always, rounds=2)
    assert result.distance == 1
    assert result.transcript.ending is Ending.MECHANISM
    assert ap.replay(result.transcript, result.adversary) == result.transcript


def test_several_initial_states_must_all_agree():
    """The game of an insecure mechanism against that of a secure one: b = 0 and b = 1 are both
    initial states, and only b = 1 tells them apart."""

    @ap.mechanism(queries=spaces.BITS, answers=spaces.BITS)
    def leak(state, message, coins):
        return state, message

    @ap.mechanism(queries=spaces.BITS, answers=spaces.BITS)
    def zero(state, message, coins):
        return state, 0

    class ZeroFirst:
        def holds(self, first, second):
            return first == 0

    f = ap.verifiers.bounded(ap.verifiers.neighbouring_start(ZeroFirst()), 1)
    games = [ap.PrivacyGame(each, f).interactive for each in (leak, zero)]
    result = ap.equivalent(*games, rounds=1)
    assert (result.initial, result.distance) == (1, 1)
    assert total_variation_from(result, games) == 1
    with pytest.raises(ap.InvalidArgument, match="initial states"):
        ap.equivalent(games[0], leak, rounds=1)


def total_variation_from(result, mechanisms):
    laws = [
        law_of_views(result.adversary, each, rounds=result.rounds, initial=result.initial)
        for each in mechanisms
    ]
    return laws[0].hockey_stick(laws[1])


def test_a_refusal_tells_apart_what_answers():
    @attrs.frozen
    class Echo(ap.ContinualMechanism):
        queries: tuple
        initial_state = None

        @property
        def signature(self):
            return ap.Signature(spaces.Finite(self.queries), spaces.Integers())

        def step(self, state, message, coins):
            assert message in self.queries
            if message == 2:
                raise ap.InvalidArgument("not this one")
            return state, 0

    narrow, wide, refusing = Echo((0,)), Echo((0, 1)), Echo((0, 2))
    assert ap.equivalent(narrow, wide, rounds=2).distance == 1
    assert ap.equivalent(wide, narrow, rounds=2).distance == 1
    assert ap.equivalent(wide, narrow, rounds=2, queries=[0])
    assert ap.equivalent(narrow, refusing, rounds=2)
    both = ap.equivalent(wide, narrow, rounds=2)
    assert both.transcript is None or both.transcript.answers


@attrs.frozen
class Told(ap.ContinualMechanism):
    """The mechanism, whose refusals are answers and change nothing."""

    inner: Table
    initial_state = 0

    @property
    def signature(self):
        return self.inner.signature

    def is_over(self, state):
        return self.inner.is_over(state)

    def step(self, state, message, coins):
        refused = not self.inner.rows[state][message]
        return (state, "refused") if refused else self.inner.step(state, message, coins)


@given(first=tables(refusals=True), second=tables(refusals=True), rounds=st.integers(1, 3))
def test_refusals_are_seen_also_where_they_depend_on_hidden_state(first, second, rounds):
    result = ap.equivalent(first, second, rounds=rounds)
    assert result.distance == ap.equivalent(Told(first), Told(second), rounds=rounds).distance
    if result.transcript is not None:
        assert result.adversary.event(result.transcript)


def test_games_of_what_refuses_are_told_apart_as_they_are_played():
    """Behind the verifier a refusal is the HALT that ends the game."""
    refusing = Table(((((1, 0, 0), (2, 1, 0)), ((1, 0, 0),)), ((), ((1, 0, 0),))))
    halting = Table(((((1, 0, 0), (2, 1, 0)), ((1, 0, 0),)), (((1, 0, ap.HALT),), ((1, 0, 0),))))
    games = [ap.PrivacyGame(each, ap.verifiers.event_level()) for each in (refusing, halting)]
    pairs = pairs_of([0, 1])
    for bit in (0, 1):
        assert ap.equivalent(*[g.mechanism(bit) for g in games], rounds=3, queries=pairs)
    bare = ap.equivalent(refusing, halting, rounds=2)
    assert (bare.distance, bare.transcript) == (Fraction(2, 3), None)


def test_the_pairs_of_a_game_are_found_behind_its_verifier():
    rr = RandomizedResponse(epsilon=ap.Log(3))
    game = ap.PrivacyGame(rr, rr.claims[0].verification)
    result = ap.equivalent(game.mechanism(0), game.mechanism(1), rounds=1)
    assert result.distance == game.tight_delta(epsilon=0, rounds=1) == HALF


@given(
    rows=st.lists(outcomes_of(1, (0, 1)), min_size=2, max_size=2), growth=st.sampled_from([1, 2])
)
@examples(10)
def test_games_are_equivalent_iff_the_tight_delta_is_zero(rows, growth):
    table = Table((tuple(rows),))
    game = ap.PrivacyGame(table, ap.verifiers.event_level())
    result = ap.equivalent(game.mechanism(0), game.mechanism(1), rounds=2, queries=pairs_of([0, 1]))
    assert result.distance == game.tight_delta(epsilon=0, rounds=2)


def test_bad_input():
    leaky = LeakyBit(delta=1)
    for rounds in (None, -1, 2.0, True):
        with pytest.raises(ap.InvalidArgument, match="rounds"):
            ap.equivalent(leaky, leaky, rounds=rounds)
    with pytest.raises(ap.Intractable, match="queries="):
        ap.equivalent(Laplace(epsilon=1), Laplace(epsilon=1), rounds=1)
    with pytest.raises(ap.Intractable):
        ap.equivalent(Laplace(epsilon=1), Laplace(epsilon=1), rounds=1, queries=[0.0])
    with pytest.raises(ap.Intractable, match="belief"):
        ap.equivalent(leaky, LeakyBit(delta=HALF), rounds=9, limit=2)
