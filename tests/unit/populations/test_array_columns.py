"""Columns of arrays compute what NumPy computes of each replica's array, or leave it to that."""

import operator
from fractions import Fraction

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trying import over

import antiphon as ap
from antiphon import Verification
from antiphon.audit.check.steps.columns import disagreement
from antiphon.mechanisms import (
    BalancedTreeCounter,
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    GaussianTreeCounter,
    PermuteAndFlip,
    RefinedTreeCounter,
    ReportNoisyMax,
    TreeCounter,
)
from antiphon.mechanisms.noise.selection import Selection
from antiphon.populations.arithmetic import Lanes
from antiphon.populations.array_columns import ArrayColumn, float64s, int64s
from antiphon.populations.column_coins import LIMIT, NUMBERS, ColumnCoins
from antiphon.populations.columns import Apart, Column
from antiphon.populations.each_replica import to_scalar
from antiphon.populations.play import Population, play_population, play_sample
from antiphon.populations.sample import NUMBER
from antiphon.protocol.messages import identical
from antiphon.protocol.spaces import Anything, Arrays, Either, Finite, Integers
from antiphon.protocol.verification import PartError, read

OPERATIONS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv,
              operator.mod, operator.pow, operator.lt, operator.le, operator.gt, operator.ge,
              operator.eq, operator.ne, operator.and_, operator.or_, operator.matmul,
              np.minimum, np.maximum, np.hypot, np.logical_and]  # fmt: skip
ENTRIES = {
    "<i8": st.integers(-9, 9) | st.integers(-(2**63), 2**63 - 1),
    "<f8": st.floats(-1e6, 1e6) | st.sampled_from([0.0, -0.0, 1e308, -1e308, 5e-324]),
    "|b1": st.booleans(),
}


@st.composite
def tables(draw, replicas=None, width=None):
    """An array for each replica, one behind the other, in either order of memory."""
    kind = draw(st.sampled_from(sorted(ENTRIES)))
    shape = (replicas or draw(st.integers(1, 4)), width or draw(st.integers(1, 9)))
    size = shape[0] * shape[1]
    values = draw(st.lists(ENTRIES[kind], min_size=size, max_size=size))
    return np.array(values, kind).reshape(shape, order=draw(st.sampled_from("CF")))


def coins_of(size):
    coins = ColumnCoins(0)
    coins.lanes = Lanes(size, np.arange(size))
    return coins


def result(run):
    with np.errstate(all="ignore"):
        try:
            return run()
        except (ArithmeticError, TypeError, ValueError, IndexError) as error:
            return type(error)


def same(one, other):
    if one is other:
        return True
    if not isinstance(one, np.ndarray | np.generic | float):
        return identical(one, other)
    nans = np.isnan(one) if np.asarray(one).dtype.kind == "f" else np.zeros_like(one, bool)
    one, other = np.where(nans, 0, one), np.where(nans, 0, other)
    return type(one) is type(other) and identical(one, other)


def together_and_alone(replicas, compute):
    """What is made of the rows for all replicas, or for each, and whether it was for all."""
    coins = coins_of(replicas)
    lanes = coins.lanes
    try:
        found, whole = result(lambda: compute(coins)), True
    except Apart:
        whole = False
    made = []
    for place in range(replicas):
        coins.lanes = lanes
        if not whole:
            coins.lanes = lanes.only(np.array([place]))
            found = result(lambda: compute(ofs(coins, lanes)))
        coins.lanes = lanes.only(np.array([place]))
        made.append(
            to_scalar(found) if not isinstance(found, list) else list(map(to_scalar, found))
        )
    return made, whole


def ofs(coins, lanes):
    """Coins that make rows of all replicas, while one of them is stepped."""
    coins.born = lanes
    return coins


def stand_in(kind, values, coins):
    """A column of arrays or of numbers of all replicas, whichever are being stepped."""
    own, coins.lanes = coins.lanes, getattr(coins, "born", coins.lanes)
    made = kind(values, coins)
    coins.lanes = own
    return made


