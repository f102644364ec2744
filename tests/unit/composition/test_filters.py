"""Filters and odometers: exact sums, limits on the right side of the formulas, refusals."""

import math
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import partial
from statistics import NormalDist

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp
from trying import examples, over

import antiphon as ap
from antiphon import Log
from antiphon.composition import (
    BasicFilter,
    ConcentratedFilter,
    GaussianFilter,
    NaturalFilter,
    Odometer,
    Refusal,
    RenyiFilter,
    RenyiOdometer,
    ResidueFilter,
    RogersFilter,
    WhitehouseFilter,
)
from antiphon.composition.accounting.bounds import of_measure
from antiphon.composition.accounting.renyi import OneOrderCurve, from_renyi
from antiphon.composition.filters.concentrated import half_square, rho_limit, rogers_limit
from antiphon.composition.filters.sums import Sum, either
from antiphon.numbers import exact
from antiphon.protocol import (
    Approximate,
    BoundedRange,
    Dominated,
    DominatingPair,
    GaussianDP,
    Pure,
    Renyi,
    Status,
    ZeroConcentrated,
)
from antiphon.protocol.records.codec import decode, encode
from antiphon.selfcheck.theorems.finite import FiniteResponse

EXACT = Context(prec=90)
amounts = st.fractions(0, 5, max_denominator=60)
logs = st.builds(Log, st.fractions(Fraction(10, 9), 9, max_denominator=9))
epsilons = st.fractions(Fraction(1, 100), 20, max_denominator=1000)
slacks = st.fractions(Fraction(1, 10**9), Fraction(1, 3))


MEASURES = (
    Pure(0.1), Approximate(0.1, 0.01), BoundedRange(0.1), ZeroConcentrated(0.1), GaussianDP(0.1),
)  # fmt: skip


@attrs.frozen
class Gap(DominatingPair):
    """A pair of which only a bound on its divergences is known."""

    size: Fraction

    def delta_at(self, epsilon):
        return 1.0

    def divergence_at(self, order):
        return float(self.size)


@pytest.fixture(autouse=True)
def _precisely():
    with localcontext(EXACT):
        yield


def total(terms):
    sum_ = Sum()
    for term in terms:
        sum_ = sum_.plus(term)
    return sum_


def decimal(value):
    value = Fraction(value)
    return EXACT.divide(Decimal(value.numerator), Decimal(value.denominator))


def spend(budget, measures):
    """The state after the charges that fit, and the answers."""
    state, answers = budget.initial_state, []
    for measure in measures:
        after = budget.charge(state, measure)
        answers.append(type(after) is not Refusal)
        state = after if answers[-1] else state
    return state, answers


