"""`antiphon conjecture`: value against bound as it climbs, and what refutes it."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import pytest

import antiphon as ap
from antiphon.conjectures import HowFar
from antiphon.conjectures.commands import climb_line

COMMAND = "conjecture"
FILE = Path(ap.__file__).parent.parent / "examples/conjectures/first_pairs.py"
SHORT = ("--seed", "1", "--starts", "60")


def test_what_is_refuted_is_shown(printed, tmp_path):
    files = [tmp_path / name for name in ("play.jsonl", "trees.svg", "climb.png")]
    save = ("--save", files[0], "--svg", files[1], "--plot", files[2])
    out = printed(f"{FILE}:CLAIM", *SHORT, *save, status=1).out
    assert out.startswith("refuted: δ(0) of 2 mechanisms")  # nobody watched it climb
    assert "  bound     1/10 = 0.1\n" in out
    assert "accuse b = " in out
    recording = ap.Recording.load(files[0])
    assert ap.replay(recording).answers == recording.view.answers
    assert all(path.stat().st_size for path in files)
    assert "there already" in printed(f"{FILE}:CLAIM", *save, status=2).err


@pytest.mark.slow
def test_what_is_not_refuted_is_said_to_be_just_that(told):
    data = told(f"{FILE}:TRUE_CLAIM", "--seed", "1", "--starts", "12")
    assert data["refuted"] is False
    assert data["starts"] == 12
    assert (data["bound"], data["loss"]) == ("1/10", "1/10")


@pytest.mark.slow
def test_several_processes_find_the_same(told, printed):
    found = [
        json.loads(printed(f"{FILE}:CLAIM", *SHORT, "--workers", n, "--json", status=1).out)
        for n in ("1", "2")
    ]
    assert found[0] == found[1]


@pytest.mark.slow
def test_a_search_in_two_pieces(told, printed, tmp_path):
    file = tmp_path / "search.json"
    options = (f"{FILE}:TRUE_CLAIM", "--seed", "1", "--checkpoint", file)
    assert told(*options, "--starts", "5")["starts"] == 5
    both = told(*options, "--starts", "12")
    assert both == told(f"{FILE}:TRUE_CLAIM", "--seed", "1", "--starts", "12")
    assert "it differs in" in printed(f"{FILE}:CLAIM", *options[1:], status=2).err
    assert "needs a seed" in printed(options[0], "--checkpoint", file, status=2).err


def test_a_line_that_climbs():
    line = climb_line(HowFar(12.34, 1234, 0.15, Fraction(1, 10)), [0.0, 0.075, 0.15])
    assert line == (
        "    12.3 s   1,234 starts  ████████████████│████████  0.150000 against 0.100000  ▁▄█"
    )
    below = climb_line(HowFar(1, 1, 0.05, Fraction(1, 10)), [0.05])
    assert "████████████░░░░░░░░░░░░│  0.050000" in below
    assert "│░" in climb_line(HowFar(0, 1, 0.0, Fraction(0)), [])


CALLS = {
    "cli": [
        "-m", "antiphon.cli", "conjecture", f"{FILE.with_name('one_sided.py')}:TRUE_CLAIM",
        "--seconds", "600", "--seed", "1", "--checkpoint", "search.json", "--workers",
    ],
    "api": [
        "-c",
        "import runpy, sys\n"
        f"claim = runpy.run_path({str(FILE.with_name('one_sided.py'))!r})['TRUE_CLAIM']\n"
        "found = claim.search(seconds=600, seed=1, checkpoint='search.json',\n"
        "    executor=int(sys.argv[1]))\n"
        "print(found)\n",
    ],
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("way", CALLS)
def test_a_real_ctrl_c_keeps_the_best_and_loses_nothing(tmp_path, way, workers):
    file = tmp_path / "search.json"
    with subprocess.Popen(
        [sys.executable, *CALLS[way], workers],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(Path(ap.__file__).parents[1])},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    ) as process:  # fmt: skip
        until = time.monotonic() + 60
        while time.monotonic() < until and not file.exists():
            time.sleep(0.05)
        time.sleep(1)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of them
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert err == ""
    assert out.startswith("not refuted, which proves nothing")
    starts = re.search(r"^  starts +(\d+), interrupted$", out, re.MULTILINE)
    assert json.loads(file.read_text())["chunks"] == int(starts[1]) > 0


@pytest.mark.slow
def test_games_learners_and_filters(printed, told):
    """Of any pattern; a game that is composed by a partial is sent to other processes, too."""
    games = FILE.with_name("post_processors.py")
    both = ("--starts", "60", "--workers", "2")
    assert "refuted: δ(0) of a game" in printed(f"{games}:VALIDITY", *both, status=1).out
    learners = FILE.with_name("few_mistakes.py")
    out = printed(f"{learners}:CLAIM", "--starts", "6", "--seed", "1", status=1).out
    assert "refuted: P(fewer than k mistakes) - (Σq_i)" in out
    data = told(f"{FILE.with_name('listening.py')}:TRUE_CLAIM")
    assert (data["refuted"], data["starts"], data["searched"]) == (False, 1, [[0, 0]])


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("CLAIM", "FILE.py:NAME"),
        (f"{FILE}:NONE", "has no NONE"),
        (f"{FILE}:DELTA", "Conjecture(pattern, bound)"),
    ],
)
def test_bad_input_is_one_line(printed, target, words):
    err = printed(target, status=2).err
    assert words in err
    assert err.count("\n") == 1


def test_no_file_is_given_twice(printed, tmp_path):
    file = tmp_path / "all.svg"
    for both in (("--svg", "--save"), ("--plot", "--svg"), ("--checkpoint", "--save")):
        given = [each for option in both for each in (option, file)]
        assert "given twice" in printed(f"{FILE}:CLAIM", *SHORT, *given, "--force", status=2).err
    source = tmp_path / "own.py"
    source.write_text(FILE.read_text())
    own = ("--svg", source, "--force")
    assert "given twice" in printed(f"{source}:CLAIM", *SHORT, *own, status=2).err
    assert source.read_text() == FILE.read_text()
    assert not file.exists()


@pytest.mark.slow
def test_what_was_found_is_printed_whatever_cannot_be_written(printed, tmp_path, monkeypatch):
    def full(*args, **options):
        raise ap.FileError("the disk is full")

    monkeypatch.setattr("antiphon.conjectures.commands.write_text", full)
    said = printed(f"{FILE}:CLAIM", *SHORT, "--svg", tmp_path / "trees.svg", status=2)
    assert said.out.startswith("refuted: ")
    assert "the disk is full" in said.err


@pytest.mark.slow
@pytest.mark.parametrize(("name", "alone"), [("sparse_renyi", 0), ("prefixes", 2)])
def test_who_replays_a_refutation_needs_its_file_for_types_of_its_own(name, alone, tmp_path):
    source, play = FILE.with_name(f"{name}.py"), tmp_path / "play.jsonl"
    calls = [
        ("conjecture", f"{source}:CLAIM", "--seed", "1", "--save", str(play)),
        ("replay", str(play)),
        ("replay", str(play), "--with", str(source)),
    ]
    env = os.environ | {"PYTHONPATH": str(Path(ap.__file__).parents[1])}
    done = [
        subprocess.run(
            [sys.executable, "-m", "antiphon", *call], env=env, capture_output=True, text=True
        )
        for call in calls
    ]
    assert [each.returncode for each in done] == [1, alone, 0], done
    assert ("--with FILE.py" in done[1].stderr) is bool(alone)
    assert "identical: both sides replayed" in done[2].stdout
