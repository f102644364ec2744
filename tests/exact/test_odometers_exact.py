"""The odometer of a live composition, against the best adversary who stops when they like."""

import math
from fractions import Fraction

import numpy as np
import pytest

import antiphon as ap
from antiphon.composition import sparse_parallel
from antiphon.mechanisms import RandomizedResponse
from antiphon.selfcheck.theorems import live_odometers as odometers
from antiphon.selfcheck.theorems.live_odometers import reading_at
from antiphon.sessions.spending.in_epsilon import loss_until_now
from antiphon.sessions.spending.locating import counted, find


def row(part):
    [check] = [each for each in odometers.checks() if part in each.instance]
    return check.run()


@pytest.mark.slow
def test_what_did_not_differ_costs_nothing_and_nothing_less_would_do():
    """Two walks: nobody's loss is above Σε of what differed; a thousandth less is too little."""
    assert odometers.walks().holds
    assert not odometers.walks(lambda found: less(reading_at(Fraction(0))(found))).holds


def less(reading):
    return max(Fraction(0), reading - Fraction(1, 1000))


@pytest.mark.slow
def test_a_delta_breaks_it():
    """All three are there to be chosen from: 1 - (3/4)³, where 1/4 would be promised."""
    found = row("what differed counts: 1 of 3")
    assert found.evidence.tight == (1 - Fraction(3, 4) ** 3,)
    assert found.as_expected
    assert row("all that was created counts").as_expected


def test_of_an_epsilon_delta_it_bounds_the_excess_and_not_the_loss():
    excess, loss = row("Σ(P - e^reading·Q)"), row("P(loss > reading)")
    assert (excess.evidence.tight, loss.evidence.tight) == ((Fraction(1, 10),), (Fraction(11, 20),))
    assert excess.as_expected
    assert loss.as_expected


EACH, TIMES, DELTA = 0.2, 120, Fraction(3, 5)


def test_many_that_differ_among_many_that_do_not():
    """The reading of the session itself, where the mixture is below Σε; half of δ is its slack."""
    f = sparse_parallel([(EACH, 0)] * TIMES)
    game = ap.PrivacyGame(ap.ExtConComp(), f).mechanism(0)
    session, readings = game.start(seed=1), []
    for number in range(TIMES):
        for _ in range(2):
            session.send(ap.same(ap.Create(RandomizedResponse(epsilon=EACH))))
        session.send(ap.Pair(ap.Ask(0, 2 * number), ap.Ask(1, 2 * number)))
        found = find(game, session._now[0])
        readings.append(loss_until_now(found, counted(found), DELTA))
    assert readings[-1] < EACH * TIMES / 2
    assert 1e-4 < crossing(readings) <= DELTA / 2
    assert crossing([reading / 2 for reading in readings]) > DELTA / 2


def crossing(bounds):
    """Pr[the loss of RR_ε, RR_ε, … ever exceeds its bound], up to double round-off."""
    truth, law, gone = 1 / (1 + math.exp(-EACH)), np.zeros(2 * TIMES + 3), 0.0
    losses = (np.arange(2 * TIMES + 3) - TIMES - 1) * EACH
    law[TIMES + 1] = 1
    for bound in bounds:
        law = np.concatenate([[0], law[:-1]]) * truth + np.concatenate([law[1:], [0]]) * (1 - truth)
        over = losses > bound + 1e-9
        gone += law[over].sum()
        law[over] = 0
    return gone
