"""Files that no session begins or goes on with: a typed error each, and the record untouched."""

import errno
import fcntl
import json
import os
import resource

import attrs
import pytest
from logs import bytes_of, die, edit, in_a_child, rewrite, without_checks

import antiphon as ap
from antiphon.mechanisms import COUNT, TreeCounter
from antiphon.sessions.durable import resuming
from antiphon.sessions.durable.guard import beside
from antiphon.sessions.durable.inspection import compact, status
from antiphon.sessions.durable.journal import part_of

COUNTER = TreeCounter(horizon=64, epsilon=1)


def begun(path, mechanism=COUNTER, **settings):
    return ap.begin(mechanism, path, **settings)


@pytest.fixture
def log(path):
    """Of a session that has answered three messages, and is not live."""
    with begun(path) as session:
        list(session.send_many([1, COUNT, 1]))
    return path


def refuse(code):
    def refusing(*_, **__):
        raise OSError(code, os.strerror(code))

    return refusing


# --- a start that fails -----------------------------------------------------------------------


def test_a_sink_that_exists_is_left_as_it_is(path):
    path.write_text("mine")
    with pytest.raises(ap.FileError, match="there already"):
        begun(path)
    assert path.read_text() == "mine"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (os.mkdir, ap.InvalidArgument, "is a directory: give path as the path of a file"),
        (os.mkfifo, ap.FileError, "is no file"),
        (lambda path: os.symlink("nowhere", path), ap.FileError, "is no file"),
    ],
)
def test_a_sink_that_is_no_file_is_left_as_it_is(path, make, error, text):
    make(path)
    with pytest.raises(error, match=text):
        begun(path)
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("name", ["a" * 250, "a" * 300, "nul\0", "\ud800", "no/such/folder"])
def test_a_name_that_cannot_be_is_a_typed_error(tmp_path, name):
    for act in (begun, ap.resume):
        with pytest.raises(ap.FileError):
            act(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_start_without_a_name_is_a_typed_error(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for name in ("", ".", "/"):
        with pytest.raises(ap.InvalidArgument, match="is a directory"):
            begun(name)
    assert [each.name for each in tmp_path.rglob("*")] == ["here"]


@pytest.mark.parametrize("room", [0, 1, 100, 200])
def test_a_start_on_a_full_disk_leaves_nothing(path, room):
    def act():
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
        return begun(path).path

    assert "FileError" in in_a_child(act)
    assert not list(path.parent.iterdir())
    begun(path).close()


@pytest.mark.parametrize("module", ["journal._on_disk", "guard.os.pwrite", "guard.os.fsync"])
def test_a_start_whose_disk_fails_leaves_nothing(path, module, monkeypatch):
    monkeypatch.setattr(f"antiphon.sessions.durable.{module}", refuse(errno.EIO))
    with pytest.raises(ap.FileError):
        begun(path)
    assert not list(path.parent.iterdir())


def test_a_start_that_its_witness_forbids_leaves_nothing(path):
    with pytest.raises(ap.ResumeError, match="witness"):
        begun(path, witness=lambda session, generation: False)
    with pytest.raises(ZeroDivisionError):
        begun(path, witness=lambda session, generation: 1 / 0)
    assert not list(path.parent.iterdir())


def test_a_start_on_a_read_only_file_system_is_a_typed_error(path, monkeypatch):
    monkeypatch.setattr("antiphon.sessions.durable.guard.os.open", refuse(errno.EROFS))
    with pytest.raises(ap.FileError, match="Read-only"):
        begun(path)
    assert not list(path.parent.iterdir())


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS])
def test_a_file_system_without_locks_has_no_sessions(path, log, code, monkeypatch):
    other = path.with_name("other")
    before = bytes_of(log)
    monkeypatch.setattr(fcntl, "flock", refuse(code))
    with pytest.raises(ap.FileError, match="gives no locks"):
        begun(other)
    assert not other.exists()
    assert not beside(other).exists()
    for act in (ap.resume, compact):
        with pytest.raises(ap.FileError, match="gives no locks"):
            act(log)
    assert not status(log).live
    assert bytes_of(log) == before


@pytest.mark.every(4)
@pytest.mark.parametrize("stop", ["_ask", "_created", "Journal", "sync_directory"])
def test_a_process_that_dies_in_its_start_says_so(path, stop, monkeypatch):
    """What is left is told from a session, and is nobody's answer."""

    def act():
        monkeypatch.setattr(resuming, stop, lambda *_: os._exit(9))
        begun(path)

    assert in_a_child(act) == ""
    if stop == "sync_directory":
        ap.resume(path).close()
    elif path.exists():
        with pytest.raises(ap.ResumeError, match="no session has begun"):
            ap.resume(path)
    else:
        begun(path).close()


def test_a_torn_first_line_without_a_guard_is_no_session(path):
    path.write_text('{"antiphon":1,"kind":"ses')
    beside(path).touch()
    with pytest.raises(ap.ResumeError, match="no session has begun"):
        ap.resume(path)


