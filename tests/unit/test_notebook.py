"""Every public result says what it is: on one line, in text, as a page, as a plot."""

import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from xml.dom import minidom

import attrs
import numpy as np
import pytest

import antiphon as ap
from antiphon import audit
from antiphon.audit import CounterexampleAdversary, counterexample_game
from antiphon.composition import accounting
from antiphon.learners import Hedge, choose, games
from antiphon.mechanisms import COUNT, LeakyBit, RandomizedResponse, TreeCounter
from antiphon.numbers.errors import MissingExtra
from antiphon.protocol.display import (
    Card,
    ForPrograms,
    Grid,
    Picture,
    Shown,
    Verbatim,
    as_data,
    as_text,
)

ROOT = Path(ap.__file__).parent.parent
HOSTILE = "<script>alert(1)</script>&\"'"
TENTH = Fraction(1, 10)
F = ap.composition.sparse_parallel([(1, 0)])
COUNTER = TreeCounter(horizon=8, epsilon=1)
LEAKY = LeakyBit(delta=TENTH)
RR = RandomizedResponse(epsilon=ap.Log(3), delta=0)
GAME = ap.PrivacyGame(ap.ExtConComp(), F)
LEAKS = ap.PrivacyGame(ap.ExtConComp(), ap.composition.sparse_parallel([(0, TENTH)]))
RESPONSE = ap.PrivacyGame(RR, RR.claims[0].verification)
SEARCH = {"epsilon": 0, "rounds": 3, "catalogue": [LEAKY]}
BUDGET = ap.composition.WhitehouseFilter(epsilon=1, delta=1e-6)


def spent():
    session = ap.ExtConComp(budget=BUDGET).start(seed=1)
    answers = [session.send(ap.Create(TreeCounter(horizon=8, epsilon=e))) for e in (0.1, 0.2)]
    return session, answers[1]


BOARD = ap.boards.counts(start="2026-01-01", horizon=9, epsilon=1, per_user=1)


def told():
    live = BOARD.start(seed=1)
    live.feed(until="2026-01-03")
    return live.ask()


def contest():
    learner = Hedge.tuned(horizon=64, experts=4)
    game = games.StochasticGap(rounds=64, experts=4)
    return ap.learners.contest(learner, game, repetitions=3, seed=1, executor="serial")


def audited(**claim):
    breaker = CounterexampleAdversary(delta=TENTH, copies=5)
    return counterexample_game(TENTH).audit(breaker, samples=4000, seed=1, **claim)


@ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.Integers())
def impure(state, bit, coins):
    import random

    return state, random.randrange(5)


