"""Columns compute what Python computes for each replica, or leave it to Python."""

import math
import operator
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trying import over

import antiphon as ap
from antiphon.populations.column_coins import LIMIT, ColumnCoins
from antiphon.populations.columns import Apart, Column, Lanes
from antiphon.populations.each_replica import to_scalar
from antiphon.populations.play import Population, play_population, play_sample
from antiphon.populations.sample import NUMBER, Placeholder
from antiphon.protocol.coins.column_safety import is_column_safe
from antiphon.protocol.messages import identical
from antiphon.protocol.registry import column_safe
from antiphon.protocol.spaces import Anything, Signature

OPERATIONS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv,
              operator.mod, operator.pow, operator.lt, operator.le, operator.gt, operator.ge,
              operator.eq, operator.ne]  # fmt: skip
doubles = st.floats(-1e6, 1e6) | st.sampled_from([0.0, -0.0, 0.5, 1e308, -1e308, 5e-324])
ints = st.integers(-9, 9) | st.integers(-(2**70), 2**70) | st.sampled_from([2**53, 2**53 + 1])
plains = doubles | ints | st.booleans() | st.fractions(-9, 9, max_denominator=9)


def coins_of(size):
    coins = ColumnCoins(0)
    coins.lanes = Lanes(size, np.arange(size))
    return coins


def result(run):
    try:
        value = run()
    except (ArithmeticError, TypeError) as error:
        return type(error)
    return value


def same(one, other):
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    return identical(one, other)


def alone(run):
    """The same computation, one replica at a time if NumPy may not do it for all."""
    return lambda: to_scalar(value) if isinstance(value := run(), Column) else value


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=4)
    | st.lists(st.integers(-(2**60), 2**60), min_size=1, max_size=4)
    | st.lists(st.booleans(), min_size=1, max_size=4),
    plains,
    st.sampled_from(OPERATIONS),
    st.booleans(),
)
def test_an_operation_gives_every_replica_what_python_gives(values, other, operation, swapped):
    def compute(one):
        return operation(other, one) if swapped else operation(one, other)

    expected = [result(lambda v=v: compute(v)) for v in values]
    coins = coins_of(len(values))
    column = Column(np.asarray(values), coins)
    try:
        found = result(lambda: compute(column))
        together = found.now().tolist() if isinstance(found, Column) else [found]
    except Apart:
        together = []
        for place in range(len(values)):
            coins.lanes = Lanes(1, np.array([place]), len(values))
            together.append(result(alone(lambda: compute(column))))
    if expected != [TypeError] * len(values):
        assert len(together) == len(values)
        assert all(map(same, expected, together)), (expected, together)


@given(st.lists(st.integers(-(2**62), 2**62), min_size=2, max_size=3), st.data())
def test_two_columns_of_ints_never_overflow(values, data):
    others = data.draw(st.lists(st.integers(-(2**62), 2**62), min_size=len(values),
                                max_size=len(values)))  # fmt: skip
    coins = coins_of(len(values))
    for operation in (operator.add, operator.sub, operator.mul):
        try:
            found = operation(Column(np.asarray(values), coins), Column(np.asarray(others), coins))
        except Apart:
            continue
        assert found.now().tolist() == [
            operation(a, b) for a, b in zip(values, others, strict=True)
        ]


def test_what_needs_a_number_takes_replicas_apart_and_then_gets_it():
    coins = coins_of(2)
    column = Column(np.array([2.5, 3.5]), coins)
    for needs in (float, int, hash, math.floor, math.exp, lambda c: {c: 1}, lambda c: round(c, 1)):
        coins.lanes = Lanes(2, np.arange(2))
        column = Column(np.array([2.5, 3.5]), coins)
        with pytest.raises(Apart):
            needs(column)
        coins.lanes = coins.lanes.only(np.array([1]))
        assert needs(column) == needs(3.5)
    assert not issubclass(Apart, Exception)  # nothing that catches errors catches it


