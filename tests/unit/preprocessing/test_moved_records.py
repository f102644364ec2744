"""Preprocessings tried on neighbours: what is declared too small is found, what holds is not."""

import math
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from trying import over

import antiphon as ap
from antiphon.mechanisms import DiscreteLaplace
from antiphon.preprocessing import ImputedSum, Preprocessed, Preprocessing, check_preprocessing
from antiphon.preprocessing.tables import (
    BinCentres,
    ClusterCentres,
    MeanImputation,
    PrincipalProjection,
    StandardScaling,
    TablePreprocessing,
    Transformed,
    into_ball,
)
from antiphon.verifiers.preprocessing_distance import OneRow

pytest.importorskip("sklearn")


def declaring(kind, **declared):
    """A subclass that declares something else."""
    body = {name: property(lambda self, value=value: value) for name, value in declared.items()}
    return type(f"Less{kind.__name__}", (kind,), body)


def some(size=60, seed=0):
    return into_ball(np.random.default_rng(seed).normal(size=(size, 2)) * [0.6, 0.3])


LINE = into_ball(np.outer(np.where(np.arange(1000) % 2, 0.9, -0.9), [0.7072, -0.7070]))
"""Records on a line, its ends ±.9: an eigengap of .81. The line is not quite a diagonal: on one the
sign of its direction would be decided by rounding, which differs from one BLAS to another."""
PROJECTION = PrincipalProjection(size=1000, dimension=2, components=1, gap=Fraction(4, 5))


def test_principal_coordinates_change_sign():
    """Every one of a thousand records, by 1.80; the projection hardly moves them."""
    from sklearn.decomposition import PCA

    assert PROJECTION.furthest < 0.0021
    wrong = Transformed(
        size=1000, dimension=2, make=partial(PCA, 1), furthest=PROJECTION.furthest,
        within=PROJECTION.datasets,
    )  # fmt: skip
    report = check_preprocessing(wrong, LINE)
    assert not report
    assert [each.check for each in report.findings] == ["furthest", "distance"]
    assert report.furthest.furthest > 1.795
    assert report.distance.total > 1790
    assert "project (PrincipalProjection)" in report.findings[0].cure
    zero, one = report.furthest.neighbours
    assert OneRow().holds(zero, one)
    assert wrong.datasets.contains(zero)
    assert wrong.datasets.contains(one)
    moved = np.abs(wrong(zero) - wrong(one)).ravel()
    assert np.sort(moved)[1] > 1.79
    assert moved.max() == pytest.approx(report.furthest.furthest)

    right = check_preprocessing(PROJECTION, LINE)
    assert right
    assert right.furthest.furthest < 0.0021
    assert "no findings" in str(right)


