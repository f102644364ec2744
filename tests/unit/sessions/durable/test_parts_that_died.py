"""A part that dies of reasons of its own stays dead, whatever it would do another time."""

import json

import attrs
import pytest
from logs import bytes_of, die, in_the_log

import antiphon as ap
from antiphon.composition import BasicFilter
from antiphon.mechanisms import COUNT, TreeCounter
from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.cursor import LEFT, RIGHT
from antiphon.protocol.measures.kinds import Pure
from antiphon.sessions.durable.inspection import compact, status, verify
from antiphon.verifiers import event_level

COUNTER = TreeCounter(horizon=64, epsilon=1)
WEATHER = {"error": None}
"""What a step meets that is not on its tape."""


@ap.register("test.durable.Moody/1")
@attrs.frozen
class Moody(ap.ContinualMechanism):
    signature = ap.Signature(ap.spaces.Integers(), ap.spaces.Integers())
    initial_state = 0

    @property
    def claims(self):
        return (Claim(Pure(1), event_level(), Status.ASSUMED, "a test"),)

    def step(self, state, message, coins):
        coins.uniform_integer(2**64)
        if WEATHER["error"] is not None:
            raise WEATHER["error"]
        return state + message, state + message + coins.uniform_integer(1)


@ap.register("test.durable.Deaf/1")
@attrs.frozen
class Deaf(ap.PostProcessor):
    """Creates two, asks the first, and says 0 whatever it hears: nobody sees that it died."""

    deterministic = True
    initial_state = 0

    def signature(self, right):
        return ap.Signature(ap.spaces.Integers(), ap.spaces.Integers())

    def step(self, state, side, message, coins):
        if side is LEFT:
            return state, RIGHT, ap.Create(Moody()) if message == 0 else ap.Ask(message, 0)
        return state, LEFT, 0


@pytest.fixture(autouse=True)
def _fair_weather():
    yield
    WEATHER["error"] = None


def begun(path, mechanism, **settings):
    return ap.begin(mechanism, path, **settings)


def dead(path, error=None):
    """A budgeted composition whose first child has died."""
    system = ap.ExtConComp(budget=BasicFilter(epsilon=3, delta=0))
    session = begun(path, system)
    session.send(ap.Create(Moody()))
    session.send(ap.Ask(1, 0))
    WEATHER["error"] = error or MemoryError("so much")
    assert session.send(ap.Ask(1, 0)) is ap.HALT
    WEATHER["error"] = None
    return session


@pytest.mark.parametrize("again", [ap.resume, status, verify, compact])
def test_a_failure_is_never_made_again(path, again):
    """Were the message stepped again, it would be answered by a number now."""
    dead(path).close()
    found = again(path)
    if again is ap.resume:
        found.close()
    with ap.resume(path) as session:
        assert session.last.answer is ap.HALT
        assert session.last.number == 3
        assert session.send(ap.Ask(1, 0)) is ap.HALT
        assert session.send(ap.Create(COUNTER)) is ap.TOP
        assert session.budget.spent == (2, 0)
        assert [each.standing for each in session.budget.shares] == ["halted", "live"]


def test_its_exception_is_remembered_in_words(path):
    session = dead(path)
    (error,) = session.failures
    assert type(error) is MemoryError
    session.close()
    for _ in range(2):
        with ap.resume(path) as again:
            (error,) = again.failures
            assert type(error) is ap.PartError
            assert str(error) == "MemoryError: so much"
            again.keep_state()
        compact(path)


def test_an_exception_that_cannot_be_said_is_remembered_by_its_class(path):
    class Mute(Exception):
        def __str__(self):
            raise ValueError

    dead(path, Mute()).close()
    with ap.resume(path) as again:
        assert [str(each) for each in again.failures] == ["Mute: "]


def test_a_death_that_nobody_hears_is_kept_as_well(path):
    """The answer is the same: only the state says that the child is dead."""
    with begun(path, Deaf() @ ap.ExtConComp()) as session:
        session.send(0)
        session.send(1)
        WEATHER["error"] = MemoryError()
        assert session.send(1) == 0
        WEATHER["error"] = None
    with ap.resume(path) as again:
        assert len(again.failures) == 1
        assert again.send(2) == 0
    said, course = in_the_log(path)
    assert set(said) == {1, 2, 3, 4}
    assert len(course.state[-1]) == 1
    assert len(ap.resume(path).failures) == 1


