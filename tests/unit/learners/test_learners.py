"""Learners of experts: what they answer, what they claim, and how they are tuned."""

import math
from fractions import Fraction

import attrs
import numpy as np
import pytest
from accounting_reference import range_moment
from exact_experts import table
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf
from trying import examples, over

import antiphon as ap
from antiphon import Log
from antiphon.composition.accounting.calibration import short_rate
from antiphon.composition.accounting.renyi import from_renyi
from antiphon.learners import (
    ADVICE,
    Hedge,
    LazyExperts,
    LazyToPrivate,
    NoisyLeader,
    ShrinkingDartboard,
)
from antiphon.learners.experts.lazy import lazy_parameters
from antiphon.learners.joint_curve import LazyCurve
from antiphon.learners.searching import regret_bound
from antiphon.protocol import RecordedCoins, SampledCoins, Status
from antiphon.protocol.messages import TOP

LAZY = LazyExperts(horizon=40, experts=3, rate=0.2, cost=1.5, batch=3, grid=4)
LEARNERS = [
    Hedge(horizon=40, experts=3, rate=0.2, grid=4),
    ShrinkingDartboard(horizon=40, experts=3, rate=0.2, grid=4),
    LAZY,
    attrs.evolve(LAZY, batch=1),
    attrs.evolve(LAZY, rate=Log(16), cost=2),
]
EVERY = over("learner", LEARNERS, at_least=5)


# --- the protocol -------------------------------------------------------------------------------


@EVERY
def test_to_ask_twice_or_never_changes_nothing(learner):
    losses = table(learner)
    for asks in (1, 3):
        session = learner.start(seed=5)
        shown = []
        for loss in losses:
            said = {session.send(ADVICE) for _ in range(asks)}
            assert len(said) == 1
            shown += said
            assert session.send(loss) is TOP
        assert shown == asked_once(learner, losses)
    silent = learner.start(seed=5)
    silent.send(ADVICE)
    for loss in losses:
        silent.send(loss)
    assert silent.send(ADVICE) == asked_once(learner, [*losses, None])[-1]


def asked_once(learner, losses, seed=5):
    session, shown = learner.start(seed=seed), []
    for loss in losses:
        shown.append(session.send(ADVICE))
        if loss is not None:
            session.send(loss)
    return shown


@EVERY
@given(seed=st.integers(0, 2**32), cuts=st.lists(st.integers(0, 40), max_size=3))
@examples(10)
def test_whole_streams_follow_whom_a_session_advises(learner, seed, cuts):
    losses, coins = table(learner, seed), SampledCoins(seed)
    state, shown = learner.initial_state, []
    for part in np.split(losses, sorted(cuts)):
        state, followed = learner.follow(state, part, coins)
        shown += followed.tolist()
    assert shown == asked_once(learner, losses, seed)
    session = learner.start(seed=seed)
    for loss in losses:
        session.send(ADVICE)
        session.send(loss)
    assert learner.step(state, ADVICE, coins)[1] == session.send(ADVICE)


@pytest.mark.every(2)
@pytest.mark.parametrize(("rounds", "epsilon"), [(1024, 0.01), (256, 0.1)])
def test_parameters_are_found_where_some_that_are_tried_are_not_private_at_all(rounds, epsilon):
    learner = LazyExperts.tuned(horizon=rounds, experts=10, epsilon=epsilon, delta=1e-6)
    promise = ap.guarantee(learner)
    assert promise.status is Status.PROVED
    assert promise.epsilon_at(1e-6) <= epsilon


@pytest.mark.slow
@over(
    "learner",
    lambda: [
        *LEARNERS,
        LazyToPrivate.tuned(horizon=3, experts=3, grid=4, epsilon=1, delta=1e-6),
        NoisyLeader.tuned(horizon=3, experts=3, grid=4, epsilon=1, delta=1e-6),
    ], at_least=7)  # fmt: skip
def test_of_no_losses_nothing_is_drawn_and_nobody_shown(learner):
    coins, none = RecordedCoins(SampledCoins(1)), table(learner)[:0]
    for state in (learner.initial_state, learner.step(learner.initial_state, ADVICE, coins)[0]):
        coins.take()
        after, shown = learner.follow(state, none, coins)
        assert after is state
        assert (shown.shape, shown.dtype) == ((0,), np.int64)
        assert coins.take() == ()


