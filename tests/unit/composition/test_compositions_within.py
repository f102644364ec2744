"""Children that are compositions, that are dead, or that claim several things."""

from fractions import Fraction

import attrs
import pytest

import antiphon as ap
from antiphon import Claim, Verification
from antiphon.composition import fixed_mechanisms
from antiphon.mechanisms import LeakyBit, RandomizedResponse
from antiphon.numbers.interning import fingerprint
from antiphon.populations.play import play_sample
from antiphon.protocol import Pure, SampledCoins, Status
from antiphon.protocol.registry import column_safe
from antiphon.verifiers import Refused, event_level, every_pair

RR = RandomizedResponse(epsilon=1)


def test_a_grandchild_halts_alone():
    session = ap.ExtConComp().start(seed=1)
    session.send(ap.Create(ap.ConComp([RR, RR])))
    assert session.send(ap.Ask(ap.Ask(0, 0), 0)) is not ap.HALT
    assert session.send(ap.Ask(ap.Ask(0, 0), 0)) is ap.HALT
    assert session.send(ap.Ask(ap.Ask(1, 1), 0)) is not ap.HALT
    assert session.send(ap.Ask(ap.Ask(1, 1), 0)) is ap.HALT


def test_an_index_that_does_not_exist_ends_the_inner_composition_and_no_other():
    session = ap.ExtConComp().start(seed=1)
    session.send(ap.Create(ap.ConComp([LeakyBit(delta=0)])))
    session.send(ap.Create(LeakyBit(delta=0)))
    assert session.send(ap.Ask(ap.Ask(0, 5), 0)) is ap.HALT
    assert session.send(ap.Ask(ap.Ask(0, 0), 0)) is ap.HALT
    assert session.send(ap.Ask(0, 1)) is ap.TOP


def test_what_is_asked_of_a_dead_child_is_hidden_as_data():
    """Nothing is known of it any more; nor of a child that does not exist."""
    system = ap.ConComp([RR])
    assert system.carries_data(system.initial_state, ap.Ask(1, 0))
    assert system.carries_data(system.initial_state, ap.Ask(1, 7))
    state, _ = system.step(system.initial_state, ap.Ask(1, 0), SampledCoins(seed=1))
    state, answer = system.step(state, ap.Ask(1, 0), SampledCoins(seed=1))
    assert answer is ap.HALT
    assert system.carries_data(state, ap.Ask("anything", 0))


class Two(LeakyBit):
    """Claims with respect to two functions."""

    @property
    def claims(self):
        return tuple(Claim(Pure(1), f, Status.ASSUMED, "") for f in (event_level(), every_pair()))


@pytest.mark.parametrize("f", [event_level(), every_pair()])
def test_a_claim_need_follow_from_one_of_several(f):
    weaker = Claim(Pure(2), f, Status.ASSUMED, "")
    assert ap.Create(Two(delta=Fraction(1, 2)), weaker).claim == weaker
    with pytest.raises(ap.InvalidArgument, match="does not follow"):
        ap.Create(Two(delta=Fraction(1, 2)), Claim(Pure(Fraction(1, 2)), f, Status.ASSUMED, ""))
    with pytest.raises(ap.InvalidArgument, match="does not follow"):
        ap.Create(Two(delta=0), Claim(Pure(1), event_level(events=2), Status.ASSUMED, ""))


def test_creations_with_other_claims_are_other_creations():
    plain, weaker = ap.Create(RR), ap.Create(RR, RandomizedResponse(epsilon=2).claims[0])
    assert plain != weaker
    assert fingerprint(plain) != fingerprint(weaker)
    assert fingerprint(plain) == fingerprint(ap.Create(RandomizedResponse(epsilon=1)))


@attrs.frozen
class Numbers(Verification[int]):
    """An f' that looks at types, which of a column is none of its own."""

    @property
    def initial_state(self) -> int:
        return 0

    def step(self, state, zero, one, /):
        return state if type(zero) is type(one) is float else Refused("it is no float")


def test_an_f_of_a_child_that_knows_nothing_of_columns_sees_plain_numbers():
    @column_safe
    def player(heard, coins):
        if not heard:
            return ap.same(ap.Create(child))
        return ap.same(ap.Ask(coins.laplace(1.0), 0)) if len(heard) < 3 else ap.HALT

    claim = Claim(Pure(0), Numbers(), Status.ASSUMED, "")
    child = ap.mechanism(queries=ap.spaces.Reals(), answers=ap.spaces.Reals(), claims=(claim,))(
        column_safe(lambda state, message, coins: (state, message))
    )
    game = ap.PrivacyGame(ap.ExtConComp(), fixed_mechanisms([child]))
    sample = play_sample(ap.adversary(player), game.mechanism(0), replicas=20, seed=1)
    assert sample.replicas == 20
    assert not any(ap.HALT in kind for kind in sample.cells)


@attrs.frozen
class Rising(Numbers):
    """An f' whose two sides are not alike."""

    def step(self, state, zero, one, /):
        return state if zero <= one else Refused("it falls")


def test_an_f_of_a_child_reads_both_sides_in_their_order():
    @attrs.frozen
    class Told(LeakyBit):
        @property
        def claims(self):
            return (Claim(Pure(1), Rising(), Status.ASSUMED, ""),)

    verify = ap.Create(Told(delta=0)).verify
    assert verify(0, 0, 1) == verify(0, 1, 1) == 0
    assert type(verify(0, 1, 0)) is Refused


def test_an_index_is_an_int_from_0_on():
    messages = ap.ExtConComp().signature.queries
    assert all(messages.contains(ap.Ask("q", index)) for index in (0, 1, 10**30))
    assert not any(messages.contains(ap.Ask("q", index)) for index in (-1, True, 1.0, "0", None))
