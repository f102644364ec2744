"""Curves at the ends of the number line: floats and Fractions, tiny and huge, δ near 0 and 1.

A double is read in two ways, as the rational it is and as the shortest decimal that prints it;
what a curve gives must hold in both.
"""

import math
from fractions import Fraction

import pytest
from accounting_reference import law, mp, mpf, stick
from hypothesis import assume, example, given, reject
from hypothesis import strategies as st
from trying import examples, over, sized

import antiphon as ap
from antiphon.composition.accounting import (
    advanced,
    basic,
    concentrated,
    exactly,
    from_concentrated,
    from_renyi,
    optimal,
    pure_to_concentrated,
    renyi,
    response_divergence,
    sparse,
)
from antiphon.composition.accounting.bounds import GroupCurve, LeastCurve, shifted_curve
from antiphon.composition.accounting.creations.k_sparse import log_elementary
from antiphon.composition.validity import FixedParameters, fixed_parameters, sparse_parallel
from antiphon.mechanisms import RandomizedResponse
from antiphon.numbers import exact
from antiphon.numbers.interval import down, outward, up

TINY = [Fraction(1, 10**400), Fraction(1, 10**310), 5e-324, 1e-300, 1e-17, 1e-9]
ODD = [0.1, Fraction(0.1), Fraction(1, 10), 1 / 3, Fraction(1, 3), 1, 2.5, 7, 700, 1e5, 10**9]
LOGS = [ap.Log(2), ap.Log(1 + Fraction(1, 10**30)), ap.Log(Fraction(10**400)), ap.Log(1)]
NEAR = [
    0,
    5e-324,
    Fraction(1, 10**400),
    1e-17,
    0.1,
    Fraction(0.1),
    0.5,
    1 - 1e-16,
    0.9999999999999999,
    1 - Fraction(1, 10**400),
    1,
]

epsilons = st.sampled_from([0, *TINY, *ODD, *LOGS]) | st.floats(0, 1e3) | st.fractions(0, 50)
deltas = st.sampled_from(NEAR) | st.floats(0, 1) | st.fractions(0, 1)
several = st.lists(st.tuples(epsilons, deltas), min_size=1, max_size=4)
points = epsilons | st.sampled_from([10**400, Fraction(10**400), 1e300])
SEARCHED_ONCE = ("basic", "advanced", "optimal", "thirty of them", "sparse")
"""ε at δ is found by δ at ε; elsewhere they are two bounds, apart by rounding."""
ROUNDING = Fraction(1, 10**9)
EVALUATED_AGAIN = Fraction(1, 10**11)
"""δ decreases in ε, but not the last bits of its upper end, which is evaluated elsewhere."""

MAKERS = {
    "basic": basic,
    "advanced": advanced,
    "concentrated": concentrated,
    "renyi": renyi,
    "optimal": optimal,
    "thirty of them": lambda given: optimal(given, times=30),
    "sparse": lambda given: sparse(given, k=2),
    "group": lambda given: GroupCurve(optimal(given), 3),
    "shifted": lambda given: shifted_curve(optimal(given), Fraction(1, 3)),
    "least": lambda given: LeastCurve(
        (optimal(given), shifted_curve(basic(given), Fraction(1, 7)))
    ),
    "of a ρ": lambda given: from_concentrated(max(Fraction(1, 10**9), Fraction(given[0][1]))),
    "of a curve": lambda given: from_renyi(lambda order: float(given[0][1]) * order),
}


def readings(value):
    return (Fraction(value), Fraction(repr(value))) if math.isfinite(value) else (value,)