@given(tables(), st.data(), st.sampled_from(OPERATIONS), st.booleans())
def test_an_operation_gives_every_replica_what_numpy_gives(values, data, operation, swapped):
    count, width = values.shape
    others = {
        "number": ENTRIES["<i8"] | ENTRIES["<f8"] | st.booleans() | st.just(2**70)
        | st.fractions(-9, 9) | st.just(np.float64(0.5)) | st.just(np.int64(3)),
        "array": tables(replicas=1, width=width).map(lambda table: table[0]),
        "column": tables(replicas=count, width=1).map(lambda table: table[:, 0]),
        "rows": tables(replicas=count, width=width) | tables(replicas=count, width=1),
    }  # fmt: skip
    kind = data.draw(st.sampled_from(sorted(others)))
    other = data.draw(others[kind])

    def compute(coins):
        one = stand_in(ArrayColumn, values, coins)
        two = other
        if kind in ("column", "rows"):
            two = stand_in(Column if kind == "column" else ArrayColumn, other, coins)
        return operation(two, one) if swapped else operation(one, two)

    def expected(place):
        one, two = values[place].copy(), other
        if kind in ("column", "rows"):
            two = other[place].item() if kind == "column" else other[place].copy()
        return operation(two, one) if swapped else operation(one, two)

    made, _ = together_and_alone(count, compute)
    for place in range(count):
        wanted = result(lambda place=place: expected(place))
        assert same(wanted, made[place]), (wanted, made[place])


ASKED = {
    "sum": lambda x: x.sum(),
    "np.sum": np.sum,
    "max": lambda x: x.max(),
    "min": np.min,
    "argmax": lambda x: x.argmax(),
    "argmin": np.argmin,
    "any": np.any,
    "all": lambda x: x.all(),
    "sum.item": lambda x: x.sum().item(),
    "first": lambda x: x[0],
    "last": lambda x: x[-1],
    "past the end": lambda x: x[9],
    "slice": lambda x: x[1:3],
    "slice.sum": lambda x: x[::2].sum(),
    "list": lambda x: x.tolist(),
    "items": lambda x: [each.item() for each in x],
    "floats": lambda x: x.astype(float),
    "ints": lambda x: x.astype(np.int64),
    "negative": lambda x: -x,
    "size": lambda x: np.abs(x),
    "not": lambda x: ~x,
    "len": len,
    "shape": lambda x: (x.shape, x.ndim, x.size),
    "sorted": np.sort,
    "clip": lambda x: np.clip(x, 0, 1),
    "where": lambda x: np.where(x > 0, x, 0),
    "mean": lambda x: x.mean(),
    "cumsum": lambda x: x.cumsum(),
    "a place of its own": lambda x: x[x.argmax()],
    "exp": lambda x: np.exp(x / 1e9),
    "reduce": lambda x: np.add.reduce(x, axis=0, initial=1),
    "axis": lambda x: x.sum(axis=0),
    "float": lambda x: float(x[0]),
    "round": lambda x: round(x[0]),
    "hash": lambda x: hash(x[0]),
    "hash of an array": hash,
    "pair": lambda x: x.sum() + x.max() * 2 - x[0],
    "centred": lambda x: (x - x.min()) // 2,
}
TOGETHER = {"sum", "argmax", "any", "first", "list", "negative", "size", "len", "slice"}


@pytest.mark.every(2)
@pytest.mark.parametrize("name", ASKED)
@given(tables())
def test_what_arrays_are_asked_rows_can_be_asked(name, values):
    asked = ASKED[name]
    count = len(values)
    made, whole = together_and_alone(
        count, lambda coins: asked(stand_in(ArrayColumn, values, coins))
    )
    for own, found in zip(values, made, strict=True):
        wanted = result(lambda own=own: asked(own.copy()))
        if isinstance(wanted, list):
            assert all(map(same, wanted, found))
        elif isinstance(wanted, int | tuple):
            assert wanted == found
        else:
            assert same(wanted, found), (wanted, found)
    assert whole or name not in TOGETHER


@given(st.integers(1, 300), st.integers(1, 5), st.integers(0, 2**32), st.sampled_from("CF"))
def test_floats_are_added_in_the_order_of_one_array(width, replicas, seed, order):
    values = np.random.default_rng(seed).normal(size=(replicas, width)) * 10.0 ** (
        np.arange(width) % 17
    )
    rows = ArrayColumn(np.array(values, order=order), coins_of(replicas))
    assert rows.sum().now().tolist() == [own.copy().sum() for own in values]


@given(tables(), st.data())
def test_a_place_of_its_own(values, data):
    count, width = values.shape
    places = np.array(
        data.draw(st.lists(st.integers(-width - 1, width), min_size=count, max_size=count))
    )
    made, whole = together_and_alone(
        count,
        lambda coins: stand_in(ArrayColumn, values, coins)[stand_in(Column, places, coins)],
    )
    for own, place, found in zip(values, places.tolist(), made, strict=True):
        wanted = result(lambda own=own, place=place: own[place])
        assert same(wanted, found)
    assert whole == all(-width <= place < width for place in places) or count == 1


