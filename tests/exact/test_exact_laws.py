"""Enumerated laws in Fractions: equality, no tolerance.

The exact solver and its catalogue belong to audit/exact; the brute force here is
written from the definitions and knows nothing of it.
"""

from fractions import Fraction
from itertools import product

import pytest
import references
from trying import over

import antiphon as ap
from antiphon import Log
from antiphon.audit import CounterexampleAdversary, counterexample_game, learned_bit
from antiphon.composition import sparse_parallel
from antiphon.mechanisms import LeakyBit, RandomizedResponse
from antiphon.mechanisms.randomized_response import TWO_BITS
from antiphon.verifiers import neighbouring_start

THIRD, TENTH = Fraction(1, 3), Fraction(1, 10)


def answer_law(mechanism, message):
    law = {}
    for p, (_, answer) in ap.outcomes(
        lambda c: mechanism.step(mechanism.initial_state, message, c)
    ):
        law[answer] = law.get(answer, 0) + p
    return law


# --- randomized response (CM Def. 2.3) --------------------------------------------------


@over("ratio", [1, Fraction(3, 2), 3, 10**6])
@over("delta", [0, TENTH, Fraction(2, 3), 1])
def test_randomized_response_has_the_law_of_definition_2_3(ratio, delta):
    delta, ratio = Fraction(delta), Fraction(ratio)
    rr = RandomizedResponse(epsilon=Log(ratio), delta=delta)
    for bit in (0, 1):
        expected = {
            (bit, ap.TOP): delta,
            (bit, ap.BOTTOM): (1 - delta) * ratio / (1 + ratio),
            (1 - bit, ap.BOTTOM): (1 - delta) / (1 + ratio),
        }
        assert answer_law(rr, bit) == {a: p for a, p in expected.items() if p}


@over("ratio", [1, Fraction(3, 2), 3])
@over("delta", [0, TENTH, 1])
def test_its_parameters_are_tight(ratio, delta):
    laws = [answer_law(RandomizedResponse(epsilon=Log(ratio), delta=delta), b) for b in (0, 1)]
    assert references.hockey_stick(*laws, Fraction(ratio)) == delta
    if ratio > 1 and delta < 1:
        assert references.hockey_stick(*laws, Fraction(ratio) * Fraction(99, 100)) > delta


# --- M_δ is exactly (0, δ)-DP w.r.t. g ----------------------------------------------------


def best_advantage(f, mechanism, alphabet, rounds):
    """max over deterministic adaptive adversaries of the total variation, by definition.

    The weights are those of the two worlds on one history; what f refuses is HALT in
    both, so it cannot help.
    """

    def value(state, worlds, weights, left):
        stop = max(Fraction(0), weights[0] - weights[1])
        if not left:
            return stop
        best = stop
        for zero, one in product(alphabet, repeat=2):
            after = f.step(state, zero, one)
            if type(after) is ap.verifiers.Refused:
                continue
            branches = {}
            for world, message in enumerate((zero, one)):
                for s, weight in worlds[world].items():
                    for p, (t, answer) in ap.outcomes(
                        lambda c, s=s, m=message: mechanism.step(s, m, c)
                    ):
                        laws = branches.setdefault(answer, ({}, {}))
                        laws[world][t] = laws[world].get(t, 0) + weight * p
            total = sum(
                value(after, laws, [sum(law.values()) for law in laws], left - 1)
                for laws in branches.values()
            )
            best = max(best, total)
        return best

    start = {mechanism.initial_state: Fraction(1)}
    return value(f.initial_state, (start, start), [Fraction(1)] * 2, rounds)


@pytest.mark.parametrize("delta", [0, TENTH, THIRD, 1])
def test_the_leaky_bit_is_exactly_zero_delta_private(delta):
    m = LeakyBit(delta=delta)
    assert best_advantage(TWO_BITS, m, (0, 1), 2) == delta
    assert best_advantage(TWO_BITS, m, (0, 1), 3) == delta
    assert best_advantage(TWO_BITS, m, (0, 1), 1) == 0


def test_without_the_bound_of_g_it_is_not():
    """Three messages: the adversary may ask twice before the differing pair."""
    f = ap.verifiers.bounded(ap.verifiers.event_level(), 3)
    assert best_advantage(f, LeakyBit(delta=TENTH), (0, 1), 3) == 1 - (1 - TENTH) ** 2


# --- the counterexample (CM §5.2, Thm 1.4) -------------------------------------------------