@pytest.mark.slow
def test_every_cut_of_such_a_log_is_a_beginning(path, tmp_path):
    """The answer and the state after it are one line: both are there, or neither."""
    session = begun(path, ap.ExtConComp())
    session.send(ap.Create(Moody()))
    size, before = path.stat().st_size, bytes_of(path)[1]
    WEATHER["error"] = MemoryError()
    session.send(ap.Ask(1, 0))
    WEATHER["error"] = None
    after = bytes_of(path)
    die(session)
    copy = tmp_path / "copy"
    for cut in range(size, len(after[0]) + 1, 3):
        copy.write_bytes(after[0][:cut])
        copy.with_name("copy.guard").write_bytes(before)
        with ap.resume(copy, moved=True) as again:
            number = again.last.number
            if number == 2:  # in fair weather it lives, but where it is known to be dead
                assert (again.last.answer is ap.HALT) == (cut == len(after[0]))
            assert len(again.failures) == (cut == len(after[0]))
        verify(copy)


def test_a_session_that_failed_says_so_after_a_restart(path):
    session = begun(path, Moody())
    WEATHER["error"] = ValueError("broken")
    assert session.send(1) is ap.HALT
    session.close()
    with ap.resume(path) as again:
        assert again.over
        assert [str(each) for each in again.failures] == ["a step failed, by ValueError"]


def test_a_state_that_cannot_be_kept_leaves_the_answer_alone(path, monkeypatch):
    monkeypatch.setattr("antiphon.sessions.durable.lines.MAX_LINE", 600)
    session = begun(path, ap.ExtConComp())
    for _ in range(9):
        session.send(ap.Create(COUNTER))
    session.send(ap.Create(Moody()))
    WEATHER["error"] = MemoryError()
    session.send(ap.Ask(1, 9))
    assert "less than" in session.unkept
    session.close()
    assert '"state"' not in path.read_text()
    with ap.resume(path) as again:  # in the same weather
        assert len(again.failures) == 1


def test_an_answer_and_the_state_after_it_may_be_too_long_together(path, monkeypatch):
    dead(path).close()
    both = path.read_text().splitlines()[-1]
    assert both.startswith('{"state"')
    most = len(both) - 20
    monkeypatch.setattr("antiphon.sessions.durable.lines.MAX_LINE", most)
    other = path.with_name("other")
    with dead(other) as session:
        assert "less than" in session.unkept
    assert max(map(len, other.read_text().splitlines())) < most


def test_the_state_that_a_death_brings_is_one_to_begin_at(path):
    dead(path).close()
    assert status(path).stepped == 0
    guard = json.loads(bytes_of(path)[1])
    assert bytes_of(path)[0][guard["offset"] :].startswith(b'{"state"')


@ap.register("test.durable.Deafening/1")
@attrs.frozen
class Passing(ap.PostProcessor):
    """Hands all on, and answers 0 where it hears HALT: it goes on when its right has halted."""

    deterministic = True
    initial_state = None

    def signature(self, right):
        return ap.Signature(right.queries, ap.spaces.Anything())

    def step(self, state, side, message, coins):
        if side is LEFT:
            return state, RIGHT, message
        return state, LEFT, 0 if message is ap.HALT else message


@pytest.mark.parametrize("keep", [True, False])
def test_a_composition_that_halted_has_its_budget_after_a_restart(path, keep):
    system = Passing() @ ap.ExtConComp(budget=BasicFilter(epsilon=3, delta=0))
    with begun(path, system) as session:
        session.send(ap.Create(COUNTER))
        assert session.send(ap.Ask(COUNT, 5)) == 0  # there is no such mechanism
        why = session.why_halted
        if keep:
            session.keep_state()
            assert session.unkept is None
    for _ in range(2):
        with ap.resume(path) as again:
            assert again.budget.spent == (1, 0)
            assert len(again.budget.shares) == 1
            assert again.why_halted == why == "no mechanism 5: 1 exist"
            assert again.send(ap.Create(COUNTER)) == 0
            if keep:
                again.compact()
            assert again.budget.spent == (1, 0)


def test_a_halted_session_has_its_budget_after_a_restart(path):
    system = ap.ExtConComp(budget=BasicFilter(epsilon=3, delta=0))
    with begun(path, system) as session:
        session.send(ap.Create(COUNTER))
        assert session.send(ap.Ask(COUNT, 5)) is ap.HALT
    with ap.resume(path) as again:
        assert again.over
        assert again.budget.spent == (1, 0)