class TestSums:
    @given(st.lists(st.fractions(0, 1, max_denominator=10**9), max_size=40))
    def test_products_are_exact_or_rounded_up(self, deltas):
        """All of them to 2^-1000; exact while they are short; in any order while exact."""
        found, kept = Sum(), Fraction(1)
        for delta in deltas:
            found, kept = either(found, delta), kept * (1 - delta)
        assert 0 <= found.value - (1 - kept) < Fraction(1, 2**1000)
        if kept.denominator < 2**256 and math.prod(each.denominator for each in deltas) < 2**500:
            assert found.value == 1 - kept

    def test_long_products_are_rounded_up(self):
        found, kept = Sum(), Fraction(1)
        for number in range(60):
            delta = Fraction(3, 10**9 + 7 + number**2)
            found, kept = either(found, delta), kept * (1 - delta)
            assert found.value >= 1 - kept
        assert found.value > 1 - kept
        third = Sum(1, 3**400)
        assert third.value < either(third, Fraction(0)).value < third.value + Fraction(1, 2**1279)

    @given(st.lists(amounts, max_size=30), amounts)
    def test_rational_sums_are_exact(self, terms, limit):
        assert total(terms).value == sum(terms)
        assert total(terms).at_most(limit) is (sum(terms) <= limit)
        assert total(terms).at_most(sum(terms, Fraction(0)))

    @given(st.lists(logs, max_size=12), st.lists(amounts, max_size=3))
    def test_logarithms_add_up_exactly(self, terms, rationals):
        product = math.prod([term.argument for term in terms], start=Fraction(1))
        assert total(terms).value == exact.epsilon(Log(product))
        assert total(terms).at_most(exact.epsilon(Log(product)))
        mixed = total([*terms, *rationals])
        assert mixed.at_most(exact.epsilon(Log(product))) is (sum(rationals) == 0)
        truth = sum(rationals) + exact.bracket(exact.epsilon(Log(product)), 80)[0]
        assert 0 <= exact.bracket(mixed.value, 80)[1] - truth < Fraction(1, 10**50)
        assert mixed.at_most(truth + Fraction(1, 10**40))
        if terms and rationals and truth > 1:
            assert not mixed.at_most(truth - Fraction(1, 10**40))

    def test_what_grows_too_long_is_rounded_up(self):
        primes = [n for n in range(2, 2000) if all(n % d for d in range(2, math.isqrt(n) + 1))]
        rounded, truth = total(Fraction(1, p) for p in primes), sum(Fraction(1, p) for p in primes)
        assert rounded.denominator.bit_length() <= 2048 < truth.denominator.bit_length()
        assert 0 < rounded.value - truth < Fraction(1, 2**1270)
        arguments = [Fraction(p + 1, p) for p in primes] + [Fraction(3)] * 400
        folded = total(map(Log, arguments))
        low, high = exact.bracket(Log(math.prod(arguments)), 120)
        assert low < exact.bracket(folded.value, 120)[0]
        assert exact.bracket(folded.value, 120)[1] - high < Fraction(1, 10**50)

    @given(st.lists(amounts | logs, max_size=8), amounts | logs)
    def test_what_is_left_never_exceeds_the_truth(self, terms, limit):
        sum_ = total(terms)
        if sum_.at_most(limit):
            left = sum_.left(exact.epsilon(limit))
            spent = exact.bracket(sum_.value, 80)[0]
            assert exact.bracket(left, 80)[0] + spent <= exact.bracket(limit, 80)[1]

    def test_the_smallest_doubles_are_not_rounded(self):
        tiny = Fraction(5, 10**324)
        assert total([tiny] * 3).at_most(3 * tiny)

    def test_huge_sums_do_not_overflow(self):
        assert total([Fraction(1), Log(2)]).at_most(Fraction(10) ** 400)
        assert not total([Fraction(10) ** 400, Log(2)]).at_most(Fraction(10) ** 400)
        assert not total([Fraction(10) ** 400, Log(2)]).at_most(Log(3))
        assert total([Log(10**400), Fraction(1)]).at_most(Fraction(10) ** 400)


class TestBasic:
    def test_eleven_elevenths_fit_and_a_twelfth_does_not(self):
        budget = BasicFilter(epsilon=1)
        state, answers = spend(budget, [Pure(Fraction(1, 11))] * 12)
        assert answers == [True] * 11 + [False]
        assert budget.spent(state) == (1, 0)

    def test_logarithms_fit_exactly(self):
        _, answers = spend(BasicFilter(epsilon=Log(9)), [Pure(Log(3))] * 3)
        assert answers == [True, True, False]

    def test_delta_adds_up_too(self):
        charges = [Approximate(0, 0.1), Approximate(0, 0.2), Approximate(0, 0.1), Pure(1)]
        _, answers = spend(BasicFilter(epsilon=1, delta=0.3), charges)
        assert answers == [True, True, False, True]

    def test_a_refusal_says_what_is_left_and_changes_nothing(self):
        budget = BasicFilter(epsilon=1, delta=Fraction(1, 4))
        state = budget.charge(budget.initial_state, Approximate(0.75, 0))
        refusal = budget.charge(state, Approximate(0.5, 0.1))
        assert refusal == Refusal(
            (Fraction(1, 2), Fraction(1, 10)), (Fraction(3, 4), Fraction(0)),
            (Fraction(1, 4), Fraction(1, 4)),
        )  # fmt: skip
        assert isinstance(refusal.error, ap.BudgetExceeded)
        assert "epsilon 1/2, delta 1/10" in str(refusal.error)
        after = budget.charge(state, Approximate(*refusal.remaining))
        assert budget.remaining(after) == (0, 0)
        assert decode(encode(refusal)) == refusal

    def test_a_zcdp_claim_has_no_epsilon(self):
        budget = BasicFilter(epsilon=1)
        with pytest.raises(ap.InvalidArgument, match="WhitehouseFilter"):
            budget.charge(budget.initial_state, ZeroConcentrated(1))


