"""Views as sequence diagrams."""

import re
import xml.etree.ElementTree as ET
from fractions import Fraction

import numpy as np
import pytest
from trying import over

import antiphon as ap
from antiphon import View
from antiphon.audit import CounterexampleAdversary, counterexample_game
from antiphon.mechanisms import (
    COUNT,
    Laplace,
    LeakyBit,
    RandomizedResponse,
    RoundToGrid,
    TreeCounter,
)
from antiphon.protocol import Ending, Round
from antiphon.protocol.display import DrawnAs
from antiphon.protocol.records.diagram import diagram
from antiphon.protocol.records.headers import Header
from antiphon.protocol.records.labels import message_label, party_label

HOSTILE = "</text><script>alert(1)</script>;#\n%%{init}%% A->>B: $$x$$ \"'&\u202e\x00"
COUNTER = ap.same(ap.Create(TreeCounter(horizon=8, epsilon=1)))
GAME = ap.PrivacyGame(ap.ExtConComp(), ap.composition.sparse_parallel([(1, 0)]))


def arrows(view, limit=50):
    """(from, to, text, kind), lanes by title, round by round."""
    drawn = diagram(view, limit)
    names = [lane.title for lane in drawn.lanes]
    return [
        [(names[a.source], names[a.target], a.text, a.kind) for a in (*turn.message, *turn.answer)]
        for turn in drawn.turns
    ]


def played(*messages, bit=0, game=GAME):
    return game.play(ap.scripted(messages), bit=bit, seed=1)


def of(system, adversary, *rounds, ending=Ending.ROUNDS):
    return View(Header(adversary, system, seeded=False), tuple(rounds), ending)


def texts(picture):
    return [element.text for element in ET.fromstring(picture).iter() if element.text]


class TestGame:
    def test_a_message_passes_every_part_and_the_answer_comes_back(self):
        created, asked = arrows(played(COUNTER, ap.same(ap.Ask(1, 0))))
        assert [hop[:2] for hop in created] == [
            ("Adversary", "V[f]"), ("V[f]", "I(b)"), ("I(b)", "ExtConComp"), ("ExtConComp", "M_0"),
            ("ExtConComp", "I(b)"), ("I(b)", "V[f]"), ("V[f]", "Adversary"),
        ]  # fmt: skip
        assert created[3][2:] == ("create", "creates")
        assert [hop[2] for hop in asked] == [
            "((1, 0), (1, 0))", "(m₀, m₁)", "m_b", "1", "⊤", "⊤", "⊤", "⊤",
        ]  # fmt: skip
        assert asked[4][:2] == ("M_0", "ExtConComp")

    def test_pairs_that_differ_stand_out_and_go_on_as_m_b(self):
        hops = arrows(played(COUNTER, ap.Pair(ap.Ask(1, 0), ap.Ask(0, 0))))[1]
        assert [hop[2] for hop in hops[:4]] == ["((1, 0), (0, 0))", "(m₀, m₁)", "m_b", "q_b"]
        assert {hop[3] for hop in hops[:4]} == {"differs"}

    def test_the_bit_is_in_no_picture(self):
        views = [played(COUNTER, ap.Pair(ap.Ask(1, 0), ap.Ask(0, 0)), bit=bit) for bit in (0, 1)]
        assert views[0].svg() == views[1].svg()
        assert views[0].mermaid() == views[1].mermaid()
        with pytest.raises(AttributeError, match=r"write view.svg\(\) or view.mermaid\(\)"):
            _ = views[0].diagram

    def test_what_the_verifier_refuses_goes_no_further(self):
        ask = ap.Pair(ap.Ask(1, 0), ap.Ask(0, 0))
        *_, last = arrows(played(COUNTER, ask, ask))
        assert [hop[:2] for hop in last] == [("Adversary", "V[f]"), ("V[f]", "Adversary")]
        assert last[1][2:] == ("halt", "halts")

    def test_a_childs_halt_comes_from_the_child(self):
        ask = ap.same(ap.Ask(0, 0))
        rr = ap.same(ap.Create(RandomizedResponse(epsilon=1, delta=0)))
        *_, last = arrows(played(rr, ask, ask))
        assert ("M_0", "ExtConComp", "halt", "halts") in last

    def test_only_mechanisms_that_are_asked_get_a_lane(self):
        view = played(COUNTER, COUNTER, COUNTER, ap.same(ap.Ask(COUNT, 1)))
        titles = [lane.title for lane in diagram(view).lanes]
        assert titles == ["Adversary", "V[f]", "I(b)", "ExtConComp", "M_1"]
        assert [lane.title for lane in diagram(view, 3).lanes][-1] == "ExtConComp"

    def test_the_identical_long_pair_is_written_once(self):
        assert arrows(played(COUNTER))[0][0][2] == (
            "(m, m), m = create TreeCounter(horizon=8, epsilon=1)"
        )

    def test_a_loaded_view_looks_the_same(self, tmp_path):
        view = counterexample_game(Fraction(1, 2)).play(
            CounterexampleAdversary(delta=Fraction(1, 2), copies=4), bit=1, seed=3
        )
        view.save(tmp_path / "view")
        assert View.load(tmp_path / "view").svg() == view.svg()


