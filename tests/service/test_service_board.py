"""The mechanism of the service: what it promises, and that it keeps the three properties."""

from fractions import Fraction

import attrs
import pytest
from flying import board, machine
from hypothesis import strategies as st

import antiphon as ap
from antiphon import BOTTOM, TOP
from antiphon.audit import search_properties
from antiphon.composition import BasicFilter, Refusal, WhitehouseFilter
from antiphon.protocol import in_turn
from antiphon.service.event_counters import EventCounters, counts
from antiphon.service.spending import Spending

HALF = Fraction(1, 2)
WATCHES = [("UA", "", "", HALF), ("", "JFK", 15, HALF), ("", "", "", Fraction(1))]
FLIGHTS = [("UA", "JFK", 20), ("AA", "LGA", -5), ("UA", "EWR", 15)]
BATCHES = [(FLIGHTS[0],), (FLIGHTS[1],), tuple(FLIGHTS[:2]), (FLIGHTS[1], FLIGHTS[2])]


def sent(said):
    return ("who", "key", said)


@pytest.mark.parametrize(
    "budget",
    [BasicFilter(epsilon=2), WhitehouseFilter(epsilon=2, delta=1e-6)],
    ids=["basic", "many small"],
)
def test_it_promises_what_its_budget_does(budget):
    promise = ap.guarantee(board(budget))
    assert promise.status.value == "proved"
    assert promise.epsilon_at(budget.delta) <= 2
    assert "CM Thm 6.1" in str(promise)


def test_it_counts_what_was_asked_for():
    session = board(BasicFilter(epsilon=4), horizon=3).start(seed=1)
    assert [session.send(sent(each)) for each in WATCHES] == [0, 1, 2]
    assert session.send(sent(BATCHES[2])) is TOP
    assert type(session.send(sent(0))) is int
    assert session.send(sent(3)) is BOTTOM
    assert [counts(WATCHES[0], each) for each in FLIGHTS] == [1, 0, 1]
    assert [counts(WATCHES[1], each) for each in FLIGHTS] == [1, 0, 0]
    assert counts(("", "EWR", 15, HALF), FLIGHTS[2]) == 1
    assert session.send(sent(tuple(FLIGHTS))) is TOP  # past the horizon: it is full
    assert type(session.send(sent(0))) is int


def test_what_a_counter_hears_is_what_it_counts():
    heard = []

    def answers(message):
        heard.append(message)
        return TOP

    made = machine(BasicFilter(epsilon=4), horizon=2)
    state = made.initial_state
    for said in (WATCHES[0], BATCHES[2], WATCHES[1], BATCHES[3], (FLIGHTS[0],)):
        live, answer = made.exchange(state, sent(said)), None
        while True:
            try:
                answer = answers(live.send(answer))
            except StopIteration as ended:
                state = ended.value[0]
                break
    asked = [(each.query, each.index) for each in heard if type(each) is ap.Ask]
    assert asked == [(1, 0), (0, 0), (0, 1), (0, 1)]
    assert state == (5, ((WATCHES[0], 0), (WATCHES[1], 2)))


def test_what_does_not_fit_is_no_counter():
    session = board(BasicFilter(epsilon=1)).start(seed=1)
    said = [session.send(sent(each)) for each in (WATCHES[2], WATCHES[0])]
    assert (said[0], type(said[1])) == (0, Refusal)
    assert [session.send(sent(each)) for each in (1, 2)] == [BOTTOM, BOTTOM]
    assert session.send(sent(BATCHES[0])) is TOP


MESSAGES = st.sampled_from([sent(each) for each in (*WATCHES, *BATCHES, 0, 1, 5)])
REFUSAL = Refusal((HALF, 0), (HALF, 0), (0, 0))


def answers(message, created):
    if type(message) is ap.Ask:
        return st.sampled_from([TOP, 3, -4, ap.HALT])
    return st.sampled_from([TOP, REFUSAL])


def violation(processor):
    lifting = processor.lifting
    return search_properties(
        processor, lifting.outer, lifting.inner, queries=MESSAGES, answers=answers, rounds=30,
        examples=300,
    )  # fmt: skip


@attrs.frozen(kw_only=True)
class OnlyWhatCounts(EventCounters):
    """Wrong: a flight goes only to the counters that count it."""

    def _each(self, counters, came, flight):
        for ask in EventCounters._each(self, counters, came, flight):
            if ask.query:
                yield ask


@attrs.frozen(kw_only=True)
class Telling(EventCounters):
    """Wrong: it says how many flights of a batch were late."""

    def exchange(self, state, message):
        after, answer = yield from EventCounters.exchange(self, state, message)
        batch = message[2] if after[0] > state[0] else ()
        return after, sum(each[2] > 0 for each in batch) or answer


