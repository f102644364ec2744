"""Products of dominating pairs, beside ball arithmetic: no figure below the truth."""

import math
from fractions import Fraction

import pytest
from pairs_reference import (
    Lattice,
    ball,
    gaussian,
    holds,
    laplace,
    mixture,
    mu_stick,
    range_stick,
    response,
)
from trying import over

from antiphon.composition.accounting import (
    BoundedRangePair,
    DiscreteGaussianPair,
    DiscreteLaplacePair,
    FinitePair,
    GaussianPair,
    MixturePair,
    ResponsePair,
    compose,
    fourier_inversion,
    optimal,
    reveal,
)
from antiphon.numbers.exact import Log

HALF = Fraction(1, 2)


@pytest.fixture(params=["lattice", "line"])
def way(request, monkeypatch):
    """The integral over a lattice's period, and that over the whole line, smoothed."""
    if request.param == "line":
        monkeypatch.setattr(fourier_inversion, "_LONGEST", 0)
    return request.param


def check(curve, law, points, relative=1e-6):
    """The truth is inside, and the interval narrow."""
    for at in points:
        found, truth = curve.delta_between(at), law.stick(Fraction(at))
        assert holds(found, truth), (at, found, truth)
        assert found.width <= relative * found.upper, (at, found.width / found.upper)


@pytest.mark.slow
def test_a_thousand_discrete_gaussians(way):
    curve = compose([DiscreteGaussianPair(10)], times=1000)
    known = {5: 0.383835801507776, 10: 0.0337792441982797, 20: 4.04355977092400e-7}
    for at, delta in (known | {30: 3.73536796197936e-16}).items():
        found = curve.delta_between(at)
        assert found.lower <= delta * (1 + 1e-14)
        assert found.upper >= delta * (1 - 1e-14)
        assert found.width <= 1e-6 * delta
    law = gaussian(10, 1, Fraction(1, 200)) ** 1000
    check(curve, law, [0, 5, Fraction(1001, 100), 20, 30])


@pytest.mark.slow
@over(
    ("sigma", "shift", "times", "points"),
    [
        (HALF, 1, 1, [0, 1, 3, 10, 20]),
        (HALF, 2, 7, [0, 20, 100]),
        (Fraction(1, 10), 1, 2, [0, 50, 99, 151]),
        (1, 1, 1, [0, HALF, 1, 3, 8]),
        (1, 3, 5, [0, 10, 40, 80]),
        (Fraction(3, 2), 1, 40, [0, 5, 20, 50]),
        (30, 4, 100, [0, 1, 3, 6]),
    ],
)
def test_equal_discrete_gaussians(sigma, shift, times, points):
    curve = compose([DiscreteGaussianPair(sigma, shift)], times=times)
    law = gaussian(sigma, shift, Fraction(shift) / (2 * Fraction(sigma) ** 2)) ** times
    check(curve, law, points, 1e-9)


def test_a_narrow_and_a_wide_discrete_gaussian():
    unit = Fraction(1, 8)
    law = gaussian(HALF, 1, unit) * gaussian(2, 1, unit)
    check(compose([DiscreteGaussianPair(HALF), DiscreteGaussianPair(2)]), law, [0, 1, 3, 9], 1e-9)


@pytest.mark.every(2)
def test_discrete_laplaces(way):
    for scale, shift, times in ((5, 2, 12), (10, 7, 30)):
        curve = compose([DiscreteLaplacePair(scale, shift)], times=times)
        check(
            curve,
            laplace(scale, shift, Fraction(1, scale)) ** times,
            [0, 1, 4],
            1e-9 if way == "lattice" else 1,
        )


def test_a_shift_of_one_is_randomized_response():
    ours = compose([DiscreteLaplacePair(10)], times=1000).delta_between(12)
    assert ours == compose([ResponsePair(0.1)], times=1000).delta_between(12)
    assert optimal([(0.1, 0)], times=1000).delta_between(12) == ours


@pytest.mark.slow
def test_a_hundred_unlike_ones(way):
    unit = Fraction(1, 512)
    pairs, law = [], None
    for t in range(2, 9):
        pairs.append(DiscreteGaussianPair(Fraction(16, t)))
        each = gaussian(Fraction(16, t), 1, unit)
        law = each if law is None else law * each
    for j in range(1, 64):
        pairs.append(ResponsePair(Fraction(j, 256)))
        law = law * response(Fraction(j, 256), 1, unit)
    for j in range(1, 31):
        pairs.append(DiscreteLaplacePair(Fraction(512, j), 3))
        law = law * laplace(Fraction(512, j), 3, unit)
    curve = compose(pairs)
    check(curve, law, [0, Fraction(511, 100), 12], 2e-6)
    found = curve.epsilon_between(1e-9)
    assert 0 <= found.width <= 2e-6
    assert law.stick(Fraction(found.lower)) >= ball(Fraction(1e-9))
    assert law.stick(Fraction(found.upper)) <= ball(Fraction(1e-9))