MADE = {
    "view": lambda: GAME.play(
        ap.scripted([ap.same(ap.Create(COUNTER)), ap.Pair(ap.Ask(1, 0), ap.Ask(0, 0))]),
        bit=1, seed=7,
    ),
    "recording": lambda: ap.record(ap.scripted([1, COUNT]), COUNTER, seed=1),
    "guarantee": lambda: ap.guarantee(ap.ExtConComp(), F, catalogue=[COUNTER]),
    "choice of a learner": lambda: choose(rounds=64, experts=3, epsilon=1),
    "report": lambda: audited(epsilon=0, delta=TENTH),
    "report of a curve": lambda: audited(curve=accounting.optimal([(1, 0.05)])),
    "report by betting": lambda: audited(epsilon=0, delta=TENTH, method="anytime"),
    "counterexample": lambda: audited(epsilon=0, delta=TENTH).counterexample,
    "event": lambda: audited(epsilon=0, delta=TENTH).event,
    "solution": lambda: LEAKS.solve(**SEARCH),
    "question": lambda: LEAKS.question(catalogue=[LEAKY], max_creations=2),
    "strategy": lambda: LEAKS.best_adversary(**SEARCH),
    "tight curve": lambda: RESPONSE.privacy_curve(rounds=1),
    "divergence": lambda: RESPONSE.tight_renyi(2, rounds=1),
    "comparison": lambda: RESPONSE.check_claims(rounds=1),
    "compared": lambda: RESPONSE.check_claims(rounds=1)[0],
    "equal": lambda: ap.equivalent(RR, RR, rounds=1),
    "unequal": lambda: ap.equivalent(RR, RandomizedResponse(epsilon=ap.Log(4)), rounds=1),
    "law": lambda: audit.law_of_views(ap.scripted([0]), RR, rounds=1),
    "curve": lambda: accounting.optimal([(0.1, 1e-6)], times=10),
    "step": lambda: accounting.basic([(0.1, 0)], times=3),
    "pairs": lambda: accounting.compose([accounting.DiscreteGaussianPair(10)], times=10),
    "counter": lambda: COUNTER,
    "unbounded": lambda: ap.mechanisms.UnboundedCounter(counter=COUNTER),
    "filter": lambda: BUDGET,
    "odometer": lambda: ap.composition.Odometer(delta=1e-6),
    "session": lambda: spent()[0],
    "refusal": lambda: spent()[1],
    "standings": contest,
    "check": lambda: ap.check(impure),
    "game": lambda: GAME,
    "statement": lambda: ap.guarantee(COUNTER).statement(),
    "risk": lambda: ap.guarantee(COUNTER).risk(),
    "board": lambda: BOARD,
    "running board": lambda: BOARD.start(seed=1),
    "board's numbers": told,
}  # fmt: skip
SAYS = {
    "view": "2 rounds of Scripted with V[f] ∘* I(b) ∘* ExtConComp; the adversary halts",
    "recording": "a recording is a secret",
    "guarantee": "CM Thm 5.2 [∎ kernel]: as private as Comp[RR…] of (1, 0)",
    "choice of a learner": "Ranked by the proved bound on expected regret",
    "report": "(0, 0.1)-DP: refuted, at confidence 0.95\n  what ",
    "report of a curve": "the whole curve (optimal): refuted",
    "report by betting": "(0, 0.1)-DP: refuted",
    "counterexample": "evidence against (0, 0.1)-DP",
    "event": "transcripts",
    "solution": "δ(0) = 1/10 exactly, against 3 messages",
    "question": "creations  at most 2",
    "strategy": "say create LeakyBit(delta=1/10)\n  on ⊤: ",
    "tight curve": "  ln 2   1/4",
    "divergence": "D_2 = 0.847298 nats, against 1 message",
    "comparison": "RandomizedResponse(epsilon=ln 3): δ(ln 3) claimed 0, tight 0",
    "compared": "RandomizedResponse(epsilon=ln 3): δ(ln 3) claimed 0, tight 0",
    "equal": "the laws of all views are equal",
    "unequal": "they differ by 1/20",
    "law": "3/4",
    "curve": "optimal (Kairouz, Oh and Viswanath 2015",
    "step": "0.225  1",
    "pairs": "pairs (",
    "counter": "TreeCounter(horizon=8, epsilon=1)",
    "filter": "WhitehouseFilter(",
    "refusal": "remaining     ρ = 0.0116616, δ = 5e-07",
    "session": "<Session of ExtConComp, live>",
    "standings": "rounds  regret",
    "check": "randomness",
    "statement": "Protected is one update of the stream.",
    "risk": "advantage                   0.462118",
    "board": "all rows of one user in one window",
    "running board": "0 of 9 windows published",
    "board's numbers": "total since the start: 2 windows of 1 key",
    "game": "V[f] ∘* I(·) ∘* M with f = SparseParallel(parameters=((1, 0))), M = ExtConComp",
}
PLOTTED = ["report", "report of a curve", "tight curve", "curve", "step", "pairs", "counter",
           "unbounded", "standings", "risk", "board's numbers"]  # fmt: skip
DRAWN = [*PLOTTED, "view", "guarantee", "counterexample"]


@pytest.fixture(scope="module")
def made():
    found = {}

    def make(name):
        return found.setdefault(name, MADE[name]()) if name not in found else found[name]

    return make


@pytest.mark.parametrize("name", MADE)
def test_a_result_says_what_it_is(made, name):
    thing = made(name)
    assert SAYS.get(name, "") in str(thing)
    assert "\n" not in repr(thing)
    assert len(repr(thing)) < 300
    assert " object at 0x" not in repr(thing) + str(thing)
    assert "Fraction(" not in str(thing) or name in ("filter", "odometer", "unbounded")


@pytest.mark.every(3)
@pytest.mark.parametrize("name", MADE)
def test_a_result_shows_in_a_notebook(made, name):
    thing = made(name)
    page = thing._repr_mimebundle_()
    assert page["text/plain"] == str(thing)
    assert_harmless(page["text/html"])
    assert type(thing).__name__ in page["text/html"]
    assert ("image/svg+xml" in page) == (name in DRAWN)
    if name in DRAWN:
        assert_harmless(page["image/svg+xml"])
        assert "<img " in page["text/html"]


def assert_harmless(text):
    document = minidom.parseString(text)  # well formed
    names = {each.tagName for each in document.getElementsByTagName("*")}
    assert not names & {"script", "iframe", "object", "link"}
    for each in document.getElementsByTagName("*"):
        assert not [name for name in each.attributes.keys() if name.startswith("on")]  # noqa: SIM118


