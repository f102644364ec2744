"""What the counters' proofs count, counted on the code: how far noise must move to hide a change.

In world 0 a counter takes x with noise J; in world 1 it takes a neighbour x'. There is exactly
one J' that gives the same answers, and the privacy loss is that of J' against J: for
discrete Gaussian noise Σ(J' - J)²/(2σ²) is the ρ that is used, for discrete Laplace
Σ|J' - J|/scale is the ε. Both are computed in Fractions, with the steps that really run.
"""

from collections import Counter
from fractions import Fraction

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trying import examples, over

import antiphon as ap
from antiphon.mechanisms import (
    COUNT,
    BalancedTreeCounter,
    BufferedToeplitzCounter,
    DecayedCounter,
    GaussianTreeCounter,
    SquareRootCounter,
    TreeCounter,
)
from antiphon.protocol.registry import set_derived


class Given(ap.Coins):
    """Noise that is given, draw by draw; what is missing is 0. Keeps how it was asked for."""

    def __init__(self, noise):
        super().__init__()
        self.noise, self.asked = list(noise), []

    def draw(self, kind, parameter):
        self.asked.append(parameter)
        self.draws += 1
        return self.noise[self.draws - 1] if self.draws <= len(self.noise) else 0


def correlated_cost(counter, zero, one, noise):
    """The ρ that hiding ``one`` behind ``zero`` takes, for a counter with correlated noise."""
    states, moved = [counter.initial_state] * 2, Fraction(0)
    for time, (x, y, own) in enumerate(zip(zero, one, noise, strict=True)):
        feedback = [int(counter.feedback(state.memory) // 1.0) for state in states]
        shift = int(counter.divisor(time)) * counter.unit * (x - y) + feedback[1] - feedback[0]
        states = [
            counter.step(state, message, Given([own + move]))[0]
            for state, message, move in zip(states, (x, y), (0, shift), strict=True)
        ]
        assert states[0].released == states[1].released
        moved += Fraction(shift) ** 2
    return moved / (2 * Fraction(counter.resolution) ** 2)


CORRELATED = [
    kind(horizon=horizon, rho=rho, normalised=normalised, **more)
    for kind in (BufferedToeplitzCounter, SquareRootCounter)
    for normalised in (False, True)
    for horizon, rho, more in (
        (1, 0.5, {}),
        (40, 0.5, {}),
        (40, Fraction(1, 1000), {"largest": 7}),
        (40, 3, {"events": 3}),
        (25, 2, {"resolution": 64}),
        (25, 2, {"resolution": 64, "events": 2}),
        (40, 10**6, {"smallest": -5, "largest": 5, "sensitivity": 2}),
    )
]
CORRELATED += [
    BufferedToeplitzCounter(horizon=40, rho=0.5, window=5),
    BufferedToeplitzCounter(horizon=40, rho=3, window=16, events=3),
    DecayedCounter(horizon=40, rho=0.5, decay=0.9),
    DecayedCounter(horizon=40, rho=1, decay=Fraction(1, 3), events=2, largest=5),
]
EVERY_CORRELATED = over("counter", CORRELATED, at_least=25)


def neighbours(draw, counter):
    """Two streams that differ in at most ``events`` updates, by at most the distance."""
    low, high = counter.smallest, counter.largest
    length = counter.horizon
    zero = draw(st.lists(st.integers(low, high), min_size=length, max_size=length))
    one = list(zero)
    places = st.lists(st.integers(0, length - 1), min_size=1, max_size=counter.events, unique=True)
    for place in draw(places):
        near = range(
            max(low, zero[place] - int(counter.distance)),
            min(high, zero[place] + int(counter.distance)) + 1,
        )
        one[place] = draw(st.sampled_from(near))
    return zero, one


@EVERY_CORRELATED
@examples(5)
@given(data=st.data())
def test_correlated_noise_hides_a_change_at_the_cost_that_is_claimed(counter, data):
    zero, one = neighbours(data.draw, counter)
    sigma = counter.resolution
    noise = data.draw(st.lists(st.integers(-8 * sigma, 8 * sigma), min_size=counter.horizon,
                               max_size=counter.horizon))  # fmt: skip
    assert correlated_cost(counter, zero, one, noise) <= counter.rho


@over("counter", [c for c in CORRELATED if not c.normalised], at_least=15)
@examples(4)
@given(data=st.data())
def test_an_age_bounds_what_has_been_spent(counter, data):
    """Up to ``age`` updates after the first that differs, never more than its ρ."""
    zero, one = neighbours(data.draw, counter)
    first = next((t for t, (x, y) in enumerate(zip(zero, one, strict=True)) if x != y), 0)
    age = data.draw(st.integers(0, counter.horizon - 1 - first))
    noise = data.draw(st.lists(st.integers(-8 * counter.resolution, 8 * counter.resolution),
                               min_size=counter.horizon, max_size=counter.horizon))  # fmt: skip
    until = slice(first + age + 1)
    spent = correlated_cost(counter, zero[until], one[until], noise[until])
    assert spent <= counter.rho_by_age(age) <= counter.rho


@over("counter", [c for c in CORRELATED if not c.normalised and c.resolution > 64], at_least=10)
def test_an_age_is_no_more_than_what_can_be_spent(counter):
    """The first updates, moved as far as they may be; a twin that is a row short is exceeded."""
    zero, one, noise = extremes(counter)
    ages = [age for age in (0, 1, 5, 20) if counter.events <= age + 1 <= counter.horizon]
    for age in ages:
        until = slice(age + 1)
        spent = correlated_cost(counter, zero[until], one[until], noise[until])
        least = (Fraction(99, 100) if counter.rho < 100 else 0) * counter.rho_by_age(age)
        assert least < spent <= counter.rho_by_age(age)
        if 0 < age < 6 and counter.rho < 100:
            assert spent > counter.rho_by_age(age - 1)


COARSE = [
    kind(horizon=40, rho=2, resolution=64, normalised=normalised, **more)
    for kind in (BufferedToeplitzCounter, SquareRootCounter)
    for normalised in (False, True)
    for more in ({}, {"dimension": 4, "sensitivity": 1}, {"events": 2})
]


@pytest.mark.parametrize("error", [None, 1])
@pytest.mark.parametrize("counter", [*CORRELATED, *COARSE], ids=repr)
def test_there_is_room_for_the_rounding_of_every_sum(counter, error, monkeypatch):
    """The proof's last line: max_s q_s·unit·distance·‖c‖ + (1 + 2·error)·√(T·dimension) <= R·√(2ρ).

    The error is that of the feedback: far below 1 in doubles, so also tried as if it were 1.
    With the c of the definition: those of (1 - x)^(-1/2), or Σ ω_i θ_i^(k-1). Changes at k times
    cost at most the norm of the sum of k neighbouring columns, or k times one.
    """
    if error is not None:
        monkeypatch.setattr(type(counter), "_feedback_error", lambda self: float(error))
        counter = attrs.evolve(counter)
    length = counter.horizon
    if isinstance(counter, SquareRootCounter):
        c = np.cumprod([1.0, *((2 * k - 1) / (2 * k) for k in range(1, length))])
    else:
        c = np.array([1.0, *(np.dot(counter.weights, np.power(counter.thetas, k))
                             for k in range(length - 1))])  # fmt: skip
    if counter.normalised:
        norms = [counter.events * np.linalg.norm(c[: length - s]) for s in range(length)]
    else:
        columns = [[*[0.0] * j, *c[: length - j]] for j in range(min(counter.events, length))]
        norms = [np.linalg.norm(np.sum(columns, axis=0))] * length
    moved = max(counter.divisor(s) * norm for s, norm in enumerate(norms))
    moved *= counter.unit * float(counter.distance)
    rounding = (1 + 2 * (error or 0)) * (length * (counter.dimension or 1)) ** 0.5
    assert moved + rounding <= counter.resolution * float(2 * counter.rho) ** 0.5


def extremes(counter):
    """The first updates moved as far as they may be, and an ordinary noise."""
    length = counter.horizon
    zero, one = ([end] * length for end in (counter.smallest, counter.smallest))
    for place in range(min(counter.events, length)):
        one[place] += int(counter.distance)
    generator = np.random.default_rng(7)
    noise = np.rint(generator.normal(size=length) * counter.resolution).astype(int).tolist()
    return zero, one, noise


def exhausts(counter):
    """Whether the extremes cost all of ρ."""
    if counter.resolution < 2**32:
        return False  # rounding is a good part of it
    if counter.normalised and counter.events > 1:
        return False  # changes are added up, as if they met
    return counter.rho < 100  # else the limit of the drift hides a part of such a change


@over("counter", [c for c in CORRELATED if exhausts(c)], at_least=14)
def test_the_claim_is_no_larger_than_it_has_to_be(counter):
    """The first updates cost all of ρ: the noise is as small as the claim allows."""
    assert correlated_cost(counter, *extremes(counter)) > Fraction(999, 1000) * counter.rho


def scaled(counter, factor):
    """The same claim with noise smaller by a factor: the q_t are larger."""
    twin = attrs.evolve(counter)
    set_derived(twin, _room=twin._room * factor, _blocks={})
    set_derived(twin, _only=twin.divisor(0))
    return twin


@over("counter", [c for c in CORRELATED if c.horizon == 40 and exhausts(c)], at_least=10)
def test_a_counter_that_forgets_a_factor_is_noticed(counter):
    """σ² for σ, ‖C‖ left out, or columns shrunk while ρ stays: all make q_t too large."""
    for factor in (1.01, 2**0.5, counter._largest_norm()):
        assert correlated_cost(scaled(counter, factor), *extremes(counter)) > counter.rho


@pytest.mark.parametrize("kind", [BufferedToeplitzCounter, SquareRootCounter])
def test_normalised_columns_all_cost_the_same(kind):
    """Each update costs ρ: no column is left with more noise, or less, than it needs."""
    counter = kind(horizon=50, rho=0.5, normalised=True)
    for place in (0, 1, 25, 48, 49):
        one = [0] * 50
        one[place] = 1
        cost = correlated_cost(counter, [0] * 50, one, [0] * 50)
        assert Fraction(999, 1000) * counter.rho < cost <= counter.rho


def test_the_limit_of_the_drift_brings_no_memories_apart():
    """Noise that takes the drift past its limit, in one world or in both."""
    for normalised in (False, True):
        counter = BufferedToeplitzCounter(horizon=30, rho=0.5, normalised=normalised)
        for size in (250, 254, 258, 800):
            noise = [size * counter.resolution, -3] + [5 * counter.resolution] * 28
            states = counter.initial_state
            for place in range(30):
                one = [1] * 30
                one[place] = 0
                assert correlated_cost(counter, [1] * 30, one, noise) <= counter.rho
            for own in noise:
                states, _ = counter.step(states, 0, Given([own]))
            assert (states.drift == np.inf) is (size > 256)
            assert all(abs(buffer) <= counter.farthest for buffer in states.memory)


# --- trees -------------------------------------------------------------------------------------


def tree_cost(counter, one, order):
    """Σ |J' - J|^p over the noisy nodes, J' giving the same answers, if all is asked."""
    zero = [0] * len(one)
    coins = Given([])
    cost, hidden = 0, []
    state = counter.initial_state
    for time in range(len(one)):
        state, _ = counter.step(state, zero[time], coins)
        state, _ = counter.step(state, COUNT, coins)
        end, node = time + 1, state.top
        while node is not None:
            span = (end - node.size, end)
            if span not in hidden:
                hidden.append(span)
                cost += abs(sum(one[slice(*span)])) ** order
            end, node = end - node.size, node.below
    return cost


@given(st.data())
def test_trees_hide_a_change_at_the_cost_that_is_claimed(data):
    events = data.draw(st.integers(1, 4))
    horizon = data.draw(st.integers(1, 20))
    one = [0] * horizon
    for _ in range(events):
        one[data.draw(st.integers(0, horizon - 1))] = data.draw(st.integers(-3, 3))
    limits = {"horizon": horizon, "events": events, "largest": 3}
    laplace = TreeCounter(epsilon=Fraction(1, 3), **limits)
    assert tree_cost(laplace, one, 1) / laplace.scale <= laplace.epsilon
    gaussian = GaussianTreeCounter(rho=Fraction(1, 3), **limits)
    assert tree_cost(gaussian, one, 2) / (2 * gaussian.sigma**2) <= gaussian.rho


@pytest.mark.parametrize("events", [1, 2, 3, 5, 8])
def test_the_worst_change_of_a_tree_costs_all_that_is_claimed(events):
    one = [1] * events + [0] * (32 - events)
    gaussian = GaussianTreeCounter(horizon=32, rho=0.5, events=events)
    used = tree_cost(gaussian, one, 2) / (2 * gaussian.sigma**2)
    assert Fraction(4, 5) * gaussian.rho < used <= gaussian.rho


def nodes_of(time, base):
    """The prefix (0, time] as a sum and difference of intervals of base^h updates: {(a, b): ±1}."""
    found, end = {}, 0
    for height, digit in reversed(list(enumerate(balanced_digits(time, base)))):
        size = base**height
        for place in range(abs(digit)):
            start = end + (place if digit > 0 else -place - 1) * size
            found[start, start + size] = 1 if digit > 0 else -1
        end += digit * size
    return found


def balanced_digits(time, base):
    found = []
    while time:
        digit = (time + base // 2) % base - base // 2
        found.append(digit)
        time = (time - digit) // base
    return found


def decoded(value):
    """A sum of ± different powers of ten: {exponent: ±1}."""
    found, place = {}, 0
    while value:
        digit = (value + 1) % 10 - 1
        assert digit in (-1, 0, 1)
        if digit:
            found[place] = digit
        value, place = (value - digit) // 10, place + 1
    return found


def uses(tables):
    """How many things are used at exactly these times, with these signs."""
    when = {}
    for time, table in enumerate(tables, start=1):
        for thing, sign in table.items():
            when.setdefault(thing, []).append((time, sign))
    return Counter(map(tuple, when.values()))


@pytest.mark.parametrize("arity", [3, 5, 7])
def test_a_balanced_tree_releases_prefixes_of_noisy_nodes(arity):
    """Its noise is that of nodes of which each update lies in at most one a height.

    Noise 1, 10, 100, … shows which draws an answer uses. They are used at the times, and with
    the signs, at which the nodes make up the prefix; so answers are B(Cx + z) with BC = A.
    """
    counter = BalancedTreeCounter(horizon=(arity**3 - 1) // 2, epsilon=1, arity=arity)
    coins, state, drawn, wanted = Given(10**i for i in range(999)), counter.initial_state, [], []
    for time in range(1, counter.horizon + 1):
        state, _ = counter.step(state, 0, coins)
        drawn.append(decoded(counter.step(state, COUNT, coins)[1]))
        wanted.append(nodes_of(time, arity))
        covered = Counter()
        for node, sign in wanted[-1].items():
            covered.update(dict.fromkeys(range(*node), sign))
        assert {update for update, n in covered.items() if n} == set(range(time))
        assert set(covered.values()) <= {0, 1}
    assert uses(drawn) == uses(wanted)
    every = {node for table in wanted for node in table}
    inside = Counter(update for node in every for update in range(*node))
    assert max(inside.values()) <= counter.levels
    assert set(coins.asked) == {counter.scale} == {Fraction(counter.levels)}
