"""Sessions: locked, not copied, not carried through a fork."""

import copy
import os
import pickle
import threading

import pytest
from strategies import adder, breakable

import antiphon as ap
from antiphon.mechanisms import TreeCounter
from antiphon.protocol import Exchange, SampledCoins

THREADS, SENDS = 8, 400


def together(work):
    """Runs work(i) in THREADS threads at once; raises what any of them raised."""
    barrier, failures = threading.Barrier(THREADS), []

    def run(i):
        barrier.wait()
        try:
            work(i)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_threads_lose_and_double_no_step():
    session, heard = adder.start(keep=True), [[] for _ in range(THREADS)]

    def work(i):
        for _ in range(SENDS):
            heard[i].append(session.send(1))

    together(work)
    answers = sorted(answer for each in heard for answer in each)
    assert answers == list(range(1, THREADS * SENDS + 1))
    assert all(each == sorted(each) for each in heard)
    assert [exchange.answer for exchange in session.transcript] == answers


def test_threads_share_one_stream_of_coins():
    """A slow step gives every other thread the chance to get between."""
    coins, active = SampledCoins(seed=0), []

    @ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.Integers())
    def slow(state, message, coins):
        active.append(1)
        value = coins.uniform_integer(2**60)
        for _ in range(50):
            pass
        assert active == [1]
        active.pop()
        return state, value

    session, heard = slow.start(coins=coins), []
    together(lambda i: heard.extend(session.send(0) for _ in range(50)))
    fresh = SampledCoins(seed=0)
    assert sorted(heard) == sorted(fresh.uniform_integer(2**60) for _ in range(50 * THREADS))
    assert coins.draws == 50 * THREADS


def test_only_one_thread_hears_the_last_answer():
    session, heard = TreeCounter(horizon=100, epsilon=1).start(), []

    def work(i):
        for _ in range(SENDS):
            try:
                heard.append(session.send(1))
            except ap.InvalidArgument:
                return

    together(work)
    assert heard == [ap.TOP] * 100


def test_copies_are_refused():
    session = adder.start()
    for act in (copy.copy, copy.deepcopy, pickle.dumps, lambda s: s.__reduce__()):
        with pytest.raises(TypeError):
            act(session)
    with pytest.raises(TypeError):
        copy.deepcopy([session])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_after_a_fork_the_child_refuses_and_the_parent_goes_on():
    session = adder.start()
    session.send(1)
    session._lock.acquire()  # as if another thread were in the middle of a step
    child = os.fork()
    if child == 0:
        try:
            session.send(1)
        except ap.ProtocolError as error:
            os._exit(0 if "fork" in str(error) else 2)
        except BaseException:
            os._exit(3)
        os._exit(1)
    _, status = os.waitpid(child, 0)
    session._lock.release()
    assert os.waitstatus_to_exitcode(status) == 0
    assert session.send(1) == 2


def test_over_and_why():
    session = ap.mechanisms.RandomizedResponse(epsilon=1).start()
    assert session.why_halted is None
    assert not session.over
    session.send(0)
    assert session.send(0) is ap.HALT
    assert session.over
    assert session.why_halted == "the mechanism halted"
    with pytest.raises(ap.ProtocolError, match="over"):
        session.send(0)


def test_transcripts_are_kept_only_on_request():
    session = adder.start()
    session.send(1)
    for look in (lambda: session.transcript, session.public):
        with pytest.raises(ap.ProtocolError):
            look()
    kept = adder.start(keep=True)
    kept.send(1)
    assert kept.transcript == (Exchange(1, 1, True),)


def test_a_started_mechanism_has_the_chosen_initial_state():
    with pytest.raises(ap.InvalidArgument):
        adder.start(5)
    with pytest.raises(ap.InvalidArgument):
        ap.PrivacyGame(adder, ap.verifiers.event_level()).interactive.start()


def test_sessions_of_one_mechanism_are_independent():
    one, other = adder.start(), adder.start()
    assert [one.send(1), one.send(1), other.send(1)] == [1, 2, 1]
    assert breakable.start(seed=1).send(0) == breakable.start(seed=1).send(0)


def test_an_error_of_a_step_ends_the_session_for_every_thread():
    session, outcomes = breakable.start(), []

    def work(i):
        try:
            outcomes.append(session.send(3))
        except ap.ProtocolError:
            outcomes.append("over")

    together(work)
    assert sorted(map(str, outcomes)) == ["halt"] + ["over"] * (THREADS - 1)


def test_repr_says_that_a_step_failed_and_where_to_look():
    def seen(thing):
        return repr(thing)

    alone = breakable.start(seed=1)
    alone.send(2)
    assert seen(alone) == "<Session of breakable, a step failed; see session.failure>"
    together = ap.ConComp([breakable, breakable]).start(seed=1)
    assert "failed" not in seen(together)
    together.send(ap.Ask(2, 0))
    assert seen(together).endswith(", live; steps of 1 part(s) failed, see session.failures>")
    for system, message in [(breakable, 2), (ap.ConComp([breakable]), ap.Ask(2, 0))]:
        view = ap.interact(ap.scripted([message]), system, seed=1)
        assert len(view.failures) == 1
        assert "; 1 failed step(s), see view.failures; " in seen(view)
        assert "failed before" not in seen(view)  # what was raised may hold data
    assert "failed step" not in seen(ap.interact(ap.scripted([0]), breakable, seed=1))


def test_a_transcript_that_was_kept_is_saved_as_a_view(tmp_path):
    from antiphon.mechanisms import COUNT, TreeCounter

    session = TreeCounter(horizon=8, epsilon=1).start(seed=1, keep=True)
    heard = [session.send(message) for message in (1, COUNT, 0, COUNT)]
    view = ap.View.of(session)
    assert list(view.answers) == heard
    assert view.header.seeded
    view.save(tmp_path / "view")
    again = ap.View.load(tmp_path / "view")
    assert again.answers == view.answers
    assert ap.replay(again).complete
    with pytest.raises(ap.ProtocolError, match="keep=True"):
        ap.View.of(TreeCounter(horizon=8, epsilon=1).start())
