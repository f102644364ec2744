"""`antiphon conjecture`: value against bound as it climbs, and what refutes it."""

from pathlib import Path

import pytest

import antiphon as ap

COMMAND = "conjecture"
FILE = Path(ap.__file__).parent.parent / "examples/conjectures/first_pairs.py"
SHORT = ("--seed", "1", "--starts", "60")


def test_what_is_refuted_is_shown(printed, tmp_path):
    files = [tmp_path / name for name in ("play.jsonl", "trees.svg", "climb.png")]
    save = ("--save", files[0], "--svg", files[1], "--plot", files[2])
    out = printed(f"{FILE}:CLAIM", *SHORT, *save, status=1).out
    assert "against 0.100000" in out
    assert "refuted: δ(0) of 2 mechanisms" in out
    assert "bound 1/10 = 0.1; found " in out
    assert "accuse b = 0" in out
    recording = ap.Recording.load(files[0])
    assert ap.replay(recording).answers == recording.view.answers
    assert all(path.stat().st_size for path in files)
    assert "there already" in printed(f"{FILE}:CLAIM", *save, status=2).err


def test_what_is_not_refuted_is_said_to_be_just_that(told):
    data = told(f"{FILE}:TRUE_CLAIM", "--seed", "1", "--starts", "12")
    assert data["refuted"] is False
    assert data["starts"] == 12
    assert (data["bound"], data["loss"]) == ("1/10", "1/10")


def test_several_processes(printed):
    out = printed(f"{FILE}:CLAIM", "--starts", "200", "--workers", "2", status=1).out
    assert "refuted" in out


def test_games_learners_and_filters(printed, told):
    """Of any pattern; a game that is composed by a partial is sent to other processes, too."""
    games = FILE.with_name("post_processors.py")
    both = ("--starts", "60", "--workers", "2")
    assert "refuted: δ(0) of a game" in printed(f"{games}:VALIDITY", *both, status=1).out
    learners = FILE.with_name("few_mistakes.py")
    out = printed(f"{learners}:CLAIM", "--starts", "6", "--seed", "1", status=1).out
    assert "refuted: P(fewer than k mistakes) - (Σq_i)" in out
    data = told(f"{FILE.with_name('listening.py')}:TRUE_CLAIM")
    assert (data["refuted"], data["starts"], data["searched"]) == (False, 1, [])


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
