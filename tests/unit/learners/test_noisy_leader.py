"""Noisy leaders: the chain that they are, what they claim, and how they are tuned."""

import math
from fractions import Fraction

import attrs
import numpy as np
import pytest
from exact_experts import table
from hypothesis import given
from hypothesis import strategies as st
from trying import examples, over

import antiphon as ap
from antiphon import Log
from antiphon.composition.accounting.calibration import budget, largest_rho
from antiphon.learners import ADVICE, NoisyLeader, Softmax, contest, games, tree_ftrl
from antiphon.learners.experts.noisy_leader import best_rate, noise_cost, regret_bound
from antiphon.mechanisms import (
    BufferedToeplitzCounter,
    CountAfter,
    GaussianTreeCounter,
    SquareRootCounter,
    TreeCounter,
)
from antiphon.protocol import RecordedCoins, SampledCoins, Status
from antiphon.protocol.coins.tapes import outcomes
from antiphon.protocol.messages import TOP
from antiphon.verifiers import event_level

SIZE = {"horizon": 40, "dimension": 3, "largest": 4}
BUFFERED = BufferedToeplitzCounter(rho=0.5, normalised=True, **SIZE)
TREE = GaussianTreeCounter(rho=0.5, **SIZE)
COUNTERS = [
    BUFFERED,
    attrs.evolve(BUFFERED, normalised=False, resolution=16, rho=20),
    SquareRootCounter(rho=0.5, **SIZE),
    TREE,
    TreeCounter(epsilon=Fraction(1, 2), **SIZE),
]
LEADERS = [NoisyLeader(rate=0.2, counter=counter) for counter in COUNTERS]
EVERY = over("leader", LEADERS, at_least=5)


# --- the chain, in the words of a learner ---------------------------------------------------------


@EVERY
def test_it_is_the_chain_and_decides_when_a_loss_comes(leader):
    coins, other = (RecordedCoins(SampledCoins(3)) for _ in range(2))
    session = leader.start(coins=coins)
    chain = (Softmax(rate=Fraction(1, 20)) @ CountAfter() @ leader.counter).start(coins=other)
    first = session.send(ADVICE)
    assert first == other.uniform_integer(leader.experts)
    for loss in table(leader):
        assert session.send(loss) is TOP
        drawn = coins.take()
        expert = chain.send(loss)
        assert [session.send(ADVICE) for _ in range(2)] == [expert] * 2
        assert coins.take() == ()
        assert drawn[-1].value == expert
    assert leader.counter.dimension == leader.experts == 3


@EVERY
@given(seed=st.integers(0, 2**32), cuts=st.lists(st.integers(0, 40), max_size=3))
@examples(8)
def test_whole_streams_follow_whom_a_session_advises(leader, seed, cuts):
    losses, coins = table(leader, seed), SampledCoins(seed)
    state, shown = leader.initial_state, []
    for part in np.split(losses, sorted(cuts)):
        state, followed = leader.follow(state, part, coins)
        shown += followed.tolist()
    stepped, own, said = leader.initial_state, SampledCoins(seed), []
    for loss in losses:
        stepped, expert = leader.step(stepped, ADVICE, own)
        stepped, _ = leader.step(stepped, loss, own)
        said.append(expert)
    assert shown == said
    assert state == stepped


def test_memory_that_was_limited_rolls_on_as_it_steps():
    """Noise of 4 steps of a grid, and a drift that is set near its limit."""
    counter = attrs.evolve(BUFFERED, resolution=2**10, rho=4, normalised=False)
    leader = NoisyLeader(rate=1, counter=counter)
    start = leader.initial_state.counting
    drift = np.array([counter.far * 0.9999, 0.0, -counter.far])
    state = leader.initial_state._replace(counting=start._replace(drift=drift))
    losses = table(leader, rounds=12)
    followed = leader._follow(state, losses, SampledCoins(1))
    stepped, coins, said = state, SampledCoins(1), []
    for loss in losses:
        stepped, expert = leader.step(stepped, ADVICE, coins)
        stepped, _ = leader.step(stepped, loss, coins)
        said.append(expert)
    assert followed[1].tolist() == said
    assert np.isinf(stepped.counting.drift).all()
    assert np.array_equal(followed[0].counting.memory, stepped.counting.memory)


@EVERY
def test_bad_losses_are_refused_and_nothing_has_happened(leader):
    coins = RecordedCoins(SampledCoins(1))
    session = leader.start(coins=coins)
    for loss in table(leader):
        session.send(loss)
    last = session.send(ADVICE)
    coins.take()
    with pytest.raises(ap.InvalidArgument, match="horizon of 40 losses"):
        session.send(table(leader)[0])
    for loss in ([5, 0, 0], [-1, 0, 0], [0, 0], [0.5, 0, 0]):
        with pytest.raises(ap.InvalidArgument):
            session.send(np.array(loss))
    with pytest.raises(ap.InvalidArgument, match="past the horizon"):
        leader.follow(leader.initial_state, table(leader, rounds=41), coins)
    assert coins.take() == ()
    assert session.send(ADVICE) == last


