"""The accountants' single figures, each by its formula: what a wrong step would change."""

import math
from fractions import Fraction

import attrs
import numpy as np
import pytest
from accounting_reference import Line
from mpmath import exp, mpf, sqrt, tanh
from trying import over

from antiphon import Log
from antiphon.composition.accounting import advanced
from antiphon.composition.accounting.atoms import Atoms, TermWindow, window
from antiphon.composition.accounting.parameters import parameters
from antiphon.numbers.interval import Interval, down, probability
from antiphon.protocol.measures.divergences import response_divergence


class TestParameters:
    def test_a_sum_is_at_most_what_is_surely_above_it(self):
        """Σε_i = 1 + ln 3 lies strictly between the ends of its bracket."""
        mixed = parameters([(1, 0), (Log(3), 0)])
        low, high = mixed.sum
        assert mixed.total is None
        assert low < high
        assert not mixed.sum_at_most(low)
        assert mixed.sum_at_most(high)

    def test_a_certainty_among_many(self):
        """Far too many digits to multiply, and still δ = 1."""
        many = parameters([(0, 1), *[(0, Fraction(1, 3))] * 3], times=10**6)
        assert (many.exact_floor, many.floor.lower, many.floor.upper) == (1, 1.0, 1.0)

    def test_parameters_may_be_repeated(self):
        once, pairs = parameters([(Fraction(1, 10), Fraction(1, 2))]), [(0.1, 0.5)]
        assert parameters(once, times=3) == parameters(pairs, times=3)


@over("epsilon", ["1/1000", "1/100", "1/10", "1"])
@over("times", [1, 10, 1000])
def test_the_advanced_bound_is_its_formula(epsilon, times):
    """δ̃ = min(e^-x, √Σε²/(e^x − e)) with x = excess²/(2Σε²), for x > 1 where there are two."""
    each = Fraction(epsilon)
    curve, e = advanced([(each, 0)], times=times), mpf(each.numerator) / each.denominator
    square, mean = times * e * e, times * e * tanh(e / 2)
    for x in (mpf("0.2"), mpf("0.9"), mpf("1.1"), mpf(2), mpf(5), mpf(30)):
        at = float(mean + sqrt(2 * square * x))
        if at >= times * e:
            continue
        exact = (mpf(at) - mean) ** 2 / (2 * square)
        bounds = [exp(-exact), *([sqrt(square) / (exp(exact) - exp(1))] if exact > 1 else [])]
        assert abs(curve.delta_at(at) / min(bounds) - 1) < mpf("1e-9")


class TestEnds:
    def test_down_is_below_however_it_is_read(self):
        """0.3 is a double below 3/10, and prints as what is above it."""
        assert down(Fraction(0.3)) == math.nextafter(0.3, 0)
        assert down(Fraction(3, 10)) == 0.3

    def test_a_probability_is_one(self):
        assert probability(Interval(-0.5, -0.25)) == Interval(0.0, 0.0)
        assert probability(Interval(0.5, 1.5)) == Interval(0.5, 1.0)

    def test_the_largest_loss_is_rounded_up(self):
        """ln 3 between two doubles."""
        found = Fraction(response_divergence(Log(3), math.inf))
        assert found > parameters([(Log(3), 0)]).sum[0]


class TestWindows:
    WINDOW = window(10**5, 0.5, 4)

    def test_what_lies_outside_on_either_side_is_counted(self):
        """Term by term from the last that is kept, until nothing is left."""
        n, odds, terms = 10**5, mpf("0.5"), self.WINDOW.terms
        first, last = self.WINDOW.first, self.WINDOW.first + len(terms.lower) - 1
        below, term = mpf(0), mpf(float(terms.lower[0]))
        for j in range(first, first - 2000, -1):
            term *= mpf(j) / ((n + 1 - j) * odds)
            below += term
        above, term = mpf(0), mpf(float(terms.lower[-1]))
        for j in range(last, last + 2000):
            term *= (n - j) * odds / (j + 1)
            above += term
        assert below > 0 < above
        assert (below + above) <= self.WINDOW.outside <= mpf("1.3") * (below + above)

    def test_errors_grow_with_the_distance_from_the_anchor(self):
        terms = self.WINDOW.terms
        widths = terms.upper / terms.lower - 1
        place = int(np.argmin(widths))
        assert widths[place - 1000] > 500 * widths[place - 1] > 0
        assert widths[place + 1000] > 500 * widths[place + 1] > 0

    def test_the_mass_outside_takes_its_share(self):
        half = np.array([0.5])
        (lower,) = TermWindow(0, Interval(half, half), 0.5).normalised().terms.lower
        assert 0.49 < lower <= 0.5


class TestAtoms:
    GIVEN = parameters([*[(Fraction(1, 50), 0)] * 1000, *[(Log(Fraction(11, 10)), 0)] * 30])

    @pytest.mark.parametrize("at", [0.5, 2, 5])
    def test_listed_atoms_agree_with_contours(self, at):
        """The window of the thousand begins far from 0."""
        epsilon = Fraction(at)
        listed = Atoms(self.GIVEN.epsilons).stick(epsilon)
        contour = Line(self.GIVEN.epsilons, 1e-6).stick(epsilon)
        assert max(listed.lower, contour.lower) <= min(listed.upper, contour.upper)
        assert listed.upper - listed.lower < 1e-6 * listed.upper

    def test_what_has_no_place_counts_as_lost(self):
        atoms = Atoms(self.GIVEN.epsilons)
        law = atoms._tilted(1.0)
        more = attrs.evolve(law, outside=law.outside + 0.25)
        assert atoms._sum(more, Fraction(2)).upper > 1.01 * atoms._sum(law, Fraction(2)).upper
