"""Law 7 of curves: at the ε that is promised at δ, the δ that is promised is at most that δ."""

import importlib
import math
import pkgutil
from fractions import Fraction

from hypothesis import example, given
from hypothesis import strategies as st
from trying import examples, over

import antiphon as ap
import antiphon.composition
from antiphon.composition.accounting import (
    BoundedRangePair,
    DiscreteGaussianPair,
    DiscreteLaplacePair,
    FinitePair,
    GaussianPair,
    ResponsePair,
    advanced,
    basic,
    compose,
    concentrated,
    from_concentrated,
    from_renyi,
    optimal,
    renyi,
    sparse,
)
from antiphon.composition.accounting.bounds import (
    GroupCurve,
    LeastCurve,
    OneOfManyCurve,
    shifted_curve,
)
from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.composition.accounting.renyi import OneOrderCurve
from antiphon.numbers import exact
from antiphon.numbers.interval import least_reading

TENTH, THIRD = Fraction(1, 10), Fraction(1, 3)
STRONG = optimal([(20, TENTH)] * 5)
GAUSSIAN = GaussianPair(2)

CURVES = {
    "basic": basic([(1, TENTH)] * 3),
    "advanced": advanced([(0.5, TENTH)] * 9),
    "concentrated": concentrated([(0.5, TENTH)] * 9),
    "Rényi": renyi([(2, TENTH), (0.1, 0)]),
    "of a ρ": from_concentrated(THIRD),
    "of a curve": from_renyi(lambda order: 3 * order),
    "of one order": OneOrderCurve(Fraction(5, 2), Fraction(7)),
    "atoms": STRONG,
    "exact atoms": optimal([(ap.Log(3), TENTH)] * 4),
    "contours": optimal([(Fraction(n, 97), 0) for n in range(1, 40)]),
    "sparse": sparse([(1, TENTH), (2, 0), (0.1, THIRD)], k=2),
    "created": sparse([(2, TENTH)] * 9, k=2, creations=9),
    "created, unequal": sparse([(ap.Log(2), TENTH), (ap.Log(3), 0)], k=2, creations=3),
    "one of three": OneOfManyCurve(compose([GAUSSIAN]), 3, None),
    "pairs, few atoms": compose([FinitePair((THIRD, 1 - THIRD), (TENTH, 1 - TENTH))], times=3),
    "pairs of responses": compose([ResponsePair(20, TENTH)], times=5),
    "one bounded range": compose([BoundedRangePair(9)]),
    "Gaussians": compose([GAUSSIAN], times=9),
    "a narrow Gaussian": compose([GaussianPair(Fraction(1, 1000))]),
    "pairs on a lattice": compose([DiscreteGaussianPair(3), DiscreteGaussianPair(1)]),
    "pairs on the line": compose([DiscreteLaplacePair(THIRD, 3), GAUSSIAN]),
    "shifted": shifted_curve(compose([GAUSSIAN]), TENTH),
    "group": GroupCurve(from_concentrated(2), 3),
    "least": LeastCurve((STRONG, shifted_curve(from_concentrated(50), TENTH))),
}


def modules(package):
    for each in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        yield importlib.import_module(each.name)


def leaves(kind):
    below = kind.__subclasses__()
    return {leaf for each in below for leaf in leaves(each)} if below else {kind}


def test_every_kind_of_curve_of_the_library_is_here():
    assert list(modules(antiphon.composition))
    ours = {
        each for each in leaves(PrivacyCurve) if each.__module__.startswith("antiphon.composition.")
    }
    assert {type(each) for each in CURVES.values()} == ours


ends = st.builds(
    lambda digits, share: 1 - share / Fraction(10) ** digits,
    st.integers(0, 40),
    st.fractions(Fraction(1, 10), 1),
)


def holds(curve, delta):
    """Compared in Fractions; below the double that the floor is rounded up to, with that."""
    epsilon = curve.epsilon_at(delta)
    if math.isinf(epsilon):
        return True
    promised = least_reading(curve.delta_at(epsilon))
    return promised <= max(exact.probability(delta), Fraction(curve.floor.upper))


@over("name", CURVES, at_least=19)
@examples(3)
@given(ends | st.floats(1e-300, 1) | st.fractions(0, 1))
@example(1 - Fraction(1, 10**16))
@example(1 - Fraction(1, 10**40))
@example(1 - Fraction(1, 2**53))
@example(1)
def test_an_epsilon_keeps_the_delta_that_it_was_asked_at(name, delta):
    curve = CURVES[name]
    if exact.probability(delta) >= curve.least_delta and delta:
        assert holds(curve, delta)


@over("name", CURVES, at_least=19)
def test_near_one_an_epsilon_is_zero_only_where_delta_is_below(name):
    """Five responses of ε = 20 were promised at ε = 0 and δ = 1 - 10^-16: the truth is 41.787."""
    curve, delta = CURVES[name], 1 - Fraction(1, 10**16)
    assert (curve.epsilon_at(delta) == 0) == (curve.delta_at(0) <= delta)


def test_five_strong_responses_near_one():
    system = ap.ConComp([ap.mechanisms.RandomizedResponse(epsilon=20, delta=TENTH)] * 5)
    assert 41.787 < ap.guarantee(system).epsilon_at(1 - Fraction(1, 10**16)) < 49
