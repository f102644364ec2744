"""Law 6: check, then charge, then draw, then answer.

A verifier checks before anything is drawn, a message that fails after a draw stays spent,
and a budget is charged before anything runs; what it refuses is answered, and leaves the
rest of it usable.
"""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import antiphon as ap
from antiphon import Claim, Log
from antiphon.composition import (
    BasicFilter,
    Odometer,
    Refusal,
    WhitehouseFilter,
    adaptive_parameters,
    sparse_parallel,
)
from antiphon.mechanisms import LeakyBit, RandomizedResponse, TreeCounter
from antiphon.protocol import RecordedCoins, SampledCoins, Status

CREATE = ap.same(ap.Create(LeakyBit(delta=0.1)))
DIFFER = ap.Pair(ap.Ask(0, 0), ap.Ask(1, 0))


def test_nothing_is_drawn_for_what_is_refused():
    game = ap.PrivacyGame(ap.ExtConComp(), sparse_parallel([])).mechanism(0)
    coins = RecordedCoins(SampledCoins(seed=0))
    session = game.start(coins=coins)
    session.send(CREATE)
    assert session.send(DIFFER) is ap.HALT
    assert coins.take() == ()


def test_a_parameter_stays_spent_when_the_child_fails_after_its_draw():
    space = LeakyBit(delta=0.1).signature
    claims = LeakyBit(delta=0.1).claims

    @ap.mechanism(queries=space.queries, answers=space.answers, claims=claims)
    def failing(state, message, coins):
        coins.bernoulli(0.5)
        raise RuntimeError

    game = ap.PrivacyGame(ap.ExtConComp(), sparse_parallel([(0, 0.1)])).mechanism(0)
    state = game.initial_state
    for message in (ap.same(ap.Create(failing)), CREATE):
        state, _ = game.step(state, message, SampledCoins(seed=0))
    spent, answer = game.step(state, DIFFER, SampledCoins(seed=0))
    assert answer is ap.HALT
    other = ap.Pair(ap.Ask(0, 1), ap.Ask(1, 1))
    assert game.step(state, other, SampledCoins(seed=0))[1] is not ap.HALT
    refused, answer = game.step(spent, other, SampledCoins(seed=0))
    assert answer is ap.HALT
    assert "left" in game.why_halted(refused)
    alike = ap.same(ap.Ask(0, 1))  # what costs nothing is still answered
    assert game.step(spent, alike, SampledCoins(seed=0))[1] is not ap.HALT


def test_the_error_of_budgets_names_requested_spent_and_remaining():
    error = ap.BudgetExceeded(Fraction(1), Fraction(3, 2), Fraction(1, 2))
    assert (error.requested, error.spent, error.remaining) == (1, Fraction(3, 2), Fraction(1, 2))
    assert all(text in str(error) for text in ("1", "3/2", "1/2"))
    with pytest.raises(ap.AntiphonError):
        raise error


# --- budgets --------------------------------------------------------------------------------


def response(epsilon, delta=0):
    return ap.Create(RandomizedResponse(epsilon=epsilon, delta=delta))


def test_a_refusal_is_an_answer_and_leaves_the_budget_usable():
    coins = RecordedCoins(SampledCoins(seed=0))
    session = ap.ExtConComp(budget=BasicFilter(epsilon=1)).start(coins=coins)
    assert session.send(response(0.7)) is ap.TOP
    refusal = session.send(response(0.4))
    assert type(refusal) is Refusal
    assert (refusal.requested, refusal.spent, refusal.remaining) == (
        (Fraction(2, 5), 0), (Fraction(7, 10), 0), (Fraction(3, 10), 0))  # fmt: skip
    assert session.send(response(0.3)) is ap.TOP
    assert type(session.send(response(0.001))) is Refusal
    assert coins.take() == ()  # nothing has run
    assert session.send(ap.Ask(0, 1)) is ap.HALT  # the refused one
    assert session.send(ap.Ask(0, 2)) is not ap.HALT
    assert session.failures == ()


def test_what_fails_while_it_runs_stays_charged():
    claims = RandomizedResponse(epsilon=Log(2)).claims
    space = RandomizedResponse(epsilon=Log(2)).signature

    @ap.mechanism(queries=space.queries, answers=space.answers, claims=claims)
    def failing(state, message, coins):
        coins.bernoulli(0.5)
        raise RuntimeError

    session = ap.ExtConComp(budget=BasicFilter(epsilon=Log(4))).start(seed=0)
    assert session.send(ap.Create(failing)) is ap.TOP
    assert session.send(ap.Ask(0, 0)) is ap.HALT
    assert isinstance(session.failures[0], RuntimeError)
    assert session.send(response(Log(2))) is ap.TOP
    assert type(session.send(response(Log(2)))) is Refusal


