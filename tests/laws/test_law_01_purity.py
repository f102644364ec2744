"""Law 1: a step never mutates; refusals change nothing; failures are outcomes.

Growing states: benchmarks own the O(log n); ``tests/unit/numbers/test_vector.py`` owns
that old versions stay. Budgets that stay charged after a failure: the part that
builds budgets (law 6).
"""

import copy

import pytest
from catalogue import MECHANISMS, PROCESSORS, first_of_each
from hypothesis import given
from hypothesis import strategies as st
from strategies import adder, breakable
from trying import examples, over

import antiphon as ap
from antiphon import Side, spaces
from antiphon.protocol import RecordedCoins, ReplayedCoins, SampledCoins, identical

EVERY = over("entry", first_of_each(MECHANISMS, 57))
EVERY_LINK = over("entry", PROCESSORS, at_least=25)


def attempt(step, *arguments):
    """What a step does: its result, or the class of its refusal."""
    try:
        return step(*arguments)
    except ap.AntiphonError as error:
        return type(error)


@pytest.mark.slow
@EVERY
@examples(2)
@given(data=st.data())
def test_a_step_does_not_mutate_its_state_and_depends_on_nothing_but_its_tape(entry, data):
    mechanism, coins = entry.mechanism, SampledCoins(seed=data.draw(st.integers(0, 50)))
    state, history = mechanism.initial_state, []
    for message in data.draw(st.lists(entry.queries, min_size=1, max_size=6)):
        tape = RecordedCoins(coins)
        before = copy.deepcopy(state)
        first = attempt(mechanism.step, state, message, tape)
        assert state == before
        draws = tape.take()
        history.append((state, message, draws, first))
        if type(first) is tuple:
            state = first[0]
    for old, message, draws, first in reversed(history):  # old states stay usable, in any order
        again = attempt(mechanism.step, old, message, ReplayedCoins(draws))
        if type(first) is tuple:
            assert again[0] == first[0]
            assert identical(again[1], first[1])
        else:
            assert again == first


@pytest.mark.slow
@EVERY_LINK
@given(data=st.data())
def test_a_link_does_not_mutate_its_state(entry, data):
    processor = entry.processor
    state = processor.initial_state
    before = copy.deepcopy(state)
    message = data.draw(entry.left)
    first = processor.step(state, Side.LEFT, message, SampledCoins(seed=0))
    processor.step(first[0], Side.RIGHT, data.draw(entry.answers), SampledCoins(seed=0))
    assert state == before
    again = processor.step(state, Side.LEFT, message, SampledCoins(seed=0))
    assert again[:2] == first[:2]
    assert identical(again[2], first[2])


@EVERY
@examples(2)
@given(data=st.data())
def test_a_refused_message_leaves_no_trace_in_the_answers_after_it(entry, data):
    script = data.draw(st.lists(entry.queries, max_size=5))
    seed = data.draw(st.integers(0, 50))
    disturbed, quiet = (entry.mechanism.start(seed=seed, keep=True) for _ in range(2))
    for message in script:
        for alien in entry.outside:
            with pytest.raises((ap.InvalidArgument, ap.ProtocolError)):
                disturbed.send(alien)
        if quiet.over:
            break
        one, other = (attempt(s.send, message) for s in (disturbed, quiet))
        assert identical(one, other)
    assert disturbed.transcript == quiet.transcript
    assert disturbed.over is quiet.over


def test_a_refusal_of_the_step_itself_goes_on():
    session = breakable.start(seed=0)
    with pytest.raises(ap.InvalidArgument):
        session.send(1)
    assert not session.over
    assert session.failure is None
    assert session.send(0) in (0, 1)


@pytest.mark.parametrize(("message", "kind", "draws"), [(2, RuntimeError, 0),
                                                        (3, ap.InvalidArgument, 1)])  # fmt: skip
def test_a_later_failure_is_an_outcome(message, kind, draws):
    coins = RecordedCoins(SampledCoins(seed=0))
    session = breakable.start(coins=coins, keep=True)
    assert session.send(message) is ap.HALT
    assert session.over
    assert type(session.failure) is kind
    assert session.failures == (session.failure,)
    assert len(coins.take()) == draws  # burned: they are not given back
    assert [exchange.answer for exchange in session.transcript] == [ap.HALT]
    with pytest.raises(ap.ProtocolError):
        session.send(0)


def test_in_a_composition_only_the_child_dies():
    system = ap.ConComp([breakable, adder])
    coins = RecordedCoins(SampledCoins(seed=0))
    state, answer = system.step(system.initial_state, ap.Ask(3, 0), coins)
    assert answer is ap.HALT
    assert len(coins.take()) == 1
    assert [str(e) for e in system.failures(state)] == ["failed after a draw"]
    assert system.step(state, ap.Ask(0, 0), coins) == (state, ap.HALT)
    state, answer = system.step(state, ap.Ask(7, 1), coins)
    assert answer == 7
    assert coins.take() == ()


def test_the_exception_is_outside_the_transcript(tmp_path):
    view = ap.interact(ap.scripted([0, 3, 0]), breakable, seed=0, sink=tmp_path / "view")
    assert view.answers[-1] is ap.HALT
    assert [str(e) for e in view.failures] == ["failed after a draw"]
    assert "failed" not in (tmp_path / "view").read_text()
    assert ap.View.load(tmp_path / "view").failures == ()


def test_a_keyboard_interrupt_goes_up_but_the_coins_are_burned():
    @ap.mechanism(queries=spaces.BITS, answers=spaces.BITS)
    def interrupted(state, message, coins):
        coins.bernoulli(0.5)
        raise KeyboardInterrupt

    session = interrupted.start(seed=0)
    with pytest.raises(KeyboardInterrupt):
        session.send(0)
    assert session.over


@given(st.lists(st.sampled_from("ca"), max_size=40), st.data())
def test_old_states_of_a_growing_composition_stay_what_they_were(script, data):
    system, coins = ap.ExtConComp(), SampledCoins(seed=0)
    states, models = [system.initial_state], [()]
    for act in script:
        pick = data.draw(st.integers(0, len(states) - 1))
        state, model = states[pick], models[pick]
        if act == "c" or not model:
            state, answer = system.step(state, ap.Create(adder), coins)
            assert answer is ap.TOP
            model = (*model, 0)
        else:
            index = data.draw(st.integers(0, len(model) - 1))
            state, answer = system.step(state, ap.Ask(1, index), coins)
            model = tuple(value + (place == index) for place, value in enumerate(model))
            assert answer == model[index]
        states.append(state)
        models.append(model)
    for state, model in zip(states, models, strict=True):
        assert tuple(child.state for child in system.children(state)) == model


# --- arrays are copied read-only on entry ---------------------------------------------------


def test_an_array_changed_after_it_was_sent_changes_nothing():
    import numpy as np

    seen = []

    @ap.mechanism(queries=spaces.Arrays((2,)), answers=spaces.Finite((ap.TOP,)))
    def keeper(state, message, coins):
        seen.append(message)
        return message, ap.TOP

    session, array = keeper.start(keep=True), np.zeros(2)
    session.send(array)
    array[:] = 5
    assert not seen[0].any()
    assert not session.transcript[0].message.any()
    with pytest.raises(ValueError, match="read-only"):
        seen[0][0] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        seen[0].setflags(write=True)
