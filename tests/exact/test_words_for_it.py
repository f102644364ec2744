"""Guarantees by a word that should not be taken: finds of a review, each with its leak."""

from fractions import Fraction

import attrs
import pytest

import antiphon as ap
from antiphon import Claim, Mechanism
from antiphon.composition import BasicFilter, ComplexMechanism, sparse_parallel
from antiphon.mechanisms import HSS, AboveThreshold, HistogramQuery, LeakyBit, RandomizedResponse
from antiphon.mechanisms.histograms.svt import HistogramMonitor
from antiphon.protocol import Approximate, Status
from antiphon.protocol.verification import Refused, Verification

HALF = Fraction(1, 2)


@attrs.frozen
class Loud(HistogramQuery):
    """Not 1-sensitive."""

    def __call__(self, counts):
        return 1000 * counts[0]

    def sensitivity(self, dimension):
        return 1


@Mechanism.register
@attrs.frozen
class Posing(Loud):
    """Says that it is a mechanism, whose own claim would vouch for it."""


class Both(Loud, ap.ContinualMechanism):
    initial_state = 0
    signature = ap.Signature(ap.spaces.BITS, ap.spaces.BITS)

    def step(self, state, message, coins):
        return state, 0


@pytest.mark.parametrize("query", [Loud(), Posing(), Both()], ids=lambda q: type(q).__name__)
def test_a_query_of_the_users_is_looked_at_whatever_else_it_is(query):
    monitor = HistogramMonitor(
        mechanism=AboveThreshold(epsilon=HALF), queries=(query,), dimension=1
    )
    system = ComplexMechanism(monitor)
    assert ap.guarantee(system).status is Status.ASSUMED
    assert ap.guarantee(ComplexMechanism(HSS(epsilon=1, query=query, dimension=1))).status is (
        Status.ASSUMED
    )
    heard = []
    for bit in (0, 1):
        session = system.start(seed=1)
        session.send((bit,))
        heard.append(session.send((query, 500)))
    assert heard == [ap.BOTTOM, ap.TOP]


class EqualsAll(type(BasicFilter)):
    def __eq__(cls, other):
        return True

    def __hash__(cls):
        return hash(BasicFilter)


class Free(BasicFilter, metaclass=EqualsAll):
    def charge(self, state, measure):
        return state


def test_a_filter_is_ours_by_identity():
    response = RandomizedResponse(epsilon=ap.Log(3))
    composed = ap.ExtConComp(budget=Free(epsilon=ap.Log(3), delta=0))
    found = ap.guarantee(composed, catalogue=[response])
    assert found.status is Status.ASSUMED
    honest = ap.ExtConComp(budget=BasicFilter(epsilon=ap.Log(3), delta=0))
    assert ap.guarantee(honest, catalogue=[response]).status is Status.PROVED


class AllAlike:
    def __init__(self, count):
        self.count = count

    def __eq__(self, other):
        return type(other) is AllAlike

    def __hash__(self):
        return 0


@attrs.frozen
class LateDifference(Verification):
    """(q, q), (q, q), then one pair may differ; says that it is first-pair consistent."""

    first_pair_consistent = True
    plain: bool

    @property
    def initial_state(self):
        return 0 if self.plain else AllAlike(0)

    def step(self, state, zero, one):
        count = state if self.plain else state.count
        if zero != one and count != 2:
            return Refused("not now")
        count = count + 1 if zero == one else 9
        return count if self.plain else AllAlike(count)


@pytest.mark.parametrize("plain", [True, False])
def test_states_that_say_which_are_equal_are_no_exploration(plain):
    leaky = LeakyBit(delta=HALF)
    claim = Claim(Approximate(0, HALF), LateDifference(plain), Status.PROVED, "CM §5.2")

    @ap.mechanism(
        queries=leaky.signature.queries, answers=leaky.signature.answers,
        initial_state="first", claims=(claim,),
    )  # fmt: skip
    def late(state, query, coins):
        if state == "first":
            return leaky.initial_state, ap.TOP
        return leaky.step(state, query, coins)

    f = sparse_parallel([(0, HALF)])
    if plain:
        with pytest.raises(ap.CompositionError):
            ap.guarantee(ap.ExtConComp(), f, catalogue=[late])
    else:
        found = ap.guarantee(ap.ExtConComp(), f, catalogue=[late])
        assert found.status is Status.ASSUMED
