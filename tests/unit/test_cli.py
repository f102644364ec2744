"""The command line: what it prints, and its exit status."""

import inspect
import json
import math
import subprocess
import sys
from fractions import Fraction

import pytest
from trying import over

import antiphon as ap
from antiphon.audit import CounterexampleAdversary
from antiphon.audit.statistical.audit import METHODS
from antiphon.audit.statistical.choosing import SCORES
from antiphon.audit.statistical.estimators import CORRECTIONS, clopper_pearson, upper_tail
from antiphon.cli.options import core
from antiphon.cli.output import count, exact_number
from antiphon.demo.data import TOTAL
from antiphon.mechanisms import COUNT, TreeCounter
from antiphon.numbers.exact import rational
from antiphon.numbers.interval import up

FAST = ["counterexample", "--runs", "300", "--seed", "7"]


@pytest.fixture
def saved(tmp_path):
    """Three rounds of the counterexample, whose adversary listens: create, ask, ask again."""
    path = tmp_path / "view.jsonl"
    adversary = CounterexampleAdversary(delta=1, copies=3)
    ap.audit.counterexample_game(1).play(adversary, bit=1, seed=1).save(path)
    return path


def edit(path, number, old, new):
    lines = path.read_text().splitlines(keepends=True)
    assert old in lines[number]
    lines[number] = lines[number].replace(old, new)
    path.write_text("".join(lines))


def one_object(out):
    assert out.endswith("\n")
    assert out.count("\n") == 1
    value = json.loads(out)
    assert type(value) is dict
    return value


class TestCounterexample:
    def test_prints_the_rate_beside_the_exact_probability(self, cli):
        status, out, err = cli(*FAST)
        assert (status, err) == (0, "")
        assert "40.9510% = 0.40951, inside" in out
        assert "named a wrong bit 0 times" in out
        assert "verifier halts it: a created mechanism's f is not first-pair consistent" in out
        assert "not for release" in out

    def test_as_data(self, cli):
        status, out, _ = cli(*FAST, "--json", "--delta", "1/3", "--copies", "2")
        data = one_object(out)
        assert status == 0
        assert data["exact"] == {"probability": 5 / 9, "fraction": "5/9"}
        low, high = data["interval"]
        assert low < data["rate"] < high
        assert [world["wrong"] for world in data["worlds"]] == [0, 0]
        assert sum(world["right"] for world in data["worlds"]) == round(data["rate"] * 600)
        assert data["first_pair_consistent"]["halted"] is True
        assert abs(data["advantage"]["observed"] - 5 / 9) < 0.15

    def test_a_seed_repeats_and_no_seed_does_not(self, cli):
        assert cli(*FAST)[1] == cli(*FAST)[1]
        rates = {cli("counterexample", "--runs", "300", "--json")[1] for _ in range(4)}
        assert len(rates) > 1
        assert all(json.loads(each)["seeded"] is False for each in rates)

    @pytest.mark.parametrize("delta", ["0", "1", "1e-6", "0.30"])
    def test_any_delta_in_the_unit_interval(self, cli, delta):
        status, out, _ = cli(*FAST, "--runs", "50", "--delta", delta, "--json")
        data = one_object(out)
        assert status == 0
        assert data["exact"]["probability"] == up(1 - (1 - Fraction(delta)) ** 5)

    def test_theory_that_does_not_hold_is_status_1(self, cli, monkeypatch):
        monkeypatch.setattr("antiphon.cli.commands.counterexample._guess", lambda *_: 0)
        status, out, _ = cli(*FAST)
        assert status == 1
        assert "NOT what theory says" in out

    def test_the_saved_view_replays_and_shows_the_bit(self, cli, tmp_path):
        path = tmp_path / "v"
        assert cli(*FAST, "--save", path)[0] == 0
        assert ap.View.load(path).answers[-1] == 1
        status, out, _ = cli("replay", path)
        assert status == 0
        assert "identical" in out


