"""Claims indexed by distance: what neighbours further apart, or nearer, cost."""

import math
from fractions import Fraction

import attrs
import numpy as np
import pytest
from trying import over

import antiphon as ap
from antiphon.mechanisms import (
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    GridGaussian,
    GridLaplace,
    Laplace,
    PermuteAndFlip,
    ReportNoisyMax,
)
from antiphon.protocol.claims import Status
from antiphon.protocol.measures.kinds import Pure, ZeroConcentrated
from antiphon.protocol.spaces import BITS, Finite, Integers, Signature, Tuples
from antiphon.verifiers.models import neighbouring_start
from antiphon.verifiers.preprocessing_distance import at_distance, distance_of
from antiphon.verifiers.relations import EachWithin, Monotone, Near, Within

FAMILIES = [
    DiscreteLaplace(epsilon=1, sensitivity=3),
    DiscreteLaplace(epsilon=Fraction(1, 3), sensitivity=3, dimension=2),
    DiscreteGaussian(rho=0.5, sensitivity=3),
    DiscreteGaussian(rho=0.5, sensitivity=3, dimension=2),
    GridLaplace(epsilon=1, sensitivity=3, step_size=0.25),
    GridGaussian(rho=0.5, sensitivity=3, step_size=0.25),
    Laplace(epsilon=1, sensitivity=3),
    Gaussian(rho=0.5, sensitivity=3),
    ExponentialMechanism(epsilon=1, candidates=3, sensitivity=3),
    ExponentialMechanism(epsilon=ap.Log(2**6), candidates=3, sensitivity=3),
    ExponentialMechanism(epsilon=1, candidates=3, sensitivity=3, monotone=True),
    PermuteAndFlip(epsilon=1, candidates=3, sensitivity=3, arrays=True),
    ReportNoisyMax(epsilon=1, candidates=3, sensitivity=3),
]


def apart(mechanism, distance):
    relation = mechanism.claims[0].verification.relation
    if type(relation) is Monotone:
        return neighbouring_start(Monotone(attrs.evolve(relation.relation, distance=distance)))
    return neighbouring_start(attrs.evolve(relation, distance=distance))


@over("mechanism", FAMILIES, at_least=13)
def test_the_family_goes_through_the_claim(mechanism):
    assert mechanism.claims_at(3) == mechanism.claims
    stated = mechanism.rho if hasattr(mechanism, "rho") else mechanism.epsilon
    kind = ZeroConcentrated if hasattr(mechanism, "rho") else Pure
    assert mechanism.claims[0].measure == kind(stated)
    assert distance_of(mechanism.claims[0].verification.relation) == 3
    nothing = mechanism.claims_at(0)[0]
    assert nothing.measure == Pure(0)
    assert distance_of(nothing.verification.relation) == 0


@over("mechanism", FAMILIES)
@over("times", [Fraction(1, 3), Fraction(2), Fraction(7)])
def test_pure_costs_grow_with_the_distance_and_gaussian_with_its_square(mechanism, times):
    f = apart(mechanism, 3 * times)
    promise = ap.guarantee(mechanism, f)
    assert promise.theorem == "the mechanism's claim, by distance"
    own, found = mechanism.claims[0], promise.derivation.measures[0]
    assert promise.status is own.status
    if isinstance(own.measure, ZeroConcentrated):
        assert found == ZeroConcentrated(own.measure.rho * times**2)
    else:
        assert float(found.epsilon) == pytest.approx(float(own.measure.epsilon) * times)


def test_a_fraction_of_a_step_is_a_step():
    """On a grid nearby numbers are a whole place apart; integer scores are not moved by a half."""
    grid = GridLaplace(epsilon=1, sensitivity=1, step_size=0.25)
    assert grid.claims_at(Fraction(3, 10))[0].measure == Pure(Fraction(2, 4))
    scores = ExponentialMechanism(epsilon=1, candidates=3, sensitivity=2)
    assert scores.claims_at(Fraction(7, 2))[0].measure == Pure(Fraction(3, 2))


def test_a_log_too_long_to_write_is_rounded_up():
    scores = ExponentialMechanism(epsilon=ap.Log(4), candidates=3)
    assert scores.claims_at(2)[0].measure == Pure(ap.Log(16))
    far = scores.claims_at(10**6)[0].measure.epsilon
    assert type(far) is Fraction
    assert 10**6 * math.log(4) < far < 10**6 * math.log(4) * (1 + 1e-12)


def test_only_neighbours_of_the_same_form():
    noise = DiscreteLaplace(epsilon=1, dimension=2)
    for relation in (Within(2), Near(2, 2), EachWithin(2), Monotone(Near(2, 1))):
        if type(relation) is not Monotone:
            with pytest.raises(ap.CompositionError, match="claim of"):
                ap.guarantee(noise, neighbouring_start(relation))
    assert ap.guarantee(noise, neighbouring_start(Near(2, 1))).epsilon_at(0) == 2
    assert ap.guarantee(noise, neighbouring_start(Monotone(Near(2, 1)))).epsilon_at(0) == 2


