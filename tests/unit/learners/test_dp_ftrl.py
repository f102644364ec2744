"""DP-FTRL: exact clipping, where the leader stands, what is derived of it, what is refused."""

import math
from fractions import Fraction

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from mpmath import mp, mpf
from trying import over

import antiphon as ap
from antiphon import Side
from antiphon.composition.accounting.calibration import budget, largest_rho
from antiphon.learners import ADVICE
from antiphon.learners.convex import (
    Ball,
    Box,
    HedgedLeader,
    LinearLoss,
    LogisticLoss,
    RegularisedLeader,
    convex_learner,
    dp_ftrl,
    follow,
    ftrl,
)
from antiphon.learners.convex.convex_learner import clipped
from antiphon.learners.convex.leader import standing
from antiphon.learners.oco.lazy_prefix import gradient_steps
from antiphon.mechanisms import (
    BufferedToeplitzCounter,
    GaussianTreeCounter,
    RefinedTreeCounter,
    SquareRootCounter,
    TreeCounter,
)
from antiphon.mechanisms.counters import ExactSum
from antiphon.protocol import SampledCoins, Status, identical
from antiphon.protocol.messages import EMPTY, HALT, TOP

BALL, LOSS = Ball(dimension=3), LinearLoss(dimension=3, grid=64)
BUDGET = {"epsilon": 1, "delta": 1e-6}
LEADER = RegularisedLeader(body=BALL, loss=LOSS, steps=100, clip=1, start=2, growth=3)


def learner(**changed):
    return dp_ftrl(**{"body": BALL, "loss": LOSS, "horizon": 64} | BUDGET | changed)


def stream(rounds=64, seed=0):
    return np.random.default_rng(seed).integers(-36, 37, (rounds, 3), np.int64)


# --- clipping -----------------------------------------------------------------------------------

NUMBERS = (
    st.floats(width=64) | st.floats(-2, 2) | st.sampled_from((1.0, -1.0, 0.5, math.inf, math.nan))
)


@given(
    arrays(np.float64, st.shared(st.integers(1, 6), key="d"), elements=NUMBERS),
    st.floats(1e-9, 1e9) | st.just(1.0), st.integers(1, 2**20),
)  # fmt: skip
def test_no_gradient_is_longer_than_q(gradient, bound, steps):
    found = clipped(gradient, bound, steps, len(gradient))
    assert found.dtype == np.int64
    assert sum(k * k for k in found.tolist()) <= steps**2
    if not np.isfinite(gradient).all():
        assert not found.any()
        return
    with mp.workdps(60):
        exact = [mpf(each) * steps / mpf(bound) for each in gradient.tolist()]
        length = mp.sqrt(sum(each * each for each in exact))
        kept = min(1, steps / length) if length else 1
        for whole, each in zip(found.tolist(), exact, strict=True):
            assert whole * each >= 0
            wanted = abs(each) * kept
            assert wanted - mpf("1.001") <= abs(whole) <= wanted + mpf("0.501")
            if length < steps - len(exact):  # no nearest steps are too long
                assert abs(abs(whole) - wanted) < mpf("0.501")


def test_whole_numbers_have_the_last_word(monkeypatch):
    """Were doubles off by a hundredth, what is found would be no longer than Q."""

    def too_long(gradient, steps):
        return gradient * (1.01 * steps / np.linalg.norm(gradient))

    monkeypatch.setattr(convex_learner, "_shortened", too_long)
    for seed in range(20):
        found = clipped(np.random.default_rng(seed).normal(size=7) * 9, 1.0, 1000, 7)
        assert 990**2 < int(found @ found) <= 1000**2


@given(st.integers(1, 2**20), st.floats(1e-3, 1e3), st.data())
def test_a_datum_on_the_grid_is_as_many_steps(grid, bound, data):
    """Though k/grid·(grid/L) is less than k in doubles, for some."""
    whole = data.draw(st.integers(-grid, grid))
    assert clipped(np.array([whole / grid * bound]), bound, grid, 1).tolist() == [whole]


def test_nearest_steps_that_are_too_long_are_cut_not_shrunk():
    assert clipped(np.array([0.76, 0.62, 0.09]), 1.0, 10, 3).tolist() == [7, 6, 0]
    assert clipped(np.array([0.76, 0.62, 0.01]), 1.0, 10, 3).tolist() == [8, 6, 0]


def test_what_is_as_long_as_it_may_be_stays():
    for side, steps in ((9, 15), (5, 13), (20, 29)):
        other = math.isqrt(steps**2 - side**2)
        assert clipped(np.array([side, -other, 0.0]), steps, steps, 3).tolist() == [side, -other, 0]


