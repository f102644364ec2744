"""L2P's DP-OCO and lazy leaders: what they answer, what they claim, and how they are tuned."""

import itertools
import math
from fractions import Fraction

import attrs
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mpmath import mp, mpf
from trying import examples, over, sized

import antiphon as ap
from antiphon.composition.accounting import from_renyi
from antiphon.learners import ADVICE
from antiphon.learners.convex import Ball, Box, LinearLoss, SquaredLoss
from antiphon.learners.joint_curve import (
    JointCurve,
    contribution,
    corners,
    l2p_bound,
    lazy_bound,
    paired_curve,
    prefix_curve,
)
from antiphon.learners.oco import DPOCO, LazyGibbs, LazyLeader
from antiphon.learners.oco.lazy_prefix import gradient_steps
from antiphon.learners.oco.oco_tuning import OCOTask, lazy_prefix
from antiphon.protocol import RecordedCoins, SampledCoins, Status
from antiphon.protocol.messages import TOP

BALL, LOSS = Ball(dimension=3), LinearLoss(dimension=3, grid=8)
STAYS = {
    "horizon": 20, "body": BALL, "loss": LOSS, "regulariser": 2.0, "sigma": 3, "cost": 0.25,
    "clip": 0.5, "batch": 3,
}  # fmt: skip
LEARNERS = [
    LazyLeader(**STAYS),
    LazyGibbs(**STAYS),
    LazyGibbs(**STAYS | {"body": Box(dimension=3)}),
    DPOCO(horizon=20, body=BALL, loss=LOSS, rate=0.1, beta=0.2, regulariser=2, fakes=0.2, batch=3),
]
EVERY = over("learner", LEARNERS, at_least=4)
ASKED = {"horizon": 2**14, "body": Ball(dimension=20), "loss": LinearLoss(dimension=20)}
BUDGET = {"epsilon": 1, "delta": 1e-6}


def data(rounds=20, seed=0):
    return np.random.default_rng(seed).integers(-8, 9, (rounds, 3), np.int64)


def shown(learner, asks=1, seed=5):
    session, points = learner.start(seed=seed), []
    for datum in data():
        for _ in range(asks):
            point = session.send(ADVICE)
        points.append(point.tolist())
        assert session.send(datum) is TOP
    return points


# --- the protocol -------------------------------------------------------------------------------


@EVERY
def test_to_ask_twice_or_never_changes_nothing(learner):
    assert shown(learner) == shown(learner, asks=3)
    silent = learner.start(seed=5)
    silent.send(ADVICE)
    for datum in data()[:-1]:
        silent.send(datum)
    assert silent.send(ADVICE).tolist() == shown(learner)[-1]


@EVERY
def test_points_lie_in_the_body_and_move_at_the_ends_of_batches_only(learner):
    points = shown(learner)
    for point in points:
        assert np.allclose(learner.body.project(np.array(point)), point)
    moves = [t for t, pair in enumerate(itertools.pairwise(points), 1) if pair[0] != pair[1]]
    assert moves
    assert all(move % 3 == 0 for move in moves)


@EVERY
def test_past_the_horizon_it_is_refused_and_nothing_has_happened(learner):
    coins = RecordedCoins(SampledCoins(1))
    session = learner.start(coins=coins)
    for datum in data():
        session.send(datum)
    last = session.send(ADVICE).tolist()
    coins.take()
    with pytest.raises(ap.InvalidArgument, match="horizon of 20 losses"):
        session.send(data()[0])
    with pytest.raises(ap.InvalidArgument):
        session.send(data()[0] + 20)
    assert coins.take() == ()
    assert session.send(ADVICE).tolist() == last


def test_a_point_that_was_shown_cannot_be_written_into():
    point = LEARNERS[0].start(seed=1).send(ADVICE)
    with pytest.raises(ValueError, match="read-only"):
        point[0] = 7


# --- gradients ------------------------------------------------------------------------------------


class Odd(LinearLoss):
    """Whose gradients are none."""

    def gradient(self, point, datum):
        return np.array([math.nan, math.inf, -math.inf])


def test_gradients_are_clipped_in_steps_of_the_slope():
    """Of 4 and of 1, over 8; the rest is told of ``clipped``, in test_dp_ftrl.py."""
    steep, wide = SquaredLoss(dimension=2, grid=8), Ball(dimension=2, radius=3)
    assert gradient_steps(steep, wide, np.array([3.0, 0]), np.array([4, -4, -8])) == (
        2,
        -2,
    )  # L = 4
    assert gradient_steps(LOSS, BALL, np.zeros(3), np.array([6, 0, -5])) == (6, 0, -5)
    assert gradient_steps(LOSS, BALL, np.zeros(3), np.array([6, 0, -8])) == (5, 0, -6)


