"""Mistakes of finite learners, in Fractions: name and shame, and the lemma of the lower bound."""

import functools
import itertools
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from trying import over, sized

import antiphon as ap
from antiphon import Log, outcomes
from antiphon.learners.littlestone import BLANK, HIT, FiniteLearner, Halving, NameAndShame
from antiphon.learners.littlestone.mistake_learner import mistaken
from antiphon.learners.mistakes import (
    FiniteLaw,
    KnownLaw,
    every_round,
    hard_sequence,
    worst_sequence,
)

TENTH = Fraction(1, 10)
NAMES = NameAndShame(delta=TENTH)
ROUNDS = 7
RATIO = Fraction(3, 2)


def brute(learner, samples):
    """{(hypotheses f̂_1, …, f̂_T): probability}, by every outcome of every draw."""

    def run(coins):
        state, told = learner.initial_state, [0]
        for sample in samples:
            state, answer = learner.step(state, sample, coins)
            told.append(answer)
        return tuple(told[:-1])

    law = {}
    for chance, told in outcomes(run):
        law[told] = law.get(told, 0) + chance
    return law


def stream(hits, rounds):
    return [HIT if t in hits else BLANK for t in range(1, rounds + 1)]


# --- name and shame -------------------------------------------------------------------------------


@over("rounds", range(1, 9))
@over("delta", [TENTH, Fraction(1, 3)])
def test_name_and_shame_is_tight_at_delta(rounds, delta):
    """At ε = 0, and at any other: who is named is named."""
    learner = NameAndShame(delta=delta)
    game = ap.PrivacyGame(learner, learner.verification)
    assert game.tight_delta(epsilon=0, rounds=rounds) == delta
    assert game.tight_delta(epsilon=Log(100), rounds=rounds) == delta


def test_of_three_points_it_is_as_tight():
    learner = NameAndShame(delta=TENTH, points=2)
    game = ap.PrivacyGame(learner, learner.verification)
    assert game.tight_delta(epsilon=0, rounds=3) == TENTH


def test_its_leak_is_a_view_that_replays():
    """The best adversary stands ⊥ against a sample, and sees it named with probability δ."""
    game = ap.PrivacyGame(NAMES, NAMES.verification)
    best = game.best_adversary(epsilon=0, rounds=2)
    views = [[game.play(best, bit=bit, seed=seed) for seed in range(100)] for bit in (0, 1)]
    named = [[view for view in each if any(view.answers)] for each in views]
    assert sorted(map(bool, named)) == [False, True]
    bit = 0 if named[0] else 1
    leak = named[bit][0]
    assert ap.replay(leak, best).answers == leak.answers
    recording = ap.record(best, game.mechanism(bit), seed=views[bit].index(leak))
    assert ap.replay(recording, best, game.mechanism(bit)).answers == leak.answers


@pytest.mark.parametrize("rounds", [1, 2, 5, 40])
def test_its_mistakes_have_a_closed_form(rounds):
    expected = (1 - (1 - TENTH) ** rounds) / TENTH
    assert FiniteLaw(NAMES, rounds).mistakes(every_round(rounds)).value == expected
    assert NAMES.expected_mistakes(rounds) == pytest.approx(float(expected), rel=1e-12)


# --- exact laws -----------------------------------------------------------------------------------


