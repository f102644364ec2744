"""Learners against games in a body, many times over."""

import json
import math

import attrs
import numpy as np
import pytest
from trying import over

import antiphon as ap
from antiphon.learners import Hedge, Standings, contest, games
from antiphon.learners.contests import Contest
from antiphon.learners.convex import (
    AbsoluteLoss,
    Ball,
    Box,
    GradientDescent,
    LogisticLoss,
    Origin,
    SquaredLoss,
    optimum,
)

DRAW = np.random.default_rng(1)
FEATURES = DRAW.normal(size=(40, 3))
LABELS = np.sign(FEATURES @ [1, -1, 0.3] + DRAW.normal(size=40))


def table(loss, body=None, rounds=300):
    body = Ball(dimension=3) if body is None else body
    return games.DataTable.of(FEATURES, LABELS, loss=loss, body=body, bound=5, rounds=rounds)


def descent(game):
    return GradientDescent(horizon=game.rounds, body=game.body, loss=game.convex_loss)


def origin(game):
    return Origin(horizon=game.rounds, body=game.body, loss=game.convex_loss)


GAP = games.LinearGap(rounds=500, body=Ball(dimension=300))
TIMES = (1, 2, 7, 100, 217, 218, 219, 300)
"""Within blocks of 218 rounds, and at their ends."""


class Plain(ap.ContinualMechanism):
    """A learner of which nothing is known but its steps; or one that answers by the next point."""

    signature = initial_state = None

    def __init__(self, learner, asked=True):
        self.learner, self.asked = learner, asked
        self.initial_state = learner.initial_state
        body = learner.body.points
        self.signature = learner.signature
        if not asked:
            self.signature = ap.Signature(learner.loss.data, body, learner.loss.data)

    def step(self, state, message, coins):
        state, answer = self.learner.step(state, message, coins)
        return (state, answer) if self.asked else self.learner.step(state, "advice", coins)


@pytest.mark.slow
@pytest.mark.parametrize("game", [GAP, table(LogisticLoss)], ids=["gap", "table"])
def test_blocks_and_steps_say_the_same(game):
    learner = descent(game)
    found = [
        contest(each, game, repetitions=2, seed=4, executor="serial").regrets.tolist()
        for each in (learner, Plain(learner), Plain(learner, asked=False))
    ]
    assert found[0] == found[1] == found[2]
    assert contest(learner, game, repetitions=2, seed=4, executor=2).regrets.tolist() == found[0]


@over("kind", [LogisticLoss, SquaredLoss, AbsoluteLoss])
@over("body", [Ball(dimension=3), Box(dimension=3, half_width=3)])
def test_regret_is_what_was_lost_beyond_the_best_point(kind, body):
    game = table(kind, body)
    learner = descent(game)
    found = Contest(learner, game, TIMES).once(np.random.SeedSequence(3), 0)
    coins = ap.protocol.SampledCoins(np.random.SeedSequence(3, spawn_key=(0, 0)))
    key = game.key(coins)
    told = np.concatenate([game.losses(key, i) for i in range(-(-300 // game.block))])
    points = learner.follow(learner.initial_state, told, coins)[1]
    for time, regret, gap in zip(TIMES, found.regrets, found.gaps, strict=True):
        rows = zip(points[:time], told[:time], strict=True)
        lost = sum(game.convex_loss.value(*each) for each in rows)
        best = optimum(game.convex_loss, body, told[:time])
        assert regret + best.value == pytest.approx(lost, abs=gap + best.gap + 1e-9)
        assert 0 <= gap <= 2e-6 * time


def test_the_origin_regrets_the_length_of_the_sum():
    found = Contest(origin(GAP), GAP, (7, 500)).once(np.random.SeedSequence(3), 0)
    coins = ap.protocol.SampledCoins(np.random.SeedSequence(3, spawn_key=(0, 0)))
    key = GAP.key(coins)
    told = np.concatenate([GAP.losses(key, i) for i in range(-(-500 // GAP.block))])
    lengths = [np.linalg.norm(told[:time].sum(axis=0)) / 1024 for time in (7, 500)]
    assert np.allclose(found.regrets, lengths)
    assert np.allclose(found.gaps, 0)


def test_the_origin_in_the_game_with_a_gap_loses_a_tenth_of_each_round():
    """6544 of 2^16 in the table of the theory; here z has norm 228·√20/1024 of 1."""
    game = games.LinearGap(rounds=2**16, body=Ball(dimension=20))
    found = contest(origin(game), game, repetitions=3, seed=1, executor="serial")
    assert found.mean[-1] == pytest.approx(6544, rel=0.02)
    assert found.slope == pytest.approx(0.96, abs=0.05)


@over("kind", [games.LinearGap, games.RandomSigns, games.AlongShown])
@over("body", [Ball(dimension=5), Box(dimension=5)])
def test_gradient_descent_keeps_to_its_bound(kind, body):
    game = kind(rounds=1000, body=body)
    learner = descent(game)
    found = contest(learner, game, repetitions=3, seed=1, executor="serial")
    assert found.regrets[:, -1].max() <= learner.regret_bound
    if kind is games.LinearGap:
        assert found.mean[-1] < contest(origin(game), game, repetitions=3, seed=1).mean[-1]


def test_a_checkpoint_is_gone_on_with(tmp_path):
    game = table(LogisticLoss)
    given = {"seed": 1, "checkpoint": tmp_path / "contest.json", "executor": "serial"}
    contest(descent(game), game, repetitions=2, **given)
    more = contest(descent(game), game, repetitions=4, **given)
    assert more == contest(descent(game), game, repetitions=4, seed=1)


def test_the_slope_is_that_of_a_power():
    times = tuple(2**k for k in range(13))
    table = np.array([[3 * t**0.7 for t in times]] * 2)
    found = Standings("learner", "game", times, table)
    assert found.slope == pytest.approx(0.7)
    early = np.array([[1e6 if t < 64 else 3 * t**0.7 for t in times]] * 2)
    assert Standings("learner", "game", times, early).slope == pytest.approx(0.7)
    none = Standings("learner", "game", times, -table)
    assert math.isnan(none.slope)
    assert json.loads(json.dumps(none.to_dict()))["slope"] is None
    assert found.gap == 0
    assert attrs.evolve(found, gaps=np.array([[0.1, 0.3], [0.2, 0.0]])).gap == 0.3


LOGISTIC = table(LogisticLoss)


@over(
    ("learner", "game", "options", "text"),
    [
        (descent(LOGISTIC), table(SquaredLoss), {}, "another loss"),
        (descent(LOGISTIC), table(LogisticLoss, Ball(dimension=3, radius=2)), {}, "another body"),
        (descent(LOGISTIC), table(LogisticLoss, rounds=301), {}, "horizon is 300"),
        (descent(LOGISTIC), GAP, {}, "make both with the same"),
        (Hedge(horizon=9, experts=2, rate=1), LOGISTIC, {}, "make both with the same"),
        (
            descent(games.RandomSigns(rounds=9, body=Ball(dimension=2))),
            games.RandomLosses(rounds=9, experts=2), {}, "another kind of game",
        ),
        (descent(LOGISTIC), LOGISTIC, {"expected": True}, "expected"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(learner, game, options, text):
    with pytest.raises(ap.InvalidArgument, match=text):
        contest(learner, game, **options)
