"""Exact laws of views, against enumeration of whole plays and against sampled ones."""

from collections import Counter
from fractions import Fraction

import pytest
from exact_reference import FAIL, Table, tables
from hypothesis import given
from hypothesis import strategies as st

import antiphon as ap
from antiphon.audit import law_of_views
from antiphon.mechanisms import Laplace, LeakyBit, RandomizedResponse
from antiphon.protocol import RecordedCoins
from antiphon.protocol.records.rounds import Ending


@ap.adversary
def curious(answers, coins):
    """Tosses a coin for the next bit until it has heard HALT."""
    if answers and answers[-1] is ap.HALT:
        return ap.HALT
    return int(coins.bernoulli(Fraction(1, 3)))


def whole_play(adversary, mechanism, rounds):
    """The law of (message, answer, draws), … and the ending, from the outcomes of one play."""

    def play(coins):
        own, state, heard, said = adversary.initial_state, mechanism.initial_state, ap.EMPTY, ()
        while len(said) < rounds:
            tape = RecordedCoins(coins)
            own, message = adversary.step(own, heard, tape)
            if message is ap.HALT:
                return said, Ending.ADVERSARY
            drawn = coins.draws
            try:
                state, heard = mechanism.step(state, message, coins)
                over = heard is ap.HALT and mechanism.is_over(state)
            except (ap.ProtocolError, ap.InvalidArgument):
                assert coins.draws > drawn
                heard, over = ap.HALT, True
            said = (*said, (message, heard, tape.take()))
            if over:
                return said, Ending.MECHANISM
        return said, Ending.ROUNDS

    law = {}
    for p, said in ap.outcomes(play):
        law[said] = law.get(said, Fraction(0)) + p
    return law


def plain(law):
    return {
        (tuple((each.message, each.answer, each.draws) for each in view.rounds), view.ending): p
        for view, p in law.views
    }


@given(table=tables(), rounds=st.integers(0, 3))
def test_it_is_the_law_of_whole_plays(table, rounds):
    law = law_of_views(curious, table, rounds=rounds)
    assert plain(law) == whole_play(curious, table, rounds)
    assert sum(law.answers().values()) == 1


@given(table=tables(refusals=True), rounds=st.integers(0, 3))
def test_it_is_the_law_of_whole_plays_of_a_game(table, rounds):
    """Through verifier, identifier and composition; a child's HALT does not end it."""
    game = ap.PrivacyGame(ap.ExtConComp(), ap.composition.fixed_mechanisms([table] * 2))
    create = ap.same(ap.Create(table))
    script = ap.scripted(
        [create, create, ap.Pair(ap.Ask(0, 0), ap.Ask(1, 0)), ap.same(ap.Ask(0, 1))]
    )
    for bit in (0, 1):
        mechanism = game.mechanism(bit)
        law = law_of_views(script, mechanism, rounds=rounds + 2)
        assert plain(law) == whole_play(script, mechanism, rounds + 2)


def test_it_is_what_interact_samples():
    """10,000 plays; each frequency is within 5 standard deviations (6 views: 4e-6 together)."""
    rr = ap.ConComp([RandomizedResponse(epsilon=ap.Log(3), delta=Fraction(1, 7))] * 2)
    adversary = ap.scripted([ap.Ask(0, 0), ap.Ask(1, 0), ap.Ask(1, 1)])
    law = law_of_views(adversary, rr, rounds=3)
    n = 4000
    counts = Counter(ap.interact(adversary, rr, rounds=3, seed=seed).answers for seed in range(n))
    assert set(counts) <= set(law.answers())
    for answers, p in law.answers().items():
        assert answers[1] is ap.HALT  # the first has halted, and the second is asked all the same
        assert abs(counts[answers] - n * p) <= 5 * float(n * p * (1 - p)) ** 0.5


def test_a_step_that_fails_halts_and_one_that_refuses_raises():
    failing = Table(((((1, 0, 0), (2, 0, FAIL)),),))
    law = law_of_views(ap.scripted([0, 0]), failing, rounds=2)
    assert law.answers() == {
        (ap.HALT,): Fraction(2, 3),
        (0, ap.HALT): Fraction(2, 9),
        (0, 0): Fraction(1, 9),
    }
    with pytest.raises(ap.InvalidArgument):
        law_of_views(ap.scripted([5]), failing, rounds=1)
    sometimes = Table(((((1, 0, 0), (2, 1, 0)),), ((),)))
    with pytest.raises(ap.InvalidArgument, match="refuses"):
        law_of_views(ap.scripted([0, 0]), sometimes, rounds=2)
    game = ap.PrivacyGame(sometimes, ap.verifiers.event_level())
    law = law_of_views(ap.scripted([ap.same(0)] * 2), game.mechanism(1), rounds=2)
    assert law.answers() == {(0, ap.HALT): Fraction(2, 3), (0, 0): Fraction(1, 3)}


def test_hockey_stick_of_two_laws():
    rr = RandomizedResponse(epsilon=ap.Log(3), delta=Fraction(1, 7))
    game = ap.PrivacyGame(rr, rr.claims[0].verification)
    script = ap.scripted([ap.Pair(0, 1)])
    laws = [law_of_views(script, game.mechanism(bit), rounds=1) for bit in (0, 1)]
    assert laws[0].hockey_stick(laws[1], Fraction(3)) == Fraction(1, 7)
    assert laws[0].hockey_stick(laws[1]) == Fraction(1, 7) + Fraction(6, 7) / 2
    assert laws[0].hockey_stick(laws[0]) == 0


def test_mechanisms_with_several_initial_states():
    game = ap.PrivacyGame(LeakyBit(delta=1), LeakyBit(delta=1).claims[0].verification)
    script = ap.scripted([ap.same(0), ap.Pair(0, 1)])
    for bit in (0, 1):
        law = law_of_views(script, game.interactive, rounds=2, initial=bit)
        assert law.answers() == {(ap.BOTTOM, bit): 1}
    with pytest.raises(ap.InvalidArgument, match="initial"):
        law_of_views(script, game.interactive, rounds=2)


def test_bad_input():
    with pytest.raises(ap.Intractable):
        law_of_views(ap.scripted([0.0]), Laplace(epsilon=1), rounds=1)
    for rounds in (None, -1, True, 1.0):
        with pytest.raises(ap.InvalidArgument, match="rounds"):
            law_of_views(ap.scripted([0]), LeakyBit(delta=1), rounds=rounds)


def test_equal_views_are_one_with_the_sum_of_their_probabilities():
    """A coin tossed for HALT is left out of the view: both sides of it are one."""

    @ap.adversary
    def leaves(answers, coins):
        return (ap.HALT, ap.HALT)[coins.bernoulli(Fraction(1, 3))] if answers else 0

    law = law_of_views(leaves, RandomizedResponse(epsilon=0), rounds=2)
    assert [p for _, p in law.views] == [Fraction(1, 2)] * 2