class TestWhitehouse:
    @given(epsilons, slacks)
    def test_the_limit_solves_the_condition_from_below(self, epsilon, slack):
        def condition(rho):  # √(2 ln(1/δ') Σε²) + ½Σε² with Σε² = 2ρ
            log = EXACT.ln(decimal(1 / slack))
            return EXACT.sqrt(4 * decimal(rho) * log) + decimal(rho)

        limit = rho_limit(epsilon, slack)
        assert condition(limit) <= decimal(epsilon)
        assert condition(limit * (1 + Fraction(1, 10**10))) > decimal(epsilon)

    def test_charges_are_exact(self):
        budget = WhitehouseFilter(epsilon=1, delta=1e-6)
        per = Fraction(1, 100)
        _, answers = spend(budget, [Pure(per)] * 400)
        fit = math.floor(budget.limits[0] / (per**2 / 2))
        assert answers == [True] * fit + [False] * (400 - fit)
        assert fit == 333

    def test_the_pure_version_takes_no_delta(self):
        budget = WhitehouseFilter(epsilon=1, delta=1e-6, slack=1e-6)
        _, answers = spend(budget, [Approximate(0.001, 1e-9), Pure(0.001)])
        assert answers == [False, True]

    def test_zcdp_claims_are_charged_their_rho(self):
        budget = WhitehouseFilter(epsilon=1, delta=1e-6)
        state, _ = spend(budget, [ZeroConcentrated(0.01), Pure(0.1)])
        assert budget.spent(state) == (Fraction(3, 200), 0)

    @given(st.builds(Log, st.fractions(Fraction(11, 10), 50)))
    def test_the_square_of_a_logarithm_is_rounded_up(self, epsilon):
        truth = EXACT.ln(decimal(epsilon.argument))
        assert 0 <= decimal(half_square(epsilon)) - truth * truth / 2 < Decimal(10) ** -40

    def test_nothing_fits_an_epsilon_of_zero(self):
        _, answers = spend(WhitehouseFilter(epsilon=0, delta=0.1), [Pure(0.001), Pure(0)])
        assert answers == [False, True]


class TestRogers:
    @staticmethod
    def published(charges, epsilon, delta):
        """K of Rogers et al. 2016, Thm 5.1, as printed."""
        ln, constant = math.log, 28.04 * math.log(1 / delta)
        drift = sum(e * math.expm1(e) / 2 for e in charges)
        v = sum(e * e for e in charges)
        inside = (v + epsilon**2 / constant) * (1 + ln(constant * v / epsilon**2 + 1) / 2)
        return drift + math.sqrt(2 * inside * ln(2 / delta))

    @given(st.floats(0.1, 5), st.floats(1e-9, 0.3), st.floats(0.001, 0.5), st.integers(1, 400))
    def test_it_admits_all_that_the_published_filter_does(self, epsilon, delta, each, times):
        budget = RogersFilter(epsilon=epsilon, delta=delta)
        _, answers = spend(budget, [Pure(each)] * times)
        if self.published([each] * times, epsilon, delta) <= epsilon * (1 - 1e-9):
            assert all(answers)

    @given(epsilons, slacks)
    def test_the_limit_solves_the_condition_from_below(self, epsilon, delta):
        def k(rho):
            v, e, d = 2 * decimal(rho), decimal(epsilon), decimal(delta)
            y = e * e / (Decimal("28.04") * EXACT.ln(1 / d))
            growth = 1 + EXACT.ln(v / y + 1) / 2
            return v / 2 + EXACT.sqrt(2 * (v + y) * growth * EXACT.ln(2 / d))

        limit = rogers_limit(epsilon, delta)
        assert k(limit) <= decimal(epsilon)
        assert k(limit * (1 + Fraction(1, 10**10))) > decimal(epsilon)

    @given(epsilons, slacks)
    def test_whitehouse_admits_more(self, epsilon, delta):
        rogers, whitehouse = (
            make(epsilon=epsilon, delta=delta) for make in (RogersFilter, WhitehouseFilter)
        )
        assert rogers.limits[0] <= whitehouse.limits[0]
        assert rogers.limits[1] == whitehouse.limits[1]