def test_numpy_functions_and_rounding_work_on_all_at_once():
    coins = coins_of(3)
    column = Column(np.array([0.5, 1.5, -2.5]), coins)
    assert np.exp(column).now().tolist() == np.exp([0.5, 1.5, -2.5]).tolist()
    assert round(column).now().tolist() == [round(x) for x in (0.5, 1.5, -2.5)]
    assert abs(column).now().tolist() == [0.5, 1.5, 2.5]
    assert (~(column > 1) & (column > 0)).now().tolist() == [True, False, False]
    assert (~(column > 1)).now().tolist() == [~1 if x > 1 else ~0 for x in column.now().tolist()]
    with pytest.raises(TypeError):
        column & 1.5


def test_sameness_and_spaces_see_through_a_column():
    coins = coins_of(2)
    column = Column(np.array([0.5, -0.0]), coins)
    assert identical(column, column)
    assert ap.spaces.Reals(-1.0, 1.0).contains(column)
    assert not ap.spaces.Integers().contains(column)
    assert not ap.spaces.Reals(2.0, 3.0).contains(column)
    assert ap.spaces.Multiples(0.5).contains(column)
    assert not identical(column, 0) or coins.waiting
    assert to_scalar(ap.Ask((1, "a"), 0)) == ap.Ask((1, "a"), 0)
    assert "0.5" not in repr(column)  # law 8


def test_the_truth_of_a_column_splits_a_block():
    @ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.Anything(), initial_state=0)
    @column_safe
    def sign(state, message, coins):
        noise = coins.gaussian(1)
        if noise > 0:
            return state, "large" if noise > 1 else "small"
        return state, "negative"

    population = Population(ap.scripted([0, 0]), sign, None, ColumnCoins(1))
    ended = [(lanes.size, tuple(block.answers)) for lanes, block in population.play(10_000)]
    assert len({answers for _, answers in ended}) == len(ended) == 9
    assert sum(size for size, _ in ended) == 10_000
    assert population.blocks < 60


@column_safe
def first(answers):
    return answers[0]


@ap.mechanism(queries=ap.spaces.Reals(), answers=ap.spaces.Reals())
def unsafe(state, message, coins):
    return state, float(math.floor(message + coins.laplace(1)))


@ap.mechanism(queries=ap.spaces.Reals(), answers=ap.spaces.Reals())
@column_safe
def safe(state, message, coins):
    return state, message + coins.laplace(1)


@ap.adversary
def follower(answers, coins):
    assert all(type(answer) is float for answer in answers)
    return ap.HALT if len(answers) == 3 else answers[-1] / 2 if answers else 0.0


@pytest.mark.every(2)
@pytest.mark.parametrize("mechanism", [safe, unsafe], ids=["safe", "unsafe"])
@pytest.mark.parametrize("safely", [True, False])
def test_what_knows_nothing_of_columns_is_taken_apart(mechanism, safely):
    @ap.adversary
    def adversary(answers, coins):
        return ap.HALT if len(answers) == 3 else answers[-1] / 2 if answers else 0.0

    if safely:
        column_safe(adversary.function)
    chain = ap.Verifier(ap.verifiers.event_level()) @ ap.Identifier(1) @ mechanism

    @ap.adversary
    def pairs(answers, coins):
        message = adversary.function(answers, coins)
        return message if message is ap.HALT else ap.same(message)

    column_safe(pairs.function) if safely else None
    for player, system in ((adversary, mechanism), (pairs, chain), (follower, mechanism)):
        sample = play_sample(player, system, replicas=300, seed=3)
        assert sample.replicas == 300
        (cell,) = sample.cells.values()
        assert cell.columns.shape == (300, 3)
        assert len(np.unique(cell.columns[:, 0])) > (5 if mechanism is unsafe else 299)


def test_a_class_with_its_own_step_does_not_inherit_anothers_reading():
    class Quiet(ap.mechanisms.Laplace):
        def respond(self, dataset, coins):
            return -1.0

    class Deaf(ap.mechanisms.LeakyBit):
        def step(self, state, message, coins):
            return state, 1

    class Same(ap.mechanisms.Laplace):
        pass

    assert play_population(ap.scripted([0.0]), Quiet(epsilon=1), replicas=10, feature=first_bit,
                           seed=0) == {True: 10}  # fmt: skip
    assert play_population(ap.scripted([0]), Deaf(delta=0), replicas=10, seed=0) == {(1,): 10}
    assert is_column_safe(Same(epsilon=1))
    assert not is_column_safe(Quiet(epsilon=1))
    assert not is_column_safe(Deaf(delta=0))


