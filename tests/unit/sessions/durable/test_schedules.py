"""Crashes, forks, links and signals at bad moments: no answer is tossed again, no file is lost."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import attrs
import pytest
from logs import begun, bytes_of, die, in_a_child, in_the_log, mark

import antiphon as ap
from antiphon.mechanisms import COUNT
from antiphon.sessions.durable import guard as guards
from antiphon.sessions.durable.guard import beside
from antiphon.sessions.durable.inspection import compact, status, verify
from antiphon.sessions.durable.journal import part_of

JOURNAL = "antiphon.sessions.durable.journal"


# --- a hint that leads nowhere ----------------------------------------------------------------


@ap.register("test.durable.Told/1")
@attrs.frozen
class Told:
    state: int


@ap.register("test.durable.told/1")
@ap.mechanism(queries=ap.spaces.Anything(), answers=ap.spaces.Anything(), initial_state=0)
def told(state, message, coins):
    return state + 1, state


def test_a_hint_into_the_middle_of_a_line_is_not_followed(path):
    with begun(path, told) as session:
        for number in range(3):
            session.send(Told(number))
    log, _ = bytes_of(path)
    inside = log.rindex(b'{"state"')
    assert log[inside - 1 : inside] == b":"
    mark(path, offset=inside)
    with ap.resume(path) as again:
        assert again.send(1) == 3


@pytest.mark.slow
@pytest.mark.parametrize("act", [compact, ap.resume])
def test_no_hint_at_all_is_as_good(path, act):
    with begun(path) as session:
        list(session.send_many([1] * 50))
        session.keep_state()
        session.send(1)
    for offset in range(0, path.stat().st_size + 9, 7):
        mark(path, offset=offset)
        assert status(path).answered == 51
    done = act(path)
    if act is ap.resume:
        done.close()
    assert status(path).stepped == (0 if act is compact else 1)


# --- a lock that is lost ----------------------------------------------------------------------


def test_who_has_lost_the_lock_answers_no_more(path, monkeypatch):
    """Of two that write to one log, neither has answered with noise of its own."""
    first = begun(path)
    heard = [first.send(COUNT)]
    monkeypatch.setattr(guards.fcntl, "flock", lambda *_: None)
    second = ap.resume(path)
    heard.append(second.send(COUNT))
    for session in (first, second):
        with pytest.raises(ap.FileError, match="written by another"):
            session.send(COUNT)
        assert session.over
        die(session)
    monkeypatch.undo()
    monkeypatch.setattr(f"{JOURNAL}._on_disk", lambda file: None)
    with ap.resume(path) as again:
        assert again.last.number >= len(heard)
    said, _ = in_the_log(path)
    assert [said[n].answer for n in (1, 2)] == heard


def test_who_finds_its_log_cut_short_answers_no_more(path):
    session = begun(path)
    session.send(1)
    os.truncate(path, path.stat().st_size - 5)
    with pytest.raises(ap.FileError, match="written by another"):
        session.send(1)
    assert session.over


# --- forks ------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", [b"says", b"answers", b"state"])
def test_a_fork_in_the_middle_of_a_write_writes_once(path, monkeypatch, line):
    """A signal's handler forks, and both return into the write."""
    session = begun(path)
    session.send(1)
    whole, children = os.write, []

    def forking(file, data):
        if line in data and not children:
            child = os.fork()
            if child == 0:
                children.append(0)
            else:
                children.append(child)
                os.waitpid(child, 0)
        return whole(file, data)

    monkeypatch.setattr(os, "write", forking)
    try:
        session.send(1)
        session.keep_state()
    except BaseException as error:
        if children == [0]:
            os._exit(0 if isinstance(error, ap.FileError) else 3)
        raise
    if children == [0]:
        os._exit(4)  # a child that answered
    monkeypatch.undo()
    assert session.send(COUNT) is not None
    die(session)
    assert path.read_bytes().count(b'{"says"') == 3
    ap.resume(path).close()
    assert verify(path).answered == 3