class TestOdometer:
    def test_small_charges_read_as_their_sum(self):
        odometer = Odometer(delta=1e-6)
        state = odometer.after([ap.Create(ap.mechanisms.RandomizedResponse(epsilon=0.1))] * 3)
        assert odometer.reading(state) == (Fraction(3, 10), Fraction(1, 10**6))

    def test_the_running_curve(self):
        odometer = Odometer(delta=1e-6)
        create = ap.Create(ap.mechanisms.RandomizedResponse(epsilon=0.1))
        messages = [create, ap.Ask(0, 0), ap.same(create), create]
        assert [reading.epsilon for reading in odometer.readings(messages)] == [
            Fraction(1, 10), Fraction(1, 5), Fraction(3, 10)]  # fmt: skip
        assert odometer.readings([]) == []

    def test_too_much_delta_reads_infinity(self):
        odometer = Odometer(delta=0.2, slack=0.1)
        state = odometer.charge(odometer.initial_state, Approximate(1, 0.1))
        assert odometer.reading(state).epsilon == 1
        state = odometer.charge(state, Approximate(0, 0.001))
        assert odometer.reading(state).epsilon == math.inf

    def test_zcdp_claims_have_the_mixture_only(self):
        odometer = Odometer(delta=1e-6)
        state = odometer.charge(odometer.initial_state, ZeroConcentrated(0.005))
        pure = odometer.charge(odometer.initial_state, Pure(0.1))
        assert odometer.reading(pure).epsilon < odometer.reading(state).epsilon < 1

    @given(st.lists(st.fractions(Fraction(1, 50), 1, max_denominator=50), max_size=30))
    def test_readings_only_grow(self, charges):
        odometer = Odometer(delta=0.01)
        state, last = odometer.initial_state, Fraction(0)
        for epsilon in charges:
            state = odometer.charge(state, Pure(epsilon))
            assert last <= (last := odometer.reading(state).epsilon)

    @given(st.floats(-9, 9), st.floats(-30, -0.1), st.floats(-6, 4))
    def test_a_reading_is_the_mixture_rounded_up(self, size, slack, near):
        """½V + √((V + y)(2 ln(1/δ') + ln(1 + V/y))), whatever y is."""
        rho, slack, near = (Fraction(10.0**each) for each in (size, slack, near))
        odometer = Odometer(delta=slack, slack=slack, near=near)
        state = odometer.charge(odometer.initial_state, ZeroConcentrated(rho))
        with localcontext(Context(prec=60)):
            half, y = (
                Decimal(x.numerator) / x.denominator for x in (rho, Fraction(odometer._width))
            )
            log = -(Decimal(slack.numerator) / slack.denominator).ln()
            truth = half + ((2 * half + y) * (2 * log + (1 + 2 * half / y).ln())).sqrt()
            found = Decimal(odometer.reading(state).epsilon)
            assert truth <= found <= truth * (1 + Decimal(2) ** -38)

    def test_near_may_be_tiny(self):
        odometer = Odometer(delta=1e-6, near=Fraction(1, 10**300))
        state = odometer.charge(odometer.initial_state, ZeroConcentrated(0.01))
        assert 0.7 < odometer.reading(state).epsilon < 6


class TestAfter:
    def test_a_view_says_what_was_charged(self):
        budget = BasicFilter(epsilon=1)
        creates = [ap.Create(ap.mechanisms.RandomizedResponse(epsilon=e)) for e in (0.6, 0.5, 0.3)]
        game = ap.PrivacyGame(ap.ExtConComp(budget=budget), ap.composition.adaptive_parameters())
        view = game.play(ap.scripted([*map(ap.same, creates), ap.same(ap.Ask(0, 0))]), bit=0)
        assert budget.spent(budget.after(view)) == (Fraction(9, 10), 0)
        assert budget.after(creates) == budget.after(view)