@pytest.mark.parametrize(
    ("counter", "text"),
    [
        (TreeCounter(horizon=9, epsilon=1), "dimension"),
        (TreeCounter(horizon=9, epsilon=1, dimension=2, smallest=-1), "smallest=0"),
        (TreeCounter(horizon=9, epsilon=1, dimension=2, clip=True), "without clip"),
        (TreeCounter(horizon=9, epsilon=1, dimension=2, users=True), "users"),
        (None, "counter"),
    ],
)
def test_counters_of_other_things_are_refused(counter, text):
    with pytest.raises(ap.InvalidArgument, match=text):
        NoisyLeader(rate=1, counter=counter)


# --- claims ---------------------------------------------------------------------------------------


@EVERY
def test_it_claims_what_its_counter_does(leader):
    found, counter = ap.guarantee(leader), ap.guarantee(leader.counter)
    assert found.status is counter.status is Status.PROVED
    assert found.epsilon_at(1e-6) == counter.epsilon_at(1e-6)
    (claim,) = leader.claims
    assert claim.measure == leader.counter.claims[0].measure
    assert "Lemma 2.15" in claim.source
    chain = Softmax(rate=1) @ CountAfter() @ leader.counter
    losses = leader.verification.updates
    assert ap.guarantee(chain, losses).epsilon_at(1e-6) == found.epsilon_at(1e-6)


def test_neighbours_are_those_of_the_counter():
    near = NoisyLeader(rate=1, counter=attrs.evolve(TREE, sensitivity=1, events=2))
    assert near.verification.updates == near.counter.verification.updates
    one, far = np.array([1, 0, 0]), np.array([4, 4, 4])
    f = near.verification
    assert f([ap.Pair(one, 0 * one), ap.same(ADVICE), ap.Pair(one, 0 * one)]) is TOP
    assert f([ap.Pair(one, far)]) is ap.BOTTOM
    assert f([ap.Pair(ADVICE, one)]) is ap.BOTTOM
    assert NoisyLeader(rate=1, counter=TREE).verification.updates == event_level()


def test_of_another_counter_it_is_assumed():
    class Silent(GaussianTreeCounter):
        def _noise(self, coins):
            return 0

    class Sure(Silent):
        @property
        def claims(self):
            return TREE.claims

    for kind in (Silent, Sure):
        leader = NoisyLeader(rate=1, counter=kind(rho=0.5, **SIZE))
        assert [claim.status for claim in leader.claims] == [Status.ASSUMED]
        assert ap.guarantee(leader).status is Status.ASSUMED


# --- exact ----------------------------------------------------------------------------------------


@attrs.frozen(kw_only=True, repr=False)
class CoarseTree(TreeCounter):
    """With noise that is enumerated: -1, 0 or 1, each coordinate's, e^(-|z|) for e = ``base``."""

    base: int = 3

    def _noise(self, coins):
        low, high = Fraction(1), Fraction(self.base)
        return np.array([coins.categorical((low, high, low)) - 1 for _ in range(self.dimension)])


def law(learner, messages):
    def play(coins):
        state, answers = learner.initial_state, []
        for message in messages:
            state, answer = learner.step(state, message, coins)
            answers.append(answer)
        return tuple(answers)

    found = {}
    for probability, answers in outcomes(play):
        found[answers] = found.get(answers, 0) + probability
    return found


def test_softmax_of_a_tree_is_enumerated():
    """Two losses, each node's noise on its own: P by hand, and the chain says the same."""
    tree = CoarseTree(horizon=2, epsilon=1, dimension=2)
    losses = [np.array([1, 0]), np.array([1, 1])]
    chain = law(Softmax(rate=Log(2)) @ CountAfter() @ tree, losses)
    noise = {-1: Fraction(1, 5), 0: Fraction(3, 5), 1: Fraction(1, 5)}
    wanted = {}
    for a, p in noise.items():
        for b, q in noise.items():
            for c, r in noise.items():
                for e, s in noise.items():
                    sums = ((1 + a, b), (2 + c, 1 + e))
                    for x in range(2):
                        for y in range(2):
                            own = p * q * r * s * chance(sums[0], x) * chance(sums[1], y)
                            wanted[x, y] = wanted.get((x, y), 0) + own
    assert chain == wanted
    asked = [losses[0], ADVICE, losses[1], ADVICE]
    found = law(NoisyLeader(rate=Log(2), counter=tree), asked)
    assert {(x, y): p for (_, x, _, y), p in found.items()} == wanted


def chance(sums, expert):
    weights = [Fraction(1, 2) ** each for each in sums]
    return weights[expert] / sum(weights)


def test_to_ask_tells_nothing_more_and_one_loss_moves_it_by_what_its_counter_allows():
    """ε of the noise: base^(moves of the node sums), two nodes, two coordinates."""
    tree = CoarseTree(horizon=2, epsilon=1, dimension=2)
    leader = NoisyLeader(rate=Log(2), counter=tree)
    losses = [np.array([1, 0]), np.array([0, 1])]
    game = ap.PrivacyGame(leader, leader.verification)
    silent = game.tight_delta(epsilon=Log(2), rounds=3, queries=[*losses, ADVICE])
    asking = game.tight_delta(epsilon=Log(2), rounds=4, queries=[*losses, ADVICE])
    assert 0 < silent <= asking < 1