@pytest.mark.parametrize(
    ("copies", "success"),
    [(1, Fraction(1, 10)), (2, Fraction(19, 100)), (3, Fraction(271, 1000)),
     (4, Fraction(3439, 10000))],
)  # fmt: skip
def test_the_adversary_learns_the_bit_as_often_as_the_paper_says(copies, success):
    adversary = CounterexampleAdversary(delta=0.1, copies=copies)
    laws = [references.law(counterexample_game(0.1).mechanism(b), adversary) for b in (0, 1)]
    assert adversary.success == success == 1 - Fraction(9, 10) ** copies
    for bit, law in enumerate(laws):
        assert sum(law.values()) == 1
        shown = {answers: p for answers, p in law.items() if type(answers[-1]) is int}
        assert all(answers[-1] == bit for answers in shown)
        assert sum(shown.values()) == success
    assert references.hockey_stick(*laws, Fraction(1)) == success


@pytest.mark.parametrize("copies", [1, 2, 5])
def test_the_first_pair_consistent_verifier_halts_it_and_nothing_is_learned(copies):
    adversary = CounterexampleAdversary(delta=0.1, copies=copies)
    game = counterexample_game(0.1, first_pair_consistent=True)
    laws = [references.law(game.mechanism(b), adversary) for b in (0, 1)]
    assert laws[0] == laws[1] == {(ap.HALT,): 1}
    view = game.play(adversary, bit=1)
    assert view.why_halted == "a created mechanism's f is not first-pair consistent"
    assert learned_bit(view) is None


def test_every_view_of_the_counterexample_is_valid():
    """The verifier of f_∞ never halts it: that is the point."""
    game = counterexample_game(0.1)
    adversary = CounterexampleAdversary(delta=0.1, copies=4)
    law = references.law(game.mechanism(0), adversary)
    assert not any(ap.HALT in answers for answers in law)


def test_with_delta_zero_or_one():
    for delta, success in ((0, 0), (1, 1)):
        adversary = CounterexampleAdversary(delta=delta, copies=3)
        laws = [references.law(counterexample_game(delta).mechanism(b), adversary) for b in (0, 1)]
        assert adversary.success == success
        assert references.hockey_stick(*laws, Fraction(1)) == success


# --- the game ------------------------------------------------------------------------------


@pytest.mark.parametrize("ratio", [1, 3])
def test_the_game_of_randomized_response_is_randomized_response(ratio):
    """V[f_∼]∘*I(b)∘*RR on (0, 1) has the law of RR(b)."""
    rr = RandomizedResponse(epsilon=Log(ratio), delta=TENTH)
    game = ap.PrivacyGame(rr, neighbouring_start())
    adversary = ap.scripted([ap.Pair(0, 1)])
    for bit in (0, 1):
        law = references.law(game.mechanism(bit), adversary)
        assert law == {(answer,): p for answer, p in answer_law(rr, bit).items()}
        assert law == references.law(game.interactive, adversary, initial=bit)


def test_concurrent_asking_in_any_order_is_the_product():
    """Two RR's asked in either order: the law of answers is the product law (CM Thm 5.5)."""
    rr = RandomizedResponse(epsilon=Log(3))
    create, f = ap.same(ap.Create(rr)), sparse_parallel([(Log(3), 0)] * 2)
    game = ap.PrivacyGame(ap.ExtConComp(), f)
    asks = [ap.Pair(ap.Ask(0, i), ap.Ask(1, i)) for i in (0, 1)]
    laws = []
    for order in ((0, 1), (1, 0)):
        script = ap.scripted([create, create, asks[order[0]], asks[order[1]]])
        both = [references.law(game.mechanism(b), script) for b in (0, 1)]
        assert references.hockey_stick(*both, Fraction(9)) == 0
        assert references.hockey_stick(*both, Fraction(8)) > 0
        laws.append(both)
    assert laws[0] == laws[1]
    single = answer_law(rr, 1)
    assert laws[0][1] == {(ap.TOP, ap.TOP, a, b): p * q for a, p in single.items()
                          for b, q in single.items()}  # fmt: skip


def test_an_identical_pair_tells_nothing():
    game = counterexample_game(0.1)
    script = ap.scripted([ap.same(ap.Create(LeakyBit(delta=0.1))), *[ap.same(ap.Ask(1, 0))] * 3])
    laws = [references.law(game.mechanism(b), script) for b in (0, 1)]
    assert laws[0] == laws[1]
    assert sum(laws[0].values()) == 1
