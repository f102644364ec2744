"""The ends of figures are on the safe side, to the last bit, beside exact or longer arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from flint import acb, arb
from mpmath import mp
from trying import over

import antiphon as ap
from antiphon.composition.accounting import FinitePair, ResponsePair, divergence, sparse
from antiphon.composition.accounting.composed_loss import Product
from antiphon.composition.accounting.creations.k_sparse import log_elementary
from antiphon.composition.accounting.pairs.pairs_curve import Once
from antiphon.composition.accounting.parameters import parameters
from antiphon.learners.joint_curve import HexagonCorner, _ratio


@over("at", [Fraction(0), Fraction(1, 3), Fraction(7, 10), Fraction(9, 10)])
@over("eta", [Fraction(1), Fraction(13, 10), Fraction(50)])
def test_one_bounded_range_lies_between_its_ends(eta, at):
    """H = (1 - e^((ε-η)/2))²/(1 - e^(-η)) is no double: the ends are next to each other."""
    with mp.workdps(50):
        mu, epsilon = (mp.mpf(x.numerator) / x.denominator for x in (eta, at))
        true = (1 - mp.exp((epsilon - mu) / 2)) ** 2 / (1 - mp.exp(-mu))
        ends = Once(eta).stick(at)
        assert mp.mpf(ends.lower) < true < mp.mpf(ends.upper)
    assert ends.upper == np.nextafter(ends.lower, 1)


@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 10), Fraction(1)])
def test_the_atoms_of_a_response_are_two_laws(delta):
    atoms = ResponsePair(epsilon=ap.Log(3), delta=delta).atoms
    assert [sum(side) for side in zip(*atoms, strict=True)] == [1, 1]
    assert atoms[1] == ((1 - delta) * Fraction(3, 4), (1 - delta) * Fraction(1, 4))


@pytest.mark.parametrize("order", [1.5, 3.0, 2.0**53 + 2, 2.0**60])
def test_a_divergence_is_that_of_the_order_or_a_greater_one(order, monkeypatch):
    """D_α grows in α, so an order that is rounded must not be rounded down."""
    asked, moment = [], Product.log_moment
    monkeypatch.setattr(
        Product, "log_moment", lambda own, above: asked.append(above) or moment(own, above)
    )
    divergence([ResponsePair(1)], order)
    (above,) = asked
    assert 0 <= Fraction(above) / (Fraction(order) - 1) - 1 < Fraction(1, 2**50)


def log_truncated(size, n, k):
    """ln Σ_{s<=k} C(n,s) (e^size - 1)^s."""
    power, term, total = mp.expm1(mp.mpf(size)), mp.mpf(1), mp.mpf(1)
    for s in range(1, k + 1):
        term *= power * (n - s + 1) / s
        total += term
    return mp.log(total)


@pytest.mark.parametrize(
    ("size", "n", "k"),
    [
        (1.4527791328695138e-07, 3922492218, 1000),  # the terms are off, each by its own error
        (0.7548363321386188, 3845778249814594537950799137881532137472, 3),  # and so are binomials
        (0.7347102450682665, 7 * 10**222, 1),
        (0.7052717526846136, 3 * 10**112, 2),
    ],
)
def test_a_truncated_sum_of_large_powers_is_rounded_up(size, n, k):
    with mp.workprec(1000):
        true = log_truncated(size, n, k)
        assert true <= mp.mpf(log_elementary(size, n, k)) <= true * (1 + mp.mpf(10) ** -10)


def test_a_ratio_of_chances_is_rounded_up():
    """ln((1 - e^-own)/(1 - e^-other)), where one of the logarithms is much the larger."""
    with mp.workprec(1200):
        for place in range(200):
            near, far = 1.07**place * 1e-300, 5.0 + place / 7
            for own, other in ((near, far), (far, near)):
                true = mp.log(mp.expm1(-mp.mpf(own)) / mp.expm1(-mp.mpf(other)))
                found = _ratio(HexagonCorner(own, other, other - own))
                assert true <= mp.mpf(found) <= true + mp.mpf(10) ** -10


def test_a_ceiling_holds_at_frequencies_of_which_doubles_know_few_digits():
    """What rounding may have turned an angle by is not counted as turned."""
    masses, others = (Fraction(1, 2), Fraction(1, 2)), (Fraction(999, 1000), Fraction(1, 1000))
    law = FinitePair(masses, others).losses(1)
    frequencies = np.linspace(1.0, 1.01, 200) * 1e12
    bound = law.ceiling(0.5, frequencies, frequencies)
    pairs = [
        (arb(p.numerator) / p.denominator, (arb((p / q).numerator) / (p / q).denominator).log())
        for p, q in zip(masses, others, strict=True)
    ]
    weights = [p * (loss / 2).exp() for p, loss in pairs]
    for frequency, most in zip(frequencies, bound, strict=True):
        turned = (
            w * (acb(0, 1) * arb(float(frequency)) * loss).exp()
            for w, (_, loss) in zip(weights, pairs, strict=True)
        )
        size = abs(sum(turned, acb(0)) / sum(weights, arb(0)))
        assert not arb(float(most)) < size.log(), (frequency, most)


def test_the_lower_end_of_sparse_composition_is_the_most_that_is_attained():
    curve = sparse([(1, 0), (Fraction(1, 10), Fraction(1, 100))], k=1)
    first, second = curve.attained
    for at in (Fraction(0), Fraction(1, 2)):
        lower = [each.delta_between(at).lower for each in (first, second)]
        assert lower[0] != lower[1]
        assert curve.delta_between(at).lower == max(lower)


@pytest.mark.parametrize("deltas", [[], [1e-9], [0.1, 0.2], [0.5] * 30, [1e-300]])
def test_what_is_left_above_a_floor_is_rounded_down(deltas):
    """H in floor + Π(1-δ_i)·H = δ."""
    composed = parameters([(1, d) for d in deltas] or [(1, 0)], 1)
    floor = composed.exact_floor
    for share in (Fraction(1, 10**12), Fraction(1, 3), Fraction(9, 10), Fraction(1)):
        found = Fraction(composed.without_floor(floor + share * (1 - floor)))
        assert found <= share
        assert found >= share * (1 - Fraction(1, 10**9)) - Fraction(1, 10**15) / (1 - floor)