@pytest.mark.parametrize("wrong", [[1.0, 2.0], np.ones(3), np.ones(2, int), np.ones((2, 1)), None])
def test_a_gradient_is_an_array_of_doubles(wrong):
    with pytest.raises(ap.PartError, match="2 doubles"):
        clipped(wrong, 1.0, 4, 2)


# --- where it stands ----------------------------------------------------------------------------


@over("body", [BALL, Ball(dimension=3, radius=5), Box(dimension=3, half_width=2)])
@over("rounds", [1, 7])
def test_it_stands_where_the_regularised_sum_is_least(body, rounds):
    """λ_t = (clip/reach)·√(start + growth·t), and G in units of the loss."""
    leader, draw = attrs.evolve(LEADER, body=body, clip=4), np.random.default_rng(rounds)
    weight = 4 / body.reach * math.sqrt(2 + 3 * rounds)
    for size in (10, 300, 5000):
        sums = draw.integers(-size, size, 3)

        def cost(point, sums=sums):
            return sums @ point * 4 / 100 + weight * (point @ point) / 2

        found = leader.moved(rounds, sums).point
        assert np.allclose(body.project(found), found)
        others = (body.project(found + draw.normal(size=3) * scale) for scale in (1e-3, 0.1, 1))
        assert all(cost(found) <= cost(other) + 1e-12 for other in others)


def test_a_round_is_a_gradient_a_count_and_a_move():
    state, coins = LEADER.initial_state, SampledCoins(1)
    datum = np.array([64, 0, -32])
    after, to, gradient = LEADER.step(state, Side.LEFT, datum, coins)
    assert to is Side.RIGHT
    assert gradient.tolist() == [89, 0, -45]  # (100, 0, -50), moved to length 100
    assert after is state  # nothing of the datum is kept
    after, to, asked = LEADER.step(state, Side.RIGHT, TOP, coins)
    assert (to, asked) == (Side.RIGHT, "count")
    assert LEADER.step(state, Side.RIGHT, np.zeros(3), coins)[1:] == (to, asked)  # no sum yet
    moved, to, said = LEADER.step(after, Side.RIGHT, np.array([-100, 0, 0]), coins)
    assert (to, said, moved.rounds, moved.asked) == (Side.LEFT, TOP, 1, False)
    assert moved.point.tolist() == pytest.approx([1 / math.sqrt(5), 0, 0])
    same, to, point = LEADER.step(moved, Side.LEFT, ADVICE, coins)
    assert same is moved
    assert to is Side.LEFT
    assert identical(point, moved.point)
    for each in (state, after, moved):
        back, to, said = LEADER.step(each, Side.RIGHT, HALT, coins)
        assert (to, said, back.asked) == (Side.LEFT, HALT, False)


COUNTERS = [
    BufferedToeplitzCounter, GaussianTreeCounter, RefinedTreeCounter, SquareRootCounter,
]  # fmt: skip


@over("made", [learner(), ftrl(body=BALL, loss=LOSS, horizon=64)] + [
    learner(counter=kind, preset=preset) for kind in COUNTERS for preset in ("linear", "hedged")
], at_least=10)  # fmt: skip
def test_a_whole_game_stands_where_a_session_does(made):
    session, points = made.start(seed=3), []
    for datum in stream():
        points += [session.send(ADVICE)]
        assert identical(points[-1], session.send(ADVICE))
        assert session.send(datum) is TOP
    found = follow(made, stream(), SampledCoins(3))
    assert np.array_equal(found, np.array(points))
    assert not found[0].any()
    assert found[1].any()


class Doubled(ap.PostProcessor):
    """Stands between, and doubles the sums."""

    initial_state = None

    def signature(self, right):
        return right

    def step(self, state, side, message, coins):
        if side is Side.LEFT:
            return state, Side.RIGHT, message
        return state, Side.LEFT, 2 * message if type(message) is np.ndarray else message


def test_whole_games_are_of_one_leader_and_counter_and_checked_first():
    coins = ap.protocol.RecordedCoins(SampledCoins(1))
    with pytest.raises(ap.InvalidArgument, match="rows"):
        follow(learner(), stream() * 9, coins)
    with pytest.raises(ap.InvalidArgument, match="horizon"):
        follow(learner(), stream(65), coins)
    with pytest.raises(ap.InvalidArgument, match="one counter"):
        follow(learner(horizon=None), stream(), coins)
    plain = learner()
    with pytest.raises(ap.InvalidArgument, match="one counter"):
        follow(plain.links[0] @ Doubled() @ plain.mechanism, stream(), coins)
    assert coins.take() == ()