@EVERY
def test_past_the_horizon_it_is_refused_and_nothing_has_happened(learner):
    coins = RecordedCoins(SampledCoins(1))
    session = learner.start(coins=coins)
    for loss in table(learner):
        session.send(loss)
    last = session.send(ADVICE)
    coins.take()
    with pytest.raises(ap.InvalidArgument, match="horizon of 40 losses"):
        session.send(table(learner)[0])
    assert coins.take() == ()
    assert session.send(ADVICE) == last
    with pytest.raises(ap.InvalidArgument, match="past the horizon"):
        learner.follow(learner.initial_state, table(learner, rounds=41), coins)
    with pytest.raises(ap.InvalidArgument, match="table"):
        learner.follow(learner.initial_state, table(learner) + 1, coins)
    assert coins.take() == ()


def test_decisions_fall_at_the_ends_of_batches_but_not_at_the_last():
    coins = RecordedCoins(SampledCoins(1))
    state, decided = LAZY.initial_state, []
    for time, loss in enumerate(table(LAZY), 1):
        state, _ = LAZY.step(state, loss, coins)
        if any(draw.kind == "bernoulli_exp" for draw in coins.take()):
            decided.append(time)
    assert decided == [3 * k for k in range(1, 14)]
    assert LAZY.curve.decisions == len(decided)
    exactly = attrs.evolve(LAZY, horizon=39)
    assert exactly.curve.decisions == 12


def test_it_stays_with_the_stated_probability():
    """Exponents η(c + L), L the losses of the expert that is held, in this batch."""
    coins = RecordedCoins(SampledCoins(1))
    state, _ = LAZY.step(LAZY.initial_state, ADVICE, coins)
    held, lost = state.expert, 0
    for loss in table(LAZY, rounds=3):
        lost += int(loss[held])
        coins.take()
        state, _ = LAZY.step(state, loss, coins)
    assert coins.take()[0].parameter == Fraction(1, 5) * (Fraction(3, 2) + Fraction(lost, 4))
    assert state.batch == 0


def test_rates_of_logarithms_are_exact_or_refused():
    assert attrs.evolve(LAZY, rate=Log(16), cost=2).exponent(3) == Log(2**11)
    with pytest.raises(ap.InvalidArgument, match="4-th power"):
        attrs.evolve(LAZY, rate=Log(3))
    with pytest.raises(ap.InvalidArgument, match="cost·grid"):
        attrs.evolve(LAZY, rate=Log(16), cost=0.3)
    with pytest.raises(ap.InvalidArgument, match="rate must be positive"):
        attrs.evolve(LAZY, rate=0)


# --- claims -------------------------------------------------------------------------------------


def test_what_is_not_private_claims_nothing_and_no_verifier_creates_it():
    hedge = LEARNERS[0]
    assert hedge.claims == ()
    with pytest.raises(ap.CompositionError):
        ap.guarantee(hedge)


def test_the_claim_of_lazy_experts_is_proved_of_themselves_only():
    assert ap.guarantee(LAZY).status is Status.PROVED

    class Eager(LazyExperts):
        def exponent(self, loss):
            return Fraction(0)

    eager = Eager(horizon=4, experts=2, rate=1, cost=1)
    assert ap.guarantee(eager).status is Status.ASSUMED


def exactly(curve, order):
    """The same bound in fifty digits."""
    rate, cost, alpha = (mpf(each.numerator) / each.denominator for each in
                         (Fraction(float(curve.rate)), curve.cost, Fraction(order)))  # fmt: skip
    large = range_moment(2 * rate, alpha)

    def mixed(own, other):
        s, t = mp.e ** (-rate * own), mp.e ** (-rate * other)
        return s**alpha * t ** (1 - alpha) + (1 - s) ** alpha * (1 - t) ** (1 - alpha) * large

    far = cost + curve.batch
    ends = [(cost, cost + 1), (far - 1, far)]
    first = max(mixed(far, far), *(mixed(a, b) for a, b in (*ends, *[e[::-1] for e in ends])))
    total = mp.log(first) + (curve.decisions - 1) * mp.log(mixed(far, far))
    return total / (alpha - 1)


@over("decisions", [1, 2, 10])
@over("batch", [1, 3])
def test_the_curve_is_the_bound_and_no_more(decisions, batch):
    """For few decisions, of which each counts."""
    for rate, order in ((0.2, 3), (1e-2, 50), (1e-6, 1.5)):
        curve = LazyCurve(short_rate(rate), Fraction(3, 2), batch, decisions)
        with mp.workdps(50):
            assert float(curve(order)) == pytest.approx(float(exactly(curve, order)), rel=1e-6)


@given(
    st.floats(1e-5, 0.5), st.fractions(Fraction(1, 8), 40), st.integers(1, 200),
    st.integers(1, 10**6), st.sampled_from((1 + 2.0**-10, 1.5, 2, 3, 7.25, 40, 500)),
)  # fmt: skip
def test_the_curve_is_the_bound_rounded_up(rate, cost, batch, decisions, order):
    with mp.workdps(50):
        curve = LazyCurve(short_rate(rate), cost, batch, decisions)
        found, wanted = curve(order), exactly(curve, order)
        assert wanted <= found <= wanted * (1 + mpf(10) ** -5) + mpf(10) ** -12


