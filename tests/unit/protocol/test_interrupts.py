"""Ctrl-C at any moment: a message has happened or it has not, and the session says which."""

import random
import signal

import pytest
from interrupting import interrupted

import antiphon as ap
from antiphon.composition import BasicFilter
from antiphon.protocol import RecordedCoins, ReplayedCoins, SampledCoins, identical

SEED = 11
RR, COUNTER = (
    ap.mechanisms.RandomizedResponse(epsilon=1),
    ap.mechanisms.TreeCounter(horizon=8, epsilon=1),
)
BUDGETED = ap.ExtConComp(budget=BasicFilter(epsilon=2))
ASKED = (
    ap.Create(COUNTER),
    ap.Create(RR),
    ap.Ask(1, 0),
    ap.Ask(0, 1),
    ap.Ask(1, 0),
    ap.Ask("count", 0),
)
GAME = ap.PrivacyGame(ap.ExtConComp(), ap.composition.sparse_parallel([(1, 0)])).mechanism(1)
SYSTEMS = {
    "a composition with a budget": (BUDGETED, ASKED),
    "the game": (GAME, tuple(map(ap.same, (*ASKED[:1], *ASKED[2:3], *ASKED[4:])))),
    "a counter": (COUNTER, (1, 0, 1, "count", 1)),
    "one answer, then HALT": (RR, (1, 0)),
}


def states(system, said):
    """The state and the answer after 0, 1, … messages, without an interrupt."""
    session = system.start(coins=SampledCoins(seed=SEED))
    found = [(session._now[0], None)]
    for message in said:
        answer = session.send(message)
        found.append((session._now[0], answer))
    return found


def stopped_at(system, said, place):
    """Play until an interrupt: (session, tape, what the caller has heard, whether it came)."""
    tape = RecordedCoins(SampledCoins(seed=SEED))
    session, heard = system.start(coins=tape, keep=True), []
    stopped = interrupted(place, lambda: heard.extend(map(session.send, said)))
    return session, tape, heard, stopped


def judge(session, tape, heard, system, said, expected):
    """What the session says happened did, and nothing else did; which case it is."""
    last = session.last
    number = 0 if last is None else last.number
    assert number - len(heard) in (0, 1)
    if last is not None:
        assert identical(last.message, said[number - 1])
        assert identical(last.answer, expected[number][1])
    state = session._now[0]
    assert state == expected[number][0]
    assert [each.answer for each in session.transcript] == [a for _, a in expected[1 : number + 1]]
    replayed = system.start(coins=ReplayedCoins(tape.take()))
    for message in said[:number]:
        replayed.send(message)
    assert replayed._now[0] == state
    assert replayed.last == last
    if session.over and session.failure is not None:
        assert isinstance(session.failure, KeyboardInterrupt)
        with pytest.raises(ap.ProtocolError):
            session.send(said[0])
        return "not answered, and over"
    for place in range(number, len(said)):  # it goes on as if nothing had been
        assert identical(session.send(said[place]), expected[place + 1][1])
    return "not answered" if number == len(heard) else "answered, and not heard"


@pytest.mark.every(4)
@pytest.mark.parametrize("name", SYSTEMS)
def test_an_interrupt_at_every_place_leaves_no_unknown_state(name):
    """Every place at which a signal can be delivered: thousands in all four."""
    system, said = SYSTEMS[name]
    expected, cases, place = states(system, said), {}, 0
    while True:
        place += 1
        session, tape, heard, stopped = stopped_at(system, said, place)
        if not stopped:
            break
        case = judge(session, tape, heard, system, said, expected)
        cases[case] = cases.get(case, 0) + 1
    print(name, place - 1, "interrupts:", cases)
    assert min(cases.get(each, 0) for each in ("not answered, and over", "not answered")) > 0
    assert cases.get("answered, and not heard", 0) >= len(said) - 1


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no interval timer on this system")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # in weakrefs
@pytest.mark.parametrize("times", [300, pytest.param(2000, marks=pytest.mark.slow)])
def test_real_interrupts_at_random_moments_leave_no_unknown_state(times):
    (system, said), dice, cases = SYSTEMS["a composition with a budget"], random.Random(3), {}
    expected = states(system, said)

    def ring(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, ring)
    try:
        while sum(cases.values()) < times:
            tape = RecordedCoins(SampledCoins(seed=SEED))
            session, heard, stopped = system.start(coins=tape, keep=True), [], False
            try:
                signal.setitimer(signal.ITIMER_REAL, 1e-6 + dice.random() * 3e-4)
                for message in said:
                    heard.append(session.send(message))
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                stopped = True
            if stopped:
                case = judge(session, tape, heard, system, said, expected)
                cases[case] = cases.get(case, 0) + 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    print(cases)


def test_last_is_nothing_at_first_and_shows_no_data():
    session = COUNTER.start(seed=1)
    assert session.last is None
    session.send(1)
    assert (session.last.number, session.last.message) == (1, 1)
    assert session.last.answer is ap.TOP
    assert repr(session.last) == "Last(number=1)"
    with pytest.raises(ap.InvalidArgument):
        session.send(7)
    assert session.last.number == 1


def test_a_step_that_fails_is_an_exchange_that_happened():
    @ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.BITS)
    def failing(state, message, coins):
        coins.bernoulli(0.5)
        raise ZeroDivisionError

    session = failing.start(keep=True)
    assert session.send(1) is ap.HALT
    assert (session.last.number, session.last.answer) == (1, ap.HALT)
    assert [each.answer for each in session.transcript] == [ap.HALT]


def test_a_step_that_sends_to_its_own_session_is_told():
    """Before, it waited for itself for ever."""
    sessions = []

    @ap.mechanism(queries=ap.spaces.Integers(), answers=ap.spaces.Integers())
    def recursive(state, message, coins):
        if message < 0:
            coins.bernoulli(0.5)
        return state, sessions[0].send(message)

    sessions.append(recursive.start())
    with pytest.raises(ap.ProtocolError, match="its own session"):
        sessions[0].send(1)
    assert sessions[0].last is None
    assert not sessions[0].over
    assert sessions[0].send(-1) is ap.HALT  # a coin was tossed: that is an outcome
    assert isinstance(sessions[0].failure, ap.ProtocolError)
    assert sessions[0].over
