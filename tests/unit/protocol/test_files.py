"""Files lose nothing in silence: short writes, kills, second writers, forks, overwriting."""

import json
import os
import stat
import subprocess
import sys
import textwrap

import pytest

import antiphon as ap
from antiphon.audit.counterexample import CounterexampleAdversary, counterexample_game
from antiphon.audit.statistical.audit_report import AuditReport
from antiphon.cli import main
from antiphon.protocol.records.files import Growing, Held, whole, write_text

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
SAYING = ap.scripted([1, 2, 3])


@ap.mechanism(queries=ap.spaces.Anything(), answers=ap.spaces.Anything())
def echo(state, message, coins):
    return state, message


def run(script, *arguments):
    """The JSON that a script prints; run in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# --- size limits ----------------------------------------------------------------------------

LIMITS = """
    import json, os, resource, sys
    from pathlib import Path
    import antiphon as ap

    PLAYER, SYSTEM = ap.scripted([0, 1, 1]), ap.mechanisms.TreeCounter(horizon=3, epsilon=1)
    GAME = ap.audit.counterexample_game(0.1)
    directory, step = Path(sys.argv[1]), int(sys.argv[2])
    found = GAME.audit(
        ap.audit.CounterexampleAdversary(delta=0.1, copies=5), epsilon=0, delta=0.1,
        samples=4000, seed=1,
    )
    ways = {
        "streamed view": lambda path: ap.interact(PLAYER, SYSTEM, seed=1, sink=path),
        "streamed recording": lambda path: ap.record(PLAYER, SYSTEM, seed=1, sink=path),
        "saved view": ap.interact(PLAYER, SYSTEM, seed=1).save,
        "saved recording": ap.record(PLAYER, SYSTEM, seed=1).save,
        "counterexample": found.counterexample.save,
        "report": found.save,
    }
    wrong, tried = [], 0
    for name, write in ways.items():
        write(directory / name)
        raw = (directory / name).read_bytes()
        for limit in sorted({*range(0, len(raw) + 1, step), len(raw) - 1, len(raw)}):
            path, tried = directory / f"{name} {limit}", tried + 1
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
            try:
                write(path)
                said = False
            except ap.FileError:
                said = True
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
            there = path.read_bytes() if path.exists() else None
            if said != (limit < len(raw)):
                wrong.append([name, limit, "said" if said else "not said"])
            if there != (raw[:limit] if said and "streamed" in name else None if said else raw):
                wrong.append([name, limit, "other bytes"])
            if said and there and there.count(b"\\n"):
                view = ap.View.load(path)
                whole = there.endswith(b"\\n") and there.count(b"\\n") % 2 == 1
                if view.complete or (view.cut is None) != whole:
                    wrong.append([name, limit, "no word of it when it is read"])
            path.unlink(missing_ok=True)
    wrong += [str(left) for left in directory.glob(".*")]
    print(json.dumps({"wrong": wrong, "tried": tried}))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no RLIMIT_FSIZE on this system")
@pytest.mark.parametrize("step", [127, pytest.param(1, marks=pytest.mark.slow)])
def test_every_size_limit_is_an_error_and_loses_no_more_than_a_line(tmp_path, step):
    """A limit leaves what fits of a stream, and nothing at all of what is saved."""
    found = run(LIMITS, tmp_path, step)
    assert found["wrong"] == []
    assert found["tried"] > 6 * 3
    print(found["tried"], "size limits")


def test_after_a_short_write_nothing_more_is_written(tmp_path, monkeypatch):
    write = os.write

    def short(descriptor, data):
        monkeypatch.setattr(os, "write", full)
        return write(descriptor, data[:3])

    def full(descriptor, data):
        raise OSError(28, "No space left on device")

    with Growing(tmp_path / "file") as file:
        file.write(b"one\n")
        monkeypatch.setattr(os, "write", short)
        with pytest.raises(ap.FileError, match="No space left"):
            file.write(b"two two\n")
        monkeypatch.setattr(os, "write", write)
        with pytest.raises(ap.FileError, match="takes no more"):
            file.write(b"three\n")
    assert (tmp_path / "file").read_bytes() == b"one\ntwo"


# --- kills ----------------------------------------------------------------------------------

