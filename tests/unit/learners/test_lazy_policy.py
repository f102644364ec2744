"""Lazy experts as P ∘* ExtConComp: what is derived, what is created, when it stops drawing."""

from fractions import Fraction
from itertools import pairwise

import attrs
import numpy as np
import pytest

import antiphon as ap
from antiphon import Log
from antiphon.composition import ComplexMechanism, check_properties
from antiphon.composition.properties import Property
from antiphon.learners import ADVICE, LazyExperts, LazyPolicy, StayBit
from antiphon.learners.specimens.experts import StaysUnasked
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol import RecordedCoins, SampledCoins, Status, ZeroConcentrated

DELTA = Fraction(1, 10**6)
LOSSES = [np.array(each) for each in ((0, 0), (0, 1), (1, 0), (1, 1))]


def lazy(**changed):
    parameters = {"horizon": 2**14, "experts": 10, "rate": Fraction(1, 128), "cost": 6, "batch": 6}
    return LazyExperts(**parameters | changed)


def small(**changed):
    return lazy(**{"horizon": 3, "experts": 2, "rate": Log(2), "cost": 1, "batch": 1, **changed})


def epsilon(learner, draws):
    return ap.guarantee(ComplexMechanism(LazyPolicy(learner, draws=draws))).epsilon_at(DELTA)


# --- what is derived ------------------------------------------------------------------------------


def test_the_promise_is_derived_and_proved():
    """T = 2^14, d = 10, η = 1/128, B = c = 6, so many draws that they do in all but 1e-6 of runs.

    Less than a decision counted as RR and (ε, δ) added up: 0.967.
    """
    policy = LazyPolicy.capped(lazy(), beta=1e-6)
    assert policy.draws == 326
    promise = ap.guarantee(ComplexMechanism(policy))
    assert promise.status is Status.PROVED
    assert 0.67855 < promise.epsilon_at(DELTA) < 0.67856
    assert 0.60323 < ap.guarantee(lazy()).epsilon_at(DELTA) < 0.60324


def test_it_grows_with_the_draws_and_is_that_of_a_decision_without():
    """ρ of n draws is n·η²/2; the decision stands beside it."""
    learner = lazy()
    found = [epsilon(learner, draws) for draws in (1, 100, 326, 1000)]
    assert found == sorted(found)
    decision = ap.composition.accounting.from_renyi(StayBit(learner).claims[0].measure.curve)
    assert decision.epsilon_at(DELTA) < found[0] < 1.2 * decision.epsilon_at(DELTA)


@pytest.mark.parametrize("steps", [{}, {"rate": Log(4), "grid": 2}])
def test_the_divergence_of_a_decision_is_that_of_two_coins(steps):
    """Of losses that are a whole one apart, however many steps of the grid that is."""
    learner = small(cost=2, batch=3, **steps)
    curve = StayBit(learner).claims[0].measure.curve
    game = ap.PrivacyGame(StayBit(learner), StayBit(learner).verification)
    for order in (2, 5, 16):
        tight = game.tight_renyi(order, rounds=1).upper
        assert tight <= curve(order) <= tight * (1 + 1e-9) + 1e-12


def test_what_the_filter_lets_pass_is_concentrated():
    _, _, draws = LazyPolicy(lazy(), draws=5).created
    assert draws.claim.measure == ZeroConcentrated(5 * Fraction(1, 128) ** 2 / 2)
    assert draws.claim.status is Status.PROVED


def test_a_learner_of_another_class_is_refused():
    @attrs.frozen(kw_only=True)
    class Other(LazyExperts):
        pass

    fields = {"horizon": 3, "experts": 2, "rate": 1, "cost": 1}
    with pytest.raises(InvalidArgument, match="learner is a LazyExperts, not an Other"):
        LazyPolicy(Other(**fields), draws=1)
    with pytest.raises(InvalidArgument, match="experts must be > 1"):
        LazyPolicy(LazyExperts(**fields | {"experts": 1}), draws=1)
    with pytest.raises(InvalidArgument, match="draws"):
        LazyPolicy(LazyExperts(**fields), draws=0)


