"""Law 2: the same tape and messages give the same answers, bit for bit.

Of the four readings, running, replaying and enumerating are tested here; populations
and the size of their chunks belong to the part that builds them (audit/statistical).
"""

from fractions import Fraction

import attrs
import numpy as np
import pytest
import references
from catalogue import MECHANISMS, first_of_each
from hypothesis import given
from hypothesis import strategies as st
from strategies import tosser
from trying import examples, over

import antiphon as ap
from antiphon import Recording
from antiphon.audit import CounterexampleAdversary, counterexample_game
from antiphon.mechanisms import TreeCounter
from antiphon.protocol import Draw, IdentityPostProcessor, identical

EVERY = over("entry", first_of_each(MECHANISMS, 57))
DELTA = Fraction(1, 10)
PLAYER = CounterexampleAdversary(delta=DELTA, copies=4)


@ap.register("tests.gambler/1")
@ap.adversary
def gambler(answers, coins):
    """Draws every kind of coin, and plays on what it heard."""
    if len(answers) == 8 or (answers and coins.bernoulli(Fraction(1, 50))):
        return ap.HALT
    coins.bernoulli(0.3)
    coins.gaussian(1)
    coins.laplace(0.5)
    coins.discrete_laplace(2)
    coins.discrete_gaussian(Fraction(3, 2))
    coins.discrete_laplaces(2, 3)
    coins.discrete_gaussians(Fraction(3, 2), 2)
    coins.categorical_exp(Fraction(1, 3), np.array([3, 1, 4]))
    coins.bernoulli_exp(Fraction(1, 3))
    coins.bernoulli_exp(ap.Log(2))
    return int(coins.categorical((1, 2)) ^ coins.uniform_integer(2))


def refusing_nothing(entry, script):
    """The script up to the first message that the mechanism refuses."""
    session, kept = entry.mechanism.start(seed=0), []
    for message in script:
        try:
            session.send(message)
        except ap.AntiphonError:
            break
        kept.append(message)
        if session.over:
            break
    return kept


@EVERY
@examples(1)
@given(data=st.data())
def test_a_recording_replays_both_sides(entry, data, tmp_path_factory):
    script = refusing_nothing(entry, data.draw(st.lists(entry.queries, max_size=6)))
    adversary = ap.scripted(script)
    recording = ap.record(adversary, entry.mechanism, seed=data.draw(st.integers(0, 99)))
    assert ap.replay(recording, adversary, entry.mechanism) == recording.view
    path = tmp_path_factory.mktemp("replay") / "r"
    recording.save(path)
    loaded = Recording.load(path)
    assert loaded.view == recording.view
    assert all(map(identical, loaded.view.answers, recording.view.answers))
    assert ap.replay(loaded, mechanism=entry.mechanism) == recording.view


@given(st.integers(0, 10**9), st.integers(0, 1))
def test_a_view_replays_the_adversary_from_memory_and_from_a_file(seed, bit):
    for adversary, system in [
        (gambler, tosser),
        (gambler, TreeCounter(horizon=9, epsilon=1)),
        (PLAYER, counterexample_game(DELTA).mechanism(bit)),
    ]:
        view = ap.interact(adversary, system, seed=seed)
        assert ap.replay(view, adversary) == view
        assert ap.replay(view) == view


@given(st.integers(0, 10**9))
def test_recording_changes_no_answer(seed):
    system = counterexample_game(DELTA).mechanism(1)
    plain = ap.interact(PLAYER, system, seed=seed)
    recorded = ap.record(PLAYER, system, seed=seed)
    assert recorded.view == plain
    assert ap.interact(gambler, tosser, seed=seed) == ap.record(gambler, tosser, seed=seed).view


@given(st.integers(0, 10**9), st.integers(0, 6), st.integers(0, 5))
def test_a_longer_run_begins_with_the_shorter_and_extra_links_draw_nothing(seed, rounds, links):
    whole = ap.interact(gambler, tosser, seed=seed)
    part = ap.interact(gambler, tosser, seed=seed, rounds=rounds)
    assert part.answers == whole.answers[:rounds]
    system = tosser
    for _ in range(links):
        system = IdentityPostProcessor() @ system
    assert ap.interact(gambler, system, seed=seed).answers == whole.answers