class TestOtherSystems:
    def test_a_mechanism_alone(self):
        view = ap.interact(ap.scripted([1, COUNT]), TreeCounter(horizon=2, epsilon=10**6), seed=1)
        assert arrows(view) == [
            [
                ("Adversary", "TreeCounter", "1", "says"),
                ("TreeCounter", "Adversary", "⊤", "answers"),
            ],
            [
                ("Adversary", "TreeCounter", "'count'", "says"),
                ("TreeCounter", "Adversary", "1", "answers"),
            ],
        ]

    def test_what_an_answer_was_before_post_processing_is_not_known(self):
        system = RoundToGrid(0.5) @ Laplace(epsilon=1, sensitivity=1)
        view = ap.interact(ap.scripted([1.5]), system, seed=1)
        (hops,) = arrows(view)
        assert [hop[2] for hop in hops] == ["1.5", "1.5", "…", repr(view.answers[0])]

    def test_what_an_unknown_post_processor_asks_is_not_known(self):
        system = {"chain": [{"unregistered": "Mine"}, {"type": "antiphon.TreeCounter/1"}]}
        (hops,) = arrows(of(system, {"unregistered": "A"}, Round(1, 2)))
        assert [hop[:2] for hop in hops] == [("Adversary", "Mine"), ("Mine", "Adversary")]

    def test_a_part_is_drawn_as_its_own_class_declares(self):
        """What it inherits was declared of another class."""

        @ap.register("tests.DrawnAsIs/1")
        class DrawnAsIs(ap.Identifier):
            drawn_as = DrawnAs("mine", "{bit} by {nobody}", forwards=True)

        @ap.register("tests.DrawnByName/1")
        class DrawnByName(ap.Identifier):
            pass

        parts = [{"type": "tests.DrawnAsIs/1", "parameters": {"bit": 1}}]
        parts += [{"type": "tests.DrawnByName/1"}, {"type": "antiphon.TreeCounter/1"}]
        drawn = diagram(of({"chain": parts}, {"unregistered": "A"}, Round(ap.Pair(1, 0), ap.TOP)))
        assert [lane.title for lane in drawn.lanes[1:]] == ["mine", "DrawnByName", "TreeCounter"]
        assert drawn.lanes[1].subtitle == "? by ?"
        assert [(hop.source, hop.target) for hop in drawn.turns[0].message] == [(0, 1), (1, 2)]

    def test_concomp_has_its_mechanisms_from_the_start(self):
        system = ap.ConComp([TreeCounter(horizon=2, epsilon=1), LeakyBit(delta=0)])
        view = ap.interact(ap.scripted([ap.Ask(0, 1)]), system, seed=1)
        assert diagram(view).lanes[-1].title == "M_1"
        assert diagram(view).lanes[-1].born == 0

    def test_a_chain_of_thousands_is_drawn_by_its_ends(self):
        link = {"type": "antiphon.IdentityPostProcessor/1"}
        system = {"chain": [*[link] * 10_000, {"type": "antiphon.TreeCounter/1"}]}
        drawn = diagram(of(system, {"unregistered": "A"}, Round(1, 2)))
        assert len(drawn.lanes) == 14
        assert "9989 more parts" in [lane.title for lane in drawn.lanes]


