"""L2P in the exact engine: no adversary gets more than an accounting says, and twins tell more."""

from fractions import Fraction

import attrs
import numpy as np
import pytest
from exact_experts import FEWER, HALVES, LOSSES, compared, law, oblivious, verdicts
from trying import over, sized

import antiphon as ap
from antiphon import Log
from antiphon.learners import ADVICE, LazyToPrivate
from antiphon.learners.l2p import ExponentialWeights, Measures, Printed, Repaired, lazy_to_private
from antiphon.learners.specimens.experts import Reused, of_two
from antiphon.protocol import Status
from antiphon.protocol.registry import set_derived
from antiphon.protocol.spaces import Anything, Signature

SLOW = Log(Fraction(101, 100))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("learner", "losses"),
    [
        (of_two(), LOSSES),
        (of_two(margin=1), LOSSES),
        (of_two(rate=Log(5), margin=1, fakes=Fraction(1, 100)), LOSSES),
        (of_two(rate=Log(5), fakes=Fraction(9, 10)), LOSSES),
        (of_two(horizon=3), FEWER),
        (of_two(horizon=3, rate=Log(2), margin=1), FEWER),
        (of_two(horizon=3, batch=2, rate=Log(2)), LOSSES),
        (of_two(horizon=4, batch=2, rate=Log(2), margin=1), FEWER),
        (of_two(batch=2), LOSSES),
    ],
    ids=str,
)
def test_no_adversary_gets_more_than_the_joint_bound(learner, losses):
    found = compared(learner, losses)
    assert verdicts(found) == ["holds"], str(found)


@pytest.mark.slow
@pytest.mark.parametrize(
    "learner", [of_two(horizon=4), of_two(horizon=4, rate=Log(3), margin=1)], ids=str
)
def test_no_adversary_gets_more_in_four_rounds(learner):
    found = compared(learner, FEWER)
    assert verdicts(found) == ["holds"], str(found)


def test_a_grid_of_halves():
    weights = ExponentialWeights(experts=2, grid=2, rate=Log(Fraction(9, 4)))
    learner = LazyToPrivate(measures=weights, horizon=2, fakes=Fraction(1, 5))
    assert verdicts(compared(learner, HALVES)) == ["holds"]


@over("kind", [Printed, Repaired])
@over("margin", [1, 2])
@over("tail", [Fraction(1, 200), Fraction(1, 10**9)])
def test_no_adversary_gets_more_than_the_theorem_says(kind, margin, tail):
    learner = of_two(
        rate=SLOW, horizon=3, fakes=Fraction(2, 5), margin=margin, accounting=kind(tail=tail)
    )
    (claim,) = learner.claims
    assert claim.status is Status.PROVED
    assert verdicts(compared(learner, FEWER)) == ["holds"]


@pytest.mark.parametrize(
    ("fakes", "margin", "order", "near"),
    [(Fraction(1, 50), 1, 2, 0.7), (Fraction(1, 2), 2, 2, 0.6), (Fraction(3, 10), 1, 5, 0.7)],
)
def test_the_bound_is_of_all_that_is_revealed(fakes, margin, order, near):
    """Whether x and y were kept, and who was drawn: within the bound, and not far from it."""
    learner = of_two(Revealed, fakes=fakes, margin=margin, rate=Log(Fraction(5, 4)))
    game = ap.PrivacyGame(learner, learner.verification)
    tight = game.tight_renyi(order, rounds=2, queries=[*LOSSES, ADVICE])
    curve = learner.accounting.measure(learner.setting).curve
    assert near < tight.lower / curve(order)
    assert tight.upper <= curve(order)


@attrs.frozen(kw_only=True)
class Revealed(LazyToPrivate):
    """Says all that the proof reveals: x, y, and whether they were drawn."""

    def __attrs_post_init__(self):
        LazyToPrivate.__attrs_post_init__(self)
        own = self.signature
        set_derived(self, signature=Signature(own.queries, Anything(), own.updates))

    def step(self, state, message, coins):
        noted = Noted(coins)
        after, answer = LazyToPrivate.step(self, state, message, noted)
        return after, (answer, tuple(noted.seen), after.pair)


class Noted(ap.Coins):
    """Notes the kinds of draws: x is drawn before the coin for y is tossed, y after it."""

    def __init__(self, coins):
        super().__init__()
        self.coins, self.seen = coins, []

    def draw(self, kind, parameter):
        self.seen.append(kind)
        return self.coins.draw(kind, parameter)


# --- what adapting gains --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("growth", "deaf"),
    [(Fraction(11, 10), Fraction(7, 484)), (Fraction(6, 5), Fraction(13, 2541))],
)
def test_to_adapt_doubles_what_is_told(growth, deaf):
    learner = of_two()
    game = ap.PrivacyGame(learner, learner.verification)
    assert oblivious(learner, growth, LOSSES) == deaf
    adaptive = game.tight_delta(epsilon=Log(growth), rounds=3, queries=[*LOSSES, ADVICE])
    assert adaptive == 2 * deaf <= Fraction(ap.guarantee(learner).delta_at(Log(growth)))


# --- the marginal ---------------------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class Favoured(Measures):
    """(1-η)^(losses) times a public prior of 3 : 1, η = 1/5."""

    experts: int = 2

    @property
    def unit(self):
        return Log(Fraction(5, 4))

    @property
    def reach(self):
        return 1

    @property
    def first(self):
        return np.array([3, 0])

    def after(self, scores, loss):
        return scores - loss


