"""scikit-learn's preprocessors: what they compute, how far they move records, what they rest on."""

import math
import sys
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from trying import over, sized

import antiphon as ap
from antiphon.composition.guarantees.derivation import Mark
from antiphon.mechanisms import NoisyDescent
from antiphon.preprocessing import Preprocessed
from antiphon.preprocessing.tables import (
    BinCentres,
    ClusterCentres,
    MeanImputation,
    PrincipalProjection,
    RecordTables,
    StandardScaling,
    Transformed,
    into_ball,
    record_tables,
)
from antiphon.preprocessing.tables.columnwise import eigengap
from antiphon.protocol.claims import Status
from antiphon.protocol.spaces import Arrays, Integers
from antiphon.verifiers import neighbouring_start
from antiphon.verifiers.preprocessing_distance import OneRow, PreprocessingDistance

pytest.importorskip("sklearn")

DELTA = 1e-6
RHO = Fraction("0.0243559")
NAN = math.nan
EDGE = 1 - 1e-6
"""Records at the edge of the ball, nearly: one at the very edge is refused."""


def kinds(size=40, dimension=3):
    shape = {"size": size, "dimension": dimension}
    return [
        MeanImputation(**shape, missing=6),
        StandardScaling(**shape, sigma=Fraction(1, 8)),
        PrincipalProjection(**shape, components=1, gap=Fraction(1, 50)),
        PrincipalProjection(**shape, components=2, gap=Fraction(1, 10**4), centred=False),
        BinCentres(**shape, bins=5),
        ClusterCentres(**shape, clusters=3, eta=Fraction(1, 4)),
    ]


NAMES = [type(each).__name__ + ("" if getattr(each, "centred", True) else "0") for each in kinds()]
EVERY = over("number", range(len(NAMES)), at_least=6)


def table(rng, number, size=40, dimension=3):
    found = into_ball(rng.normal(size=(size, dimension)) * [0.6, 0.3, 0.2][:dimension])
    if number == 0:
        found.flat[rng.choice(found.size, 5, replace=False)] = NAN
    return found


def moves(pi, zero, one):
    """How far each record that both have is apart after π_S and π_S'."""
    assert OneRow().holds(zero, one)
    same = (zero.view(np.int64) == one.view(np.int64)).all(axis=1)
    assert pi.datasets.contains(zero)
    assert pi.datasets.contains(one)
    return np.linalg.norm(pi(zero) - pi(one), axis=1)[same]


# --- what they compute ----------------------------------------------------------------------------


def test_they_are_scikit_learns():
    from sklearn.decomposition import PCA
    from sklearn.preprocessing import KBinsDiscretizer, StandardScaler

    _, scaling, projection, _, bins, _ = kinds()
    data = table(np.random.default_rng(0), 1)
    assert np.allclose(scaling(data), StandardScaler().fit_transform(data))
    made = PCA(1).fit(data)
    back = made.inverse_transform(made.transform(data))
    middle = data.mean(axis=0)
    shift = middle - middle @ made.components_.T @ made.components_  # what PCA adds to Px
    assert np.allclose(projection(data), back - shift)
    learned = KBinsDiscretizer(5, encode="ordinal", strategy="uniform", subsample=None)
    assert np.allclose(bins(data), learned.inverse_transform(learned.fit_transform(data)))


def test_values_that_are_missing_become_means():
    impute = MeanImputation(size=4, dimension=2, missing=2)
    found = impute(np.array([[0.5, NAN], [NAN, 0.1], [0.1, 0.2], [0.0, 0.3]]))
    assert found.tolist() == pytest.approx(np.array([[0.5, 0.2], [0.2, 0.1], [0.1, 0.2], [0, 0.3]]))


def test_a_projection_has_no_signs():
    """As those of principal directions are nobody's: records stay where they were, nearly."""
    line = np.linspace(-0.9, 0.9, 10)[:, None] * [0.6, -0.8]
    pi = PrincipalProjection(size=10, dimension=2, components=1, gap=Fraction(1, 10))
    assert np.allclose(pi(line), line)
    other = PrincipalProjection(
        size=10, dimension=2, components=1, gap=Fraction(1, 10), centred=False
    )
    assert np.allclose(other(line), line)


