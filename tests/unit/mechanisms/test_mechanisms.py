"""What each mechanism of the library does, beyond what conformance asks of all."""

import sys
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trying import over

import antiphon as ap
from antiphon import Side
from antiphon.mechanisms import COUNT, Laplace, LeakyBit, RandomizedResponse, RoundToGrid
from antiphon.mechanisms import TreeCounter as Tree
from antiphon.protocol import Draw, RecordedCoins, ReplayedCoins, SampledCoins


class Zero(ap.Coins):
    """Noise of 0, but draws are counted."""

    def draw(self, kind, parameter):
        self.draws += 1
        assert kind == "discrete_laplace"
        self.parameter = parameter
        return 0


def nodes(state):
    node, out = state.top, []
    while node is not None:
        out.append(node)
        node = node.below
    return out


@given(st.lists(st.integers(0, 3) | st.just(COUNT), max_size=60))
def test_without_noise_the_counter_counts(script):
    counter, total, coins = Tree(horizon=64, epsilon=1, largest=3), 0, Zero()
    state = counter.initial_state
    for message in script:
        state, answer = counter.step(state, message, coins)
        if message == COUNT:
            assert answer == total
        else:
            assert answer is ap.TOP
            total += message


@given(st.integers(0, 600))
def test_the_state_is_the_binary_form_of_the_time(t):
    counter = Tree(horizon=1000, epsilon=1)
    state = counter.initial_state
    for _ in range(t):
        state, _ = counter.step(state, 1, None)
    sizes = [node.size for node in nodes(state)]
    assert sizes == [1 << i for i in range(10) if t >> i & 1]
    assert [node.total for node in nodes(state)] == sizes
    assert state.updates == t


@given(st.lists(st.integers(0, 1) | st.just(COUNT), max_size=80), st.integers(0, 99))
def test_every_node_gets_its_noise_once(script, seed):
    """A reference that keeps all nodes and all noise ever drawn."""
    counter, tape = Tree(horizon=100, epsilon=1), RecordedCoins(SampledCoins(seed=seed))
    state, updates, noise = counter.initial_state, [], {}
    for message in script:
        state, answer = counter.step(state, message, tape)
        drawn = [draw.value for draw in tape.take()]
        if message != COUNT:
            updates.append(message)
            assert drawn == []
            continue
        end, cover = 0, []
        for i in reversed(range(8)):
            if len(updates) >> i & 1:
                cover.append((end, end + (1 << i)))
                end += 1 << i
        for node in cover:
            if node not in noise:
                noise[node] = drawn.pop(0)
        assert drawn == []
        assert answer == sum(updates) + sum(noise[node] for node in cover)


def test_the_scale_is_levels_times_largest_over_epsilon():
    for horizon, levels in ((1, 1), (2, 2), (3, 2), (4, 3), (7, 3), (8, 4), (1023, 10), (1024, 11)):
        counter, coins = Tree(horizon=horizon, epsilon=Fraction(1, 3), largest=5), Zero()
        state, _ = counter.step(counter.initial_state, 1, coins)
        counter.step(state, COUNT, coins)
        assert counter.levels == levels
        assert coins.parameter == 15 * levels


@over("horizon", [1, 2, 3, 7, 8, 20])
def test_an_update_lies_in_at_most_levels_nodes_whatever_is_asked(horizon):
    """What the privacy proof counts: the noisy nodes that hold one update, over a whole run."""
    counter, seen = Tree(horizon=horizon, epsilon=1), {}
    state = counter.initial_state
    for t in range(horizon):
        state, _ = counter.step(state, 1, Zero())
        state, _ = counter.step(state, COUNT, Zero())
        end = t + 1
        for node in nodes(state):
            for update in range(end - node.size, end):
                seen.setdefault(update, set()).add((end - node.size, end))
            end -= node.size
    assert max(map(len, seen.values())) <= counter.levels


def test_the_horizon_is_a_refusal_and_counting_goes_on():
    counter = Tree(horizon=2, epsilon=10**6).start(seed=0)
    assert [counter.send(1), counter.send(1)] == [ap.TOP, ap.TOP]
    with pytest.raises(ap.InvalidArgument, match="horizon"):
        counter.send(1)
    assert counter.send(COUNT) == 2
    assert not counter.over


@over("wrong", [0, -1, 1.0, True, "8", None])
def test_horizons_are_checked(wrong):
    with pytest.raises(ap.InvalidArgument):
        Tree(horizon=wrong, epsilon=1)


# --- the others --------------------------------------------------------------------------------


def test_the_leaky_bit_breaks_once_and_then_echoes():
    m = LeakyBit(delta=0.5)
    tape = ReplayedCoins([Draw("bernoulli", Fraction(1, 2), value) for value in (False, True)])
    session = m.start(coins=tape)
    assert [session.send(b) for b in (0, 1, 1, 0)] == [ap.TOP, ap.BOTTOM, 1, 0]


def test_randomized_response_tells_the_truth_as_its_coins_say():
    rr = RandomizedResponse(epsilon=ap.Log(3), delta=Fraction(1, 4))
    for top, true in ((True, None), (False, True), (False, False)):
        draws = [Draw("bernoulli", Fraction(1, 4), top)]
        if true is not None:
            draws.append(Draw("bernoulli", Fraction(3, 4), true))
        for bit in (0, 1):
            answer = rr.start(coins=ReplayedCoins(draws)).send(bit)
            told = bit if true is not False else 1 - bit
            assert answer == (told, ap.TOP if top else ap.BOTTOM)


def test_laplace_adds_its_noise():
    m = Laplace(epsilon=2, sensitivity=3)
    session = m.start(coins=ReplayedCoins([Draw("laplace", 1.5, -0.25)]))
    assert session.send(10.0) == 9.75


@pytest.mark.parametrize("extreme", [sys.float_info.max, -sys.float_info.max])
@given(noise=st.floats(allow_nan=False))
def test_laplace_answers_stay_finite(extreme, noise):
    m = Laplace(epsilon=1)
    answer = m.start(coins=ReplayedCoins([Draw("laplace", 1.0, noise)])).send(extreme)
    assert m.signature.answers.contains(answer)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10**400), 10**400])
def test_laplace_refuses_a_scale_that_no_double_holds(epsilon):
    with pytest.raises(ap.InvalidArgument):
        Laplace(epsilon=epsilon)


def test_rounding():
    grid = RoundToGrid(0.5)
    answers = [0.2, 0.3, -0.3, 7.0, "text", 3, ap.HALT, (0.3,), True]
    rounded = [grid.step(None, Side.RIGHT, answer, None)[2] for answer in answers]
    assert rounded == [0.0, 0.5, -0.5, 7.0, "text", 3, ap.HALT, (0.3,), True]
    assert [type(value) for value in rounded] == [type(value) for value in answers]
    assert RoundToGrid(Fraction(1, 2)) == grid
    huge = RoundToGrid(1e308).step(None, Side.RIGHT, sys.float_info.max, None)[2]
    assert huge == 1e308


def test_rounding_passes_questions_on_and_halts():
    session = (RoundToGrid() @ Laplace(epsilon=1)).start(seed=0)
    answer = session.send(5.0)
    assert answer == int(answer)
    assert session.send(5.0) is ap.HALT
    assert session.over
