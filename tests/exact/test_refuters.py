"""What is plausible of measures and of filters, and false: the numbers of each refuter."""

import math
from fractions import Fraction
from itertools import product

import attrs
import numpy as np
import pytest
from mpmath import mp

import antiphon as ap
from antiphon import Claim, Log
from antiphon.audit.exact.question import Question
from antiphon.mechanisms import PermuteAndFlip
from antiphon.protocol import BoundedRange, GaussianDP, Pure, Status, ZeroConcentrated
from antiphon.protocol.measures import converted
from antiphon.selfcheck.theorems import adaptive_choice as filters
from antiphon.selfcheck.theorems import checks, measures
from antiphon.selfcheck.theorems.finite import FiniteResponse
from antiphon.verifiers import neighbouring_start

F = neighbouring_start()


def verdicts(mechanism, *claimed, **search):
    """The verdict on each claim."""
    made = [Claim(measure, F, Status.ASSUMED, "plausible") for measure in claimed]
    game = ap.PrivacyGame(attrs.evolve(mechanism, claims=tuple(made)), F)
    return [row.verdict for row in game.check_claims(rounds=1, **search)]


def row(part):
    [check] = [each for each in (*filters.checks(), *measures.checks()) if part in each.instance]
    return check.run()


def test_there_are_rows_of_both():
    assert len(checks("Filters")) >= 6
    assert len(checks("Measures")) >= 8


# --- bounded range --------------------------------------------------------------------------------


def test_permute_and_flip_is_not_of_bounded_range():
    """(3/4, 1/4) and (1/4, 3/4) for e^ε = 4: range ln 9, and a KL divergence of .5493 > ε²/8."""
    flips = PermuteAndFlip(epsilon=Log(4), candidates=2)
    asked = Question(flips, F, [(0, 1), (1, 0)], report=None)
    assert asked.tight_range(1) == Log(9)
    eighth = converted(BoundedRange(Log(4)), ZeroConcentrated).rho
    assert asked.tight_renyi(Fraction(1001, 1000), 1).lower > 0.549 > 0.2403 > eighth
    assert asked.tight_epsilon(0, 1) == Log(3)  # and so (ln 4)-DP, as it claims


def noisy_max(ratio, scores):
    """The law of the first largest score + noise of weight ratio^|z|, to some 25 digits."""
    weight, found = (1 - ratio) / (1 + ratio), []

    def at_most(z):
        return ratio**-z / (1 + ratio) if z < 0 else 1 - ratio ** (z + 1) / (1 + ratio)

    for place, own in enumerate(scores):
        total = Fraction(0)
        for m in range(-90, 90):
            others = (at_most(m - u - (j < place)) for j, u in enumerate(scores) if j != place)
            total += weight * ratio ** abs(m - own) * math.prod(others)
        found.append(total)
    return found


def test_laplace_noisy_max_is_not_of_bounded_range():
    """By its exact law on (0, 1, 0) and (-1, 0, 1), e^(ε/2) = 2: range ln 640/121 > ln 4."""
    for weights, scores in zip(measures.NOISY_MAX.weights, [(0, 1, 0), (-1, 0, 1)], strict=True):
        for weight, p in zip(weights, noisy_max(Fraction(1, 2), scores), strict=True):
            assert abs(Fraction(weight, sum(weights)) - p) < Fraction(1, 10**20)
    assert Question(measures.NOISY_MAX, F, report=None).tight_range(1) == Log(Fraction(640, 121))
    assert verdicts(measures.NOISY_MAX, BoundedRange(Log(4)), Pure(Log(4))) == ["REFUTED", "holds"]
    eighth = converted(BoundedRange(Log(4)), ZeroConcentrated)
    assert verdicts(measures.NOISY_MAX, eighth) == ["REFUTED"]


def test_two_mechanisms_chosen_adaptively_exceed_the_best_two_fixed_ones():
    """.39008 < .40959 < .43441, for e^η = 4 at ε = 0."""
    tight = row("best two fixed ones").evidence.tight[0]
    assert tight == Fraction(188, 459)
    assert abs(tight - Fraction(40959, 10**5)) < Fraction(1, 10**5)
    tops = np.linspace(1.01, 3.99, 299)
    found = fixed(tops[:, None], tops).max()
    assert float(measures.FIXED) - 2e-5 < found <= float(measures.FIXED)
    assert float(measures.PAIR) - 2e-4 < squared() <= float(measures.PAIR)


