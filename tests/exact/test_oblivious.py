"""Fixed streams against adaptive ones (docs/adaptivity.md): how far apart, and where not at all."""

from fractions import Fraction
from itertools import product

import pytest
from test_trade_off_exact import table

import antiphon as ap
from antiphon.audit import OPEN, oblivious
from antiphon.verifiers import bounded, event_level
from antiphon.verifiers.relations import AddOrRemove

EVENT = bounded(event_level(AddOrRemove()), 2)


def spot_check(places):
    """It says which place it looks at, drawn at random; then it tells who comes there."""

    @ap.mechanism(
        queries=ap.spaces.Integers(0, places), answers=ap.spaces.Integers(0, places),
        initial_state=0,
    )  # fmt: skip
    def step(looked_at, place, coins):
        if not looked_at:
            looked_at = 1 + coins.uniform_integer(places)
            return looked_at, looked_at
        return looked_at, int(place == looked_at)

    return step


def law(mechanism, stream):
    """The law of the answers to a fixed stream, by all outcomes of its coins."""
    found = {(mechanism.initial_state, ()): Fraction(1)}
    for message in stream:
        after = {}
        for (state, answers), weight in found.items():
            step = lambda coins, s=state, m=message: mechanism.step(s, m, coins)  # noqa: E731
            for p, (state_after, answer) in ap.outcomes(step):
                key = state_after, (*answers, answer)
                after[key] = after.get(key, 0) + weight * p
        found = after
    total = {}
    for (_, answers), weight in found.items():
        total[answers] = total.get(answers, 0) + weight
    return total


def by_enumeration(mechanism, messages, rounds):
    """The largest total variation distance of the answers to any two neighbouring fixed streams."""
    worst = Fraction(0)
    for stream in product(messages, repeat=rounds):
        for place, instead in product(range(rounds), messages):
            other = (*stream[:place], instead, *stream[place + 1 :])
            if AddOrRemove().holds(stream[place], instead):
                one, two = law(mechanism, stream), law(mechanism, other)
                apart = sum(max(0, one[a] - two.get(a, 0)) for a in one)
                worst = max(worst, apart)
    return worst


@pytest.mark.parametrize("places", [2, 3, 5])
def test_listening_gains_everything(places):
    mechanism, said = spot_check(places), [*range(places + 1)]
    game = ap.PrivacyGame(mechanism, EVENT)
    fixed = oblivious(game).tight_delta(epsilon=0, rounds=3, queries=[*said, OPEN])
    assert fixed == Fraction(1, places) == by_enumeration(mechanism, said, 2)
    assert game.tight_delta(epsilon=0, rounds=2, queries=said) == 1


@pytest.mark.parametrize("seed", [2, 3, 5, 7, 11, 13])
def test_where_delta_is_zero_there_is_no_gap(seed):
    game = ap.PrivacyGame(table(seed), bounded(event_level(), 2))
    sealed = oblivious(game).tight_epsilon(delta=0, rounds=3, queries=[0, 1, OPEN])
    assert game.tight_epsilon(delta=0, rounds=2, queries=[0, 1]) == sealed
