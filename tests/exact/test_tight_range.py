"""Tight range: equal to that of every deterministic strategy, one by one."""

import math
from fractions import Fraction
from itertools import product

import attrs
import pytest
from exact_reference import VERIFICATIONS, composition_messages, mass, pairs_of, step, tables
from hypothesis import given
from hypothesis import strategies as st
from trying import examples

import antiphon as ap
from antiphon import Claim, Log
from antiphon.composition import fixed_mechanisms, fixed_parameters, sparse_parallel
from antiphon.mechanisms import ExponentialMechanism, LeakyBit, PermuteAndFlip, RandomizedResponse
from antiphon.protocol import Pure, Status
from antiphon.selfcheck.theorems.finite import FiniteResponse
from antiphon.verifiers import neighbouring_start


def apart(game, messages, rounds):
    """max over deterministic adversaries of max/min over views of Pr_0/Pr_1, by the definition."""
    systems = game.mechanism(0), game.mechanism(1)

    def strategies(laws, left):
        """{(least ratio, largest ratio) of the views of a strategy}"""
        zero, one = map(mass, laws)
        if not zero and not one:
            return {None}
        ratio = zero / one if one else math.inf
        found = {(ratio, ratio)}
        for message in messages if left else ():
            after = [step(s, law, message) for s, law in zip(systems, laws, strict=True)]
            each = [
                strategies(
                    [law.get(key, []) for law in after],
                    0 if key[2] or key[0] == "refused" else left - 1,
                )
                for key in after[0] | after[1]
            ]
            for views in product(*each):
                seen = [view for view in views if view is not None]
                found.add((min(low for low, _ in seen), max(high for _, high in seen)))
        return found

    start = [[(system.initial_state, Fraction(1))] for system in systems]
    ranges = [
        math.inf if low == 0 or high == math.inf else high / low
        for low, high in strategies(start, rounds)
    ]
    return max(ranges)


def agree(game, messages, rounds, **search):
    found, expected = game.tight_range(rounds=rounds, **search), apart(game, messages, rounds)
    if expected == math.inf:
        assert found == math.inf
    else:
        assert found == ap.numbers.exact.epsilon(Log(expected))


@given(tables(), st.integers(0, 2))
def test_one_mechanism_with_two_hidden_states(table, rounds):
    agree(ap.PrivacyGame(table, table.claims[0].verification), pairs_of([0, 1]), rounds)


@given(tables(answers=(0, 1), refusals=True), st.sampled_from(VERIFICATIONS))
def test_refusals_and_an_f_that_is_not_symmetric(table, f):
    agree(ap.PrivacyGame(table, f), pairs_of([0, 1]), 2)


@given(table=tables(answers=(0, 1, ap.HALT)))
@examples(8)
def test_a_composition(table):
    """With columns that meet, and creations that count as messages."""
    made = [table, RandomizedResponse(epsilon=Log(2))]
    game = ap.PrivacyGame(ap.ExtConComp(), fixed_mechanisms(made))
    creates = [ap.Create(each) for each in made]
    said = composition_messages(creates, (0, 1), 2)[: len(creates) + 8]
    agree(game, said, 4, catalogue=made, max_creations=2)


def ranged(mechanism, f=None, rounds=1, **search):
    game = ap.PrivacyGame(mechanism, f or mechanism.claims[0].verification)
    return game.tight_range(rounds=rounds, **search)


def test_known_ranges():
    """RR_ε: 2ε; the exponential mechanism: ε; permute-and-flip more than ε; M_δ: none."""
    assert ranged(RandomizedResponse(epsilon=Log(3))) == Log(9)
    scores = [(0, 1), (1, 0)]
    assert ranged(ExponentialMechanism(epsilon=Log(4), candidates=2), queries=scores) == Log(4)
    assert ranged(PermuteAndFlip(epsilon=Log(4), candidates=2), queries=scores) == Log(9)
    assert ranged(LeakyBit(delta=0.1), rounds=2) == math.inf


def test_ranges_add_up_over_a_composition():
    one = RandomizedResponse(epsilon=Log(2))
    f = sparse_parallel([(Log(2), 0)] * 2)
    assert ranged(ap.ExtConComp(), f, 4, catalogue=[one], max_creations=3) == Log(16)
    assert ranged(ap.ExtConComp(), f, 3, catalogue=[one], max_creations=3) == Log(4)


def test_views_with_other_coins_are_not_compared():
    """(0, 1) has losses -ln 2 and ln 3, and (1, 0) ln 2 and -ln 3: ln 9 with a coin between."""
    one = FiniteResponse(((2, 3), (4, 1)))
    assert ranged(one, neighbouring_start()) == Log(6)
    claim = Claim(Pure(Log(3)), neighbouring_start(), Status.ASSUMED, "")
    created, f = ap.Create(attrs.evolve(one, claims=(claim,))), fixed_parameters([(Log(3), 0)])
    assert ranged(ap.ExtConComp(), f, 2, catalogue=[created]) == Log(6)  # nor after one answer


def test_a_search_that_is_too_long():
    with pytest.raises(ap.Intractable):
        ranged(RandomizedResponse(epsilon=Log(3)), limit=3)