@pytest.mark.every(2)
@pytest.mark.parametrize("name", MAKERS)
@examples(2)
@given(several, points, points, deltas)
@example([(1, 0.9999999999999999)], 1.0, 0, 1.0)
@example([(Fraction(0.1), 0)], 0.1, 0, 0)
@example([(0.1, 1 / 3)] * 3, 10**400, 1, 0.5)
@example([(2.5, 0)], Fraction(1, 3), Fraction(1, 3), 0)
def test_every_question_has_an_answer_that_can_be_asked_back(name, given, one, other, delta):
    """No untyped error; δ falls in ε; what was printed is accepted and promises no less."""
    try:
        curve = MAKERS[name](given)
        low, high = (one, other) if exact.at_most(one, other) else (other, one)
        at_low, at_high = curve.delta_between(low), curve.delta_between(high)
        printed = curve.delta_at(low)
        epsilon = curve.epsilon_at(printed)
        floor = curve.floor
        last = curve.epsilon_at(floor.upper)
    except ap.Intractable:
        reject()
    assert 0 <= at_low.lower <= at_low.upper <= 1
    assert at_high.lower <= at_low.upper
    assert epsilon >= 0
    assert last >= 0
    if name != "least":  # between two bounds the search need not find the better one
        assert epsilon <= last or math.isinf(last)
    if math.isfinite(epsilon):
        again = max(curve.delta_at(each) for each in readings(epsilon))
        slack = EVALUATED_AGAIN if name in SEARCHED_ONCE else ROUNDING
        assert again <= max(readings(printed)) * (1 + slack) + slack * Fraction(1, 10**300)
    if exact.probability(delta) >= curve.least_delta:
        assert curve.epsilon_at(delta) >= 0
    else:
        with pytest.raises(ap.InvalidArgument, match="floor"):
            curve.epsilon_at(delta)


logs = st.sampled_from(
    [
        ap.Log(2),
        ap.Log(3),
        ap.Log(Fraction(10, 9)),
        0,
        ap.Log(10**30),
        ap.Log(1 + Fraction(1, 10**30)),
    ]
)
exact_pairs = st.lists(st.tuples(logs, deltas), min_size=1, max_size=5)


@examples(1)
@given(exact_pairs, logs)
def test_no_figure_is_below_the_truth_however_it_is_read(given, at):
    """Against ``exactly``, in Fractions."""
    truth = exactly(given)
    delta = truth.delta_at(at)
    for make in (basic, advanced, concentrated, renyi, optimal):
        ends = make(given).delta_between(at)
        assert min(readings(ends.upper)) >= delta
        if make is optimal:
            assert max(readings(ends.lower)) <= delta
    assert min(readings(truth_floor := optimal(given).floor.upper)) >= truth.floor, truth_floor


@examples(1)
@given(exact_pairs, st.sampled_from([1e-12, 0.01, 0.25, 0.5, 0.99]))
def test_no_epsilon_is_below_the_truth_however_it_is_read(given, delta):
    truth = exactly(given)
    assume(Fraction(repr(delta)) >= truth.floor)
    least = truth.epsilon_at(delta)
    for make in (basic, advanced, concentrated, renyi, optimal):
        for reading in readings(make(given).epsilon_at(delta)):
            assert math.isinf(reading) or exact.at_most(least, reading)


rational = st.sampled_from([Fraction(0.1), Fraction(1, 10), Fraction(1, 3), Fraction(7, 2)])


@given(st.lists(st.tuples(rational, st.integers(1, 3)), min_size=1, max_size=3), rational)
def test_rational_parameters_against_sixty_digits(groups, at):
    given = [(epsilon, 0) for epsilon, count in groups for _ in range(count)]
    truth = stick(law(groups), at)
    for reading in readings(optimal(given).delta_at(at)):
        assert reading.numerator >= truth * reading.denominator * (1 - 1e-50)


# --- readings of a double ------------------------------------------------------------------------


@given(st.fractions(0, 2) | st.floats(0, 1e10).map(Fraction) | st.sampled_from(TINY).map(Fraction))
def test_up_and_down_hold_in_both_readings(value):
    assert min(readings(up(value))) >= value >= max(readings(down(value)))
    near = float(value)
    assert math.nextafter(near, 0) <= down(value)
    assert up(value) <= math.nextafter(near, math.inf)


@given(st.floats(1e-300, 1e300))
def test_outward_leaves_room_for_three_roundings_and_a_reading(value):
    ends, three = outward(value, value), Fraction(1, 2**53) * 3
    assert min(readings(ends.upper)) >= Fraction(value) * (1 + three)
    assert max(readings(ends.lower)) <= Fraction(value) * (1 - three)


