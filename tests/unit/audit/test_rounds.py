"""``rounds``, wherever it is taken: an int >= 0, and whatever else is refused in a line."""

from fractions import Fraction

import pytest
from trying import over

import antiphon as ap
from antiphon import PrivacyGame
from antiphon.audit.searches import search_properties
from antiphon.audit.simulated_composition import composition_simulator
from antiphon.audit.simulators import lyu
from antiphon.composition import fixed_mechanisms
from antiphon.mechanisms import RandomizedResponse
from antiphon.numbers.errors import shown
from antiphon.populations.play import play_population, play_sample, taken_apart
from antiphon.protocol import IdentityPostProcessor
from antiphon.verifiers import neighbouring_start

HUGE = 10**5000
"""More digits than Python prints."""
RR = RandomizedResponse(epsilon=1)
CM = ap.mechanisms.LeakyBit(delta=Fraction(1, 2))
F = RR.claims[0].verification
GAME = PrivacyGame(RR, F)
ADVERSARY = ap.scripted([ap.Pair(0, 1)])

TAKERS = {
    "interact": lambda rounds: ap.interact(ap.scripted([0]), RR, rounds=rounds),
    "record": lambda rounds: ap.record(ap.scripted([0]), RR, rounds=rounds),
    "play": lambda rounds: GAME.play(ADVERSARY, bit=0, rounds=rounds),
    "tight_delta": lambda rounds: GAME.tight_delta(epsilon=1, rounds=rounds),
    "tight_epsilon": lambda rounds: GAME.tight_epsilon(delta=0, rounds=rounds),
    "tight_renyi": lambda rounds: GAME.tight_renyi(2, rounds=rounds),
    "tight_range": lambda rounds: GAME.tight_range(rounds=rounds),
    "best_adversary": lambda rounds: GAME.best_adversary(epsilon=1, rounds=rounds),
    "check_claims": lambda rounds: GAME.check_claims(rounds=rounds),
    "equivalent": lambda rounds: ap.equivalent(RR, RR, rounds=rounds),
    "lyu": lambda rounds: lyu(CM, epsilon=ap.Log(3), delta=1, rounds=rounds),
    "composition_simulator": lambda rounds: composition_simulator(
        fixed_mechanisms([CM]), rounds=rounds
    ),
    "search_properties": lambda rounds: search_properties(
        IdentityPostProcessor(),
        neighbouring_start(),
        neighbouring_start(),
        queries=[0],
        answers=lambda _, __: [0],
        rounds=rounds,
    ),
    "audit": lambda rounds: GAME.audit(ADVERSARY, epsilon=1, samples=1000, seed=1, rounds=rounds),
    "play_population": lambda rounds: play_population(
        ap.scripted([0]), RR, replicas=10, rounds=rounds
    ),
    "play_sample": lambda rounds: play_sample(ap.scripted([0]), RR, replicas=10, rounds=rounds),
    "taken_apart": lambda rounds: taken_apart(ap.scripted([0]), RR, rounds=rounds),
}


@over("rounds", [-1, -HUGE, 2.5, True])
@over("take", TAKERS.values())
def test_rounds_that_are_none_are_refused(take, rounds):
    with pytest.raises(ap.InvalidArgument, match="rounds must be an int >= 0"):
        take(rounds)


@pytest.mark.parametrize(
    "name", ["tight_delta", "tight_renyi", "tight_range", "equivalent", "best_adversary"]
)
def test_more_rounds_than_can_be_printed_are_intractable(name):
    with pytest.raises(ap.Intractable, match="a huge int"):
        TAKERS[name](HUGE)


def test_no_rounds_are_no_messages():
    """One that never halts is not played for ever."""

    @ap.adversary
    def endless(answers, coins):
        return 0

    assert play_population(endless, RR, replicas=10, rounds=0) == {(): 10}
    assert ap.interact(endless, RR, rounds=0).rounds == ()


def test_public_numbers_are_shown_if_python_prints_them():
    assert [shown(each) for each in (1, -2.5, Fraction(1, 3))] == ["1", "-2.5", "1/3"]
    assert shown(-HUGE) == "a huge int"
    assert shown(Fraction(1, HUGE)) == shown(Fraction(HUGE)) == "a huge Fraction"
    assert shown("data") == "a str"