@column_safe
def first_bit(answers):
    return answers[0] < 0


@over(
    "of",
    [
        lambda x: +x,
        lambda x: divmod(x, 3)[1],
        lambda x: divmod(100, x)[0],
        lambda x: x << 2,
        lambda x: x >> 1,
        lambda x: x & (2**64 - 1),
        lambda x: 2**70 | x,
        lambda x: math.trunc(x),
        lambda x: ~x,
    ],
)
def test_what_ints_can_do_columns_can_too(of):
    coins = coins_of(3)
    values = [-7, 5, 1]
    column = Column(np.array(values), coins)
    lanes = coins.lanes
    for place, value in enumerate(values):
        coins.lanes = lanes.only(np.array([place]))
        assert to_scalar(of(column)) == of(value)
        assert type(to_scalar(of(column))) is type(of(value))
    coins.lanes = lanes
    with suppress(Apart):
        assert of(column).now().tolist() == [of(value) for value in values]


def test_text_is_of_one_replica():
    """A text of a column would be the same for all, whatever they are."""

    @column_safe
    def text(answers):
        return f"{answers[0]:+.0f}"[0]

    counts = play_population(ap.scripted([0.0]), safe, replicas=100, seed=1, feature=text)
    assert counts.keys() == {"+", "-"}


def test_a_feature_may_split_count_or_keep():
    play = {"replicas": 1000, "seed": 4}
    adversary = ap.scripted([0.0])
    counts = play_population(adversary, safe, feature=first_bit, **play)
    assert set(counts) == {True, False}
    assert sum(counts.values()) == 1000
    rounded = play_population(adversary, safe, feature=lambda a: round(a[0]), **play)
    assert sum(rounded.values()) == 1000
    with pytest.raises(ap.InvalidArgument, match="play_sample"):
        play_population(adversary, safe, feature=first, **play)
    sample = play_sample(adversary, safe, feature=lambda a: (a[0] > 0, a[0]), **play)
    assert {key[0] for key in sample.cells} == {Placeholder.TRUE, Placeholder.FALSE}


@pytest.mark.parametrize("answer", [lambda x: ap.Pair(x, 1), lambda x: np.array([x, x])])
def test_columns_inside_of_answers(answer):
    @ap.mechanism(queries=Anything(), answers=Anything())
    @column_safe
    def wrapped(state, query, coins):
        return state, answer(coins.laplace(1.0))

    sample = play_sample(ap.scripted([0]), wrapped, replicas=50, seed=1)
    assert sample.replicas == 50
    history = column_safe(lambda answers: answers)
    assert play_sample(ap.scripted([0.0]), safe, replicas=50, seed=1, feature=history).counts == {
        (NUMBER,): 50
    }


def test_whether_it_is_over_may_take_replicas_apart():
    """A mechanism whose HALT is final for half of its states: none of 100 replicas is lost."""

    @ap.column_safe
    class Odd(ap.ContinualMechanism[Any, Any, Any]):
        signature = Signature(queries=Anything(), answers=Anything())
        initial_state = 0

        def step(self, state, message, coins):
            return coins.discrete_laplace(1000), ap.HALT

        def is_over(self, state):
            return {0: True, 1: False}[hash(state) % 2]

    sizes = play_population(ap.scripted([0, 0]), Odd(), replicas=100, seed=1, feature=len)
    assert sizes.keys() == {1, 2}
    assert sum(sizes.values()) == 100


def test_a_block_with_columns_is_bounded_whatever_the_population():
    population = Population(ap.scripted([0.0, 0.0]), safe, None, ColumnCoins(1))
    sizes = [lanes.size for lanes, _ in population.play(5 * LIMIT + 7)]
    assert sizes == [LIMIT] * 5 + [7]


def test_an_adversary_that_never_halts_is_named(monkeypatch):
    monkeypatch.setattr("antiphon.populations.play.MOST_ROUNDS", 100)
    forever = ap.adversary(lambda answers, coins: 0)
    quiet = ap.mechanisms.LeakyBit(delta=0)
    with pytest.raises(ap.InvalidArgument, match="rounds"):
        play_population(forever, quiet, replicas=2, seed=0)
    assert play_population(forever, quiet, replicas=2, rounds=3, seed=0) == {(ap.TOP,) * 3: 2}


