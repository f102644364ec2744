"""From ρ to (ε, δ), against the formula to fifty digits."""

from fractions import Fraction

import mpmath
import pytest
from trying import over

from antiphon import InvalidArgument
from antiphon.protocol.measures.conversions import zcdp_epsilon


def formula(rho, delta):
    """min over α > 1 of ρα + (ln(1/δ) + (α-1) ln(1-1/α) - ln α)/(α-1), by golden section."""
    rho, log_delta = (mpmath.mpf(each.numerator) / each.denominator for each in (rho, delta))
    log_delta = mpmath.log(log_delta)

    def at(log):
        less = mpmath.exp(log)
        alpha = 1 + less
        return (
            rho * alpha + (less * mpmath.log(less / alpha) - mpmath.log(alpha) - log_delta) / less
        )

    low, high, ratio = mpmath.mpf(-60), mpmath.mpf(100), (mpmath.sqrt(5) - 1) / 2
    for _ in range(150):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, right) if at(left) <= at(right) else (left, high)
    return max(mpmath.mpf(0), at((low + high) / 2))


@over("delta", [Fraction(1, 10), Fraction(1, 10**6), Fraction(1, 10**30)])
@over("rho", [Fraction(1, 10**6), Fraction(1, 100), Fraction(1, 2), Fraction(5), Fraction(10**4)])
def test_it_is_the_best_of_all_orders_rounded_up(rho, delta):
    with mpmath.workdps(50):
        found = zcdp_epsilon(rho, delta)
        found = mpmath.mpf(found.numerator) / found.denominator
        best = formula(rho, delta)
        assert best <= found <= best * (1 + mpmath.mpf(10) ** -9) + mpmath.mpf(10) ** -9


@pytest.mark.parametrize("delta", [0, 1, Fraction(3, 2)])
def test_delta_lies_strictly_between_0_and_1(delta):
    with pytest.raises(InvalidArgument, match="strictly between"):
        zcdp_epsilon(Fraction(1), Fraction(delta))
