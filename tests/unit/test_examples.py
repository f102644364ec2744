"""The examples do what their docstrings say."""

import itertools
import math
import runpy
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

import antiphon as ap
from antiphon.learners import LazyExperts, contest, games
from antiphon.protocol import SampledCoins

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_every_example_is_tested():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {
        "adaptivity_costs",
        "attribution",
        "batch_constant",
        "budgeted_analyst",
        "dashboard",
        "forecasters",
        "l2p_table",
        "duplicates_first",
        "filters_compared",
        "imputed_first",
        "distribution_learning",
        "laziness_or_correlation",
        "measured_regret",
        "private_regression",
        "name_and_shame",
        "preprocess_wine",
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


def test_an_epoch_loses_more_than_its_budget_unless_all_are_charged():
    tight = runpy.run_path(str(EXAMPLES / "attribution.py"))["tight"]
    assert [tight(epochs, False) for epochs in (1, 2)] == [ap.Log(2), ap.Log(8)]  # of Log(4)
    assert [tight(epochs, True) for epochs in (1, 2)] == [ap.Log(2), ap.Log(4)]


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_dashboard_is_explained_and_not_refuted(cli):
    status, out, _ = cli("explain", f"{EXAMPLES / 'dashboard.py'}:dashboard")
    assert status == 0
    assert "CM Thm 6.1" in out
    assert "is (0.5, 0)-DP" in out
    audit = ["audit", f"{EXAMPLES / 'dashboard.py'}:game", "--adversary", "curious"]
    status, out, _ = cli(*audit, "--epsilon", "1/2", "--samples", "2000", "--seed", "1")
    assert status == 0
    assert "not refuted" in out


@pytest.mark.every(2)
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


@pytest.mark.slow
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
    assert found["L2P", "11/10"] == ("7/484", "7/242")
    assert found["L2P", "6/5"] == ("13/2541", "26/2541")
    assert all(Fraction(deaf) <= Fraction(more) for deaf, more in found.values())
    assert "on 1: say '01 | 10'" in tree
    assert "<svg" in plot.read_text()


@pytest.mark.slow
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


def run(monkeypatch, name, *arguments):
    """Run an example as a script, in this process."""
    monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
    return runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")


@pytest.mark.slow
def test_bounds_are_those_of_the_paper(monkeypatch, capsys, tmp_path):
    pytest.importorskip("matplotlib")
    plot = tmp_path / "bounds.svg"
    study = run(monkeypatch, "l2p_table", "--powers", 2, "--plot", plot)
    assert plot.read_text().startswith("<?xml")
    out = capsys.readouterr().out
    assert out.count("2^2 ") == 12
    at, (_, experts) = study["AT"].tolist(), next(study["figure"]())
    assert experts["L2P"][at.index(0.25)] == pytest.approx(1 / 2)
    assert experts["AFKT23"][at.index(0.5)] == pytest.approx(4 / 5)
    *rates, _ = study["EXPERTS"].values()
    for bound in rates:  # a smaller ε and more experts cost more
        assert bound(2**12, 10, 1) <= bound(2**12, 10, 0.1) < bound(2**12, 1000, 0.1)


def laws(batches):
    """All losses of two experts in so many batches."""
    return itertools.product(itertools.product((0, 1), repeat=2), repeat=batches)


@pytest.mark.parametrize("batch", [1, 2, 3])
def test_what_batches_cost_is_exact(batch):
    study = runpy.run_path(str(EXAMPLES / "batch_constant.py"))
    batches, rate = 3, 0.3
    regret = excess = 0.0
    for losses in laws(batches):
        sums = [0, 0]
        for loss in losses:
            for time in range(batch):
                now = [own + time * each for own, each in zip(sums, loss, strict=True)]
                first, known = (1 / (1 + math.exp(rate * (s[0] - s[1]))) for s in (sums, now))
                excess += (first - known) * (loss[0] - loss[1])
            sums = [own + batch * each for own, each in zip(sums, loss, strict=True)]
        regret += batches * batch / 2 - min(sums)
    assert study["frozen"](batches * batch, batch, 2) == pytest.approx(regret / 4**batches)
    found = study["excess"](batches * batch, batch, rate)
    assert found == pytest.approx(excess / 4**batches, abs=1e-12)
    assert (found > 0) == (batch > 1)


@pytest.mark.slow
def test_what_batches_cost_is_told_and_drawn(monkeypatch, capsys, tmp_path):
    pytest.importorskip("matplotlib")
    plot = tmp_path / "batches.svg"
    run(monkeypatch, "batch_constant", "--rounds", 2**10, "--plot", plot)
    assert plot.read_text().startswith("<?xml")
    assert (
        "passed at T = 7e+05 without its ln(T/δ), at T = 1e+17 with it" in capsys.readouterr().out
    )


@pytest.mark.slow
def test_regret_is_measured_in_all_games(tmp_path):
    pytest.importorskip("matplotlib")
    script, plot = EXAMPLES / "measured_regret.py", tmp_path / "regret.svg"
    sizes = ["--powers", "1", "2", "--experts", "2", "--plot", str(plot)]
    out = subprocess.run(
        [sys.executable, str(script), *sizes], capture_output=True, text=True, check=True
    ).stdout
    study = runpy.run_path(str(script))
    rows = [line.split() for line in out.splitlines() if line.strip() and "Regret" not in line]
    assert all(sum(game in line for line in out.splitlines()) == 3 for game in study["GAMES"])
    assert plot.read_text().startswith("<?xml")
    assert max(map(len, rows)) >= 2 * len(study["MAKERS"])


@pytest.mark.slow
def test_a_cell_is_the_contest_of_its_learner():
    study = runpy.run_path(str(EXAMPLES / "measured_regret.py"))
    found = study["cell"](4, 3, "batches of 16")
    learner = LazyExperts.tuned(horizon=4, experts=3, epsilon=1, delta=1e-6)
    game, regrets = games.BatchConstant(rounds=4, experts=3), []
    for seed in range(4):
        losses = game.losses(game.key(SampledCoins(seed)), 0)
        table = games.LossTable(table=losses, rounds=4, experts=3, grid=game.grid)
        known = contest(learner, table, repetitions=1, seed=seed, expected=True, executor="serial")
        regrets.append(known.expected[0, -1])
    assert found["lazy", 1] == sum(regrets) / 4


@pytest.mark.slow
def test_forecasters_are_followed(monkeypatch, capsys, tmp_path):
    pytest.importorskip("matplotlib")
    plot = tmp_path / "forecasters.svg"
    study = run(monkeypatch, "forecasters", "--days", 1, "--repeat", 1, "--plot", plot)
    out = capsys.readouterr().out
    assert out.startswith("926 flights, 24 forecasters. Best: ")
    assert "NoisyLeader, ε = 0.1" in out
    assert plot.read_text().startswith("<?xml")
    names, table = study["losses"](1)
    assert table.shape == (926, 24)
    assert table.min() >= 0
    assert table.max() <= 1
    assert len(set(table[:, names.index("nothing +0%")].tolist())) == 2  # late, or not


def test_name_and_shame_is_private_to_the_letter(cli, capsys):
    """Its δ is tight, its leak is a view, and half of its δ is refuted."""
    file = EXAMPLES / "name_and_shame.py"
    runpy.run_path(str(file), run_name="__main__")
    out = capsys.readouterr().out
    assert "for 1, …, 8 rounds: " + ", ".join(["1/10"] * 8) in out
    *_, last = out.splitlines()
    shamed, sparse, hard, bound = map(float, last.split()[1:])
    assert bound < hard < sparse
    assert shamed == 10
    audit = ["audit", f"{file}:game", "--adversary", "curious", "--epsilon", "0"]
    for delta, status in (("1/20", 1), ("1/10", 0)):
        found, _, _ = cli(*audit, "--delta", delta, "--samples", "20000", "--seed", "1")
        assert found == status


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("name", "claims", "least"),
    [("imputed_first", (1, 2), 1.9), ("duplicates_first", (1, 5, 10), 7)],
)
def test_what_comes_before_the_noise_is_paid_for(capsys, name, claims, least):
    run = runpy.run_path(str(EXAMPLES / f"{name}.py"))
    run["main"](samples=20_000)
    lines = capsys.readouterr().out.splitlines()
    for line, claimed in zip(lines, claims, strict=False):
        found = float(line.rsplit(maxsplit=1)[1].strip(")"))
        assert f"ε = {claimed}: " in line
        assert least < found <= claims[-1]
        assert ("not refuted" in line) is (claimed == claims[-1])
    assert len(claims) == 2 or "only group privacy is known" in lines[-1]