KILLS = """
    import json, os, random, signal, sys, time
    from pathlib import Path
    import antiphon as ap

    @ap.mechanism(queries=ap.spaces.Integers(), answers=ap.spaces.Integers())
    def echo(state, message, coins):
        return state, message

    @ap.adversary
    def counting(answers, coins):
        return len(answers) if len(answers) < 400 else ap.HALT

    directory, kills, dice = Path(sys.argv[1]), int(sys.argv[2]), random.Random(int(sys.argv[3]))
    saved = ap.interact(counting, echo)
    first = ap.interact(ap.scripted([7]), echo)
    wrong, lost = [], 0
    for number in range(kills):
        path, other = directory / f"stream{number}", directory / f"saved{number}"
        first.save(other)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            told = lambda each: os.write(writing, b".")
            while True:
                ap.interact(counting, echo, sink=path, overwrite=True, watch=told)
                os.write(writing, b"#")
                for _ in range(20):
                    saved.save(other, overwrite=True)
        os.close(writing)
        heard = os.read(reading, 1)
        time.sleep(dice.random() * 0.05)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        while more := os.read(reading, 1 << 16):
            heard += more
        os.close(reading)
        raw = path.read_bytes()
        reported = len(heard.rsplit(b"#", 1)[-1])
        if ap.View.load(other).answers not in (first.answers, saved.answers):
            wrong.append([number, "a save is neither the old nor the new one"])
        if raw.count(b"\\n"):
            view = ap.View.load(path)
            whole = raw.endswith(b"\\n") and raw.count(b"\\n") % 2 == 1
            lost += view.cut is not None
            if len(view.rounds) < reported and b"#" not in heard:
                wrong.append([number, "rounds are lost", len(view.rounds), reported])
            if view.answers != tuple(range(len(view.rounds))):
                wrong.append([number, "other rounds"])
            if not view.complete and (view.cut is None) != whole:
                wrong.append([number, "no word of it"])
    print(json.dumps({"wrong": wrong, "kills": kills, "cut in a round": lost}))
"""


@pytest.mark.slow
@forks
@pytest.mark.parametrize("kills", [8, pytest.param(100, marks=pytest.mark.slow)])
def test_kill_minus_nine_loses_at_most_the_line_being_written_and_says_so(tmp_path, kills):
    found = run(KILLS, tmp_path, kills, 5)
    print(found)
    assert found["wrong"] == []
    assert found["kills"] == kills


# --- torn lines -----------------------------------------------------------------------------