def test_rows_are_values():
    rows = ArrayColumn(np.arange(6).reshape(2, 3), coins_of(2))
    with pytest.raises(TypeError, match="in place"):
        rows += 1
    with pytest.raises(TypeError):
        rows[0] = 1
    with pytest.raises(TypeError, match="one population"):
        rows.__reduce_ex__(2)
    assert repr(rows) == "<ArrayColumn of 2 arrays of shape (3,)>"  # law 8
    assert "4" not in repr(rows)


def test_an_array_is_not_changed_in_place_for_all():
    coins = coins_of(2)
    shared = np.zeros(3)
    with pytest.raises(Apart):
        shared += ArrayColumn(np.ones((2, 3)), coins)
    assert not shared.any()


def test_sameness_sees_through_rows():
    coins = coins_of(2)
    rows = ArrayColumn(np.array([[1, 2], [1, 3]]), coins)
    assert identical(rows, ArrayColumn(np.array([[1, 2], [1, 3]]), coins))
    assert not identical(rows, ArrayColumn(np.array([[1.0, 2.0], [1.0, 3.0]]), coins))
    assert not identical(rows, Column(np.array([1, 2]), coins))
    assert not identical(rows, 1)
    assert not identical(np.array([1]), rows)
    zero = ArrayColumn(np.array([[0.0], [0.0]]), coins)
    assert not identical(zero, np.array([-0.0]))
    assert identical(np.array([0.0]), zero)
    assert not coins.waiting
    assert identical(rows, np.array([1, 2]))  # of the first replica
    assert [part.script[-1] for part in coins.waiting] == [False]


def test_a_number_of_numpys_is_no_number_of_pythons():
    coins = coins_of(2)
    totals = ArrayColumn(np.array([[1, 2], [1, 3]]), coins).sum()
    assert not Integers().contains(totals)
    assert Integers().contains(totals.item())
    assert identical(totals, np.int64(3))
    assert not identical(totals, Column(np.array([3, 4]), coins))


def test_spaces_of_arrays_see_through_rows():
    coins = coins_of(3)
    rows = ArrayColumn(np.array([[0, 2], [0, 2], [9, 1]]), coins)
    assert Arrays((2,), "int64").contains(rows)
    assert not Arrays((3,), "int64").contains(rows)
    assert not Arrays((2,), "float64").contains(rows)
    assert not Integers().contains(rows)
    assert not Finite((1, 2)).contains(rows)
    assert not coins.waiting
    assert Either((Finite((ap.TOP,)), Arrays((2,), "int64", 0, 5))).contains(rows)
    assert coins.lanes.size == 2
    coins = coins_of(4)
    halves = ArrayColumn(np.array([[0.5, 1.0], [0.25, 1.0], [np.nan, 0.5], [np.inf, 0.5]]), coins)
    assert Arrays((2,)).contains(halves)
    assert coins.lanes.size == 2
    assert Arrays((2,), step=0.5).contains(halves) is (0.5 in halves.now())
    assert coins.lanes.size == 1


@attrs.frozen
class Truth(Verification[object]):
    """An f whose states are what comes of a comparison of rows."""

    value: object

    @property
    def initial_state(self):
        return 0

    def step(self, state, zero, one, /):
        return self.value


def test_a_truth_of_numpys_opens_no_verifier():
    no = ArrayColumn(np.array([False, False]), coins_of(2))
    with pytest.raises(PartError):
        read(Truth(no), 0, 1, 1)
    assert read(Truth(ArrayColumn(np.array([True, True]), coins_of(2))), 0, 1, 1) is not None


def test_numbers_become_arrays():
    coins = coins_of(2)
    column = Column(np.array([1, 2]), coins)
    assert int64s([column, 2**70, -(2**70)]).now().tolist() == [
        [each, 2**63 - 1, -(2**63)] for each in (1, 2)
    ]
    assert identical(int64s([2**70, 5]), np.array([2**63 - 1, 5]))
    assert float64s([column / 2, 1]).now().tolist() == [[0.5, 1.0], [1.0, 1.0]]
    assert identical(float64s([1, 2.5]), np.array([1.0, 2.5]))
    with pytest.raises(Apart):
        float64s([column, 0.5])
    with pytest.raises(ValueError, match="read-only"):
        int64s([1])[0] = 2


# --- mechanisms ----------------------------------------------------------------------------------