def test_bins_of_one_value_and_one_bin():
    flat = np.array([[0.5, 0.1], [0.5, 0.3], [0.5, 0.2]])
    assert BinCentres(size=3, dimension=2, bins=2)(flat).tolist() == pytest.approx(
        np.array([[0.5, 0.15], [0.5, 0.25], [0.5, 0.25]])
    )
    assert (BinCentres(size=3, dimension=2, bins=3)(flat[:, :1].repeat(2, 1)) == 0.5).all()
    assert BinCentres(size=3, dimension=2, bins=1)(flat).tolist() == pytest.approx(
        np.array([[0.5, 0.2]] * 3)
    )


def test_a_record_stops_on_its_way_to_a_centre():
    data = np.array([[0.0], [0.9], [0.8]])
    near = ClusterCentres(size=3, dimension=1, clusters=1, eta=Fraction(1, 100))(data)
    assert near.ravel().tolist() == pytest.approx([0.01, 0.89, 0.79])
    whole = ClusterCentres(size=3, dimension=1, clusters=1, eta=Fraction(1))(data)
    assert whole.ravel().tolist() == pytest.approx([1.7 / 3] * 3)
    alike = ClusterCentres(size=3, dimension=1, clusters=3, eta=Fraction(1))
    assert (alike(np.zeros((3, 1))) == 0).all()  # fewer places than clusters, and no warning


@EVERY
def test_they_are_functions_and_leave_the_data(number):
    data = table(np.random.default_rng(1), number)
    kept, pi = data.copy(), kinds()[number]
    data.setflags(write=False)
    assert np.array_equal(pi(data), pi(data))
    assert np.array_equal(data, kept, equal_nan=True)
    assert pi.range.contains(pi(data))


# --- how far they move records --------------------------------------------------------------------


@EVERY
def test_no_record_moves_further_than_is_declared(number):
    rng, pi = np.random.default_rng(2), kinds()[number]
    furthest, tried = 0.0, 0
    for _ in range(sized(20, 60)):
        zero = table(rng, number)
        one = zero.copy()
        one[rng.integers(40)] = into_ball(rng.normal(size=(1, 3)) * 9)
        if pi.datasets.contains(zero) and pi.datasets.contains(one):
            found = moves(pi, zero, one)
            tried += 1
            furthest = max(furthest, found.max())
            assert found.max() <= pi.furthest
            assert found.sum() <= pi.distance
            assert (found > 1e-12).sum() <= pi.moved
    assert tried > sized(6, 20)
    assert furthest > pi.furthest / 200


def test_imputation_reaches_its_figure():
    pi = MeanImputation(size=10, dimension=1, missing=4)
    zero = np.array([[EDGE], *[[0.0]] * 5, *[[NAN]] * 4])
    one = zero.copy()
    one[0] = -EDGE
    assert moves(pi, zero, one).sum() == pytest.approx(float(pi.distance), rel=1e-5)
    assert (pi.furthest, pi.distance, pi.moved) == (Fraction(1, 3), Fraction(4, 3), 4)


def test_a_record_that_lacks_two_values_moves_by_more_than_two_of_n_less_p():
    """Who has which value may change with the record; the means then are outside of the ball."""
    size, half = 10_000, 5_000
    zero = np.zeros((size, 2))
    zero[:half] = (-EDGE, 0)
    zero[half:] = (NAN, -EDGE)
    zero[-2] = (NAN, NAN)  # this one moves
    zero[-1] = (EDGE, 0)
    one = zero.copy()
    one[-1] = (NAN, NAN)
    missing = int(max(np.isnan(zero).sum(), np.isnan(one).sum()))
    pi = MeanImputation(size=size, dimension=2, missing=missing)
    found = moves(pi, zero, one)
    assert 2 / (size - missing) * 1.005 < found.max() <= pi.furthest
    assert found.sum() <= pi.distance


