"""What refutes a conjecture, as trees: what is drawn, what is folded, and where it stands."""

import re
from fractions import Fraction
from xml.etree import ElementTree

import pytest

import antiphon as ap
from antiphon.conjectures import SparsePattern, TableMechanism, conjecture
from antiphon.conjectures.tree_drawing import Drawn, folded, mechanism_drawn, sheet, strategy_drawn

PATTERN = SparsePattern(epsilon=0, delta=Fraction(1, 10), creations=2, sparse=1)
ECHO = TableMechanism("M1", (0, 1, 2), 2, ((3, 1), (1, 3), (1, 0)))
"""One round: a bit with an error, and a question to which it says 0."""


@pytest.fixture(scope="module")
def found():
    return conjecture(PATTERN, Fraction(1, 10), seed=1, starts=12, executor="serial")


def wide(count):
    return Drawn("root", "says", tuple((str(n), Drawn(f"leaf {n}", "stops")) for n in range(count)))


def texts(tree):
    yield tree.text
    for edge, below in tree.branches:
        yield edge
        yield from texts(below)


def test_a_mechanism_is_drawn_with_its_probabilities():
    tree = mechanism_drawn(ECHO, PATTERN.heard(ECHO.domain))
    said = {
        below.text: [(edge, answer.text) for edge, answer in below.branches]
        for _, below in tree.branches
    }
    assert said == {
        "asked 0": [("3/4", "0"), ("1/4", "1")],
        "asked 1": [("1/4", "0"), ("3/4", "1")],
        "asked 2": [("1", "0")],
    }
    assert tree.leaves == 5


def test_questions_that_are_answered_alike_stand_together():
    alike = TableMechanism("M", (0, 1, 2), 2, ((3, 1), (3, 1), (1, 0)))
    tree = mechanism_drawn(alike, PATTERN.heard(alike.domain))
    assert [below.text for _, below in tree.branches] == ["asked 0 or 1", "asked 2"]


def test_what_nobody_may_ask_is_left_out():
    """Of two rounds: f' lets one pair differ, and after it only what is public be asked."""
    table = tuple((1, 1) for _ in range(21))
    mechanism = TableMechanism("M", (0, 1, 2), 2, table)
    tree = mechanism_drawn(mechanism, PATTERN.heard(mechanism.domain))
    after = {
        below.text: {inner.text for _, answer in below.branches for _, inner in answer.branches}
        for _, below in tree.branches
    }
    assert after == {"asked 0 or 1": {"asked 2"}, "asked 2": {"asked 0 or 1 or 2"}}


@pytest.mark.slow
def test_a_strategy_is_drawn_as_its_tree_says(found):
    tree = strategy_drawn(found.adversary)
    every = list(texts(tree))
    printed = found.adversary.tree()
    assert tree.text.startswith("create M1, M")
    assert sum(each.startswith("accuse") for each in every) == printed.count("accuse")
    assert sum(each.endswith((" to 0", " to 1")) for each in every) == len(
        re.findall(r" to [01]$", printed, re.MULTILINE)
    )


def test_a_strategy_that_meets_itself_is_drawn_once():
    game = ap.PrivacyGame(ap.ExtConComp(), ap.composition.sparse_parallel([(0, Fraction(1, 10))]))
    leaky = ap.mechanisms.LeakyBit(delta=Fraction(1, 10))
    best = game.best_adversary(epsilon=0, rounds=7, catalogue=[leaky], max_creations=3)
    drawn, printed = list(texts(strategy_drawn(best))), best.tree()
    assert printed.count("go on as in") == sum(each.startswith("as at [") for each in drawn)
    assert sum(each.startswith("accuse") for each in drawn) == printed.count("accuse")


def test_what_is_folded_says_how_much():
    tree = folded(wide(10), 4)
    assert [below.text for _, below in tree.branches] == ["leaf 0", "leaf 1", "leaf 2", "… 7 more"]
    assert tree.leaves == 4
    assert folded(wide(10), 10) == wide(10)


def test_small_branches_are_whole_and_large_ones_share_the_rest():
    tree = Drawn("all", "says", (("a", wide(30)), ("b", wide(2)), ("c", wide(30))))
    done = folded(tree, 12)
    assert [below.leaves for _, below in done.branches] == [5, 2, 5]
    assert [below.branches[-1][1].text for _, below in done.branches] == [
        "… 26 more", "leaf 1", "… 26 more",
    ]  # fmt: skip


def test_what_hidden_branches_have_is_counted():
    tree = Drawn("all", "says", tuple((str(n), wide(5)) for n in range(9)))
    assert folded(tree, 3).branches[-1] == ("", Drawn("… 35 more", "more"))


def test_one_row_for_a_large_tree():
    assert folded(wide(3), 1).branches == (("", Drawn("… 3 more", "more")),)


NAMESPACE = "{http://www.w3.org/2000/svg}"


def boxes(svg):
    """(x, y, width, height) of all nodes: white ones of the sheet itself are no nodes."""
    root = ElementTree.fromstring(svg)
    rects = root.findall(f"{NAMESPACE}rect")[1:]
    width, height = (float(root.get(side)) for side in ("width", "height"))
    return width, height, [
        tuple(float(each.get(side)) for side in ("x", "y", "width", "height")) for each in rects
    ]  # fmt: skip


def test_no_node_covers_another_and_all_are_on_the_sheet(found):
    width, height, every = boxes(found.svg())
    assert len(every) > 12
    for place, (x, y, w, h) in enumerate(every):
        assert x >= 0 <= y
        assert x + w <= width
        assert y + h <= height
        for a, b, c, d in every[:place]:
            assert x + w <= a or a + c <= x or y + h <= b or b + d <= y


def test_what_is_too_wide_stands_below():
    long = Drawn("end", "stops")
    for _ in range(8):
        long = Drawn("a question of some length", "says", (("0", long),))
    beside, below = (boxes(sheet(["t"], [wide(3)], [tree]))[2] for tree in (wide(3), long))
    assert max(y for _, y, _, _ in beside[:4]) == max(y for _, y, _, _ in beside[4:])
    assert min(y for _, y, _, _ in below[4:]) > max(y for _, y, _, _ in below[:4])


def test_texts_are_escaped():
    svg = sheet(["<b>"], [Drawn("<script>&", "says")], [])
    assert "<script>" not in svg
    ElementTree.fromstring(svg)


@pytest.mark.slow
def test_a_notebook_shows_the_trees_and_the_climb(found):
    page = found._repr_mimebundle_()
    assert page["text/plain"] == str(found)
    assert page["text/html"].count("<img") == 2
    assert page["image/svg+xml"] == found.svg()
    assert "accuse" in page["image/svg+xml"]
    assert repr(found).startswith("<Conjectured: refuted: δ(0) of 2 mechanisms")


def test_a_plot_has_the_best_and_the_bound(found):
    axes = found.plot()
    best, better, bound = axes.get_lines()
    starts, values = zip(*found.history, strict=True)
    assert tuple(best.get_xdata()) == (*starts, found.starts)
    assert tuple(best.get_ydata()) == (*values, values[-1])
    assert (tuple(better.get_xdata()), tuple(better.get_ydata())) == (starts, values)
    assert set(bound.get_ydata()) == {0.1}
    assert axes.get_ylabel() == "δ(0)"
