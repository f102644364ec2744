"""Lazy experts in the exact engine: the best adversary gets no more than is claimed."""

import math
from fractions import Fraction

import attrs
import numpy as np
import pytest
from exact_experts import FEWER, HALVES, LOSSES, compared, law, oblivious, verdicts

import antiphon as ap
from antiphon import Log, Pair, audit, same
from antiphon.learners import ADVICE, LazyExperts
from antiphon.protocol.messages import BOTTOM, TOP
from antiphon.protocol.registry import set_derived
from antiphon.protocol.spaces import Anything, Signature

FIFTH = Log(Fraction(5, 4))
"""η with e^-η = 4/5."""


def lazy(kind=LazyExperts, **changed):
    parameters = {"horizon": 2, "experts": 2, "rate": FIFTH, "cost": 2}
    return kind(**parameters | changed)


@pytest.mark.every(8)
@pytest.mark.parametrize(
    ("learner", "losses"),
    [
        (lazy(), LOSSES),
        (lazy(cost=1, rate=Log(3)), LOSSES),
        (lazy(horizon=3), FEWER),
        (lazy(horizon=3, cost=1), FEWER),
        (lazy(horizon=3, cost=1, batch=2, rate=Log(2)), LOSSES),
        (lazy(horizon=4, cost=1, batch=2), FEWER),
        (lazy(horizon=4, cost=1, rate=Log(Fraction(3, 2))), FEWER),
        (lazy(grid=2, rate=Log(Fraction(9, 4)), cost=Fraction(1, 2)), HALVES),
        (lazy(batch=2), LOSSES),
    ],
)
def test_no_adversary_gets_more_than_is_claimed(learner, losses):
    found = compared(learner, losses)
    assert verdicts(found) == ["holds"], str(found)


def test_the_claim_is_not_far_from_the_truth():
    """At order 5, T = 2: what the proof reveals makes up for most of the rest."""
    learner = lazy()
    (row,) = compared(learner, LOSSES)
    at_five = next(each for each in row.orders if each.tight.order == 5)
    assert 0.92 < at_five.tight.upper / at_five.claimed < 1


# --- twins --------------------------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class Costless(LazyExperts):
    """Without c: an expert without losses is never left, so whoever is left had one."""

    def exponent(self, loss):
        return Log(self.unit.argument**loss)


@attrs.frozen(kw_only=True)
class Late(LazyExperts):
    """Decides when it is asked, each time anew."""

    def _advise(self, state, coins):
        state, expert = LazyExperts._advise(self, state, coins)
        if state.rounds and not coins.bernoulli_exp(self.exponent(min(state.batch, 1))):
            expert = self._drawn(state.scores, coins)
        return state._replace(expert=expert), expert

    def _learn(self, state, loss, coins):
        state, expert = LazyExperts._advise(self, state, coins)
        return state._replace(
            rounds=state.rounds + 1, scores=state.scores - loss, batch=int(loss[expert])
        )


@attrs.frozen(kw_only=True)
class NoBatches(LazyExperts):
    """Decides within a batch, too."""

    def _learn(self, state, loss, coins):
        state, expert = LazyExperts._advise(self, state, coins)
        scores, batch = state.scores - loss, state.batch + int(loss[expert])
        if not coins.bernoulli_exp(self.exponent(batch)):
            expert = self._drawn(scores, coins)
        rounds = state.rounds + 1
        return state._replace(
            rounds=rounds, scores=scores, expert=expert, batch=batch * bool(rounds % self.batch)
        )


def test_without_a_cost_whoever_is_left_had_a_loss():
    assert verdicts(compared(lazy(Costless), LOSSES)) == ["REFUTED"]
    game = ap.PrivacyGame(lazy(Costless), lazy().verification)
    assert (
        game.tight_epsilon(delta=Fraction(1, 100), rounds=3, queries=[*LOSSES, ADVICE]) == math.inf
    )


@pytest.mark.every(2)
@pytest.mark.parametrize(("kind", "horizon", "rounds"), [(Late, 1, 5), (NoBatches, 2, 4)])
def test_a_decision_more_tells_more(kind, horizon, rounds):
    """Where the honest one decides nothing, as the horizon is one batch."""
    twin = lazy(kind, horizon=horizon, batch=horizon)
    honest = lazy(horizon=horizon, batch=horizon)
    assert verdicts(compared(twin, FEWER, rounds)) == ["REFUTED"]
    assert verdicts(compared(honest, FEWER, rounds)) == ["holds"]


