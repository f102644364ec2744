"""Private dartboards in exact arithmetic: their claim, and that the budget is what it rests on."""

import numpy as np
import pytest

import antiphon as ap
from antiphon import Log
from antiphon.learners import ADVICE, PrivateDartboard


def exact_game(learner, rounds):
    game = ap.PrivacyGame(learner, learner.verification)
    losses = [np.array(each) for each in ((1, 0), (0, 1))]
    return [each.verdict for each in game.check_claims(rounds=rounds, queries=[*losses, ADVICE])]


@pytest.mark.every(4)
@pytest.mark.parametrize(("draws", "cost"), [(1, 1), (1, 3), (2, 1)])
def test_no_adversary_gets_more_than_is_claimed(draws, cost):
    learner = PrivateDartboard(horizon=3, experts=2, rate=Log(3), cost=cost, draws=draws)
    assert exact_game(learner, 5) == ["holds"]


@pytest.mark.slow
def test_without_the_budget_its_claim_is_refuted():
    """Of four rounds; as a budget of one draw stands for two decisions that would tell more."""
    many = {"horizon": 4, "experts": 2, "rate": Log(9), "cost": 1}
    claims = PrivateDartboard(**many, draws=1).claims

    class Unbounded(PrivateDartboard):
        """Claims what a budget of one draw buys, and has one for each round."""

        @property
        def claims(self):
            return claims

    assert exact_game(Unbounded(**many, draws=4), 7) == ["REFUTED"]
