"""The count after each update: what a counter tells to whoever asks, and how it ends."""

import numpy as np
import pytest

import antiphon as ap
from antiphon import Side
from antiphon.mechanisms import COUNT, BufferedToeplitzCounter, CountAfter, Laplace, TreeCounter
from antiphon.protocol.spaces import Either, Finite, Integers

TREE = TreeCounter(horizon=8, epsilon=1)
ROWS = BufferedToeplitzCounter(horizon=8, rho=1, dimension=3, smallest=-1)


@pytest.mark.parametrize(
    ("counter", "updates"),
    [(TREE, [1, 0, 1, 1]), (ROWS, [np.array([1, 0, -1]), np.array([0, 1, 1])])],
    ids=["ints", "arrays"],
)
def test_it_tells_what_a_session_is_told_that_asks_after_each_update(counter, updates):
    asked, after = counter.start(seed=1), (CountAfter() @ counter).start(seed=1)
    for update in updates:
        assert asked.send(update) is ap.TOP
        assert np.array_equal(after.send(update), asked.send(COUNT))


def test_it_takes_updates_and_answers_counts():
    signature = (CountAfter() @ TREE).signature
    assert signature.queries == signature.updates == TREE.signature.updates
    assert signature.answers == Integers()
    session = (CountAfter() @ TREE).start(seed=1)
    for outside in (COUNT, 2, "counts"):
        with pytest.raises(ap.InvalidArgument):
            session.send(outside)


def test_past_the_horizon_the_counter_refuses_and_nothing_changes():
    session = (CountAfter() @ TreeCounter(horizon=1, epsilon=1)).start(seed=1)
    session.send(1)
    for _ in range(2):
        with pytest.raises(ap.InvalidArgument, match="horizon"):
            session.send(1)


@ap.mechanism(
    queries=Either((Integers(), Finite((COUNT,)))),
    answers=Either((Integers(), Finite((ap.TOP, ap.HALT)))),
    updates=Integers(),
    initial_state=0,
)
def tired(total, message, coins):
    """A sum that halts when 3 comes, and tells of nothing when it is more than 9."""
    if message == COUNT:
        return total, total if total < 10 else ap.HALT
    return total + message, ap.HALT if message == 3 else ap.TOP


def test_a_halt_goes_left_at_once_in_place_of_a_receipt_or_a_count():
    system = CountAfter() @ tired
    assert system.signature.answers == Either((Integers(), Finite((ap.TOP, ap.HALT))))
    assert [system.start().send(update) for update in (2, 3, 12)] == [2, ap.HALT, ap.HALT]
    after, side, message = CountAfter().step(1, Side.RIGHT, ap.HALT, None)
    assert (after, side, message) == (CountAfter().initial_state, Side.LEFT, ap.HALT)


@pytest.mark.parametrize("right", [Laplace(epsilon=1), ap.ExtConComp(), CountAfter() @ TREE])
def test_on_its_right_stands_a_counter(right):
    with pytest.raises(ap.CompositionError, match="CountAfter asks a counter"):
        CountAfter() @ right


@ap.mechanism(queries=Finite((COUNT, 0)), answers=Integers(), updates=Integers(0, 1))
def half(state, message, coins):
    return state, 0


@ap.mechanism(queries=Finite((COUNT, 0)), answers=Integers(), updates=Finite((COUNT, 0)))
def whole(state, message, coins):
    return state, 0


@pytest.mark.parametrize("right", [half, whole])
def test_updates_are_queries_of_the_counter_and_not_the_count(right):
    with pytest.raises(ap.CompositionError, match="CountAfter asks a counter"):
        CountAfter() @ right


def test_a_population_plays_it_as_a_session_does():
    f = TREE.verification
    game = ap.PrivacyGame(CountAfter() @ TREE, f.updates)
    adversary = ap.scripted([ap.Pair(0, 1), ap.same(1)])
    report = game.audit(adversary, epsilon=1, delta=0, samples=20_000, confidence=0.99, seed=1)
    assert not report.refuted
    assert report.epsilon_lower > 0.3
    view = game.play(adversary, bit=1, seed=3)
    assert len(view.answers) == 2
