"""Where learners search numbers: for a least value, a quantile, a budget that is kept."""

import math

import numpy as np
import pytest

from antiphon.composition.accounting.calibration import golden_section
from antiphon.learners.convex import AbsoluteLoss, Ball
from antiphon.learners.convex.function_loss import check
from antiphon.learners.littlestone.counting_learners import (
    _quiet_threshold,
    highest_noise,
)
from antiphon.learners.oco.gibbs import DensityTable, table
from antiphon.learners.searching import keep_to
from antiphon.mechanisms import RandomizedResponse, TreeCounter
from antiphon.numbers.errors import InvalidArgument


@pytest.mark.parametrize("least", [0.002, 0.3, 7.0, 90.0])
def test_a_golden_section_ends_where_the_function_is_least(least):
    found = golden_section(lambda x: math.log(x / least) ** 2, 0.001, 100.0, 60)
    assert found.value == pytest.approx(0, abs=1e-9)
    assert found.place == pytest.approx(least, rel=1e-4)
    assert found.middle == pytest.approx(least, rel=1e-4)


def test_a_quantile_follows_the_density_between_two_points():
    """Of a density e^x on [0, 1]; its logarithms are known but for a constant."""
    pair = DensityTable(np.array([[0.0, 1.0]]), np.array([[-1.0, 0.0]]), np.array([[0.0, 1.0]]))
    for share in (0.0, 0.25, 0.5, 1.0):
        (found,) = pair.quantiles(np.array([[share]]))[0]
        assert found == pytest.approx(math.log1p(share * math.expm1(1)), abs=1e-15)


def test_the_quantiles_of_a_table_are_those_of_its_density():
    low, high = np.array([0.0]), np.array([3.0])
    falling = table(lambda x: -4 * x, low, high)
    for share in (0.1, 0.5, 0.9):
        (found,) = falling.quantiles(np.array([[share]]))[0]
        assert found == pytest.approx(-math.log1p(share * math.expm1(-12)) / 4, rel=1e-6)


def test_a_learner_keeps_to_its_budget_or_is_refused():
    keep_to(RandomizedResponse(epsilon=1), 1, 0)
    with pytest.raises(InvalidArgument, match="use its rho"):
        keep_to(RandomizedResponse(epsilon=1), 0.5, 0)


@pytest.mark.parametrize("reach", [1e-6, 1.0, 2.0**20])
def test_a_gradient_is_compared_with_slopes_at_the_scale_of_the_body(reach):
    body = Ball(dimension=2, radius=reach)
    check(AbsoluteLoss(dimension=2), body)


def test_a_threshold_is_the_least_that_keeps_to_beta():
    """Where β is the chance of a noise itself, that noise will do."""
    counter = TreeCounter(horizon=8, epsilon=1)
    tails = highest_noise(8, counter.scale)
    for place in (0, 3, 10):
        assert _quiet_threshold(counter, float(tails[place])) == place