def table(seed, states=3, unit=32):
    """A random learner that mostly stays where it is, and minds a sample little."""
    draw = np.random.default_rng(seed).integers
    labels = (0, *draw(0, 2, states - 1).tolist())
    rows = []
    for state in range(states):
        law = np.bincount(draw(0, states, unit // 8), minlength=states)
        law[state] += unit - law.sum()
        laws = []
        for _ in range(3):
            moved = law.copy()
            for source, target in draw(0, states, (draw(0, 4), 2)).tolist():
                if moved[source]:
                    moved[source] -= 1
                    moved[target] += 1
            laws.append(tuple(Fraction(int(each), unit) for each in moved))
        rows.append(tuple(laws))
    return FiniteLearner(labels=labels, table=tuple(rows))


LEARNERS = [NAMES, Halving(), table(1), table(2), table(3)]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda each: type(each).__name__)
def test_a_law_is_that_of_all_outcomes(learner):
    rounds = 4
    law = FiniteLaw(learner, rounds)
    costs = law.every()
    for number, bits in enumerate(itertools.product((0, 1), repeat=rounds)):
        hits = tuple(t for t, bit in enumerate(bits, 1) if bit)
        found = brute(learner, stream(hits, rounds))
        errors = {told: sum(map(mistaken, told, stream(hits, rounds))) for told in found}
        mean = sum(chance * errors[told] for told, chance in found.items())
        assert law.mistakes(hits).value == costs[number] == mean
        assert law.distribution(hits) == tuple(
            sum(chance for told, chance in found.items() if errors[told] == m)
            for m in range(len(hits) + 1)
        )
        for time in range(rounds + 1):
            gone = sum(chance for told, chance in found.items() if any(told[:time]))
            assert law.left(hits, [time]) == [gone]
    worst = worst_sequence(law)
    assert worst.mistakes.value == max(costs) == law.mistakes(worst.hits).value
    assert worst.tied == costs.count(max(costs))


def test_long_denominators_are_listed_by_python_integers():
    learner = NameAndShame(delta=Fraction(1, 10**9))
    law = FiniteLaw(learner, 8)
    assert law.every()[-1] == law.mistakes(every_round(8)).value


def test_the_law_in_doubles_is_that_in_fractions():
    exact, known = FiniteLaw(NAMES, 30), KnownLaw(NAMES, 30)
    for hits in ((), (1,), (3, 4, 9, 30), every_round(30), range(4, 9)):
        assert known.mistakes(hits).value == pytest.approx(float(exact.mistakes(hits).value))
        pairs = zip(known.left(hits, range(31)), exact.left(hits, range(31)), strict=True)
        assert all(near == pytest.approx(float(true)) for near, true in pairs)


# --- the lemma ------------------------------------------------------------------------------------


@functools.lru_cache
@cache
def hard_learners():
    """(law, tight δ at ε = ln 3/2, hard sequence) of random learners that are concentrated."""
    found, seed = [], 0
    while len(found) < sized(24, 40):
        learner, seed = table(seed), seed + 1
        law = FiniteLaw(learner, ROUNDS)
        if law.concentration().value > Fraction(1, 2):
            continue
        game = ap.PrivacyGame(learner, learner.verification)
        delta = game.tight_delta(epsilon=Log(RATIO), rounds=ROUNDS, queries=[BLANK, HIT])
        found.append((law, delta, hard_sequence(law)))
    return found


def fewer(law, hard):
    """P(fewer mistakes than samples (1, 1))."""
    return sum(law.distribution(hard.hits)[: len(hard.hits)])


def test_the_lemma_holds_for_random_learners():
    """q_{i+1} <= 3/4 q_i + δ/2 and P(< k) <= 3q_0 + 2kδ; that is below 1 for most of them."""
    tell = 0
    for law, delta, hard in hard_learners():
        assert len(hard.hits) == 3  # ⌊log₂(T+1)⌋
        for before, m, after in zip(hard.kept, hard.leaving, hard.kept[1:], strict=False):
            assert m <= RATIO * before + delta
            assert after <= m / 2
            assert after <= Fraction(3, 4) * before + delta / 2
        bound = 3 * hard.kept[0] + 2 * len(hard.hits) * delta
        assert fewer(law, hard) <= bound
        tell += bound < 1
    assert tell > sized(12, 20)


def test_each_of_its_constants_is_needed():
    """With q_0 for 3q_0, or with no δ, some learner is past it; and one is at δ/2."""
    learners = hard_learners()
    assert any(fewer(law, hard) > hard.kept[0] for law, _, hard in learners)
    assert any(fewer(law, hard) > 3 * hard.kept[0] for law, _, hard in learners)
    half, zero, one = TENTH / 2, (1, 0, 0), (0, 1, 0)
    # A sample is found out with probability δ: at once, or a round later.
    later = ((zero, zero, (1 - TENTH, half, half)), (one, one, one), (one, one, one))
    learner = FiniteLearner(labels=(0, 1, 0), table=later)
    game = ap.PrivacyGame(learner, learner.verification)
    assert game.tight_delta(epsilon=Log(RATIO), rounds=3) == TENTH
    assert hard_sequence(FiniteLaw(learner, 3)).kept == (0, half)


def test_the_sum_of_the_talk_fails():
    """P(< k) <= Σ q_i forgets what leaves in a half that is skipped."""
    law = FiniteLaw(NAMES, ROUNDS)
    hard = hard_sequence(law)
    assert (fewer(law, hard), sum(hard.kept)) == (Fraction(19, 100), 0)
    assert fewer(law, hard) <= 2 * 3 * TENTH
    assert sum(fewer(each, found) > sum(found.kept) for each, _, found in hard_learners()) > 2


def test_wrong_every_round_is_among_the_best_sequences(record_property):
    """Of how many learners is no theorem: it is counted, and that it never is cannot be."""
    best = sum(
        law.mistakes(every_round(ROUNDS)).value == worst_sequence(law).mistakes.value
        for law, _, _ in hard_learners()
    )
    record_property("wrong every round is best", best)
    assert 0 < best <= 300


def test_a_learner_for_whom_it_is_not():
    """One that a blank after a (1, 1) calls back: to pause costs it more."""
    zero, one = (1, 0, 0), (0, 1, 0)
    gone = (0, 0, 1)
    # State 0 says 0; a (1, 1) makes it sure of 1 (state 2), a blank does nothing at first.
    table = ((zero, zero, gone), (one, one, one), (zero, zero, gone))
    law = FiniteLaw(FiniteLearner(labels=(0, 0, 1), table=table), 3)
    assert law.mistakes(every_round(3)).value == 1
    assert worst_sequence(law).mistakes.value == 2
    assert worst_sequence(law).hits == (1, 3)