class TestConfidence:
    def test_no_success_has_a_closed_form(self):
        low, high = clopper_pearson(0, 50, confidence=0.95)
        assert low == 0
        assert high >= 1 - 0.025 ** (1 / 50)
        assert high == pytest.approx(1 - 0.025 ** (1 / 50), abs=1e-7)
        assert clopper_pearson(50, 50, confidence=0.95)[1] == 1

    @over(("k", "n"), [(1, 2), (3, 10), (7, 7), (29, 30), (12, 200)])
    @over("confidence", [0.5, 0.95, 0.999999])
    def test_the_ends_solve_the_exact_tails_rounded_outward(self, k, n, confidence):
        """The tails in Fractions: at most α/2 at the ends, more than that a little inside."""
        low, high = (Fraction(end) for end in clopper_pearson(k, n, confidence=confidence))
        half = (1 - Fraction(confidence)) / 2

        def at_least(j, p):
            a, b = p.numerator, p.denominator
            terms = (math.comb(n, i) * a**i * (b - a) ** (n - i) for i in range(j, n + 1))
            return Fraction(sum(terms), b**n)

        assert at_least(k, low) <= half < at_least(k, low * Fraction(1_000_010, 1_000_000))
        if k < n:
            inside = 1 - (1 - high) * Fraction(1_000_010, 1_000_000)
            assert 1 - at_least(k + 1, high) <= half < 1 - at_least(k + 1, inside)

    def test_a_large_tail_is_as_exact(self):
        n, k, p = 3000, 1300, Fraction(2, 5)
        exact = sum(math.comb(n, i) * 2**i * 3 ** (n - i) for i in range(k, n + 1)) / Fraction(5**n)
        assert upper_tail(k, n, float(p)) == pytest.approx(float(exact), rel=1e-9)

    def test_many_trials_are_as_tight(self):
        for share in (0.01, 0.4):
            narrow = clopper_pearson(int(share * 10**7), 10**7, confidence=0.95)
            wide = clopper_pearson(int(share * 4 * 10**7), 4 * 10**7, confidence=0.95)
            assert wide[0] < share < wide[1]
            # four times the trials: half the width
            assert 0.999 < 2 * (wide[1] - wide[0]) / (narrow[1] - narrow[0]) < 1.001

    @pytest.mark.parametrize("bad", [(-1, 5), (6, 5), (0, 0), (0, 10**16)])
    def test_counts_that_are_none(self, bad):
        with pytest.raises(ap.InvalidArgument):
            clopper_pearson(*bad, confidence=0.9)


class TestReplay:
    def test_identical(self, cli, saved):
        status, out, err = cli("replay", saved)
        assert (status, err) == (0, "")
        assert "a view of 3 rounds" in out
        assert "identical: the adversary replayed" in out
        assert "answers are as the file has them, unchecked" in out
        data = one_object(cli("replay", saved, "--json")[1])
        assert data["identical"] is True
        assert (data["rounds"], data["replayed"], data["complete"]) == (3, "adversary", True)

    def test_an_edited_message_is_found(self, cli, saved):
        edit(saved, 3, '{"ask":[0,0]}', '{"ask":[1,0]}')
        status, out, _ = cli("replay", saved)
        assert status == 1
        assert "DIFFERENT at round 2" in out
        assert "expected  message Pair(zero=Ask(query=1" in out
        status, out, _ = cli("replay", saved, "--json")
        data = one_object(out)
        assert (status, data["identical"], data["mismatch"]["round"]) == (1, False, 2)

    def test_an_edited_answer_is_found_where_it_changes_the_next_message(self, cli, saved):
        edit(saved, 4, "BOTTOM", "TOP")
        status, out, _ = cli("replay", saved)
        assert status == 1
        assert "DIFFERENT at round 3" in out

    def test_a_recording_replays_both_sides(self, cli, tmp_path):
        path = tmp_path / "recording"
        ap.record(ap.scripted([1, COUNT]), TreeCounter(horizon=4, epsilon=1)).save(path)
        status, out, _ = cli("replay", path)
        assert status == 0
        assert "both sides replayed, message by message\n" in out
        assert "is a secret" in out
        before = ap.View.load(path).answers[1]
        edit(path, 4, f'"answers":{before}', f'"answers":{before + 1}')
        status, out, _ = cli("replay", path, "--json")
        assert status == 1
        assert one_object(out)["mismatch"]["round"] == 2

    def test_a_truncated_file_says_so(self, cli, saved):
        raw = saved.read_bytes()
        saved.write_bytes(raw[: raw.rindex(b'{"answers"') + 5])
        status, out, _ = cli("replay", saved)
        assert status == 0
        assert "cut short after round 2" in out
        assert one_object(cli("replay", saved, "--json")[1])["complete"] is False


