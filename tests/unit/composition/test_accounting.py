"""Accounting: reference values, soundness, and every refusal."""

import math
from fractions import Fraction

import pytest

import antiphon as ap
from antiphon.composition.accounting import advanced, basic, optimal

REFERENCES = [
    (10, 0.5, "0.00993952757656663066"),
    (100, 3, "0.00146125761186255392"),
    (1000, 12, "0.00803938893566860924"),
    (10**4, 80, "0.0109179034803529967"),
    (10**5, 600, "0.0957627626033033082"),
]


@pytest.mark.parametrize(("times", "epsilon", "value"), REFERENCES)
def test_reference_values_of_equal_parameters(times, epsilon, value):
    """RR_{0.1,1e-6}, in sixty-digit arithmetic (theory §4)."""
    truth = Fraction(value)
    curve = optimal([(0.1, 1e-6)], times=times)
    found = curve.delta_between(epsilon)
    assert found.lower <= truth <= found.upper
    assert max(truth - Fraction(found.lower), Fraction(found.upper) - truth) <= truth / 10**12
    around = curve.epsilon_between(truth)
    assert around.lower <= epsilon <= around.upper
    assert around.width <= 1e-12 * epsilon


def test_what_other_libraries_get_wrong():
    assert optimal([(0.1, 0)], times=10**4).delta_between(160).lower > 0
    assert optimal([(8, 0)], times=20).epsilon_at(1e-6) == pytest.approx(160, abs=1e-5)
    for times in (954, 10**4, 10**6):
        assert 0 < optimal([(1, 0)], times=times).delta_at(times / 2) < 1
    assert optimal([(0.1, 0)], times=1000).delta_at(100) == 0
    assert optimal([(0.1, 0)], times=1000).delta_between(99.999).lower > 0
    assert optimal([(1000, 0)], times=3).delta_between(2999).lower > 0.6


def test_basic_and_advanced_are_never_below_optimal():
    given = [(0.1, 1e-6)]
    for times in (1, 10, 1000):
        curves = [make(given, times=times) for make in (optimal, advanced, basic)]
        for epsilon in (0, 0.05, 1, 5, 20, 200):
            best, simple, sums = (curve.delta_at(epsilon) for curve in curves)
            assert best <= simple <= sums or simple == pytest.approx(best)
        assert curves[0].epsilon_at(1e-2) <= curves[1].epsilon_at(1e-2)
        assert curves[1].epsilon_at(1e-2) <= curves[2].epsilon_at(1e-2)


def test_one_mechanism_is_itself():
    curve = optimal([(ap.Log(3), Fraction(1, 8))])
    assert curve.delta_at(ap.Log(3)) == 1 / 8
    assert curve.epsilon_at(1 / 8) == pytest.approx(math.log(3), rel=1e-14)
    inside = curve.delta_between(0)
    assert inside.lower <= 1 - Fraction(7, 8) * Fraction(1, 2) <= inside.upper


def test_many_at_once():
    curve = optimal([(0.1, 0)], times=50)
    deltas = curve.delta_at([0, 1, ap.Log(3)])
    assert [*deltas] == [curve.delta_at(e) for e in (0, 1, ap.Log(3))]
    assert curve.epsilon_at(deltas) == pytest.approx([0, 1, math.log(3)], abs=1e-12)


class TestBadInput:
    @pytest.mark.parametrize("epsilon", [-0.1, math.nan, math.inf, True, "1", None])
    def test_epsilon(self, epsilon):
        for make in (basic, advanced, optimal):
            with pytest.raises(ap.InvalidArgument, match="epsilon"):
                make([(epsilon, 0)])
        with pytest.raises(ap.InvalidArgument, match="epsilon"):
            optimal([(1, 0)]).delta_at(epsilon)

    @pytest.mark.parametrize("delta", [-1e-9, 1.001, math.nan, math.inf, True, None])
    def test_delta(self, delta):
        with pytest.raises(ap.InvalidArgument, match="delta"):
            optimal([(1, delta)])
        with pytest.raises(ap.InvalidArgument, match="delta"):
            optimal([(1, 0)]).epsilon_at(delta)

    @pytest.mark.parametrize("times", [0, -1, 1.0, True])
    def test_times(self, times):
        with pytest.raises(ap.InvalidArgument, match="times must be an int >= 1"):
            optimal([(1, 0)], times=times)

    def test_no_pairs(self):
        with pytest.raises(ap.InvalidArgument, match="k >= 1"):
            optimal([])
        for wrong in ([1, 2], [(1, 2, 3)], [(1,)]):
            with pytest.raises(ap.InvalidArgument, match="pairs"):
                optimal(wrong)

    def test_parameters_that_are_still_to_be_chosen(self):
        with pytest.raises(ap.CompositionError, match="filter"):
            optimal(lambda answers: (1, 0))

    def test_a_target_below_the_floor(self):
        with pytest.raises(ap.InvalidArgument, match=r"below the floor.*0\.19"):
            basic([(1, 0.1)], times=2).epsilon_at(0.1)
        assert basic([(1, 0.1)], times=2).epsilon_at(0.19) == 2
        assert optimal([(1, 0.1)], times=2).epsilon_at(0.19) == 2
