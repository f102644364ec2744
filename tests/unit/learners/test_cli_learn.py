"""`antiphon learn`: learners against a game."""

import json
from fractions import Fraction
from types import SimpleNamespace

import attrs
import numpy as np
import pytest

from antiphon import learners
from antiphon.learners import LazyExperts, contest, games
from antiphon.learners.commands.players import makers, named
from antiphon.learners.convex import (
    AbsoluteLoss,
    Ball,
    GradientDescent,
    LogisticLoss,
    SquaredLoss,
    dp_ftrl,
)
from antiphon.learners.games import ConvexGame, LossGame
from antiphon.learners.learner import Learner
from antiphon.numbers.rounded_text import fixed_up

COMMAND = "learn"

SHORT = ("--rounds", "200", "--repeat", "3", "--seed", "1")


@pytest.mark.slow
def test_all_learners_are_played(printed):
    out = printed(*SHORT).out
    assert "stochastic-gap: 200 rounds, 10 experts" in out
    assert all(f" {name} " in out for name in makers(games.StochasticGap(rounds=2, experts=2)))
    assert "(1, 1e-06)" in out


@pytest.mark.slow
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


@pytest.mark.every(2)
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_losses_of_a_file(printed, tmp_path):
    (tmp_path / "losses.csv").write_text("0,1\n0.5,0.25\n" * 20)
    out = printed("--game", str(tmp_path / "losses.csv"), "--repeat", "2", "--json").out
    data = json.loads(out)
    assert (data["rounds"], data["experts"], data["grid"]) == (40, 2, 1024)


