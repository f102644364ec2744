"""All learners of experts in the exact engine, against adversaries that listen and that do not.

An adversary that does not listen is one of the learner with sealed answers (``audit.sealed``).
"""

import math
from fractions import Fraction

import attrs
import numpy as np
import pytest
from exact_experts import FEWER, LOSSES
from test_noise_privacy import BaseTwo
from trying import over

import antiphon as ap
from antiphon import Log
from antiphon.audit.game import OPEN, oblivious
from antiphon.composition import Certified, ComplexMechanism
from antiphon.learners import ADVICE, Hedge, LazyExperts, LazyPolicy, ShrinkingDartboard, Softmax
from antiphon.learners.experts.weighted import Holding
from antiphon.learners.specimens.experts import DecidesWhenAsked, OneCoin, StaysUnasked
from antiphon.mechanisms import CountAfter, TreeCounter

FIFTH = Log(Fraction(5, 4))
POINTS = [Fraction(1), Fraction(11, 10), Fraction(6, 5), Fraction(3, 2), Fraction(2)]


def lazy(**changed):
    return LazyExperts(**{"horizon": 3, "experts": 2, "rate": FIFTH, "cost": 1, **changed})


def parts(draws, **changed):
    return ComplexMechanism(LazyPolicy(lazy(**changed), draws=draws))


def curve(system, growths, *, rounds, losses=LOSSES, deaf=False):
    """Tight δ at every e^ε = growth, against adversaries that listen, or are deaf."""
    game = ap.PrivacyGame(system, lazy().verification)
    queries = [*losses, ADVICE]
    if deaf:
        game, rounds, queries = oblivious(game), rounds + 1, [*queries, OPEN]
    found = game.privacy_curve(epsilons=list(map(Log, growths)), rounds=rounds, queries=queries)
    return [delta for _, delta in found]


# --- those that claim something -----------------------------------------------------------------


@pytest.mark.every(5)
@pytest.mark.parametrize(
    ("system", "rounds", "losses"),
    [
        (lazy(horizon=2), 3, LOSSES),
        (lazy(), 5, LOSSES),
        (lazy(horizon=4, batch=2), 7, FEWER),
        (lazy(horizon=4, rate=Log(2)), 7, FEWER),
        (parts(1, horizon=2), 3, LOSSES),
        (parts(2), 5, FEWER),
        (parts(1), 5, FEWER),
        (parts(1, horizon=4, batch=2), 7, FEWER),
        (parts(1, horizon=2, grid=2, rate=Log(Fraction(9, 4))), 3,
         [np.array(each) for each in ((0, 2), (1, 0), (2, 1))]),
    ],
    ids=str,
)  # fmt: skip
def test_no_adversary_gets_more_than_is_promised(system, rounds, losses):
    """And one that is deaf gets no more than one that listens."""
    promise = ap.guarantee(system)
    listening = curve(system, POINTS, rounds=rounds, losses=losses)
    for growth, delta in zip(POINTS, listening, strict=True):
        assert delta <= Fraction(promise.delta_at(Log(growth)))
    (deaf,) = curve(system, POINTS[2:3], rounds=rounds, losses=losses, deaf=True)
    assert 0 < deaf <= listening[2]


@pytest.mark.slow
def test_what_is_derived_is_never_less_than_what_parts_reveal():
    """The tight Rényi divergences of P ∘* ExtConComp, of two draws and of one."""
    for draws in (1, 2):
        system = Certified(parts(draws), lazy().verification)
        game = ap.PrivacyGame(system, lazy().verification)
        found = game.check_claims(rounds=5, queries=[*FEWER, ADVICE])
        assert [each.verdict for each in found] == ["holds"], str(found)


# --- P ∘* ExtConComp says what the learner says, until the filter is full -------------------------


@over(
    ("changed", "draws", "losses"),
    [
        ({"horizon": 2}, 1, LOSSES),
        ({}, 2, LOSSES),
        ({"cost": 3, "rate": Log(2)}, 2, LOSSES),
        ({"batch": 2}, 1, LOSSES),
        ({"horizon": 4, "batch": 2}, 1, FEWER),
        ({"horizon": 2, "grid": 2, "rate": Log(Fraction(9, 4))}, 1, LOSSES),
    ],
)
def test_parts_say_what_the_learner_says(changed, draws, losses):
    learner = lazy(**changed)
    rounds = 2 * learner.horizon - 1
    found = ap.equivalent(
        learner, parts(draws, **changed), rounds=rounds, queries=[*losses, ADVICE]
    )
    assert found, str(found)


def test_after_a_refusal_they_stay():
    """One draw for two decisions: the laws part when two losses have come, and not before."""
    for rounds, alike in ((2, True), (3, False)):
        found = ap.equivalent(lazy(), parts(1), rounds=rounds, queries=[*LOSSES, ADVICE])
        assert bool(found) is alike


# --- Softmax on a counter -------------------------------------------------------------------------


@attrs.frozen
class InBaseTwo(ap.ContinualMechanism):
    """A system whose noise is in base two (``test_noise_privacy``)."""

    system: object
    radius: int

    @property
    def initial_state(self):
        return self.system.initial_state

    @property
    def signature(self):
        return self.system.signature

    def step(self, state, message, coins):
        return self.system.step(state, message, BaseTwo(coins, self.radius))