class TestMeasures:
    """What a claim of another measure costs: never less than what it implies."""

    def test_rho(self):
        budget = ConcentratedFilter(rho=1)
        assert budget.cost(BoundedRange(Fraction(1, 2))) == (Fraction(1, 32), 0)
        assert budget.cost(GaussianDP(Fraction(1, 2))) == (Fraction(1, 8), 0)
        assert budget.cost(Approximate(Fraction(1, 2), 0.1)) == (Fraction(1, 8), Fraction(1, 10))
        assert budget.cost(BoundedRange(0)) == (0, 0)
        _, answers = spend(budget, [BoundedRange(2), GaussianDP(1), Pure(0.1)])
        assert answers == [True, True, False]

    def test_mu(self):
        budget = GaussianFilter(mu=Fraction(3, 2))
        assert budget.limits == (Fraction(9, 4), 0)
        assert budget.cost(GaussianDP(Fraction(3, 5))) == (Fraction(9, 25), 0)
        assert budget.cost(Pure(0)) == (0, 0)
        assert budget.cost(Approximate(0, 0.1)) == (0, Fraction(1, 10))
        charges = [GaussianDP(1), GaussianDP(1), GaussianDP(Fraction(51, 100))]
        state, answers = spend(budget, charges)
        assert answers == [True, True, False]
        assert budget.remaining(state) == (Fraction(1, 4), 0)
        assert spend(budget, [GaussianDP(1), GaussianDP(1), GaussianDP(0.5)])[1] == [True] * 3
        with localcontext(EXACT):
            for measure, chance in ((Pure(Log(3)), 0.75), (BoundedRange(Log(9)), 0.75)):
                cost = float(budget.cost(measure)[0])
                truth = (2 * NormalDist().inv_cdf(chance)) ** 2
                assert truth * (1 - 1e-12) <= cost <= truth * (1 + 1e-9)

    def test_a_fraction_of_mu_squared_never_drifts(self):
        budget = GaussianFilter(mu=1)
        _, answers = spend(budget, [GaussianDP(Fraction(1, 10))] * 101)
        assert answers == [True] * 100 + [False]

    @given(st.fractions(Fraction(101, 100), 300, max_denominator=999), epsilons)
    def test_divergences_are_those_of_the_order_or_more(self, order, size):
        budget = RenyiFilter(order=order, budget=1)
        at = mp.mpf(order.numerator) / order.denominator
        e = mp.mpf(size.numerator) / size.denominator
        truth = {
            ZeroConcentrated(size): at * e,
            GaussianDP(size): at * e**2 / 2,
            Pure(size): mp.log(mp.cosh((at - 0.5) * e) / mp.cosh(e / 2)) / (at - 1),
            Renyi(lambda alpha: alpha): at,
        }
        with mp.workdps(40):
            for measure, least in truth.items():
                cost = budget.cost(measure)[0]
                found = mp.mpf(cost.numerator) / cost.denominator
                assert least * (1 - mp.mpf(10) ** -12) <= found <= least * (1 + mp.mpf(10) ** -9)
        assert budget.cost(BoundedRange(size))[0] <= budget.cost(Pure(size))[0]
        assert budget.cost(Approximate(size, 0.1)) == (budget.cost(Pure(size))[0], Fraction(1, 10))

    def test_a_curve_that_fails_is_an_error_and_no_charge(self):
        budget = RenyiFilter(order=8, budget=1)
        for curve in (lambda a: 1 / 0, lambda a: -1.0, lambda a: math.nan, lambda a: math.inf):
            with pytest.raises(ap.InvalidArgument, match="order 8"):
                budget.charge(budget.initial_state, Renyi(curve))
            assert not budget.takes(Renyi(curve))

    def test_a_fault_of_a_curve_is_its_own_and_no_refusal(self):
        """Any exception was a claim that the budget cannot add up, so a typo was a HALT."""
        budget = RenyiFilter(order=8, budget=1)
        for curve in (lambda a: None, lambda a: True, lambda a: {}[a], lambda a: "1", lambda: 1):
            for ask in (budget.takes, lambda claim: budget.charge(budget.initial_state, claim)):
                with pytest.raises(ap.PartError, match="order 8"):
                    ask(Renyi(curve))

    def test_a_curve_of_fractions_is_rounded_up(self):
        third = Fraction(1, 3)
        assert third <= RenyiFilter(order=8, budget=1).cost(Renyi(lambda a: third))[0]
        assert third <= Fraction(from_renyi(lambda a: third).divergence(8))

    def test_an_order_is_asked_for_from_above(self):
        asked = []
        RenyiFilter(order=Fraction(11, 10), budget=1).cost(Renyi(lambda a: asked.append(a) or a))
        assert Fraction(asked[0]) >= Fraction(11, 10)

    @over("order", [1, 0.5, 0, -2, float("inf"), 10**7, None, "2"])
    def test_an_order_that_is_none_is_refused(self, order):
        for make in (
            lambda: RenyiFilter(order=order, budget=1),
            lambda: RenyiOdometer(order=order, delta=0.1),
        ):
            with pytest.raises(ap.InvalidArgument, match="order"):
                make()

    def test_a_refusal_says_what_was_added_up(self):
        for budget, measure, unit in (
            (RenyiFilter(order=2, budget=1), ZeroConcentrated(1), "divergence"),
            (GaussianFilter(mu=1), GaussianDP(2), "mu squared"),
        ):
            refusal = budget.charge(budget.initial_state, measure)
            assert refusal.unit == unit
            assert unit in str(refusal.error)

    def test_the_renyi_odometer(self):
        odometer = RenyiOdometer(order=5, delta=0.2, slack=0.1)
        state = odometer.initial_state
        assert odometer.reading(state).epsilon == 0
        state = odometer.charge(state, GaussianDP(Fraction(1, 5)))
        found = odometer.reading(state)
        assert found.delta == Fraction(1, 5)
        low, high = exact.bracket(Log(10), 40)
        assert low / 4 <= found.epsilon - Fraction(1, 10) <= high / 4 + Fraction(1, 10**30)
        state = odometer.charge(state, Approximate(0, 0.1))
        assert odometer.reading(state) == found
        assert odometer.reading(odometer.charge(state, Approximate(0, 0.01))).epsilon == math.inf


