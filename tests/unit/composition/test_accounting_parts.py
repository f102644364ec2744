"""The parts of accounting, each against exact arithmetic."""

import math
from fractions import Fraction

import numpy as np
import pytest
from accounting_reference import law, mp, mpf, real, stick
from hypothesis import given
from hypothesis import strategies as st
from trying import examples

from antiphon import Log
from antiphon.composition.accounting import advanced
from antiphon.composition.accounting.atoms import window
from antiphon.composition.accounting.composed_loss import Product
from antiphon.composition.accounting.curve import crossing
from antiphon.composition.accounting.fourier_inversion import make
from antiphon.composition.accounting.laws.responses import Responses
from antiphon.composition.accounting.parameters import parameters
from antiphon.composition.accounting.renyi import least
from antiphon.numbers.double_double import ERROR, difference, twofold
from antiphon.numbers.interval import UNIT, Interval, down, nearest, outward, up

rationals = st.fractions(min_value=0, max_value=10**6)
growths = st.one_of(
    st.fractions(min_value=Fraction(100001, 100000), max_value=10**9),
    st.integers(1, 10**12).map(lambda n: 1 + Fraction(1, n)),  # Log(q) where ln q is tiny
)


class TestRounding:
    @given(rationals)
    def test_of_rationals(self, value):
        assert Fraction(down(value)) <= value <= Fraction(up(value))
        tight = math.nextafter(
            down(value), math.inf
        )  # of the binary values; of the decimals, one more
        assert up(value) <= math.nextafter(tight, math.inf)

    @given(growths)
    def test_of_logarithms(self, growth):
        truth = mp.log(real(growth))
        assert down(Log(growth)) <= truth <= up(Log(growth))
        assert abs(nearest(Log(growth)) - truth) <= truth * 2 * UNIT

    def test_of_the_losses(self):
        """``float(Log(q))`` has lost half its digits here."""
        losses = Responses(parameters([(Log(1 + Fraction(1, 10**9)), 0)]).epsilons)
        assert losses.epsilons[0] == pytest.approx(1e-9 - 5e-19, rel=1e-15, abs=0)

    def test_at_the_ends_of_the_doubles(self):
        assert up(Fraction(1, 10**400)) == 5e-324
        assert down(Fraction(1, 10**400)) == 0
        assert up(Fraction(10**400)) == math.inf

    @given(st.floats(0, 1), st.floats(0, 1))
    def test_three_roundings(self, one, other):
        found = outward(one * other, one * other)
        assert Fraction(found.lower) <= Fraction(one) * Fraction(other) <= Fraction(found.upper)

    def test_intervals(self):
        assert 0.5 in Interval(0.25, 0.5)
        assert Fraction(1, 3) not in Interval(0.5, 0.5)


@given(
    st.lists(st.floats(1e-12, 0.9).map(lambda d: float(f"{d:.5g}")), min_size=1, max_size=5),
    st.integers(1, 10**6),
)
def test_floors(deltas, times):
    composed = parameters([(1, d) for d in deltas], times)
    log = mp.fsum(times * mp.log1p(-real(Fraction(repr(d)))) for d in deltas)
    assert composed.floor.lower <= -mp.expm1(log) <= composed.floor.upper
    assert composed.survival.lower <= mp.exp(log) <= composed.survival.upper
    assert composed.floor.width <= 1e-14 * composed.floor.upper * (1 + abs(float(log)))


def test_all_losses_are_above_only_where_that_is_so_but_for_2_to_the_minus_53():
    """Of 500 RR_1, by Chernoff's bound: 1 - H is 1e-17 at 40 and below, and 5e-6 at 140."""
    pairs = Responses(((Fraction(1), 500),))
    assert pairs.stick(Fraction(0)) == pairs.stick(Fraction(40)) == Interval(1 - 2.0**-53, 1.0)
    with mp.workdps(50):
        losses = law([(Fraction(1), 500)])
        for at in map(Fraction, (40, 60, 80, 140)):
            found = pairs.stick(at)
            assert found is None or found.lower <= stick(losses, at) <= found.upper
    assert pairs.stick(Fraction(140)) is None


@given(
    st.lists(st.floats(0.01, 2), min_size=1, max_size=20),
    st.integers(1, 100),
    st.floats(1e-9, 0.5),
)
def test_the_advanced_bound_is_the_formula(epsilons, times, slack):
    """Theory §4: the least of the three ε̃ at δ̃, for δ = 0."""
    values = [real(Fraction(repr(e))) for e in epsilons for _ in range(times)]
    square, mean = mp.fsum(e * e for e in values), mp.fsum(e * mp.tanh(e / 2) for e in values)
    logs = mp.log(1 / mpf(slack)), mp.log(mp.e + mp.sqrt(square) / mpf(slack))
    truth = min(mp.fsum(values), mean + mp.sqrt(2 * square * min(logs)))
    found = advanced([(e, 0) for e in epsilons], times=times).epsilon_at(slack)
    assert truth * (1 - mpf(10) ** -15) <= found <= truth * (1 + mpf(10) ** -11)


