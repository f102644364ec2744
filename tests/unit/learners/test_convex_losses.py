"""Convex losses: their values, slopes and constants, and what is found least in hindsight."""

import itertools
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trying import over, sized

import antiphon as ap
from antiphon.audit.running.sending import pack, unpack
from antiphon.learners.convex import (
    AbsoluteLoss,
    Ball,
    Box,
    GradientDescent,
    LinearLoss,
    LogisticLoss,
    Origin,
    SquaredLoss,
    convex_loss,
    optimum,
)
from antiphon.learners.convex.convex_losses import RowByRow
from antiphon.learners.convex.function_loss import check
from antiphon.learners.regret import mixed
from antiphon.protocol import Status
from antiphon.protocol.records.codec import decode, encode

KINDS = [LinearLoss, SquaredLoss, LogisticLoss, AbsoluteLoss]
EVERY = over("kind", KINDS, at_least=4)
BODIES = over(
    "body", [Ball(dimension=3), Box(dimension=3, half_width=2), Ball(dimension=3, radius=40)]
)


def data(loss, rows, seed=0):
    """Features of norm at most 1, and labels."""
    drawn = np.random.default_rng(seed).normal(size=(rows, *loss.data.shape))
    features = drawn[:, : loss.dimension]
    features /= np.maximum(1, np.linalg.norm(features, axis=1))[:, None]
    drawn[:, loss.dimension :] = np.clip(drawn[:, loss.dimension :], -1, 1)
    return np.trunc(drawn * loss.grid).astype(np.int64)


@EVERY
@BODIES
def test_they_are_convex_and_have_these_gradients_and_constants(kind, body):
    check(kind(dimension=3), body)


@EVERY
@BODIES
def test_the_constant_is_reached(kind, body):
    """Some datum, of norm 1 and label ±1, has a gradient as long at some point."""
    loss = kind(dimension=3, grid=3)
    longest = 0.0
    for axis, sign in itertools.product(np.eye(3, dtype=np.int64), (1, -1)):
        datum = np.append(3 * axis, 3 * sign)[: loss.data.shape[0]]
        for aim in (axis, -axis, np.ones(3), -np.ones(3)):
            slope = loss.gradient(body.least(aim.astype(float)), datum)
            longest = max(longest, float(np.linalg.norm(slope)))
    constant = loss.lipschitz(body)
    assert longest <= constant * (1 + 1e-12)
    if kind is not LogisticLoss and isinstance(body, Ball):
        assert longest == pytest.approx(constant)


def test_values_by_hand():
    datum, point = np.array([2, 0, -4]), np.array([0.5, 7])
    scores = {SquaredLoss: 0.5 * 1.25**2, LogisticLoss: math.log1p(math.exp(0.25))}
    scores |= {AbsoluteLoss: 1.25}
    for kind, value in scores.items():
        assert kind(dimension=2, grid=4).value(point, datum) == pytest.approx(value)


@EVERY
def test_tables_have_the_values_and_slopes_of_their_rows(kind):
    loss = kind(dimension=3)
    table, points = data(loss, 20), np.random.default_rng(1).normal(size=(20, 3))
    alone = [loss.value(*each) for each in zip(points, table, strict=True)]
    assert np.allclose(loss.values(points, table), alone)
    assert np.allclose(RowByRow.values(loss, points, table), alone)
    counts = np.arange(20)
    for own, plain in zip(
        loss.total(points[0], table, counts), RowByRow.total(loss, points[0], table, counts),
        strict=True,
    ):  # fmt: skip
        assert np.allclose(own, plain)


@EVERY
def test_merged_tables_have_the_same_sum(kind):
    loss = kind(dimension=3, grid=2)
    table, counts = data(loss, 300), np.random.default_rng(2).integers(0, 9, 300)
    rows, total = loss.merged(table, counts)
    assert len(rows) < 200
    for point in np.random.default_rng(3).normal(size=(5, 3)):
        assert np.allclose(loss.total(point, table, counts)[0], loss.total(point, rows, total)[0])


def test_large_margins_do_not_overflow():
    loss = LogisticLoss(dimension=1, grid=1)
    with np.errstate(over="raise", invalid="raise"):
        for point in (np.array([1e4]), np.array([-1e4])):
            assert np.isfinite(loss.value(point, np.array([1, 1])))
            assert np.isfinite(loss.gradient(point, np.array([1, 1]))).all()


@given(st.floats(1e-6, 2), st.floats(-3, 3), st.floats(-1, 1))
def test_a_smoothed_loss_is_below_and_near(width, score, label):
    loss = AbsoluteLoss(dimension=1)
    sharp, smooth = (each.cost(score, label) for each in (loss, loss.smoothed(width)))
    assert sharp - width / 2 - 1e-12 <= smooth <= sharp + 1e-12


@given(st.integers(0, 2**32), st.floats(1e-3, 2))
def test_a_line_is_nowhere_above(seed, width):
    for kind in KINDS:
        loss = kind(dimension=2)
        table, counts = data(loss, 9, seed), np.arange(9)
        points = np.random.default_rng(seed).normal(size=(9, 2))
        given = points[0], table, counts
        kinked = kind is AbsoluteLoss
        height, slope = loss.line(*given, width) if kinked else loss.total(*given)
        for point in points:
            below = height + slope @ (point - points[0])
            assert below <= loss.total(point, table, counts)[0] + 1e-9