def test_what_cannot_be_charged_is_refused_before_anything():
    unclaimed = ap.mechanism(queries=ap.spaces.BITS, answers=ap.spaces.BITS)(lambda s, m, c: (s, m))
    refuted = ap.mechanism(
        queries=ap.spaces.BITS,
        answers=ap.spaces.BITS,
        claims=(Claim(response(1).claim.measure, adaptive_parameters(), Status.REFUTED, ""),),
    )(lambda s, m, c: (s, m))
    session = ap.ExtConComp(budget=BasicFilter(epsilon=1)).start()
    for mechanism in (unclaimed, refuted):
        with pytest.raises(ap.InvalidArgument, match="budget"):
            session.send(ap.Create(mechanism))
    assert session.send(response(1)) is ap.TOP  # index 0, and nothing was spent


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 5)), max_size=12), st.integers(1, 12))
def test_creations_and_questions_interleave(script, limit):
    """The budget is what the creations alone spend, whatever is asked between them."""
    budget = BasicFilter(epsilon=Fraction(limit, 4))
    session = ap.ExtConComp(budget=budget).start(seed=0)
    answers, spent = [], Fraction(0)
    for index, size in script:
        if index < len(answers):
            answer = session.send(ap.Ask(1, index))
            assert (answer is ap.HALT) or answers[index] is ap.TOP
        create = ap.Create(TreeCounter(horizon=99, epsilon=Fraction(size, 4)))
        answers.append(session.send(create))
        fits = spent + Fraction(size, 4) <= Fraction(limit, 4)
        assert (answers[-1] is ap.TOP) is fits
        spent += Fraction(size, 4) if fits else 0
        if fits:
            assert session.send(ap.Ask(1, len(answers) - 1)) is ap.TOP


def test_behind_a_verifier_a_refusal_does_not_halt_and_replays(tmp_path):
    game = ap.PrivacyGame(
        ap.ExtConComp(budget=WhitehouseFilter(epsilon=1, delta=0.01)), adaptive_parameters()
    )
    script = [
        *map(ap.same, (response(0.2), response(0.9), response(0.1, 0.001))),
        ap.Pair(ap.Ask(0, 0), ap.Ask(1, 0)), ap.same(ap.Ask(0, 1)),
        ap.Pair(ap.Ask(0, 2), ap.Ask(1, 2)),
    ]  # fmt: skip
    adversary = ap.scripted(script)
    view = game.play(adversary, bit=1, seed=3, sink=tmp_path / "view.jsonl")
    kinds = [type(answer) for answer in view.answers]
    assert kinds[:3] == [ap.protocol.Signal, Refusal, ap.protocol.Signal]
    assert view.answers[4] is ap.HALT
    assert view.answers[5] is not ap.HALT
    assert ap.replay(ap.View.load(tmp_path / "view.jsonl"), adversary).complete


def test_the_verifier_of_a_budget_checks_every_created_mechanism():
    game = ap.PrivacyGame(ap.ExtConComp(budget=BasicFilter(epsilon=9)), adaptive_parameters())
    laplace = ap.Create(ap.mechanisms.Laplace(epsilon=1))
    assert game.play(ap.scripted([ap.same(laplace)]), bit=0).answers == (ap.HALT,)
    again = ap.same(ap.Ask(0, 0)), ap.Pair(ap.Ask(0, 0), ap.Ask(1, 0))  # not f_∼-valid
    view = game.play(ap.scripted([ap.same(response(1)), *again]), bit=0, seed=0)
    assert view.answers[-1] is ap.HALT
    assert "not valid" in view.why_halted


def test_an_odometer_never_refuses():
    odometer = Odometer(delta=0.1)
    session = ap.ExtConComp(budget=odometer).start()
    creations = [response(1, 0.01)] * 20
    assert [session.send(each) for each in creations] == [ap.TOP] * 20
    assert odometer.reading(odometer.after(creations)).epsilon == float("inf")
    assert odometer.reading(odometer.after(creations[:5])).epsilon == 5