HOLDER = """
import os, sys, time
import antiphon as ap
session = ap.resume(sys.argv[1])
if sys.argv[2] == "forked":
    child = os.fork()
else:
    os.set_inheritable(session._guard._descriptor, True)
    child = os.posix_spawn("/bin/sleep", ["sleep", "60"], {})
if child:
    print(child, session.send(1), flush=True)
time.sleep(60)
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", ["forked", "inherited"])
def test_a_dead_process_whose_child_lives_on(path, how):
    """A fork of ours has let go of the lock; who inherited the file holds it, until it ends."""
    begun(path).close()
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path), how], stdout=subprocess.PIPE, text=True
    )
    child = int(process.stdout.readline().split()[0])
    process.kill(), process.wait()
    try:
        if how == "inherited":
            with pytest.raises(ap.FileError, match="in use"):
                ap.resume(path)
            assert status(path).live
        else:
            assert ap.resume(path).last.number == 1
    finally:
        os.kill(child, signal.SIGKILL)
        process.stdout.close()


# --- signals ----------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["sync", "guard"])
@pytest.mark.parametrize("act", ["close", "send"])
def test_a_handler_in_the_middle_of_a_sync_does_not_wait_for_itself(path, monkeypatch, where, act):
    session = begun(path, sync="group")
    done = []

    def handler(*_):
        if not done:
            done.append(act)
            session.close() if act == "close" else done.append(session.send(1))

    if where == "sync":
        monkeypatch.setattr(f"{JOURNAL}._on_disk", handler)
    else:
        whole = os.pwrite
        monkeypatch.setattr(os, "pwrite", lambda *written: (handler(), whole(*written))[1])

    def send():
        try:
            done.append(session.send(1))
        except ap.FileError as error:
            done.append(error)

    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    sender.join(20)
    assert not sender.is_alive()
    monkeypatch.undo()
    assert len(done) == (2 if act == "close" else 3)
    if act == "send":
        die(session)
    with ap.resume(path) as again:
        assert again.last.number == (1 if act == "close" else 2)


# --- compaction -------------------------------------------------------------------------------


@pytest.mark.every(3)
@pytest.mark.parametrize("live", [True, False])
@pytest.mark.parametrize("stop", ["os.fsync", "files.os.replace", "files.sync_directory"])
def test_a_killed_compaction_leaves_one_secret_at_most(path, live, stop):
    with begun(path) as session:
        said = [session.send(COUNT) for _ in range(20)]

    def act():
        target = stop if stop.startswith("os") else f"antiphon.protocol.records.{stop}"
        with pytest.MonkeyPatch.context() as patched:
            if stop == "files.os.replace":
                patched.setattr(Path, "replace", lambda *_: os._exit(9))
            else:
                patched.setattr(target, lambda *_: os._exit(9))
            if live:
                ap.resume(path)._log.replace(['{"state":0}']) if stop == "os.fsync" else None
                session = ap.resume(path)
                session.compact()
            compact(path)

    for _ in range(3):
        assert in_a_child(act) == ""
    left = {each.name for each in path.parent.iterdir()} - {path.name, beside(path).name}
    assert left <= {part_of(path).name}
    if left:
        assert part_of(path).stat().st_mode & 0o777 == 0o600
    with ap.resume(path) as again:
        assert again.last.number == 20
        assert again.send(COUNT) == said[0]
        assert not part_of(path).exists()


def test_a_renaming_that_a_power_cut_undid(path):
    """The old file is there again: it is gone on with just if nothing was answered since."""
    with begun(path) as session:
        session.send(COUNT)
    with ap.resume(path) as session:
        first = session.last.answer
        long = path.read_bytes()
        session.compact()
    path.write_bytes(long)
    with ap.resume(path) as session:
        assert session.last.answer == first
        session.compact()
        session.send(1)
    path.write_bytes(long)
    with pytest.raises(ap.ResumeError, match="older"):
        ap.resume(path)


def test_compaction_follows_a_link(path, tmp_path):
    begun(path).close()
    real = tmp_path / "disk"
    real.mkdir()
    path.rename(real / "log")
    path.symlink_to(real / "log")
    with ap.resume(path) as session:
        list(session.send_many([COUNT] * 20))
        session.compact()
        session.send(1)
    compact(path)
    assert path.is_symlink()
    assert [each.name for each in real.iterdir()] == ["log"]
    assert ap.resume(path).last.number == 21


def test_threads_send_while_others_compact(path):
    heard = []
    with begun(path, sync="group") as session:

        def many():
            for _ in range(40):
                session.send(1)
                heard.append(session.last.number)

        threads = [threading.Thread(target=many) for _ in range(3)]
        for each in threads:
            each.start()
        for _ in range(15):
            session.compact()
        for each in threads:
            each.join()
    assert len(heard) == 120
    assert verify(path).answered == 120


# --- names ------------------------------------------------------------------------------------


@pytest.mark.parametrize("which", [str, lambda path: str(beside(path))], ids=["log", "guard"])
@pytest.mark.parametrize("sync", ["each", "os"])
def test_a_file_that_was_replaced_while_it_has_another_name(path, which, sync):
    """As a backup by hard links leaves it: it still exists, elsewhere."""
    session = begun(path, sync=sync)
    session.send(1)
    there = Path(which(path))
    os.link(there, f"{there}.backup")
    session.send(1)
    Path(f"{there}.new").write_bytes(there.read_bytes())
    os.replace(f"{there}.new", there)
    with pytest.raises(ap.FileError, match="removed or replaced"):
        session.send(1)
    assert session.over
    session.close()


def test_a_session_under_two_names_is_one(path):
    with begun(path):
        other = path.with_name("other")
        os.link(path, other), os.link(beside(path), beside(other))
        with pytest.raises(ap.FileError, match="in use"):
            ap.resume(other)


def test_a_process_that_goes_elsewhere_keeps_its_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with begun("log") as session:
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        session.send(1)
        session.compact()
        session.send(1)
    assert not list((tmp_path / "elsewhere").iterdir())
    assert status(tmp_path / "log").answered == 2


def test_an_older_guard_of_the_newest_log_forgets_nothing(path):
    with begun(path) as session:
        session.send(COUNT)
        older = beside(path).read_bytes()
        said = [session.send(1), session.send(COUNT)]
    with beside(path).open("r+b") as file:
        file.write(older)
    with ap.resume(path) as again:
        assert again.last.number == 3
        assert again.last.answer == said[1]


# --- what grows -------------------------------------------------------------------------------


@ap.register("test.durable.Wide/1")
@ap.mechanism(
    queries=ap.spaces.Integers(), answers=ap.spaces.Integers(), initial_state=(0,) * 20_000
)
def wide(state, number, coins):
    return (*state[1:], number), 0


def test_a_crash_loop_does_not_fill_the_disk(path):
    """The state is 400 kB: it is not written anew at each restart, for a message or two."""
    session = begun(path, wide)
    session.keep_state()
    size = path.stat().st_size
    for number in range(20):
        session.send(number)
        die(session)
        session = ap.resume(path)
    assert session.last.number == 20
    assert path.stat().st_size < size + 20_000
    session.close()


def test_many_short_lives_are_not_all_stepped_through(path, monkeypatch):
    """No life of it says enough for the state to be kept, but all of them together do."""
    monkeypatch.setattr("antiphon.sessions.durable.durable_session._TAIL", 4_000)
    begun(path).close()
    for _ in range(30):
        session = ap.resume(path)
        list(session.send_many([COUNT] * 10))
        die(session)
    assert status(path).answered == 300
    assert status(path).stepped < 100


@pytest.mark.every(3)
@pytest.mark.parametrize("sync", ["each", "group", "os"])
def test_compaction_keeps_the_file_bounded(path, sync, monkeypatch):
    """However many messages: the state, and what has come since the last compaction."""
    with begun(path, sync=sync) as session:
        largest, after = 0, []
        for _ in range(30):
            list(session.send_many([1] * 500))
            largest = max(largest, path.stat().st_size)
            after.append(session.compact()[1])
            assert path.stat().st_size == after[-1]
    assert max(after) < 4_000
    assert largest < 4_000 + 500 * 120
    assert status(path).answered == 15_000
