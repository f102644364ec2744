"""A message that comes again with its key is not stepped again, and hears the same answer."""

import numpy as np
import pytest
from logs import add, begun, die, edit, mark

import antiphon as ap
from antiphon.mechanisms import COUNT
from antiphon.sessions.durable import lines
from antiphon.sessions.durable.inspection import compact, status, verify


@ap.register("test.keys.Counting/1")
@ap.mechanism(queries=ap.spaces.Anything(), answers=ap.spaces.Anything(), initial_state=0)
def counting(state, message, coins):
    return (state, state) if message == "count" else (state + message, ap.TOP)


@pytest.mark.parametrize("sync", ["each", "group", "os"])
def test_the_same_key_is_one_step(path, sync):
    with begun(path, sync=sync) as session:
        for _ in range(3):
            assert session.send(1, key="row 17") is ap.TOP
        first = session.send(COUNT, key="asked")
        session.send(1)
        assert session.send(COUNT, key="asked") == first
        assert session.last.number == 3
    assert verify(path).answered == 3


ON = {
    "resumed": lambda path: None,
    "with its state kept": lambda path: kept(path),
    "compacted": compact,
    "compacted while it lived": lambda path: compacted(path),
}


def kept(path):
    with ap.resume(path) as session:
        session.keep_state()


def compacted(path):
    with ap.resume(path) as session:
        session.compact()
        assert session.send(1, key="row 0") is ap.TOP


@pytest.mark.parametrize("on", ON)
def test_a_feeding_loop_that_begins_anew_counts_once(path, on, monkeypatch):
    """Also after many lives, whatever the log was made of them."""
    monkeypatch.setattr(lines, "_TOGETHER", 200)
    rows = range(40)
    for life in range(1, 5):
        session = begun(path, counting) if life == 1 else ap.resume(path)
        fed = [f"row {row}" for row in rows[: 10 * life]]
        heard = [*session.send_many([1] * len(fed), keys=fed, at_once=7)]
        assert heard == [ap.TOP] * len(fed)
        assert session.send("count", key=f"count {life}") == len(fed)
        assert session.last.number == 11 * life
        die(session)
        ON[on](path)
    with ap.resume(path) as session:
        assert [session.send("count", key=f"count {life}") for life in range(1, 5)] == [
            10, 20, 30, 40
        ]  # fmt: skip
        assert session.last.number == 44
    if on != "resumed":
        assert status(path).stepped < 44


def test_a_message_in_flight_is_known_by_its_key(path):
    begun(path).close()
    add(path, '{"says":1,"key":"row 1"}')
    with ap.resume(path) as session:
        assert session.last.number == 1
        assert session.send(1, key="row 1") is ap.TOP
        assert session.last.number == 1


def test_a_key_in_flight_outlives_a_compaction(path):
    begun(path).close()
    add(path, '{"says":1,"key":"row 1"}')
    compact(path)
    with ap.resume(path) as session:
        assert session.send(1, key="row 1") is ap.TOP
        assert session.last.number == 1


def test_a_key_is_of_one_message(path):
    with begun(path) as session:
        session.send(1, key="row 1")
        with pytest.raises(ap.InvalidArgument, match="another message came with this key"):
            session.send(COUNT, key="row 1")
        answers = session.send_many([1, 0], keys=["row 2", "row 1"])
        assert next(answers) is ap.TOP
        with pytest.raises(ap.InvalidArgument, match="another message"):
            next(answers)
        assert session.last.number == 2
        assert not session.over


@pytest.mark.parametrize("key", ["", "a" * 257, "two\nlines", "\ud800", 7, b"row", True])
def test_what_is_no_key_is_refused(path, key):
    with begun(path) as session:
        with pytest.raises(ap.InvalidArgument, match="key"):
            session.send(1, key=key)
        with pytest.raises(ap.InvalidArgument, match="key"):
            next(session.send_many([1], keys=[key]))
        assert session.last is None


@pytest.mark.parametrize("given", [["a"], ["a", "b", "c"]])
def test_there_is_one_key_for_each_message(path, given):
    with begun(path) as session, pytest.raises(ap.InvalidArgument, match="one for each"):
        list(session.send_many([1, 1], keys=given))
    assert verify(path).answered == 0


def test_what_was_refused_may_come_again(path):
    with begun(path) as session:
        with pytest.raises(ap.InvalidArgument):
            session.send(-7, key="row 1")
        assert session.send(1, key="row 1") is ap.TOP


def test_a_session_that_halted_still_knows(path):
    system = ap.mechanisms.RandomizedResponse(epsilon=1)
    with begun(path, system) as session:
        heard = [session.send(1, key="a"), session.send(1, key="b")]
        assert heard[1] is ap.HALT
        assert [session.send(1, key="a"), session.send(1, key="b")] == heard
        with pytest.raises(ap.ProtocolError, match="start another"):
            session.send(1, key="c")
    with pytest.raises(ap.ProtocolError):
        session.send(1, key="a")
    with ap.resume(path) as again:
        assert [again.send(1, key="a"), again.send(1, key="b")] == heard


def test_an_answer_that_does_not_last_is_not_given_again(path, monkeypatch):
    session = begun(path)
    session._answer(1, "row 1")  # as a thread does, that is yet to wait

    def failing(file):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("antiphon.sessions.durable.journal._on_disk", failing)
    for _ in range(2):
        with pytest.raises((ap.FileError, ap.ProtocolError)):
            session.send(1, key="row 1")
    die(session)


@ap.register("test.keys.Moody/1")
@ap.mechanism(queries=ap.spaces.Anything(), answers=ap.spaces.Anything(), initial_state=0)
def arrays(state, message, coins):
    return state + 1, np.arange(3) + state


def test_answers_that_are_arrays_come_back_as_they_were(path):
    with begun(path, arrays) as session:
        first = session.send("a", key="a")
        session.keep_state()
    with ap.resume(path) as again:
        assert again.send("a", key="a").tolist() == first.tolist()
        assert again.last.number == 1


@pytest.mark.parametrize("line", ['{"keys":7}', '{"keys":[["a"]]}', '{"keys":[["a","b",{"x":1}]]}'])
def test_keys_that_are_none_are_damage(path, line):
    begun(path).close()
    add(path, line)
    with pytest.raises(ap.TranscriptError):
        ap.resume(path)


def test_a_state_whose_keys_lie_nowhere_is_damage(path):
    with begun(path) as session:
        session.send(1, key="a")
        session.keep_state()
    edit(path, ',"keys":[', ',"keys":["2",')
    mark(path, offset=path.read_bytes().index(b'{"state"'))
    with pytest.raises(ap.TranscriptError, match="where its keys are"):
        ap.resume(path)