def test_what_a_cut_file_lost_is_said(tmp_path, capsys):
    path = tmp_path / "view"
    ap.interact(ap.scripted([1, 1]), ap.mechanisms.TreeCounter(horizon=2, epsilon=1), sink=path)
    raw = path.read_bytes()
    assert ap.View.load(path).cut is None
    lines = raw.splitlines(keepends=True)
    for kept, words in [
        (b"".join(lines[:3]), None),
        (b"".join(lines[:4]), "message 2 has no answer"),
        (b"".join(lines[:4]) + lines[4][:5], "line 5 is torn: it stops after 5 bytes; message 2"),
        (b"".join(lines[:3]) + b"\x00\x00", "line 4 is torn"),
        (raw + b'{"says', "line 7 is torn"),
    ]:
        path.write_bytes(kept)
        view = ap.View.load(path)
        assert view.complete == (kept[: len(raw)] == raw)
        assert words is view.cut is None or words in view.cut
        assert ap.replay(view) == view
        assert main(["replay", str(path)]) == 0
        out = capsys.readouterr().out
        assert words is None or words in out
        assert view.complete or "cut short" in out
        assert main(["replay", str(path), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["cut"] == view.cut
    path.write_bytes(raw[:20])
    with pytest.raises(ap.TranscriptError, match="header"):
        ap.View.load(path)


# --- one writer -----------------------------------------------------------------------------


def test_two_writers_on_one_path_are_refused(tmp_path):
    path, refused = tmp_path / "view", []
    view = ap.interact(SAYING, echo)

    def second(_):
        for act in (
            lambda: ap.interact(SAYING, echo, sink=path),
            lambda: ap.interact(SAYING, echo, sink=path, overwrite=True),
            lambda: view.save(path),
            lambda: view.save(path, overwrite=True),
        ):
            with pytest.raises(ap.FileError) as caught:
                act()
            refused.append(str(caught.value))

    whole_view = ap.interact(SAYING, echo, sink=path, watch=second)
    assert ap.View.load(path) == whole_view
    assert len(refused) == 12
    assert sum("being written by another" in each for each in refused) == 6
    ap.interact(SAYING, echo, sink=path, overwrite=True)
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_removed_while_it_is_written_is_told(tmp_path):
    path = tmp_path / "view"
    with pytest.raises(ap.FileError, match="removed"):
        ap.interact(SAYING, echo, sink=path, watch=lambda _: path.unlink(missing_ok=True))


def in_a_child(act):
    """The exit status of a forked child: 0 if it could act, 7 for a typed refusal."""
    child = os.fork()
    if child == 0:
        try:
            act()
            os._exit(0)
        except ap.AntiphonError:
            os._exit(7)
        except BaseException:
            os._exit(9)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@forks
def test_a_fork_that_goes_on_writing_is_refused(tmp_path):
    with Growing(tmp_path / "file") as file:
        file.write(b"parent\n")
        assert in_a_child(lambda: file.write(b"child\n")) == 7
        file.write(b"parent\n")
    assert (tmp_path / "file").read_bytes() == b"parent\n" * 2
    path, statuses = tmp_path / "view", []

    @ap.adversary
    def forking(answers, coins):
        if len(answers) == 2 and (child := os.fork()) == 0:
            return 99  # the child goes on in the very loop that plays
        if len(answers) == 2:
            statuses.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        return len(answers) if len(answers) < 4 else ap.HALT

    parent = os.getpid()
    try:
        ap.interact(forking, echo, sink=path)
    except BaseException as error:
        if os.getpid() != parent:
            os._exit(7 if isinstance(error, ap.AntiphonError) else 9)
        raise
    if os.getpid() != parent:
        os._exit(0)
    assert statuses == [7]
    assert ap.View.load(path).answers == (0, 1, 2, 3)


# --- nothing is overwritten unasked ---------------------------------------------------------


def savers():
    view, recording = ap.interact(SAYING, echo), ap.record(SAYING, echo)
    report = counterexample_game(0.5).audit(
        CounterexampleAdversary(delta=0.5, copies=3), epsilon=0, delta=0.5, samples=1000, seed=1
    )
    game = ap.PrivacyGame(ap.ExtConComp(), ap.composition.sparse_parallel([(1, 0)]))
    return {
        "view": view.save,
        "recording": recording.save,
        "counterexample": report.counterexample.save,
        "report": report.save,
        "interact": lambda path, **how: ap.interact(SAYING, echo, sink=path, **how),
        "record": lambda path, **how: ap.record(SAYING, echo, sink=path, **how),
        "play": lambda path, **how: game.play(ap.scripted([1]), bit=0, sink=path, **how),
    }


def test_a_file_that_is_there_is_not_overwritten_unasked(tmp_path):
    for name, save in savers().items():
        path = tmp_path / name
        path.write_text("precious")
        with pytest.raises(ap.FileError, match="overwrite=True"):
            save(path)
        assert path.read_text() == "precious"
        save(path, overwrite=True)
        assert path.read_text() != "precious"
        with pytest.raises(ap.FileError, match="cannot be written"):
            save(tmp_path / "no" / "directory")
    assert AuditReport.load(tmp_path / "report").refuted


@pytest.mark.slow
def test_the_command_line_overwrites_by_force_only(tmp_path, capsys):
    path = tmp_path / "view.svg"
    source = tmp_path / "source"
    ap.interact(ap.scripted([1]), ap.mechanisms.RandomizedResponse(epsilon=1), sink=source)
    code = tmp_path / "code.py"
    code.write_text(
        "import antiphon as ap\ncounter = ap.mechanisms.TreeCounter(horizon=4, epsilon=1)"
    )
    account = ["account", "--rr", "0.1,0", "--plot"]
    for command in (
        ["counterexample", "--runs", "50", "--seed", "1", "--save"],
        ["show", str(source), "--format", "svg", "--output"],
        ["explain", f"{code}:counter", "--output"],
        account,
        ["counters", "--horizon", "4", "--plot"],
    ):
        path.write_text("precious")
        assert main([*command, str(path)]) == 2, command
        assert "--force" in capsys.readouterr().err
        assert path.read_text() == "precious"
        if command is not account or sys.modules.get("matplotlib"):
            assert main([*command, str(path), "--force"]) == 0, command
            assert path.read_text() != "precious"
        capsys.readouterr()


def test_a_race_for_a_path_has_one_winner(tmp_path):
    """Also where the other file turned up after the first look."""
    path = tmp_path / "file"

    def late():
        with whole(path) as file:
            file.write(b"late")
            path.write_text("first")

    with pytest.raises(ap.FileError, match="is there already"):
        late()
    assert path.read_text() == "first"
    assert list(tmp_path.iterdir()) == [path]


def test_without_links_a_save_still_overwrites_nothing(tmp_path, monkeypatch):
    def no_links(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    write_text(tmp_path / "file", "one")
    with pytest.raises(ap.FileError):
        write_text(tmp_path / "file", "two")
    assert (tmp_path / "file").read_text() == "one"


def test_pipes_and_devices_can_be_written_to(tmp_path):
    view = ap.interact(SAYING, echo, sink="/dev/null", overwrite=True)
    assert view.complete
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
        ap.interact(SAYING, echo, sink=tmp_path / "pipe")
        assert os.read(reader, 1 << 16).count(b"\n") == 8
        os.close(reader)


def test_a_secret_has_its_permissions_from_its_creation_on(tmp_path, monkeypatch):
    modes, opened = [], os.open

    def watching(path, flags, mode=0o777, **how):
        descriptor = opened(path, flags, mode, **how)
        if flags & os.O_CREAT:
            modes.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        return descriptor

    monkeypatch.setattr(os, "open", watching)
    before = os.umask(0)
    try:
        ap.record(SAYING, echo, sink=tmp_path / "streamed")
        ap.record(SAYING, echo).save(tmp_path / "saved")
    finally:
        os.umask(before)
    assert modes == [0o600] * 2


# --- holders --------------------------------------------------------------------------------

HOLDING = """
    import json, sys
    from pathlib import Path
    from antiphon.numbers.errors import FileError
    from antiphon.protocol.records.files import Held
    try:
        Held(Path(sys.argv[1]))
        print(json.dumps("held"))
    except FileError as error:
        print(json.dumps(str(error)))
"""


def test_a_path_has_one_holder_in_all_processes(tmp_path):
    path = tmp_path / "run.json"
    with Held(path):
        assert f"run.json is in use by process {os.getpid()} on " in run(HOLDING, path)
        with pytest.raises(ap.FileError, match="in use"):
            Held(path)
        assert run(HOLDING, tmp_path / "other.json") == "held"
    assert run(HOLDING, path) == "held"
    Held(path).close()
    assert not (tmp_path / ".run.json.lock").exists()


@pytest.mark.slow
def test_who_was_killed_holds_nothing(tmp_path):
    path = tmp_path / "run.json"
    run(HOLDING, path)  # ends without closing it: what is left is a file, not a lock
    assert (tmp_path / ".run.json.lock").exists()
    Held(path).close()


def test_a_hold_waits_for_no_removed_file(tmp_path, monkeypatch):
    """Who opened the lock's file just before its holder removed it takes another."""
    path, beside = tmp_path / "run.json", tmp_path / ".run.json.lock"
    opened, first = os.open, Held(path)

    def late(*arguments):
        monkeypatch.undo()
        descriptor = opened(*arguments)
        first.close()
        return descriptor

    monkeypatch.setattr(os, "open", late)
    with Held(path):
        assert beside.exists()
        with pytest.raises(ap.FileError, match="in use"):
            Held(path)


def test_a_hold_follows_no_link_and_shows_only_text(tmp_path):
    path, beside = tmp_path / "run.json", tmp_path / ".run.json.lock"
    precious = tmp_path / "precious"
    precious.write_text("kept")
    beside.symlink_to(precious)
    with pytest.raises(ap.FileError, match="cannot be written"):
        Held(path)
    assert precious.read_text() == "kept"
    beside.unlink()
    with Held(path):
        beside.write_bytes(b"\x1b[31m\xff")
        with pytest.raises(ap.FileError) as caught:
            Held(path)
    assert str(caught.value).isprintable()
