"""Durable sessions: what is answered lasts, and nobody goes on twice from one state."""

import gc
import json
import os
import shutil
import threading
from fractions import Fraction

import pytest
from logs import COUNTER, add, begun, edit

import antiphon as ap
from antiphon.composition import BasicFilter, Refusal
from antiphon.mechanisms import COUNT, TreeCounter
from antiphon.sessions import DurableSession
from antiphon.sessions.durable.inspection import compact, status, verify

PATH = "day.jsonl"


@ap.register("test.durable.Noisy/1")
@ap.mechanism(queries=ap.spaces.Integers(0, 9), answers=ap.spaces.Integers(), initial_state=0)
def noisy(state, number, coins):
    if number == 9:
        raise ap.InvalidArgument("no nines")
    if number == 8:
        coins.discrete_laplace(2)
        raise ValueError("broken")
    return state + number, state + number + coins.discrete_laplace(2)


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_session_goes_on_where_it_was(path):
    with begun(path) as session:
        assert isinstance(session, DurableSession)
        said = [session.send(message) for message in (1, COUNT, 1)]
        assert session.generation == 0
    with ap.resume(path) as again:
        assert again.generation == 1
        assert (again.last.number, again.last.message, again.last.answer) == (3, 1, said[2])
        first = again.send(COUNT)
        assert again.send(COUNT) == first  # its noise is drawn once
    with ap.resume(path) as third:
        assert third.generation == 2
        assert third.send(COUNT) == first  # and kept


def test_nobody_but_the_owner_reads_it(path):
    with begun(path):
        for file in (path, path.with_name(f"{PATH}.guard")):
            assert file.stat().st_mode & 0o777 == 0o600


def test_a_killed_process_has_promised_what_was_in_flight(path, monkeypatch):
    session = begun(path)
    session.send(1)
    monkeypatch.setattr(DurableSession, "_write_answer", killed)
    with pytest.raises(Killed):
        session.send(1)
    assert session.over
    monkeypatch.undo()
    session._log.close(), session._guard.close()  # as the system does with who is killed
    assert status(path).in_flight
    with ap.resume(path) as again:
        assert again.last.number == 2
        assert again.last.message == 1
        assert not status(path).in_flight


class Killed(BaseException):
    """As kill -9: nothing after it."""


def killed(*_):
    raise Killed


def test_every_cut_of_a_log_is_a_beginning_of_its_session(path, tmp_path):
    """The process dies after any byte. The guard is what it was at that byte, at the latest."""
    script = [1, COUNT, 0, 1, COUNT]
    with begun(path) as session:
        guards = [path.with_name(f"{PATH}.guard").read_bytes()]
        sizes = [path.stat().st_size]
        said = []
        for message in script:
            said.append(session.send(message))
            guards.append(path.with_name(f"{PATH}.guard").read_bytes())
            sizes.append(path.stat().st_size)
    data = path.read_bytes()
    copy = tmp_path / "copy.jsonl"
    for cut in range(sizes[0], len(data) + 1):
        answered = max(n for n, size in enumerate(sizes) if size <= cut)
        copy.write_bytes(data[:cut])
        copy.with_name("copy.jsonl.guard").write_bytes(guards[answered])
        promised = data[:cut].count(b'{"says"') - (
            data[:cut].rpartition(b"\n")[2][:7] == b'{"says"'
        )
        with ap.resume(copy, moved=True) as again:
            number = 0 if again.last is None else again.last.number
            assert number == promised >= answered
            assert (again.cut is None) == data[:cut].endswith(b"\n")
            if number == answered and number:
                assert again.last.answer == said[number - 1]
        assert verify(copy).answered == number


def test_a_cut_before_the_session_has_begun_is_no_session(path):
    begun(path).close()
    path.write_bytes(path.read_bytes()[:20])
    with pytest.raises(ap.TranscriptError, match="no session has begun"):
        ap.resume(path)


@pytest.mark.parametrize("again", [begun, ap.resume])
def test_two_at_once_are_refused(path, again):
    with begun(path), pytest.raises(ap.FileError, match=r"in use|there already"):
        again(path)


def test_a_restored_backup_is_refused(path, tmp_path):
    session = begun(path)
    session.send(1)
    backup = path.read_bytes()
    session.send(COUNT)
    session.close()
    path.write_bytes(backup)
    with pytest.raises(ap.ResumeError, match="1 answers are not in it"):
        ap.resume(path)
    assert status(path).missing == 1
    assert path.read_bytes() == backup


def test_a_backup_of_the_same_length_but_an_older_generation_is_refused(path):
    begun(path).close()
    backup = path.read_bytes()
    ap.resume(path).close()
    path.write_bytes(backup)
    with pytest.raises(ap.ResumeError, match="resumed since"):
        ap.resume(path)