def ended(adversary, mechanism, replicas=300):
    """How many blocks end, after a look that nothing was taken apart."""
    coins = ColumnCoins(1)
    blocks = list(Population(adversary, mechanism, None, coins).play(replicas))
    assert sum(lanes.size for lanes, _ in blocks) == replicas
    assert not coins.slow
    return len(blocks)


UPDATES = [np.array([1, 0, 1]), "count", np.array([0, 1, 1]), np.array([1, 1, 0]), "count"]
SCORES = np.array([5, 1, 4])
EXTREME = [np.array([2**63 - 1, -(2**63), 0])]
"""With noise their entries leave 64 bits."""
PLAYED = [
    (DiscreteLaplace(epsilon=1, dimension=3), [SCORES]),
    (DiscreteGaussian(rho=1, dimension=3), EXTREME),
    (ReportNoisyMax(epsilon=1, candidates=3, arrays=True), [SCORES]),
    (PermuteAndFlip(epsilon=1, candidates=3, arrays=True), [SCORES]),
    (ExponentialMechanism(epsilon=1, candidates=3, arrays=True), [SCORES]),
    (TreeCounter(horizon=4, epsilon=1, dimension=3), UPDATES),
    (GaussianTreeCounter(horizon=4, rho=1, dimension=3), UPDATES),
    (BalancedTreeCounter(horizon=4, epsilon=1, dimension=3), UPDATES),
    (RefinedTreeCounter(horizon=4, rho=1, dimension=3), UPDATES),
]


@over(("mechanism", "said"), PLAYED, at_least=9)
def test_vectors_answer_as_plain_steps_do_and_stay_whole(mechanism, said):
    for seed in range(5):
        assert disagreement(mechanism, None, said, np.random.SeedSequence(seed)) is None
    if said is not EXTREME and not isinstance(mechanism, Selection):
        assert ended(ap.scripted(said), mechanism) == 1


def fed(second, between=lambda array: array):
    """The answer of a vector of noise goes on to another mechanism, as rows."""

    @ap.mechanism(queries=Arrays((20,), "int64"), answers=Anything(), initial_state=0)
    @ap.column_safe
    def pair(state, message, coins):
        noisy = DiscreteLaplace(epsilon=1, dimension=20).respond(message, coins)
        told = between(noisy)
        assert second.signature.queries.contains(told)
        if isinstance(second, TreeCounter):
            state, _ = second.step(second.initial_state, told, coins)
            return 0, second.step(state, "count", coins)[1]
        return state, (noisy, second.respond(told, coins))

    return pair