class Hostile(Shown):
    def _card(self):
        grid = Grid([(HOSTILE, HOSTILE)], (HOSTILE, "b"))
        return Card(HOSTILE, (grid, HOSTILE, Verbatim(HOSTILE), Picture(lambda: "<svg/>")))


def test_what_others_wrote_is_escaped():
    page = Hostile()._repr_mimebundle_()["text/html"]
    assert_harmless(page)
    texts = re.sub(r"<[^>]*>", "", page)
    assert texts.count("&lt;script&gt;alert(1)&lt;/script&gt;&amp;") == 6
    assert HOSTILE in str(Hostile())
    named = type("<b>", (ap.Adversary,), {"initial_state": 0, "step": lambda *_: (0, ap.HALT)})
    played = ap.interact(named(), COUNTER, seed=1)
    assert "<b>" not in played._repr_mimebundle_()["text/html"].replace("<b>0 rounds", "")


def test_a_title_is_not_computed_with_the_rest():
    class Costly(Shown):
        def _card(self):
            return Card("cheap", (pytest.fail("asked for") for _ in range(1)))

    assert repr(Costly()) == "<Costly: cheap>"


def test_text_has_no_pictures_and_columns_are_aligned():
    grid = Grid([("1", "a"), ("20", "b")], ("n", "name"), numbers=("n",))
    card = Card("t", (Picture(lambda: pytest.fail("drawn")), grid, "below"))
    assert as_text(card) == "t\n   n  name\n   1  a\n  20  b\nbelow"
    assert as_text(Card("t", (Grid([]),))) == "t"


def test_programs_read_what_is_declared():
    @attrs.frozen
    class Inner(ForPrograms):
        a: object
        hidden: object = None
        _told = "a twice"

        @property
        def twice(self):
            return [self.a, self.a]

    @attrs.frozen
    class All(ForPrograms):
        inner: object
        far: float
        where: object

    told = All(Inner(Fraction(1, 3)), float("inf"), Path("x") / "y").to_dict()
    assert told == {"inner": {"a": "1/3", "twice": ["1/3", "1/3"]}, "far": None, "where": "x/y"}
    figures = as_data({"log": ap.Log(3), "status": RR.claims[0].status, "row": np.arange(2)})
    assert figures == {"log": "ln 3", "status": "proved", "row": [0, 1]}
    with pytest.raises(TypeError, match="Coins"):
        as_data([type("Coins", (), {})()])


def test_a_recording_shows_no_messages():
    shown = ap.record(ap.scripted([918_273]), ap.mechanisms.TreeCounter(
        horizon=2, epsilon=1, largest=10**6), seed=1)  # fmt: skip
    assert "918273" not in "".join(shown._repr_mimebundle_().values()) + repr(shown)
    assert "918273" in str(shown.view)


def test_symbols_print_as_they_are_written():
    assert [str(each) for each in (ap.EMPTY, ap.HALT, ap.TOP, ap.BOTTOM)] == ["λ", "halt", "⊤", "⊥"]
    assert repr(ap.TOP) == "TOP"


def test_what_remains_is_never_rounded_up():
    third = ap.composition.BasicFilter(epsilon=1)
    state = third.charge(third.initial_state, ap.mechanisms.TreeCounter(
        horizon=2, epsilon=Fraction(1, 3)).claims[0].measure)  # fmt: skip
    told = dict(third.public_state(state))
    assert told == {"spent": "ε = 0.333334, δ = 0", "remaining": "ε = 0.666666, δ = 0"}


# --- plots --------------------------------------------------------------------------------------


@pytest.mark.every(2)
@pytest.mark.parametrize("name", PLOTTED)
def test_it_plots_into_axes_that_are_given(made, name):
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    assert made(name).plot(ax=axes) is axes
    assert axes.get_lines()
    assert axes.get_xlabel()
    assert axes.get_title(loc="left")


def test_it_plots_into_a_new_figure(made):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    axes = made("curve").plot()
    assert axes.figure in map(pyplot.figure, pyplot.get_fignums())
    pyplot.close(axes.figure)