def test_a_copy_of_both_files_is_refused_until_somebody_vouches_for_it(path, tmp_path):
    begun(path).close()
    other = tmp_path / "elsewhere"
    other.mkdir()
    for file in (PATH, f"{PATH}.guard"):
        shutil.copy2(tmp_path / file, other / file)
    with pytest.raises(ap.ResumeError, match="moved=True"):
        ap.resume(other / PATH)
    ap.resume(other / PATH, moved=True).close()
    ap.resume(other / PATH).close()  # from now on it is at home there


@pytest.mark.parametrize("word", ["no", 1, None])
def test_only_true_is_the_word_that_files_were_moved(path, word):
    begun(path).close()
    kept = path.read_bytes()
    with pytest.raises(ap.InvalidArgument, match="moved is True or False"):
        ap.resume(path, moved=word)
    assert path.read_bytes() == kept


def test_a_log_without_its_guard_is_refused(path):
    begun(path).close()
    path.with_name(f"{PATH}.guard").unlink()
    with pytest.raises(ap.ResumeError, match="no guard"):
        ap.resume(path)


def test_a_guard_of_another_session_is_refused(path, tmp_path):
    begun(path).close()
    begun(tmp_path / "other").close()
    (tmp_path / "other.guard").rename(tmp_path / f"{PATH}.guard")
    with pytest.raises(ap.ResumeError, match="two sessions"):
        ap.resume(path)


def test_a_generation_begins_once_where_a_witness_is_asked(path):
    seen = set()

    def witness(session, generation):
        new = (session, generation) not in seen
        seen.add((session, generation))
        return new

    begun(path, witness=witness).close()
    saved = [file.read_bytes() for file in (path, path.with_name(f"{PATH}.guard"))]
    ap.resume(path, witness=witness).close()
    for file, data in zip((path, path.with_name(f"{PATH}.guard")), saved, strict=True):
        file.write_bytes(data)  # a backup of both, in place: the files cannot tell
    with pytest.raises(ap.ResumeError, match="witness"):
        ap.resume(path, witness=witness)
    assert [path.read_bytes()] == saved[:1]


def test_the_generation_can_be_asked_for(path):
    begun(path).close()
    with pytest.raises(ap.ResumeError, match="in generation 0, not 3"):
        ap.resume(path, generation=3)
    ap.resume(path, generation=0).close()


def test_it_resumes_into_the_system_that_it_names_only(path):
    begun(path).close()
    with pytest.raises(ap.ResumeError, match="another system"):
        ap.resume(path, mechanism=TreeCounter(horizon=2**20, epsilon=2))
    ap.resume(path, mechanism=TreeCounter(horizon=2**20, epsilon=1)).close()


def test_what_is_refused_has_not_happened(path):
    with begun(path, noisy) as session:
        session.send(1)
        for refused in (9, 10, "1"):
            with pytest.raises(ap.InvalidArgument):
                session.send(refused)
        assert session.last.number == 1
    with ap.resume(path) as again:
        assert again.last.number == 1
        assert not again.over


def test_a_failing_step_is_over_also_after_a_restart(path):
    with begun(path, noisy) as session:
        assert session.send(8) is ap.HALT
        assert session.over
    with ap.resume(path) as again:
        assert again.over
        assert again.last.answer is ap.HALT
        with pytest.raises(ap.ProtocolError, match="ValueError"):
            again.send(1)


def test_a_message_that_kills_its_process_is_given_up_at_last(path):
    begun(path, noisy).close()
    add(path, '{"says":1}', '{"again":1}', '{"again":2}')
    with ap.resume(path) as again:
        assert again.last.answer is ap.HALT
        assert again.over
    with ap.resume(path) as third:
        assert third.over


def test_a_full_disk_ends_the_session_and_loses_nothing(path, monkeypatch):
    session = begun(path)
    session.send(1)
    whole = os.write
    monkeypatch.setattr(os, "write", lambda file, data: whole(file, data[:3]) and full())
    with pytest.raises(ap.FileError, match="No space"):
        session.send(1)
    monkeypatch.undo()
    assert session.over
    with pytest.raises(ap.ProtocolError, match="takes no more"):
        session.send(1)
    session.close()
    with ap.resume(path) as again:
        assert again.last.number == 1
        assert "torn" in again.cut


def full():
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("which", [PATH, f"{PATH}.guard"])
@pytest.mark.parametrize("sync", ["each", "group", "os"])
def test_a_file_that_was_removed_ends_the_session(path, which, sync):
    session = begun(path, sync=sync)
    path.with_name(which).unlink()
    with pytest.raises(ap.FileError, match="removed or replaced"):
        session.send(1)
    assert session.over
    session.close()