def test_a_gradient_that_is_no_number_is_no_step():
    found = gradient_steps(Odd(dimension=3, grid=8), BALL, np.zeros(3), data()[0])
    assert found == (0, 0, 0)


# --- when to stay ---------------------------------------------------------------------------------


def test_it_stays_by_the_clipped_log_ratio():
    """Against logarithms of Gaussian densities, in doubles."""
    learner = LEARNERS[0]
    coins = RecordedCoins(SampledCoins(3))
    state, _ = learner.step(learner.initial_state, ADVICE, coins)
    total, wanted = np.zeros(3), 0.0
    sigma = float(learner.sigma) * 8
    for datum in data(3):
        step = np.array(gradient_steps(LOSS, BALL, np.zeros(3), datum))
        noisy = np.array(state.held.noisy)
        logs = [-((noisy - mean) ** 2).sum() / (2 * sigma**2) for mean in (total, total + step)]
        wanted += float(learner.clip) - min(max(logs[1] - logs[0], -0.5), 0.5)
        coins.take()
        state, _ = learner.step(state, datum, coins)
        total += step
    assert state.total == tuple(total)
    drawn = coins.take()[0]
    assert drawn.kind == "bernoulli_exp"
    assert float(drawn.parameter) == pytest.approx(0.25 + wanted, rel=1e-9)
    assert state.ratios == 0


def test_noise_is_of_so_many_steps_and_decisions_fall_at_the_ends_of_batches_but_not_the_last():
    learner = attrs.evolve(LEARNERS[0], horizon=21)
    coins = RecordedCoins(SampledCoins(1))
    state, _ = learner.step(learner.initial_state, ADVICE, coins)
    (drawn,) = coins.take()
    assert (drawn.kind, drawn.parameter) == ("discrete_gaussians", (Fraction(24), 3))
    decided = []
    for time, datum in enumerate(data(21), 1):
        state, _ = learner.step(state, datum, coins)
        if any(draw.kind == "bernoulli_exp" for draw in coins.take()):
            decided.append(time)
    assert decided == [3, 6, 9, 12, 15, 18]
    assert learner.curve.batches == len(decided)


def test_dp_oco_stays_by_both_points():
    """2Bη + β⟨Σg, x - y⟩, at least 0."""
    learner = attrs.evolve(LEARNERS[3], batch=1, beta=0.001)
    coins = RecordedCoins(SampledCoins(3))
    state, _ = learner.step(learner.initial_state, ADVICE, coins)
    (x, y), datum = state.pair, np.array([8, 0, 0])
    coins.take()
    learner.step(state, datum, coins)
    drawn = coins.take()[0]
    assert float(drawn.parameter) == pytest.approx(0.2 + 0.001 * float(x[0] - y[0]))
    far = attrs.evolve(learner, beta=1e3)
    nothing = (0, 0, 0)
    exponents = [far._exponent(pair, nothing, (8, 0, 0)) for pair in (state.pair, state.pair[::-1])]
    assert min(exponents) == 0


# --- claims -------------------------------------------------------------------------------------


def test_only_what_is_whole_is_proved():
    statuses = [ap.guarantee(each).status for each in LEARNERS]
    assert statuses == [Status.PROVED, *[Status.ASSUMED] * 3]
    odd = attrs.evolve(LEARNERS[0], loss=Odd(dimension=3, grid=8))
    assert ap.guarantee(odd).status is Status.ASSUMED


@given(
    st.fractions(Fraction(1, 50), 3), st.fractions(Fraction(1, 100), 2),
    st.floats(0, 1), st.sampled_from((1.5, 3, 20, 150)), st.floats(0, 0.1),
)  # fmt: skip
@example(Fraction(1, 10), Fraction(2), 0.01, 3, 0.1)  # largest at (high, high - apart)
def test_no_pair_within_the_hexagon_contributes_more(low, width, share, order, rho):
    """The corners' largest, rounded up, is that of a lattice of pairs or a hair more."""
    apart = width * Fraction(share)
    drawn = order * (order - 1) * rho
    found = contribution(corners(low, low + width, apart), order - 1, drawn)
    with mp.workdps(30):
        own = [mpf(float(low + width * k / 8)) for k in range(9)]
        steps = [mpf(float(apart * k / 4)) for k in range(-4, 5)]
        pairs = [(a, a + step) for a in own for step in steps]
        inside = [p for p in pairs if own[0] <= p[1] <= own[-1]]
        large = mp.e ** mpf(drawn)
        most = max(
            mp.e ** (-order * a + (order - 1) * b)
            + (1 - mp.e**-a) ** order * (1 - mp.e**-b) ** (1 - order) * large
            for a, b in inside
        )
        assert mp.log(most) <= found + mpf(10) ** -13