@given(st.floats(1e-4, 0.5), st.integers(1, 100), st.integers(2, 10**4))
def test_more_orders_and_more_decisions_tell_no_less(rate, batch, decisions):
    curve = LazyCurve(short_rate(rate), Fraction(2), batch, decisions)
    found = [curve(order) for order in (1, 1 + 2.0**-20, 1.01, 1.5, 2, 5, 50)]
    assert found == sorted(found)
    assert curve(2) <= attrs.evolve(curve, decisions=decisions + 1)(2)
    assert attrs.evolve(curve, decisions=0)(2) == 0
    assert curve(math.inf) == math.inf


# --- parameters ---------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("horizon", "experts", "epsilon", "bound"),
    [(2**16, 10, 1, 472.2), (2**16, 10, 0.1, 1839), (2**16, 100, 1, 845), (2**14, 10, 1, 277)],
)
def test_tuned_parameters_reach_the_bounds_of_the_theory(horizon, experts, epsilon, bound):
    """Within the part of 32 that buys a larger rate; and ε is kept, and nearly used up."""
    learner = LazyExperts.tuned(horizon=horizon, experts=experts, epsilon=epsilon, delta=1e-6)
    assert learner.regret_bound <= bound * 33 / 32
    spent = ap.guarantee(learner).epsilon_at(1e-6)
    assert 0.999 * epsilon < spent <= epsilon


@pytest.mark.every(8)
@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1, 8])
@pytest.mark.parametrize("horizon", [64, 256, 1024, 2**16])
def test_the_budget_is_spent_where_that_helps(horizon, epsilon):
    """A part of it is left only where the rate is the best of its batch, whatever ε is."""
    learner = LazyExperts.tuned(horizon=horizon, experts=10, epsilon=epsilon, delta=1e-6)
    best = math.sqrt(8 * math.log(10) / (learner.batch * horizon))
    spent = from_renyi(learner.curve).epsilon_at(1e-6)
    assert 0.999 * epsilon < spent <= epsilon or best <= learner.rate <= 1.11 * best


def test_a_small_budget_is_spent():
    """Once .0007 of .01: the cost was one of which the claim says nothing."""
    learner = LazyExperts.tuned(horizon=1024, experts=10, epsilon=0.01, delta=1e-6)
    assert from_renyi(learner.curve).epsilon_at(1e-6) > 0.0099
    assert learner.regret_bound < 0.8 * 1024


@given(
    st.integers(1, 2**20), st.integers(1, 10**4), st.floats(1e-3, 20), st.floats(1e-12, 0.5),
)  # fmt: skip
@examples(1)
def test_tuned_parameters_are_private_whatever_is_asked(horizon, experts, epsilon, delta):
    learner = LazyExperts.tuned(horizon=horizon, experts=experts, epsilon=epsilon, delta=delta)
    assert ap.guarantee(learner).epsilon_at(delta) <= epsilon


@pytest.mark.parametrize(("epsilon", "delta"), [(0, 0.1), (-1, 0.1), (1, 0), (1, 1)])
def test_budgets_are_checked(epsilon, delta):
    with pytest.raises(ap.InvalidArgument, match=r"epsilon|delta"):
        LazyExperts.tuned(horizon=9, experts=2, epsilon=epsilon, delta=delta)


@pytest.mark.slow
def test_a_larger_budget_has_less_regret():
    bounds = [
        regret_bound(2**12, 10, float(found.rate), found.batch)
        for found in (lazy_parameters(2**12, 10, epsilon, 1e-6) for epsilon in (0.3, 1, 3, 30))
    ]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[-1] < 1.4 * regret_bound(2**12, 10, math.sqrt(8 * math.log(10) / 2**12), 1)


@pytest.mark.parametrize("order", [5e306, 1e307, 1.7e308, math.inf])
def test_an_order_that_doubles_do_not_tell_from_infinity_is_infinite(order):
    learner = LazyExperts(horizon=2, experts=2, rate=1, cost=Fraction(1, 10**9))
    assert learner.curve(order) == math.inf


def test_a_change_that_doubles_lose_is_no_less():
    # ln(s₀/s₁) = 1e-18 = η for the nearest s₁, times α-1 = 1e18, over α-1.
    assert LazyCurve(Fraction(1, 10**18), Fraction(10**16), 1, 1)(1e18) >= 9.5e-17
