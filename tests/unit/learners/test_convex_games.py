"""Games in a body: the data they tell."""

import math

import attrs
import numpy as np
import pytest
from trying import over

import antiphon as ap
from antiphon.learners import ADVICE, games
from antiphon.learners.convex import (
    AbsoluteLoss,
    Ball,
    Box,
    GradientDescent,
    LinearLoss,
    LogisticLoss,
    SquaredLoss,
)
from antiphon.protocol import SampledCoins
from antiphon.protocol.records.codec import decode, encode

BODY = Ball(dimension=17)
ROUNDS = 2**13
DRAW = np.random.default_rng(1)
FEATURES, LABELS = DRAW.uniform(-1, 1, (50, 3)), DRAW.uniform(-1, 1, 50)


def table(**changes):
    given = {"loss": LogisticLoss, "body": Ball(dimension=3), "bound": 2, "rounds": 120}
    return games.DataTable.of(FEATURES, LABELS, **(given | changes))


TOSSED = [kind(rounds=ROUNDS, body=BODY) for kind in (games.RandomSigns, games.LinearGap)]
GAMES = [*TOSSED, games.AlongShown(rounds=90, body=Ball(dimension=4)), table()]
EVERY = over("game", GAMES, at_least=4)


def rows(game, key):
    return np.concatenate([game.losses(key, i) for i in range(-(-game.rounds // game.block))])


def norms(table):
    return np.sqrt((table.astype(float) ** 2).sum(axis=1))


@EVERY
def test_a_view_has_the_data_of_its_key_and_replays(game):
    game = attrs.evolve(game, rounds=90)
    learner = GradientDescent(horizon=90, body=game.body, loss=game.convex_loss)
    view = ap.interact(game, learner, seed=3)
    assert ap.replay(view, game)
    assert view.messages[::2] == (ADVICE,) * 90
    assert view.complete
    keys = [draw.value for draw in view.coins]
    assert len(keys) == game.tossed
    if not game.adaptive:
        assert np.array_equal(np.array(view.messages[1::2]), rows(game, keys[0]))


@EVERY
def test_it_can_be_named_in_a_transcript(game):
    assert decode(encode(game)) == game


@pytest.mark.parametrize("game", [*TOSSED, table(rounds=ROUNDS)], ids=lambda e: type(e).__name__)
def test_blocks_are_parts_of_one_table(game):
    whole = rows(game, 5)
    assert whole.shape == (ROUNDS, *game.told.shape)
    for time in (0, 1, game.block - 1, game.block % ROUNDS, ROUNDS - 1):
        assert np.array_equal(game.loss(5, time, None), whole[time])
    with pytest.raises(ValueError, match="read-only"):
        game.losses(5, 0)[0, 0] = 7
    assert not np.array_equal(rows(game, 6), whole)
    short = attrs.evolve(game, rounds=1000)
    assert np.array_equal(rows(short, 5), whole[:1000])


@pytest.mark.parametrize("game", TOSSED, ids=lambda each: type(each).__name__)
def test_linear_data_have_norm_one_but_for_the_grid(game):
    grid = game.convex_loss.grid
    found = norms(rows(game, 2))
    assert found.max() <= grid
    assert found.min() > grid - math.sqrt(17)


def test_means_are_those_stated():
    """Each sign has σ < 1/√T: within 5σ but for 1e-5."""
    fair, gap = (np.sign(rows(game, 9)).mean(axis=0) for game in TOSSED)
    sigma = 1 / math.sqrt(ROUNDS)
    assert np.all(abs(fair) < 5 * sigma)
    aim = TOSSED[1].direction(9)
    assert set(aim) == {-1, 1}
    assert np.all(abs(gap - 0.1 * aim) < 5 * sigma)
    assert len({tuple(TOSSED[1].direction(key)) for key in range(20)}) > 15


def test_data_go_along_what_was_shown():
    game = attrs.evolve(GAMES[2], rounds=90)
    learner = GradientDescent(horizon=90, body=game.body, loss=game.convex_loss)
    view = ap.interact(game, learner, seed=1)
    points, told = np.array(view.answers[::2]), np.array(view.messages[1::2])
    assert told[0].tolist() == [1024, 0, 0, 0]
    assert norms(told).max() <= 1024
    lost = game.convex_loss.values(points, told)[1:]
    assert np.allclose(lost, np.linalg.norm(points[1:], axis=1), atol=4 / 1024)


# --- tables ---------------------------------------------------------------------------------------


def test_every_pass_tells_each_row_once_in_another_order():
    game = table(rounds=150)
    told = rows(game, 3).reshape(3, 50, 4)
    for each in told:
        assert sorted(map(tuple, each)) == sorted(map(tuple, game.table))
    assert not np.array_equal(told[0], told[1])


def test_tables_are_scaled_towards_zero():
    features, labels = [[3, 4], [-0.9, 0.29]], [-0.19, 1]
    body = Box(dimension=2)
    game = games.DataTable.of(features, labels, loss=AbsoluteLoss, body=body, bound=5, grid=10)
    assert game.table.tolist() == [[6, 8, -1], [-1, 0, 10]]
    assert game.rounds == 2
    shortened = FEATURES / np.linalg.norm(FEATURES, axis=1)[:, None]
    unit = games.DataTable.of(shortened, LABELS, loss=AbsoluteLoss, body=Ball(dimension=3), bound=1)
    assert norms(unit.table[:, :3]).max() <= 1024


@over(
    ("changes", "features", "labels", "text"),
    [
        ({"bound": 0.5}, FEATURES, LABELS, "norm above the bound"),
        ({"bound": 1.2}, np.ones((50, 3)), LABELS, "norm above the bound"),
        ({}, FEATURES * math.nan, LABELS, "not finite"),
        ({}, FEATURES, LABELS * 3, "labels lie"),
        ({}, FEATURES, LABELS * math.nan, "labels lie"),
        ({}, FEATURES, LABELS[1:], "one number for each row"),
        ({}, FEATURES[0], LABELS, "a round in each row"),
        ({"bound": 0}, FEATURES, LABELS, "bound must be positive"),
        ({"body": Ball(dimension=4)}, FEATURES, LABELS, "same dimension"),
        ({"grid": 0}, FEATURES, LABELS, "grid"),
    ],
)
def test_tables_that_are_none_are_refused(changes, features, labels, text):
    given = {"loss": LogisticLoss, "body": Ball(dimension=3), "bound": 2} | changes
    with pytest.raises(ap.InvalidArgument, match=text):
        games.DataTable.of(features, labels, **given)


@pytest.mark.parametrize("loss", [LogisticLoss, SquaredLoss, AbsoluteLoss])
@pytest.mark.parametrize("suffix", ["csv", "npy"])
@pytest.mark.parametrize("label", [-1, 3, 0])
def test_files_of_features_and_labels(tmp_path, loss, suffix, label):
    labels, path = np.sign(LABELS), tmp_path / f"data.{suffix}"
    features = np.round(FEATURES, 6)
    whole = [features, labels] if label else [labels, features]
    if suffix == "csv":
        np.savetxt(path, np.column_stack(whole), delimiter=",", fmt="%.6f")
    else:
        np.save(path, np.column_stack(whole))
    found = games.DataTable.load(path, loss=loss, bound=2, label=label, rounds=120)
    given = {"loss": loss, "body": Ball(dimension=3), "bound": 2, "rounds": 120}
    assert found == games.DataTable.of(features, labels, **given)
    boxed = games.DataTable.load(path, loss=loss, bound=2, label=label, body=Box, grid=8)
    assert (boxed.body, boxed.rounds, boxed.convex_loss.grid) == (Box(dimension=3), 50, 8)


@pytest.mark.parametrize(
    ("text", "changes", "message"),
    [
        ("0.1,0.2,0\n", {}, "write -1 where the file has 0"),
        ("0.1,0.2,0\n", {"loss": AbsoluteLoss, "bound": 0.1}, "norm above the bound"),
        ("0.1,0.2,7\n", {"loss": SquaredLoss}, "labels lie in"),
        ("1\n-1\n", {}, "has 1 columns"),
        ("0.1,0.2,1\n", {"label": 3}, "has 3 columns"),
        ("0.1,0.2,1\n", {"label": -4}, "has 3 columns"),
        ("0.1,0.2,1\n", {"label": True}, "has 3 columns"),
        ("x,y,label\n0.1,0.2,1\n", {}, "no heading"),
        ("", {}, "has no numbers"),
    ],
)
def test_files_that_are_no_data_are_refused(tmp_path, text, changes, message):
    (tmp_path / "data.csv").write_text(text)
    given = {"loss": LogisticLoss, "bound": 1} | changes
    with pytest.raises(ap.InvalidArgument, match=message):
        games.DataTable.load(tmp_path / "data.csv", **given)


def test_of_no_data_no_points_are_shown():
    learner = GradientDescent(horizon=9, body=Ball(dimension=3), loss=LinearLoss(dimension=3))
    none = np.empty((0, 3), np.int64)
    start = learner.initial_state
    state, shown = learner.follow(start, none, SampledCoins(1))
    assert state is start
    assert (shown.shape, shown.dtype) == ((0, 3), np.float64)


def test_errors_tell_no_data():
    with pytest.raises(ap.InvalidArgument) as refused:
        games.DataTable.of([[918_273_645.0]], [1], loss=LogisticLoss, body=BODY, bound=1)
    assert "918" not in str(refused.value)


@over(
    ("make", "text"),
    [
        (lambda: games.LinearGap(rounds=9, body=BODY, gap=0), "gap"),
        (lambda: games.LinearGap(rounds=9, body=BODY, gap=1.1), "gap"),
        (
            lambda: games.LinearGap(rounds=9, body=BODY, convex_loss=LogisticLoss(dimension=17)),
            "is a LinearLoss",
        ),
        (
            lambda: games.RandomSigns(rounds=9, body=BODY, convex_loss=LinearLoss(dimension=3)),
            "same dimension",
        ),
        (lambda: attrs.evolve(table(), table=np.full((2, 4), 2000)), "rows of the table"),
        (lambda: attrs.evolve(table(), table=np.zeros((2, 3), np.int64)), "rows of the table"),
        (lambda: attrs.evolve(table(), table=np.zeros((2, 4))), "int64"),
    ],
)
def test_games_that_do_not_fit_are_refused(make, text):
    with pytest.raises(ap.InvalidArgument, match=text):
        make()
