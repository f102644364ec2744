"""What a power cut or a flipped bit may do to a durable session: it is found, or it is nothing.

Every answer that was heard is in the log that is resumed, or the session is refused, as the table
of docs/durable.md has it: by a session that is synced, never refused.
"""

import random
import shutil

import pytest
from disks import Disk

import antiphon as ap
from antiphon.mechanisms import COUNT, TreeCounter
from antiphon.numbers.interning import fingerprint
from antiphon.sessions.durable import guard as guards
from antiphon.sessions.durable import inspection
from antiphon.sessions.durable.guard import beside, marked

NAME = "log"


@ap.register("test.disk.Remembering/1")
@ap.mechanism(queries=ap.spaces.Texts(), answers=ap.spaces.Integers(), initial_state=())
def remembering(state, message, coins):
    answer = coins.uniform_integer(1 << 40)
    return (*state, answer), answer


def talk(session, heard, random):
    """One thing that is done with a session, which ``heard`` is told of."""
    length = random.choice((1, 30, 700))  # of less and of more than a sector
    act = random.choice(("send", "send", "many", "key", "keep", "compact"))
    if act == "send":
        heard.append(session.send("a" * length))
    elif act == "many":
        for answer in session.send_many(["b" * length] * 4, at_once=3):
            heard.append(answer)
    elif act == "key":
        before = len(heard)
        answer = session.send("c", key=str(random.randrange(3)))
        if answer not in heard[:before]:
            heard.append(answer)
    elif act == "keep":
        session.keep_state()
    else:
        session.compact()


def cuts(tmp_path, monkeypatch, sync, times, seed):
    """Cut the power ``times``, at any moment of sessions. Returns: how often it was refused."""
    toss = random.Random(seed)
    refused = done = lives = 0
    while done < times:
        lives += 1
        folder = tmp_path / f"life{lives}"
        folder.mkdir()
        heard, begun, states = [], [False], []

        def cut(disk, heard=heard, begun=begun, states=states):
            if toss.random() < 0.3:
                copy = tmp_path / f"cut{len(states)}"
                copy.mkdir()
                disk.after_a_cut(copy, toss)
                states.append((copy, tuple(heard), begun[0]))

        with monkeypatch.context() as patched:
            disk = Disk(folder).watch(patched)
            disk.at_moment = lambda cut=cut, disk=disk: cut(disk)
            session = ap.begin(remembering, folder / NAME, sync=sync)
            begun[0] = True
            for _ in range(toss.randrange(12)):
                talk(session, heard, toss)
            if toss.random() < 0.5:
                session.close()
                cut(disk)
            disk.at_moment = None
            session._log.close(), session._guard.close()
        for copy, told, alive in states:
            refused += goes_on(copy / NAME, told, monkeypatch, refusable=not alive or sync == "os")
            shutil.rmtree(copy)
        done += len(states)
    return refused, done


def goes_on(path, heard, monkeypatch, *, refusable):
    """Whether it is refused after a cut; if not, all that was heard is in it."""
    with monkeypatch.context() as patched:
        patched.setattr(guards, "this_boot", lambda: "another")
        patched.setattr("os.fsync", lambda file: None)
        patched.setattr("antiphon.sessions.durable.journal._on_disk", lambda file: None)
        try:
            session = ap.resume(path, moved=True)
        except ap.AntiphonError as error:
            if not refusable:
                raise AssertionError(f"a session that was synced is refused: {error}") from error
            return True
        state = session._now[0]
        assert state[: len(heard)] == heard
        session.send("d")
        assert session._now[0][:-1] == state
        session.close()
        inspection.verify(path)
    return False


@pytest.mark.parametrize("sync", ["each", "group", "os"])
@pytest.mark.parametrize(
    ("times", "seed"), [(60, 1), pytest.param(3_400, 2, marks=pytest.mark.slow)]
)
def test_what_was_heard_is_in_the_log_or_it_is_refused(tmp_path, monkeypatch, sync, times, seed):
    refused, done = cuts(tmp_path, monkeypatch, sync, times, seed)
    assert done >= times
    assert refused < done
    if sync == "os":
        assert refused > done / 4


@pytest.mark.parametrize("twin", ["no sync", "no boot"])
def test_a_session_that_does_not_keep_its_word_is_found(tmp_path, monkeypatch, twin):
    """A sync that is none; a guard that does not know the run of the machine."""
    if twin == "no boot":
        monkeypatch.setattr("antiphon.sessions.durable.resuming._boot", lambda sync: "")
    else:
        monkeypatch.setattr("antiphon.sessions.durable.journal.Journal.settle", forgetful)
    with pytest.raises(AssertionError):
        cuts(tmp_path, monkeypatch, "os" if twin == "no boot" else "each", 400, 3)


def forgetful(journal, size, *, sync=False):
    journal._synced = journal.size if sync else journal._synced


# --- flipped bits -----------------------------------------------------------------------------


@pytest.fixture
def whole(tmp_path, monkeypatch):
    """A log with all kinds of lines."""
    monkeypatch.setattr("os.fsync", lambda file: None)
    monkeypatch.setattr("antiphon.sessions.durable.journal._on_disk", lambda file: None)
    path = tmp_path / NAME
    counter = TreeCounter(horizon=8, epsilon=1)
    with ap.begin(ap.ExtConComp(), path) as session:
        session.send(ap.Create(counter), key="one")
        list(session.send_many([ap.Ask(1, 0), ap.Ask(COUNT, 0)], keys=["two", "three"]))
        session.compact()
        session.send(ap.Ask(COUNT, 0), key="four")
        session.keep_state()
        session.send(ap.Ask(1, 0))
    return path


@pytest.mark.parametrize("times", [300, pytest.param(100_000, marks=pytest.mark.slow)])
def test_no_bit_flips_in_silence(whole, times):
    toss = random.Random(times)
    hint = marked(whole).offset
    truth = course_of(whole, hint)
    assert truth == course_of(whole, 0)
    for _ in range(times):
        place, bit = toss.randrange(whole.stat().st_size), 1 << toss.randrange(8)
        with flipped(whole, place, bit):
            with pytest.raises(ap.AntiphonError):
                inspection.verify(whole)
            try:
                assert course_of(whole, hint) == truth
            except ap.AntiphonError:
                continue
            assert place < hint


@pytest.mark.parametrize("stride", [97, pytest.param(1, marks=pytest.mark.slow)])
def test_no_bit_of_a_guard_flips_in_silence(whole, stride):
    size = len(beside(whole).read_bytes().rstrip(b" "))
    for place in range(0, 8 * size, stride):
        with flipped(beside(whole), place // 8, 1 << place % 8), pytest.raises(ap.AntiphonError):
            inspection.status(whole)


class flipped:
    """A file with another bit, while it lasts."""

    def __init__(self, path, place, bit):
        self.path, self.place, self.bit = path, place, bit

    def __enter__(self):
        self.flip()

    def __exit__(self, *_):
        self.flip()

    def flip(self):
        with self.path.open("r+b") as file:
            file.seek(self.place)
            byte = file.read(1)[0]
            file.seek(self.place)
            file.write(bytes([byte ^ self.bit]))


def course_of(path, hint):
    _, _, course, _ = inspection._read(path, None, hint)
    said = (course.number, course.generation, course.last, course.promised, course.over)
    return said, fingerprint(course.state), course.keys._said, course.cut