# --- the three properties -------------------------------------------------------------------------


def checked(kind, **changed):
    policy = LazyPolicy(small(**changed), draws=1)
    policy = policy if kind is LazyPolicy else kind(policy)
    f, inner = policy.lifting.outer, policy.lifting.inner
    return check_properties(
        policy, f, inner, queries=[*LOSSES, ADVICE], rounds=40, questions=4, limit=10**5
    )


def test_who_asks_for_some_decisions_only_lacks_the_destination_property():
    found = checked(StaysUnasked, horizon=2)
    assert found is not None
    assert found.property is Property.DESTINATION


# --- what it does ---------------------------------------------------------------------------------


def played(policy, rounds, seed=1, loss=None):
    """Who is shown in each round, its last state, and how many draws of each kind there were."""
    mechanism, coins = ComplexMechanism(policy), RecordedCoins(SampledCoins(seed))
    state, shown = mechanism.initial_state, []
    for time in range(rounds):
        state, expert = mechanism.step(state, ADVICE, coins)
        shown.append(expert)
        told = np.eye(policy.learner.experts, dtype=np.int64)[expert] if loss is None else loss
        state, answer = mechanism.step(state, told, coins)
        assert answer is ap.TOP, time
    kinds = [kind for kind, _, _ in coins.take()]
    return shown, state[0], {kind: kinds.count(kind) for kind in kinds}


def test_it_draws_no_more_than_it_may_and_then_stays():
    """η = 5: whoever is shown loses, and is left."""
    policy = LazyPolicy(small(horizon=40, rate=5), draws=3)
    shown, state, kinds = played(policy, 40)
    assert (state.draws, state.refused, kinds["categorical_exp"]) == (3, True, 3)
    changes = [time for time, (a, b) in enumerate(pairwise(shown)) if a != b]
    assert len(changes) <= 3
    assert len(set(shown[changes[-1] + 1 :])) == 1
    assert kinds["bernoulli_exp"] == 4  # and no decision is asked for that would change nothing


def test_no_decision_within_a_batch_nor_after_the_last():
    policy = LazyPolicy(small(horizon=9, batch=3, rate=Fraction(1, 50)), draws=3)
    _, state, kinds = played(policy, 9)
    assert (state.rounds, kinds["bernoulli_exp"]) == (9, 2)


def test_a_batch_may_lose_all_that_there_is_on_a_grid():
    """Two losses of 1, in steps of a half: the stay bit is asked with a loss of 4 steps."""
    policy = LazyPolicy(small(horizon=4, batch=2, grid=2, rate=Log(4)), draws=3)
    _, state, kinds = played(policy, 4, loss=np.array([2, 2]))
    assert (state.rounds, kinds["bernoulli_exp"]) == (4, 1)


def test_past_the_horizon_nothing_is_taken():
    mechanism = ComplexMechanism(LazyPolicy(small(horizon=1), draws=1))
    session = mechanism.start(seed=1)
    assert session.send(LOSSES[1]) is ap.TOP
    with pytest.raises(InvalidArgument, match="horizon of 1 losses"):
        session.send(LOSSES[1])
    assert session.send(ADVICE) in (0, 1)


def test_a_cap_is_exceeded_as_seldom_as_it_says():
    """At the largest probability to draw, exactly, by the binomial law."""
    learner = lazy(horizon=600)
    decisions, r = 99, 1 - np.exp(-12 / 128)
    for beta in (0.3, 0.01, 1e-6):
        draws = LazyPolicy.capped(learner, beta=beta).draws
        law = np.array([1.0])
        for _ in range(decisions):
            law = np.convolve(law, [1 - r, r])
        assert decisions * r < draws < decisions
        assert law[draws + 1 :].sum() <= beta
        assert law[draws // 2 :].sum() > beta
    assert LazyPolicy.capped(lazy(horizon=6), beta=0.1).draws == 1
