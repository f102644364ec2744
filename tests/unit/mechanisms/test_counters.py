"""What counters answer, refuse and remember, beyond what conformance asks of all mechanisms."""

import math
from fractions import Fraction

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trying import over

import antiphon as ap
from antiphon.mechanisms import (
    COUNT,
    BalancedTreeCounter,
    BufferedToeplitzCounter,
    GaussianTreeCounter,
    RefinedTreeCounter,
    SquareRootCounter,
    TreeCounter,
    UnboundedCounter,
)
from antiphon.mechanisms.counters.counter import MANY
from antiphon.mechanisms.counters.factors.rows import Row, row
from antiphon.numbers.exact import root_up
from antiphon.protocol import (
    Approximate,
    Pure,
    RecordedCoins,
    SampledCoins,
    Status,
    ZeroConcentrated,
)

PURE = [TreeCounter, BalancedTreeCounter]
GAUSSIAN = [GaussianTreeCounter, RefinedTreeCounter, SquareRootCounter, BufferedToeplitzCounter]


def made(kind, horizon=40, **more):
    parameter = {"epsilon": 1} if kind in PURE else {"rho": 0.5}
    return kind(**{"horizon": horizon, **parameter, **more})


def every(horizon=40, **more):
    bounded = [made(kind, horizon, **more) for kind in (*PURE, *GAUSSIAN)]
    normalised = [
        made(kind, horizon, normalised=True, **more)
        for kind in (SquareRootCounter, BufferedToeplitzCounter)
    ]
    return [*bounded, *normalised]


class Zero(ap.Coins):
    """Noise of 0; draws are counted."""

    def draw(self, kind, parameter):
        self.draws += 1
        return (0,) * parameter[1] if isinstance(parameter, tuple) else 0


class Fixed(ap.Coins):
    """The same noise for all who ask in the same order, alone or for many."""

    def __init__(self):
        super().__init__()
        self.generator = np.random.default_rng(5)

    def draw(self, kind, parameter):
        self.draws += 1
        if isinstance(parameter, tuple):
            return tuple(self.draw(kind, parameter[0]) for _ in range(parameter[1]))
        return round(self.generator.normal() * float(parameter))


@given(st.lists(st.integers(-2, 3) | st.just(COUNT), max_size=60))
def test_without_noise_counters_count(script):
    """After t updates the answer is x_1 + … + x_t: it has the last update, and no other."""
    counters = every(60, smallest=-2, largest=3)
    counters += [UnboundedCounter(counter=attrs.evolve(each, horizon=3)) for each in counters]
    for counter in counters:
        state, total = counter.initial_state, 0
        for message in script:
            state, answer = counter.step(state, message, Zero())
            if message == COUNT:
                assert answer == total
            else:
                assert answer is ap.TOP
                total += message


@given(st.lists(st.tuples(st.integers(-2, 3), st.integers(-2, 3)), max_size=12))
def test_without_noise_counters_count_coordinates(script):
    counters = every(12, smallest=-2, largest=3, dimension=2)
    counters += [UnboundedCounter(counter=attrs.evolve(each, horizon=2)) for each in counters]
    for counter in counters:
        session, total = counter.start(coins=Zero()), np.zeros(2)
        for x in script:
            session.send(np.array(x))
            total += x
            answer = session.send(COUNT)
            assert answer.tolist() == total.tolist()
            assert not answer.flags.writeable


@over("counter", every(30), at_least=8)
def test_a_whole_stream_is_answered_as_a_session_does(counter):
    stream = np.random.default_rng(1).integers(0, 2, 30)
    session, heard = counter.start(coins=Fixed()), []
    for x in stream.tolist():
        session.send(x)
        heard.append(session.send(COUNT))
    assert counter.counts(stream, coins=Fixed()).tolist() == heard
    assert counter.counts(stream.tolist()[:7], coins=Fixed()).tolist() == heard[:7]
    assert len(counter.counts([])) == 0


@over("counter", every(30, dimension=3), at_least=8)
def test_a_whole_stream_of_arrays_is_answered_as_a_session_does(counter):
    stream = np.random.default_rng(1).integers(0, 2, (30, 3))
    session, heard = counter.start(coins=Fixed()), []
    for x in stream:
        session.send(x)
        heard.append(session.send(COUNT).tolist())
    assert counter.counts(stream, coins=Fixed()).tolist() == heard