def test_without_noise_its_regret_is_within_the_bound():
    """RL·(λ_T/2 + Σ 1/(2λ_t)): √T·(½ + 1), for signs that do not matter and for a gap."""
    for shift in (0, 12):
        data = stream(400, seed=4) + shift
        points = follow(ftrl(body=BALL, loss=LOSS, horizon=400), data, SampledCoins(1))
        regret = LOSS.values(points, data).sum() + np.linalg.norm(data.sum(axis=0) / 64)
        assert regret < 1.5 * 20


def test_with_noise_it_still_learns():
    data = np.tile(np.array([0, 60, 0]), (500, 1))
    best = -500 * 60 / 64
    for preset in ("convex", "hedged", "linear"):
        made = learner(horizon=500, preset=preset, epsilon=8)
        lost = LOSS.values(follow(made, data, SampledCoins(1)), data).sum()
        assert best <= lost < best * 0.7


# --- between two leaders ------------------------------------------------------------------------

HEDGED = HedgedLeader(body=BALL, loss=LOSS, steps=100, clip=1, start=2, caution=50, spread=3)


@attrs.frozen(kw_only=True)
class Slope(LinearLoss):
    """Its gradient is the point."""

    def gradient(self, point, datum):
        return point + 0.0


def test_it_stands_between_a_bold_and_a_cautious_leader():
    """p = ½ - S/(V·spread), V = 50, so from S = 75 on it is cautious."""
    bold = attrs.evolve(LEADER, start=2, growth=0)
    cautious = attrs.evolve(LEADER, start=0, growth=50)
    sums = np.array([70, -30, 10])
    for total, share in ((0, 0.5), (75, 0), (-75, 1), (30, 0.3), (10**6, 0), (-(10**6), 1)):
        state = HEDGED.moved(9, np.append(sums, total))
        ends = [leader.moved(9, sums).point for leader in (cautious, bold)]
        assert np.allclose(state.point, ends[0] + share * (ends[1] - ends[0]))
        assert np.allclose(state.points[1:], ends[::-1])


@given(st.floats(width=64) | st.floats(-2, 2))
def test_what_it_loses_more_is_clipped_in_whole_numbers(more):
    """V steps of clip·reach, towards 0."""
    found = attrs.evolve(HEDGED, clip=2, body=Ball(dimension=3, radius=4)).staked(more)
    assert abs(found) <= HEDGED.stake
    if abs(more) <= 8:
        assert abs(more) / 8 * 50 - 1 < abs(found) <= abs(more) / 8 * 50
        assert found * more >= 0
    assert found == 0 or more == more


def test_it_sends_the_gradient_at_its_point_and_what_the_bold_one_loses_more():
    state, datum = HEDGED.moved(1, np.array([-100, 50, 0, 20])), np.array([64, 0, 0])
    told = HEDGED.told(state, datum)
    assert told[:3].tolist() == [100, 0, 0]
    assert told[3] == int(50 * (state.points[1] - state.points[2])[0]) > 0
    slope = attrs.evolve(HEDGED, loss=Slope(dimension=3, grid=64)).told(state, datum)
    assert slope[:3].tolist() == np.rint(state.point * 100).tolist()
    assert not attrs.evolve(HEDGED, zero_out=True).told(state, EMPTY).any()
    assert HEDGED.longest**2 >= 100**2 + HEDGED.stake**2 > HEDGED.longest**2 * Fraction(9999, 10000)
    with pytest.raises(ap.PartError, match="float"):
        HEDGED.staked("1")


@pytest.mark.parametrize("features", [0, 3])
def test_no_error_of_floating_point_tells_of_a_datum(features):
    """Under np.seterr(all="raise") a session ended for the datum (3, 3), and not for (0, 0)."""
    loss, body = LogisticLoss(dimension=2, grid=8), Ball(dimension=2, radius=1e150)
    datum, tiny = np.array([features, features, 8]), np.full((3, 2), 1.234567e-310)
    with np.errstate(all="raise"):
        for preset in ("convex", "hedged"):
            made = learner(body=body, loss=loss, preset=preset)
            session = made.start(seed=1)
            assert [session.send(datum) for _ in range(6)] == [TOP] * 6
            assert made.parts[0].told(standing(1, tiny), datum)[:2].any() == bool(features)
        assert len(gradient_steps(loss, body, tiny[0], datum)) == 2