def test_a_float_that_is_no_decimal_is_not_promised_as_one():
    """ε = Fraction(0.1) is above 1/10, as which 0.1 is read: δ(0.1) > 0, so ε(0) is above 0.1."""
    promise = ap.guarantee(ap.ConComp([RandomizedResponse(epsilon=Fraction(0.1))]))
    assert promise.delta_at(0.1) > 0
    assert promise.epsilon_at(0) > 0.1
    assert promise.delta_at(promise.epsilon_at(0)) == 0
    plain = ap.guarantee(ap.ConComp([RandomizedResponse(epsilon=0.1)]))
    assert (plain.delta_at(0.1), plain.epsilon_at(0)) == (0, 0.1)


def test_alike_floats_and_fractions_are_counted_apart():
    """0.1 and Fraction(0.1) are equal and hash alike in Python, but one is 1/10."""
    for pair in ([0.1, Fraction(0.1)], [Fraction(0.1), 0.1]):
        given = [(each, each) for each in pair]
        composed = optimal(given).composed
        tenths = ((Fraction(1, 10), 1), (Fraction(0.1), 1))
        assert composed.epsilons == composed.deltas == tenths
        for f in (fixed_parameters(given), sparse_parallel(given), FixedParameters(tuple(given))):
            assert {e for e, _ in f.parameters} == {Fraction(1, 10), Fraction(0.1)}
            assert tuple(f.purse) == (1, 1)
    with pytest.raises(ap.InvalidArgument):
        optimal([(1, 0), (True, 0)])


@over("given", [None, 5, [1], [(1, 0, 0)], [(1,)], ["ab", (1, 0)], [([], 0)]])
def test_parameters_that_are_no_pairs_are_refused(given):
    for make in (optimal, fixed_parameters, FixedParameters):
        with pytest.raises(ap.AntiphonError):
            make(given)


@pytest.mark.slow
def test_a_floor_that_was_printed_is_accepted():
    for each in (
        [(1, 0.9999999999999999)] * 30,
        [(1, Fraction(1, 3))] * 3,
        [(1, 1e-17)] * 10**4,
        [(1, Fraction(i, 10**6 + i)) for i in range(1, 4000)],
    ):
        for make in (basic, optimal, renyi):
            curve = make(each)
            for printed in (
                curve.floor.upper,
                curve.delta_at(10**9),
                float(repr(curve.floor.upper)),
            ):
                assert curve.epsilon_at(printed) <= up(curve.composed.sum[1])


def just_above(value, digits):
    """A rational whose logarithm is above a double, relatively by 10^-digits or so."""
    with mp.workdps(digits + 30):
        power = mp.exp(mpf(value) * (1 + mpf(10) ** -digits))
        return Fraction(int(power * 10 ** (digits + 20)), 10 ** (digits + 20))


def test_the_upper_end_of_a_logarithm_is_what_is_reported():
    """No digits are enough: the end of the bracket decides."""
    value = 1.25
    near, far = just_above(value, 50), just_above(value, 70)
    assert up(ap.Log(near)) > value
    for make in (renyi, optimal, basic, concentrated):
        assert make([(ap.Log(far), 0)]).epsilon_at(0) > value
    assert response_divergence(ap.Log(near), math.inf) > value
    assert pure_to_concentrated(ap.Log(just_above(2.0, 50))) > 2.0  # ρ = 2²/2


def test_a_delta_of_nearly_one_is_no_division_by_zero():
    curve = optimal([(1, 0.9999999999999999)] * 30)
    assert curve.epsilon_at(1.0) == 0
    assert curve.delta_at(0) == 1


@over("size", sized([1e-6, 5.0, 1000.0], [1e-6, 0.3, 1.0, 5.0, 1000.0]))
@over(("n", "k"), [(2, 1), (7, 3), (40, 39), (10**6, 2), (2000, 1900)])
def test_a_truncated_sum_of_powers_is_rounded_up_and_no_further(size, n, k):
    """ln Σ_{s<=k} C(n,s) (e^size - 1)^s, also where its terms are past the largest double."""
    power = mp.expm1(mp.mpf(size))
    truth = mp.log(sum(mp.binomial(n, s) * power**s for s in range(k + 1)))
    found = log_elementary(size, n, k)
    assert truth <= found <= truth * (1 + 1e-9) + 1e-9