@given(st.integers(-(2**50), 2**50), growths.map(Log) | rationals, rationals)
def test_differences_that_cancel(multiple, unit, less):
    exactly = real(unit) if isinstance(unit, Fraction) else mp.log(real(unit.argument))
    pairs = [(multiple, less)]
    if isinstance(unit, Fraction):
        pairs += [(multiple, multiple * unit), (multiple, multiple * unit + Fraction(1, 10**15))]
    for number, subtrahend in pairs:
        parts = twofold(unit), twofold(subtrahend)
        found = difference(np.array([float(number)]), *parts)[0]
        truth = number * exactly - real(subtrahend)
        bound = ERROR * max(abs(number * exactly), abs(real(subtrahend)))
        assert abs(mpf(float(found)) - truth) <= bound + abs(truth) * 2 * UNIT


@pytest.mark.slow
@given(st.integers(1, 300), st.floats(1e-6, 1))
def test_windows_hold_the_binomial_law(count, odds):
    found = window(count, odds, 0).normalised()
    exactly = Fraction(odds)
    share = exactly / (1 + exactly)
    inside = Fraction(0)
    for place in range(len(found.terms.lower)):
        wrong = found.first + place
        mass = math.comb(count, wrong) * share**wrong * (1 - share) ** (count - wrong)
        inside += mass
        assert found.terms.lower[place] <= mass <= found.terms.upper[place]
    assert 1 - inside <= found.outside <= 1e-15


@pytest.mark.parametrize("odds", [0.0, 1e-300, 1e-20])
def test_windows_of_hardly_any_wrong_answers(odds):
    found = window(10**6, odds, 4).normalised()
    assert found.first == 0
    assert found.terms.upper[0] >= 1 - 1e6 * max(odds, 1e-280)
    assert found.terms.upper[1] >= 1e6 * odds * (1 - 1e-9)
    assert found.terms.lower[1] <= 1e6 * odds


@examples(5)
@given(
    st.lists(st.floats(0.01, 3), min_size=1, max_size=30, unique=True),
    st.integers(1, 40), st.floats(0.05, 4), st.floats(1e-6, 1e-3),
)  # fmt: skip
def test_what_is_kept_and_what_is_dropped(epsilons, count, order, noise):
    """Every multiple of τ is either kept with its value, or within the bound on the rest."""
    losses = Responses(parameters([(e, 0) for e in epsilons], count).epsilons)
    guide = losses.guide(order)
    contour = make(Product((losses,)), order, guide[0], guide[1] ** 0.5, Fraction(noise), None)
    end = min(contour.end, math.ceil(12 / math.sqrt(noise) / contour.step))
    theta = contour.step * np.arange(end)
    values = np.exp(-noise * theta**2 / 2 + 1j * noise * (order + 0.5) * theta).astype(complex)
    for e, n in zip(losses.epsilons, losses.counts, strict=True):
        factor = np.cos(theta * e) + 1j * np.tanh((order + 0.5) * e) * np.sin(theta * e)
        values *= factor ** int(n)
    values[1:] *= 2
    places = contour._kept.indices.astype(int)
    inside = places < end
    assert np.allclose(contour._weights[inside], values[places[inside]], atol=1e-9)
    rest = np.ones(end, bool)
    rest[places[inside]] = False
    s = order + 1j * theta
    plain, kernel = np.abs(values[rest]) / 2, np.abs(values / (s * (s + 1)))[rest] / 2
    dropped = contour._dropped
    assert np.sum(plain) <= dropped[1] + 1e-12
    assert np.sum(kernel) <= dropped[0] + 1e-12
    assert dropped[0] <= 1e-9 / contour.step


@given(st.floats(0.01, 99), st.floats(0, 50), st.floats(0, 50))
def test_crossings_are_found_from_any_guess(root, one, other):
    for function in (
        lambda x: root - x, lambda x: math.exp(root - x) - 1, lambda x: math.copysign(1, root - x),
        lambda x: (root - x) ** 3,
    ):  # fmt: skip
        low, high = crossing(function, min(one, other), max(one, other), 100.0)
        assert function(low) > 0 >= function(high)
        assert high - low <= 2.0**-49 * high
    assert crossing(lambda x: -1.0, 2.0, 3.0, 100.0) == (0.0, 0.0)
    assert crossing(lambda x: root - x, 0.0, 1.0, math.inf)[1] == pytest.approx(root)


@given(st.floats(1.001, 1e6))
def test_the_least_value_over_orders(best):
    assert least(lambda order: math.log((order - 1) / (best - 1)) ** 2 + 7) == pytest.approx(7)
