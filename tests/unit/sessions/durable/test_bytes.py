"""The bytes of logs and guards: damage is found, and files of before are read."""

import errno
import gc
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from logs import begun, bytes_of, die, edit, mark, without_checks
from sources import copied

import antiphon as ap
from antiphon.mechanisms import COUNT
from antiphon.protocol import registry
from antiphon.sessions.durable import guard as guards
from antiphon.sessions.durable import states
from antiphon.sessions.durable.guard import beside, marked
from antiphon.sessions.durable.inspection import compact, status, verify
from antiphon.sessions.durable.journal import part_of

HERE = Path(__file__).parent
BEFORE = HERE / "written_before"
"""What the code wrote whose logs had no checks, and whose states named modules."""
ENTRIES = [json.loads(line) for line in (BEFORE / "sessions.jsonl").read_text().splitlines()]


def brought(path, entry):
    """A log of before, and its guard."""
    path.write_text(entry["log"]), beside(path).write_text(entry["guard"])
    return path


# --- files of before ---------------------------------------------------------------------------


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["name"])
def test_a_log_of_before_is_gone_on_with(path, entry):
    brought(path, entry)
    found = verify(path)
    with ap.resume(path, moved=True) as session:
        assert session.last.number == found.answered + found.in_flight
        if session.over:
            return
        session.keep_state()
        assert session.unkept is None
        session.compact()
    assert not re.search(r'"made":"[^"]*:', path.read_text())
    assert verify(path).answered == found.answered + found.in_flight
    with pytest.raises(ap.AntiphonError):
        edit_a_bit(path)


def edit_a_bit(path):
    """Of a log that is checked, though it began without."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    verify(path)


def test_a_log_of_before_goes_on_checked(path):
    brought(path, ENTRIES[0])
    with ap.resume(path, moved=True) as session:
        session.send(1)
    whole = path.read_bytes()
    for place in range(len(ENTRIES[0]["log"]), len(whole), 7):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        with pytest.raises(ap.AntiphonError):
            verify(path)
    path.write_bytes(whole)
    assert verify(path).answered == status(path).answered


def test_a_flip_in_a_log_of_before_is_typed_at_least(path):
    """It has no checks: what is found is found by stepping."""
    for entry in (ENTRIES[3], ENTRIES[6]):
        brought(path, entry)
        whole = path.read_bytes()
        for place in range(0, len(whole), 83):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
            for look in (status, verify):
                try:
                    look(path)
                except ap.AntiphonError:
                    continue


def test_a_recording_of_before_replays():
    recording = ap.Recording.load(BEFORE / "recording.jsonl")
    assert ap.replay(recording).complete


# --- names -------------------------------------------------------------------------------------


def test_no_name_says_where_a_class_is():
    registry.lookup("antiphon.none/1")  # which loads all
    names = registry._states.things
    assert len(names) > 40
    for name, kind in names.items():
        assert re.fullmatch(r"antiphon\.\w+/\d+", name)
        assert states._class(name) is kind
        assert states._class(f"antiphon.it.was.here:{kind.__qualname__}") is kind


def test_a_name_is_of_one_class():
    with pytest.raises(ap.InvalidArgument, match="already the name"):
        ap.register("antiphon.CounterState/1", state=True)(type("Other", (tuple,), {"_fields": ()}))
    with pytest.raises(ap.InvalidArgument, match="named tuple"):
        ap.register("test.bytes.Plain/1", state=True)(type("Plain", (), {}))


MOVED = """
import sys
from pathlib import Path
import antiphon as ap
from antiphon.protocol import registry
from antiphon.sessions.durable.inspection import verify
registry.lookup("antiphon.none/1")
kinds = registry._states.things.values()
assert all(kind.__module__.startswith("antiphon.elsewhere.") for kind in kinds), kinds
for path in sorted(Path(sys.argv[1]).glob("*.log")):
    answered = verify(path).answered
    with ap.resume(path) as session:
        assert session.last.number == answered
