"""`antiphon learn`: learners against a game."""

import json
from fractions import Fraction

import pytest

from antiphon.audit import contest
from antiphon.cli.commands.learning.players import makers, named
from antiphon.mechanisms import LazyExperts, learners
from antiphon.mechanisms.learners import games
from antiphon.mechanisms.learners.convex import Ball, GradientDescent, dp_ftrl
from antiphon.mechanisms.learners.games import ConvexGame, LossGame
from antiphon.mechanisms.learners.learner import Learner

COMMAND = "learn"

SHORT = ("--rounds", "200", "--repeat", "3", "--seed", "1")


def test_all_learners_are_played(printed):
    out = printed(*SHORT).out
    assert "stochastic-gap: 200 rounds, 10 experts" in out
    assert all(f" {name} " in out for name in makers(games.StochasticGap(rounds=2, experts=2)))
    assert "(1, 1e-06)" in out


def test_it_is_the_contest_of_the_library(printed):
    data = json.loads(
        printed(
            *SHORT, "--json", "--learner", "lazy-experts", "--game", "shifting-best",
            "--set", "gap=0.3", "--set", "every=50", "--epsilon", "2", "--delta", "1/100",
        ).out
    )  # fmt: skip
    game = games.ShiftingBest(rounds=200, experts=10, gap=0.3, every=50)
    learner = LazyExperts.tuned(horizon=200, experts=10, epsilon=2, delta=0.01)
    (found,) = data["learners"]
    assert found["mean"] == contest(learner, game, repetitions=3, seed=1).mean.tolist()
    assert (found["name"], found["private"]) == ("lazy-experts", True)


@pytest.mark.parametrize(
    "name", sorted(set(named(games, LossGame)) - {"loss-table", "loss-stream"})
)
def test_every_game_is_found(printed, name):
    assert printed(*SHORT, "--learner", "hedge", "--game", name).out


def test_what_is_made_of_parts_is_found_beside_the_classes(printed):
    game = games.StochasticGap(rounds=200, experts=10)
    assert set(makers(game)) == {*named(learners, Learner), "tree-ftrl"}
    data = json.loads(printed(*SHORT, "--json", "--learner", "tree-ftrl").out)
    learner = learners.tree_ftrl(horizon=200, experts=10, epsilon=1, delta=Fraction(1, 10**6))
    game = games.StochasticGap(rounds=200, experts=10)
    (found,) = data["learners"]
    assert found["mean"] == contest(learner, game, repetitions=3, seed=1).mean.tolist()
    assert found["private"]


def test_dynamic_regret_is_told_where_it_is_asked_for(printed):
    some = (*SHORT, "--learner", "hedge", "--game", "shifting-best")
    out = printed(*some, "--shifts", "7").out
    assert "7 shifts" in out
    assert "shifts" not in printed(*some).out
    data = json.loads(printed(*some, "--shifts", "7", "--json").out)["learners"][0]
    assert (data["shifts"], data["shifting"][-1] >= data["mean"][-1]) == (7, True)


CONVEX = sorted(set(named(games, ConvexGame)) - {"data-table"})


@pytest.mark.parametrize("name", CONVEX)
@pytest.mark.parametrize("body", ["ball", "box"])
def test_convex_games_are_played_by_convex_learners(printed, name, body):
    options = ("--game", name, "--dimension", "3", "--body", body)
    out = printed(*SHORT, *options).out
    assert f"{name}: 200 rounds, a {body} of dimension 3" in out
    assert " gradient-descent " in out
    assert " origin " in out
    assert " hedge " not in out
    assert "slope" in out


def test_a_convex_contest_is_that_of_the_library(printed):
    options = ("--game", "linear-gap", "--dimension", "3", "--set", "gap=0.3", "--json")
    data = json.loads(printed(*SHORT, *options, "--learner", "gradient-descent").out)
    game = games.LinearGap(rounds=200, body=Ball(dimension=3), gap=0.3)
    learner = GradientDescent(horizon=200, body=game.body, loss=game.convex_loss)
    (found,) = data["learners"]
    standings = contest(learner, game, repetitions=3, seed=1)
    assert (found["mean"], found["slope"]) == (standings.mean.tolist(), standings.slope)
    assert (data["dimension"], data["body"], data["grid"]) == (3, "ball", 1024)


def test_losses_of_a_file(printed, tmp_path):
    (tmp_path / "losses.csv").write_text("0,1\n0.5,0.25\n" * 20)
    out = printed("--game", str(tmp_path / "losses.csv"), "--repeat", "2", "--json").out
    data = json.loads(out)
    assert (data["rounds"], data["experts"], data["grid"]) == (40, 2, 1024)


def test_regret_is_drawn(printed, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "regret.svg"
    printed(*SHORT, "--plot", str(path))
    assert path.read_text().startswith("<?xml")
    assert "already" in printed(*SHORT, "--plot", str(path), status=2).err


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--game", "nope"], "there is no game 'nope'"),
        (["--learner", "nope"], "there is no learner 'nope'; there are hedge"),
        (["--set", "nope=1"], "no option 'nope'; it has gap"),
        (["--set", "gap=x"], "gap is a number"),
        (["--epsilon", "0"], "epsilon"),
        (["--delta", "2"], "delta"),
        (["--game", "nowhere.csv"], "nowhere.csv"),
        (["--game", "linear-gap", "--learner", "hedge"], "there is no learner 'hedge'; there are"),
        (
            ["--game", "linear-gap", "--body", "cone"],
            "no body 'cone'; there are ball, box",
        ),
        (["--game", "linear-gap", "--set", "body=3"], "no option 'body'; it has gap"),
        (["--game", "data-table"], "there is no game 'data-table'"),
    ],
)
def test_bad_input_is_one_line(printed, arguments, text):
    err = printed(*SHORT, *arguments, status=2).err
    assert text in err
    assert err.count("\n") == 1


def test_presets_are_learners_and_what_is_assumed_says_so(printed):
    options = ("--game", "linear-gap", "--dimension", "2", "--learner", "dp-ftrl-linear")
    out = printed(*SHORT, *options, "--learner", "lazy-gibbs").out
    linear, gibbs = (next(line for line in out.splitlines() if name in line)
                     for name in (" dp-ftrl-linear ", " lazy-gibbs "))  # fmt: skip
    assert "assumed" in gibbs
    assert "assumed" not in linear
    game = games.LinearGap(rounds=200, body=Ball(dimension=2))
    made = makers(game)
    assert {"dp-ftrl", "dp-ftrl-hedged", "dp-ftrl-linear", "dpoco"} <= made.keys()
    size = {"horizon": 200, "body": game.body, "loss": game.convex_loss}
    budget = {"epsilon": 1, "delta": Fraction(1, 10**6)}
    assert made["dp-ftrl-linear"](**size, **budget) == dp_ftrl(**size, **budget, preset="linear")