@over(
    "curve",
    [
        lazy_bound(0.01, 6, 6, 300),
        l2p_bound(0.003, 0.02, 2, 4, 200),
        prefix_curve(1000, 4, Fraction(50), Fraction(1, 10), Fraction(1, 25)),
        paired_curve(1001, 4, 0.02, 0.1, 0.005, Fraction(1, 2000)),
    ],
)
def test_parameters_are_looked_for_by_the_bound_that_is_claimed(curve):
    """In plain floats, of 400 orders: what they take for the least ε is that of the claim."""
    spent = from_renyi(curve).epsilon_at(1e-6)
    assert curve.seems_to_keep(spent * 1.0002, 1e-6, 400, 5e4)
    assert not curve.seems_to_keep(spent / 1.0002, 1e-6, 400, 5e4)


def test_curves_rise_with_all_that_costs():
    curve = prefix_curve(1000, 4, Fraction(50), Fraction(1, 10), Fraction(1, 25))
    orders = (1, 1.01, 1.5, 2, 5, 50)
    assert [curve(order) for order in orders] == sorted(map(curve, orders))
    assert curve(2) < attrs.evolve(curve, batches=curve.batches + 1)(2)
    assert curve(2) < prefix_curve(1000, 4, Fraction(49), Fraction(1, 10), Fraction(1, 25))(2)
    assert attrs.evolve(curve, batches=0)(2) == 0
    assert curve(math.inf) == math.inf
    assert JointCurve((), (), 3, Fraction(1))(2) < 1e-300


@pytest.mark.parametrize("cost", [Fraction(1), Fraction(10**4)])
def test_a_decision_that_doubles_cannot_tell_is_infinite_and_no_nan(cost):
    curve = prefix_curve(2, 1, Fraction(50), cost, Fraction(1, 25))
    assert curve.batches == 1
    assert (curve(2) == math.inf) == (cost > 600)


def test_fake_switches_of_both_points_are_paid_for():
    """Where all is fake, K-1 times two draws: p = ½, and nothing is learned by x or y."""
    rho, order = Fraction(1, 100), 3
    curve = paired_curve(11, 1, 0.5, 0.0, 1e-12, rho)
    each = math.log(0.5 + 0.5 * math.exp(order * (order - 1) * float(rho)))
    assert curve(order) == pytest.approx(10 * 2 * each / (order - 1), rel=1e-6)


# --- parameters ---------------------------------------------------------------------------------


@over(
    ("kind", "epsilon"),
    [(LazyLeader, 1), (LazyGibbs, 0.1), (DPOCO, 1),
     *sized([], [(LazyLeader, 0.1), (LazyGibbs, 1), (DPOCO, 0.1)])],
)  # fmt: skip
# At ε = 0.1 nothing that DP-OCO tells is worth its price: it stands still.
def test_tuned_parameters_keep_to_the_budget_and_nearly_use_it_up(kind, epsilon):
    learner = kind.tuned(**ASKED, epsilon=epsilon, delta=1e-6)
    spent = ap.guarantee(learner).epsilon_at(1e-6)
    assert 0.97 * epsilon < spent <= epsilon or (kind is DPOCO and learner.batch == 2**14)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.001, 0.01, 0.1, 1, 10])
@pytest.mark.parametrize("horizon", [64, 2**10, 2**14])
def test_the_budget_is_spent_or_nothing_is_told(horizon, epsilon):
    """Where nothing is worth its price all rounds are one batch, and no decision is made."""
    found = lazy_prefix(horizon, 20, Fraction(epsilon), Fraction(1, 10**6))
    curve = prefix_curve(horizon, found.batch, found.sigma, found.cost, found.clip)
    spent = from_renyi(curve).epsilon_at(1e-6)
    assert 0.99 * epsilon < spent <= epsilon or (spent == 0 and found.batch == horizon)
    learner = DPOCO.tuned(**ASKED | {"horizon": horizon}, epsilon=epsilon, delta=1e-6)
    spent = ap.guarantee(learner).epsilon_at(1e-6)
    assert 0.99 * epsilon < spent <= epsilon or (spent == 0 and learner.batch == horizon)


@given(st.integers(1, 2**14), st.floats(1e-2, 20), st.floats(1e-12, 0.5))
@examples(2)
def test_tuned_parameters_are_private_whatever_is_asked(horizon, epsilon, delta):
    asked = {"horizon": horizon, "body": BALL, "loss": LOSS, "epsilon": epsilon, "delta": delta}
    for kind in (LazyLeader, DPOCO):
        assert ap.guarantee(kind.tuned(**asked)).epsilon_at(delta) <= epsilon