print(len(kinds))
"""


@pytest.mark.slow
def test_every_file_with_a_state_may_move(tmp_path):
    """A copy of the package, with these files elsewhere, goes on with what this one has kept."""
    registry.lookup("antiphon.none/1")
    for number, entry in enumerate(ENTRIES):
        path = brought(tmp_path / f"{number}.log", entry)
        with ap.resume(path, moved=True) as session:
            if not session.over:
                session.compact()
    copy = tmp_path / "copy"
    package = Path(ap.__file__).parent
    copied(package, copy / "antiphon")
    elsewhere = copy / "antiphon" / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "__init__.py").touch()
    modules = {kind.__module__ for kind in registry._states.things.values()}
    for module in modules - {"antiphon.numbers.exact"}:
        move(copy, module, module.replace(".", "_"))
    move(copy, "antiphon.numbers.exact", "exact")
    said = subprocess.run(
        [sys.executable, "-c", MOVED, str(tmp_path)],
        cwd=copy, env={**os.environ, "PYTHONPATH": str(copy)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert said.returncode == 0, said.stderr[-3000:]
    assert int(said.stdout) == len(registry._states.things)


def move(copy, module, name):
    """A file of a package to another place; who asks for it at the old one gets it still."""
    old = copy / Path(*module.split(".")).with_suffix(".py")
    old.rename(copy / "antiphon" / "elsewhere" / f"{name}.py")
    old.write_text(
        f"import sys\nimport antiphon.elsewhere.{name} as moved\nsys.modules[__name__] = moved\n"
    )


# --- checks ------------------------------------------------------------------------------------


def test_a_kept_state_that_is_another_is_found(path):
    """Though its check says that it was written so."""
    with begun(path) as session:
        list(session.send_many([1, 1, 1]))
        session.keep_state()
        session.send(1)
    (state,) = (line for line in without_checks(path) if line.startswith('{"state"'))
    assert '{"message":3}' in state
    edit(path, '{"message":3}', '{"message":4}')
    with pytest.raises(ap.ReplayMismatch, match="the state that is kept"):
        verify(path)


@pytest.mark.parametrize("lost", [1, 2, -1])
def test_a_line_that_is_gone_is_found(path, lost):
    with begun(path) as session:
        list(session.send_many([1, 1, 1]))
    lines = path.read_bytes().splitlines(keepends=True)
    del lines[3 if lost > 0 else 2 : 3 + lost if lost > 0 else 4]
    path.write_bytes(b"".join(lines))
    with pytest.raises(ap.AntiphonError):
        ap.resume(path)


def zeroed(data, begin, end):
    return data[:begin] + bytes(end - begin) + data[end:]


def test_a_hole_in_what_was_never_synced_is_cut(path):
    with begun(path) as session:
        heard = [session.send(COUNT)]
        synced = path.stat().st_size
        session._answer(1), [session._answer(COUNT) for _ in range(40)]  # whom nobody hears
        die(session)
    whole = path.read_bytes()
    sector = (synced // 512 + 1) * 512
    path.write_bytes(zeroed(whole, sector, sector + 512))
    mark(path, number=1)
    assert "zeros" in status(path).cut
    with ap.resume(path) as again:
        assert "zeros, as a power cut leaves" in again.cut
        assert again.last.number >= 1
        assert again.send(COUNT, key="later") is not None
    assert heard[0] in [json.loads(line).get("answers") for line in without_checks(path)]
    verify(path)


def test_a_hole_in_what_was_synced_is_refused(path):
    with begun(path) as session:
        list(session.send_many([1] * 60, at_once=20))
    whole = path.read_bytes()
    path.write_bytes(zeroed(whole, 1024, 1536))
    mark(path, number=0)
    before = bytes_of(path)
    with pytest.raises(ap.TranscriptError, match="the disk has lost them"):
        ap.resume(path)
    assert bytes_of(path) == before


def test_a_last_line_that_lost_its_end_by_a_flip_is_no_torn_one(path):
    with begun(path) as session:
        session.send(1)
    mark(path, number=0)
    path.write_bytes(path.read_bytes()[:-1] + b"\x1a")
    with pytest.raises(ap.TranscriptError, match="damaged, and not torn"):
        ap.resume(path)


# --- a power cut, and no locks -----------------------------------------------------------------


@pytest.fixture
def another_boot(monkeypatch):
    """Begin another run of the machine."""
    return lambda: monkeypatch.setattr(guards, "this_boot", lambda: "another")


def test_after_a_power_cut_a_session_that_was_not_synced_is_refused(path, another_boot):
    """Log and guard may both be what they were before."""
    session = begun(path, sync="os")
    session.send(COUNT)
    older = bytes_of(path)
    session.send(1)
    die(session)
    path.write_bytes(older[0]), beside(path).write_bytes(older[1])
    another_boot()
    assert status(path).unsynced
    for act in (ap.resume, compact):
        with pytest.raises(ap.ResumeError, match=r"may have forgotten|may be"):
            act(path)
    assert bytes_of(path) == older
    with pytest.raises(ap.InvalidArgument, match="orderly is True or False"):
        ap.resume(path, orderly=1)
    with ap.resume(path, orderly=True) as again:
        assert again.last.number == 1


@pytest.mark.parametrize("end", ["closed", "resumed with each"])
def test_what_is_on_the_disk_is_gone_on_with_after_a_power_cut(path, another_boot, end):
    session = begun(path, sync="os")
    session.send(1)
    if end == "closed":
        session.close()
    else:
        die(session)
        die(ap.resume(path, sync="each"))
    another_boot()
    assert not status(path).unsynced
    with ap.resume(path) as again:
        assert again.last.number == 1


def test_a_machine_that_does_not_tell_its_runs_is_not_believed(path, monkeypatch):
    monkeypatch.setattr(guards, "_BOOT", path.with_name("nowhere"))
    session = begun(path, sync="os")
    session.send(1)
    die(session)
    with pytest.raises(ap.ResumeError, match="orderly=True"):
        ap.resume(path)
    assert marked(path).boot == guards.UNKNOWN
    ap.resume(path, orderly=True).close()
    ap.resume(path).close()


def test_without_locks_nothing_durable_is_begun_and_all_else_works(path, monkeypatch, recwarn):
    begun(path).close()
    unraised = []
    monkeypatch.setattr(sys, "unraisablehook", unraised.append)
    monkeypatch.setattr(guards, "fcntl", None)
    for act in (ap.resume, compact, lambda path: begun(path.with_name("other"))):
        with pytest.raises(ap.FileError, match="needs file locks"):
            act(path)
    gc.collect()
    assert not unraised
    assert verify(path).answered == status(path).answered == 0
    assert not path.with_name("other").exists()


# --- a compaction that fails -------------------------------------------------------------------


@pytest.mark.parametrize("what", ["open", "write", "fsync", "replace"])
def test_a_compaction_that_fails_leaves_the_session_alive(path, monkeypatch, what):
    with begun(path) as session:
        first = session.send(COUNT)
        before = bytes_of(path)
        real = getattr(os, what)

        def failing(*given, **more):
            about = given[0]
            if type(about) is int:
                about = os.readlink(f"/proc/self/fd/{about}")
            if str(about) == str(part_of(path)):
                raise OSError(errno.ENOSPC, "No space left on device")
            return real(*given, **more)

        monkeypatch.setattr(os, what, failing)
        with pytest.raises(ap.FileError, match="No space"):
            session.compact()
        assert bytes_of(path) == before
        assert not session.over
        assert session.send(COUNT) == first
        monkeypatch.undo()
        session.compact()
        assert session.send(COUNT) == first
    assert verify(path).answered == 3
    assert not part_of(path).exists()


def test_who_may_resume_is_told_to_resume(path):
    with begun(path) as session:
        session.send(1)
    with pytest.raises(ap.ProtocolError, match=r"it was closed\); ap\.resume goes on with it"):
        session.send(1)
    halting = path.with_name("halting")
    with begun(halting, ap.mechanisms.RandomizedResponse(epsilon=1)) as session:
        session.send(1), session.send(1)
    with pytest.raises(ap.ProtocolError, match="start another"):
        session.send(1)