@pytest.mark.slow
def test_regret_is_drawn(printed, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "regret.svg"
    printed(*SHORT, "--learner", "hedge", "--learner", "lazy-experts", "--plot", str(path))
    assert path.read_text().startswith("<?xml")
    assert "already" in printed(*SHORT, "--plot", str(path), status=2).err


# --- several rounds, several ε --------------------------------------------------------------------

SWEPT = (
    "--rounds", "64,128,256", "--epsilon", "1,4", "--learner", "noisy-leader",
    "--learner", "hedge", "--repeat", "4", "--seed", "1",
)  # fmt: skip


def exponent(xs, ys):
    return np.polyfit(np.log(xs), np.log(ys), 1)[0]


@pytest.mark.slow
def test_a_sweep_has_a_contest_for_each_and_their_slopes(told):
    data = told(*SWEPT)
    assert (data["rounds"], data["interrupted"]) == ([64, 128, 256], False)
    noisy, hedge = data["learners"]
    assert [noisy["private"], hedge["private"]] == [True, False]
    runs = {(run["epsilon"], run["rounds"]): run for run in noisy["runs"]}
    assert set(runs) == {(epsilon, rounds) for epsilon in "14" for rounds in (64, 128, 256)}
    for (epsilon, rounds), run in runs.items():
        game = games.StochasticGap(rounds=rounds, experts=10)
        learner = learners.NoisyLeader.tuned(
            horizon=rounds, experts=10, epsilon=int(epsilon), delta=Fraction(1, 10**6)
        )
        assert run["mean"] == contest(learner, game, repetitions=4, seed=1).mean.tolist()
    last = {key: run["mean"][-1] for key, run in runs.items()}
    for each in noisy["slopes_in_rounds"]:
        regrets = [last[each["epsilon"], rounds] for rounds in (64, 128, 256)]
        assert each["slope"] == pytest.approx(exponent([64, 128, 256], regrets))
    for each in noisy["slopes_in_epsilon"]:
        regrets = [last[epsilon, each["rounds"]] for epsilon in "14"]
        assert each["slope"] == pytest.approx(exponent([1, 4], regrets))
    assert [run["epsilon"] for run in hedge["runs"]] == [None] * 3
    assert len(hedge["slopes_in_rounds"]) == 1
    assert hedge["slopes_in_epsilon"] == []


@pytest.mark.slow
def test_a_sweep_is_one_table(printed, told):
    out = printed(*SWEPT).out
    assert "stochastic-gap: 64, 128, 256 rounds, 10 experts" in out
    for text in ("T = 64", "T = 256", "slope in T", "slope in ε", "(1, 1e-06)", "(4, 1e-06)"):
        assert text in out
    noisy, hedge = told(*SWEPT)["learners"]
    for run in (*noisy["runs"], *hedge["runs"]):
        assert f"{run['mean'][-1]:,.1f} ± {fixed_up(run['band'][-1], 1)}" in out
    for each in (*noisy["slopes_in_rounds"], *noisy["slopes_in_epsilon"]):
        assert f" {each['slope']:.2f} " in out
    assert sum("hedge" in line for line in out.splitlines()) == 1


def test_options_may_be_repeated_or_hold_several_in_any_order(told):
    some = ("--learner", "noisy-leader", "--repeat", "2", "--seed", "1")
    rounds = ("--rounds", "128", "--rounds", "64", "--rounds", "64")
    repeated = told(*some, *rounds, "--epsilon", "4", "--epsilon", "1")
    assert repeated == told(*some, "--rounds", "64, 128", "--epsilon", "1,4,1.0")
    assert len(repeated["learners"][0]["runs"]) == 4
    only = told(*some, "--rounds", "64", "--epsilon", "1,4")["learners"][0]
    assert (only["slopes_in_rounds"], len(only["slopes_in_epsilon"])) == ([], 1)


def test_dynamic_regret_of_a_sweep_has_a_table_of_its_own(printed):
    out = printed(*SWEPT, "--game", "shifting-best", "--shifts", "3").out
    assert "3 shifts: against the best sequence" in out
    assert out.count("slope in T") == 2


ONCE = (*SHORT, "--learner", "hedge", "--learner", "noisy-leader", "--learner", "tree-ftrl")


@pytest.mark.every(6)
@pytest.mark.parametrize("command", [SWEPT, ONCE], ids=["many", "once"])
@pytest.mark.parametrize("done", [0, 1, 2])
def test_what_is_done_is_kept_when_it_is_interrupted(printed, told, monkeypatch, command, done):
    played = []

    def until_then(*arguments, **options):
        if len(played) == done:
            raise KeyboardInterrupt
        played.append(1)
        return contest(*arguments, **options)

    monkeypatch.setattr("antiphon.learners.commands.learn.contest", until_then)
    out = printed(*command, status=0 if done else 130).out
    assert ("Interrupted" in out) == bool(done)
    if done:
        played.clear()
        data = told(*command)
        assert data["interrupted"]
        runs = [run for each in data["learners"] for run in each.get("runs", [each])]
        assert len(runs) == done


def test_a_contest_that_is_interrupted_is_the_last(told, monkeypatch):
    def half(*arguments, **options):
        return attrs.evolve(contest(*arguments, **options), interrupted=True)

    monkeypatch.setattr("antiphon.learners.commands.learn.contest", half)
    data = told(*SWEPT)
    assert data["interrupted"]
    assert [len(each["runs"]) for each in data["learners"]] == [1]


def test_a_sweep_is_drawn(printed, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "regret.svg"
    printed(*SWEPT, "--plot", str(path))
    drawn = path.read_text()
    # matplotlib writes each text as a comment above its glyphs
    there = ("rounds T", "ε = 1", "ε = 4", "T = 64", "T = 256", "noisy-leader", "hedge")
    assert all(f"<!-- {text} -->" in drawn for text in there)


def test_of_one_kind_only_that_is_drawn(printed, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "regret.svg"
    some = ("--learner", "noisy-leader", "--repeat", "2", "--seed", "1", "--plot", str(path))
    printed(*some, "--rounds", "64,128")
    drawn = path.read_text()
    assert "<!-- rounds T -->" in drawn
    assert "<!-- T = 64 -->" not in drawn
    printed(*some, "--rounds", "64", "--epsilon", "1,4", "--force")
    drawn = path.read_text()
    assert "<!-- rounds T -->" not in drawn
    assert "<!-- T = 64 -->" in drawn


def test_a_picture_that_cannot_be_is_refused_before_anything_is_played(printed, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr("antiphon.learners.commands.learn.contest", None)
    assert "a plot is a" in printed(*SHORT, "--plot", "regret.txt", status=2).err


# --- files of data --------------------------------------------------------------------------------


@pytest.fixture
def data(tmp_path):
    draw = np.random.default_rng(3)
    features = draw.uniform(-1, 1, (40, 2)).round(4)
    labels = np.sign(features.sum(axis=1))
    path = tmp_path / "data.csv"
    np.savetxt(path, np.column_stack([labels, features]), delimiter=",", fmt="%.4f")
    return SimpleNamespace(path=str(path), features=features, labels=labels)


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("name", "loss"),
    [("logistic", LogisticLoss), ("squared", SquaredLoss), ("absolute", AbsoluteLoss)],
)
def test_data_of_a_file_are_a_game_in_a_body(told, data, name, loss):
    options = ("--game", data.path, "--loss", name, "--label", "0", "--bound", "1.5")
    some = ("--learner", "gradient-descent", "--repeat", "2", "--seed", "1")
    found = told(*options, *some)
    game = games.DataTable.of(
        data.features, data.labels, loss=loss, body=Ball(dimension=2), bound=1.5
    )
    learner = GradientDescent(horizon=40, body=game.body, loss=game.convex_loss)
    (row,) = found["learners"]
    assert row["mean"] == contest(learner, game, repetitions=2, seed=1).mean.tolist()
    assert (found["rounds"], found["dimension"], found["loss"]) == (40, 2, name)
    longer = told(*options, *some, "--rounds", "20,100", "--body", "box")
    assert (longer["rounds"], longer["body"]) == ([20, 100], "box")


@pytest.mark.slow
def test_of_data_all_learners_play_that_can(printed, data):
    """DP-OCO draws points by linear losses only; by name it says so."""
    options = ("--game", data.path, "--loss", "logistic", "--label", "0", "--bound", "1.5")
    shown = printed(*options, "--repeat", "1")
    assert "dp-ftrl" in shown.out
    assert "lazy-gibbs" in shown.out
    assert shown.err == "antiphon: dpoco does not play such losses: left out\n"
    err = printed(*options, "--learner", "dpoco", "--repeat", "1", status=2).err
    assert "linear losses only" in err


def test_losses_of_a_file_are_played_as_far_as_was_asked(printed, told, tmp_path):
    path = tmp_path / "losses.csv"
    path.write_text("0,1\n0.5,0.25\n" * 20)
    some = ("--game", str(path), "--repeat", "2", "--learner", "hedge")
    data = told(*some, "--rounds", "10,40")
    assert [run["rounds"] for run in data["learners"][0]["runs"]] == [10, 40]
    err = printed(*some, "--rounds", "10,41", status=2).err
    assert "the table has 40 rounds, not 41" in err


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--loss", "hinge"), "there is no loss 'hinge'; there are logistic, squared, absolute"),
        (("--loss", "logistic"), "labels of the logistic loss are -1 and 1"),
        (("--loss", "squared", "--label", "0"), "norm above the bound 1"),
        (("--loss", "squared", "--label", "3"), "has 3 columns"),
        (("--loss", "squared", "--bound", "0"), "bound must be positive"),
        (("--loss", "squared", "--bound", "x"), "bound is a number"),
        (("--loss", "squared", "--bound", "2", "--label", "0", "--body", "cone"), "no body 'cone'"),
        (("--loss", "squared", "--set", "gap=1"), "--set is of games that are made"),
        (
            (),
            "losses lie in [0, 1]: scale them by a public bound; of a file of data say",
        ),
    ],
)
def test_bad_data_are_one_line(printed, data, arguments, text):
    err = printed("--game", data.path, "--repeat", "2", *arguments, status=2).err
    assert text in err
    assert err.count("\n") == 1


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--game", "nope"], "there is no game 'nope'"),
        (["--learner", "nope"], "there is no learner 'nope'; there are hedge"),
        (["--set", "nope=1"], "no option 'nope'; it has gap"),
        (["--set", "gap=x"], "gap is a number"),
        (["--epsilon", "0"], "epsilon"),
        (["--epsilon", "1,,2"], "epsilon is a number"),
        (["--rounds", "0"], "rounds is a whole number from 1 to 16,777,216, not '0'"),
        (["--rounds", "64,x"], "rounds is a whole number"),
        (["--rounds", "1.5"], "rounds is a whole number"),
        (["--rounds", "16777217"], "rounds is a whole number"),
        (["--loss", "logistic"], "--loss is of a file of data"),
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


@pytest.mark.slow
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