# --- what is least in hindsight -------------------------------------------------------------------


def least_on_a_grid(loss, body, table, steps=400):
    axis = np.linspace(-body.reach, body.reach, steps + 1)
    points = [body.project(np.array(each)) for each in itertools.product(axis, repeat=2)]
    counts = np.ones(len(table))
    return min(loss.total(point, table, counts)[0] for point in points)


@EVERY
@over("body", [Ball(dimension=2), Box(dimension=2), Ball(dimension=2, radius=9)])
@over("rows", sized([2, 40], [1, 2, 40]))
def test_nothing_on_a_grid_is_below_the_certificate_and_little_below_the_value(kind, body, rows):
    loss = kind(dimension=2)
    table = data(loss, rows, seed=rows)
    found = optimum(loss, body, table)
    value = loss.total(found.point, table, np.ones(rows))[0]
    assert found.value == pytest.approx(value)
    assert np.allclose(body.project(found.point), found.point)
    assert found.gap <= 2e-6 * rows
    near = least_on_a_grid(loss, body, table, sized(16, 60))
    assert found.value - found.gap <= near + 1e-9
    step = body.reach / 30
    assert found.value >= near - rows * loss.lipschitz(body) * step


@EVERY
def test_counts_are_repetitions(kind):
    loss, body = kind(dimension=3), Ball(dimension=3)
    table, counts = data(loss, 10), np.arange(1, 11)
    short, long = optimum(loss, body, table, counts), optimum(loss, body, table.repeat(counts, 0))
    assert abs(short.value - long.value) <= short.gap + long.gap + 1e-9


def test_a_loose_search_says_so():
    """With little accuracy the gap is wide, and still covers the least."""
    loss, body = AbsoluteLoss(dimension=5), Box(dimension=5)
    table = data(loss, 200)
    loose, tight = (optimum(loss, body, table, accuracy=each) for each in (0.1, 1e-7))
    assert tight.gap < loose.gap
    assert loose.value - loose.gap <= tight.value <= loose.value


@given(st.integers(0, 2**32))
def test_a_mixture_of_lines_is_below_the_highest_and_near_its_least(seed):
    draw, ball = np.random.default_rng(seed), Ball(dimension=2)
    offsets, slopes = 3 + draw.random(8), draw.normal(size=(8, 2))
    bound = mixed(ball, offsets, slopes)
    around = [(np.cos(a), np.sin(a)) for a in np.linspace(0, 7, 60)]
    points = [r * np.array(each) for r in np.linspace(0, 1, 40) for each in around]
    highest = min(float((offsets + slopes @ point).max()) for point in points)
    assert highest - 0.3 <= bound <= highest + 1e-9


def test_the_median_is_the_least_distance():
    loss = AbsoluteLoss(dimension=1)
    labels = np.array([-900, -300, 10, 200, 1000])
    table = np.column_stack([np.full(5, 1024), labels])
    found = optimum(loss, Ball(dimension=1), table)
    assert found.point[0] == pytest.approx(10 / 1024, abs=1e-4)
    assert found.value == pytest.approx(abs(labels - 10).sum() / 1024, abs=1e-4)


def test_a_kinked_loss_of_a_users_own_has_an_honest_gap():
    loss, twin = distance, AbsoluteLoss(dimension=1)
    table = np.column_stack([np.full(5, 1024), np.array([-900, -300, 10, 200, 1000])])
    found = optimum(loss, Ball(dimension=1), table[:, 1:])
    least = optimum(twin, Ball(dimension=1), table)
    assert found.value - found.gap <= least.value
    assert found.gap < 0.02
    assert least.value - least.gap <= found.value


# --- losses of a user's own -----------------------------------------------------------------------


def sign(x, z):
    return np.sign(x - z)


@ap.register("tests.distance/1")
@convex_loss(body=Ball(dimension=1), gradient=sign, lipschitz=1, entries=1)
def distance(x, z):
    return abs(x - z).sum()


BALL = Ball(dimension=2)


def made(value, gradient, lipschitz=3.0, entries=2):
    return convex_loss(body=BALL, gradient=gradient, lipschitz=lipschitz, entries=entries)(value)


