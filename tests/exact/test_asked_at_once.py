"""A child's only message is asked at once: no figure changes, where the premises hold."""

import random
from fractions import Fraction

import pytest

import antiphon as ap
from antiphon.audit.exact.composition_arena import CompositionArena
from antiphon.composition import (
    BasicFilter,
    adaptive_parameters,
    fixed_mechanisms,
    fixed_parameters,
    sparse_parallel,
)
from antiphon.mechanisms import LeakyBit, RandomizedResponse
from antiphon.protocol import Approximate, Status
from antiphon.protocol.spaces import BITS, Either, Finite, Integers

PUBLIC = Finite(("y",))
THIRD = Fraction(1, 3)
ONE = ap.verifiers.updates_and_queries(ap.verifiers.event_level(), PUBLIC)
ALL = ap.Claim(Approximate(0, 1), ONE, status=Status.ASSUMED, source="anything is")


@ap.mechanism(
    queries=Either((BITS, PUBLIC)), answers=Integers(0, 2), initial_state="new", claims=(ALL,)
)
def worth_waiting(state, message, coins):
    """x: a response of e^ε = 2; or y first, and then with probability 1/3 one of e^ε = 4."""
    if state == "over":
        return state, ap.HALT
    if message == "y" and state == "new":
        lucky = coins.bernoulli(THIRD)
        return ("lucky" if lucky else "over"), 2 if lucky else 1
    if message == "y":
        return "over", 0
    odds = 2 if state == "new" else 4
    return "over", message ^ int(coins.bernoulli(Fraction(1, 1 + odds)))


def solved(monkeypatch, system, f, epsilon, rounds, **search):
    """Tight δ with the rule and without it, and the beliefs valued."""
    found = []
    for rule in (True, False):
        with monkeypatch.context() as patched:
            if not rule:
                both = lambda arena, position, _: arena.choices(position)  # noqa: E731
                patched.setattr(CompositionArena, "worth_saying", both)
            question = ap.PrivacyGame(system, f).question(**search)
            found.append(question.solve(epsilon, rounds))
    return found


def test_a_message_that_leads_on_counts_as_one_that_is_left(monkeypatch):
    """Of x and y only x is informative; asked at once it would say 0."""
    f = fixed_mechanisms([worth_waiting])
    with_rule, without = solved(monkeypatch, ap.ExtConComp(), f, ap.Log(2), 3)
    assert with_rule.delta == without.delta == Fraction(2, 15)


def test_a_message_that_is_paid_for_may_be_better_spent(monkeypatch):
    """One of two responses may differ: the smaller one, asked at once, would spend the purse."""
    weak, strong = (RandomizedResponse(epsilon=ap.Log(q)) for q in (2, 4))
    claims = [
        ap.Create(each, ap.Claim(Approximate(ap.Log(4), 0), each.claims[0].verification,
                                 status=Status.ASSUMED, source="no smaller"))
        for each in (weak, strong)
    ]  # fmt: skip
    f = sparse_parallel([(ap.Log(4), 0)])
    search = {"catalogue": claims, "max_creations": 2}
    with_rule, without = solved(monkeypatch, ap.ExtConComp(), f, 0, 4, **search)
    assert with_rule.delta == without.delta == Fraction(3, 5)


def test_rounds_may_be_better_spent(monkeypatch):
    """One question is left, and two responses."""
    f = fixed_mechanisms([RandomizedResponse(epsilon=ap.Log(q)) for q in (2, 9)])
    with_rule, without = solved(monkeypatch, ap.ExtConComp(), f, 0, 3)
    assert with_rule.delta == without.delta == Fraction(4, 5)


def test_rounds_are_kept_for_what_is_still_to_be_created(monkeypatch):
    """A weak response stands; the strong one is created and asked in the two rounds left."""
    weak, strong = (RandomizedResponse(epsilon=ap.Log(q)) for q in (2, 9))
    f = fixed_parameters([each.claims[0].parameters for each in (weak, strong)])
    search = {"catalogue": [weak, strong], "max_creations": 2}
    for rounds, tight in ((2, Fraction(4, 5)), (3, Fraction(4, 5))):
        with_rule, without = solved(monkeypatch, ap.ExtConComp(), f, 0, rounds, **search)
        assert with_rule.delta == without.delta == tight


@ap.mechanism(
    queries=Either((BITS, PUBLIC)), answers=Integers(0, 2), initial_state="new", claims=(ALL,)
)
def fragile(state, message, coins):
    """y, and then a bit: every other time it is refused, which ends all that there is."""
    if state == "over":
        return state, ap.HALT
    if (state == "new") is not (message == "y") or state == "breaks":
        raise ap.InvalidArgument("not now")
    if state == "new":
        return ("breaks" if coins.bernoulli(Fraction(1, 2)) else "whole"), 2
    return "over", message ^ int(coins.bernoulli(THIRD))


def test_a_message_that_may_end_the_interaction_comes_last(monkeypatch):
    f = fixed_mechanisms([fragile, RandomizedResponse(epsilon=ap.Log(9))])
    with_rule, without = solved(monkeypatch, ap.ExtConComp(), f, 0, 5)
    assert with_rule.delta == without.delta == Fraction(4, 5)


def test_unlike_responses_are_asked_in_one_order(monkeypatch):
    f = fixed_mechanisms([RandomizedResponse(epsilon=ap.Log(q)) for q in (2, 3, 4, 5)])
    with_rule, without = solved(monkeypatch, ap.ExtConComp(), f, ap.Log(2), 8)
    assert with_rule.delta == without.delta
    assert 4 * with_rule.nodes < without.nodes


PARTS = [
    RandomizedResponse(epsilon=ap.Log(2)),
    RandomizedResponse(epsilon=ap.Log(3)),
    RandomizedResponse(epsilon=ap.Log(2), delta=Fraction(1, 4)),
    LeakyBit(delta=Fraction(1, 4)),
    worth_waiting,
]


def compare(monkeypatch, seed):
    """A random game, with the rule and without it."""
    chance = random.Random(seed)
    parts = chance.sample(PARTS, chance.randint(1, 3))
    parameters = [each.claims[0].parameters for each in parts]
    budget = BasicFilter(epsilon=ap.Log(6), delta=1)
    system, f = chance.choice(
        [
            (ap.ExtConComp(), fixed_mechanisms(parts)),
            (ap.ExtConComp(), fixed_parameters(parameters)),
            (ap.ExtConComp(), sparse_parallel(parameters[:2])),
            (ap.ExtConComp(), sparse_parallel(parameters[:2], first_pair_consistent=True)),
            (ap.ExtConComp(budget=budget), adaptive_parameters(budget)),
        ]
    )
    most = max(chance.choice([2, 2, 3]), getattr(f, "prescribed", 0))
    epsilon = ap.Log(Fraction(chance.randint(4, 12), 4))
    search = {"catalogue": parts, "max_creations": most}
    rounds = chance.choice([2 * most, 2 * most, chance.randint(2, 2 * most)])
    return solved(monkeypatch, system, f, epsilon, rounds, **search)


def test_no_figure_changes(monkeypatch):
    fewer = 0
    for seed in range(60):
        with_rule, without = compare(monkeypatch, seed)
        assert with_rule.delta == without.delta, seed
        fewer += with_rule.nodes < without.nodes
    assert fewer > 3


@pytest.mark.slow
def test_no_figure_changes_in_many_games(monkeypatch):
    for seed in range(40, 10_000):
        with_rule, without = compare(monkeypatch, seed)
        assert with_rule.delta == without.delta, seed
