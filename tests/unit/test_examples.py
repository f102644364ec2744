"""The examples do what their docstrings say."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_every_example_is_tested():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {
        "budgeted_analyst",
        "dashboard",
        "name_and_shame",
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