class TestCurves:
    @over("make", [partial(ConcentratedFilter, rho=1), partial(GaussianFilter, mu=1),
                   partial(RenyiFilter, order=3, budget=1)])  # fmt: skip
    def test_a_delta_is_added_to_what_the_sums_promise(self, make):
        """All is as the sums say, but for an event of probability δ."""
        curve, plain = make(delta=Fraction(1, 8)).promised, make().promised
        for at in (0, 2, 20):
            wanted = min(1, plain.delta_at(at) + 0.125)
            assert curve.delta_at(at) == pytest.approx(wanted, rel=1e-12)
        assert plain.delta_at(20) < 1e-9

    @given(
        st.fractions(Fraction(101, 100), 500, max_denominator=999),
        st.fractions(0, 30, max_denominator=99), st.fractions(0, 40, max_denominator=99),
    )  # fmt: skip
    def test_of_one_order(self, order, divergence, epsilon):
        """e^((α-1)(D-ε)) (α-1)^(α-1)/α^α, and back."""
        curve = OneOrderCurve(order, divergence)
        with mp.workdps(40):
            a, d, e = (mp.mpf(x.numerator) / x.denominator for x in (order, divergence, epsilon))
            truth = mp.exp((a - 1) * (d - e)) * (a - 1) ** (a - 1) / a**a
            found = curve.delta_at(epsilon)
            assert min(truth, 1) <= found <= truth * (1 + mp.mpf(10) ** -10) + mp.mpf(10) ** -320
        if 1e-290 < found < 1:
            again = curve.epsilon_at(found)
            assert again <= float(epsilon) * (1 + 1e-9) + 1e-9
            assert curve.delta_at(again) <= found * (1 + 1e-9)

    def test_a_search_among_all_orders_would_miss_the_one(self):
        curve = from_renyi(lambda order: 0.5 if order == 7 else math.inf)
        assert curve.delta_at(3) == 1
        assert OneOrderCurve(Fraction(7), Fraction(1, 2)).delta_at(3) < 1e-7

    @given(st.fractions(Fraction(1, 50), 60, max_denominator=99),
           st.fractions(0, 1500, max_denominator=9))  # fmt: skip
    def test_of_gaussian_dp(self, mu, epsilon):
        with mp.workdps(60):
            m, e = (mp.mpf(x.numerator) / x.denominator for x in (mu, epsilon))
            truth = mp.ncdf(m / 2 - e / m) - mp.exp(e) * mp.ncdf(-m / 2 - e / m)
            found = of_measure(GaussianDP(mu)).delta_between(epsilon)
            slack = 1e-2 if epsilon > 700 else 1e-7
            assert found.lower <= truth <= found.upper
            assert found.upper <= truth * (1 + slack) + mp.mpf(10) ** -290

    def test_of_gaussian_dp_and_back(self):
        curve = of_measure(GaussianDP(1))
        assert curve.delta_at(0) == pytest.approx(0.3829249225480262, rel=1e-9)
        assert curve.delta_at(curve.epsilon_at(1e-6)) == pytest.approx(1e-6, rel=1e-9, abs=0)
        assert curve.epsilon_at(0) == math.inf


