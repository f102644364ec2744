"""What a certified interval of pairs is made of: moments, ceilings, aliases, and their errors."""

import math
from fractions import Fraction

import attrs
import numpy as np
import pytest
from flint import arb
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as some
from pairs_reference import ball, gaussian, holds, laplace, moment, mu_stick, response
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
    contour_frequencies,
    divergence,
    fourier_inversion,
    from_concentrated,
    optimal,
    renyi_curve,
    response_divergence,
    reveal,
)
from antiphon.composition.accounting.composed_loss import Product
from antiphon.composition.accounting.laws.noise_laws import Thetas
from antiphon.composition.accounting.laws.values import log_ratio
from antiphon.composition.accounting.pairs.pairs_curve import product_of_finite
from antiphon.numbers.errors import Intractable, InvalidArgument
from antiphon.numbers.exact import Log

HALF = Fraction(1, 2)


def points(law):
    """(loss, mass) of a lattice's law."""
    return [(ball((law.first + i) * law.unit), mass) for i, mass in enumerate(law.masses.coeffs())]


QUARTERS = (Fraction(1, 4), Fraction(1, 12), Fraction(2, 3))
THIRDS, RATIOS = (HALF, Fraction(1, 3), Fraction(1, 6)), (2, 4, Fraction(1, 4))
LAWS = {
    "wide": (DiscreteGaussianPair(3, 2), gaussian(3, 2, Fraction(2, 9))),
    "at one": (DiscreteGaussianPair(1), gaussian(1, 1, HALF)),
    "narrow": (DiscreteGaussianPair(0.4), gaussian(Fraction(2, 5), 1, Fraction(25, 8))),
    "response": (ResponsePair(0.7), response(Fraction(7, 10), 1, Fraction(7, 10))),
    "laplace": (DiscreteLaplacePair(4, 6), laplace(4, 6, Fraction(1, 4))),
}
LAWS = {name: (pair, points(law)) for name, (pair, law) in LAWS.items()}
LAWS["finite"] = (
    FinitePair(THIRDS, QUARTERS),
    [(ball(r).log(), ball(p)) for p, r in zip(THIRDS, RATIOS, strict=True)],
)
LAWS["mixture"] = (
    MixturePair((Fraction(1, 3), Fraction(2, 3)), (LAWS["wide"][0], LAWS["response"][0])),
    [(x, m / 3) for x, m in LAWS["wide"][1]] + [(x, 2 * m / 3) for x, m in LAWS["response"][1]],
)
ORDERS = (0.01, 0.7, 5.0, 40.0)
THETAS = np.array([0.0, 1e-3, 0.3, 1.0, 2.9, 3.1, 7.7, 14.1, 31.0, 99.0])


def range_moment(order, theta):
    """sinh(aη)/(2a sinh(η/2)) for η = 6/5, a = s + 1/2."""
    from flint import acb

    a, eta = acb(arb(order) + arb("0.5"), arb(theta)), acb(ball(Fraction(6, 5)))
    return (a * eta).sinh() / (2 * a * (eta / 2).sinh())


def truth(name, order, theta):
    return range_moment(order, theta) if name == "range" else moment(LAWS[name][1], order, theta)


EVERY = over("name", [*LAWS, "range"], at_least=8)


def law_of(name, count=1):
    return (BoundedRangePair(1.2) if name == "range" else LAWS[name][0]).losses(count)


@EVERY
def test_moments_are_within_their_errors(name):
    for order in ORDERS:
        value, error = law_of(name, 3).log_moment(order)
        real = 3 * truth(name, order, 0.0).real.log()
        assert abs(real - arb(value)) <= arb(error), (order, value, error, real)
        assert error < 1e-10 * (1 + abs(value))


@EVERY
def test_characteristics_are_within_their_errors(name):
    for order in ORDERS:
        logs = law_of(name).characteristic(order, THETAS)
        base = truth(name, order, 0.0)
        for theta, log, slack in zip(THETAS, logs.value, logs.slack, strict=True):
            real, found = truth(name, order, float(theta)) / base, np.exp(log)
            off = float(abs(complex(real) - found))
            assert off <= abs(found) * math.expm1(min(slack, 700.0)) + 1e-16, (order, theta, off)
            assert abs(found) < 1e-12 or slack < 1e-9 / abs(found)


