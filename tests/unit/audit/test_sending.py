"""Functions of a notebook or of the prompt in processes; and what makes an audit slow."""

import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import antiphon as ap
from antiphon.audit import AuditReport
from antiphon.audit.running import sending
from antiphon.cli import main
from antiphon.mechanisms import RandomizedResponse
from antiphon.populations.play import SlowAudit, slow_hint
from antiphon.verifiers import AnyTwo, event_level

ROOT = Path(ap.__file__).parent.parent
CODE = """
import antiphon as ap
from antiphon.verifiers import AnyTwo, event_level

@ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.Integers())
def noisy(state, bit, coins):
    return state, bit + coins.discrete_laplace(1)

@ap.adversary
def curious(answers, coins):
    return ap.HALT if answers else ap.Pair(0, 1)

game = ap.PrivacyGame(noisy, event_level(AnyTwo()))

def audit(executor):
    return game.audit(
        curious, epsilon=0.2, samples=2000, seed=1, chunk=500, executor=executor, progress=False
    )
"""
AT_THE_PROMPT = """
import sys, threading, time
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()   # so nothing is forked
try:
    print(audit(2).hits == audit("serial").hits)
except ap.ExecutorError as error:
    print(error)
"""


def prompted(code):
    """What a program without a file prints, as one of a notebook."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, cwd=ROOT,
        check=False,
    )  # fmt: skip
    return done.stdout.strip(), done.stderr


@pytest.mark.slow
def test_functions_without_a_file_go_to_processes():
    assert prompted(CODE + AT_THE_PROMPT) == ("True", "")


@pytest.mark.slow
def test_without_cloudpickle_the_cause_is_named_before_anything_starts():
    hidden = "import sys; sys.modules['cloudpickle'] = None\n"
    said, _ = prompted(hidden + CODE + AT_THE_PROMPT)
    assert "noisy is defined in a notebook or at the prompt" in said or "curious is" in said
    assert "pip install '.[notebook]'" in said
    assert "lost again" not in said


@pytest.mark.slow
def test_a_program_on_standard_input_is_told_so():
    done = subprocess.run(
        [sys.executable, "-"], input=CODE + AT_THE_PROMPT, capture_output=True, text=True,
        timeout=120, cwd=ROOT, check=False,
    )  # fmt: skip
    assert "read from standard input" in done.stdout


def test_what_stands_in_a_module_goes_by_name():
    files, data = sending.pack(AnyTwo())
    assert b"cloudpickle" not in data
    assert sending.unpack(files, data) == AnyTwo()
    assert not sending.is_misled()


# --- what makes it slow -------------------------------------------------------------------------

RR = RandomizedResponse(epsilon=1)
FAST = ap.PrivacyGame(RR, RR.claims[0].verification)
ASKER = ap.scripted([ap.Pair(0, 1)])


@ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.Integers())
def plodding(state, bit, coins):
    return state, bit + coins.discrete_laplace(1)


SLOW = ap.PrivacyGame(plodding, event_level(AnyTwo()))


def test_a_report_says_what_made_it_slow(tmp_path, monkeypatch):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report = SLOW.audit(ASKER, epsilon=3, samples=1000, seed=1)
        assert FAST.audit(ASKER, epsilon=1, samples=1000, seed=1).slow == ""
    assert report.slow.startswith("plodding is taken replica by replica")
    assert report.slow in str(report)
    assert "@ap.column_safe" in report._repr_mimebundle_()["text/html"]
    report.save(tmp_path / "report.json")
    assert AuditReport.load(tmp_path / "report.json") == report
    monkeypatch.setattr(sys.modules["antiphon.audit.statistical.audit"], "MANY", 1000)
    with pytest.warns(SlowAudit, match="plodding"):
        SLOW.audit(ASKER, epsilon=3, samples=1000, seed=1)


def test_nothing_slow_has_no_hint():
    assert slow_hint(()) == ""
    assert slow_hint(("a", "b")).startswith("a, b ")


# --- counterexamples ----------------------------------------------------------------------------


@pytest.mark.slow
def test_a_counterexample_saved_by_a_script_replays_on_the_command_line(tmp_path, capsys):
    script, leak = tmp_path / "mine.py", tmp_path / "leak.jsonl"
    script.write_text(
        CODE + "if __name__ == '__main__':\n"
        f"    audit('serial').counterexample.save({str(leak)!r})\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script)], capture_output=True, text=True, cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": ""}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert main(["replay", str(leak), "--with", str(script)]) == 0
    assert "identical: both sides replayed" in capsys.readouterr().out


@pytest.mark.slow
def test_saving_says_what_has_no_name(tmp_path):
    @ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.BITS)
    def inner(state, bit, coins):
        return state, bit

    game = ap.PrivacyGame(inner, event_level(AnyTwo()))
    found = game.audit(ASKER, epsilon=1, samples=1000, seed=1).counterexample
    with pytest.warns(UserWarning, match=r"leak inner has no name.*cannot run.*--with FILE.py"):
        found.save(tmp_path / "leak")
    named = SLOW.audit(ASKER, epsilon=0.1, samples=4000, seed=1).counterexample
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        named.save(tmp_path / "named")