@over("wrong", [-1, float("nan"), float("inf"), True, None, "1"])
def test_bad_parameters_are_refused(wrong):
    makers = [
        lambda x: BasicFilter(epsilon=x), lambda x: BasicFilter(epsilon=1, delta=x),
        lambda x: ConcentratedFilter(rho=x), lambda x: ConcentratedFilter(rho=1, delta=x),
        lambda x: WhitehouseFilter(epsilon=x, delta=0.1),
        lambda x: WhitehouseFilter(epsilon=1, delta=x),
        lambda x: WhitehouseFilter(epsilon=1, delta=0.1, slack=x),
        lambda x: RogersFilter(epsilon=x, delta=0.1), lambda x: RogersFilter(epsilon=1, delta=x),
        lambda x: RenyiFilter(order=2, budget=x),
        lambda x: RenyiFilter(order=2, budget=1, delta=x),
        lambda x: GaussianFilter(mu=x), lambda x: GaussianFilter(mu=1, delta=x),
        lambda x: ResidueFilter(mu=x), lambda x: ResidueFilter(mu=1, delta=x),
        lambda x: NaturalFilter(epsilon=x, delta=0.1, claim=Pure(0.1)),
        lambda x: NaturalFilter(epsilon=1, delta=x, claim=Pure(0.1)),
        lambda x: RenyiOdometer(order=2, delta=x),
        lambda x: RenyiOdometer(order=2, delta=0.1, slack=x),
        lambda x: Odometer(delta=x), lambda x: Odometer(delta=0.1, slack=x),
        lambda x: Odometer(delta=0.1, near=x),
    ]  # fmt: skip
    for make in makers:
        with pytest.raises(ap.InvalidArgument):
            make(wrong)


@over(
    "make",
    [
        lambda: WhitehouseFilter(epsilon=1, delta=0),
        lambda: WhitehouseFilter(epsilon=1, delta=0.1, slack=0),
        lambda: WhitehouseFilter(epsilon=1, delta=0.1, slack=0.2),
        lambda: WhitehouseFilter(epsilon=1, delta=2),
        lambda: RogersFilter(epsilon=1, delta=0),
        lambda: RogersFilter(epsilon=1, delta=0.4),
        lambda: Odometer(delta=0),
        lambda: Odometer(delta=0.1, slack=0.2),
        lambda: ConcentratedFilter(rho=0),
        lambda: RenyiFilter(order=2, budget=0),
        lambda: RenyiOdometer(order=2, delta=0),
        lambda: RenyiOdometer(order=2, delta=0.1, slack=0.2),
        lambda: GaussianFilter(mu=0),
        lambda: NaturalFilter(epsilon=1, delta=0.1, claim=ZeroConcentrated(0.1)),
    ],
)
def test_parameters_out_of_range(make):
    with pytest.raises(ap.InvalidArgument):
        make()