USER = """
import attrs, antiphon as ap
print("hello from the user's file")

@ap.register("user.Lazy/1")
@attrs.frozen
class Lazy(ap.Adversary):
    initial_state = 0
    def step(self, state, message, coins):
        print("stepped")
        return state + 1, (1 if state < 2 else ap.HALT)
"""


class TestUserCode:
    @pytest.fixture
    def theirs(self, tmp_path):
        """A view of a type that only their file registers, and the file."""
        code = tmp_path / "theirs.py"
        code.write_text(USER)
        lines = [
            {"antiphon": 1, "kind": "view", "adversary": {"type": "user.Lazy/1"},
             "system": {"unregistered": "M"}, "seeded": False},
            {"says": 1}, {"answers": "a"}, {"says": 1}, {"answers": "b"}, {"end": "adversary"},
        ]  # fmt: skip
        path = tmp_path / "v"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path, code

    def test_is_imported_on_request_only(self, cli, theirs, monkeypatch):
        monkeypatch.setattr(_names(), "things", dict(_names().things))
        path, code = theirs
        status, out, err = cli("replay", path)
        assert (status, out) == (2, "")
        assert "--with FILE.py" in err
        status, out, _ = cli("replay", path, "--with", code, "--json")
        assert status == 0
        assert one_object(out)["identical"] is True

    @pytest.mark.parametrize(
        ("code", "words"),
        [
            ("1/0", "line 1: ZeroDivisionError"),
            ("x = (", "SyntaxError"),
            ("\nimport sys; sys.exit(0)", "line 2: SystemExit"),
        ],
    )
    def test_that_fails_is_one_line(self, cli, saved, tmp_path, code, words):
        broken = tmp_path / "broken.py"
        broken.write_text(code)
        status, out, err = cli("replay", saved, "--with", broken)
        assert (status, out) == (2, "")
        assert words in err
        assert err.count("\n") == 1

    def test_that_raises_in_a_step_is_one_line(self, cli, theirs, monkeypatch):
        monkeypatch.setattr(_names(), "things", dict(_names().things))
        path, code = theirs
        code.write_text(USER.replace('print("stepped")', "raise KeyError('secret')"))
        status, _, err = cli("replay", path, "--with", code)
        assert status == 2
        assert "raised KeyError" in err
        assert "secret" not in err

    def test_a_view_of_an_adversary_without_a_name_is_not_sent_back_to_the_file(
        self, cli, tmp_path
    ):
        @ap.adversary
        def analyst(answers, coins):
            return ap.HALT if answers else 1

        view = ap.interact(analyst, TreeCounter(horizon=4, epsilon=1), seed=1)
        view.save(tmp_path / "v")
        (tmp_path / "mine.py").write_text("")
        status, _, err = cli("replay", tmp_path / "v", "--with", tmp_path / "mine.py")
        assert status == 2
        assert "saved without a name" in err
        assert "ap.replay(view, " in err
        assert "--with" not in err

    def test_that_is_not_there(self, cli, saved):
        assert "no such file" in cli("show", saved, "--with", "nowhere.py")[2]


def _names():
    from antiphon.protocol import registry

    return registry._said


class TestShow:
    def test_mermaid_is_the_default(self, cli, saved):
        status, out, _ = cli("show", saved)
        assert status == 0
        assert out == ap.View.load(saved).mermaid()

    def test_svg_to_a_file(self, cli, saved, tmp_path):
        path = tmp_path / "picture.svg"
        status, out, _ = cli("show", saved, "--format", "svg", "--output", path, "--limit", 2)
        assert status == 0
        assert "2 of 3 rounds" in out
        assert path.read_text(encoding="utf-8") == ap.View.load(saved).svg(2)

    def test_as_data(self, cli, saved, tmp_path):
        data = one_object(cli("show", saved, "--json")[1])
        assert data["drawing"] == ap.View.load(saved).mermaid()
        data = one_object(cli("show", saved, "--json", "--output", tmp_path / "p")[1])
        assert data["drawing"] is None

    def test_another_format(self, cli, saved):
        status, _, err = cli("show", saved, "--format", "gif")
        assert status == 2
        assert "mermaid or svg" in err