@pytest.mark.slow
def test_a_hundred_thousand_responses_of_five_kinds(way):
    unit, pairs, law = Fraction(1, 400), [], None
    for j in range(1, 6):
        pairs += [ResponsePair(Fraction(j, 400))] * 20000
        each = response(Fraction(j, 400), 20000, unit)
        law = each if law is None else law * each
    check(compose(pairs), law, [0, 1, 5, 10])


def test_a_hundred_thousand_equal_responses():
    curve = compose([ResponsePair(0.1, 1e-6)], times=10**5)
    found = curve.delta_between(600)
    assert found.lower <= 0.0957627626033033082 <= found.upper
    assert found.width < 1e-12


def test_a_thousand_unlike_responses():
    pairs = [ResponsePair(Fraction(999 + 19 * i, 99900), Fraction(1, 10**7)) for i in range(1000)]
    curve = compose(pairs)
    known = {10: 0.1505026227868614, 15: 0.009448618539392267, 20: 2.1562532101510944e-4}
    for at, delta in known.items():
        found = curve.delta_between(at)
        assert found.lower <= delta <= found.upper
        assert found.width <= 1e-6 * delta


@pytest.mark.slow
def test_many_unlike_responses_agree_with_the_other_contour():
    given = [Fraction(1000 + (i * 7919) % 9001, 10**6) + Fraction(i, 10**10) for i in range(20000)]
    ours = compose([ResponsePair(e) for e in given])
    theirs = optimal([(e, 0) for e in given])
    for at in (0, 1, 3):
        left, right = ours.delta_between(at), theirs.delta_between(at)
        assert left.lower <= right.upper
        assert right.lower <= left.upper
        assert left.width <= 1e-6 * left.upper


@over("times", [1, 2, 5, 24])
@over("eta", [Fraction(1, 5), 1, 3])
def test_bounded_ranges(eta, times):
    curve = compose([BoundedRangePair(eta)], times=times)
    for share in (0, Fraction(1, 7), Fraction(2, 3)):
        at = share * eta * times
        found, truth = curve.delta_between(at), range_stick(eta, times, at)
        assert holds(found, truth), (at, found, truth)
        assert found.width <= 1e-6 * found.upper
    assert curve.delta_at(eta * times) == 0


def test_a_bounded_range_has_the_curve_that_defines_it():
    for at in (0, Fraction(1, 3), Fraction(9, 10)):
        short = (1 - ball((at - 1) / 2 if at else -HALF).exp()) ** 2 / (1 - ball(-1).exp())
        assert short.overlaps(range_stick(1, 1, at))
        assert holds(compose([BoundedRangePair(1)]).delta_between(at), short)


def test_two_bounded_ranges_beside_theory():
    """e^η = 4, k = 2, ε = 0: .43441 (theory §4); adaptive composition can lose .40959."""
    found = compose([BoundedRangePair(math.log(4))], times=2).delta_between(0)
    assert found.lower <= 0.434405 + 5e-6
    assert found.upper >= 0.434405


@pytest.mark.parametrize(
    ("mus", "times"), [((1,), 1), ((0.1, 0.3), 50), ((4,), 3), ((Fraction(1, 1000),), 1)]
)
def test_gaussians(mus, times):
    curve = compose([GaussianPair(mu) for mu in mus], times=times)
    square = times * sum(Fraction(str(mu)) ** 2 for mu in mus)
    spread = Fraction(math.sqrt(square))
    for at in (0, spread / 3, spread * 2, square / 2 + 9 * spread):
        found, truth = curve.delta_between(at), mu_stick(square, at)
        assert holds(found, truth), (at, found, truth)
        assert found.width <= 1e-9 * found.upper


@over("mu", [Fraction(1, 10**9), 1e-3, 1, 40, 10**5])
@over("place", [-70, -8.5, -1, 0, 1e-9, 3, 7.99, 8, 8.01, 30, 37, 64, 65, 1e9])
def test_a_gaussian_wherever_it_is_asked(mu, place):
    """Deviations from the mean loss: at 64 the difference of two tails is left out."""
    square = Fraction(str(mu)) ** 2
    at = max(Fraction(0), square / 2 + Fraction(place) * Fraction(str(mu)))
    found = compose([GaussianPair(mu)]).delta_between(at)
    if place > 64:
        assert (found.lower, found.upper) == (0.0, 1e-323)
        return
    truth = mu_stick(square, at)
    assert truth >= found.lower
    assert truth <= found.upper or found.upper == 1
    assert found.width <= 3e-15 * found.upper + 1e-322


def test_far_out_no_contour_is_needed():
    """Where Chernoff's bound is below the least double; it was Intractable from 10^9 on."""
    several = ([GaussianPair(1), ResponsePair(1)], [DiscreteGaussianPair(3)], [GaussianPair(1)])
    for pairs in several:
        for at in (10**6, 10**12, 10**400, Log(10**1000)):
            found = compose(pairs).delta_between(at)
            assert found.lower == 0 < found.upper <= 1e-323