@pytest.mark.parametrize(
    "budget",
    [
        BasicFilter(epsilon=1), ConcentratedFilter(rho=1), RogersFilter(epsilon=1, delta=0.1),
        WhitehouseFilter(epsilon=1, delta=0.1), Odometer(delta=0.1),
        RenyiFilter(order=8, budget=1, delta=0.1), RenyiOdometer(order=8, delta=0.1),
        GaussianFilter(mu=1, delta=0.1), ResidueFilter(mu=1, delta=0.1),
    ],
)  # fmt: skip
class TestEvery:
    def test_a_renyi_claim_and_a_pair_are_charges_where_divergences_add_up(self, budget):
        takes = isinstance(budget, RenyiFilter | RenyiOdometer)
        for measure in (Renyi(lambda order: order / 99), Dominated(Gap(Fraction(1, 9)))):
            assert budget.takes(measure) is takes
            if not takes:
                with pytest.raises(ap.InvalidArgument, match=r"Renyi\w+|Concentrated"):
                    budget.charge(budget.initial_state, measure)

    def test_it_takes_what_it_can_add_up(self, budget):
        taken = {type(each).__name__ for each in MEASURES if budget.takes(each)}
        expected = {"Pure", "Approximate", "BoundedRange"}
        if not isinstance(budget, BasicFilter):
            expected |= {"GaussianDP"}
        if not isinstance(budget, BasicFilter | GaussianFilter | ResidueFilter):
            expected |= {"ZeroConcentrated"}
        assert taken == expected

    def test_f_reads_what_the_budget_takes(self, budget):
        f = ap.composition.adaptive_parameters(budget)
        for measure in (*MEASURES, Renyi(lambda order: order / 99)):
            claim = ap.Claim(measure, ap.verifiers.neighbouring_start(), Status.ASSUMED, "")
            create = ap.Create(FiniteResponse(((3, 1), (1, 3)), (claim,)))
            assert (f([ap.same(create)]) is ap.TOP) is budget.takes(measure)
            assert ap.composition.adaptive_parameters()([ap.same(create)]) is ap.TOP
            session = ap.ExtConComp(budget=budget).start(seed=1)
            if not budget.takes(measure):
                with pytest.raises(ap.InvalidArgument, match="claim"):
                    session.send(create)
            assert session.send(ap.Ask(0, 0)) is not None  # it goes on, whatever was refused

    def test_it_is_data(self, budget):
        assert decode(encode(budget)) == budget
        assert hash(decode(encode(budget))) == hash(budget)

    @examples(4)
    @given(charges=st.lists(st.builds(Approximate, amounts, st.fractions(0, Fraction(1, 9)))))
    def test_charges_are_pure_and_never_pass_the_limits(self, budget, charges):
        state, _ = spend(budget, charges)
        assert state == spend(budget, charges)[0]
        assert hash(state) == hash(spend(budget, charges)[0])
        if isinstance(budget, ap.composition.Filter):
            (amount, delta), (limit, most) = budget.spent(state), budget.limits
            assert amount <= limit
            assert delta <= most
            left = (most - delta) / (1 - delta) if delta < 1 else 0
            assert budget.remaining(state) == (limit - amount, left)


def test_a_refused_creation_has_a_number_and_halts():
    session = ap.ExtConComp(budget=BasicFilter(epsilon=1)).start(seed=1)
    for epsilon in (0.6, 0.6, 0.4):
        session.send(ap.Create(ap.mechanisms.RandomizedResponse(epsilon=epsilon)))
    assert session.send(ap.Ask(0, 1)) is ap.HALT
    assert session.failures == ()
    assert [each.standing for each in session.budget.shares] == ["live", "refused", "live"]
    assert session.send(ap.Ask(0, 2)) is not ap.HALT
    assert not session.over


def test_a_mechanism_alone_spends_what_it_claims_at_the_start():
    with pytest.raises(ap.ProtocolError, match="is spent at the start, and asking costs nothing"):
        _ = ap.mechanisms.BalancedTreeCounter(horizon=9, epsilon=1).start(seed=1).budget
