"""`antiphon audit`: refuted with status 1 and a view that replays, or not refuted."""

import json
import os
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import antiphon as ap
from antiphon.audit import AuditReport
from antiphon.audit.running import executors
from antiphon.cli import main

CODE = textwrap.dedent(
    """
    from fractions import Fraction
    import antiphon as ap
    from antiphon.audit import CounterexampleAdversary, counterexample_game
    from antiphon.audit import AdversaryFamily
    from antiphon.mechanisms import Laplace, RandomizedResponse
    from antiphon.protocol.spaces import BITS, Integers

    game = counterexample_game(Fraction(1, 10))
    breaker = CounterexampleAdversary(delta=Fraction(1, 10), copies=5)
    response = RandomizedResponse(epsilon=ap.Log(3))
    asker = ap.scripted([ap.Pair(0, 1)])
    noise = Laplace(epsilon=1)
    refused = ap.scripted([ap.Pair("a", "b")])
    wide = ap.scripted([ap.Pair(0.0, 1.0)])
    askers = [ap.scripted([ap.Pair(0.0, 0.1)]), wide]
    family = AdversaryFamily(lambda v: ap.scripted([ap.Pair(0.0, v[0])]), [(0, 1)], size=4)

    def largest(answers):
        return max(answers)

    def positive(answers):
        return bool(answers[0] > 0.5)

    @ap.mechanism(queries=BITS, answers=Integers())
    def plodding(state, bit, coins):
        return state, bit + coins.discrete_laplace(1)

    slow = ap.PrivacyGame(plodding, response.claims[0].verification)

    @ap.mechanism(queries=BITS, answers=BITS)
    def broken(state, bit, coins):
        raise ZeroDivisionError("of the user")

    @ap.mechanism(queries=BITS, answers=BITS)
    def truthful(state, bit, coins):
        return state, 1 - bit if coins.bernoulli(Fraction(1, 10)) else bit

    class Curious(ap.Adversary):
        initial_state = 0

        def step(self, state, message, coins):
            return 1, ap.HALT if state else ap.Pair(0, 1)

    @ap.adversary
    def written(answers, coins):
        return ap.HALT if answers else ap.Pair(0, 1)

    def build(vector):
        return ap.adversary(lambda a, coins: ap.HALT if a else ap.Pair(0, round(vector[0])))

    plain = ap.PrivacyGame(truthful, response.claims[0].verification)
    curious = Curious()
    several = [written, ap.adversary(lambda a, coins: ap.HALT if a else ap.Pair(0, 1))]
    built = AdversaryFamily(build, [(1, 1)], size=2)

    breaking = ap.PrivacyGame(broken, response.claims[0].verification)

    print("noise on standard output")
    """
)


@pytest.fixture
def code(tmp_path):
    path = tmp_path / "system.py"
    path.write_text(CODE)
    return path


def test_a_false_claim_is_refuted_and_its_view_replays(code, tmp_path, capsys):
    saved = tmp_path / "view.jsonl"
    arguments = ["audit", f"{code}:game", "--adversary", "breaker", "--epsilon", "0"]
    arguments += ["--delta", "0.1", "--seed", "1", "--save", str(saved)]
    assert main(arguments) == 1
    out = capsys.readouterr().out
    assert "refuted" in out
    assert "noise" not in out
    assert main(["replay", str(saved)]) == 0
    out = capsys.readouterr().out
    assert "a counterexample of" in out
    assert "both sides replayed" in out
    assert "evidence against (0, 0.1)-DP" in out
    assert "the view lies in the event" in out
    assert main(["replay", str(saved), "--json"]) == 0
    evidence = json.loads(capsys.readouterr().out)["evidence"]
    assert evidence["in_event"] is True
    assert 0.1 < evidence["delta_lower"] < 0.41


def test_a_counterexample_that_misses_its_event_is_told(code, tmp_path, capsys):
    saved = tmp_path / "view.jsonl"
    arguments = ["audit", f"{code}:game", "--adversary", "breaker", "--epsilon", "0"]
    main([*arguments, "--delta", "0.1", "--seed", "1", "--save", str(saved), "--samples", "5000"])
    saved.write_text(saved.read_text().replace('"threshold":0.5', '"threshold":7.5'))
    assert main(["replay", str(saved)]) == 1
    assert "does NOT lie in the event" in capsys.readouterr().out


