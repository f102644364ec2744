"""The private dartboard: lazy experts, and a budget of draws."""

import math
from fractions import Fraction

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trying import examples

import antiphon as ap
from antiphon.learners import ADVICE, LazyExperts, PrivateDartboard, contest, games
from antiphon.learners.experts.lazy import CappedCurve
from antiphon.learners.joint_curve import LazyCurve
from antiphon.protocol import RecordedCoins, SampledCoins, Status

DARTS = PrivateDartboard(horizon=60, experts=3, rate=1, cost=0.5, draws=4, grid=4)


def table(learner, seed=0):
    draw = np.random.default_rng(seed).integers
    return draw(0, learner.grid + 1, (learner.horizon, learner.experts), np.int64)


def drawn(learner, losses, seed):
    """How often it draws anew, in steps."""
    coins = RecordedCoins(SampledCoins(seed))
    state, _ = learner.step(learner.initial_state, ADVICE, coins)
    coins.take()
    for loss in losses:
        state, _ = learner.step(state, loss, coins)
    tape = coins.take()
    return [draw.kind for draw in tape].count("categorical_exp"), state, len(tape)


@pytest.mark.parametrize("draws", [1, 4, 60])
def test_it_draws_as_often_as_its_budget_allows_and_then_tosses_nothing(draws):
    learner = attrs.evolve(DARTS, draws=draws)
    free, _, _ = drawn(
        LazyExperts(horizon=60, experts=3, rate=1, cost=0.5, grid=4), table(DARTS), 1
    )
    found, state, tossed = drawn(learner, table(DARTS), 1)
    assert free > 4
    assert found == state.drawn == min(draws, free)
    assert (tossed < 59 + found) == (draws < free)


@given(seed=st.integers(0, 2**32), cuts=st.lists(st.integers(0, 60), max_size=3))
@examples(10)
def test_whole_streams_follow_whom_its_steps_advise(seed, cuts):
    losses, coins = table(DARTS, seed), SampledCoins(seed)
    state, shown = DARTS.initial_state, []
    for part in np.split(losses, sorted(cuts)):
        state, followed = DARTS.follow(state, part, coins)
        shown += followed.tolist()
    session = DARTS.start(seed=seed)
    said = []
    for loss in losses:
        said.append(session.send(ADVICE))
        session.send(loss)
    assert shown == said


def test_it_stays_with_1_minus_p_times_the_ratio_of_weights():
    assert DARTS.exponent(3) == Fraction(1, 2) + Fraction(3, 4)
    assert DARTS.switching == pytest.approx(1 - math.exp(-0.5))
    assert (DARTS.batch, DARTS.period) == (1, 1)


# --- claims ---------------------------------------------------------------------------------------


def test_without_need_of_its_budget_it_claims_what_lazy_experts_do():
    lazy = LazyExperts(horizon=60, experts=3, rate=1, cost=0.5, grid=4)
    many = attrs.evolve(DARTS, draws=60)
    assert many.capped(2) == lazy.curve(2)
    assert ap.guarantee(DARTS).status is Status.PROVED
    assert ap.guarantee(DARTS).epsilon_at(1e-6) < ap.guarantee(many).epsilon_at(1e-6)


@given(
    st.floats(1e-4, 2), st.fractions(Fraction(1, 8), 40), st.integers(0, 1000), st.integers(1, 50),
    st.floats(1, 100),
)  # fmt: skip
def test_the_capped_curve_is_the_lesser_bound(rate, cost, decisions, draws, order):
    """Of recursion V(n, k), which is no more, and the bound of lazy experts, which is no less."""
    curve = CappedCurve(LazyCurve(Fraction(rate), cost, 1, decisions), draws)
    assert 0 <= curve(order) <= curve.lazy(order)
    assert curve(order) <= attrs.evolve(curve, draws=draws + 1)(order)
    if decisions:
        single = attrs.evolve(curve.lazy, decisions=1)(order)
        assert curve(order) <= single + draws * 2 * rate * (1 + 1e-9)
        assert curve(order) >= single or curve(order) == curve.lazy(order)


# --- parameters -----------------------------------------------------------------------------------


@given(st.integers(1, 2**16), st.integers(1, 1000), st.floats(1e-2, 20), st.floats(1e-12, 0.5))
@examples(4)
def test_tuned_parameters_are_private(horizon, experts, epsilon, delta):
    learner = PrivateDartboard.tuned(horizon=horizon, experts=experts, epsilon=epsilon, delta=delta)
    assert ap.guarantee(learner).epsilon_at(delta) <= epsilon


def test_tuned_it_has_the_bound_of_lazy_experts_and_one_round_more():
    """With B = 1, the best at T = 2^16, d = 10, ε = 1: 472.2."""
    learner = PrivateDartboard.tuned(horizon=2**16, experts=10, epsilon=1, delta=1e-6)
    assert learner.regret_bound <= 472.5 + 1.01
    assert learner.draws < 2**16 * learner.switching * 2
    few = attrs.evolve(learner, draws=learner.draws // 2)
    assert few.regret_bound > 2**16


def test_regret_is_within_the_bound():
    learner = PrivateDartboard.tuned(horizon=1024, experts=5, epsilon=4, delta=1e-3)
    game = games.RandomLosses(rounds=1024, experts=5)
    found = contest(learner, game, repetitions=40, seed=1, executor="serial")
    assert found.mean[-1] + found.band()[-1] < learner.regret_bound
    with pytest.raises(ap.InvalidArgument, match="expected regret"):  # the budget changes the law
        contest(learner, game, expected=True)
