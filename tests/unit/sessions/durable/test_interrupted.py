"""Ctrl-C at any moment of a durable session, a failing disk, and what is told before it lasts."""

import gc
import os
import threading
from contextlib import contextmanager

import attrs
import pytest
from interrupting import interrupted
from logs import add, die, in_the_log

import antiphon as ap
from antiphon.sessions.durable.guard import beside
from antiphon.sessions.durable.inspection import compact, verify

WITHIN = "antiphon/protocol"
JOURNAL = "antiphon.sessions.durable.journal"


@ap.register("test.durable.Summing/1")
@ap.mechanism(queries=ap.spaces.Integers(0, 9), answers=ap.spaces.Integers(), initial_state=0)
def summing(state, number, coins):
    if number == 9:
        raise ap.InvalidArgument("no nines")
    if number == 8:
        coins.discrete_laplace(2)
        raise ValueError("broken")
    return state + number, 100 * (state + number) + coins.uniform_integer(50)


def begun(path, **settings):
    return ap.begin(summing, path, **settings)


@contextmanager
def heard_of():
    """What interrupts a ``__del__`` is not heard of."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


ACTS = {
    "send": lambda session: session.send(3),
    "a refused message": lambda session: session.send(9),
    "a failing step": lambda session: session.send(8),
    "many": lambda session: list(session.send_many([3, 4])),
    "keep_state": lambda session: session.keep_state(),
    "compact": lambda session: session.compact(),
    "last": lambda session: session.last,
}


@pytest.mark.every(9)
@pytest.mark.parametrize("sync", ["group", "each"])
@pytest.mark.parametrize("act", ACTS)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a file not closed
def test_an_interrupt_anywhere_forgets_nothing_and_tosses_nothing_again(
    tmp_path, act, sync, monkeypatch
):
    if act == "many":
        monkeypatch.setattr("antiphon.sessions.durable.durable_session._TAIL", 1)
    place, came = 0, True
    while came:
        place += 1
        path = tmp_path / str(place)
        session = begun(path, sync=sync, keep=True)
        told = {1: session.send(1)}

        def tell(session=session, told=told):
            said = session.transcript
            told.update((n, each.answer) for n, each in enumerate(said, 1))
            if session.last is not None:
                told[session.last.number] = session.last.answer

        def perform(session=session):
            try:
                ACTS[act](session)
            except ap.AntiphonError:
                assert act == "a refused message"

        with heard_of():
            came = interrupted(place, perform, WITHIN)
        tell()
        for number in (5, 6):
            try:
                answer = session.send(number)
            except ap.ProtocolError:
                break
            tell()
            assert session.last.answer == answer
        tell()
        die(session)
        before, _ = in_the_log(path)
        with ap.resume(path) as again:
            assert again.last.number >= max(told)
            if not again.over:
                again.send(7)
        said, course = in_the_log(path)
        assert {n: last.answer for n, last in said.items() if n in told} | told == told
        if not course.over and act != "compact":
            assert sum(last.message for last in said.values()) == course.state
        if act not in ("compact", "keep_state") or not before:
            assert set(said) == set(range(1, course.number + 1))


def test_what_did_not_last_is_told_nobody(path, monkeypatch):
    """Whoever resumes tosses it anew: were it told, its noise would be told twice."""
    session = begun(path, keep=True)
    session.send(1)
    last = session.last
    whole = os.write
    monkeypatch.setattr(
        os, "write", lambda file, data: whole(file, data) if b"says" in data else 1 / 0
    )
    with pytest.raises(ZeroDivisionError):
        session.send(2)
    assert session.last == last
    assert len(session.transcript) == 1
    session.close()
    monkeypatch.undo()


def test_a_transcript_waits_for_the_disk(path, monkeypatch):
    syncs = []
    with begun(path, sync="group", keep=True) as session:
        monkeypatch.setattr(f"{JOURNAL}._on_disk", syncs.append)
        session._answer(1)  # as a thread does, that is yet to wait
        assert not syncs
        assert len(session.transcript) == 1
        assert len(syncs) == 1


@pytest.mark.parametrize("sync", ["each", "group"])
def test_a_disk_that_failed_once_is_not_believed_again(path, monkeypatch, sync):
    """The system forgets what it could not write, and the next sync says that all is well."""
    session = begun(path, sync=sync)
    session._answer(1), session._answer(2)  # two threads, which then wait
    monkeypatch.setattr(f"{JOURNAL}._on_disk", failing)
    with pytest.raises(ap.FileError, match="synced"):
        session.settle()
    monkeypatch.setattr(f"{JOURNAL}._on_disk", lambda file: None)
    with pytest.raises(ap.FileError, match="synced"):
        session.settle()
    assert session.last is None
    session.close()


def failing(file):
    raise OSError(5, "Input/output error")


def test_a_session_that_halted_is_on_the_disk_once_it_is_closed(path, monkeypatch):
    synced = []
    session = ap.begin(ap.mechanisms.RandomizedResponse(epsilon=1), path, sync="os")
    session.send(1)
    assert session.send(0) is ap.HALT
    assert session.over
    monkeypatch.setattr(f"{JOURNAL}._on_disk", synced.append)
    session.close()
    assert synced


@ap.register("test.durable.Unwritable/1")
@ap.mechanism(queries=ap.spaces.Integers(0, 1), answers=ap.spaces.Anything(), initial_state=0)
def unwritable(state, number, coins):
    noise = coins.uniform_integer(8)
    return state, Unnamed(noise) if number else noise


@attrs.frozen
class Unnamed:
    """Without a registered name."""

    value: int


def test_an_answer_that_cannot_be_written_is_a_step_that_failed(path):
    """Were it promised, each resume would toss its noise again, until it can be written."""
    with ap.begin(unwritable, path) as session:
        assert session.send(1) is ap.HALT
        assert isinstance(session.failure, ap.InvalidArgument)
    with ap.resume(path) as again:
        assert again.over
        assert again.last.answer is ap.HALT
    assert '"again"' not in path.read_text()


def test_a_line_is_never_longer_than_what_is_read(path, monkeypatch):
    for module in ("lines", "reading"):
        monkeypatch.setattr(f"antiphon.sessions.durable.{module}.MAX_LINE", 300)
    with ap.begin(long_states, path) as session:
        for _ in range(30):
            session.send(1)
        session.keep_state()
        assert "in a line of less than" in session.unkept
        with pytest.raises(ap.InvalidArgument):
            session.compact()
    assert verify(path).answered == 30
    ap.resume(path).close()


@ap.register("test.durable.Long/1")
@ap.mechanism(queries=ap.spaces.Integers(0, 1), answers=ap.spaces.Integers(), initial_state=())
def long_states(state, number, coins):
    return (*state, 10**9), 0


@ap.register("test.durable.Halving/1")
@attrs.frozen
class Halving:
    """Whose constructor does not take what its field is."""

    left: float = attrs.field(converter=lambda value: value / 2)


@ap.register("test.durable.Hidden/1")
@attrs.frozen
class Hidden:
    """A part of it counts, and is not compared."""

    shown: frozenset[int]
    spent: int = attrs.field(default=0, eq=False)


@ap.register("test.durable.Halves/1")
@ap.mechanism(
    queries=ap.spaces.Integers(0, 1),
    answers=ap.spaces.Anything(),
    initial_state=(Hidden(frozenset()), ()),
)
def halves(state, number, coins):
    hidden, _ = state
    halving = (Halving(1.0),) if number else ()
    return (Hidden(frozenset(), hidden.spent + 1), halving), hidden.spent + 1


def test_a_state_that_does_not_come_back_the_same_is_not_kept(path):
    with ap.begin(halves, path) as session:
        session.send(1)
        session.keep_state()
        assert "not equal" in session.unkept
        with pytest.raises(ap.InvalidArgument, match="not equal"):
            session.compact()
    with ap.resume(path) as again:
        assert again.last.answer == 1


def test_a_field_that_is_not_compared_is_kept(path):
    with ap.begin(halves, path) as session:
        session.send(0)
        session.compact()
    with ap.resume(path) as again:
        assert again.send(0) == 2


@pytest.mark.parametrize(
    "line", ['{"resumed":null,"guard":1}', '{"resumed":1}', '{"resumed":1,"guard":"2"}',
             '{"state":{"message":0},"number":1.5,"generation":0,"guard":0}'],
)  # fmt: skip
def test_a_line_without_its_numbers_is_damaged(path, line):
    begun(path).close()
    add(path, line)
    with pytest.raises(ap.TranscriptError, match="whole number"):
        ap.resume(path)


def test_who_closes_waits_for_who_syncs(path, monkeypatch):
    """A descriptor that is closed meanwhile may be another file's by then."""
    session = begun(path, sync="group")
    waiting, go = threading.Event(), threading.Event()
    opened = []

    def slow(file):
        waiting.set()
        go.wait(10)
        os.fstat(file)
        opened.append(file)

    monkeypatch.setattr(f"{JOURNAL}._on_disk", slow)
    sender = threading.Thread(target=lambda: session.send(1))
    sender.start()
    waiting.wait(10)
    closer = threading.Thread(target=session._log.close)
    closer.start()
    closer.join(0.1)
    assert closer.is_alive()
    go.set()
    closer.join(), sender.join()
    assert opened
    session.close()