HEADER = (
    '{"antiphon":1,"kind":"view","adversary":{"type":"antiphon.Scripted/1"},'
    '"system":null,"seeded":false}\n'
)
BAD_FILES = {
    "not JSON": ("hello\n", "line 1 is not JSON"),
    "empty": ("", "line 1"),
    "another version": (HEADER.replace('"antiphon":1', '"antiphon":2'), "its version is 2"),
    "unknown type": (HEADER + '{"says":{"type":"os.system/1"}}\n', "os.system/1"),
    "deep": (HEADER + '{"says":' + "[" * 10**5 + "]" * 10**5 + "}\n", "line 2"),
    "a huge number": (HEADER + '{"says":' + "9" * 5000 + "}\n", "line 2"),
    "answers first": (HEADER + '{"answers":1}\n', "answers where says was due"),
    "binary": ("\x00\x01\x02\n", "line 1"),
}


class TestBadInput:
    @pytest.mark.every(2)
    @pytest.mark.parametrize(("content", "words"), BAD_FILES.values(), ids=BAD_FILES)
    @pytest.mark.parametrize("command", ["replay", "show"])
    def test_files(self, cli, tmp_path, command, content, words):
        path = tmp_path / "bad"
        path.write_text(content)
        status, out, err = cli(command, path)
        assert (status, out) == (2, "")
        assert words in err
        assert err.count("\n") == 1
        status, out, err = cli(command, path, "--json")
        assert (status, err) == (2, "")
        assert words in one_object(out)["error"]["message"]

    @pytest.mark.every(2)
    @pytest.mark.parametrize(
        "arguments",
        [
            ["replay", "no-such-file"],
            ["replay", "."],
            ["show", "."],
            ["counterexample", "--delta", "2"],
            ["counterexample", "--delta", "nan"],
            ["counterexample", "--delta", "-0.1"],
            ["counterexample", "--delta", "1/0"],
            ["counterexample", "--delta", "1e-999999999"],
            ["counterexample", "--copies", "0"],
            ["counterexample", "--copies", "1000000000"],
            ["counterexample", "--runs", "0"],
            ["counterexample", "--runs", "many"],
            ["counterexample", "--runs", "1000000000000001"],
            ["counterexample", "--confidence", "1"],
            ["counterexample", "--seed", "-1"],
            ["counterexample", "--runs", "1", "--save", "/no/such/directory/v"],
            ["demo", "--flights", "0"],
            ["demo", "--flights", "336777"],
            ["demo", "--epsilon", "0"],
            ["demo", "--epsilon", "inf"],
            ["demo", "--bit", "2"],
            ["nonsense"],
            ["replay"],
            ["replay", "x", "--no-such-option"],
        ],
        ids=" ".join,
    )
    def test_arguments(self, cli, arguments):
        status, out, err = cli(*arguments)
        assert (status, out) == (2, "")
        assert err.startswith("antiphon: ")
        assert "Traceback" not in err
        status, out, _ = cli(*arguments, "--json")
        assert status == 2
        assert one_object(out)["error"]["message"]

    def test_a_bug_is_one_line_too(self, cli, saved, monkeypatch):
        def broken(*_, **__):
            raise RuntimeError("oh\nno")

        monkeypatch.setattr("antiphon.cli.commands.views.import_file", broken)
        status, _, err = cli("replay", saved, "--with", "x.py")
        assert status == 3
        assert err == "antiphon: this is a bug in antiphon, please report it: oh no\n"

    def test_an_interrupt_is_quiet(self, cli, monkeypatch):
        def interrupted(*_):
            raise KeyboardInterrupt

        monkeypatch.setattr("antiphon.cli.commands.counterexample.trial", interrupted)
        status, out, err = cli(*FAST)
        assert (status, out, err.strip()) == (130, "", "")

    def test_help(self, cli):
        for arguments in ([], ["--help"], ["counterexample", "-h"]):
            status, out, err = cli(*arguments)
            assert (status, err) == (0, "")
            assert "Usage" in out


