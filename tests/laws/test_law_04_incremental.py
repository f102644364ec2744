"""Law 4: verification functions are automata, and f(messages) is defined from them.

The comparison with the slow references is in tests/unit/verifiers and
tests/unit/composition; the cost per message is in benchmarks/.
"""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import antiphon as ap
from antiphon.composition import fixed_mechanisms, fixed_parameters, sparse_parallel
from antiphon.mechanisms import LeakyBit
from antiphon.verifiers import (
    Refused,
    bounded,
    event_level,
    neighbouring_start,
    updates_and_queries,
    user_level,
)

LEAKY = ap.Create(LeakyBit(delta=0.1))
SIMPLE = [
    neighbouring_start(), event_level(), user_level(), bounded(event_level(), 3),
    updates_and_queries(event_level(), ap.spaces.Finite((2,))),
]  # fmt: skip
COMPOSED = [
    fixed_mechanisms([LEAKY]), fixed_parameters([(0, 0.1)]), sparse_parallel([(0, 0.1)]),
    sparse_parallel([(0, 0.1)], first_pair_consistent=True),
]  # fmt: skip

value = st.integers(0, 2)
simple = st.one_of(value.map(ap.same), st.builds(ap.Pair, value, value))
ask = st.builds(ap.Ask, st.integers(0, 1), st.integers(0, 1))
composed = st.one_of(st.just(ap.same(LEAKY)), ask.map(ap.same), st.builds(ap.Pair, ask, ask))


@given(st.sampled_from(SIMPLE), st.lists(simple, max_size=8))
def test_the_plain_form_is_the_automaton_simple(f, messages):
    check(f, messages)


@given(st.sampled_from(COMPOSED), st.lists(composed, max_size=8))
def test_the_plain_form_is_the_automaton_composed(f, messages):
    check(f, [ap.same(LEAKY), *messages])


def check(f, messages):
    state, alive = f.initial_state, True
    for t, message in enumerate(messages, start=1):
        if alive:
            before, kept = state, hash(state)
            state = f.step(state, message.zero, message.one)
            alive = type(state) is not Refused
            assert hash(before) == kept  # the old state is not touched
        assert f(messages[:t]) is (ap.TOP if alive else ap.BOTTOM)
    assert f(iter(messages)) is f(messages)


@pytest.mark.parametrize("f", COMPOSED[2:])
def test_a_verifier_keeps_no_history(f):
    """The state does not grow with the number of messages, only with that of creations."""
    rr = ap.Create(ap.mechanisms.RandomizedResponse(epsilon=1))
    state = f.step(f.initial_state, rr, rr)
    states = []
    for _ in range(200):
        state = f.step(state, ap.Ask(0, 0), ap.Ask(0, 0))
        states.append(state)
    assert type(state) is not Refused
    assert all(each == states[1] for each in states[1:])


def test_event_level_states_are_counts():
    f = event_level(events=3)
    state = f.initial_state
    for t in range(1000):
        state = f.step(state, t, t + (t in (5, 500, 900)))
    assert state == 3


def test_parameters_are_spent_once_each():
    f = sparse_parallel([(0, Fraction(1, 10))] * 2)
    state = f.initial_state
    for _ in range(3):
        state = f.step(state, LEAKY, LEAKY)
    for index in (0, 1):
        state = f.step(state, ap.Ask(0, index), ap.Ask(1, index))
    assert type(f.step(state, ap.Ask(0, 2), ap.Ask(1, 2))) is Refused
    assert type(f.step(state, ap.Ask(1, 2), ap.Ask(1, 2))) is not Refused