def test_a_signal_handler_that_sends_finds_a_message_under_way(path):
    """Between two lines of a message there is no room for another's."""
    with begun(path) as session:
        append = session._log.append
        refused = []

        def signalled(line):
            append(line)
            if "answers" in line or "says" in line:
                session._log.append = append
                try:
                    session.send(1)
                except ap.ProtocolError as error:
                    refused.append(error)

        try:
            session._log.append = signalled
        except AttributeError:
            pytest.skip("a journal has slots")
        session.send(2)
        assert refused
        assert session.send(3) // 100 == 5
    assert verify(path).answered == 2
    gc.collect()


def test_a_copy_at_the_place_of_one_that_is_gone_is_refused(path):
    """File systems give the number of a removed file to the next: it is a copy all the same."""
    session = begun(path)
    counted = session._guard.place >> 32
    session.close()
    guard = beside(path)
    saved = path.read_bytes(), guard.read_bytes()
    path.unlink(), guard.unlink()
    guard.write_bytes(saved[1]), path.write_bytes(saved[0])
    if not counted:
        pytest.skip("this file system does not tell")
    with pytest.raises(ap.ResumeError, match="copies"):
        ap.resume(path)


def test_a_guard_that_lay_there_is_its_owners_only(path):
    guard = beside(path)
    guard.touch(0o666)
    guard.chmod(0o666)
    begun(path).close()
    assert guard.stat().st_mode & 0o777 == 0o600