def test_two_values_may_move_as_far_with_every_mean_in_the_ball():
    """(1, ?) is replaced by (?, 1): both means of the record that lacks two values move."""
    size, half = 1000, EDGE / math.sqrt(2)
    zero = np.full((size, 2), -half)
    zero[0], zero[1] = (EDGE, NAN), (NAN, NAN)
    one = zero.copy()
    one[0] = (NAN, EDGE)
    pi = MeanImputation(size=size, dimension=2, missing=3)
    assert all(np.linalg.norm(pi(each)[1]) <= 1 for each in (zero, one))  # the means
    assert 2 / (size - 3) * 1.2 < moves(pi, zero, one).max() <= pi.furthest


@pytest.mark.parametrize("dimension", [1, 2])
def test_scaling_comes_near_its_figure(dimension):
    """Records at both ends, few of them at one."""
    size, first = 1000, 1 if dimension == 1 else 0.9
    zero = np.full((size, dimension), -EDGE * math.sqrt(1 - first**2))
    zero[:, 0] = -EDGE * first
    zero[:50, 0] *= -1
    zero[::2, 1:] *= -1
    one = zero.copy()
    one[0, 0] *= -1
    sigma = Fraction(min(zero.std(axis=0).min(), one.std(axis=0).min())) * (1 - Fraction(1, 10**6))
    pi = StandardScaling(size=size, dimension=dimension, sigma=sigma)
    least = 0.93 if dimension == 1 else 0.6
    assert least * pi.furthest < moves(pi, zero, one).max() <= pi.furthest


def test_centred_directions_turn_further_than_two_of_n_times_the_gap():
    size, few = 2000, 100
    zero = np.zeros((size, 2))
    zero[:, 1] = -EDGE
    zero[: 2 * few] = 0
    zero[:few, 0], zero[few : 2 * few, 0] = EDGE, -EDGE
    zero[-1] = np.array([math.sqrt(3) / 2, 0.5]) * EDGE
    one = zero.copy()
    one[-1, 0] *= -1
    gap = min(eigengap(each, 1) for each in (zero, one)) * (1 - 1e-6)
    pi = PrincipalProjection(size=size, dimension=2, components=1, gap=gap)
    assert 2 / (size * gap) < moves(pi, zero, one).max() <= pi.furthest


def test_figures_of_a_projection_are_those_of_its_two_bounds():
    """Evaluated on a grid of t, and rounded up by no more than 1e-9."""
    for components, gap in ((1, 0.125), (1, 0.75), (2, 0.25), (1, 1.0)):
        shape = {"size": 10**6, "dimension": 3, "components": components, "gap": gap}
        mean, t = math.sqrt(1 - components * gap), np.linspace(0, 1, 10**5)
        near = 2 * (np.sqrt(1 - t**2) * (t + mean)).max()
        far = 1.5 * math.sqrt(3) * (1 - 1e-6)
        found = float(PrincipalProjection(**shape).furthest) * 10**6 * gap
        assert 0 <= found - min(near, far) < 1e-8
        uncentred = PrincipalProjection(**shape, centred=False)
        assert uncentred.furthest == 1 / (10**6 * Fraction(gap))
    small = PrincipalProjection(size=6, dimension=2, components=1, gap=Fraction(2, 5))
    assert float(small.furthest) == pytest.approx(1.5 * math.sqrt(3) * (5 / 6) / 2.4)


def test_bins_move_by_more_than_their_step():
    pi = BinCentres(size=9, dimension=1, bins=2)
    zero = np.linspace(-EDGE, 0.01, 9)[:, None]
    one = zero.copy()
    one[3] = EDGE
    assert pi.furthest == 1
    assert 0.7 < moves(pi, zero, one).max() <= 1


def test_clusters_move_by_twice_their_step_whoever_they_are():
    """Records in the middle have a centre on either side, and go over together."""
    zero = np.repeat([-EDGE, 0, EDGE], [20, 10, 20])[:, None]
    one = zero.copy()
    one[0] = EDGE
    pi = ClusterCentres(size=50, dimension=1, clusters=2, eta=Fraction(1, 4))
    other = one.copy()
    other[-1] = other[1]
    found = max(moves(pi, zero, one).max(), moves(pi, one, other).max())
    assert found == pytest.approx(0.5) == float(pi.furthest)


