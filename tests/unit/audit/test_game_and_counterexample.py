"""The privacy game, and the adversary of CM §5.2 message by message."""

from fractions import Fraction

import pytest

import antiphon as ap
from antiphon.audit import CounterexampleAdversary, counterexample_game, learned_bit
from antiphon.composition import sparse_parallel
from antiphon.mechanisms import LeakyBit
from antiphon.protocol.records.codec import decode, encode
from antiphon.verifiers import event_level


def test_the_game_is_the_three_parts():
    m, f = LeakyBit(delta=0), event_level()
    game = ap.PrivacyGame(m, f)
    for bit in (0, 1):
        v, i, last = game.mechanism(bit).parts
        assert (v.verification, i, last) == (f, ap.Identifier(bit), m)
    assert game.interactive.parts[1] == ap.Identifier()
    for wrong in (2, True, None):
        with pytest.raises((ap.InvalidArgument, ap.CompositionError)):
            game.mechanism(wrong).start(seed=0).send(ap.same(0))


def test_each_world_shows_its_own_side():
    game = ap.PrivacyGame(LeakyBit(delta=1), LeakyBit(delta=1).claims[0].verification)
    player = ap.scripted([ap.same(0), ap.Pair(0, 1)])
    for bit in (0, 1):
        assert game.play(player, bit=bit).answers == (ap.BOTTOM, bit)


def test_a_game_survives_the_codec():
    game = counterexample_game(0.1)
    assert decode(encode(game)) == game


def test_the_adversary_message_by_message():
    create = ap.same(ap.Create(LeakyBit(delta=0.5)))
    player = CounterexampleAdversary(delta=0.5, copies=2)
    state, said = player.initial_state, []
    for heard in (ap.EMPTY, ap.TOP, ap.TOP, ap.TOP, ap.BOTTOM, 1):
        state, message = player.step(state, heard, None)
        said.append(message)
    assert said == [
        create, ap.same(ap.Ask(0, 0)), create, ap.same(ap.Ask(0, 1)),
        ap.Pair(ap.Ask(0, 1), ap.Ask(1, 1)), ap.HALT,
    ]  # fmt: skip
    state = player.initial_state
    for heard in (ap.EMPTY, ap.TOP, ap.TOP, ap.TOP, ap.TOP):
        state, message = player.step(state, heard, None)
    assert message is ap.HALT


@pytest.mark.parametrize("wrong", [0, -1, 1.0, True, "2"])
def test_copies_are_counted_in_integers(wrong):
    with pytest.raises(ap.InvalidArgument):
        CounterexampleAdversary(delta=0.1, copies=wrong)


def test_what_it_learned():
    player = CounterexampleAdversary(delta=1, copies=1)
    for bit in (0, 1):
        assert learned_bit(counterexample_game(1).play(player, bit=bit)) == bit
    assert learned_bit(counterexample_game(0).play(
        CounterexampleAdversary(delta=0, copies=3), bit=1)) is None  # fmt: skip
    assert learned_bit(ap.interact(ap.scripted([]), LeakyBit(delta=0))) is None


def test_its_success_is_exact():
    assert CounterexampleAdversary(delta=0.1, copies=4).success == Fraction(3439, 10000)


def test_the_game_is_won_from_a_verifier_without_first_pair_consistency_only():
    player = CounterexampleAdversary(delta=1, copies=1)
    f = sparse_parallel([(0, 1)])
    assert learned_bit(ap.PrivacyGame(ap.ExtConComp(), f).play(player, bit=1)) == 1
    strict = counterexample_game(1, first_pair_consistent=True)
    view = strict.play(player, bit=1)
    assert view.answers == (ap.HALT,)