@ap.register("test.durable.Scaled/1")
@attrs.frozen
class Scaled(ap.ContinualMechanism):
    """Made from what it says of itself, it is another."""

    scale: float = attrs.field(converter=lambda value: value / 2)
    signature = ap.Signature(ap.spaces.Integers(), ap.spaces.Anything())
    initial_state = 0

    def step(self, state, message, coins):
        return state, self.scale


def test_a_system_that_its_name_does_not_make_again_is_refused(path):
    system = Scaled(1.0)
    ap.begin(system, path).close()
    with pytest.raises(ap.ResumeError, match="registered name makes"):
        ap.resume(path)
    ap.resume(path, mechanism=system).close()
    with ap.begin(ap.ExtConComp(), path.with_name("two")) as session:
        with pytest.raises(ap.InvalidArgument, match="come back the same"):
            session.send(ap.Create(system))
        assert session.last is None


def test_a_message_longer_than_what_is_read_is_refused_before_it_happens(path, monkeypatch):
    monkeypatch.setattr("antiphon.sessions.durable.lines.MAX_LINE", 300)
    with ap.begin(words, path) as session:
        with pytest.raises(ap.InvalidArgument, match="has 150 bytes at most"):
            session.send("a" * 400)
        assert session.send("a") == 0
    ap.resume(path).close()


@ap.register("test.durable.Words/1")
@ap.mechanism(queries=ap.spaces.Anything(), answers=ap.spaces.Integers(), initial_state=0)
def words(state, message, coins):
    return state, 0


@pytest.mark.parametrize("stride", [431, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("again", [ap.resume, compact], ids=["resume", "compact"])
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a file not closed
def test_an_interrupted_restart_can_be_made_again(tmp_path, again, stride):
    """At every place, if there is time: at every 431st, else."""
    place, came = 1 - stride, True
    while came:
        place += stride
        path = tmp_path / str(place)
        with begun(path) as session:
            first = session.send(1)
        add(path, '{"says":2}')

        def act(path=path):
            session = again(path)
            if again is ap.resume:
                die(session)

        with heard_of():
            came = interrupted(place, act, WITHIN)
        gc.collect()
        with ap.resume(path) as session:
            assert session.last.number == 2
            assert session.last.message == 2
            last = session.last.answer
            assert last // 100 == 3
        said, course = in_the_log(path)
        assert said[2].answer == last
        assert course.state == 3
        assert 1 not in said or said[1].answer == first