def test_caps():
    """Nothing moves further than the images are wide."""
    assert StandardScaling(size=2, dimension=1, sigma=Fraction(1, 9)).furthest == 36
    assert PrincipalProjection(size=2, dimension=2, components=1, gap=1e-3).furthest == 1
    assert ClusterCentres(size=2, dimension=2, clusters=1, eta=7).furthest == 2


def test_figures_scale_with_the_radius():
    """In units of the radius nothing changes."""
    shape = {"size": 500, "dimension": 2}
    three = {**shape, "radius": 3}
    pairs = [
        (MeanImputation(**shape, missing=5), MeanImputation(**three, missing=5), 3),
        (StandardScaling(**shape, sigma=0.2), StandardScaling(**three, sigma=0.2 * 3), 1),
        (
            PrincipalProjection(**shape, components=1, gap=Fraction(1, 10)),
            PrincipalProjection(**three, components=1, gap=Fraction(9, 10)),
            3,
        ),
        (BinCentres(**shape, bins=5), BinCentres(**three, bins=5), 3),
    ]
    for one, other, times in pairs:
        assert float(other.furthest) == pytest.approx(times * float(one.furthest))
        assert other.range.high == pytest.approx(times * one.range.high)


# --- what is derived ------------------------------------------------------------------------------


def behind(pi, **rest):
    noise = NoisyDescent(points=pi.size, dimension=pi.dimension, steps=1, rho=RHO, **rest)
    return Preprocessed(noise, pi)


@EVERY
def test_guarantees_are_derived_and_run(number):
    system = behind(kinds()[number])
    promise = ap.guarantee(system)
    assert promise.status is Status.ASSUMED
    assert promise.verification == neighbouring_start(OneRow())
    groups = promise.derivation.parts[-1].curve.epsilon_at(Fraction(DELTA))
    assert 1 <= promise.epsilon_at(DELTA) <= groups
    data = table(np.random.default_rng(4), number)
    assert system.start(seed=1).send(data).shape == (3,)
    assert {"norm at most 1", "in doubles"} <= told_of(promise)


def told_of(promise):
    """What its premises say, of these."""
    premises = [
        f"{each.mark.value} {each.text} {each.evidence}" for each in promise.derivation.premises
    ]
    known = (
        "norm at most 1", "in doubles", "assumed M takes every image",
        "assumed a record moves by at most 0", "assumed every column has standard deviation 1/8",
        "assumed eigenvalue 1 is 1/50 or more above",
    )  # fmt: skip
    return {each for each in known if any(each in premise for premise in premises)}


@pytest.mark.slow
def test_the_figures_of_the_theory():
    size = 1000
    few = behind(MeanImputation(size=size, dimension=1, missing=50))
    assert ap.guarantee(few).epsilon_at(DELTA) == pytest.approx(1.0565, abs=1e-3)
    for length in (100, 10_000):
        for centred, epsilon in ((False, 7.197), (True, 19.15)):
            turned = PrincipalProjection(
                size=length, dimension=2, components=1, gap=Fraction(1, 10), centred=centred
            )
            found = ap.guarantee(behind(turned)).epsilon_at(DELTA)
            assert found == pytest.approx(epsilon, abs=1e-2)
        scaled = StandardScaling(size=length, dimension=2, sigma=Fraction(1, 5))
        found = ap.guarantee(behind(scaled, clip=5)).epsilon_at(DELTA)
        assert found == pytest.approx(120.55, abs=0.1)
    group = behind(StandardScaling(size=178, dimension=2, sigma=Fraction(118, 1000)))
    assert ap.guarantee(group).epsilon_at(DELTA) == pytest.approx(975.1, abs=0.2)


def test_public_bounds_are_shown_as_assumed():
    scaling, projection = kinds()[1:3]
    for pi, told in ((scaling, "standard deviation 1/8"), (projection, "1/50 or more above")):
        (premise,) = (each for each in pi.premises if told in each.text)
        assert premise.mark is Mark.ASSUMED
        assert "public" in premise.evidence
        assert any(told in each for each in told_of(ap.guarantee(behind(pi))))


