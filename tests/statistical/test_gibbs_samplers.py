"""Draws from a ball and a box against quadrature and rejection; a twin with a slip is rejected."""

import math

import numpy as np
import pytest
from mpmath import gammainc, log

import antiphon as ap
from antiphon.learners.convex import Ball, Box
from antiphon.learners.oco import gibbs as laws
from antiphon.learners.oco.gibbs import gibbs, log_gamma_share, table
from antiphon.protocol import SampledCoins

DRAWS = 1_000
FAR = 6.0
"""Standard errors: α = 2e-9 for each mean, fewer than 50 of them in this file: Σα < 1e-7."""


def drawn(body, slope, curvature, count=DRAWS, seed=1):
    coins = SampledCoins(seed)
    return np.array([gibbs(body, slope, curvature, coins) for _ in range(count)])


def off(sample, mean):
    """By how many standard errors the mean of a sample is off."""
    return abs(sample.mean() - mean) / (sample.std(ddof=1) / math.sqrt(len(sample)))


def moments(low, high, log_density):
    """The first two moments of a density on an interval, by 20,000 nodes."""
    x = np.linspace(low, high, 20_001)
    logs = log_density(x)
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    return weights @ x, weights @ x**2


BOXES = [(0.0, 1.0), (3.0, 2.0), (-40.0, 2.0), (200.0, 100.0)]


@pytest.mark.every(2)
@pytest.mark.parametrize(("slope", "curvature"), BOXES)
def test_a_coordinate_of_a_box_is_a_truncated_gaussian(slope, curvature):
    """n = 1,000; a mean off by 19 % of a standard deviation is found with power 1/2."""
    body = Box(dimension=2, half_width=0.5)
    sample = drawn(body, np.array([slope, -slope / 3]), curvature)
    assert np.abs(sample).max() <= 0.5
    for each, part in ((0, slope), (1, -slope / 3)):
        wanted = moments(-0.5, 0.5, lambda x, part=part: part * x - curvature * x * x)
        assert off(sample[:, each], wanted[0]) < FAR
        assert off(sample[:, each] ** 2, wanted[1]) < FAR


def rejected(slope, curvature, count):
    """The same law on the unit disc or ball, by rejection of uniform points."""
    draw, found, dimension = np.random.default_rng(2), [], len(slope)
    while sum(map(len, found)) < count:
        points = draw.uniform(-1, 1, (1 << 16, dimension))
        norms = np.einsum("ti,ti->t", points, points)
        heights = points @ slope - curvature * norms
        found.append(points[(norms <= 1) & (np.log(draw.random(len(points))) < heights - 4)])
    return np.concatenate(found)[:count]


@pytest.mark.every(3)
@pytest.mark.parametrize("dimension", [2, 3, 5])
def test_a_ball_has_the_law_of_rejection(dimension):
    """n = 1,000 against 100,000; 2-norms, the axis, and a direction across it."""
    slope = np.zeros(dimension)
    slope[0], slope[1] = 2.0, -1.0
    ours = drawn(Ball(dimension=dimension), slope, 1.5)
    theirs = rejected(slope, 1.5, 100_000)
    across = np.eye(dimension)[-1] if dimension > 2 else np.array([1.0, 2.0])
    for read in (
        lambda x: x @ slope,
        lambda x: (x @ slope) ** 2,
        lambda x: np.einsum("ti,ti->t", x, x),
        lambda x: x @ across,
        lambda x: (x @ across) ** 2,
    ):
        assert off(read(ours), read(theirs).mean()) < FAR


class AtAShare(ap.Coins):
    """Whose uniform numbers all have the same share of their range below them."""

    def __init__(self, share):
        super().__init__()
        self.share, self.others = share, SampledCoins(1)

    def draw(self, kind, parameter):
        if kind == "uniform_integer":
            return int(self.share * parameter)
        return self.others.draw(kind, parameter)


