"""Durable sessions on a disk that is watched: what is heard was synced before, and by whom.

The disk is that of the system's calls, whoever makes them: a sync keeps what a file held when the
sync began, and a power cut leaves that and nothing else of the log.
"""

import os
import pkgutil
import sys
import threading
import time
from importlib import import_module

import numpy as np
import pytest

import antiphon as ap
from antiphon.sessions import durable

for each in pkgutil.iter_modules(durable.__path__, f"{durable.__name__}."):
    import_module(each.name)  # before any test puts others in the place of the system's calls


HOMES = ("antiphon.protocol.", "antiphon.sessions.")


class PowerCut(BaseException):
    """Nothing in the library catches it."""


class Disk:
    """Files by their inodes: how much of each was synced, and which have unsynced writes."""

    def __init__(self):
        self.sync = getattr(os, "fdatasync", os.fsync)
        self.pwrite = os.pwrite
        self.kept, self.unsynced = {}, set()
        self.before_sync = self.after_sync = self.before_guard = lambda file: None

    def synced(self, descriptor):
        number, size = os.fstat(descriptor).st_ino, os.fstat(descriptor).st_size
        self.unsynced.discard(number)
        self.before_sync(descriptor)
        self.after_sync(descriptor)
        self.kept[number] = max(size, self.kept.get(number, 0))

    def written(self, descriptor, data, offset):
        self.before_guard(descriptor)
        self.unsynced.add(os.fstat(descriptor).st_ino)
        return self.pwrite(descriptor, data, offset)

    def lasts(self, path):
        """Whether all of a file is on the disk."""
        found = path.stat()
        whole = self.kept.get(found.st_ino, 0) >= found.st_size
        return whole and found.st_ino not in self.unsynced

    def lasting(self, path):
        """What of a log is on the disk."""
        return path.read_bytes()[: self.kept.get(path.stat().st_ino, 0)]


@pytest.fixture
def disk(monkeypatch):
    """The disk, under whatever name a module of sessions has the system's calls."""
    found = Disk()
    instead = {os.fsync: found.synced, found.sync: found.synced, os.pwrite: found.written}
    rooms = [each for name, each in sys.modules.items() if name.startswith(HOMES)]
    for module in (os, *rooms):
        for name, value in vars(module).copy().items():
            if callable(value) and getattr(value, "__module__", None) in {"os", "posix"}:
                new = next((new for old, new in instead.items() if old is value), None)
                if new is not None:
                    monkeypatch.setattr(module, name, new)
    return found


@ap.register("test.synced.Summing/1")
@ap.mechanism(queries=ap.spaces.Integers(0, 9), answers=ap.spaces.Integers(), initial_state=0)
def summing(state, number, coins):
    return state + number, 100 * (state + number) + coins.uniform_integer(50)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "day.jsonl"


def guard_of(path):
    return path.with_name(f"{path.name}.guard")


def begun(path, **settings):
    return ap.begin(summing, path, **settings)


def size(path):
    return path.stat().st_size


@pytest.mark.parametrize("sync", ["each", "group"])
def test_the_answers_before_a_refusal_are_on_the_disk(path, disk, sync):
    """``send_many`` gives them, and then raises: each of them may have been heard."""
    with begun(path, sync=sync) as session:
        answers = session.send_many([1, 2, 10])
        next(answers)
        assert disk.lasts(path)
        next(answers)
        with pytest.raises(ap.AntiphonError):
            next(answers)


def test_what_is_written_during_a_sync_waits_for_another(path, disk):
    """Two threads in a group: the second writes its answer while the first one's is synced."""
    with begun(path, sync="group") as session:
        seen, others = [], []

        def second():
            session.send(2)
            seen.append(disk.lasts(path))

        def meanwhile(descriptor):
            if others or os.fstat(descriptor).st_ino != path.stat().st_ino:
                return
            before = size(path)
            others.append(threading.Thread(target=second))
            others[0].start()
            until = time.monotonic() + 30
            while time.monotonic() < until and not (
                size(path) > before and path.read_bytes().count(b'"answers"') >= 2
            ):
                time.sleep(0.001)

        disk.after_sync = meanwhile
        session.send(1)
        others[0].join(timeout=30)
    assert seen == [True]


def test_a_power_cut_in_a_sync_leaves_a_session_that_goes_on(path, disk):
    """Nobody has heard the answer, and the guard has not heard of it before the log had it."""
    session = begun(path)
    session.send(1)

    def cut(descriptor):
        raise PowerCut

    disk.before_sync = cut
    with pytest.raises(PowerCut):
        session.send(2)
    log, guard = disk.lasting(path), guard_of(path).read_bytes()
    disk.before_sync = lambda descriptor: None
    session.close()
    path.write_bytes(log)
    guard_of(path).write_bytes(guard)
    with ap.resume(path) as again:
        assert (again.last.number, again.last.message) == (1, 1)
        assert again.send(2) // 100 == 3


@pytest.mark.parametrize("sync", ["each", "group", "os"])
def test_a_generation_is_on_the_disk_before_it_lives(path, disk, sync):
    """Its line in the log and its number in the guard, in all modes."""
    with begun(path, sync=sync) as session:
        assert disk.lasts(path)
        assert disk.lasts(guard_of(path))
        session.send(1)
    with ap.resume(path, sync=sync):
        assert disk.lasts(path)
        assert disk.lasts(guard_of(path))


def test_a_generation_that_the_guard_has_not_heard_of_is_not_begun_again(path, disk):
    """Power is cut between the log's line of a generation and the guard's."""
    asked = []

    def witness(session, generation):
        new = (session, generation) not in asked
        asked.append((session, generation))
        return new

    begun(path, witness=witness).close()

    def cut(descriptor):
        raise PowerCut

    disk.before_guard = cut
    with pytest.raises(PowerCut):
        ap.resume(path, witness=witness)
    disk.before_guard = lambda descriptor: None
    with ap.resume(path, witness=witness) as session:
        assert session.generation == 2
    assert [generation for _, generation in asked] == [0, 1, 2]


@pytest.mark.parametrize(
    "word", ["no", 1, np.True_, (False,), object()], ids=lambda word: type(word).__name__
)
def test_a_witness_says_true_and_nothing_like_it(path, word):
    with pytest.raises(ap.ResumeError, match="witness"):
        begun(path, witness=lambda *_: word)
    begun(path).close()
    before = path.read_bytes()
    with pytest.raises(ap.ResumeError, match="witness"):
        ap.resume(path, witness=lambda *_: word)
    assert path.read_bytes() == before