def test_whole_streams_past_the_limit_of_the_drift():
    class Huge(Fixed):
        def draw(self, kind, parameter):
            value = super().draw(kind, parameter)
            return value if isinstance(value, tuple) else 160 * value

    for dimension in (None, 2):
        counter = made(BufferedToeplitzCounter, dimension=dimension, normalised=True)
        stream = np.ones(40 if dimension is None else (40, 2), np.int64)
        session, heard = counter.start(coins=Huge()), []
        for x in stream if dimension else stream.tolist():
            session.send(x)
            heard.append(np.asarray(session.send(COUNT)).tolist())
        assert counter.counts(stream, coins=Huge()).tolist() == heard


def test_asking_twice_is_answered_alike_and_draws_nothing_more():
    for counter in every():
        coins = Fixed()
        session = counter.start(coins=coins)
        for _ in range(7):
            session.send(1)
        first, drawn = session.send(COUNT), coins.draws
        assert session.send(COUNT) == first
        assert coins.draws == drawn


@pytest.mark.parametrize("kind", [*PURE, GaussianTreeCounter])
def test_the_noise_of_many_coordinates_is_one_draw(kind):
    """A node's noise: as many draws as coordinates while they are few, and one of all after."""
    law = "discrete_laplace" if kind in PURE else "discrete_gaussian"
    for dimension, kinds in ((MANY - 1, [law] * (MANY - 1)), (MANY, [law + "s"])):
        coins = RecordedCoins(SampledCoins(1))
        counter = made(kind, dimension=dimension)
        session = counter.start(coins=coins)
        session.send(np.ones(dimension, np.int64))
        session.send(COUNT)
        tape = coins.take()
        assert [draw.kind for draw in tape] == kinds
        scale = counter.scale if kind in PURE else counter.sigma
        assert {draw.parameter for draw in tape} == {scale if dimension < MANY else (scale, MANY)}