@pytest.mark.parametrize("dimension", [2, 3, 5])
def test_a_point_of_a_ball_stands_where_the_law_has_that_share(dimension):
    """t along the slope and the distance r from it, ∝ r^(d-2) e^(κt-q(t²+r²)) where t²+r² <= 1."""
    slope, curvature, reach = np.array([4.0, -2, 0, 0, 0][:dimension]), 6.0, 0.5
    size, bend = np.linalg.norm(slope) * reach, curvature * reach**2
    across = (np.arange(2000) + 0.5) / 2000
    along = 2 * across - 1
    radial = across ** (dimension - 2) * np.exp(-bend * across**2)
    inside = np.append(0, np.cumsum(radial))  # to the right end of each cell
    within = np.interp(np.sqrt(1 - along**2), np.arange(2001) / 2000, inside)
    axis = np.exp(size * along - bend * along**2) * within
    for share in (0.2, 0.7):
        point = gibbs(Ball(dimension=dimension, radius=reach), slope, curvature, AtAShare(share))
        t = point @ slope / size  # of a ball of radius 1
        r = math.sqrt(point @ point / reach**2 - t**2)
        assert axis[along <= t].sum() / axis.sum() == pytest.approx(share, abs=2e-3)
        most = math.sqrt(1 - t**2)
        shares = radial[across <= r].sum() / radial[across <= most].sum()
        assert shares == pytest.approx(share, abs=2e-3)


def of_a_large_ball(kind):
    """How far norms are from those of a Gaussian that the ball does not touch: E‖x‖² = d/(2q)."""
    sample = kind(Ball(dimension=20, radius=3.0), np.zeros(20), 20.0)
    return off(np.einsum("ti,ti->t", sample, sample), 20 / 40)


@pytest.mark.slow
def test_a_gaussian_well_inside_is_left_alone():
    assert of_a_large_ball(drawn) < FAR


@pytest.mark.slow
def test_a_twin_with_a_dimension_too_many_is_rejected(monkeypatch):
    """χ² of d in place of d-1 degrees on the axis of a ball: power above 0.999."""
    honest = laws.log_gamma_share

    def sample():
        found = drawn(Ball(dimension=3), np.array([3.0, 0, 0]), 1.0, 4_000)
        return found[:, 0]

    x = np.linspace(-1, 1, 20_001)[1:-1]
    weights = np.exp(3 * x - x * x) * -np.expm1(-(1 - x * x))
    mean = weights @ x / weights.sum()
    assert off(sample(), mean) < FAR
    monkeypatch.setattr(laws, "log_gamma_share", lambda a, z: honest(a + 0.5, z))
    assert off(sample(), mean) > FAR


@pytest.mark.parametrize("shape", [0.5, 1, 9.5, 499.5])
def test_the_incomplete_gamma_function(shape):
    for x in (1e-8, 0.1, 1.0, shape, shape + 3 * math.sqrt(shape), shape + 30 * shape):
        found = float(log_gamma_share(shape, np.array([[x]]))[0, 0])
        assert found == pytest.approx(
            float(log(gammainc(shape, 0, x, regularized=True))), rel=1e-11, abs=1e-12
        )


def test_a_table_knows_its_quantiles():
    """Of a Gaussian, whose mass has to be found on the interval first."""
    found = table(lambda x: -x * x / 2, np.full(1, -50.0), np.full(1, 80.0))
    from statistics import NormalDist

    for share in (1e-9, 0.01, 0.3, 0.5, 0.9, 1 - 1e-6):
        quantile = found.quantiles(np.array([share]))[0]
        assert quantile == pytest.approx(NormalDist().inv_cdf(share), abs=1e-4)


def test_other_bodies_are_refused():
    class Simplex:
        pass

    with pytest.raises(ap.InvalidArgument, match="Simplex"):
        gibbs(Simplex(), np.zeros(2), 1.0, SampledCoins(1))


def test_quantiles_of_many_shares_are_those_of_each():
    """To the bit: what a population draws from one table is what each of its replicas draws."""
    slopes = np.array([0.0, 3.0, -40.0])
    found = table(lambda x: (slopes[:, None] - 2 * x) * x, -np.ones(3), np.ones(3))
    shares = np.random.default_rng(5).random((500, 3))
    shares[:2] = [[0] * 3, [1] * 3]
    many = found.quantiles(shares)
    assert np.array_equal(many, [found.quantiles(row) for row in shares])
    assert (np.abs(many) <= 1).all()
    assert np.array_equal(found.quantiles(np.sort(shares, axis=0)), np.sort(many, axis=0))