@over("seed", range(25), at_least=22)
def test_every_run_is_one_of_the_enumerated(seed):
    system = counterexample_game(DELTA).mechanism(1)
    law = references.law(system, PLAYER)
    assert law[ap.interact(PLAYER, system, seed=seed).answers] > 0


def test_a_seed_is_reproducible_across_numpy_streams():
    """PCG64's raw stream is stable; these answers were recorded once."""
    view = ap.interact(gambler, TreeCounter(horizon=9, epsilon=1), seed=7)
    assert view == ap.interact(gambler, TreeCounter(horizon=9, epsilon=1), seed=7)
    coins = ap.protocol.SampledCoins(seed=7)
    assert [coins.uniform_integer(10**6) for _ in range(3)] == [158112, 709309, 668987]


# --- mismatches -----------------------------------------------------------------------------


def tampered(recording, number, draws):
    tape = list(recording.tape)
    tape[number] = draws
    return ap.Recording(recording.view, recording.secret, tuple(tape))


@over(
    "change",
    [
        lambda draws: (),
        lambda draws: (*draws, Draw("bernoulli", Fraction(1, 2), True)),
        lambda draws: (draws[0]._replace(kind="uniform_integer"), *draws[1:]),
        lambda draws: (draws[0]._replace(parameter=0.5), *draws[1:]),
        lambda draws: (draws[0]._replace(value=not draws[0].value), *draws[1:]),
        lambda draws: (draws[0]._replace(value="x"), *draws[1:]),
        lambda draws: (draws[0]._replace(value=1), *draws[1:]),
        lambda draws: draws[::-1],
        lambda draws: (draws[0], draws[1]._replace(value=2)),
        lambda draws: (draws[0], draws[1]._replace(value=-1)),
    ],
)
@over("number", [0, 2, 4])
def test_a_changed_tape_is_a_mismatch_and_names_the_round(change, number):
    adversary = ap.scripted([0, 1, 1, 0, 1])
    recording = ap.record(adversary, tosser, seed=5)
    changed = tampered(recording, number, change(recording.tape[number]))
    with pytest.raises(ap.ReplayMismatch) as caught:
        ap.replay(changed, adversary, tosser)
    assert caught.value.round == number + 1


@pytest.mark.parametrize("number", [0, 1, 3])
def test_a_draw_too_many_or_too_few_of_the_adversary_names_the_round(number):
    player = ap.adversary(lambda answers, coins: coins.uniform_integer(2))
    view = ap.interact(player, tosser, seed=3, rounds=4)
    for change in (lambda draws: draws * 2, lambda draws: ()):
        rounds = list(view.rounds)
        rounds[number] = attrs.evolve(rounds[number], draws=change(rounds[number].draws))
        with pytest.raises(ap.ReplayMismatch) as caught:
            ap.replay(attrs.evolve(view, rounds=tuple(rounds)), player)
        assert caught.value.round == number + 1


def test_another_adversary_or_system_is_a_mismatch():
    recording = ap.record(ap.scripted([0, 1]), tosser, seed=5)
    for other in (ap.scripted([0, 0]), ap.scripted([0]), ap.scripted([0, 1, 1])):
        with pytest.raises(ap.ReplayMismatch):
            ap.replay(recording, other, tosser)
    with pytest.raises(ap.ReplayMismatch):
        ap.replay(recording, ap.scripted([0, 1]), ap.mechanisms.LeakyBit(delta=DELTA))


def test_a_view_cannot_rerun_the_mechanism():
    view = ap.interact(ap.scripted([0]), tosser, seed=5)
    with pytest.raises(ap.InvalidArgument):
        ap.replay(view, ap.scripted([0]), tosser)


def test_a_mechanism_that_fails_in_the_recording_fails_in_the_replay():
    from strategies import breakable

    adversary = ap.scripted([0, 3])
    recording = ap.record(adversary, breakable, seed=1)
    assert ap.replay(recording, adversary, breakable).answers[-1] is ap.HALT
