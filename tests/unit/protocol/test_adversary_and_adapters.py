"""Adversaries, their histories, and mechanisms made of functions, NIMs and IMs."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import adder

import antiphon as ap
from antiphon import spaces
from antiphon.mechanisms import RandomizedResponse
from antiphon.protocol import History, SampledCoins


@given(st.data())
def test_history_against_tuples_with_branching(data):
    """Any version may be extended at any time, with equal or identical items."""
    shared = (object(), 1, 1, "x")
    versions = [(History(), ())]
    for _ in range(data.draw(st.integers(0, 30))):
        history, model = versions[data.draw(st.integers(0, len(versions) - 1))]
        item = shared[data.draw(st.integers(0, 3))]
        versions.append((history.append(item), (*model, item)))
    for history, model in versions:
        assert len(history) == len(model)
        assert tuple(history) == model == history[:]
        assert history == History(model)
        assert hash(history) == hash(History(model))
        cut = slice(data.draw(st.integers(-9, 9)), data.draw(st.integers(-9, 9)),
                    data.draw(st.sampled_from([None, 1, 2, -1])))  # fmt: skip
        assert history[cut] == model[cut]
        for index in range(-len(model), len(model)):
            assert history[index] is model[index]
        for index in (len(model), -len(model) - 1):
            with pytest.raises(IndexError):
                _ = history[index]
        assert [history.index(item) for item in model] == [model.index(item) for item in model]


def test_history_is_no_tuple():
    assert History([1]) != (1,)
    assert History() == History([])


def test_history_under_threads():
    """Threads that branch from one version each get their own item."""
    base, out = History(range(100)), []

    def extend(i):
        history = base
        for step in range(200):
            history = history.append((i, step))
        out.append((i, history))

    threads = [threading.Thread(target=extend, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(out) == 8
    for i, history in out:
        assert history[100:] == tuple((i, step) for step in range(200))
    assert base[:] == tuple(range(100))


def test_scripted_says_its_messages_whatever_it_hears():
    player = ap.scripted(iter([1, "two", ap.TOP]))
    state, said = player.initial_state, []
    for heard in (ap.EMPTY, 5, None, ap.HALT, ap.HALT):
        state, message = player.step(state, heard, None)
        said.append(message)
    assert said == [1, "two", ap.TOP, ap.HALT, ap.HALT]
    assert player == ap.scripted([1, "two", ap.TOP])


def test_scripted_freezes():
    import numpy as np

    array = np.zeros(2)
    player = ap.scripted([array])
    array[:] = 7
    assert not player.messages[0].any()


def test_a_function_sees_the_answers_so_far():
    seen = []

    @ap.adversary
    def player(answers, coins):
        seen.append(tuple(answers))
        return ap.HALT if len(answers) == 3 else len(answers)

    ap.interact(player, adder)
    assert seen == [(), (0,), (0, 1), (0, 1, 3)]


def test_an_adversary_is_a_pure_step_too():
    player = ap.adversary(lambda answers, coins: (len(answers), coins.uniform_integer(9)))
    state, _ = player.step(player.initial_state, ap.EMPTY, SampledCoins(seed=0))
    one = player.step(state, "a", SampledCoins(seed=1))
    for heard in ("b", "a", "c"):
        again = player.step(state, heard, SampledCoins(seed=1))
        assert (again == one) is (heard == "a")
        assert again[1] == one[1]
    assert tuple(state) == ()


# --- adapters -------------------------------------------------------------------------------


def test_a_nim_takes_its_dataset_and_then_halts():
    rr = RandomizedResponse(epsilon=0, delta=1)
    state, answer = rr.step(rr.initial_state, 1, SampledCoins())
    assert answer == (1, ap.TOP)
    assert rr.step(state, 1, SampledCoins()) == (state, ap.HALT)


def test_an_im_takes_its_initial_state_as_its_first_message():
    f = ap.verifiers.neighbouring_start()
    game = ap.PrivacyGame(RandomizedResponse(epsilon=0, delta=1), f).interactive
    system = ap.InteractiveAsContinual(game)
    for bit in (0, 1):
        session = system.start()
        assert session.send(bit) is ap.TOP
        assert session.send(ap.Pair(0, 1)) == (bit, ap.TOP)
        assert session.send(5) is ap.HALT
        assert session.why_halted == "the message is not a pair"
    with pytest.raises(ap.InvalidArgument):
        system.start().send(2)


def test_an_initial_state_is_data_and_then_the_mechanism_says():
    counter = ap.mechanisms.TreeCounter(horizon=4, epsilon=1)
    game = ap.InteractiveAsContinual(counter)
    state, _ = game.step(game.initial_state, None, SampledCoins())
    told = [game.carries_data(each, ap.mechanisms.COUNT) for each in (game.initial_state, state)]
    assert told == [True, False]
    assert game.carries_data(state, 1)


def test_the_wrapped_query_space_is_both():
    system = ap.InteractiveAsContinual(ap.Identifier() @ adder)
    signature = system.signature
    assert signature.queries.contains(1)
    assert signature.queries.contains(ap.same(4))
    session = system.start()
    with pytest.raises(ap.InvalidArgument):
        session.send(ap.same(4))
    assert session.send(1) is ap.TOP
    assert session.send(ap.Pair(4, 5)) == 5
    with pytest.raises(ap.InvalidArgument):
        session.send(1)


def test_a_function_is_a_mechanism_with_what_was_declared():
    claims = RandomizedResponse(epsilon=1).claims

    @ap.mechanism(queries=spaces.BITS, answers=spaces.BITS, initial_state=7, claims=claims)
    def last(state, message, coins):
        return message, state

    assert last.signature == ap.Signature(spaces.BITS, spaces.BITS, spaces.BITS)
    assert last.claims == claims
    session = last.start()
    assert [session.send(0), session.send(1)] == [7, 0]

    @ap.mechanism(queries=spaces.BITS, answers=spaces.BITS, updates=spaces.Finite((1,)))
    def partly(state, message, coins):
        return state, message

    assert partly.carries_data(None, 1)
    assert not partly.carries_data(None, 0)