def test_an_emptied_guard_of_a_session_is_no_beginning(log):
    beside(log).write_bytes(b"")
    with pytest.raises(ap.ResumeError, match="damaged"):
        ap.resume(log)


# --- what is not gone on with -----------------------------------------------------------------


def test_a_record_of_another_version_is_refused(log):
    for version in ("3", "true", "2.0", '"2"'):
        begins = log.read_text()
        edit(log, '{"antiphon":2', f'{{"antiphon":{version}', 1)
        before = bytes_of(log)
        for act in (ap.resume, compact, status):
            with pytest.raises(ap.TranscriptError, match="of version 1 or 2"):
                act(log)
        assert bytes_of(log) == before
        log.write_text(begins)


def test_a_record_of_another_system_is_refused(log):
    before = bytes_of(log)
    with pytest.raises(ap.ResumeError, match="another system"):
        ap.resume(log, mechanism=TreeCounter(horizon=65, epsilon=1))
    assert bytes_of(log) == before


@pytest.mark.parametrize(
    ("old", "new"),
    [('"answers":', '"answers":1'), ('"says":1', '"says":0'), ('"draws":[', '"draws":[7,'),
     ('"horizon":64', '"horizon":32'), ("discrete_laplace", "uniform_integer")],
)  # fmt: skip
def test_an_edited_record_is_refused(log, old, new):
    edit(log, old, new)
    before = bytes_of(log)
    for act in (ap.resume, compact):
        with pytest.raises(ap.AntiphonError):
            act(log)
    assert bytes_of(log) == before


def test_nobody_goes_on_inside_a_fork(log):
    with ap.resume(log) as session:
        before = bytes_of(log)
        assert "in use" in in_a_child(lambda: ap.resume(log))
        assert "forked" in in_a_child(lambda: session.send(1))
        assert "forked" in in_a_child(lambda: session.compact())
        assert "None" in in_a_child(lambda: session.close())
        assert bytes_of(log) == before
        assert "in use" in in_a_child(lambda: ap.resume(log))  # the lock is still the parent's
        session.send(1)
    assert status(log).answered == 4


@attrs.frozen
class Passing:
    value: int


@ap.mechanism(queries=ap.spaces.Integers(), answers=ap.spaces.Integers(), initial_state=Passing(0))
def passing(state, number, coins):
    return Passing(state.value + number), state.value


def test_a_kept_state_of_an_unknown_type_is_refused(path):
    ap.register("test.durable.Passing/1")(Passing)
    ap.register("test.durable.passing/1")(passing)
    with begun(path, passing) as session:
        session.send(2)
        session.compact()
    edit(path, "test.durable.Passing/1", "test.durable.Gone/1")
    before = bytes_of(path)
    for act in (ap.resume, compact):
        with pytest.raises(ap.TranscriptError, match="import the module that registers it"):
            act(path)
    assert bytes_of(path) == before


@pytest.mark.parametrize(
    "name", ["antiphon.nowhere:Row", "antiphon.protocol.session:Session", "os:system", 7]
)
def test_a_kept_state_of_what_is_no_state_is_refused(log, name):
    with ap.resume(log) as session:
        session.compact()
    first, *_ = without_checks(log)
    state = {"state": {"made": name, "parts": []}, "number": 3, "generation": 1, "guard": 0}
    rewrite(log, [first, json.dumps(state)])
    before = bytes_of(log)
    with pytest.raises(ap.TranscriptError):
        ap.resume(log)
    assert bytes_of(log) == before


# --- a full disk, later -----------------------------------------------------------------------


def test_a_resume_on_a_full_disk_can_be_made_again(log):
    answers = status(log).answered

    def act():
        room = log.stat().st_size + 10
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
        return ap.resume(log)

    assert "FileError" in in_a_child(act)
    with ap.resume(log) as session:
        assert session.last.number == answers
        assert "torn" in session.cut


def test_a_compaction_on_a_full_disk_changes_nothing(path):
    with begun(path) as session:
        list(session.send_many([COUNT] * 30))
    before = bytes_of(path)

    def act():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
        return compact(path)

    assert "FileError" in in_a_child(act)
    assert bytes_of(path) == before
    assert not part_of(path).exists()


def test_a_full_disk_in_a_live_session_forgets_nothing(path):
    """Whatever byte it is full at: what was heard is in the file, and what is there is resumed."""
    for room in range(480, 640, 7):
        here = path.with_name(f"{room}")

        def act(here=here, room=room):
            session = begun(here)
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
            heard = []
            try:
                while True:
                    heard.append(session.send(COUNT))
            except ap.FileError:
                assert session.over
                die(session)
                return heard

        heard = json.loads(in_a_child(act))
        with ap.resume(here) as again:
            assert len(heard) <= again.last.number <= len(heard) + 1
        assert len(set(heard)) <= 1  # the noise of a node is drawn once
