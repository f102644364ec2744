"""f' of boards, and the rule: what each premise refuses."""

from fractions import Fraction

import attrs
import pytest
from trying import over

import antiphon as ap
from antiphon import Ask, Create, ExtConComp, Log, Pair, same, spaces
from antiphon.boards import SharedPurse
from antiphon.boards.purse import UNIT, interval, times
from antiphon.composition import NoGuarantee
from antiphon.mechanisms import COUNT, GaussianTreeCounter, TreeCounter
from antiphon.mechanisms.counters.counter import QUERIES
from antiphon.protocol import Status
from antiphon.protocol.measures.kinds import Pure

COUNTER = TreeCounter(horizon=4, epsilon=Fraction(1, 3), largest=9, sensitivity=1)


def purse(*mechanisms, units=3):
    return SharedPurse(tuple(map(Create, mechanisms)), units=units)


def test_the_dearest_counter_sets_the_price():
    cheap = attrs.evolve(COUNTER, epsilon=Fraction(1, 5))
    for order in ((cheap, COUNTER, cheap), (COUNTER, cheap)):
        assert ap.guarantee(ExtConComp(), purse(*order)).epsilon_at(0) == 1.0


@over(
    "counter, said",
    [
        (GaussianTreeCounter(horizon=4, rho=1, largest=9), "pure"),
        (attrs.evolve(COUNTER, sensitivity=Fraction(1, 2)), "one unit"),
        (TreeCounter(horizon=4, epsilon=1, dimension=2), "one unit|interval"),
    ],
)
def test_other_counters_have_no_guarantee(counter, said):
    with pytest.raises(NoGuarantee, match=said):
        ap.guarantee(ExtConComp(), purse(counter))


@attrs.frozen
class Even(ap.ContinualMechanism):
    """Takes 0, 2 and 4 only: between two of them stands none that differs by one."""

    initial_state = 0
    signature = spaces.Signature(
        spaces.Either((spaces.Finite((0, 2, 4)), QUERIES)), spaces.Finite((0,)), spaces.Integers()
    )
    claims = (ap.Claim(Pure(Fraction(1)), UNIT, Status.PROVED, "no two differ by one"),)

    def step(self, state, message, coins):
        return state, 0


def test_what_is_between_must_be_in_the_space():
    with pytest.raises(NoGuarantee, match="interval"):
        ap.guarantee(ExtConComp(), purse(Even()))
    ints, two = spaces.Integers(0, 3), spaces.Finite((0, 2))
    assert interval(ints)
    assert interval(spaces.Either((ints, QUERIES)))
    assert not interval(spaces.Either((ints, two)))
    assert not interval(spaces.Either((ints, ints)))
    assert not interval(QUERIES)


@over(
    "pairs, valid",
    [
        ([Pair(Ask(0, 0), Ask(3, 0))], True),
        ([Pair(Ask(0, 0), Ask(4, 0))], False),
        ([Pair(Ask(4, 0), Ask(0, 0))], False),
        ([Pair(Ask(2, 0), Ask(0, 0)), Pair(Ask(0, 1), Ask(1, 1))], True),
        ([Pair(Ask(2, 0), Ask(0, 0)), Pair(Ask(0, 1), Ask(2, 1))], False),
        ([Pair(Ask(0, 0), Ask(0, 1))], False),
        ([Pair(Ask(0, 0), Ask(COUNT, 0))], False),
        ([same(Ask(COUNT, 1)), same(Ask(9, 1))], True),
        ([same(Ask(0, 2))], False),
        ([same(Ask(10, 0))], False),
        ([same(Create(COUNTER))], False),
    ],
)
def test_pairs_that_differ_by_more_are_refused(pairs, valid):
    f = purse(COUNTER, COUNTER)
    begun = [same(each) for each in f.created]
    assert f([*begun, *pairs]) is (ap.TOP if valid else ap.BOTTOM)


def test_the_counters_come_first():
    assert purse(COUNTER)([same(Ask(0, 0))]) is ap.BOTTOM
    assert purse(COUNTER, COUNTER)([same(Create(COUNTER)), same(Ask(0, 0))]) is ap.BOTTOM


def test_a_price_many_times():
    assert times(3, Fraction(1, 3)) == 1
    assert times(3, Log(2)) == Log(8)
    assert float(times(1000, Log(2))) >= float(Log(2**1000))