@pytest.mark.slow
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


@pytest.mark.slow
def test_wine_is_preprocessed_at_a_price(capsys):
    pytest.importorskip("sklearn")
    run = runpy.run_path(str(EXAMPLES / "preprocess_wine.py"))
    run["main"]()
    _, *rows, last = capsys.readouterr().out.splitlines()
    prices = [list(map(float, row[29:].split())) for row in rows]
    assert len(prices) == 5
    for derived, groups, seen, declared in prices:
        assert derived < groups
        assert 0 < seen <= declared
    assert prices[0][0] == 1.06 < 10 < min(row[0] for row in prices[1:])
    assert last.startswith("PCA.transform: one record moves by 1.")


@pytest.mark.slow
def test_filters_compared(capsys):
    """The table of docs/filters.md."""
    found = runpy.run_path(str(EXAMPLES / "filters_compared.py"))
    rows = [list(row.values()) for row in found["table"]().values()]
    assert rows[0] == [20, 13, 17, 12, 19, 24]
    assert rows[1][-3:] == [1279, 2008, 2012]
    assert rows[2:] == [
        [20, 12, 16, 12, 17, 24], [None, 54, 70, 80, 80, 80], [None, 42, 55, 53, 61, None],
    ]  # fmt: skip


def test_filters_are_compared_by_the_same_promise():
    found = runpy.run_path(str(EXAMPLES / "filters_compared.py"))
    for _, budget in found["filters"](found["WORKLOADS"]["ε = .1"]):
        promise = ap.guarantee(ap.ExtConComp(budget=budget), catalogue=[])
        assert promise.epsilon_at(1e-6) <= 2 + 1e-6
