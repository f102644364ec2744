"""`antiphon counters`: the table of expected errors, beside the lower bound."""

import json

import pytest

from antiphon.cli import main
from antiphon.cli.commands.counters import _length, _number
from antiphon.mechanisms import BufferedToeplitzCounter, TreeCounter, Window
from antiphon.mechanisms.counters import lower_bound


def printed(capsys, *arguments):
    assert main(["counters", *arguments]) == 0
    return capsys.readouterr().out


def test_the_table_has_all_counters_and_the_bound(capsys):
    out = printed(capsys, "--horizon", "1024", "--rho", "0.5")
    rows = {line.split("  ")[0].strip(): line for line in out.splitlines()}
    for name, *figures in (
        ("binary tree (Laplace)", "2418", "1209"),
        ("balanced 13-ary tree", "321", "168.9"),
        ("binary tree (Gaussian)", "110", "55.01"),
        ("refined tree", "63.83", "31.92"),
        ("square root", "10.71", "9.671"),
        ("buffered Toeplitz", "10.74", "9.692"),
        ("square root, normalised", "9.491", "8.948"),
        ("buffered Toeplitz, normalised", "9.509", "8.974"),
        ("no factorisation below", "8.466"),
    ):
        assert all(figure in rows[name].split() for figure in figures), rows[name]
    assert "█" in out
    assert "DP." not in out


def test_it_is_the_table_of_the_library(capsys):
    data = json.loads(printed(capsys, "--horizon", "300", "--rho", "1/8", "--json"))
    counters = {each["name"]: each for each in data["counters"]}
    assert len(counters) == 8
    buffered = BufferedToeplitzCounter(horizon=300, rho=0.125, normalised=True)
    found = counters["buffered Toeplitz, normalised"]
    assert found["max_squared_error"] == buffered.max_squared_error
    assert found["mean_squared_error"] == buffered.mean_squared_error
    assert found["numbers_kept"] == buffered.state_size
    tree = TreeCounter(horizon=300, epsilon=0.5)  # ε²/2 = ρ
    assert counters["binary tree (Laplace)"]["max_squared_error"] == tree.max_squared_error
    assert data["lower_bound"] == lower_bound(horizon=300, rho=0.125)
    assert (data["converted"], data["plot"]) == (None, None)


def test_more_than_one_update_may_differ(capsys):
    given = ("--horizon", "300", "--events", "3")
    data = json.loads(printed(capsys, *given, "--json"))
    found = {each["name"]: each["max_squared_error"] for each in data["counters"]}
    for name, normalised in (("buffered Toeplitz", False), ("buffered Toeplitz, normalised", True)):
        size = {"horizon": 300, "rho": 0.5, "events": 3, "normalised": normalised}
        assert found[name] == BufferedToeplitzCounter(**size).max_squared_error
    assert data["events"] == 3
    assert data["lower_bound"] == lower_bound(horizon=300, rho=0.5)
    out = printed(capsys, *given)
    for words in ("any 3 of which may differ", "k columns overlap", "below (one event)"):
        assert words in out


def test_windows_have_counters_made_for_them(capsys):
    given = ("--horizon", "4000", "--rho", "0.5", "--window", "90")
    out = printed(capsys, *given)
    assert "a sum of the last 90 updates" in out
    assert "Normalised" not in out
    data = json.loads(printed(capsys, *given, "--json"))
    found = {each["name"]: each["max_squared_error"] for each in data["counters"]}
    assert len(found) == 8
    window = Window(90)
    made = BufferedToeplitzCounter(horizon=4000, rho=0.5, window=90)
    assert found["buffers for the window"] == window.max_squared_error(made)
    tree = TreeCounter(horizon=4000, epsilon=1)
    assert found["binary tree (Laplace)"] == pytest.approx(window.max_squared_error(tree))
    assert min(found.values()) == found["buffers for the window"]
    assert data["lower_bound"] == lower_bound(horizon=4000, rho=0.5, window=90)
    data = json.loads(printed(capsys, "--window", "90", "--json"))
    assert len(data["counters"]) == 5


def test_the_pure_counters_are_never_less_private_than_rho(capsys):
    data = json.loads(printed(capsys, "--horizon", "4", "--rho", "1/3", "--json"))
    epsilon = data["counters"][0]["claim"].removeprefix("ε = ").removeprefix("≈")
    assert float(epsilon) ** 2 / 2 <= 1 / 3 + 1e-9


def test_converted_claims_are_rounded_up(capsys):
    out = printed(capsys, "--horizon", "16", "--delta", "1e-6")
    assert "imply (5.22154, 1e-06)-DP" in out  # 5.2215344…
    data = json.loads(printed(capsys, "--horizon", "16", "--delta", "1e-6", "--json"))
    assert 5.2215344 < data["converted"]["epsilon"] < 5.2215345


@pytest.mark.every(2)
@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_it_is_drawn(capsys, tmp_path, suffix):
    path = tmp_path / f"errors{suffix}"
    out = printed(capsys, "--horizon", "64", "--plot", str(path))
    assert str(path) in out
    assert path.stat().st_size > 1000
    if suffix == ".svg":
        first = path.read_bytes()
        printed(capsys, "--horizon", "64", "--plot", str(path), "--force")
        assert path.read_bytes() == first


def test_long_horizons_leave_out_what_takes_too_long(capsys):
    data = json.loads(printed(capsys, "--horizon", str(2**31), "--json"))
    names = {each["name"] for each in data["counters"]}
    assert names == {"binary tree (Laplace)", "balanced 25-ary tree", "binary tree (Gaussian)",
                     "refined tree"}  # fmt: skip
    data = json.loads(printed(capsys, "--horizon", str(2**30), "--json"))
    assert data["counters"][-1]["name"] == "buffered Toeplitz"
    assert 53.5 < data["lower_bound"] < data["counters"][-1]["mean_squared_error"] < 57


@pytest.mark.every(2)
@pytest.mark.parametrize(
    "arguments",
    [
        ["--rho", "0"], ["--rho", "-1"], ["--rho", "nan"], ["--rho", "1e-40"], ["--delta", "0"],
        ["--delta", "2"], ["--horizon", "0"], ["--horizon", "x"], ["--plot", "errors.txt"],
        ["--epsilon", "1"], ["--window", "0"], ["--window", "8"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_bad_input_is_one_line_and_status_2(capsys, arguments):
    given = ["--horizon", "8"] if arguments[0] != "--horizon" else []
    assert main(["counters", *given, *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("antiphon: ")
    assert captured.err.count("\n") == 1
    assert captured.out == ""


def test_numbers_and_bars():
    assert [_number(value) for value in (26.159, 9999.4, 10000.4, 0.5)] == [
        "26.16", "9999", "10,000", "0.5"]  # fmt: skip
    assert _length(1.0, 0.0) == 1
    assert _length(2.0, 0.6931471805599453) == 27
