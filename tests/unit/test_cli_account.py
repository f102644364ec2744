"""``antiphon account``: what it prints, and its exit status."""

import io
import json
from fractions import Fraction

import pytest

from antiphon.cli.commands.account import draw_curves
from antiphon.cli.output import FittedTable
from antiphon.composition.accounting import optimal
from antiphon.numbers.rounded_text import shown_up
from antiphon.protocol.display import Grid

THOUSAND = ["account", "--rr", "0.1,1e-6", "--times", "1000"]


class TestText:
    def test_every_bound_at_every_question(self, cli):
        status, out, err = cli(*THOUSAND, "--epsilon", "12", "--delta", "0.01")
        assert (status, err) == (0, "")
        assert "1,000 mechanisms, δ >= 0.0009995006662 at every ε" in out
        rows = {line.split()[0]: line for line in out.splitlines() if line.strip()}
        assert "0.008039388936" in rows["optimal"]
        assert "11.72017683" in rows["optimal"]
        assert "0.008039388935" in rows["not"]
        assert "Thm 3.5" in rows["advanced"]
        assert " 100 " in rows["basic"]
        assert {"zCDP", "RDP"} <= set(rows)

    def test_the_curve_where_nothing_is_asked(self, cli):
        status, out, _ = cli(*THOUSAND)
        assert status == 0
        lines = [line.split() for line in out.splitlines()[4:-2]]
        lines = [line for line in lines if line]
        assert len(lines) == 12
        optimal_column = [float(line[-1]) for line in lines]
        assert optimal_column == sorted(optimal_column, reverse=True)

    def test_dominating_pairs(self, cli):
        status, out, _ = cli(
            "account", "--pair", "discrete-gaussian:10", "--times", "1000", "--epsilon", "5"
        )
        assert status == 0
        assert "discrete-gaussian:10 × 1,000" in out
        assert "0.3838358" in out
        kinds = [
            "gaussian:1/2",
            "discrete-laplace:5,2",
            "bounded-range:0.2",
            "discrete-gaussian:3,2",
        ]
        options = [f"--pair={each}" for each in kinds]
        status, out, _ = cli("account", *options, "--rr", "0.1,1e-6", "--delta", "1e-3")
        assert status == 0
        assert "5 mechanisms" in out
        assert "RDP of pairs" in out

    def test_unlike_parameters_and_logarithms(self, cli):
        _, out, _ = cli("account", "--rr", "ln 3,0", "--rr", "0.2", "--epsilon", "ln2")
        assert out.startswith("Comp[RR_{ln 3,0}, RR_{0.2,0}]: 2 mechanisms\n")
        assert "0.2500000001" in out
        _, out, _ = cli("account", *(f"--rr=0.{n}" for n in range(1, 8)), "--epsilon", "1")
        assert "… (7 kinds)" in out


class TestJson:
    def test_one_object(self, cli):
        status, out, err = cli(*THOUSAND, "--epsilon", "12", "--delta", "0.01", "--json")
        assert (status, err) == (0, "")
        data = json.loads(out)
        assert data["count"] == 1000
        best = data["bounds"][-1]
        assert best["method"] == "optimal"
        [delta], [epsilon] = best["delta_at"], best["epsilon_at"]
        truth = Fraction("0.00803938893566860924")
        assert delta["epsilon"] == "12"
        assert delta["lower"] <= truth <= delta["upper"]
        assert epsilon["delta"] == "1/100"
        assert 11.7 < epsilon["lower"] <= epsilon["upper"] < 11.8
        for bound in data["bounds"]:
            assert bound["delta_at"][0]["upper"] >= delta["upper"]

    @pytest.mark.every(2)
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--rr", "-1,0"], "epsilon is a number >= 0"),
            (["--rr", "nan"], "epsilon is a number >= 0"),
            (["--rr", "1,2"], r"delta must lie in [0, 1]"),
            (["--rr", "ln 0.5"], "Log takes a number >= 1"),
            (["--rr", "1,0.1,2"], "delta is a number"),
            (["--rr", "1,0.1", "--delta", "0.05"], "below the floor"),
            (["--rr", "1", "--width", "0"], "width must be positive"),
            (["--rr", "1", "--times", "0"], "Invalid value for '--times'"),
            (["--rr", "1", "--plot", "a.txt"], "a .png, .svg or .pdf file"),
            ([], "give at least one --rr"),
            (["--pair", "gauss:1"], "KIND one of gaussian, discrete-gaussian"),
            (["--pair", "gaussian:1,2"], "gaussian takes a number"),
            (["--pair", "discrete-gaussian:1,x"], "a discrete one a shift too"),
            (["--pair", "discrete-laplace:1,0"], "shift must be an int >= 1"),
            (["--pair", "bounded-range:0"], "eta must be positive"),
        ],
    )
    def test_errors_are_objects_too(self, cli, options, message):
        status, out, _ = cli("account", *options, "--json")
        assert status == 2
        assert message in json.loads(out)["error"]["message"]


class TestPicture:
    def test_it_is_drawn(self, cli, tmp_path):
        pytest.importorskip("matplotlib")
        path = tmp_path / "curves.svg"
        status, out, _ = cli("account", "--rr", "0.1,1e-6", "--times", "50", "--plot", path)
        assert status == 0
        assert f"The curves are in {path}" in out
        assert "<svg" in path.read_text()

    @pytest.mark.slow
    def test_what_was_asked_is_marked_and_the_title_is_in_words(self, cli, tmp_path):
        pytest.importorskip("matplotlib")
        path = tmp_path / "curves.svg"
        given = ["--rr", "0.1,1e-6", "--times", "50", "--epsilon", "40", "--delta", "0.01"]
        assert cli("account", *given, "--plot", path)[0] == 0
        curve = optimal([(0.1, 1e-6)], times=50)
        drawn = path.read_text()
        assert "<!-- The promise of 50 mechanisms together: " in drawn
        assert f"<!-- ε = {shown_up(curve.epsilon_at(0.01))}, δ = 0.01 -->" in drawn
        assert f"<!-- ε = 40, δ = {shown_up(curve.delta_at(40))} -->" in drawn
        assert cli("account", "--rr", "0.1", "--delta", "0", "--plot", path, "--force")[0] == 0
        assert "<!-- The promise of one mechanism: " in path.read_text()

    @pytest.mark.slow
    def test_equal_curves_are_drawn_alike(self, tmp_path):
        pytest.importorskip("matplotlib")
        paths = [tmp_path / name for name in ("a.png", "a.svg", "b.svg")]
        curve = optimal([(0.1, 0), (0.25, 0)], times=5)
        for path in paths:
            draw_curves([curve], title="two kinds", path=path)
        assert all(path.stat().st_size > 1000 for path in paths)
        assert paths[1].read_bytes() == paths[2].read_bytes()


@pytest.mark.parametrize("width", [20, 50, 80, 150])
def test_no_digit_is_lost_whatever_the_width(width):
    from rich.console import Console

    columns = ["bound", "δ at ε = 12", "ε at δ = 0.01", "source"]
    rows = [["optimal", "0.008039388936", "11.72017683", "Kairouz, Oh and Viswanath 2015"]]
    console = Console(width=width, record=True, quiet=False, file=io.StringIO())
    console.print(FittedTable(Grid(rows, columns, columns[1:3])))
    shown = console.export_text()
    assert {"0.008039388936", "11.72017683"} <= set(shown.split())
    assert max(map(len, shown.splitlines())) <= max(width, 50)