def test_softmax_keeps_the_claim_of_its_counter():
    """ε = 12, in base two 2^12. Each answer is a draw of its own: listening gains nothing here."""
    softmax = Softmax(rate=Log(2)) @ CountAfter() @ TreeCounter(horizon=2, epsilon=12, dimension=2)
    promise = ap.guarantee(softmax)
    assert promise.epsilon_at(0) == 12
    game = ap.PrivacyGame(InBaseTwo(softmax, 1), promise.verification)
    queries = {"queries": LOSSES[1:3]}
    assert game.tight_delta(epsilon=Log(2**12), rounds=2, **queries) == 0
    deaf = oblivious(game).tight_delta(epsilon=Log(2), rounds=3, queries=[*LOSSES[1:3], OPEN])
    assert 0 < deaf == game.tight_delta(epsilon=Log(2), rounds=2, **queries)


# --- those that claim nothing ---------------------------------------------------------------------


def test_hedge_loses_with_every_round_and_to_the_deaf_as_much():
    """No claim, but a loss that can be counted. Its draws are independent given the losses, so
    that listening tells nothing new."""
    for horizon, growth in ((2, "41/32"), (3, "861/512"), (4, "18501/8192")):
        hedge = Hedge(horizon=horizon, experts=2, rate=FIFTH)
        game = ap.PrivacyGame(hedge, hedge.verification)
        epsilon = game.tight_epsilon(delta=0, rounds=2 * horizon - 1, queries=[*FEWER, ADVICE])
        assert epsilon == Log(Fraction(growth))
    at = {"growths": [Fraction(6, 5)], "rounds": 7, "losses": FEWER}
    assert curve(hedge, deaf=True, **at) == curve(hedge, **at) == [Fraction(367034, 3792705)]


def test_the_shrinking_dartboard_tells_that_there_was_a_loss():
    """Whoever is left had a loss: no ε will do, below the δ of leaving."""
    board = ShrinkingDartboard(horizon=2, experts=2, rate=FIFTH)
    game = ap.PrivacyGame(board, board.verification)
    queries = [*LOSSES, ADVICE]
    # Follows 0, which loses in one world only; leaves it, and draws 1.
    leaves = Fraction(1, 2) * Fraction(1, 5) * Fraction(5, 9)
    for delta, epsilon in ((leaves / 2, math.inf), (Fraction(1, 5), 0)):
        assert game.tight_epsilon(delta=delta, rounds=3, queries=queries) == epsilon


# --- twins, under the claim of what they stand for ------------------------------------------------


@attrs.frozen(kw_only=True)
class ReadsAhead(LazyExperts):
    """Decides on a batch when the next has begun, whose first loss it counts in both; B = 1."""

    def _learn(self, state, loss, coins):
        state, expert = LazyExperts._advise(self, state, coins)
        lost, scores = int(loss[expert]), state.scores - loss
        if state.rounds and not coins.bernoulli_exp(self.exponent(state.batch + lost)):
            expert = self._drawn(scores, coins)
        return Holding(state.rounds + 1, scores, expert, lost)


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("kind", "changed", "rounds"),
    [
        (DecidesWhenAsked, {"horizon": 1}, 5),
        (DecidesWhenAsked, {"horizon": 2, "rate": Log(5), "cost": 2}, 6),
        (OneCoin, {"horizon": 2, "rate": Log(Fraction(3, 2))}, 3),
        (ReadsAhead, {"horizon": 3, "rate": Log(Fraction(3, 2))}, 6),
    ],
)
def test_twins_are_refuted(kind, changed, rounds):
    """By some adversary that listens; lazy experts themselves are not, by any."""
    honest = lazy(**changed)
    facts = {"experts": 2, "rate": FIFTH, "cost": 1, **changed}
    twin = kind(**facts) if kind is ReadsAhead else kind(LazyExperts(**facts))
    for system, verdict in ((honest, "holds"), (twin, "REFUTED")):
        game = ap.PrivacyGame(system, honest.verification)
        found = game.check_claims(rounds=rounds, queries=[*FEWER, ADVICE])
        assert [each.verdict for each in found] == [verdict], str(found)


def test_one_coin_for_two_things_tells_all():
    """No ε will do, at a tenth of the probability."""
    twin = OneCoin(LazyExperts(horizon=3, experts=2, rate=Log(5), cost=2))
    game = ap.PrivacyGame(twin, twin.verification)
    found = game.tight_epsilon(delta=Fraction(1, 10), rounds=5, queries=[*FEWER, ADVICE])
    assert found == math.inf


def test_a_decision_that_is_not_asked_for_tells_that_there_was_no_loss():
    unasked = ComplexMechanism(StaysUnasked(LazyPolicy(lazy(horizon=2), draws=1)))
    game = ap.PrivacyGame(unasked, lazy().verification)
    search = {"delta": Fraction(1, 100), "rounds": 3, "queries": [*LOSSES, ADVICE]}
    assert game.tight_epsilon(**search) == math.inf
    honest = ap.PrivacyGame(parts(1, horizon=2), lazy().verification)
    assert float(honest.tight_epsilon(**search)) < 1