def test_others_are_no_datasets():
    rng = np.random.default_rng(5)
    impute, scaling, projection, *_ = kinds()
    good = table(rng, 1)
    flat, round_ = good.copy(), into_ball(rng.normal(size=(40, 3)) * 0.01)
    flat[:, 2] = 0
    many = good.copy()
    many[:7, 0] = NAN
    refused = [(scaling, flat), (projection, round_), (impute, many), (scaling, many)]
    for pi, data in refused:
        assert not pi.datasets.contains(data)
        with pytest.raises(ap.InvalidArgument, match="outside the query space"):
            behind(pi).start(seed=1).send(data)


@over(
    "value",
    [
        np.ones((2, 2)), np.zeros((3, 2)), np.zeros((2, 2), np.float32), [[0.0, 0.0]] * 2, None,
        np.array([[math.inf, 0], [0, 0]]), np.array([[NAN, 0], [NAN, 0]]), np.full((2, 2), 1e300),
        np.array([[1.0, 0], [0, 0]]),
    ])  # fmt: skip
def test_what_is_no_table_of_records(value):
    assert not RecordTables(2, 2, Fraction(1), missing=1).contains(value)


def test_records_in_the_ball():
    space = RecordTables(3, 2, Fraction(1), missing=1)
    assert space.contains(np.array([[0.0, NAN], [0.6, 0.79], [EDGE, 0]]))
    assert not space.discrete
    rng = np.random.default_rng(6)
    for radius in (1, 0.001, 40):
        long = into_ball(rng.normal(size=(50, 4)) * 10 * radius, radius)
        assert RecordTables(50, 4, Fraction(radius)).contains(long)
        assert np.linalg.norm(long, axis=1).max() > radius * (1 - 1e-6)
        assert np.array_equal(into_ball(long * 0.9, radius), long * 0.9)


def test_a_row_that_differs():
    zero = np.array([[0.0, NAN], [1, 2], [3, 4]])
    one, two = zero.copy(), zero.copy()
    one[1] = NAN
    two[1], two[0, 0] = 7, -0.0
    assert OneRow().holds(zero, zero.copy())
    assert OneRow().holds(zero, one)
    assert not OneRow().holds(zero, two)
    assert not OneRow().holds(zero, zero[:2])
    assert not OneRow().holds(np.zeros((3, 2), int), np.zeros((3, 2), int))
    assert not OneRow().holds([[1.0]], [[1.0]])
    assert PreprocessingDistance(0, 1).holds(zero[1:], one[1:]) is False  # NaN is no number


def test_boxes_in_boxes():
    box = Arrays((2, 2), "float64", -1, 1)
    assert box.includes(Arrays((2, 2), "float64", -1, 0.5))
    assert box.includes(Arrays((2, 2), "float64", -1, 1, step=0.5))
    assert Arrays((2, 2), "float64").includes(box)
    for other in (
        Arrays((2, 2), "float64", -1, 1.5), Arrays((2, 2), "float64", -2, 1), Integers(),
        Arrays((2, 1), "float64", -1, 1), Arrays((2, 2), "float32", -1, 1),
    ):  # fmt: skip
        assert not box.includes(other)
    grid = Arrays((2,), "float64", -1, 1, step=0.5)
    assert grid.includes(Arrays((2,), "float64", -1, 0.5, step=0.5))
    assert not grid.includes(Arrays((2,), "float64", -1, 1))


def test_a_mechanism_that_refuses_images_is_refused():
    small = NoisyDescent(points=40, dimension=2, steps=1, rho=1)
    with pytest.raises(ap.InvalidArgument, match="give it a larger space"):
        Preprocessed(small, kinds()[4])


# --- bad input ------------------------------------------------------------------------------------

SHAPE = {"size": 10, "dimension": 2}