@pytest.mark.slow
def test_several_adversaries_a_report_and_a_picture(code, tmp_path, capsys):
    report, plot = tmp_path / "report.json", tmp_path / "bound.svg"
    arguments = ["audit", f"{code}:noise", "--epsilon", "0.7", "--seed", "1"]
    arguments += ["--samples", "20000", "--report", str(report), "--plot", str(plot)]
    assert main([*arguments, "--adversary", "askers", "--correction", "holm"]) == 1
    out = capsys.readouterr().out
    assert "2 hypotheses were tested" in out
    assert "adjusted" in out
    assert AuditReport.load(report).refuted
    assert plot.read_text().startswith("<?xml")
    assert main([*arguments, "--force", "--adversary", "family"]) == 1
    assert "adversaries, chosen on training" in " ".join(capsys.readouterr().out.split())


@pytest.mark.every(5)
@pytest.mark.parametrize(
    ("options", "event"),
    [
        (["--score", "places"], "the answer to message 1 is"),
        (["--score", "largest"], "the feature is"),
        (["--feature", "positive"], "the transcript True"),
        (["--method", "anytime"], "the answer to message 1"),
        (["--workers", "1", "--method", "label"], "the answer to message 1"),
    ],
)
def test_scores_features_and_methods(code, capsys, options, event):
    arguments = ["audit", f"{code}:noise", "--adversary", "wide", "--epsilon", "0.3"]
    assert main([*arguments, "--seed", "1", "--samples", "5000", "--json", *options]) == 1
    data = json.loads(capsys.readouterr().out)
    assert event in data["event"].replace("False", "True")