def mirrored(size, turn):
    """A record of length 1 that makes the angle ``turn`` with all others, which are alike."""
    found = np.tile([1.0, 0.0], (size, 1))
    found[size // 2] = math.cos(turn), math.sin(turn)
    return found * (1 - 1e-7)


@pytest.mark.every(3)
@pytest.mark.parametrize("size", [2, 3, 40])
@pytest.mark.parametrize("centred", [False, True])
def test_a_mirrored_record_turns_a_projection_as_far_as_is_declared(size, centred):
    """The bounds are met: within 1 % here, as the gap that is declared must be a little smaller."""
    if centred:
        data, gap = mirrored(size, 2 * math.pi / 3), 3 * (size - 1) / size**2
    else:
        data, gap = mirrored(size, math.pi / 4), math.hypot(size - 1, 1) / size
    pi = PrincipalProjection(
        size=size, dimension=2, components=1, gap=gap * (1 - 1e-3), centred=centred
    )
    report = check_preprocessing(pi, data)
    assert report
    assert 0.99 * pi.furthest < report.furthest.furthest <= pi.furthest
    if size > 2:  # of two, an axis turns the projection as far
        assert "mirrored" in report.furthest.candidate


MIDDLE = into_ball(np.repeat([-1.0, 0, 1], [20, 10, 20])[:, None])
CLUSTERS = {"size": 50, "dimension": 1, "clusters": 2, "eta": Fraction(1, 4)}


@pytest.mark.slow
def test_clusters_move_by_twice_their_step():
    """Where the middle goes to one of two centres; a step is what one might declare."""
    report = check_preprocessing(
        declaring(ClusterCentres, furthest=Fraction(1, 4))(**CLUSTERS), MIDDLE
    )
    assert report.findings[0].check == "furthest"
    assert report.furthest.furthest == pytest.approx(0.5)
    assert "2η" in report.findings[0].cure
    assert check_preprocessing(ClusterCentres(**CLUSTERS), MIDDLE)


@pytest.mark.slow
def test_all_of_them_may_move():
    report = check_preprocessing(declaring(ClusterCentres, moved=10)(**CLUSTERS), MIDDLE)
    assert report.findings[0].check == "moved"
    assert report.moved.moved > 10
    assert "records that move: " in report.findings[0].what


def test_paths_find_what_neighbours_of_the_data_do_not_show():
    """Directions that would change sign, after some records more."""
    from sklearn.decomposition import PCA

    far = into_ball(np.outer(np.where(np.arange(200) % 2, 0.9, -0.9), [0.8, -0.6]))
    pi = Transformed(size=200, dimension=2, make=partial(PCA, 1), furthest=Fraction(1, 5))
    report = check_preprocessing(pi, far)
    assert report.furthest.before > 1
    assert report.furthest.furthest > 1
    assert not report


SOUND = {
    "imputation": MeanImputation(size=60, dimension=2, missing=7),
    "scaling": StandardScaling(size=60, dimension=2, sigma=Fraction(1, 5)),
    "projection": PrincipalProjection(size=60, dimension=2, components=1, gap=Fraction(1, 20)),
    "uncentred": PrincipalProjection(
        size=60, dimension=2, components=1, gap=Fraction(1, 20), centred=False
    ),
    "bins": BinCentres(size=60, dimension=2, bins=7),
    "clusters": ClusterCentres(size=60, dimension=2, clusters=4, eta=Fraction(1, 10)),
}


@pytest.mark.slow
@over("name", SOUND, at_least=6)
def test_what_is_declared_here_holds(name):
    data = some()
    if name == "imputation":
        data[[3, 9, 20], [0, 1, 0]] = np.nan
    report = check_preprocessing(SOUND[name], data, tries=80)
    assert report, str(report)
    assert report.tried > 8
    assert not report.interrupted
    assert 0 < report.furthest.furthest <= SOUND[name].furthest


@over(
    ("name", "declared"),
    [
        ("imputation", {"furthest": Fraction(1, 100)}),
        ("imputation", {"moved": 2, "distance": Fraction(1)}),
        ("imputation", {"distance": Fraction(1, 60)}),
        ("scaling", {"furthest": Fraction(1, 20)}),
        ("projection", {"furthest": Fraction(1, 100)}),
        ("bins", {"furthest": Fraction(1, 20)}),
    ],
)
def test_what_is_declared_too_small_is_found(name, declared):
    data = some()
    if name == "imputation":
        data[[3, 9, 20], [0, 1, 0]] = np.nan
    kind, fields = type(SOUND[name]), vars_of(SOUND[name])
    report = check_preprocessing(declaring(kind, **declared)(**fields), data)
    assert set(declared) & {each.check for each in report.findings}
    assert all(
        "test_moved_records" in each.where or ".py:" in each.where for each in report.findings
    )


def vars_of(pi):
    return {each.name: getattr(pi, each.name) for each in pi.__attrs_attrs__}


def test_the_record_that_is_replaced_is_not_counted():
    """It is another one; of a function of single records no other moves."""
    from sklearn.preprocessing import Normalizer

    pi = Transformed(size=60, dimension=2, make=Normalizer, furthest=0, moved=0)
    report = check_preprocessing(pi, some())
    assert report
    assert (report.furthest.furthest, report.moved.moved) == (0, 0)


class WithoutDuplicates:
    """Records that are near an earlier one are removed."""

    def fit_transform(self, table):
        kept = []
        for row in table:
            if all(np.linalg.norm(row - each) > 0.2 for each in kept):
                kept.append(row)
        return np.array(kept)


def test_de_duplication_is_refused_with_the_cure():
    hidden = Transformed(size=60, dimension=2, make=WithoutDuplicates, furthest=0)
    report = check_preprocessing(hidden, some())
    assert [each.check for each in report.findings] == ["rows"]
    assert "group privacy" in report.findings[0].cure
    with pytest.raises(ap.InvalidArgument, match="de-duplication, only group privacy"):
        check_preprocessing(WithoutDuplicates(), some())
    with pytest.raises(ap.InvalidArgument, match="de-duplication, only group privacy"):
        Preprocessed(DiscreteLaplace(epsilon=1), WithoutDuplicates())


class WithoutTheLast:
    """One record is always gone."""

    def fit_transform(self, table):
        return table[:-1]


def test_every_record_has_an_image():
    pi = Transformed(size=60, dimension=2, make=WithoutTheLast, furthest=9)
    (found,) = check_preprocessing(pi, some()).findings
    assert found.check == "rows"
    assert "(59, 2)" in found.what


def test_nothing_of_the_data_is_in_a_repr():
    data = some()
    data[0] = 0.123456789
    report = check_preprocessing(SOUND["bins"], data, tries=10)
    assert "0.1234567" not in repr(report) + str(report)


class Slow:
    """Is interrupted at its fourth fit."""

    fits = 0

    def fit_transform(self, table):
        Slow.fits += 1
        if Slow.fits == 4:
            raise KeyboardInterrupt
        return table


def test_interrupted_it_tells_what_it_found():
    pi = Transformed(size=60, dimension=2, make=Slow, furthest=0, moved=0)
    report = check_preprocessing(pi, some())
    assert report.interrupted
    assert report.tried == 1
    assert str(report).endswith("interrupted")


def test_tries_bound_the_fits():
    few = check_preprocessing(SOUND["bins"], some(), tries=4)
    assert 1 <= few.tried <= 3


def test_nothing_is_tried_where_no_neighbour_is_a_dataset():
    """Records at the ends vary as much as any: with another one they vary less."""
    ends = into_ball(np.array([[1.0], [-1.0]]))
    pi = StandardScaling(size=2, dimension=1, sigma=Fraction(999, 1000))
    report = check_preprocessing(pi, ends)
    assert (report.tried, report.furthest) == (0, None)
    assert report


@pytest.mark.parametrize(
    ("pi", "data", "told"),
    [
        (SOUND["bins"], np.ones((60, 2)), "into_ball"),
        (SOUND["bins"], some(59), "dataset of the preprocessing"),
        (SOUND["bins"], "wine", "dataset of the preprocessing"),
        (ImputedSum(size=2, missing=1, high=3), some(), "no ImputedSum"),
        (set, some(), "no type"),
    ],
)
def test_bad_input(pi, data, told):
    with pytest.raises(ap.InvalidArgument, match=told):
        check_preprocessing(pi, data)
    with pytest.raises(ap.InvalidArgument, match="tries"):
        check_preprocessing(SOUND["bins"], some(), tries=0)


def test_roles():
    assert issubclass(TablePreprocessing, Preprocessing)
    with pytest.raises(TypeError):
        TablePreprocessing(size=2, dimension=2)
