"""Law 6: check, then charge, then draw, then answer.

Budgets and filters belong to the part that builds ``composition.accounting``; what can
be held today: a verifier checks before anything is drawn, a message that fails
after a draw stays spent, and the error that budgets will raise says all it must.
"""

from fractions import Fraction

import pytest

import antiphon as ap
from antiphon.composition import sparse_parallel
from antiphon.mechanisms import LeakyBit
from antiphon.protocol import RecordedCoins, SampledCoins

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
