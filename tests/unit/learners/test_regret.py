"""Regret that is read off views of learners in a body."""

import numpy as np
import pytest

import antiphon as ap
from antiphon.learners import ADVICE, contest, games, regret_of
from antiphon.learners.convex import (
    AbsoluteLoss,
    Ball,
    Box,
    GradientDescent,
    LinearLoss,
    LogisticLoss,
    dp_ftrl,
)

DRAW = np.random.default_rng(7)
FEATURES, LABELS = DRAW.uniform(-1, 1, (60, 2)), np.sign(DRAW.uniform(-1, 1, 60))


def table(loss, body):
    return games.DataTable.of(FEATURES, LABELS, loss=loss, body=body, bound=2)


def descent(game):
    return GradientDescent(horizon=game.rounds, body=game.body, loss=game.convex_loss)


def regret(view, game):
    return regret_of(view, loss=game.convex_loss, body=game.body)


@pytest.mark.slow
@pytest.mark.parametrize(
    "game",
    [
        games.LinearGap(rounds=60, body=Ball(dimension=2)),
        table(LogisticLoss, Ball(dimension=2)),
        table(AbsoluteLoss, Box(dimension=2)),
    ],
    ids=["linear", "logistic", "absolute"],
)
def test_it_is_what_was_paid_less_the_best_of_a_fine_grid(game):
    view = ap.interact(game, descent(game), seed=3)
    found = regret(view, game)
    loss, data, points = game.convex_loss, view.messages[1::2], view.answers[::2]
    paid = [loss.value(point, datum) for point, datum in zip(points, data, strict=True)]
    assert found.own.tolist() == pytest.approx(np.cumsum(paid).tolist())
    ends = np.linspace(-1, 1, 81)
    tried = [game.body.project(np.array([x, y])) for x in ends for y in ends]
    least = min(sum(loss.value(each, datum) for datum in data) for each in tried)
    assert found.best.value - found.gap <= least + 1e-9
    assert found.best.value == pytest.approx(least, abs=0.05)
    assert found.total == found.own[-1] - found.best.value
    assert 0 <= found.gap < 1e-3


def test_it_is_that_of_a_contest_for_the_same_losses():
    still = games.AlongShown(rounds=50, body=Ball(dimension=3))  # nobody tosses anything
    standings = contest(descent(still), still, repetitions=1, seed=1)
    found = regret(ap.interact(still, descent(still), seed=1), still)
    assert found.total == pytest.approx(float(standings.mean[-1]), abs=1e-6)


def test_views_of_private_chains_have_a_regret():
    body, loss = Ball(dimension=2), LinearLoss(dimension=2)
    learner = dp_ftrl(body=body, loss=loss, epsilon=1, delta=1e-6, horizon=30)
    view = ap.interact(games.LinearGap(rounds=30, body=body), learner, seed=1)
    found = regret_of(view, loss=loss, body=body)
    assert len(found.own) == 30
    assert found.own[0] == 0  # it begins at the origin
    length = np.linalg.norm(np.sum(view.messages[1::2], axis=0)) / loss.grid
    assert found.total == pytest.approx(found.own[-1] + length)


def test_a_round_without_its_datum_is_left_out_and_none_is_no_regret():
    body, loss = Ball(dimension=1), LinearLoss(dimension=1, grid=4)
    learner = GradientDescent(horizon=9, body=body, loss=loss)
    said = ap.scripted([ADVICE, np.array([4]), ADVICE, np.array([4]), ADVICE])
    found = regret_of(ap.interact(said, learner), loss=loss, body=body)
    assert len(found.own) == 2
    assert found.best.value == -2
    none = regret_of(ap.interact(ap.scripted([]), learner), loss=loss, body=body)
    assert (none.total, none.gap, len(none.own)) == (0, 0, 0)


def test_what_does_not_fit_the_view_is_told():
    body, loss = Ball(dimension=1), LinearLoss(dimension=1, grid=4)
    learner = GradientDescent(horizon=9, body=body, loss=loss)
    view = ap.interact(ap.scripted([ADVICE, np.array([4])]), learner)
    with pytest.raises(ap.InvalidArgument, match="the loss and the body, both"):
        regret_of(view, loss=loss)
    with pytest.raises(ap.InvalidArgument, match="give the loss and the body of the game"):
        regret_of(view, loss=LinearLoss(dimension=2), body=Ball(dimension=2))
    with pytest.raises(ap.InvalidArgument, match="give the loss and the body of the game"):
        regret_of(view, loss=LinearLoss(dimension=1, grid=2), body=body)
    with pytest.raises(ap.InvalidArgument, match="with loss= and body= a point"):
        regret_of(view)
