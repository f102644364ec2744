"""Event and user level over all mechanisms of a ConComp: bounds held against the exact engine."""

from fractions import Fraction

import attrs
import pytest

import antiphon as ap
from antiphon.composition import across
from antiphon.composition.guarantees.derivation import NoGuarantee
from antiphon.mechanisms import RandomizedResponse, TreeCounter
from antiphon.protocol.claims import Status
from antiphon.protocol.measures.kinds import Approximate
from antiphon.protocol.spaces import Anything, Finite, Signature
from antiphon.verifiers import event_level, user_level

RECORDS = Finite(((1, 0), (1, 1), (2, 0), (2, 1)))


@attrs.frozen
class Responses(ap.ContinualMechanism):
    """A randomized response to the bit of every record; once: to that of the first alone."""

    delta: Fraction = Fraction(0)
    once: bool = False
    epsilon = ap.Log(3)

    @property
    def signature(self):
        return Signature(RECORDS, Finite((0, 1, "0", "1", ap.TOP)), RECORDS)

    @property
    def initial_state(self):
        return 0

    @property
    def claims(self):
        f = user_level() if self.once else event_level()
        return (ap.Claim(Approximate(self.epsilon, self.delta), f, Status.ASSUMED, "a test"),)

    def step(self, state, record, coins):
        if self.once and state:
            return state, ap.TOP
        bit = record[1]
        if self.delta and coins.bernoulli(self.delta):
            return 1, str(bit)
        return 1, bit if coins.bernoulli(Fraction(3, 4)) else 1 - bit


def tight(system, model, epsilon, rounds=2):
    queries = RECORDS.values[:2]  # of one user
    game = ap.PrivacyGame(system, across(system, model))
    return game.tight_delta(epsilon=epsilon, rounds=rounds, queries=queries)


MANY, ONCE = Responses(), Responses(once=True)
LOSSY = Responses(delta=Fraction(1, 10))


@pytest.mark.every(4)
@pytest.mark.parametrize(
    ("parts", "model"),
    [
        ((MANY, MANY), event_level(events=2)),
        ((MANY, MANY), user_level(events=2)),
        ((MANY, ONCE), user_level(events=2)),
        ((ONCE, ONCE), user_level()),
        ((LOSSY, LOSSY), event_level()),
        ((LOSSY, LOSSY), event_level(events=2)),
        ((LOSSY, Responses(delta=Fraction(1, 10), once=True)), user_level(events=2)),
    ],
)
def test_the_figure_is_never_below_the_tight_one(parts, model):
    system = ap.ConComp(parts)
    promised = ap.guarantee(system, model)
    for growth in (1, 3, 9):
        epsilon = ap.Log(growth)
        assert tight(system, model, epsilon) <= promised.delta_at(epsilon), growth


def test_two_events_cost_twice_and_no_less():
    system = ap.ConComp([MANY, MANY])
    promised = ap.guarantee(system, event_level(events=2))
    assert promised.claim().parameters == (ap.Log(9), 0)
    assert tight(system, event_level(events=2), ap.Log(9)) == 0
    assert tight(system, event_level(events=2), ap.Log(8)) > 0
    alone = ap.guarantee(system, event_level())  # the broken twin: one event of two
    assert alone.delta_at(ap.Log(3)) == 0 < tight(system, event_level(events=2), ap.Log(3))


def test_one_lossy_event_among_two_mechanisms_is_no_more_private_than_theorem_g_says():
    system = ap.ConComp([LOSSY, LOSSY])
    found = tight(system, event_level(), ap.Log(3))
    assert found >= Fraction(1, 10)
    assert found <= ap.guarantee(system, event_level()).delta_at(ap.Log(3))


def test_the_least_bound_counts():
    three = [TreeCounter(horizon=8, epsilon=1, users=True, events=3)] * 2
    assert ap.guarantee(ap.ConComp(three), user_level(events=3)).claim().parameters == (2, 0)
    single = [TreeCounter(horizon=8, epsilon=1, users=True)] * 2
    promised = ap.guarantee(ap.ConComp(single), user_level(events=3))
    assert promised.claim().parameters == (3, 0)
    assert promised.status is Status.PROVED
    assert "by counting" in str(promised)
    assert "group privacy" in str(promised)


@pytest.mark.parametrize(
    ("system", "model", "told"),
    [
        ([TreeCounter(horizon=8, epsilon=1, users=True)], user_level(), "such as events=3"),
        ([TreeCounter(horizon=8, epsilon=1)], user_level(events=3), "users=True"),
        ([RandomizedResponse(epsilon=1)], event_level(events=2), "leave f out"),
    ],
)
def test_what_no_theorem_covers_has_no_guarantee(system, model, told):
    with pytest.raises(NoGuarantee, match=told):
        ap.guarantee(ap.ConComp(system), model)


def test_across_refuses_what_its_model_or_the_mechanism_does():
    f = across(ap.ConComp([MANY, MANY]), user_level(events=2))

    def say(state, zero, one, index=0, other=None):
        other = index if other is None else other
        return f.step(state, ap.Ask(zero, index), ap.Ask(one, other))

    state = say(f.initial_state, (1, 0), (1, 1))
    assert say(state, (2, 0), (2, 0), 1) == state
    for refused in (
        say(state, (2, 0), (2, 1), 1),  # another user, to another mechanism
        say(say(state, (1, 0), (1, 1), 1), (1, 0), (1, 1)),  # a third event
        say(state, (1, 0), (1, 1), 0, 1),
        say(state, (1, 0), (1, 0), 2),
        say(state, (3, 0), (3, 0)),
        f.step(state, 1, 1),
    ):
        assert type(refused).__name__ == "Refused"
    narrow = across(ap.ConComp([attrs.evolve(MANY)]), event_level(events=5))
    assert narrow.swap_symmetric
    with pytest.raises(ap.InvalidArgument, match="event_level"):
        across(ap.ConComp([MANY]), Anything())