def law(top):
    """The two answers with losses ln top and ln top - ln 4, in both worlds."""
    zero = np.array([4 - top, top - 1]) / 3
    return zero, zero / [top, top / 4]


def fixed(first, second):
    (a, b), (c, d) = law(first), law(second)
    gains = (a[i] * c[j] - b[i] * d[j] for i, j in product(range(2), repeat=2))
    return sum(np.maximum(each, 0) for each in gains)


def squared():
    """δ(0) of two losses of the dominating pair: Q(L > ε) = -e^-ε δ'(ε), on a grid."""
    edges = np.linspace(-math.log(4), math.log(4), 2001)
    s = np.exp((edges - math.log(4)) / 2)
    one = -np.diff(np.exp(-edges) * (1 - s) * s / 0.75)
    zero = np.append(-np.diff((1 - s) * s / 0.75 + (1 - s) ** 2 / 0.75), 0)[:2000]
    assert one.sum() == pytest.approx(1)
    assert zero.sum() == pytest.approx(1)
    return np.maximum(np.outer(zero, zero) - np.outer(one, one), 0).sum()


# --- Gaussian DP ----------------------------------------------------------------------------------


def test_the_discrete_gaussian_is_not_gdp_with_its_own_sigma():
    true_one = measures.DISCRETE, 10**6 - measures.DISCRETE
    mechanism = FiniteResponse((true_one, true_one[::-1]), name="discrete Gaussian")
    p = 1 / mp.nsum(lambda z: mp.exp(-(z**2) / 2), [-mp.inf, mp.inf])
    assert measures.DISCRETE <= (1 + p) / 2 * 10**6 < measures.DISCRETE + 1
    assert (
        row("the discrete Gaussian").evidence.tight[0] == Fraction(2 * measures.DISCRETE, 10**6) - 1
    )
    true, ours = Fraction(1045760, 10**6) + Fraction(1, 10**5), Fraction(104575, 10**5)
    assert verdicts(mechanism, GaussianDP(1), GaussianDP(true)) == ["REFUTED", "holds"]
    assert verdicts(mechanism, GaussianDP(ours - Fraction(1, 10**4))) == ["REFUTED"]


# --- filters --------------------------------------------------------------------------------------


def test_the_natural_filter():
    """The paths RR_{3/2}, RR_3 and RR_{3/2}, RR_2, RR_2 keep to 1/4; the choice has 53/180."""
    assert row("tight curve of what was charged").evidence.tight == (Fraction(53, 180),)


def test_an_odometer_read_pointwise():
    assert row("read when one likes").evidence.tight == (Fraction(388, 729),)


def test_an_order_chosen_by_the_path():
    """Each side has an order that proves (6/5, .1275); the coin between them none, but it holds."""
    epsilon, delta = filters.GOAL
    e = mp.mpf(6) / 5

    def divergence(growth, order):
        size = mp.log(growth)
        return mp.log(mp.cosh((order - 0.5) * size) / mp.cosh(size / 2)) / (order - 1)

    def proved(bound, order):
        s = order - 1
        return mp.exp(s * (bound - e)) * s**s / order**order

    orders = [1 + mp.exp(mp.mpf(x) / 40) for x in range(-160, 200)]
    many = [16 * divergence(1.25, a) for a in orders]
    once = [divergence(3.5, a) for a in orders]
    mixed = [
        mp.log((mp.exp((a - 1) * x) + mp.exp((a - 1) * y)) / 2) / (a - 1)
        for a, x, y in zip(orders, many, once, strict=True)
    ]
    best = [min(map(proved, bounds, orders)) for bounds in (many, once, mixed)]
    assert best[0] < delta
    assert best[1] < delta
    assert best[2] > delta + 0.001
    assert float(best[2]) == pytest.approx(float(filters.best_order(filters.coin())), abs=1e-3)
    asked = Question(filters.coin(), F, report=None)
    assert asked.solve(epsilon, 1).delta < delta