def test_a_discrete_gaussian_and_a_gaussian():
    """The loss of the Gaussian one is the noise: none is added."""
    curve = compose([ResponsePair(HALF), GaussianPair(1)])
    growth = ball(HALF).exp()
    for at in (0, 1, 3):
        truth = sum(
            share / (1 + growth) * mu_stick(1, Fraction(at) - loss)
            for share, loss in ((growth, HALF), (1, -HALF))
        )
        assert holds(curve.delta_between(at), truth)
        assert curve.delta_between(at).width < 1e-11


def test_revealed_with_some_probability():
    share, times = Fraction(1, 50), 20
    curve = compose([reveal(share, DiscreteGaussianPair(3))], times=times)
    law = gaussian(3, 1, Fraction(1, 18)) ** times
    stays = (1 - share) ** times
    for at in (0, 2, 9):
        truth = 1 - ball(stays) * (1 - law.stick(Fraction(at)))
        assert holds(curve.delta_between(at), truth)
    assert curve.floor.lower <= 1 - stays <= curve.floor.upper
    assert compose([reveal(1, GaussianPair(1))]).delta_between(3).lower == 1


def test_a_mixture_that_reveals_and_one_that_does_not():
    unit, weights = Fraction(1, 32), (Fraction(1, 8), Fraction(3, 8), HALF)
    parts = reveal(1, GaussianPair(1)), DiscreteGaussianPair(4), ResponsePair(HALF, Fraction(1, 5))
    inner = [(Fraction(3, 8) / Fraction(31, 40), gaussian(4, 1, unit))]
    inner.append((Fraction(2, 5) / Fraction(31, 40), response(HALF, 1, unit)))
    law, stays = mixture(inner) ** 3, Fraction(31, 40) ** 3
    curve = compose([MixturePair(weights, parts)], times=3)
    for at in (0, 1):
        assert holds(curve.delta_between(at), 1 - ball(stays) * (1 - law.stick(Fraction(at))))
        assert curve.delta_between(at).width < 1e-9


@pytest.mark.every(2)
def test_a_mixture_of_unlike_pairs(way):
    unit, weights = Fraction(1, 128), (Fraction(1, 3), Fraction(1, 2), Fraction(1, 6))
    parts = DiscreteGaussianPair(4), ResponsePair(Fraction(3, 8)), DiscreteLaplacePair(16, 5)
    laws = gaussian(4, 1, unit), response(Fraction(3, 8), 1, unit), laplace(16, 5, unit)
    law = mixture(list(zip(weights, laws, strict=True))) ** 60
    near = Fraction(1, 999)  # at an atom the line's interval is wider
    curve = compose([MixturePair(weights, parts)], times=60)
    check(curve, law, [near, 1 + near, 3 + near, 8 + near], 1e-5)


def test_a_mixture_in_a_mixture_is_flat():
    inner = MixturePair((HALF, HALF), (ResponsePair(Log(3)), ResponsePair(Log(2))))
    nested = reveal(0.1, inner)
    flat = MixturePair(
        (Fraction(1, 10), Fraction(9, 20), Fraction(9, 20)),
        (FinitePair((1, 0), (0, 1)), ResponsePair(Log(3)), ResponsePair(Log(2))),
    )
    for at in (0, Log(2), 1):
        left, right = (compose([pair], times=5).delta_between(at) for pair in (nested, flat))
        assert left == right


@pytest.mark.slow
def test_many_of_three_points():
    """Past what is multiplied out: an asymmetric pair of three points, on a lattice."""
    zero = (Fraction(4, 7), Fraction(2, 7), Fraction(1, 7))
    pair, unit = FinitePair(zero, zero[::-1]), Fraction(1, 1)
    times = 1000
    law = Lattice.of(unit, [(place - 1, ball(p)) for place, p in zip((2, 1, 0), zero, strict=True)])
    total = law**times
    curve = compose([pair], times=times)
    growth = Fraction(4)
    for n in (400, 440):
        at = Log(growth**n * 2)
        truth = sum(
            mass * (1 - ball(growth**n * 2) / ball(growth ** (total.first + i)))
            for i, mass in enumerate(total.masses.coeffs())
            if total.first + i > n
        )
        assert holds(curve.delta_between(at), truth), (n, truth, curve.delta_between(at))


def test_curves_fall_and_are_inverted():
    curve = compose([DiscreteGaussianPair(5), ResponsePair(0.3, 1e-3), BoundedRangePair(0.2)] * 9)
    deltas = curve.delta_between([i / 4 for i in range(20)])
    assert all(deltas.upper[i + 1] <= deltas.upper[i] for i in range(19))
    for delta in (0.3, 0.02):
        assert curve.delta_at(curve.epsilon_at(delta)) <= delta
        assert curve.delta_between(curve.epsilon_between(delta).lower).upper >= delta


def test_the_order_of_pairs_does_not_matter():
    pairs = [DiscreteGaussianPair(5), ResponsePair(0.3, 1e-3), GaussianPair(0.2)]
    left, right = (compose(each, times=3).delta_between(1) for each in (pairs, pairs[::-1]))
    assert left == right