@over(
    ("make", "told"),
    [
        (lambda: MeanImputation(**SHAPE, missing=10), "nothing to take the mean of"),
        (lambda: MeanImputation(**SHAPE, missing=-1), "missing"),
        (lambda: MeanImputation(**SHAPE, missing=True), "missing"),
        (lambda: PrincipalProjection(**SHAPE, components=1, gap=0), "eigengap of 0"),
        (lambda: PrincipalProjection(**SHAPE, components=1, gap=-1), "gap must be positive"),
        (lambda: PrincipalProjection(**SHAPE, components=1, gap=NAN), "gap"),
        (lambda: PrincipalProjection(**SHAPE, components=1, gap=2), "no records in the ball"),
        (lambda: PrincipalProjection(**SHAPE, components=2, gap=0.1), "below dimension"),
        (lambda: PrincipalProjection(**SHAPE, components=1, gap=1, centred=1), "centred"),
        (lambda: StandardScaling(**SHAPE, sigma=0), "sigma must be positive"),
        (lambda: StandardScaling(**SHAPE, sigma=0.8), "no records in the ball vary more in every"),
        (lambda: BinCentres(**SHAPE, bins=0), "bins"),
        (lambda: ClusterCentres(**SHAPE, clusters=1, eta=0), "eta must be positive"),
        (lambda: ClusterCentres(size=0, dimension=1, clusters=1, eta=1), "size"),
        (lambda: BinCentres(**SHAPE, bins=2, radius=0), "radius must be positive"),
        (lambda: Transformed(**SHAPE, make=3, furthest=1), "make is a function"),
        (lambda: Transformed(**SHAPE, make=int, furthest=-1), "furthest must be >= 0"),
        (lambda: behind(Transformed(**SHAPE, make=int, furthest=1, moved=11)), "11 of 10"),
    ],
)
def test_bad_input(make, told):
    with pytest.raises(ap.InvalidArgument, match=told):
        make()


def test_without_scikit_learn(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setattr(record_tables, "find_spec", lambda name: None)
    data = table(np.random.default_rng(7), 1)
    for number in (0, 1, 2, 4, 5):
        with pytest.raises(ap.MissingExtra, match=r"antiphon\[preprocess\]"):
            kinds()[number](data)


def test_what_somebody_vouches_for_is_assumed():
    from sklearn.preprocessing import MaxAbsScaler, Normalizer

    pi = Transformed(**SHAPE, make=Normalizer, furthest=0, moved=0)  # a function of each record
    promise = ap.guarantee(behind(pi))
    assert promise.status is Status.ASSUMED
    assert promise.epsilon_at(DELTA) == pytest.approx(1, abs=1e-3)
    assert {"assumed a record moves by at most 0", "assumed M takes every image"} <= told_of(
        promise
    )
    some = Transformed(**SHAPE, make=partial(MaxAbsScaler, copy=True), furthest=Fraction(1, 2))
    assert (some.moved, some.distance) == (10, 5)
    assert not behind(some).preprocessing.datasets.contains(np.ones((10, 2)))


def test_a_record_outside_of_a_tiny_ball_is_no_record_of_it():
    """The square of its norm is 0, or what is left of it is."""
    for radius, norm in ((Fraction(1, 10**200), 1e-170), (Fraction(2.0**-1074), 2.0**-1074)):
        tables = RecordTables(2, 1, radius)
        assert not tables.contains(np.array([[norm], [0.0]]))
    assert RecordTables(2, 1, Fraction(1, 10**200)).contains(np.array([[1e-201], [0.0]]))
    assert into_ball([[1e-170, 0]], 1e-200).max() < 1e-200
    assert into_ball([[1e200, 0]]).max() > EDGE


def test_balls_in_which_images_overflow_are_refused():
    """Where they did, an image was outside of its range, and what refused it told of the data."""
    for radius in (Fraction(2) ** 101, Fraction(1, 2**101), 10**308):
        with pytest.raises(ap.InvalidArgument, match="use other units"):
            StandardScaling(size=4, dimension=2, radius=radius, sigma=Fraction(radius) / 100)
    for radius in (Fraction(2) ** 100, Fraction(1, 2**100)):
        pi = StandardScaling(size=4, dimension=2, radius=radius, sigma=radius / 100)
        data = np.array([[0.1, 0.2], [0.7, 0.7], [-0.7, 0.7], [-0.7, -0.7]]) * float(radius)
        assert pi.datasets.contains(data)
        assert pi.range.contains(pi(data))