# --- rates ----------------------------------------------------------------------------------------


@given(st.floats(1e-4, 4), st.floats(1e-9, 1e5), st.integers(2, 1000))
def test_the_cost_of_noise_is_the_integral_of_its_slope(rate, variance, experts):
    steps = (np.arange(4000) + 0.5) * variance / 4000
    slope = rate * (1 - 1 / experts) / 2
    least = np.minimum(slope, np.sqrt(math.log(experts) / (2 * steps)))
    integral = least.sum() * variance / 4000
    assert float(noise_cost(rate, variance, experts)) == pytest.approx(integral, rel=0.02, abs=1e-9)


@given(st.integers(1, 2**20), st.integers(1, 10**4), st.floats(0, 1e9))
def test_the_rate_is_the_largest_near_the_least_bound(horizon, experts, variance):
    experts = max(experts, 2)

    def bound(rate):
        cost = float(noise_cost(rate, variance, experts))
        return math.log(experts) / rate + rate * horizon * (1 / 8 + 1 / 256) + cost

    rate = float(best_rate(horizon, experts, variance))
    least = min(bound(rate * 2**-k) for k in np.arange(0, 40, 0.05))
    assert bound(rate) <= 1.126 * least
    assert rate > 63 or bound(rate * 1.02) > 1.12 * least


@given(st.floats(1e-3, 50), st.floats(1e-12, 0.5))
def test_all_of_the_budget_is_used_and_no_more(epsilon, delta):
    leader = NoisyLeader.tuned(horizon=8, experts=2, epsilon=epsilon, delta=delta)
    assert 0.999 * epsilon < ap.guarantee(leader).epsilon_at(delta) <= epsilon


@pytest.mark.parametrize(("epsilon", "delta"), [(0, 0.1), (-1, 0.1), (1, 0), (1, 1)])
def test_budgets_are_checked(epsilon, delta):
    with pytest.raises(ap.InvalidArgument, match=r"epsilon|delta"):
        NoisyLeader.tuned(horizon=9, experts=2, epsilon=epsilon, delta=delta)
    with pytest.raises(ap.InvalidArgument, match=r"epsilon|delta"):
        largest_rho(*budget(epsilon, delta))


@pytest.mark.parametrize(
    ("experts", "epsilon", "most"), [(10, 1, 347), (10, Fraction(1, 10), 1302), (1000, 1, 2705)]
)
def test_the_bound_at_2_to_the_16(experts, epsilon, most):
    leader = NoisyLeader.tuned(horizon=2**16, experts=experts, epsilon=epsilon, delta=1e-6)
    assert leader.regret_bound <= most


def test_bounds_of_trees_and_of_one_expert():
    tree = tree_ftrl(horizon=2**10, experts=10, epsilon=1, delta=1e-6)
    assert tree.regret_bound == 2**10
    alone = BufferedToeplitzCounter(horizon=64, rho=1, dimension=1)
    assert regret_bound(1.0, alone) == 0
    long = NoisyLeader(rate=1, counter=attrs.evolve(alone, horizon=2**21, dimension=2))
    with pytest.raises(ap.Intractable, match="horizon"):
        _ = long.regret_bound


@pytest.mark.slow
@pytest.mark.parametrize("grid", [1, 8])
def test_regret_is_within_the_bound_against_losses_chosen_beforehand(grid):
    """Means of 40 games: below the bound by more than the band."""
    leader = NoisyLeader.tuned(horizon=512, experts=5, epsilon=8, delta=1e-3, grid=grid)
    game = games.RandomLosses(rounds=512, experts=5, grid=grid)
    found = contest(leader, game, repetitions=40, seed=1, executor="serial")
    assert found.mean[-1] + found.band()[-1] < leader.regret_bound < 25


def test_a_log_needs_sums_of_whole_numbers():
    counter = BufferedToeplitzCounter(horizon=4, dimension=2, rho=1)
    with pytest.raises(ap.CompositionError, match="whole numbers"):
        NoisyLeader(rate=ap.Log(2), counter=counter)


@pytest.mark.parametrize(
    ("changed", "said"),
    [({"rho": 50}, "costs ε = 100"), ({"sensitivity": Fraction(1, 1000)}, "near losses only")],
)
def test_a_counter_that_is_made_keeps_to_what_was_asked(changed, said):
    size = {"horizon": 4, "experts": 2, "epsilon": 1, "delta": 1e-6}
    kept = NoisyLeader.tuned(**size, counter=lambda **given: GaussianTreeCounter(**given))
    assert kept == tree_ftrl(**size)
    with pytest.raises(ap.InvalidArgument, match=said):
        NoisyLeader.tuned(**size, counter=lambda **given: GaussianTreeCounter(**given | changed))