class TestNumbers:
    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("0.1", Fraction(1, 10)),
            ("1/3", Fraction(1, 3)),
            ("1e-6", Fraction(1, 10**6)),
            (".5", Fraction(1, 2)),
        ],
    )
    def test_are_exact(self, text, value):
        assert rational(text, "delta") == value

    @over(
        "text",
        [
            *("", "x", "-1", "+1", "1/0", "e5", ".", "1_0", "٣", "1" * 100, " 1/20 ", "1 / 2"),
            *("1e99999999", "1e-99999999", "1e999", "inf", "nan", "0x1", "1/-2"),
        ],
        at_least=19,
    )
    def test_or_refused(self, text):
        with pytest.raises(ap.InvalidArgument, match="delta is a number"):
            rational(text, "delta")

    @over("text", ["", "0", "-1", "1.0", "٣", "²", "1_0", " 1", "9" * 5000, "5"])
    def test_counts_are_ascii(self, text):
        with pytest.raises(ap.InvalidArgument, match="rounds is a whole number from 1 to 4"):
            count(text, "rounds", 4)
        assert count("3", "rounds", 4) == 3

    def test_are_shown_short(self):
        assert exact_number(Fraction(1, 8)) == "0.125"
        assert exact_number(Fraction(1, 3)) == "1/3"
        assert exact_number(Fraction(1, 3**60)).startswith("≈")


class TestExtras:
    def test_without_typer_one_line_names_the_extra(self, cli, monkeypatch):
        monkeypatch.delitem(sys.modules, "antiphon.cli.app", raising=False)
        monkeypatch.setitem(sys.modules, "typer", None)
        status, out, err = cli("replay", "x")
        assert (status, out) == (2, "")
        assert err.count("\n") == 1
        assert "antiphon[cli]" in err
        assert one_object(cli("replay", "--json")[1])["error"]["type"] == "MissingExtra"

    def test_a_command_that_imports_late_names_it_too(self, cli, monkeypatch):
        monkeypatch.delitem(sys.modules, "antiphon.selfcheck.commands.verify", raising=False)
        monkeypatch.delattr("antiphon.selfcheck.commands.verify", raising=False)
        monkeypatch.setitem(sys.modules, "rich.table", None)
        assert "antiphon[cli]" in cli("verify")[2]

    @pytest.mark.slow
    def test_help_loads_no_more_than_it_shows(self):
        code = "import sys; from antiphon.cli import main; main(['--help']); print(*sys.modules)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert "counterexample" in done.stdout
        loaded = set(done.stdout.splitlines()[-1].split())
        assert not loaded & {
            "antiphon.audit", "antiphon.composition", "antiphon.demo", "antiphon.mechanisms",
            "matplotlib", "multiprocessing",
        }  # fmt: skip

    @pytest.mark.every(2)
    @pytest.mark.parametrize("module", ["antiphon", "antiphon.cli"])
    def test_as_a_module_and_its_version(self, module):
        command = [sys.executable, "-m", module, "--version"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == f"antiphon {ap.__version__}\n"

    def test_what_help_shows_is_so(self):
        assert core.FLIGHTS == TOTAL
        assert (core.SCORES, core.METHODS, core.CORRECTIONS) == (SCORES, METHODS, CORRECTIONS)

    def test_an_audit_on_the_command_line_is_that_of_the_game(self):
        typed, called = (
            {each.name: each.default for each in inspect.signature(function).parameters.values()}
            for function in (core.audit, ap.PrivacyGame.audit)
        )
        shared = typed.keys() & called.keys()
        assert shared == {
            "adversary", "epsilon", "delta", "curve", "samples", "confidence", "score", "feature",
            "method", "correction", "rounds", "seed", "checkpoint",
        }  # fmt: skip
        asked = {
            "adversary",
            "epsilon",
            "samples",
            "feature",
            "delta",
            "curve",
        }  # a text, or a name
        assert {name: typed[name] for name in shared - asked} == {
            name: called[name] for name in shared - asked
        }
        assert rational(typed["delta"], "delta") == called["delta"]

    @pytest.mark.slow
    def test_the_core_imports_none_of_them(self):
        code = (
            "import sys, antiphon.audit, antiphon.demo.panels, antiphon.cli.output\n"
            "antiphon.View.svg, antiphon.demo.FlightAnalyst()\n"
            "print(sorted({'typer', 'rich', 'click', 'matplotlib', 'pandas'} & set(sys.modules)))"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert (done.stdout, done.stderr) == ("[]\n", "")

    @pytest.mark.slow
    def test_as_a_process(self, saved):
        command = [sys.executable, "-m", "antiphon.cli", "replay", str(saved), "--json"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        assert one_object(done.stdout)["identical"] is True
