"""Tails of the binomial law against fifty digits: what confidence bounds stand on."""

import pytest
from mpmath import betainc, mpf

from antiphon.audit.statistical.estimators import upper_tail

CASES = [
    (1, 10, 0.05), (10, 10, 0.5), (7, 10, 0.5), (19, 50, 0.3), (20, 50, 0.3), (25, 100, 0.2),
    (40, 1000, 0.03), (300, 10_000, 0.029), (1000, 10**6, 0.00099), (1000, 4000, 0.247),
    pytest.param(2600, 10**8, 2.5e-5, marks=pytest.mark.slow),
    pytest.param(3000, 10_000, 0.3, marks=pytest.mark.slow),
]  # fmt: skip
"""Fifty digits of the last two take seconds."""


@pytest.mark.parametrize(("least", "trials", "p"), CASES)
def test_a_tail_is_that_of_the_incomplete_beta_function(least, trials, p):
    truth = betainc(least, trials - least + 1, 0, mpf(p), regularized=True)
    error = upper_tail(least, trials, p) / truth - 1
    assert mpf("-2e-13") < error < mpf("1e-10")  # what is not summed is bounded from above