def test_it_follows_whom_the_losses_favour():
    """Of linear losses with a gap, the bold one."""
    made = learner(horizon=2000, preset="hedged", epsilon=4)
    data = np.tile(np.array([0, 30, 0]), (2000, 1))
    points = follow(made, data, SampledCoins(1))
    assert np.linalg.norm(points[1500:], axis=1).min() > 0.99


# --- privacy ------------------------------------------------------------------------------------


@over("changed", [
    {}, {"zero_out": True}, {"horizon": None}, {"preset": "linear"}, {"preset": "hedged"},
    {"horizon": None, "preset": "hedged"}, {"preset": "hedged", "zero_out": True},
    {"epsilon": 0.1, "clip": 0.5}, {"body": Box(dimension=3)},
    *({"counter": kind} for kind in COUNTERS),
], at_least=13)  # fmt: skip
def test_what_was_asked_for_is_derived(changed):
    made = learner(**changed)
    promise = ap.guarantee(made)
    assert promise.status is Status.PROVED
    assert promise.verification == made.links[0].verification
    epsilon = changed.get("epsilon", 1)
    assert 0.9999 * epsilon < promise.epsilon_at(1e-6) <= epsilon
    assert "Thm 6.1" in promise.explain()


def test_data_that_may_be_absent_need_half_of_the_noise():
    absent, replaced = learner(zero_out=True), learner()
    assert 2 * absent.mechanism.sensitivity == replaced.mechanism.sensitivity
    session = absent.start(seed=1)
    assert session.send(EMPTY) is TOP
    assert not absent.links[0].told(LEADER.initial_state, EMPTY).any()
    with pytest.raises(ap.InvalidArgument):
        replaced.start(seed=1).send(EMPTY)
    game = ap.PrivacyGame(absent, absent.links[0].verification)
    heard = game.play(ap.scripted([ap.Pair(stream()[0], stream()[1])]), bit=0, seed=1)
    assert heard.answers[-1] is HALT  # two data that are both there


@attrs.frozen(kw_only=True)
class Mine(LinearLoss):
    """It may remember what it was told."""

    def gradient(self, point, datum):
        return np.array([np.nan, 1.0, 2.0]) if datum[0] > 30 else datum / 1.0


@attrs.frozen(kw_only=True)
class Elsewhere(Ball):
    """A user's body."""

    def project(self, point):
        return point * 0


@attrs.frozen(kw_only=True)
class Counting(RegularisedLeader):
    """A user's leader."""

    def moved(self, rounds, sums):
        return RegularisedLeader.moved(self, 1, sums)


def test_what_a_user_computes_is_assumed():
    mine = learner(loss=Mine(dimension=3, grid=64))
    for made in (mine, learner(body=Elsewhere(dimension=3))):
        promise = ap.guarantee(made)
        assert promise.status is Status.ASSUMED
        assert promise.epsilon_at(1e-6) <= 1
    counting = Counting(
        **{f.name: getattr(LEADER, f.name) for f in attrs.fields(Counting) if f.init}
    )
    right = learner(clip=1).mechanism
    right = attrs.evolve(right, smallest=-100, largest=100, sensitivity=200)
    assert ap.guarantee(counting @ right).status is Status.ASSUMED
    assert ap.guarantee(LEADER @ right).status is Status.PROVED
    assert not mine.links[0].gradient(np.zeros(3), np.array([31, 0, 0])).any()


def test_a_counter_that_claims_of_less_is_no_proof():
    right = learner().mechanism
    for steps in (1, right.sensitivity / 2):
        with pytest.raises(ap.CompositionError):
            ap.guarantee(learner().links[0] @ attrs.evolve(right, sensitivity=steps))
    with pytest.raises(ap.CompositionError):
        ap.guarantee(ftrl(body=BALL, loss=LOSS, horizon=64))
    laplace = TreeCounter(horizon=8, epsilon=1, dimension=3, smallest=-100, largest=100)
    assert ap.guarantee(LEADER @ laplace).epsilon_at(0) == 1  # of any two updates


@given(st.floats(1e-3, 30), st.floats(1e-12, 0.4))
def test_rho_is_about_the_largest(epsilon, delta):
    curve = ap.composition.accounting.from_concentrated
    rho = largest_rho(*budget(epsilon, delta))
    assert (
        curve(rho).epsilon_at(delta)
        <= epsilon
        < curve(rho * Fraction(1001, 1000)).epsilon_at(delta)
    )


# --- parameters ---------------------------------------------------------------------------------


