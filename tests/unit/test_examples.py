"""The examples do what their docstrings say."""

import runpy
import sys
from fractions import Fraction
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_every_example_is_tested():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {
        "adaptivity_costs",
        "budgeted_analyst",
        "dashboard",
        "distribution_learning",
        "laziness_or_correlation",
        "private_regression",
        "reused_noise",
    }


def test_a_dashboard_shows_a_private_count_of_every_airline(capsys):
    runpy.run_path(str(EXAMPLES / "dashboard.py"), run_name="__main__")
    head, *rows, promise = capsys.readouterr().out.splitlines()
    assert head.split() == ["airline", "private", "exact"]
    exact = {airline: int(count.replace(",", "")) for airline, _, count in map(str.split, rows)}
    assert (len(exact), sum(exact.values()), exact["UA"]) == (16, 27_004, 4_637)
    noisy = {airline: int(count.replace(",", "")) for airline, count, _ in map(str.split, rows)}
    assert all(abs(noisy[each] - exact[each]) < 5_000 for each in exact)
    assert noisy != exact
    assert promise.startswith("(0.5, 0)-DP by CM Thm 6.1")


def test_a_counter_has_less_noise_than_laziness(capsys):
    run = runpy.run_path(str(EXAMPLES / "laziness_or_correlation.py"))
    run["main"](horizon=2**8, epsilons=(1, 4))
    head, one, four, _, regrets, *rows = capsys.readouterr().out.splitlines()
    assert head.endswith("times")
    for row in (one, four):
        _, correlated, lazy, *_ = map(float, row.split())
        assert 3 * correlated < lazy
    assert "T = 256" in regrets
    assert [row.split()[0].strip(",") for row in rows] == [
        *["DP-OCO"] * 3,
        "LazyGibbs",
        "LazyLeader",
    ]


def test_a_budgeted_analyst_is_refused_and_goes_on(capsys):
    runpy.run_path(str(EXAMPLES / "budgeted_analyst.py"), run_name="__main__")
    *days, promise = capsys.readouterr().out.splitlines()
    assert promise == "all of it: (1.0, 0)-DP, whatever was created"
    assert "refused: asks" in days[-1] or len(days) == 30
    assert sum("flights of UA" in day for day in days) >= 5


def test_a_dashboard_is_explained_and_not_refuted(cli):
    status, out, _ = cli("explain", f"{EXAMPLES / 'dashboard.py'}:dashboard")
    assert status == 0
    assert "CM Thm 6.1" in out
    assert "is (0.5, 0)-DP" in out
    audit = ["audit", f"{EXAMPLES / 'dashboard.py'}:game", "--adversary", "curious"]
    status, out, _ = cli(*audit, "--epsilon", "1/2", "--samples", "2000", "--seed", "1")
    assert status == 0
    assert "not refuted" in out


@pytest.mark.parametrize("claimed", ["1", "11"])
def test_reused_noise_is_found_and_replayed(cli, tmp_path, claimed):
    file, leak = EXAMPLES / "reused_noise.py", tmp_path / "leak.jsonl"
    audit = ["audit", f"{file}:game", "--adversary", "curious", "--epsilon", claimed]
    status, out, _ = cli(*audit, "--seed", "1", "--save", str(leak))
    assert (status, ": refuted, at confidence 0.95" in out) == (1, True)
    status, out, _ = cli("replay", str(leak), "--with", str(file))
    assert status == 0
    assert "both sides replayed" in out


def test_the_counter_without_the_bug_is_explained(cli):
    status, out, _ = cli("explain", f"{EXAMPLES / 'reused_noise.py'}:right")
    assert status == 0
    assert "is (1, 0)-DP" in out


def test_adaptivity_costs_are_told_and_drawn(capsys, monkeypatch, tmp_path):
    plot = tmp_path / "costs.svg"
    monkeypatch.setattr(sys, "argv", ["adaptivity_costs.py", "--plot", str(plot)])
    runpy.run_path(str(EXAMPLES / "adaptivity_costs.py"), run_name="__main__")
    table, tree = capsys.readouterr().out.split("say 'advice'", 1)
    rows = [line.rsplit(maxsplit=4) for line in table.splitlines()[1:]]
    found = {(name, growth): (deaf, more) for name, growth, deaf, more, _ in rows}
    assert found["lazy experts", "6/5"] == ("269/13310", "79/2541")
    assert found["lazy experts", "11/10"] == ("769/26620", "100/2541")
    assert found["Hedge", "11/10"] == ("1/442", "1/442")
    assert all(Fraction(deaf) <= Fraction(more) for deaf, more in found.values())
    assert "on 1: say '01 | 10'" in tree
    assert "<svg" in plot.read_text()


def test_a_private_regression_beats_the_origin(capsys, monkeypatch, tmp_path):
    path, picture = EXAMPLES / "private_regression.py", tmp_path / "regret.svg"
    given = ["private_regression.py", "--rounds", "600", "--plot", str(picture)]
    monkeypatch.setattr("sys.argv", given)
    runpy.run_path(str(path), run_name="__main__")
    head, origin, *others, known = capsys.readouterr().out.splitlines()
    assert head.split()[:2] == ["learner", "regret"]
    least = float(origin.removeprefix("the origin").split()[0])
    assert 50 < least < 100
    assert all(0 < float(each.split()[-4]) < least for each in others)
    assert float(known.split()[-1]) < 1e-2
    assert picture.read_text().startswith("<?xml")


def test_one_score_learns_distributions_best(capsys, tmp_path):
    run = runpy.run_path(str(EXAMPLES / "distribution_learning.py"))
    figure = tmp_path / "risk.svg"
    run["main"](figure, users=2000, ladder=(2**8, 2**9), sizes=(2, 4))
    head, first, *rows, slopes = capsys.readouterr().out.splitlines()
    assert head.split()[-2:] == ["printed", "uniform"]
    one, every, *_, printed, uniform = map(float, first.split()[4:])
    assert one < every
    assert one < printed / 2 < uniform
    assert len(rows) == 5
    assert slopes.startswith("hard class: slope in T")
    assert "<svg" in figure.read_text()