@over("dimension", [MANY - 1, 1 << 14])
@over("kind", [*PURE, GaussianTreeCounter])
def test_the_noise_of_a_node_has_its_variance(kind, dimension):
    """However many are drawn together; five standard deviations of a mean of squares."""
    counter = made(kind, dimension=dimension)
    coins, nodes = SampledCoins(1), -(-(1 << 14) // dimension)
    noise = np.concatenate([counter._noise(coins).tolist() for _ in range(nodes)])
    error = (6 if kind in PURE else 3) ** 0.5 / len(noise) ** 0.5
    assert (noise.astype(float) ** 2).mean() == pytest.approx(counter.noise_variance, rel=5 * error)
    assert abs(noise.mean()) < 5 * (counter.noise_variance / len(noise)) ** 0.5


# --- refusals ----------------------------------------------------------------------------------


@over("kind", [*PURE, *GAUSSIAN])
@over(
    "wrong",
    [
        *({"sensitivity": value} for value in (0, -1, math.nan, math.inf, True, "1")),
        *({"horizon": value} for value in (0, -1, 1.0, True, None)),
        *({"largest": value} for value in (0, -1, 1.0, True, None, 2**62)),
        {"smallest": 1}, {"smallest": 0.5}, {"events": 0}, {"events": 1.0}, {"dimension": 0},
        {"dimension": 2.0}, {"clip": 1}, {"users": None},
        *({"rho": value, "epsilon": value} for value in (0, -1, math.nan, math.inf, None)),
    ])  # fmt: skip
def test_parameters_are_checked(kind, wrong):
    own = "epsilon" if kind in PURE else "rho"
    wrong = {
        name: value for name, value in wrong.items() if name in (own, *attrs.fields_dict(kind))
    }
    with pytest.raises(ap.InvalidArgument):
        made(kind, **wrong)


def test_parameters_of_some_are_checked():
    for arity in (2, 4, 1, 0, 3.0, True):
        with pytest.raises(ap.InvalidArgument):
            made(BalancedTreeCounter, arity=arity)
    for more in ({"normalised": 1}, {"resolution": 0}, {"resolution": 2.0}, {"resolution": 2**37}):
        with pytest.raises(ap.InvalidArgument):
            made(BufferedToeplitzCounter, **more)
    for counter in (
        None,
        made(GaussianTreeCounter, events=2),
        UnboundedCounter(counter=made(TreeCounter)),
    ):
        with pytest.raises(ap.InvalidArgument):
            UnboundedCounter(counter=counter)


def test_noise_that_does_not_fit_is_refused_with_the_cure():
    with pytest.raises(ap.InvalidArgument, match="larger units"):
        made(BufferedToeplitzCounter, rho=Fraction(1, 10**30))
    with pytest.raises(ap.InvalidArgument, match="larger units"):
        made(BufferedToeplitzCounter, largest=2**50)
    with pytest.raises(ap.InvalidArgument, match="larger units"):
        made(BufferedToeplitzCounter, horizon=2**20, largest=2**40, sensitivity=1)
    with pytest.raises(ap.InvalidArgument, match="2\\^30"):
        made(BufferedToeplitzCounter, horizon=2**30 + 1)
    for kind in (TreeCounter, BalancedTreeCounter):  # ints of any size
        counter = kind(horizon=4, epsilon=Fraction(1, 10**30), largest=2**60)
        session = counter.start(seed=1)
        session.send(2**60)
        assert abs(session.send(COUNT)) > 2**64


@pytest.mark.parametrize("kind", [BufferedToeplitzCounter, SquareRootCounter])
def test_a_grid_is_fine_enough_for_all_columns_or_refused(kind):
    """17 events of normalised columns fit on a grid of 16 steps, and 18 do not."""
    asked = {"horizon": 40, "rho": 2, "resolution": 16, "normalised": True}
    for events in (1, 4, 17):
        counter = kind(**asked, events=events)
        assert min(map(counter.divisor, range(40))) >= 1
    for events in (18, 40):
        with pytest.raises(ap.InvalidArgument, match="too large for its grid"):
            kind(**asked, events=events)


@over("counter", every(3), at_least=8)
def test_the_horizon_is_a_refusal_and_counting_goes_on(counter):
    coins = Fixed()
    session = counter.start(coins=coins)
    for _ in range(3):
        session.send(1)
    before, drawn = session.send(COUNT), coins.draws
    with pytest.raises(ap.InvalidArgument, match="UnboundedCounter"):
        session.send(1)
    assert coins.draws == drawn
    assert session.send(COUNT) == before
    assert not session.over
    with pytest.raises(ap.InvalidArgument, match="horizon"):
        counter.counts([1] * 4)


@over("counter", every(smallest=-1, largest=2), at_least=8)
def test_updates_outside_the_range_are_refused_or_clipped(counter):
    session = counter.start(coins=Zero())
    for wrong in (3, -2, 1.0, True, None, np.array([1])):
        with pytest.raises(ap.InvalidArgument):
            session.send(wrong)
    assert session.send(COUNT) == 0
    with pytest.raises(ap.InvalidArgument, match="outside"):
        counter.counts([0, 3])
    clipping = attrs.evolve(counter, clip=True)
    session = clipping.start(coins=Zero())
    for x in (3, -2, 10**30, 1):
        session.send(x)
    assert session.send(COUNT) == 2 - 1 + 2 + 1
    assert clipping.claims == counter.claims
    assert clipping.counts([3, -2], coins=Zero()).tolist() == [2, 1]


@over("counter", every(smallest=-1, largest=2, dimension=2), at_least=8)
def test_arrays_of_another_kind_are_refused(counter):
    session = counter.start(coins=Zero())
    for wrong in (
        1,
        (0, 1),
        np.array([1]),
        np.array([1, 3]),
        np.array([1.0, 0.0]),
        np.zeros((1, 2)),
    ):
        with pytest.raises(ap.InvalidArgument):
            session.send(wrong)
    clipping = attrs.evolve(counter, clip=True).start(coins=Zero())
    clipping.send(np.array([-9, 9]))
    assert clipping.send(COUNT).tolist() == [-1, 2]
    with pytest.raises(ap.InvalidArgument, match="outside"):
        counter.counts(np.full((2, 2), 3))


# --- neighbours and claims ---------------------------------------------------------------------


def valid(counter, *pairs):
    return counter.verification([ap.Pair(*pair) for pair in pairs]) is ap.TOP


@over("kind", [*PURE, *GAUSSIAN], at_least=6)
def test_neighbours_differ_in_so_many_updates_by_so_much(kind):
    counter = made(kind, largest=9, sensitivity=2, events=2)
    assert valid(counter, (0, 2), (5, 5), (COUNT, COUNT), (9, 8))
    assert not valid(counter, (0, 3))
    assert not valid(counter, (0, 1), (0, 1), (0, 1))
    assert not valid(counter, (COUNT, 1))
    assert valid(made(kind, largest=9), (0, 9))
    assert made(kind, largest=9).distance == 9


@over("kind", [*PURE, *GAUSSIAN], at_least=6)
def test_neighbours_of_arrays_are_near_in_the_norm(kind):
    counter = made(kind, largest=9, dimension=3, sensitivity=2)
    near = (np.array([0, 0, 5]), np.array([1, 1, 5])), (np.array([0, 4, 0]), np.array([0, 2, 0]))
    far = np.array([0, 0, 0]), np.array([1, 1, 1])
    assert all(valid(counter, pair) for pair in near)
    assert valid(counter, far) is (counter.norm == 2)  # 3 in ℓ₁, √3 in ℓ₂
    assert not valid(counter, (np.array([0, 0, 0]), np.array([3, 0, 0])))
    wide = made(kind, largest=9, dimension=3)
    assert valid(wide, (np.zeros(3, int), np.full(3, 9)))
    assert wide.distance == 27 if kind in PURE else 15.588 < wide.distance < 15.589


@over("kind", [*PURE, *GAUSSIAN], at_least=6)
def test_user_level(kind):
    counter = made(kind, users=True, events=2, largest=3, sensitivity=1)
    assert valid(
        counter, (("ann", 0), ("ann", 1)), (("bob", 3), ("bob", 3)), (("ann", 1), ("ann", 0))
    )
    assert not valid(counter, (("ann", 0), ("ann", 1)), (("bob", 3), ("bob", 2)))
    assert not valid(counter, (("ann", 0), ("bob", 0)))
    assert not valid(counter, (("ann", 0), ("ann", 2)))
    assert not valid(counter, *[(("ann", 0), ("ann", 1))] * 3)
    session = counter.start(coins=Zero())
    assert [session.send((user, 3)) for user in ("ann", 7, "ann")] == [ap.TOP] * 3
    for wrong in (1, ("ann", 4), ("ann",), (None, 1), ("a" * 65, 1), (1, 1, 1)):
        with pytest.raises(ap.InvalidArgument):
            session.send(wrong)
    assert session.send(COUNT) == 9
    assert counter.counts([("ann", 1), (2, 2)], coins=Zero()).tolist() == [1, 3]
    assert counter.claims[0].measure == made(kind).claims[0].measure


def test_more_events_mean_more_noise_and_the_same_claim():
    for kind in (*PURE, *GAUSSIAN):
        one, many = made(kind), made(kind, events=5)
        assert one.claims[0].measure == many.claims[0].measure
        assert 3 < math.sqrt(many.max_squared_error / one.max_squared_error) < 5.1


def test_claims_are_in_their_own_measure_and_convert():
    for kind in PURE:
        claim, *_ = made(kind).claims
        assert claim.measure == Pure(1)
        assert claim.at(0) is claim
    for kind in GAUSSIAN:
        counter = made(kind)
        claim, *_ = counter.claims
        assert claim.measure == ZeroConcentrated(0.5)
        converted = claim.at(1e-6)
        epsilon, delta = converted.parameters
        assert 4.9 < epsilon < 5.3  # the Gaussian mechanism's own ε is 4.89
        assert delta == Fraction(1, 10**6)
        assert ap.Create(counter, converted).asserts
        weaker = attrs.evolve(claim, measure=Approximate(epsilon - Fraction(1, 100), delta))
        with pytest.raises(ap.InvalidArgument, match="follow"):
            ap.Create(counter, weaker)
    for claim in (c for kind in (*PURE, *GAUSSIAN) for c in made(kind).claims):
        assert claim.status is Status.PROVED
        assert "adaptive" in claim.source


def test_claims_of_unbounded_counters_are_doubled():
    (pure,) = UnboundedCounter(counter=made(TreeCounter)).claims
    assert pure.measure == Pure(2)
    (gaussian,) = UnboundedCounter(counter=made(BufferedToeplitzCounter)).claims
    assert gaussian.measure == ZeroConcentrated(1)
    assert UnboundedCounter(counter=made(TreeCounter, largest=4, events=3)).scale == 12


class WithDelta(TreeCounter):
    """A user's counter, which claims less than it keeps."""

    @property
    def claims(self):
        (claim,) = super().claims
        measure = Approximate(Fraction(3, 4), Fraction(1, 10**6))
        return (attrs.evolve(claim, measure=measure),)


def test_the_total_of_an_epoch_costs_its_epsilon_beside_a_delta():
    (claim,) = UnboundedCounter(counter=WithDelta(horizon=8, epsilon=Fraction(1, 2))).claims
    assert claim.measure == Approximate(Fraction(5, 4), Fraction(1, 10**6))
    assert claim.status is Status.ASSUMED


def test_the_epochs_of_an_unbounded_counter():
    counter = UnboundedCounter(counter=made(TreeCounter, horizon=3))
    state, coins = counter.initial_state, Fixed()
    for time in range(1, 50):
        before = state
        state, _ = counter.step(state, 1, coins)
        number, own = counter._place(time)
        assert (state.number, state.inner.updates) == (number, own)
        assert state.total == own
        assert (state.number > before.number) is (time in (4, 10, 22, 46))
        assert counter.epoch(number).horizon == 3 << number


class Noted(Fixed):
    """Notes what it draws."""

    def __init__(self):
        super().__init__()
        self.drawn = []

    def draw(self, kind, parameter):
        self.drawn.append((parameter, super().draw(kind, parameter)))
        return self.drawn[-1][1]


def test_the_total_of_an_epoch_is_released_with_noise_of_its_scale():
    counter = UnboundedCounter(counter=made(TreeCounter, horizon=3))
    state, coins = counter.initial_state, Noted()
    for _ in range(30):
        before, coins.drawn = state, []
        state, _ = counter.step(state, 1, coins)
        if state.number > before.number:
            parameter, noise = coins.drawn[0]
            assert parameter == counter.scale
            assert state.before == before.before + before.total + noise
    assert state.before != 3 + 6 + 12


# --- states ------------------------------------------------------------------------------------


def size(value):
    """How many numbers a state holds for each coordinate."""
    if isinstance(value, np.ndarray):
        return value.shape[0] if value.ndim == 2 else 1
    if isinstance(value, tuple):
        return sum(map(size, value))
    return 0 if value is None else 1


@over("counter", [*every(100), *every(100, dimension=4)], at_least=16)
def test_states_are_as_small_as_they_are_said_to_be(counter):
    state, largest = counter.initial_state, 0
    x = 1 if counter.dimension is None else np.ones(4, np.int64)
    for _ in range(100):
        state, _ = counter.step(state, x, Fixed())
        state, _ = counter.step(state, COUNT, Fixed())
        if isinstance(counter, SquareRootCounter):
            largest = len(state.memory) + 2
        elif isinstance(counter, TreeCounter | GaussianTreeCounter | RefinedTreeCounter):
            largest = max(largest, sum(size((n.total, n.noise)) for n in stack(state.top)))
        elif isinstance(counter, BalancedTreeCounter):
            numbers = [size((level.noise, level.pending)) for level in state.levels]
            largest = max(largest, 1 + sum(numbers))
        else:
            largest = max(largest, size(state[1:]))
    assert largest <= counter.state_size
    assert counter.state_size < 40 or isinstance(counter, SquareRootCounter)


def stack(node):
    while node is not None:
        yield node
        node = node.below


def test_rows_are_values():
    one, same, other = row([1, 2], float), row([1, 2], float), row([1, 3], float)
    assert one == same
    assert hash(one) == hash(same)
    assert one != other
    assert one != [1, 2]
    assert bool(row([1, 1], float))
    assert not bool(row([1, 0], float))
    assert isinstance(one + other, Row)
    assert row([2**70], object)[0] == 2**70


def test_roots_are_rounded_up():
    for value in (
        Fraction(2),
        Fraction(1, 3),
        Fraction(10**40, 7),
        Fraction(1, 10**40),
        Fraction(4, 9),
    ):
        root = root_up(value)
        assert value <= root**2 <= value * (1 + Fraction(1, 2**39))
    assert root_up(Fraction(4, 9)) == Fraction(2, 3)