def test_the_convex_preset_grows_with_the_noise():
    """growth = 1 + 2E‖b‖, b in units of a whole gradient; Jensen."""
    made = learner()
    noise = math.sqrt(3 * made.mechanism.mean_squared_error) / made.mechanism.largest
    assert made.links[0].growth == pytest.approx(1 + 2 * noise)
    linear = learner(preset="linear").links[0]
    assert (linear.start, linear.growth) == (16, 0)
    assert ftrl(body=BALL, loss=LOSS, horizon=64).links[0].growth == 1
    hedged = learner(preset="hedged")
    leader, error = hedged.links[0], math.sqrt(hedged.mechanism.mean_squared_error)
    assert (leader.start, leader.growth) == (16, 0)
    assert leader.spread == pytest.approx(error / leader.stake)
    assert leader.caution == pytest.approx(1 + 2 * math.sqrt(3) * error / leader.steps)


def test_without_a_horizon_epochs_follow_one_another():
    made = learner(horizon=None, epsilon=50)
    session, datum = made.start(seed=1), np.array([0, 60, 0])
    for _ in range(1100):
        session.send(datum)
    assert session.send(ADVICE)[1] < -0.9


def test_past_the_horizon_it_is_refused_and_nothing_has_happened():
    session = learner(horizon=2).start(seed=1)
    for _ in range(2):
        session.send(stream()[0])
    last = session.send(ADVICE)
    with pytest.raises(ap.InvalidArgument, match="horizon of 2 updates"):
        session.send(stream()[0])
    assert identical(session.send(ADVICE), last)


@over(("changed", "said"), [
    ({"body": Ball(dimension=4)}, "same dimension"),
    ({"epsilon": 0}, "epsilon"), ({"delta": 1}, "delta"), ({"delta": 0}, "delta"),
    ({"horizon": 0}, "horizon"), ({"horizon": 2**41}, "horizon"), ({"preset": "best"}, "preset"),
    ({"clip": 0}, "clip"), ({"clip": math.inf}, "clip"), ({"zero_out": 1}, "zero_out"),
])  # fmt: skip
def test_parameters_are_checked(changed, said):
    with pytest.raises(ap.InvalidArgument, match=said):
        learner(**changed)


@attrs.frozen(kw_only=True)
class Endless(Ball):
    """The whole space."""

    @property
    def reach(self):
        return math.inf


def test_bodies_are_neither_empty_nor_endless():
    for radius in (0, -1, math.inf):
        with pytest.raises(ap.InvalidArgument, match="radius"):
            Ball(dimension=3, radius=radius)
    with pytest.raises(ap.InvalidArgument, match="reach of a body"):
        learner(body=Endless(dimension=3))


def test_a_leader_needs_a_weight_and_a_counter():
    for start, growth, said in (
        (0, 0, "not both 0"),
        (-1, 2, "at least 0"),
        (math.nan, 1, "start"),
    ):
        with pytest.raises(ap.InvalidArgument, match=said):
            attrs.evolve(LEADER, start=start, growth=growth)
    for right in (
        ap.mechanisms.DiscreteLaplace(epsilon=1, dimension=3),
        ExactSum(horizon=9), ExactSum(horizon=9, dimension=2, smallest=-100, largest=100),
        ExactSum(horizon=9, dimension=3, smallest=-99, largest=99),
    ):  # fmt: skip
        with pytest.raises(ap.CompositionError, match="dimension=3, smallest=-100"):
            LEADER @ right


def test_a_counter_that_clips_is_refused_and_told_so():
    right = ExactSum(horizon=9, dimension=3, smallest=-100, largest=100)
    assert LEADER @ right
    with pytest.raises(ap.CompositionError, match="leave out clip=True"):
        LEADER @ attrs.evolve(right, clip=True)
    with pytest.raises(ap.CompositionError, match="takes Either"):
        LEADER @ attrs.evolve(right, clip=True, dimension=2)


def test_a_datum_can_always_be_told_as_EMPTY_can():
    tiny = {"body": Ball(dimension=1, radius=Fraction(1, 10**170)), "clip": 1e-170}
    with pytest.raises(ap.InvalidArgument, match="reach"):
        HedgedLeader(loss=LinearLoss(dimension=1, grid=10), steps=10, start=1, caution=1, spread=1,
                     zero_out=True, **tiny)  # fmt: skip
    for exponent in (-150, 0, 150):
        body, clip = Ball(dimension=1, radius=10.0**exponent), 10.0 ** (-exponent)
        leader = HedgedLeader(body=body, loss=LinearLoss(dimension=1, grid=10), steps=10, start=1,
                              caution=1, spread=1, clip=clip, zero_out=True)  # fmt: skip
        told = leader.told(leader.initial_state, np.array([10]))
        assert told.shape == (2,)
        assert int(told @ told) <= leader.longest**2