@EVERY
def test_powers_of_a_characteristic(name):
    for order in (0.7, 5.0):
        logs = law_of(name, 7).characteristic(order, THETAS)
        base = truth(name, order, 0.0)
        for theta, log, slack in zip(THETAS, logs.value, logs.slack, strict=True):
            real = (truth(name, order, float(theta)) / base) ** 7
            off = float(abs(complex(real) - np.exp(log)))
            assert off <= abs(np.exp(log)) * math.expm1(min(slack, 700.0)) + 1e-16


@EVERY
def test_ceilings_are_above(name):
    low = np.concatenate([np.linspace(0, 40, 81), [100.0, 1000.0]])
    for wide in (0.0, 0.05, 0.7, 5.0):
        high = low + wide
        for order in (0.05, 2.0, 30.0):
            bound = law_of(name, 2).ceiling(order, low, high)
            for share in (0.0, 0.3, 0.5, 0.9, 1.0):
                at = low + share * (high - low)
                found = law_of(name, 2).characteristic(order, at).value.real
                assert np.all((found <= bound + 1e-9) | (found < -25)), (wide, order)
            assert np.all(bound <= 1e-12)


def test_ceilings_of_many_responses():
    """Those near 0 come from two sums, those far from it factor by factor."""
    law = compose([ResponsePair(Fraction(i, 4000)) for i in range(20, 200)])._product.laws[0]
    low = np.linspace(0, 400, 301)
    for order in (0.1, 30.0):
        for wide in (0.0, 1.0, 20.0):
            bound = law.ceiling(order, low, low + wide)
            for share in (0.0, 0.5, 1.0):
                found = law.characteristic(order, low + share * wide).value.real
                assert np.all(found <= bound + 1e-6)
        tight = law.ceiling(order, low[1:], low[1:])
        assert np.all(tight <= 0.6 * np.maximum(law.characteristic(order, low[1:]).value.real, -60))


def test_interpolated_characteristics_are_within_their_errors():
    law = compose([ResponsePair(Fraction(i, 10**6)) for i in range(2000, 8000)])._product.laws[0]
    theta = np.linspace(0, 20, 200)
    for order in (0.3, 20.0):
        found, directly = law._interpolated(order, theta), law._directly(order, theta)
        assert found is not None
        assert np.max(found.slack) < 1e-7
        off = np.abs(np.expm1(found.value - directly.value))
        assert np.all(off <= np.expm1(found.slack) + np.expm1(directly.slack))


def test_no_interpolation_where_a_factor_may_vanish():
    law = compose([ResponsePair(Fraction(i, 100)) for i in range(1, 100)])._product.laws[0]
    assert law._interpolated(1.0, np.linspace(0, 20, 200)) is None


def test_factors_are_multiplied_until_they_are_negligible():
    """Then the real part is a bound; elsewhere both ways of computing Φ agree within errors."""
    pairs = [ResponsePair(1 + Fraction(i, 400)) for i in range(200)] + [ResponsePair(2)] * 3
    law = compose(pairs)._product.laws[0]
    theta = np.linspace(0, 20, 4001)
    for order, enough in ((0.05, -12.0), (1.5, -2.0)):
        every, directly = law._multiplied(order, theta, None), law._directly(order, theta)
        off = np.abs(np.expm1(every.value - directly.value))
        assert np.all((off <= np.expm1(every.slack) + np.expm1(directly.slack)) | (off < 1e-12))
        found = law._multiplied(order, theta, np.full(len(theta), enough))
        gone = np.isinf(found.slack)
        assert 100 < np.sum(gone) < len(theta) - 20
        assert np.all(found.value[~gone] == every.value[~gone])
        assert np.all(found.value.real[gone] < enough)
        assert np.all(every.value.real[gone] <= found.value.real[gone] + 1e-9)


# --- the three things that are added to the error ------------------------------------------------


def contour(pair, times, at, noise=Fraction(0)):
    """That of the best order, on a lattice if there is no noise; and where it is asked."""
    product = compose([pair], times=times)._product
    lattice = None if noise else product.lattice
    asked = fourier_inversion.placed(Fraction(at), lattice)
    c = 2.0 ** (product.rung_near(asked.next) / 4)
    spread = math.sqrt(product.guide(c)[1])
    return fourier_inversion.make(product, c, asked.next, spread, noise, lattice), asked