@attrs.frozen(kw_only=True)
class Twice(EventCounters):
    """Wrong: a counter hears of a flight twice."""

    def _each(self, counters, came, flight):
        for ask in EventCounters._each(self, counters, came, flight):
            yield ask
            yield ask


@attrs.frozen(kw_only=True)
class UntilFull(EventCounters):
    """Wrong: a counter is full by what it has counted."""

    def _each(self, counters, came, flight):
        yield from in_turn(())
        for ask in EventCounters._each(self, counters, came, flight):
            if flight[2] > 0 or came < 2:
                yield ask


@pytest.mark.slow
def test_no_two_neighbouring_streams_break_its_properties():
    assert violation(machine(horizon=3)) is None


@pytest.mark.every(4)
@pytest.mark.parametrize("wrong", [OnlyWhatCounts, Telling, Twice, UntilFull])
def test_what_would_break_them_is_found(wrong):
    twin = machine(kind=wrong, horizon=30)
    assert violation(twin) is not None
    promise = ap.guarantee(twin @ ap.ExtConComp(budget=twin.budget))
    assert promise.status.value == "assumed"  # the word of EventCounters is not theirs


def test_a_verifier_lets_one_flight_differ():
    f = machine().lifting.outer
    one, other = sent(BATCHES[2]), sent((FLIGHTS[2], FLIGHTS[1]))
    assert f([ap.same(sent(WATCHES[0])), ap.Pair(one, other), ap.same(sent(0))]) is TOP
    assert f([ap.Pair(one, other)] * 2) is BOTTOM
    assert f([ap.Pair(one, sent(BATCHES[0]))]) is BOTTOM  # how many flights came is public
    assert f([ap.Pair(one, sent(BATCHES[3]))]) is BOTTOM  # two flights differ
    assert f([ap.Pair(sent(0), sent(1))]) is BOTTOM
    assert f([ap.Pair(one, ("who", "other", BATCHES[2]))]) is BOTTOM
    assert f([ap.Pair(sent(WATCHES[0]), sent(WATCHES[1]))]) is BOTTOM


@pytest.mark.slow
def test_an_auditor_does_not_refute_it():
    system = board(BasicFilter(epsilon=1), horizon=1)
    f = system.links[0].lifting.outer
    pair = ap.Pair(sent((FLIGHTS[0],)), sent((FLIGHTS[1],)))
    watch = ("UA", "", "", Fraction(1))
    asked = ap.scripted([ap.same(sent(watch)), pair, ap.same(sent(0))])
    game = ap.PrivacyGame(system, f)
    found = [
        game.audit(asked, epsilon=each, delta=0, samples=8000, confidence=0.999999, seed=1).refuted
        for each in (1, Fraction(1, 2))
    ]
    assert found == [False, True]


@pytest.mark.parametrize(
    ("budget", "creations", "words", "percent"),
    [
        (BasicFilter(epsilon=2), 3, "ε = 1.5 of 2 is spent, 0.5 remains", 75),
        (BasicFilter(epsilon=3), 2, "ε = 1 of 3 is spent, 2 remains", 34),
        (
            BasicFilter(epsilon=Fraction(7, 3)),
            1,
            "ε = 0.5 of 2.33334 is spent, 1.83333 remains",
            22,
        ),
        (BasicFilter(epsilon=2), 9, "ε = 2 of 2 is spent, 0 remains", 100),
        (
            WhitehouseFilter(epsilon=4, delta=1e-6),
            1,
            "ρ = 0.125 of 0.243193 is spent, 0.118192 remains",
            52,
        ),
    ],
    ids=["three quarters", "a third", "no decimal", "all", "many small"],
)
def test_the_budget_is_told_in_words(budget, creations, words, percent):
    session = board(budget).start(seed=1)
    for _ in range(creations):
        session.send(sent(WATCHES[0]))
    spending = Spending.of(session)
    assert spending.words.startswith(words)
    assert spending.percent == percent
    in_epsilon = "; at δ = 1e-06, ε = 2.4191 of 3.58687 is spent, 1.16777 remains"
    assert spending.words.endswith(in_epsilon) is (type(budget) is WhitehouseFilter)
    assert spending.share(0) == ("ρ 0.125" if type(budget) is WhitehouseFilter else "ε 0.5")
    charged = session._now[0][1].spent  # what the composition has charged itself
    shown = spending.data()
    assert shown["spent"] == [*map(str, budget.spent(charged))]
    assert shown["remaining"] == [*map(str, budget.remaining(charged))]