def test_wide_draws_that_doubles_cannot_make_are_left_to_the_exact_sampler():
    @ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.Integers(), initial_state=0)
    @column_safe
    def huge(state, message, coins):
        return state, coins.uniform_integer(2**80) + coins.discrete_laplace(2**50)

    counts = play_population(ap.scripted([0]), huge, replicas=20, seed=1)
    assert len(counts) == 20
    assert max(answer for (answer,) in counts) > 2**70


@pytest.mark.parametrize("bound", [10**400, -(10**400), 2**63, -(2**63) - 1, 2**70 + 1])
def test_bounds_that_no_int_of_a_column_reaches_take_nothing_apart(bound):
    @ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.Anything(), initial_state=0)
    @column_safe
    def compared(state, message, coins):
        x = coins.discrete_laplace(3)
        return state, (x < bound, x <= bound, x > bound, x >= bound, x == bound, x != bound)

    up = bound > 0
    counts = play_population(ap.scripted([0]), compared, replicas=50, seed=1)
    assert counts == {((up, up, not up, not up, False, True),): 50}
    blocks = Population(ap.scripted([0]), compared, None, ColumnCoins(1)).play(50)
    assert sum(1 for _ in blocks) == 1


def test_ints_are_round():
    @ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.Anything(), initial_state=0)
    @column_safe
    def rounded(state, message, coins):
        x = coins.discrete_laplace(3)
        return state, round(x) == x

    counts = play_population(ap.scripted([0]), rounded, replicas=50, seed=1)
    assert counts == {(True,): 50}
    blocks = Population(ap.scripted([0]), rounded, None, ColumnCoins(1)).play(50)
    assert sum(1 for _ in blocks) == 1


def test_many_draws_at_once_are_a_tuple_of_columns():
    @ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.Anything(), initial_state=0)
    @column_safe
    def best(state, message, coins):
        one, other = coins.discrete_laplaces(3, 2)
        return state, one >= other

    seen = play_population(ap.scripted([0]), best, replicas=50_000, seed=1)
    truth = sum(n for (answer,), n in seen.items() if answer) / 50_000
    # P(X >= Y) = (1 + P(X = Y))/2 and P(X = Y) = tanh²(1/6)·coth(1/3)
    equal = math.tanh(1 / 6) ** 2 / math.tanh(1 / 3)
    assert abs(truth - (1 + equal) / 2) < 0.014  # 6 standard errors


def test_many_draws_of_a_mechanism_that_knows_no_columns_are_plain():
    @ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.Anything(), initial_state=0)
    def plainly(state, message, coins):
        drawn = coins.discrete_laplaces(2**45 if message else 3, 4)
        return state, all(type(each) is int for each in drawn) and type(drawn) is tuple

    assert play_population(ap.scripted([0, 1]), plainly, replicas=7) == {(True, True): 7}


def test_probabilities_and_weights_may_differ_from_replica_to_replica():
    @ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.Anything(), initial_state=0)
    @column_safe
    def wobbly(state, message, coins):
        p = abs(coins.gaussian(1))
        p = min(p, 1.0)
        return state, (coins.bernoulli(p), coins.categorical((p, 1.0 - p + 0.5)))

    counts = play_population(ap.scripted([0]), wobbly, replicas=50_000, seed=1)
    truth = sum(n for ((bit, _),), n in counts.items() if bit) / 50_000
    # E min(|Z|, 1) = 2(φ(0) - φ(1)) + 2(1 - Φ(1)) = 0.6312; 6 standard errors are 0.013
    assert abs(truth - 0.6312) < 0.013
    first = sum(n for ((_, place),), n in counts.items() if place == 0) / 50_000
    assert abs(first - 0.6312 / 1.5) < 0.0133
    assert len(counts) == 4


def test_how_many_outcomes_a_uniform_draw_has_may_differ_from_replica_to_replica():
    @ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.Anything(), initial_state=0)
    @column_safe
    def nested(state, message, coins):
        wide = coins.uniform_integer(1000)
        return state, coins.uniform_integer(1 + wide % 2)

    counts = play_population(ap.scripted([0]), nested, replicas=4000, seed=1)
    # 1 has probability 1/4; 6 standard errors are 165
    assert counts.keys() == {(0,), (1,)}
    assert abs(counts[(1,)] - 1000) < 165