def test_threads_share_the_disk_and_lose_no_answer(path):
    with begun(path, sync="group") as session:
        heard = []

        def many():
            heard.extend(session.send(1) for _ in range(8))

        threads = [threading.Thread(target=many) for _ in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    assert len(heard) == verify(path).answered == 32


def test_many_messages_wait_for_the_disk_together(path, monkeypatch):
    syncs = []
    with begun(path) as session:
        monkeypatch.setattr("antiphon.sessions.durable.journal._on_disk", syncs.append)
        assert list(session.send_many([1] * 10, at_once=5)) == [ap.TOP] * 10
    assert len(syncs) == 2  # and none at the end


def test_the_answers_before_a_refusal_are_given(path):
    heard = []
    with begun(path, noisy) as session:
        answers = session.send_many([1, 2, 9, 3])
        heard += next(answers), next(answers)
        with pytest.raises(ap.InvalidArgument, match="nines"):
            next(answers)
    assert len(heard) == verify(path).answered == 2


def test_a_kept_state_is_where_a_restart_begins(path):
    with begun(path) as session:
        for _ in range(20):
            session.send(1)
        session.keep_state()
        session.send(1)
    assert status(path).stepped == 1
    assert verify(path).stepped == status(path).answered == 21


@pytest.mark.slow
def test_a_long_log_keeps_its_state_by_itself(path):
    with begun(path, noisy, sync="os") as session:
        for _ in session.send_many([1] * 30_000):
            pass
    assert 0 < status(path).stepped < 20_000
    assert status(path).answered == 30_000


def test_a_compacted_file_goes_on_alike(path):
    with begun(path) as session:
        said = [session.send(COUNT) for _ in range(50)]
    before, after = compact(path)
    assert after == path.stat().st_size < before
    with ap.resume(path) as again:
        assert again.last.number == 50
        assert again.send(COUNT) == said[0]
    with begun(path.with_name("live")), pytest.raises(ap.FileError, match="in use"):
        compact(path.with_name("live"))


def test_a_budget_is_spent_in_all_generations(path):
    filtered = ap.ExtConComp(budget=BasicFilter(epsilon=Fraction(3, 2), delta=0))
    with begun(path, filtered) as session:
        session.send(ap.Create(COUNTER))
    with ap.resume(path) as again:
        assert type(again.send(ap.Create(COUNTER))) is Refusal


@ap.mechanism(queries=ap.spaces.Integers(), answers=ap.spaces.Integers(), initial_state=0)
def nameless(state, message, coins):
    return state, 0


@ap.register("test.durable.Odd/1")
@ap.mechanism(queries=ap.spaces.Integers(), answers=ap.spaces.Integers(), initial_state=object())
def odd(state, message, coins):
    return state, 0


@pytest.mark.parametrize(
    ("mechanism", "why"), [(nameless, "registered name"), (odd, "object in it cannot be kept")]
)
def test_what_could_not_be_resumed_is_refused_at_the_start(path, mechanism, why):
    with pytest.raises(ap.InvalidArgument, match=why):
        begun(path, mechanism)
    assert not path.exists()


def test_a_creation_without_a_name_is_refused_before_it_happens(path):
    with begun(path, ap.ExtConComp()) as session:
        with pytest.raises(ap.InvalidArgument, match="registered name"):
            session.send(ap.Create(nameless))
        assert session.last is None
        assert session.send(ap.Create(COUNTER)) is ap.TOP


@pytest.mark.parametrize("settings", [{"sync": "never"}, {"initial": 7}], ids=repr)
def test_what_makes_no_durable_session_says_so(settings, tmp_path):
    with pytest.raises(ap.InvalidArgument):
        ap.begin(COUNTER, tmp_path / "x", **settings)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "line", ["{}", '{"answers":1}', "[1]", '{"state":1}', '{"says":{"x":1}}', "x"]
)
def test_a_damaged_line_is_named(path, line):
    begun(path).close()
    add(path, line)
    size = path.stat().st_size
    with pytest.raises(ap.TranscriptError):
        ap.resume(path)
    assert path.stat().st_size == size


def test_an_answer_that_was_edited_is_found(path):
    with begun(path) as session:
        session.send(COUNT)
    edit(path, '{"answers":', '{"answers":1')
    with pytest.raises(ap.ReplayMismatch):
        ap.resume(path)


def test_a_live_session_makes_its_file_shorter(path):
    with begun(path) as session:
        said = [session.send(COUNT) for _ in range(50)]
        before, after = session.compact()
        assert after == path.stat().st_size < before
        assert session.send(COUNT) == said[0]
        assert session.compact()[1] < before
    with ap.resume(path) as again:
        assert again.last.number == 51
        assert again.send(COUNT) == said[0]
        again.close()
        with pytest.raises(ap.ProtocolError, match="over"):
            again.compact()


def test_a_guard_without_its_log_is_not_overwritten(path):
    begun(path).close()
    path.rename(path.with_name("moved"))
    with pytest.raises(ap.FileError, match="whose file is not here"):
        begun(path)
    assert not path.exists()


@pytest.mark.slow
def test_who_forgets_a_session_holds_nothing(path):
    begun(path).send(1)
    gc.collect()
    ap.resume(path).close()


def test_what_is_too_deep_to_be_read_is_refused_before_it_happens(path):
    deep = 0
    for _ in range(60):
        deep = ap.Pair(deep, 1)
    with begun(path, ap.Identifier(0) @ ap.ExtConComp()) as session:
        with pytest.raises(ap.AntiphonError):
            session.send(deep)
        assert not session.over
    ap.resume(path).close()