def test_a_coarse_step_has_its_aliases_in_the_lower_end():
    truth = (gaussian(10, 1, Fraction(1, 200)) ** 1000).stick(Fraction(5))
    for count in (301, 501, 901, 1501):
        made, asked = contour(DiscreteGaussianPair(10), 1000, 5)
        step = math.tau / (count * 0.01)
        coarse = attrs.evolve(made, step=step, end=count // 2 + 1)
        assert holds(coarse.stick(asked), truth), count
    assert coarse.stick(asked).width > 1e-6  # there is something to be missed


def test_a_coarse_step_on_the_line_has_them_too():
    truth = mu_stick(100, 20)
    for factor in (2, 4, 6):
        made, asked = contour(GaussianPair(1), 100, 20)
        coarse = attrs.evolve(made, step=made.step * factor, end=made.end // factor + 1)
        assert holds(coarse.stick(asked), truth), factor
    assert coarse.stick(asked).width > 1e-6 * float(truth.mid())


@pytest.mark.every(2)
@pytest.mark.parametrize("noise", [Fraction(0), Fraction(1, 10**6)])
def test_what_is_dropped_is_in_the_error(monkeypatch, noise):
    truth = (gaussian(10, 1, Fraction(1, 200)) ** 1000).stick(Fraction(5))
    for nats in (2.0, 4.0, 8.0):
        monkeypatch.setattr(contour_frequencies, "NATS", nats)
        monkeypatch.setattr(contour_frequencies, "_DENSITY_NATS", nats)
        made, asked = contour(DiscreteGaussianPair(10), 1000, 5, noise)
        found = made.stick(asked)
        assert (made.lattice is None) == bool(noise)
        assert holds(found, truth), nats
    assert found.width > 1e-9


def test_what_turns_out_not_to_matter_is_counted_as_dropped():
    """Frequencies that are too short for a bound of their range, and are evaluated at once."""
    product = compose([ResponsePair(1 + Fraction(i, 400)) for i in range(200)])._product
    order, step, every = 0.05, 0.02, np.arange(1001)
    sifting = contour_frequencies._Sieve(
        product, order, step, lambda theta: 1 / (1 + theta**2), -8.0, -8.0
    )
    sifting.go(every, every + 1)
    found = sifting.result()
    theta = np.delete(every, found.indices.astype(int)) * step
    assert 500 < len(theta) < len(every)
    sizes = np.abs(np.exp(product.laws[0]._directly(order, theta).value))
    assert found.kernel >= np.sum(sizes / (1 + theta**2)) > 1e-4
    assert found.plain >= np.sum(sizes)


def test_nothing_is_what_is_below_the_least_double():
    """A δ of 10^-193 is told; one of 10^-343 is none that a double tells."""
    inversions = fourier_inversion.Inversions(
        compose([GaussianPair(1)])._product, 1e-3, relatively=True
    )
    assert holds(inversions.stick(Fraction(30)), mu_stick(1, 30))
    none = inversions.stick(Fraction(40))
    assert holds(none, mu_stick(1, 40))
    assert none.upper == 5e-324


@pytest.mark.parametrize("noise", [Fraction(1, 100), Fraction(1, 10), Fraction(1)])
def test_noise_is_in_the_lower_end(noise):
    truth = (gaussian(5, 1, Fraction(1, 50)) ** 20).stick(Fraction(1))
    made, asked = contour(DiscreteGaussianPair(5), 20, 1, noise)
    found = made.stick(asked)
    assert holds(found, truth)
    plain, _ = contour(GaussianPair(1), 1, 1)
    assert (found.upper - float(truth.mid())) > 0.001 * float(noise)  # it is H_v that is computed
    assert plain.noise == 0


@pytest.mark.every(3)
@pytest.mark.parametrize("longest", [350, 420, 550])
def test_a_period_that_is_too_long_for_some_points_only(monkeypatch, longest):
    """Each ε is asked one way throughout, also where its neighbour is asked the other way."""
    monkeypatch.setattr(fourier_inversion, "_LONGEST", longest)
    curve, law = compose([DiscreteGaussianPair(5)], times=30), gaussian(5, 1, Fraction(1, 50)) ** 30
    for i in range(40):
        at = Fraction(i, 5) + Fraction(1, 997)
        assert holds(curve.delta_between(at), law.stick(at)), at
    assert {made.lattice is None for made in curve._law._known.values()} == {True, False}


def test_an_interval_is_wider_before_it_is_refused(monkeypatch):
    given, at = [5 + Fraction(i * i, 10**7) for i in range(40)], Fraction("187.01")
    theirs = optimal([(e, 0) for e in given], width=1e-4).delta_between(at)
    narrow = compose([ResponsePair(e) for e in given]).delta_between(at)
    monkeypatch.setattr(contour_frequencies, "MOST", 200)
    wide = compose([ResponsePair(e) for e in given]).delta_between(at)
    assert wide.width > 10 * narrow.width
    assert wide.lower <= narrow.lower <= narrow.upper <= wide.upper
    assert narrow.lower <= theirs.upper
    assert theirs.lower <= narrow.upper


@pytest.mark.every(2)
@pytest.mark.parametrize("limit", ["LIMIT", "MOST"])
def test_what_takes_too_long_is_refused(monkeypatch, limit):
    pairs = [ResponsePair(5 + Fraction(i * i, 10**7)) for i in range(40)]
    monkeypatch.setattr(contour_frequencies, limit, 1 << 3)
    with pytest.raises(Intractable, match="larger `width`"):
        compose(pairs, width=1e-9).delta_between(90)


# --- finite pairs, exactly ------------------------------------------------------------------------


@some.composite
def laws(draw, size):
    parts = draw(some.lists(some.integers(0, 6), min_size=size, max_size=size).filter(any))
    return tuple(Fraction(part, sum(parts)) for part in parts)


@some.composite
def finite_pairs(draw):
    size = draw(some.integers(1, 4))
    return FinitePair(draw(laws(size)), draw(laws(size)))


def hockey_stick(pairs, growth):
    """Σ (p - s q)₊ over the product, in Fractions."""
    law = [(Fraction(1), Fraction(1))]
    for pair in pairs:
        law = [(p * a, q * b) for p, q in law for a, b in zip(pair.zero, pair.one, strict=True)]
    return sum((max(p - growth * q, Fraction(0)) for p, q in law), Fraction(0))


@given(some.lists(finite_pairs(), min_size=1, max_size=4), some.fractions(1, 30, max_denominator=9))
def test_small_compositions_are_exact(pairs, growth):
    truth, curve = hockey_stick(pairs, growth), compose(pairs)
    found = curve.delta_between(Log(growth) if growth > 1 else 0)
    assert found.lower <= truth <= found.upper
    assert found.width <= 1e-14
    assert curve.floor.lower <= hockey_stick(pairs, 10**9) + Fraction(1, 10**8)


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(some.lists(finite_pairs(), min_size=1, max_size=4), some.fractions(1, 30, max_denominator=9))
def test_contours_hold_small_compositions_too(pairs, growth):
    curve, truth = compose(pairs, width=1e-3), hockey_stick(pairs, growth)
    assume(curve._product is not None and truth != hockey_stick(pairs, 10**6))
    stick = fourier_inversion.Inversions(curve._product, 1e-3, relatively=True).stick(
        Log(growth) if growth > 1 else Fraction(0)
    )
    found = curve._infinite.with_floor(stick)
    assert found.lower <= truth <= found.upper


@given(finite_pairs(), some.integers(1, 5), some.integers(0, 8))
def test_mixtures_are_exact(pair, share, at):
    share = Fraction(share, 5)
    growth = 1 + Fraction(at, 3)
    mixed = reveal(share, pair)
    truth = share + (1 - share) * hockey_stick([pair], growth)
    found = compose([mixed]).delta_between(Log(growth) if at else 0)
    assert found.lower <= truth <= found.upper


# --- Rényi divergence -----------------------------------------------------------------------------


@over("order", [1.25, 2, 8, 30])
@EVERY
def test_divergences_are_rounded_up(name, order):
    pair = BoundedRangePair(1.2) if name == "range" else LAWS[name][0]
    real = truth(name, order - 1, 0.0).real.log() / (arb(order) - 1)
    found = divergence([pair], order, times=3)
    assert 3 * real <= arb(found)
    assert found <= float((3 * real).mid()) * (1 + 1e-9) + 1e-12


def test_divergences_that_are_known():
    assert divergence([ResponsePair(1)], 2) == pytest.approx(response_divergence(1, 2), rel=1e-12)
    assert divergence([GaussianPair(3)], 7) == pytest.approx(7 * 9 / 2, rel=1e-12)
    assert divergence([DiscreteGaussianPair(2)], 3) == pytest.approx(3 / 8, rel=1e-9)
    assert divergence([DiscreteGaussianPair(HALF)], 1.5) < 2.95 < 1.5 * 2
    assert divergence([ResponsePair(1), BoundedRangePair(2)], math.inf) == 3.0
    assert divergence([ResponsePair(1, 0.1)], 2) == math.inf
    tanh = math.tanh(0.5)
    assert tanh <= divergence([ResponsePair(1)], 1) <= tanh * (1 + 1e-4)
    orders = [1, 1 + 1e-9, 1.001, 1.5, 4, 100, math.inf]
    values = [divergence([ResponsePair(1)], order) for order in orders]
    assert values == sorted(values)


def test_renyi_is_never_below_the_tight_curve():
    pairs = [DiscreteGaussianPair(8), ResponsePair(0.2), BoundedRangePair(0.3)]
    loose, tight = renyi_curve(pairs, times=20), compose(pairs, times=20)
    for at in (0, 1, 3):
        assert loose.delta_at(at) >= tight.delta_between(at).lower
    concentrated = from_concentrated(1000 / 200)
    ours = renyi_curve([DiscreteGaussianPair(10)], times=1000)
    assert ours.epsilon_at(1e-6) == pytest.approx(concentrated.epsilon_at(1e-6), rel=1e-9)


# --- bad input ------------------------------------------------------------------------------------


@over(
    ("make", "said"),
    [
        (lambda: DiscreteGaussianPair(0), "sigma must be positive"),
        (lambda: DiscreteGaussianPair(-1), "sigma must be positive"),
        (lambda: DiscreteGaussianPair(math.nan), "sigma must be a finite"),
        (lambda: DiscreteGaussianPair(math.inf), "sigma must be a finite"),
        (lambda: DiscreteGaussianPair(10**10), "sigma must lie between"),
        (lambda: DiscreteGaussianPair(1e-6), "shift² / sigma² must lie"),
        (lambda: DiscreteGaussianPair(1, 0), "shift must be an int >= 1"),
        (lambda: DiscreteGaussianPair(1, 1.0), "shift must be an int >= 1"),
        (lambda: DiscreteGaussianPair(1, True), "shift must be an int >= 1"),
        (lambda: DiscreteLaplacePair(0), "scale must be positive"),
        (lambda: DiscreteLaplacePair(1, 0), "shift must be an int >= 1"),
        (lambda: DiscreteLaplacePair(1, 5000), "shift is at most 4096"),
        (lambda: GaussianPair(0), "mu must be positive"),
        (lambda: GaussianPair("1"), "mu must be a finite"),
        (lambda: BoundedRangePair(-1), "eta must be positive"),
        (lambda: ResponsePair(-1), "epsilon must be >= 0"),
        (lambda: ResponsePair(10**10), "promises nothing"),
        (lambda: ResponsePair(1, 2), r"delta must lie in \[0, 1\]"),
        (lambda: FinitePair((HALF,), (HALF, HALF)), "does not sum to one"),
        (lambda: FinitePair((1,), (HALF, HALF)), "1 probabilities against 2"),
        (lambda: FinitePair((2, -1), (HALF, HALF)), r"a probability must lie in \[0, 1\]"),
        (lambda: FinitePair((), ()), "does not sum to one"),
        (lambda: FinitePair(1, 1), "tuple of probabilities"),
        (lambda: FinitePair((0.3, 0.6), (HALF, HALF)), "does not sum to one"),
        (lambda: MixturePair((HALF,), (GaussianPair(1),)), "does not sum to one"),
        (lambda: MixturePair((1,), ()), "one weight for every pair"),
        (lambda: MixturePair((1,), (1,)), "of dominating pairs"),
        (lambda: MixturePair((1,), 1), "of dominating pairs"),
        (lambda: reveal(2, GaussianPair(1)), "probability must lie"),
        (lambda: compose([]), "no pairs"),
        (lambda: compose(GaussianPair(1)), "give a list"),
        (lambda: compose(3), "a list of dominating pairs"),
        (lambda: compose([(1, 0)]), "a dominating pair is one of"),
        (lambda: compose([GaussianPair(1)], times=0), "times must be an int"),
        (lambda: compose([GaussianPair(1)], times=10**16), "at most 10"),
        (lambda: compose([GaussianPair(1)], width=0), "width must be positive"),
        (lambda: compose([ResponsePair(1, 0.1)]).epsilon_at(0.05), "below the floor"),
        (lambda: divergence([GaussianPair(1)], 0.5), "order of a Rényi divergence"),
        (lambda: divergence([GaussianPair(1)], math.nan), "order of a Rényi divergence"),
    ],
)
def test_bad_input_is_refused(make, said):
    with pytest.raises(InvalidArgument, match=said):
        make()


def test_a_subclass_is_not_believed():
    @attrs.frozen
    class Rosy(GaussianPair):
        pass

    for pair in (Rosy(1), reveal(0.1, Rosy(1))):
        with pytest.raises(InvalidArgument, match="not a Rosy"):
            compose([pair])


# --- extremes -------------------------------------------------------------------------------------


def test_extremes():
    assert compose([ResponsePair(0)]).delta_between(0).upper == 0
    assert compose([ResponsePair(0, 0.25)], times=2).delta_at(1) == 0.4375
    assert compose([DiscreteGaussianPair(1e6)]).delta_at(0) == pytest.approx(3.989e-7, rel=1e-3)
    assert compose([DiscreteGaussianPair(1)]).epsilon_at(1) == 0
    tiny = compose([DiscreteGaussianPair(0.01)]).delta_between(0)
    assert tiny.lower <= 1 <= tiny.upper
    assert compose([DiscreteGaussianPair(0.01)]).delta_between(1000).lower > 0.999
    assert compose([GaussianPair(1000)]).delta_between(0).lower > 0.999
    many = compose([DiscreteGaussianPair(1000)], times=10**9)
    assert many.delta_between(400).upper >= many.delta_between(400).lower > 0.9
    assert compose([DiscreteGaussianPair(5)]).delta_between(100).upper < 1e-300
    assert optimal([(3, 0)]).delta_between(1) == compose([ResponsePair(3)]).delta_between(1)


def test_the_sums_of_theta_agree_at_one():
    """σ a little below 1 is summed directly, σ = 1 by Poisson's formula."""
    below, at = (Thetas(((sigma, 1, 1),)) for sigma in (1 - Fraction(1, 10**12), Fraction(1)))
    for order in (0.2, 0.5, 3.3):
        left, right = (law.log_moment(order).value for law in (below, at))
        assert left == pytest.approx(right, abs=1e-10)
        theta = np.linspace(0, 12, 50)
        values = [np.exp(law.characteristic(order, theta).value) for law in (below, at)]
        assert np.max(np.abs(values[0] - values[1])) < 1e-9


def test_the_logarithm_of_a_ratio_near_one():
    for power in range(1, 30, 4):
        for ratio in (1 + Fraction(1, 10**power), 1 - Fraction(1, 10**power), Fraction(10**power)):
            real = float(ball(ratio).log().mid())
            assert log_ratio(ratio) == pytest.approx(real, rel=2e-15, abs=0)


def test_a_lattice_is_as_fine_as_all_of_them():
    pairs = [DiscreteGaussianPair(10), DiscreteGaussianPair(20), ResponsePair(Fraction(1, 80))]
    lattice = compose(pairs)._product.lattice
    assert lattice == (Fraction(1, 200) + Fraction(1, 800) + Fraction(1, 80), Fraction(1, 400))
    assert compose([*pairs, GaussianPair(1)])._product.lattice is None
    assert Product((Thetas(((Fraction(3), 2, 5),)),)).lattice == (Fraction(10, 9), Fraction(2, 9))


def test_points_of_one_ratio_are_one_point_with_all_their_mass():
    quarter, half = Fraction(1, 4), Fraction(1, 2)
    twice = product_of_finite(
        [([(quarter, quarter / 2), (quarter, quarter / 2), (half, 3 * quarter)], 2)]
    )
    assert twice.total == 1
    assert sorted(twice.points) == sorted(
        [(quarter, quarter / 4), (half, 3 * quarter / 2), (quarter, 9 * quarter / 4)]
    )