def test_a_true_claim_is_not(code, capsys):
    arguments = ["audit", f"{code}:response", "--adversary", "asker", "--epsilon", "1.0987"]
    assert main([*arguments, "--seed", "3", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["verdict"] == "not refuted"
    assert 1 < data["epsilon_lower"] < 1.0987
    assert main([*arguments[:-1], "1", "--seed", "1"]) == 1


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("target", "options"),
    [
        ("{code}", []),
        ("{code}:nothing", []),
        ("nowhere.py:game", []),
        ("{code}:game", ["--adversary", "game"]),
        ("{code}:game", ["--samples", "10"]),
        ("{code}:game", ["--confidence", "1"]),
        ("{code}:game", ["--delta", "1"]),
        ("{code}:game", ["--epsilon", "nan"]),
        ("{code}:game", ["--epsilon", "-1"]),
        ("{code}:game", ["--score", "magic"]),
        ("{code}:game", ["--feature", "magic"]),
        ("{code}:game", ["--method", "magic"]),
        ("{code}:game", ["--correction", "magic"]),
        ("{code}:game", ["--checkpoint", "file"]),
        ("{code}:game", ["--plot", "picture.doc"]),
        ("{code}:game", ["--save", "no/such/directory/view"]),
        ("{code}:game", ["--method", "label", "--plot", "picture.png"]),
    ],
)
def test_bad_input_is_one_line_and_status_2(code, capsys, target, options):
    given = {"--adversary": "breaker", "--epsilon": "0"} | dict(
        zip(options[::2], options[1::2], strict=True)
    )
    arguments = [word for pair in given.items() for word in pair]
    assert main(["audit", target.format(code=code), *arguments]) == 2
    err = capsys.readouterr().err.replace("noise on standard output\n", "")
    assert err.startswith("antiphon: ")
    assert err.count("\n") == 1


def test_an_adversary_who_is_refused_is_told_so(code, capsys):
    """Its views are all alike: not refuted, but neither was anything tested."""
    arguments = ["audit", f"{code}:noise", "--adversary", "refused", "--epsilon", "1"]
    assert main([*arguments, "--samples", "2000", "--seed", "1"]) == 0
    out = capsys.readouterr().out
    assert "told the two worlds apart" not in out
    assert "This audit tested nothing: every view was halted by V[f]" in out


def test_an_error_of_the_users_code_is_named_with_its_line(code, capsys):
    assert main(["audit", f"{code}:breaking", "--adversary", "asker", "--epsilon", "1"]) == 2
    line = CODE.splitlines().index('    raise ZeroDivisionError("of the user")') + 1
    assert f"system.py, line {line}: ZeroDivisionError: of the user" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("adversary", ["curious", "written", "several", "built"])
def test_the_printed_command_replays_when_copied(adversary, tmp_path, capsys):
    """Of decorated and unregistered parties of a file, in a process that knows nothing."""
    path, saved = tmp_path / "my system.py", tmp_path / "found it.jsonl"
    path.write_text(CODE)
    arguments = ["audit", f"{path}:plain", "--adversary", adversary, "--epsilon", "1"]
    assert main([*arguments, "--samples", "5000", "--seed", "1", "--save", str(saved)]) == 1
    printed = capsys.readouterr().out.partition("; try: ")[2].strip()
    command = shlex.split(printed)
    assert command[0] == "antiphon"
    root = str(Path(ap.__file__).parents[1])
    found = subprocess.run(
        [sys.executable, "-m", "antiphon.cli", *command[1:]],
        env=os.environ | {"PYTHONPATH": root}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert "identical: both sides replayed" in found.stdout
    assert "the view lies in the event" in found.stdout


def test_a_file_may_import_what_lies_beside_it(tmp_path, capsys, monkeypatch):
    """But a neighbour called as a module of Python's own does not take its place."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "beside_it.py").write_text(CODE)
    (tmp_path / "statistics.py").write_text("raise AssertionError")
    (tmp_path / "importing.py").write_text("import statistics\nfrom beside_it import *\n")
    arguments = ["audit", f"{tmp_path / 'importing.py'}:response", "--adversary", "asker"]
    assert main([*arguments, "--epsilon", "1", "--samples", "5000", "--seed", "1"]) == 1
    assert "refuted" in capsys.readouterr().out


def test_a_view_that_cannot_be_rebuilt_is_not_promised(tmp_path, capsys):
    """The mechanism is in no variable of the file."""
    path, saved = tmp_path / "hidden.py", tmp_path / "view.jsonl"
    hides = "hidden = {'veiled': plain}\ndel truthful, plain\n"
    path.write_text(CODE + hides + "def __getattr__(name):\n    return hidden[name]\n")
    arguments = ["audit", f"{path}:veiled", "--adversary", "asker", "--epsilon", "1"]
    assert main([*arguments, "--samples", "5000", "--seed", "1", "--save", str(saved)]) == 1
    out = capsys.readouterr().out
    assert "it does not replay: the mechanism" in " ".join(out.split())
    assert "try:" not in out


@pytest.mark.slow
@pytest.mark.parametrize("method", ["spawn", "forkserver"])
@pytest.mark.parametrize("adversary", ["written", "curious", "built"])
def test_workers_that_are_not_forked_run_the_file_again(
    code, capsys, monkeypatch, method, adversary
):
    arguments = ["audit", f"{code}:plain", "--adversary", adversary, "--epsilon", "1", "--json"]
    arguments += ["--samples", "5000", "--seed", "1", "--workers"]
    assert main([*arguments, "1"]) == 1
    alone = json.loads(capsys.readouterr().out)
    monkeypatch.setattr(executors, "start_method", lambda: method)
    assert main([*arguments, "2"]) == 1
    assert json.loads(capsys.readouterr().out) == alone


@pytest.mark.slow
def test_what_is_slow_is_named_on_standard_error(code, capsys):
    fast = ["audit", f"{code}:game", "--adversary", "breaker", "--epsilon", "1", "--delta", "0.5"]
    slow = ["audit", f"{code}:slow", "--adversary", "asker", "--epsilon", "1"]
    assert main([*slow, "--samples", "1000", "--seed", "1"]) == 0
    assert "plodding is taken replica by replica" in capsys.readouterr().err
    main([*slow, "--samples", "1000", "--seed", "1", "--json"])
    assert "replica by replica" not in capsys.readouterr().err
    main([*fast, "--samples", "1000", "--seed", "1"])
    assert "replica by replica" not in capsys.readouterr().err
