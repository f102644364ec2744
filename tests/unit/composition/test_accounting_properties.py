"""Properties of every privacy curve, on random parameters."""

from fractions import Fraction
from math import log, sqrt

import pytest
from accounting_reference import mp, mpf
from hypothesis import given
from hypothesis import strategies as st
from trying import examples

import antiphon as ap
from antiphon.composition import accounting
from antiphon.composition.accounting import advanced, basic, concentrated, optimal, renyi, sparse

epsilons = st.one_of(
    st.sampled_from([0, 0.1, 0.25, 1, Fraction(1, 3), ap.Log(2), ap.Log(3)]),
    st.floats(1e-4, 6).map(lambda x: float(f"{x:.4g}")),
)
pairs = st.tuples(epsilons, st.sampled_from([0, 0, 1e-9, 1e-3, Fraction(1, 7)]))
several = st.lists(pairs, min_size=1, max_size=6)
points = st.floats(0, 8)
MAKERS = [basic, advanced, concentrated, renyi, optimal]
ROUNDING = 1e-9
"""Relative: intervals of ``optimal`` are narrower for so few parameters."""


def contour(given):
    """The curve of unequal parameters, by the method for many of them."""
    many = [(Fraction(1000 + 7 * i, 30011), 0) for i in range(40)]
    return optimal([*given, *many], width=1e-4)


@pytest.mark.parametrize("make", MAKERS)
@given(several, points, points)
def test_delta_falls_in_epsilon(make, given, one, other):
    curve, (low, high) = make(given), sorted([one, other])
    deltas = curve.delta_between([low, high])
    assert deltas.upper[1] <= deltas.upper[0] * (1 + ROUNDING)
    assert deltas.lower[1] <= deltas.lower[0] * (1 + ROUNDING)
    assert all(deltas.lower <= deltas.upper)
    assert curve.floor.lower <= deltas.lower[1]


@pytest.mark.slow
@given(several, points, points)
def test_delta_falls_in_epsilon_for_many(given, one, other):
    curve, (low, high) = contour(given), sorted([one, other])
    deltas = curve.delta_between([low, high])
    assert deltas.lower[1] <= deltas.upper[0]


@pytest.mark.parametrize("make", MAKERS)
@given(several, pairs, points)
def test_one_more_mechanism_never_lowers_delta(make, given, more, at):
    if make is advanced:  # its bound is no function of what is leaked: compare it with the truth
        assert advanced([*given, more]).delta_at(at) >= optimal(given).delta_between(at).lower
    else:
        after, before = make([*given, more]).delta_at(at), make(given).delta_at(at)
        assert after >= before * (1 - ROUNDING)


@examples(10)
@given(several, pairs, points)
def test_one_more_mechanism_never_lowers_delta_of_many(given, more, at):
    after, before = contour([*given, more]), contour(given)
    assert after.delta_between(at).upper >= before.delta_between(at).lower


@given(several, st.randoms(use_true_random=False), points)
def test_the_order_of_the_parameters_does_not_matter(given, draw, at):
    shuffled = [*given]
    draw.shuffle(shuffled)
    for make in MAKERS:
        assert make(given).delta_between(at) == make(shuffled).delta_between(at)


@given(several, points)
def test_repeating_is_listing(given, at):
    for make in MAKERS:
        assert make(given, times=3).delta_between(at) == make(given * 3).delta_between(at)


@given(several, points)
def test_nothing_is_below_the_tight_curve(given, at):
    least = optimal(given).delta_between(at).lower
    assert all(make(given).delta_at(at) >= least for make in MAKERS)


@pytest.mark.parametrize("make", MAKERS)
@given(several, st.sampled_from([1e-15, 1e-6, 0.01, 0.5, 1]))
def test_epsilon_and_delta_agree(make, given, delta):
    curve = make(given)
    if delta < curve.floor.upper:
        with pytest.raises(ap.InvalidArgument, match="floor"):
            curve.epsilon_at(delta)
        return
    ends = curve.epsilon_between(delta)
    assert ends.lower <= ends.upper
    assert curve.delta_at(Fraction(ends.upper)) <= delta * (1 + ROUNDING)
    assert ends.upper <= basic(given).epsilon_at(delta)
    if make is optimal and ends.lower > 0:
        assert curve.delta_between(Fraction(ends.lower)).lower >= delta * (1 - ROUNDING)
        assert ends.width <= 1e-6


class TestSparse:
    @given(several, st.integers(1, 8), points)
    def test_no_choice_is_worse(self, given, k, at):
        curve = sparse(given, k=k)
        for start in range(len(given)):
            chosen = (given * 2)[start : start + min(k, len(given))]
            assert curve.delta_at(at) >= optimal(chosen).delta_between(at).lower

    @given(several, points)
    def test_all_of_them(self, given, at):
        assert sparse(given, k=len(given)).delta_at(at) == optimal(given).delta_at(at)

    @given(st.lists(st.tuples(epsilons, st.just(0)), min_size=1, max_size=6), points)
    def test_ordered_parameters_are_tight(self, given, at):
        ends = sparse(given, k=2).delta_between(at)
        assert ends.width <= ROUNDING * ends.upper

    def test_incomparable_parameters(self):
        """(0.1, 1e-6) beside (0.5, 0): a bound from above, and both choices below it."""
        ends = sparse([(0.1, 1e-6), (0.5, 0)], k=1).delta_between([0.2, 0.6])
        assert list(ends.upper) == list(optimal([(0.5, 1e-6)]).delta_at([0.2, 0.6]))
        assert ends.lower[0] == optimal([(0.5, 0)]).delta_between(0.2).lower
        assert ends.lower[1] == optimal([(0.1, 1e-6)]).delta_between(0.6).lower
        assert 0 < ends.width[0] < 1.01e-6
        around = sparse([(0.1, 1e-6), (0.5, 0)], k=1).epsilon_between(1e-5)
        assert around.lower < around.upper < 0.5

    @pytest.mark.parametrize("k", [0, -1, 1.0, True, None])
    def test_bad_k(self, k):
        with pytest.raises(ap.InvalidArgument, match="k must be an int >= 1"):
            sparse([(1, 0)], k=k)