def test_curves_in_one_picture_differ_and_a_legend_names_them():
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    lower, higher = (accounting.optimal([each], times=10) for each in ((0.1, 1e-6), (1, 1e-3)))
    lower.plot(ax=axes, label="first")
    before = axes.get_xlim(), axes.get_ylim()
    higher.plot(ax=axes)
    lower.plot(ax=axes, color="black")
    named = [each for each in axes.get_lines() if not each.get_label().startswith("_")]
    assert [each.get_label() for each in named] == ["first", "optimal", "optimal"]
    assert len({each.get_color() for each in named}) == 3
    assert named[2].get_color() == "black"
    assert len(axes.get_legend().get_texts()) == 3
    assert sum("floor" in each.get_text() for each in axes.texts) == 1
    assert axes.get_xlim()[1] > before[0][1]
    assert axes.get_ylim()[0] <= before[1][0]
    assert axes.get_title(loc="left") == ""


def test_regret_below_one_is_drawn_where_it_is():
    from matplotlib.figure import Figure

    from antiphon.learners.regret_pictures import Trace, draw_regrets

    axes = Figure().subplots()
    draw_regrets(axes, [Trace("a", [1, 2, 4], [0.5, 0.7, 3.0])])
    assert axes.get_lines()[0].get_ydata().tolist() == [0.5, 0.7, 3.0]
    assert "drawn there" not in axes.get_ylabel()
    axes = Figure().subplots()
    draw_regrets(axes, [Trace("a", [1, 2, 4], [-2.0, 0.0, 3.0])])
    assert axes.get_lines()[0].get_ydata().tolist() == [1.0, 1.0, 3.0]
    assert "at most 1: drawn there" in axes.get_ylabel()


def test_a_curve_is_drawn_to_fall_where_it_falls(made):
    """No point of the line is below the curve, the fall of a step included."""
    from matplotlib.figure import Figure

    for name in ("step", "curve", "tight curve"):
        line = made(name).plot(ax=Figure().subplots()).get_lines()[0]
        curve = made(name)
        assert all(y >= curve.delta_at(float(x)) for x, y in zip(*line.get_data(), strict=True))
    xs, ys = made("step").plot(ax=Figure().subplots()).get_lines()[0].get_data()
    assert max(x for x, y in zip(xs, ys, strict=True) if y == 1) > 0.2999999


def test_without_matplotlib_the_cure_is_named(made, monkeypatch):
    def missing():
        raise MissingExtra("matplotlib", "plot")

    monkeypatch.setattr("antiphon.protocol.pictures._matplotlib", missing)
    with pytest.raises(MissingExtra, match=r"antiphon\[plot\]"):
        made("curve").plot()
    page = made("curve")._repr_mimebundle_()
    assert "<img" not in page["text/html"]
    assert "0.1" in page["text/plain"]


def test_a_report_that_bounds_no_curve_has_no_plot(made):
    with pytest.raises(ap.InvalidArgument, match="clopper-pearson"):
        made("report by betting").plot()


# --- rooms --------------------------------------------------------------------------------------


@pytest.mark.parametrize("room", ["mechanisms", "composition", "audit", "verifiers", "protocol"])
def test_a_room_says_what_is_in_it(room):
    module = getattr(ap, room)
    named = re.findall(r"``([A-Za-z]\w+)``", module.__doc__)
    assert len(named) > 5
    shown = dir(module)
    assert set(module.__all__) <= set(shown)
    assert [name for name in shown if name.startswith("_") or not hasattr(module, name)] == []
    public = {*shown, *dir(ap.composition.accounting), *dir(ap.PrivacyGame)}
    assert [name for name in named if name not in public] == []


def test_the_package_shows_public_names_only():
    assert set(dir(ap)) == {*ap.__all__, "__version__"}


# --- a notebook ---------------------------------------------------------------------------------

RUN = """
import re, sys, warnings
warnings.simplefilter("ignore")
import nbformat
from nbclient import NotebookClient
text = open("docs/notebook.md", encoding="utf-8").read()
cells = re.findall(r"```{code-cell} ipython3\\n(.*?)```", text, re.DOTALL)
book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in cells])
NotebookClient(book, timeout=300, kernel_name="python3").execute()
nbformat.write(book, sys.argv[1])
"""


@pytest.mark.slow
def test_the_page_runs_in_a_kernel(tmp_path):
    """An audit by two processes of functions of a cell included."""
    import nbformat

    path = tmp_path / "run.ipynb"
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(path)], cwd=ROOT, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    cells = nbformat.read(path, as_version=4).cells
    shown = [each.data for cell in cells for each in cell.outputs if "data" in each]
    assert len(shown) == len(cells)
    pages = [each["text/html"] for each in shown if "text/html" in each]
    assert len(pages) == len(cells) - 1  # one cell ends in a plot of matplotlib's
    for page in pages:
        assert_harmless(page)
    assert any("refuted, at confidence" in page for page in pages)
