"""The exact engine beside brute force, over random games: equal as Fractions."""

import math
from fractions import Fraction
from random import Random

import pytest
from random_games import drawn
from trying import sized

import antiphon as ap
from antiphon.numbers import exact

BATCH = 500


def agrees(seed):
    """δ, a moment and the range of a random game; whether f takes anything of its catalogue."""
    random = Random(seed)
    game = drawn(random, rounds=random.choice((3, 4, 4, 5)))
    question, brute, rounds = game.question, game.brute, game.rounds
    growth = random.choice((Fraction(1), Fraction(3, 2), Fraction(2)))
    try:
        found = question.solve(ap.Log(growth), rounds).delta
    except ap.InvalidArgument:  # f takes nothing of the catalogue
        return False
    assert found == brute.tight_delta(growth, rounds)
    if seed % 2:
        moment = question.tight_renyi(2, rounds).moment
        assert (math.inf if moment is None else moment) == brute.moment(2, rounds)
    else:
        span, least = brute.range(min(rounds, 4)), question.tight_range(min(rounds, 4))
        assert least == (math.inf if span == math.inf else exact.epsilon(ap.Log(span)))
    return True


def test_random_games():
    assert sum(map(agrees, range(sized(15, 30)))) >= sized(9, 20)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(30, 10_030, BATCH))
def test_ten_thousand_random_games(first):
    assert sum(map(agrees, range(first, first + BATCH))) >= BATCH * 2 // 3