class TestRenyi:
    @given(epsilons, st.floats(1.001, 200))
    def test_the_divergence_of_a_response(self, epsilon, order):
        e = mpf(float(epsilon)) if epsilon != Fraction(1, 3) else mpf(1) / 3
        p, q = mp.exp(e) / (1 + mp.exp(e)), 1 / (1 + mp.exp(e))
        a = mpf(order)
        truth = mp.log(p**a * q ** (1 - a) + q**a * p ** (1 - a)) / (a - 1)
        found = accounting.response_divergence(epsilon, order)
        tiny = mpf(10) ** -40
        assert truth - tiny <= found <= truth * (1 + mpf(10) ** -13) + tiny

    @given(st.floats(1e-12, 60), st.floats(-15.6, -1))
    def test_the_divergence_of_orders_near_1(self, epsilon, size):
        e, a = mpf(Fraction(repr(epsilon)).numerator), mpf(1 + 10.0**size)
        e /= Fraction(repr(epsilon)).denominator
        more = 2 * mp.sinh(a * e / 2) * mp.sinh((a - 1) * e / 2) / mp.cosh(e / 2)
        truth = mp.log1p(more) / (a - 1)
        found = accounting.response_divergence(epsilon, float(a))
        assert truth <= found * (1 + mpf(10) ** -17) <= truth * (1 + mpf(10) ** -13)

    @given(st.integers(100, 300), st.floats(-15, 3))
    def test_the_divergence_of_a_response_that_says_almost_nothing(self, digits, size):
        """About αε²/2: never rounded down, though products of it underflow."""
        epsilon, order = Fraction(7, 10**digits), 1 + 10.0**size
        truth = mpf(order) * (mpf(7) / mpf(10) ** digits) ** 2 / 2
        found = accounting.response_divergence(epsilon, order)
        tiny = mpf(2) ** -1070 * order
        assert truth * (1 - mpf(10) ** -50) <= found <= truth * (1 + mpf(10) ** -13) + tiny

    def test_its_ends(self):
        assert accounting.response_divergence(2, float("inf")) == 2
        assert accounting.response_divergence(2, 1) == pytest.approx(2 * 0.761594155955765)
        assert accounting.response_divergence(2, 1) < accounting.response_divergence(2, 1.1)
        assert accounting.response_divergence(0, 3) == 0
        for order in (0.5, float("nan")):
            with pytest.raises(ap.InvalidArgument, match="order"):
                accounting.response_divergence(1, order)

    @given(st.floats(1e-3, 3), st.sampled_from([1e-12, 1e-6, 1e-2]))
    def test_from_concentrated_is_below_the_textbook_bound(self, rho, delta):
        """ρ + 2√(ρ ln(1/δ)) (Bun and Steinke 2016, Prop. 1.3), and above ρ."""
        curve = accounting.from_concentrated(rho)
        found = curve.epsilon_at(delta)
        assert rho < found <= rho + 2 * sqrt(rho * log(1 / delta))
        assert curve.delta_at(found) <= delta * (1 + ROUNDING)

    @given(st.floats(-12, 4), st.floats(0, 5), st.floats(1e-9, 10))
    def test_a_gaussian_is_never_worse_than_its_concentrated_curve(self, size, means, spreads):
        """It is ρ-zCDP, and δ(ε) = Φ(μ/2 - ε/μ) - e^ε Φ(-μ/2 - ε/μ) with μ = √2ρ."""
        rho = 10.0**size
        at = means * rho + spreads * sqrt(rho)
        mu, e = mp.sqrt(2 * mpf(rho)), mpf(at)
        truth = mp.ncdf(mu / 2 - e / mu) - mp.exp(e) * mp.ncdf(-mu / 2 - e / mu)
        exactly = Fraction(rho)
        assert accounting.from_concentrated(exactly).delta_at(Fraction(at)) >= truth
        assert accounting.from_renyi(lambda order: rho * order).delta_at(Fraction(at)) >= truth

    def test_conversions(self):
        assert accounting.pure_to_concentrated(0.5) == Fraction(1, 8)
        assert accounting.pure_to_concentrated(ap.Log(2)) >= 0.69314718**2 / 2
        curve = accounting.from_renyi(lambda order: 0.5 * order)
        assert curve.epsilon_at(1e-6) == pytest.approx(
            accounting.from_concentrated(0.5).epsilon_at(1e-6)
        )
        assert curve.epsilon_at(0) == float("inf")
        for none in (float("inf"), float("nan"), -1.0):  # no divergence is negative
            assert accounting.from_renyi(lambda order, none=none: none).delta_at(1) == 1
        with pytest.raises(ap.InvalidArgument, match="function"):
            accounting.from_renyi(3)
        for wrong in (0, -1, float("nan"), None):
            with pytest.raises(ap.InvalidArgument, match="rho"):
                accounting.from_concentrated(wrong)
