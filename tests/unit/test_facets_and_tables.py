"""Small multiples, and tables with rich and without."""

import builtins

import pytest

import antiphon as ap
from antiphon.cli.output import FittedTable, print_table
from antiphon.learners.regret_pictures import Facet, Trace, draw_regrets, facets
from antiphon.protocol.display import Grid


@pytest.mark.every(2)
@pytest.mark.parametrize("least", [1, None])
def test_facets_are_drawn_and_equal_names_are_in_the_legend_once(tmp_path, least):
    pytest.importorskip("matplotlib")
    path = tmp_path / "facets.svg"
    lines = [Trace("one", [1, 2, 4], [0.5, 2, 3], 0.1), Trace("two", [1, 2], [3, 4])]
    rows = [[Facet("first", lines), Facet("second", lines[:1])]]
    facets(rows, title="All of it", axes=("T", "regret"), paths=[path], least=least)
    text = path.read_text()
    assert [text.count(f"<!-- {name} -->") for name in ("one", "two", "second", "All of it")] == [
        1
    ] * 4
    assert ("10^" in text or "{1}" in text or "mathdefault" in text) == (least is not None)
    facets(rows, title="All of it", axes=("T", "regret"), paths=[tmp_path / "b.svg"], least=least)
    assert (tmp_path / "b.svg").read_text() == text


@pytest.mark.parametrize("rows", [[], [[]], [[Facet("a", [])], []]])
def test_facets_stand_in_equal_rows(tmp_path, rows):
    with pytest.raises(ap.InvalidArgument, match="rows of equal length"):
        facets(rows, title="", axes=("", ""), paths=[tmp_path / "facets.svg"])


def test_a_table_is_printed_without_rich(capsys, monkeypatch):
    pytest.importorskip("rich")
    print_table(["learner", "regret"], [["hedge", "141"], ["lazy", "3"]], numbers=["regret"])
    rich = capsys.readouterr().out
    imported = builtins.__import__

    def without(name, *rest):
        if name.startswith("rich"):
            raise ImportError(name)
        return imported(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    print_table(["learner", "regret"], [["hedge", "141"], ["lazy", "3"]], numbers=["regret"])
    plain = capsys.readouterr().out
    assert plain.splitlines() == ["learner  regret", "hedge       141", "lazy          3"]
    assert rich.split() != plain.split()
    assert set(plain.split()) <= set(rich.split())


def test_a_narrow_terminal_has_no_empty_cells_and_bars_have_no_colon(capsys):
    console = pytest.importorskip("rich.console").Console(width=20)
    rows = [["a long name", "1234567890", "██"], ["bound", "", "▏"]]
    console.print(FittedTable(Grid(rows, ["counter", "max error", ""], ["max error"])))
    assert capsys.readouterr().out.split("\n")[:7] == [
        "counter: a long name", "  max error: ", "1234567890", "  ██", "", "counter: bound", "  ▏",
    ]  # fmt: skip


def test_a_regret_below_one_is_drawn_where_it_is():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    for values, drawn in (([0.5, 0.75, 3], [0.5, 0.75, 3]), ([-2, 0, 9], [1, 1, 9])):
        axes = pyplot.figure().subplots()
        draw_regrets(axes, [Trace("one", [1, 2, 4], values, 0.1)])
        assert axes.lines[0].get_ydata().tolist() == drawn
        pyplot.close(axes.figure)
