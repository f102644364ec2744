"""Accounting equals the exact engine: the best adversary against concurrent RRs."""

from fractions import Fraction

import pytest
from accounting_reference import Line
from hypothesis import given
from hypothesis import strategies as st
from trying import examples

import antiphon as ap
from antiphon.composition.accounting import exactly, optimal
from antiphon.composition.accounting.atoms import Atoms
from antiphon.composition.accounting.parameters import parameters
from antiphon.mechanisms import RandomizedResponse
from antiphon.numbers import exact

growths = st.sampled_from([Fraction(5, 4), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(7)])
epsilons = st.builds(ap.Log, growths)
deltas = st.sampled_from([Fraction(0), Fraction(0), Fraction(1, 10), Fraction(1, 3)])
pairs = st.tuples(epsilons | st.just(Fraction(0)), deltas)


def engine(given, at):
    """The tight δ of the composition of these RRs, each asked once."""
    responses = [RandomizedResponse(epsilon=e, delta=d) for e, d in given]
    f = ap.composition.fixed_mechanisms(responses)
    game = ap.PrivacyGame(ap.ExtConComp(), f)
    return game.tight_delta(epsilon=at, rounds=2 * len(responses))


@given(st.lists(pairs, min_size=1, max_size=4), epsilons | st.just(0))
def test_the_tight_delta_of_concurrent_responses(given, at):
    assert exactly(given).delta_at(at) == engine(given, at)


@pytest.mark.parametrize(("count", "growth", "delta"), [(6, 2, Fraction(1, 100)), (5, 3, 0)])
def test_the_tight_delta_of_equal_responses(count, growth, delta):
    given = [(ap.Log(growth), delta)] * count
    for power in range(count + 1):
        at = ap.Log(Fraction(growth) ** power)
        found = exactly(given).delta_at(at)
        assert found == engine(given, at)
        assert found in optimal(given).delta_between(at)


@given(st.lists(pairs, min_size=1, max_size=9), growths, st.fractions(0, 1))
def test_intervals_hold_the_exact_values(given, growth, target):
    truth, curve = exactly(given), optimal(given)
    at = ap.Log(growth)
    assert truth.delta_at(at) in curve.delta_between(at)
    assert truth.delta_at(0) in curve.delta_between(0)
    floor = truth.floor
    assert floor in curve.floor
    target = floor + (1 - floor) * target
    ends, epsilon = curve.epsilon_between(target), truth.epsilon_at(target)
    assert truth.delta_at(epsilon) <= target
    assert exact.at_most(Fraction(ends.lower), epsilon)
    assert exact.at_most(epsilon, Fraction(ends.upper))


@examples(6)
@given(st.lists(epsilons, min_size=2, max_size=9), growths)
def test_both_methods_hold_the_exact_values(given, growth):
    pairs, at = [(e, 0) for e in given], ap.Log(growth)
    truth, composed = exactly(pairs), parameters(pairs)
    if not composed.sum_at_most(at):
        for method in (Atoms(composed.epsilons), Line(composed.epsilons, 1e-5)):
            assert truth.delta_at(at) in method.stick(at)


def test_the_least_epsilon_is_attained():
    curve = exactly([(ap.Log(3), 0), (ap.Log(2), Fraction(1, 10))])
    for target in (Fraction(1, 10), Fraction(1, 5), Fraction(1, 2), Fraction(1)):
        epsilon = curve.epsilon_at(target)
        assert curve.delta_at(epsilon) == target or epsilon == 0
    assert curve.epsilon_at(Fraction(1, 10)) == ap.Log(6)


class TestBadInput:
    def test_irrational_growth(self):
        with pytest.raises(ap.InvalidArgument, match=r"write ε as Log\(q\)"):
            exactly([(0.5, 0)])
        with pytest.raises(ap.InvalidArgument, match=r"write ε as Log\(q\)"):
            exactly([(ap.Log(2), 0)]).delta_at(0.5)

    def test_too_large(self):
        unlike = [(ap.Log(1 + Fraction(1, n)), 0) for n in range(1, 30)]
        with pytest.raises(ap.Intractable, match="use `optimal`"):
            exactly(unlike).delta_at(0)

    def test_below_the_floor(self):
        with pytest.raises(ap.InvalidArgument, match="floor, 1/2"):
            exactly([(ap.Log(2), Fraction(1, 2))]).epsilon_at(0.25)