@pytest.mark.parametrize("bad", [-1, Fraction(-1, 9), math.nan, "1", None])
def test_no_distance(bad):
    for mechanism in FAMILIES:
        with pytest.raises(ap.InvalidArgument, match="distance"):
            mechanism.claims_at(bad)


def test_whose_word_a_family_is():
    class Quiet(DiscreteLaplace):
        def _noise(self, coins):
            return 0

    class Restates(Quiet):
        claims = DiscreteLaplace(epsilon=1).claims

    for kind in (Quiet, Restates):
        promise = ap.guarantee(kind(epsilon=1), neighbouring_start(Within(2)))
        assert promise.status is Status.ASSUMED


class Families(ap.NoninteractiveMechanism):
    """A mechanism of a user's, with a word of its own on what a distance costs."""

    def __init__(self, said):
        self.said = said

    signature = Signature(Integers(), Integers(), Integers())
    claims = DiscreteLaplace(epsilon=1).claims

    def claims_at(self, distance):
        return self.said(distance)

    def respond(self, dataset, coins):
        return dataset + coins.discrete_laplace(Fraction(1))


def test_what_a_family_may_say():
    f = neighbouring_start(Within(2))
    honest = Families(lambda distance: DiscreteLaplace(epsilon=1).claims_at(distance))
    assert ap.guarantee(honest, f).epsilon_at(0) == 2
    for said in (lambda d: honest.claims, lambda d: (), lambda d: refuted(honest, d)):
        with pytest.raises(ap.CompositionError, match="needs a claim"):
            ap.guarantee(Families(said), f)
    with pytest.raises(ap.InvalidArgument, match="tuple of Claim"):
        ap.guarantee(Families(lambda d: [honest.claims[0]]), f)


def refuted(mechanism, distance):
    claims = DiscreteLaplace(epsilon=1).claims_at(distance)
    return tuple(attrs.evolve(each, status=Status.REFUTED) for each in claims)


# --- behind a P that moves neighbours apart -------------------------------------------------------


def doubler():
    @ap.post_processor(deterministic=True)
    def twice(state, side, message, coins):
        if side is ap.Side.LEFT:
            return state, ap.Side.RIGHT, 2 * message
        return state, ap.Side.LEFT, message

    return twice


@pytest.mark.parametrize(
    "noise", [DiscreteLaplace(epsilon=1), GridLaplace(epsilon=1, step_size=1.0)], ids=repr
)
def test_the_true_distance_is_derived_and_the_naive_one_refused(noise):
    near, far = neighbouring_start(Within(1)), neighbouring_start(Within(2))
    promise = ap.guarantee(doubler() @ noise, near, inner=far)
    assert (promise.theorem, promise.epsilon_at(0)) == ("CM Thm 6.1", 2)
    with pytest.raises(ap.CompositionError, match="not neighbours") as caught:
        ap.guarantee(doubler() @ noise, near, inner=near)
    runs = caught.value.counterexample.replay()
    assert not Within(1).holds(runs[0][0][1], runs[1][0][1])


def test_arrays_behind_a_p_are_tried_by_nobody():
    noise = DiscreteLaplace(epsilon=1, dimension=1)
    near = neighbouring_start(Near(1, 1))
    promise = ap.guarantee(doubler() @ noise, near, inner=near)
    assert promise.status is Status.ASSUMED
    assert (doubler() @ noise).start(seed=1).send(np.array([1])).dtype == np.int64


@attrs.frozen
class OneEntry:
    """Tuples of bits that differ in one entry."""

    def holds(self, zero, one):
        return sum(a != b for a, b in zip(zero, one, strict=True)) <= 1


def spread(bits):
    """A P that makes of a tuple one whose entries are all its last; before whoever says ⊤."""

    @ap.post_processor(deterministic=True)
    def last(state, side, message, coins):
        if side is ap.Side.LEFT:
            return state, ap.Side.RIGHT, (message[-1],) * bits
        return state, ap.Side.LEFT, message

    @ap.mechanism(queries=Tuples((BITS,) * bits), answers=Finite((ap.TOP,)))
    def receives(state, message, coins):
        return state, ap.TOP

    return last @ receives


@pytest.mark.parametrize("bits", [3, 3000])
def test_a_p_of_long_tuples_is_tried_like_one_of_short_ones(bits):
    """Tuples of 1,000 entries were too many to list, which looked as if none could be tried."""
    near = neighbouring_start(OneEntry())
    with pytest.raises(ap.CompositionError, match="not neighbours"):
        ap.guarantee(spread(bits), near, inner=near)


def test_at_distance():
    assert at_distance(Near(1, 2), Fraction(2)) == Near(2, 2)
    assert at_distance(EachWithin(1), Fraction(2)) == EachWithin(2)
    assert at_distance(Monotone(Within(1)), Fraction(2)) is None

    class Wide(Within):
        def holds(self, zero, one):
            return True

    assert at_distance(Wide(1), Fraction(1)) is None
    assert distance_of(Wide(1)) is None
