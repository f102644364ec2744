"""``for_each`` makes of columns what its function makes of each replica, or takes apart."""

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest

import antiphon as ap
from antiphon.audit.check.steps.columns import disagreement
from antiphon.populations.arithmetic import Lanes
from antiphon.populations.array_columns import ArrayColumn
from antiphon.populations.column_coins import ColumnCoins
from antiphon.populations.columns import Apart, Column
from antiphon.populations.each_replica import Opaque, for_all, for_each, to_scalar
from antiphon.populations.play import Population, play_population, play_sample
from antiphon.protocol.registry import column_safe

INTS = np.array([3, -1, 4])
ROWS = np.array([[1.5, 2], [-3, 0.1], [2, 2]], order="F")


@pytest.fixture
def coins():
    coins = ColumnCoins(0)
    coins.lanes = Lanes(3, np.arange(3))
    return coins


FUNCTIONS = {
    "a float": (lambda x, row: math.exp(x) + float(row[0]), Column),
    "an int": (lambda x, row: int(row[1]) - x, Column),
    "a truth": (lambda x, row: bool(row[0] > x), Column),
    "an array": (lambda x, row: np.cumsum(row) * x, ArrayColumn),
    "a table": (lambda x, row: np.array([row, row + x]), ArrayColumn),
    "a number of NumPy's": (lambda x, row: row @ row + x, ArrayColumn),
    "a Fraction": (lambda x, row: Fraction(x, 7) + Fraction(row[0]), Opaque),
    "a tuple": (lambda x, row: (x, float(row[1])), Opaque),
    "arrays of several shapes": (lambda x, row: np.arange(x + 2), Opaque),
    "an array of small numbers": (lambda x, row: row.astype(np.float32), Opaque),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_replica_has_what_it_would_have_alone(name, coins):
    function, kind = FUNCTIONS[name]
    whole = coins.lanes
    numbers, rows = Column(INTS, coins), ArrayColumn(ROWS, coins)
    found = for_each(function, numbers, rows)
    assert type(found) is kind
    for place in range(3):
        coins.lanes = whole.only(np.array([place]))
        alone = function(int(INTS[place]), ROWS[place].copy())
        for made in (to_scalar(found), for_each(function, numbers, rows)):
            assert type(made) is type(alone)
            assert np.asarray(made).dtype == np.asarray(alone).dtype
            assert np.array_equal(made, alone)


def test_rows_lie_in_memory_as_those_of_one_replica_do_and_nobody_writes_into_them(coins):
    rows = ArrayColumn(ROWS, coins)
    assert bool(for_each(lambda row: row.flags.c_contiguous, rows))
    assert not bool(for_each(lambda row: row.flags.writeable, rows))
    assert ROWS.flags.writeable


def test_all_rows_at_once_and_one_that_all_share(coins):
    rows = ArrayColumn(ROWS, coins)
    found = for_all(lambda table: table[..., ::-1] + 1, rows)
    assert type(found) is ArrayColumn
    assert np.array_equal(found.now(), ROWS[:, ::-1] + 1)
    coins.lanes = coins.lanes.only(np.array([2, 0]))
    assert np.array_equal(for_all(np.negative, rows).now(), -ROWS[[2, 0]])
    assert np.array_equal(for_all(np.negative, ROWS[0]), -ROWS[0])


def test_a_tuple_may_hold_columns_and_what_is_shared_is_shared(coins):
    numbers = Column(INTS, coins)
    found = for_each(
        lambda pair, more: math.trunc(pair[0]) * pair[1][0] + more, (numbers, (10,)), 1
    )
    assert found.now().tolist() == [31, -9, 41]
    assert for_each(lambda pair, more: pair[0] + more, (1, 2), 3) == 4


@pytest.mark.parametrize(
    "function",
    [lambda x: math.sqrt(x), lambda x: x if x > 0 else 0.5, lambda x: x << 62, lambda x: 1 // 0],
    ids=["raises for one", "of two types", "past 64 bits", "raises for all"],
)
def test_else_replicas_are_taken_apart(function, coins):
    with pytest.raises(Apart):
        for_each(function, Column(INTS, coins))


def test_an_opaque_value_is_that_of_a_single_replica_or_of_none(coins):
    whole = coins.lanes
    opaque = for_each(Fraction, Column(INTS, coins))
    assert opaque.now() == [3, -1, 4]
    for use in (bool, hash, lambda x: x == 3, lambda x: x.numerator, to_scalar):
        with pytest.raises(Apart):
            use(opaque)
    with pytest.raises(TypeError):
        pickle.dumps(opaque)
    assert "3" not in repr(opaque).replace("3 values", "")
    coins.lanes = whole.only(np.array([2, 0]))
    assert opaque.now() == [4, 3]
    coins.lanes = whole.only(np.array([1]))
    assert (bool(opaque), opaque.numerator, hash(opaque), to_scalar((opaque,))) == (
        True,
        -1,
        -2,
        (-1,),
    )


def lazily(kind):
    """Holds a noisy number with a probability that depends on it, and else draws anew."""

    @ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.Anything(), initial_state=None)
    @column_safe
    def mechanism(state, bit, coins):
        state = coins.discrete_laplace(5) if state is None else state
        if not coins.bernoulli_exp(for_each(lambda held: kind(Fraction(abs(held), 9)), state)):
            state = coins.discrete_laplace(5)
        return state, for_each(lambda held: math.sin(held), state + bit)

    return mechanism


@pytest.mark.parametrize("kind", [Fraction, float])
def test_a_step_with_it_answers_as_it_does_alone_and_its_block_stays_whole(kind):
    system = lazily(kind)
    for seed in range(5):
        assert disagreement(system, None, (0, 1, 1, 0), np.random.SeedSequence(seed)) is None
    population = Population(ap.scripted([0, 1]), system, None, ColumnCoins(1))
    assert sum(1 for _ in population.play(10_000)) == 4


@pytest.mark.parametrize("kind", [Fraction, float])
def test_each_replica_tosses_with_its_own_exponent(kind):
    """Of a half it is 0, which is always heads, and of the others 1000, which never is."""

    @ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.Anything())
    @column_safe
    def mechanism(state, bit, coins):
        even = coins.uniform_integer(1000) % 2
        heads = coins.bernoulli_exp(for_each(lambda each: kind(1000 * each), even))
        return state, 2 * even + heads

    found = play_sample(ap.scripted([0]), mechanism, replicas=1000, seed=1)
    assert {each for cell in found.cells.values() for each in cell.columns.flat} == {1, 2}


def test_an_exponent_below_0_is_refused_whatever_the_others_have():
    @ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.Anything())
    @column_safe
    def mechanism(state, bit, coins):
        return state, coins.bernoulli_exp(for_each(Fraction, coins.discrete_laplace(5)))

    with pytest.raises(ap.InvalidArgument, match="exponent"):
        play_population(ap.scripted([0]), mechanism, replicas=1000, seed=1)