@over(
    ("second", "between"),
    [
        (ExponentialMechanism(epsilon=1, candidates=20, arrays=True), lambda x: x),
        (ExponentialMechanism(epsilon=ap.Log(4), candidates=20, arrays=True), lambda x: x),
        (ExponentialMechanism(epsilon=Fraction(1, 9), candidates=20, arrays=True),
         lambda x: (x - x.min()) * 3 // (1 + x.argmax())),
        (ReportNoisyMax(epsilon=1, candidates=20, arrays=True), lambda x: x),
        (PermuteAndFlip(epsilon=1, candidates=20, arrays=True), lambda x: x),
        (DiscreteLaplace(epsilon=1, dimension=20), lambda x: -x),
        (DiscreteGaussian(rho=1, dimension=20), lambda x: x * 2**60),
        (TreeCounter(horizon=2, epsilon=1, dimension=20, clip=True), lambda x: x),
        (TreeCounter(horizon=2, epsilon=1, dimension=20, smallest=-(2**40), largest=2**40),
         lambda x: x),
    ])  # fmt: skip
def test_rows_are_heard_as_arrays_are(second, between):
    for seed in range(3):
        found = disagreement(
            fed(second, between), None, [np.arange(20)] * 2, np.random.SeedSequence(seed)
        )
        assert found is None


def test_choices_from_rows_stay_whole():
    choosing = ExponentialMechanism(epsilon=1, candidates=20, arrays=True)
    assert ended(ap.scripted([np.arange(20)] * 3), fed(choosing)) == 1


ROUNDS = 3


@ap.adversary
@ap.column_safe
def listening(answers, coins):
    """Each round's scores depend on what was chosen before."""
    if len(answers) == ROUNDS:
        return ap.HALT
    scores = np.arange(20)
    return ap.Ask((scores * (1 + answers[-1])) % 7 if answers else scores, len(answers))


def test_a_listening_adversary_hears_columns_of_many_candidates():
    rounds = ap.ConComp([ExponentialMechanism(epsilon=1, candidates=20, arrays=True)] * ROUNDS)
    assert ended(listening, rounds) == 1
    sample = play_sample(listening, rounds, replicas=1000, seed=1)
    assert {key: cell.width for key, cell in sample.cells.items()} == {(NUMBER,) * 3: 3}
    deaf = ap.scripted([ap.Ask(np.arange(20), 0)])
    assert 16 < len(play_population(deaf, rounds, replicas=10_000, seed=1)) <= 20


def test_one_that_hears_no_columns_hears_ints():
    heard = []

    @ap.adversary
    def curious(answers, coins):
        heard.extend(type(each) for each in answers)
        return listening.function(answers, coins)

    rounds = ap.ConComp([ExponentialMechanism(epsilon=1, candidates=20, arrays=True)] * ROUNDS)
    assert play_sample(curious, rounds, replicas=50, seed=1).replicas == 50
    assert set(heard) == {int}


def test_a_view_keeps_the_entries_of_rows():
    noisy = DiscreteLaplace(epsilon=100, dimension=3)
    sample = play_sample(ap.scripted([SCORES]), noisy, replicas=50, seed=1)
    ((skeleton, cell),) = sample.cells.items()
    assert skeleton == ((NUMBER,) * 3,)
    assert cell.columns.tolist() == [[5, 1, 4]] * 50
    first = ap.column_safe(lambda answers: answers[0][1])
    assert play_sample(ap.scripted([SCORES]), noisy, replicas=5, seed=1,
                       feature=first).cells[NUMBER].columns.tolist() == [[1]] * 5  # fmt: skip
    above = ap.column_safe(lambda answers: answers[0].max() > 4)
    assert play_population(ap.scripted([SCORES]), noisy, replicas=5, seed=1, feature=above) == {
        True: 5
    }


def test_few_replicas_have_long_vectors_at_a_time():
    wide = 64
    noisy = DiscreteLaplace(epsilon=1, dimension=wide)
    limit = NUMBERS // wide
    population = Population(ap.scripted([np.arange(wide)]), noisy, None, ColumnCoins(1))
    assert limit < LIMIT
    assert [lanes.size for lanes, _ in population.play(limit + 3)] == [limit, 3]


def test_coins_toss_arrays():
    @ap.mechanism(queries=Integers(), answers=Arrays((4,), "int64"))
    @ap.column_safe
    def noise(state, message, coins):
        array = coins.gaussian_array if message else coins.laplace_array
        return state, array(3, 4) * 2

    for seed in range(3):
        assert disagreement(noise, None, [0, 1, 0], np.random.SeedSequence(seed)) is None
    assert ended(ap.scripted([0, 1]), noise) == 1
    assert play_sample(ap.scripted([0, 1]), noise, replicas=1, seed=1).replicas == 1


def test_a_declaration_that_is_not_true_of_rows_is_found():
    """``ap.check`` compares the readings, also where a column meets an array."""

    @ap.mechanism(queries=Finite((0,)), answers=Integers(0, 2))
    @ap.column_safe
    def looks(state, message, coins):
        scores = np.arange(3) * (coins.uniform_integer(1000) + 1)
        return state, coins.categorical_exp(1, scores) if type(scores) is np.ndarray else 0

    report = ap.check(looks, seed=1)
    assert [each.check for each in report.findings] == ["columns"]

    @ap.mechanism(queries=Finite((0,)), answers=Integers(0, 2))
    @ap.column_safe
    def fine(state, message, coins):
        scores = np.arange(3) * (coins.uniform_integer(1000) + 1)
        return state, coins.categorical_exp(1, scores)

    assert not ap.check(fine, seed=1).findings


def test_a_zero_whose_sign_is_chance_is_left_to_one_array():
    coins = coins_of(2)
    mixed = ArrayColumn(np.array([[0.0, -0.0], [-1.0, -2.0]]), coins)
    with pytest.raises(Apart):
        mixed.max()
    with pytest.raises(Apart):
        mixed.min()
    plain_zeros = ArrayColumn(np.array([[0.0, 0.0], [-1.0, -2.0]]), coins)
    assert plain_zeros.max().now().tolist() == [0.0, -1.0]


def test_floats_become_ints_one_array_at_a_time():
    """What an int of 1e300 is, a processor may decide by where it stands."""
    with pytest.raises(Apart):
        ArrayColumn(np.array([[1e300], [1.0]]), coins_of(2)).astype(np.int64)
