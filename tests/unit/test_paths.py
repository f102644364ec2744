"""What is no path is refused where it is given, by the name that it goes by there."""

from pathlib import Path

import pytest
from trying import over

import antiphon as ap
from antiphon.audit.running import Chunks, run
from antiphon.cli import main
from antiphon.cli.user_code import import_file
from antiphon.conjectures import SparsePattern, conjecture
from antiphon.learners.games import LossTable
from antiphon.mechanisms import RandomizedResponse, TreeCounter
from antiphon.numbers.user_files import path_of
from antiphon.protocol.pictures import picture
from antiphon.protocol.records.files import write_text
from antiphon.sessions.durable.inspection import compact, status, verify

COUNTER = TreeCounter(horizon=2, epsilon=1)
PATTERN = SparsePattern(epsilon=0, delta=0.1, creations=1, sparse=1)
CALLS = {
    "begin": lambda given: ap.begin(COUNTER, given),
    "resume": ap.resume,
    "status": status,
    "verify": verify,
    "compact": compact,
    "load": ap.Recording.load,
    "view": ap.View.load,
    "losses": LossTable.load,
    "interact": lambda given: ap.interact(
        ap.scripted([0]), RandomizedResponse(epsilon=1), sink=given
    ),
    "checkpoint": lambda given: run(len, Chunks(total=4, seed=1), merge=max, checkpoint=given),
    "search": lambda given: conjecture(PATTERN, 1, seed=1, starts=1, checkpoint=given),
}


@over("given", [7, True, b"log", ["log"]])
@over("call", CALLS)
def test_what_is_no_path(call, given):
    with pytest.raises(ap.InvalidArgument, match=r"is the path of a file, as text or a Path, not"):
        CALLS[call](given)


@pytest.mark.parametrize("call", CALLS)
def test_a_directory_where_a_file_is_to_be(call, tmp_path):
    for given in (tmp_path, str(tmp_path)):
        with pytest.raises(ap.InvalidArgument, match=r"is a directory: give .* the path of a file"):
            CALLS[call](given)
    assert list(tmp_path.iterdir()) == []


VIEW = ap.interact(ap.scripted([0]), RandomizedResponse(epsilon=1), rounds=1)
WRITERS = {
    "view": VIEW.save,
    "over": lambda path: VIEW.save(path, overwrite=True),
    "text": lambda path: write_text(path, "", overwrite=True),
    "picture": lambda path: next(iter(picture([path], width=1, height=1).gen)),
    "module": import_file,
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_directory_is_not_written_to(name, tmp_path):
    taken = tmp_path / "taken.svg"
    taken.mkdir()
    with pytest.raises(ap.InvalidArgument, match=r"taken\.svg is a directory"):
        WRITERS[name](taken)
    assert [each.name for each in tmp_path.iterdir()] == ["taken.svg"]


def test_a_directory_beside_a_log(tmp_path):
    """Where the guard is, or the shorter log until it is whole."""
    for beside in ("guard", "part"):
        log = tmp_path / f"log-{beside}"
        if beside == "part":
            ap.begin(COUNTER, log).close()
        (tmp_path / f"{log.name}.{beside}").mkdir()
        act = (lambda path: ap.begin(COUNTER, path)) if beside == "guard" else compact
        with pytest.raises(ap.AntiphonError, match=beside):
            act(log)


COMMANDS = {
    "replay": ["replay", "DIR"],
    "show": ["show", "DIR"],
    "status": ["session", "status", "DIR"],
    "with": ["show", "VIEW", "--with", "DIR"],
    "output": ["show", "VIEW", "--output", "DIR", "--force"],
    "counterexample": ["counterexample", "--save", "DIR", "--force"],
    "plot": ["counters", "--plot", "DIR.svg"],
    "demo": ["demo", "--output", "VIEW"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_command_line_says_so_in_one_line(name, tmp_path, capsys):
    folder, view = tmp_path / "dir", tmp_path / "view"
    folder.mkdir()
    folder.with_suffix(".svg").mkdir()
    VIEW.save(view)
    words = {"DIR": folder, "DIR.svg": folder.with_suffix(".svg"), "VIEW": view}
    assert main([str(words.get(each, each)) for each in COMMANDS[name]]) == 2
    told = capsys.readouterr().err.strip()
    assert "\n" not in told
    assert "directory" in told


def test_what_is_one():
    assert path_of("a") == path_of(Path("a")) == Path("a")