@attrs.frozen(kw_only=True)
class Revealed(LazyExperts):
    """Says all that the proof reveals: whether it drew, and whom."""

    def __attrs_post_init__(self):
        LazyExperts.__attrs_post_init__(self)
        own = self.signature
        set_derived(self, signature=Signature(own.queries, Anything(), own.updates))

    def step(self, state, message, coins):
        noted = Noted(coins)
        after, answer = LazyExperts.step(self, state, message, noted)
        return after, (answer, noted.drawn, after.expert)


class Noted(ap.Coins):
    """Notes whether an expert was drawn."""

    def __init__(self, coins):
        super().__init__()
        self.coins, self.drawn = coins, False

    def draw(self, kind, parameter):
        self.drawn = kind == "categorical_exp"
        return self.coins.draw(kind, parameter)


def shortcut(learner, order, exponent, switching):
    """k·ln(1 + r(R-1)) and the divergence of the bit that differs, each on its own."""
    rate, cost = float(learner.rate), float(learner.cost)
    large = math.exp(order * (order - 1) * rate**2 / 2)
    r = -math.expm1(-rate * (cost + learner.batch))
    return exponent * math.log1p(r * (large - 1)) / (order - 1) + switching(rate, cost, order)


def as_response(rate, cost, order):
    """That of RR with ε the largest log-ratio of the bit's two laws."""
    stays = [-math.expm1(-rate * each) for each in (cost + 1, cost)]
    return ap.composition.accounting.response_divergence(
        max(rate, math.log(stays[0] / stays[1])), order
    )


def test_all_that_is_revealed_is_within_the_bound_and_past_the_shortcuts():
    learner, order = lazy(Revealed), 5
    game = ap.PrivacyGame(learner, learner.verification)
    tight = game.tight_renyi(order, rounds=2, queries=[*LOSSES, ADVICE])
    assert tight.upper <= learner.curve(order)
    assert shortcut(learner, order, 1, as_response) < tight.lower
    assert f"{shortcut(learner, order, 1, as_response):.5f}" == "0.25019"
    assert f"{tight.lower:.5f}" == "0.25241"
    assert shortcut(learner, order, 2, as_response) > tight.upper


# --- against losses that are chosen beforehand ----------------------------------------------------


@pytest.mark.slow
def test_adversaries_that_listen_get_more_and_neither_past_the_claim():
    learner, growth = lazy(horizon=3, cost=1), Fraction(6, 5)
    game = ap.PrivacyGame(learner, learner.verification)
    adaptive = game.tight_delta(epsilon=Log(growth), rounds=5, queries=[*LOSSES, ADVICE])
    deaf = oblivious(learner, growth, LOSSES)
    sealed = {"rounds": 6, "queries": [*LOSSES, ADVICE, audit.OPEN]}
    assert deaf == audit.oblivious(game).tight_delta(epsilon=Log(growth), **sealed)
    assert 0 < deaf < adaptive <= Fraction(ap.guarantee(learner).delta_at(Log(growth)))


def test_the_marginal_law_is_that_of_exponential_weights():
    """x after each batch ∝ e^(-η·loss), against losses chosen beforehand; not without batches."""
    learner = lazy(horizon=4, cost=1, batch=2)
    losses = [np.array(each) for each in ((1, 0), (1, 1), (1, 0))]
    for told, score in ((1, (0, 0)), (2, (2, 1)), (3, (2, 1))):
        found = law(learner, [*losses[:told], ADVICE])
        heads = sum(p for answers, p in found.items() if answers[-1] == 0)
        weights = [Fraction(4, 5) ** each for each in score]
        assert heads == weights[0] / sum(weights)
        assert learner.marginal(-np.array(score))[0] == pytest.approx(float(heads), rel=1e-12)


def test_pairs_of_the_game_are_those_of_f():
    f = lazy().verification
    one, other = LOSSES[:2]
    assert f([Pair(one, other), same(ADVICE), same(other)]) is TOP
    assert f([Pair(one, other), Pair(one, other)]) is BOTTOM
    assert f([Pair(one, ADVICE)]) is BOTTOM