class TestEndings:
    @pytest.mark.parametrize(
        ("ending", "words"),
        [
            (Ending.ADVERSARY, "adversary halts"),
            (Ending.MECHANISM, "has halted"),
            (Ending.ROUNDS, "number of rounds"),
            (Ending.OPEN, "cut short"),
        ],
    )
    def test_is_said(self, ending, words):
        view = of({"unregistered": "M"}, {"unregistered": "A"}, Round(1, 2), ending=ending)
        assert any(words in text for text in texts(view.svg()))
        assert words in view.mermaid()

    def test_the_rest_is_counted(self):
        view = of({"unregistered": "M"}, {"unregistered": "A"}, *[Round(1, 2)] * 1500)
        assert "… and 1,499 more rounds" in texts(view.svg(1))
        assert view.mermaid(2).count("->>L1") == 2

    @pytest.mark.parametrize("limit", [-1, True, 1.0, None])
    def test_a_limit_is_a_number_of_rounds(self, limit):
        with pytest.raises(ap.InvalidArgument, match="limit"):
            of({"unregistered": "M"}, {"unregistered": "A"}).svg(limit)

    def test_no_rounds_is_a_picture_too(self):
        view = of({"unregistered": "M"}, {"unregistered": "A"}, Round(1, 2))
        assert "Adversary" in texts(view.svg(0))

    def test_a_seeded_run_says_so(self):
        view = played(COUNTER)
        assert "seeded: not for release" in texts(view.svg())
        assert "seeded, not for release" in view.mermaid()
        assert "seeded" not in "".join(texts(GAME.play(ap.scripted([COUNTER]), bit=0).svg()))


PLAIN_LINE = re.compile(
    r"sequenceDiagram"
    r"|    participant L\d+ as [^\n;%<>$\"]*(<br/>[^\n;%<>$\"]*)?"
    r"|    L\d+(->>|-->>|--x)L\d+: [^\n;%<>$\"]*"
    r"|    Note (left of L0|over L0,L\d+): [^\n;%<>$\"]*"
)


class TestHostile:
    VALUES = (
        HOSTILE, HOSTILE.encode(), (HOSTILE,) * 9, ap.Pair(HOSTILE, 1), ap.Ask(HOSTILE, 0),
        10**5000, ap.Ask(0, 10**5000), Fraction(10**4000, 3), np.zeros((2, 3)),
        "x" * 10**6, float("nan"), ap.Log(3), None,
        ap.same(ap.same(ap.same(ap.same(ap.same(ap.same(ap.same(1))))))), ap.spaces.Finite((1,)),
    )  # fmt: skip

    @over("value", VALUES, at_least=15)
    def test_no_message_escapes_its_label(self, value):
        view = of({"unregistered": HOSTILE}, {"unregistered": HOSTILE}, Round(value, value))
        root = ET.fromstring(view.svg())
        assert {e.tag.split("}")[1] for e in root.iter()} <= {
            "svg", "title", "style", "rect", "text", "line", "polygon", "g",
        }  # fmt: skip
        assert max(len(text) for text in texts(view.svg()) if "font-family" not in text) <= 80
        for line in view.mermaid().splitlines():
            text = re.sub(r"#\d+;", "", line)
            assert PLAIN_LINE.fullmatch(text), line

    @over(
        "party",
        [None, 1, [], {}, {"type": 3}, {"chain": []}, {"chain": 1}, {"chain": [[], 1]}, HOSTILE,
         {"type": HOSTILE}, {"unregistered": {}}, {"type": "antiphon.Verifier/1", "parameters": 1},
         {"chain": [{"type": "antiphon.Verifier/1"}, {"type": "antiphon.ConComp/1"}]}],
    )  # fmt: skip
    def test_a_header_may_hold_any_json(self, party):
        view = of(party, party, Round(ap.same(ap.Ask(1, 0)), ap.HALT), ending=Ending.MECHANISM)
        ET.fromstring(view.svg())
        assert view.mermaid().startswith("sequenceDiagram\n")

    def test_a_secret_field_is_not_shown(self):
        assert message_label(ap.Identifier(1)) == "Identifier"

    def test_long_values_are_shortened(self):
        assert message_label("x" * 100) == "'xxxxxxxxxxxxxxxxxxxxxx…"
        assert message_label(2**100) == "a 101-bit int"
        assert party_label({"type": "my.package.Thing/3"}) == "Thing"
        assert len(message_label(tuple(range(100, 104)) * 20)) <= 60
