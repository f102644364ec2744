"""`antiphon mistakes`: three adversaries, between two bounds."""

from fractions import Fraction

import pytest

from antiphon.learners.littlestone import mistakes_lower_bound, sparse_vector_learner
from antiphon.learners.mistakes import every_round, mistake_law

COMMAND = "mistakes"


def test_it_prints_all_three(printed):
    out = printed("--rounds", "8").out
    assert "sparse-vector: (1, 0)-DP, proved, 8 rounds" in out
    for adversary in ("wrong every round", "best of all 2^T", "hard sequence"):
        assert adversary in out
    assert "At least 2.2 for every (1, 1e-06)-DP learner that is 0.1-concentrated" in out


def test_it_is_what_the_library_says(told):
    data = told("--rounds", "100", "--epsilon", "1/2", "--beta", "0.05")
    learner = sparse_vector_learner(horizon=100, epsilon=0.5, beta=0.05)
    law = mistake_law(learner, 100)
    every, best, hard = data["adversaries"]
    assert every["mistakes"]["value"] == law.mistakes(every_round(100)).value == data["upper"]
    assert (best["mistakes"], best["why"]) == (None, "searched among at most 2^10")
    assert 0 < hard["mistakes"]["value"] <= hard["hits"]
    beta = Fraction(1, 20)
    assert data["lower"] == mistakes_lower_bound(100, epsilon=0.5, delta=1e-6, beta=beta)
    curves = data["curves"]
    assert curves["rounds"] == [1, 2, 4, 8, 16, 32, 64, 100]
    assert curves["lower"] == sorted(curves["lower"])
    assert all(map(lambda low, high: low <= high, curves["lower"], curves["upper"]))


def test_name_and_shame_is_exact(told):
    data = told("--learner", "name-and-shame", "--rounds", "7", "--delta", "0.1")
    every, best, _ = (row["mistakes"]["exactly"] for row in data["adversaries"])
    assert every == best == "5217031/1000000"
    assert data["concentration"]["value"] == 0


@pytest.mark.parametrize("learner", ["tree-counter", "points", "halving"])
def test_every_learner_is_found(printed, told, learner):
    arguments = ("--learner", learner, "--rounds", "12", "--repeat", "3", "--seed", "1")
    data = told(*arguments, "--points", "6")
    assert data["private"] is (learner != "halving")
    assert len(data["adversaries"]) == 3
    assert learner in printed(*arguments).out


def test_who_is_not_concentrated_is_told_so(told):
    data = told("--rounds", "10", "--beta", "0.8")
    assert "not concentrated" in data["adversaries"][2]["why"]
    assert data["lower"] == 1  # the first sample


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--learner", "name-and-shame", "--delta", "0"), "delta must be positive"),
        (("--learner", "oracle"), "there is no learner 'oracle'"),
        (("--epsilon", "0"), "epsilon"),
        (("--epsilon", "inf"), "epsilon is a number"),
        (("--beta", "2"), "beta"),
        (("--plot", "mistakes.txt"), "a plot is a"),
    ],
)
def test_bad_input_is_one_line(printed, arguments, text):
    pytest.importorskip("matplotlib")
    err = printed(*arguments, "--rounds", "4", status=2).err
    assert text in err
    assert len(err.splitlines()) == 1


def test_mistakes_are_drawn(printed, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "mistakes.svg"
    printed("--rounds", "16", "--plot", str(path))
    assert path.read_text().startswith("<?xml")
    assert "there" in printed("--rounds", "16", "--plot", str(path), status=2).err