@over(
    ("value", "gradient", "lipschitz", "text"),
    [
        (lambda x, z: -(x @ x), lambda x, z: -2 * x, 3, "not convex: half-way"),
        (lambda x, z: x @ x, lambda x, z: x, 3, "none of the loss: its entry"),
        (lambda x, z: abs(x).sum(), lambda x, z: 1.5 * np.sign(x), 3, "none of the loss"),
        (lambda x, z: x.sum() / 2, lambda x, z: np.ones(2), 3, "entry 0 is 1.0"),
        (lambda x, z: x.sum(), lambda x, z: np.ones(2) / 2, 3, "entry 0 is 0.5"),
        (lambda x, z: x @ x, lambda x, z: 2 * x, 1.5, "not 1.5-Lipschitz"),
        (lambda x, z: x @ x, lambda x, z: 2 * x[0], 3, "one for each"),
        (lambda x, z: x @ x, lambda x, z: x * math.nan, 3, "finite"),
        (lambda x, z: math.nan, lambda x, z: 2 * x, 3, "not convex"),
        (lambda x, z: x @ x, lambda x, z: 2 * x, 0, "constant must be positive"),
    ],
)
def test_what_is_no_such_loss_is_refused_with_a_point_and_a_datum(value, gradient, lipschitz, text):
    with pytest.raises(ap.InvalidArgument, match=text) as refused:
        made(value, gradient, lipschitz)
    if lipschitz:
        assert "at x = [" in str(refused.value)
        assert "z = [" in str(refused.value)


def test_kinks_are_no_fault():
    loss = made(lambda x, z: abs(x - z).sum(), lambda x, z: np.sign(x - z), math.sqrt(2))
    assert loss.lipschitz(BALL) == math.sqrt(2)
    with pytest.raises(ap.InvalidArgument, match="was made for Ball"):
        loss.lipschitz(Ball(dimension=2, radius=2))


def test_a_users_loss_is_played_named_and_sent():
    learner = GradientDescent(horizon=9, body=Ball(dimension=1), loss=distance)
    session = learner.start()
    session.send(np.array([1024]))
    assert session.send("advice")[0] > 0.5
    assert decode(encode(learner)) == learner
    assert unpack(*pack(distance)) is distance
    assert unpack(*pack(learner)) == learner
    assert "distance" in repr(distance)
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pack(made(lambda x, z: x @ x, lambda x, z: 2 * x))


# --- learners without noise -----------------------------------------------------------------------


def test_the_origin_is_private_and_a_users_loss_makes_that_an_assumption():
    origin = Origin(horizon=5, body=Ball(dimension=1), loss=LinearLoss(dimension=1))
    promise = ap.guarantee(origin)
    assert (promise.status, promise.epsilon_at(0)) == (Status.PROVED, 0)
    user = ap.guarantee(Origin(horizon=5, body=Ball(dimension=1), loss=distance))
    assert user.status is Status.ASSUMED


def test_gradient_descent_claims_nothing():
    with pytest.raises(ap.CompositionError):
        ap.guarantee(GradientDescent(horizon=5, body=BALL, loss=LinearLoss(dimension=2)))


def test_gradient_descent_takes_the_stated_steps():
    loss, body = SquaredLoss(dimension=3), Ball(dimension=3)
    learner = GradientDescent(horizon=30, body=body, loss=loss)
    table, point = data(loss, 30), np.zeros(3)
    shown = learner.follow(learner.initial_state, table, ap.protocol.SampledCoins(1))[1]
    for time, (datum, own) in enumerate(zip(table, shown, strict=True), 1):
        assert np.allclose(own, point)
        point = body.project(point - 2 / (2 * math.sqrt(2 * time)) * loss.gradient(point, datum))


@pytest.mark.parametrize("kind", [GradientDescent, Origin])
def test_streams_follow_what_a_session_advises(kind):
    loss = LogisticLoss(dimension=3)
    learner = kind(horizon=30, body=Box(dimension=3), loss=loss)
    table, session, state, shown = data(loss, 30), learner.start(), learner.initial_state, []
    coins = ap.protocol.SampledCoins(1)
    for part in np.split(table, [0, 7, 20]):
        state, points = learner.follow(state, part, coins)
        shown += points.tolist()
    for datum, own in zip(table, shown, strict=True):
        assert session.send("advice").tolist() == own
        session.send(datum)
    with pytest.raises(ap.InvalidArgument, match="horizon of 30"):
        session.send(table[0])
    with pytest.raises(ap.InvalidArgument, match="past the horizon"):
        learner.follow(state, table[:1], coins)


@over(
    ("make", "text"),
    [
        (lambda: Ball(dimension=2, radius=0), "radius must be positive"),
        (lambda: Ball(dimension=2, radius=math.inf), "radius"),
        (lambda: Box(dimension=2, half_width=-1), "half_width must be positive"),
        (lambda: Box(dimension=0), "dimension"),
        (lambda: Origin(horizon=1, body=BALL, loss=LinearLoss(dimension=3)), "same dimension"),
        (lambda: LogisticLoss(dimension=2, grid=0), "grid"),
    ],
)
def test_bodies_that_are_empty_or_unbounded_are_refused(make, text):
    with pytest.raises(ap.InvalidArgument, match=text):
        make()


@pytest.mark.parametrize(
    "datum",
    [np.array([0, 0, 5]), np.array([0, 1]), np.array([0.0, 0, 0]), np.array([0, 0, 0, 0])],
    ids=["off the grid", "no label", "doubles", "too long"],
)
def test_data_of_another_space_are_refused(datum):
    learner = GradientDescent(horizon=5, body=BALL, loss=LogisticLoss(dimension=2, grid=4))
    session = learner.start()
    with pytest.raises(ap.InvalidArgument):
        session.send(datum)
    assert session.send("advice").tolist() == [0, 0]