@pytest.mark.every(4)
@pytest.mark.parametrize("margin", [1, 2])
@pytest.mark.parametrize("batch", [1, 2])
def test_who_is_followed_has_the_law_of_the_base_algorithm(batch, margin):
    """In rounds of losses chosen beforehand, whatever is kept: the measure of the batch's start."""
    learner = LazyToPrivate(
        measures=Favoured(), horizon=4, fakes=Fraction(1, 3), batch=batch, margin=margin
    )
    losses = [np.array(each) for each in ((1, 0), (1, 1), (1, 0))]
    for told in range(sized(2, 4)):
        found = law(learner, [*losses[:told], ADVICE])
        zero = sum(p for answers, p in found.items() if answers[-1] == 0)
        over = told // batch * batch
        scores = np.array([3, 0]) - sum(losses[:over], np.zeros(2, np.int64))
        weights = [Fraction(5, 4) ** int(each) for each in scores]
        assert zero == weights[0] / sum(weights)
        assert learner.marginal(scores)[0] == pytest.approx(float(zero), rel=1e-12)


@pytest.mark.slow
def test_measures_from_elsewhere_are_assumed_and_hold():
    learner = LazyToPrivate(measures=Favoured(), horizon=2, fakes=Fraction(1, 3))
    found = compared(learner, LOSSES)
    assert verdicts(found) == ["holds"]
    assert [claim.status for claim in learner.claims] == [Status.ASSUMED]


# --- twins ----------------------------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class NoFakes(LazyToPrivate):
    """No switch is fake: S' = A = 1."""

    def _decided(self, pair, begun, scores, coins):
        x, y = pair
        stays = coins.bernoulli_exp(self._exponent(pair, begun, scores))
        return x if stays else self._drawn(scores, coins), y


@attrs.frozen(kw_only=True)
class AskedLate(LazyToPrivate):
    """Decides when it is asked, each time anew, of all losses since it was asked last."""

    def _advise(self, state, coins):
        fresh = state.pair is None
        state, x = LazyToPrivate._advise(self, state, coins)
        if fresh or not state.rounds:
            return state, x
        pair = self._decided(state.pair, state.begun, state.scores, coins)
        begun = int(state.scores[pair[0]]), int(state.scores[pair[1]])
        return state._replace(pair=pair, begun=begun), pair[0]

    def _learn(self, state, loss, coins):
        state, _ = LazyToPrivate._advise(self, state, coins)
        scores = self.measures.after(state.scores, loss)
        return state._replace(rounds=state.rounds + 1, scores=scores)


@attrs.frozen(kw_only=True)
class ReadEarly(LazyToPrivate):
    """Uses the losses of a batch before it is over: it decides after each."""

    def _decides(self, rounds):
        return rounds != self.horizon


@attrs.frozen(kw_only=True)
class Flipping(Measures):
    """Measures of two whose ratio is of data: who is ahead gains by a loss that is not shared."""

    experts: int = 2

    @property
    def unit(self):
        return Log(Fraction(3, 2))

    @property
    def reach(self):
        return 1

    def after(self, scores, loss):
        ahead = np.array([scores[0] > scores[1], scores[1] > scores[0]]) & (loss.min() == 0)
        return scores + np.where(ahead, loss, -loss)


@pytest.mark.every(2)
@pytest.mark.parametrize("margin", [1, 2])
def test_without_fake_switches_the_theorem_is_refuted(margin):
    """Four experts: to leave x for a loss is likelier than to leave it for a loss of y."""
    told = [np.array(each) for each in ((0, 0, 0, 0), (1, 0, 0, 0), (0, 1, 1, 1))]
    accounting = Printed(tail=Fraction(1, 10**13))
    twin, honest = (
        of_two(kind, experts=4, rate=SLOW, fakes=0.5, margin=margin, accounting=accounting)
        for kind in (NoFakes, LazyToPrivate)
    )
    assert verdicts(compared(twin, told)) == ["REFUTED"]
    assert verdicts(compared(honest, told)) == ["holds"]


@pytest.mark.parametrize(("kind", "horizon", "rounds"), [(AskedLate, 1, 5), (ReadEarly, 2, 4)])
def test_a_decision_more_tells_more(kind, horizon, rounds):
    """Where the honest one decides nothing, as the horizon is one batch."""
    twin, honest = (of_two(each, horizon=horizon, batch=horizon) for each in (kind, LazyToPrivate))
    assert verdicts(compared(twin, FEWER, rounds)) == ["REFUTED"]
    assert verdicts(compared(honest, FEWER, rounds)) == ["holds"]


@pytest.mark.slow
def test_a_coin_that_is_used_twice_tells_more():
    changed = {"rate": Log(2), "fakes": Fraction(1, 10)}
    assert verdicts(compared(of_two(Reused, **changed), LOSSES)) == ["REFUTED"]
    assert verdicts(compared(of_two(**changed), LOSSES)) == ["holds"]


@pytest.mark.slow
def test_a_ratio_that_knows_the_past_tells_more(monkeypatch):
    """Such measures are refused; who takes them at their word is refuted."""
    flipping = Flipping()
    changed = {"measures": flipping, "horizon": 3, "fakes": Fraction(9, 10)}
    with pytest.raises(ap.InvalidArgument, match=r"3.1 \(ii\) fails at loss \[1, 0\], x = 0"):
        LazyToPrivate(**changed)
    monkeypatch.setattr(lazy_to_private, "check_assumption", lambda measures: None)
    assert verdicts(compared(LazyToPrivate(**changed), FEWER)) == ["REFUTED"]
    changed["measures"] = ExponentialWeights(experts=2, rate=flipping.rate)
    assert verdicts(compared(LazyToPrivate(**changed), FEWER)) == ["holds"]
