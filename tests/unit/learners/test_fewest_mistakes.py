"""The fewest mistakes of any private learner, for few rounds, beside the lower bound."""

import re
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from trying import over

import antiphon as ap
from antiphon.learners.littlestone import BLANK, HIT, mistakes_lower_bound
from antiphon.learners.patterns import fewest_mistakes
from antiphon.learners.patterns.leaving_learners import (
    LeavingLaw,
    falling,
    finite_learner,
    stream,
    streams,
)
from antiphon.protocol.coins.sampled import generator

CLAIM = {"delta": Fraction(1, 1000), "beta": Fraction(1, 10)}
GROWTH = Fraction(3, 2)


def worst(staying, rounds):
    """The largest expected number of mistakes on a stream, of the learner with this table."""
    law, times = LeavingLaw(staying, rounds), range(1, rounds + 1)
    every = (hits for n in times for hits in combinations(times, n))
    return max(law.mistakes(hits).value for hits in every)


def delta_of(staying, rounds):
    learner = finite_learner(staying)
    game = ap.PrivacyGame(learner, learner.verification)
    return game.tight_delta(epsilon=ap.Log(GROWTH), rounds=rounds, queries=[BLANK, HIT])


@pytest.mark.parametrize("rounds", [2, 4])
def test_a_learner_attains_it(rounds):
    fewest, law = fewest_mistakes(rounds, epsilon=ap.Log(GROWTH), **CLAIM)
    staying = falling(law, rounds, CLAIM["beta"])
    assert delta_of(staying, rounds) == pytest.approx(float(CLAIM["delta"]), abs=1e-5)
    assert float(worst(staying, rounds)) == pytest.approx(fewest, abs=1e-5)


@over("seed", range(3))
def test_no_learner_makes_fewer(seed):
    """Random learners, each beside the fewest at its own δ and β."""
    rounds, random = 3, generator(seed)
    table = np.ones(streams(rounds))
    for number in range(1, streams(rounds)):
        table[number] = table[(number - 1) // 2] * random.integers(3, 11) / 10
    staying = falling(table, rounds, Fraction(1))
    claim = {"delta": delta_of(staying, rounds), "beta": 1 - staying[stream((), rounds - 1)]}
    fewest, _ = fewest_mistakes(rounds, epsilon=ap.Log(GROWTH), **claim)
    bound = mistakes_lower_bound(rounds, epsilon=ap.Log(GROWTH), **claim)
    assert bound - 1e-6 <= fewest <= float(worst(staying, rounds)) + 1e-6


def test_two_rounds_are_tight():
    for epsilon in (Fraction(1, 10), 1):
        bound = mistakes_lower_bound(2, epsilon=epsilon, **CLAIM)
        assert fewest_mistakes(2, epsilon=epsilon, **CLAIM)[0] == pytest.approx(bound, abs=1e-6)


@pytest.mark.slow
def test_the_table_of_the_page():
    page = (Path(__file__).parents[3] / "docs/mistakes.md").read_text()
    rows = re.findall(r"^\| (\d) \| ([\d. /|]+) \|$", page, re.MULTILINE)
    assert len(rows) == 8
    for rounds, cells in rows:
        for epsilon, cell in zip((0.1, ap.Log(GROWTH), 1), cells.split(" | "), strict=True):
            least, bound = map(float, cell.split(" / "))
            fewest, _ = fewest_mistakes(int(rounds), epsilon=epsilon, **CLAIM)
            proved = mistakes_lower_bound(int(rounds), epsilon=epsilon, **CLAIM)
            assert abs(fewest - least) < 6e-4
            assert bound <= proved < bound + 1e-3 + 1e-9
            assert proved <= fewest + 1e-6


@over("rounds", [0, 9, 2.5])
def test_bad_rounds(rounds):
    with pytest.raises(ap.InvalidArgument, match="rounds"):
        fewest_mistakes(rounds, epsilon=1, **CLAIM)