def test_as_printed_dp_oco_is_refused_with_each_premise_that_fails():
    with pytest.raises(ap.InvalidArgument) as caught:
        DPOCO.printed(**ASKED, **BUDGET)
    text = str(caught.value)
    for said in (
        "η·B·ln(1/δ₁)/p <= 1, and here 0.00167404·1·24.9059/0.00167403 = 24.9059",
        "3.81 times",
        "ε = 2.539",
        "corrected",
    ):
        assert said in text
    assert OCOTask.of(**ASKED, **BUDGET).as_printed().closeness == pytest.approx(
        3.81 * 0.001674, rel=1e-3
    )


@pytest.mark.parametrize(("horizon", "dimension"), [(2**14, 2), (2**14, 20), (64, 200)])
def test_as_printed_parameters_are_those_of_the_theorem(horizon, dimension):
    """Thm 3.12: η = ε^(2/3)/(T^(1/3) ln(T/δ)), λ = (L/D)·max{√T, √(d ln T)/η}."""
    body, loss = Ball(dimension=dimension, radius=3), LinearLoss(dimension=dimension)
    found = OCOTask.of(horizon, body, loss, Fraction(1, 2), 1e-6).as_printed()
    rate = 0.5 ** (2 / 3) / (horizon ** (1 / 3) * math.log(horizon / 1e-6))
    assert float(found.setting.rate) == pytest.approx(rate, rel=1e-12)
    longest = max(math.sqrt(horizon), math.sqrt(dimension * math.log(horizon)) / rate)
    slope = float(loss.lipschitz(body))
    assert found.regulariser == pytest.approx(slope / 6 * longest, rel=1e-12)
    beta = rate**2 * found.regulariser / (20 * slope**2)
    assert found.beta == pytest.approx(beta, rel=1e-12, abs=0)


def test_corrected_parameters_satisfy_the_theorem_and_lose_far_less_than_it_says():
    """By the exact accounting: theory has 230 to 1,500 times less."""
    learner = DPOCO.corrected(**ASKED, **BUDGET)
    epsilon, delta = learner.claims[0].parameters
    assert 0.999 < epsilon <= 1
    assert 0 < delta <= Fraction(1, 10**6)
    assert learner.claims[0].status is Status.ASSUMED
    exactly = from_renyi(learner.curve).epsilon_at(1e-6)
    assert 200 < 1 / exactly < 300


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"rate": 0.2}, "η <= 1/10, and here η = 0.2"),
        ({"fakes": 1e-9}, "⌈T/B⌉·p >= 1"),
        ({"batch": 1000}, r"η·B·ln\(1/δ₁\)/p <= 1"),
        ({"beta": 1.0}, "Lemma 3.11"),
    ],
)
def test_each_premise_of_the_theorem_is_checked(changed, said):
    with pytest.raises(ap.InvalidArgument, match=said):
        attrs.evolve(DPOCO.corrected(**ASKED, **BUDGET), **changed)


def test_a_rate_of_a_tenth_is_one():
    """As printed: the double 0.1 is a little more."""
    asked = {"horizon": 64, "rate": 0.1, "beta": 5e-5, "fakes": 0.9, "regulariser": 1}
    learner = DPOCO(body=BALL, loss=LOSS, accounting="theorem", loose=1e-9, tail=1e-3, **asked)
    assert learner.premises.setting.rate == Fraction(1, 10)


class Squared(LinearLoss):
    """A loss of somebody's own."""


class Cross(Ball):
    """A body of somebody's own."""


@over(
    ("learner", "changed", "said"),
    [
        (LEARNERS[0], {"clip": 1e-9}, "clip must be at least"),
        (LEARNERS[0], {"sigma": 0}, "sigma must be positive"),
        (LEARNERS[0], {"cost": 0}, "cost must be positive"),
        (LEARNERS[0], {"batch": 0}, "batch"),
        (LEARNERS[0], {"body": Ball(dimension=2)}, "2 coordinates and the loss 3"),
        (LEARNERS[1], {"body": Cross(dimension=3)}, "not from a Cross"),
        (LEARNERS[3], {"body": Cross(dimension=3)}, "not from a Cross"),
        (LEARNERS[3], {"loss": Squared(dimension=3)}, "linear losses only"),
        (LEARNERS[3], {"fakes": 1}, "fakes must lie strictly between 0 and 1"),
        (LEARNERS[3], {"accounting": "guess"}, "accounting"),
    ],
)
def test_bad_parameters_are_refused(learner, changed, said):
    with pytest.raises((ap.InvalidArgument, ValueError), match=said):
        attrs.evolve(learner, **changed)


@over("kind", [LazyLeader, DPOCO])
@over(("epsilon", "delta"), [(0, 0.1), (-1, 0.1), (1, 0), (1, 1)])
def test_budgets_are_checked(kind, epsilon, delta):
    with pytest.raises(ap.InvalidArgument, match=r"epsilon|delta"):
        kind.tuned(horizon=9, body=BALL, loss=LOSS, epsilon=epsilon, delta=delta)
