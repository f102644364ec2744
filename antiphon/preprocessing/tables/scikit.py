"""What scikit-learn computes for a preprocessing; it is imported when that is first asked."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from fractions import Fraction
from importlib.util import find_spec
from typing import Any

import attrs
import numpy as np

from antiphon.composition.guarantees.derivation import Mark, Premise
from antiphon.numbers import named
from antiphon.numbers.errors import InvalidArgument, MissingExtra
from antiphon.preprocessing.tables.record_tables import TablePreprocessing
from antiphon.protocol.spaces import Space
from antiphon.verifiers.moved import Records


def require() -> None:
    """Raises: MissingExtra without scikit-learn."""
    if find_spec("sklearn") is None:
        raise MissingExtra("scikit-learn", "preprocess")


def imputed(table: Records) -> Records:
    """Missing values as the mean of their column."""
    require()
    from sklearn.impute import SimpleImputer

    imputer: Any = SimpleImputer(strategy="mean")
    found: Records = imputer.fit_transform(table)
    return found


def standardised(table: Records) -> Records:
    """Columns less their mean, by their standard deviation."""
    require()
    from sklearn.preprocessing import StandardScaler

    scaler: Any = StandardScaler()
    found: Records = scaler.fit_transform(table)
    return found


def principal(table: Records, components: int) -> Records:
    """The first principal directions of the centred table, one in each row; signs are its own."""
    require()
    from sklearn.decomposition import PCA

    analysis: Any = PCA(components, svd_solver="full")
    found: Records = analysis.fit(table).components_
    return found


def binned(table: Records, bins: int) -> Records:
    """The middle of the bin of each entry: bins of one width, from the least to the greatest."""
    require()
    from sklearn.preprocessing import KBinsDiscretizer

    wide = np.ptp(table, axis=0) > 0
    found = table.copy()  # a column of one value is its own middle
    if wide.any():
        kind: Any = KBinsDiscretizer
        discretiser = kind(bins, encode="ordinal", strategy="uniform", subsample=None)
        codes = discretiser.fit_transform(table[:, wide])
        found[:, wide] = discretiser.inverse_transform(codes)
    return found


def clustered(table: Records, clusters: int) -> Records:
    """The centre of the cluster of each record, found from the same starts each time."""
    require()
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits  # comes with scikit-learn

    kind: Any = KMeans
    limits: Any = threadpool_limits
    means = kind(clusters, n_init=4, random_state=0)
    with limits(1), warnings.catch_warnings():  # the sums of a few threads come in any order
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer records than clusters: fine
        means.fit(table)
    found: Records = means.cluster_centers_[means.labels_]
    return found


@attrs.frozen(kw_only=True)
class Transformed(TablePreprocessing):
    """``make().fit_transform(S)``, with Δ₂ and Δ_∞ as you state them: *assumed*.

    ``make`` returns a fresh transformer without coins (a fixed ``random_state``), as
    ``partial(PCA, 1)`` does. ``within``: the datasets, if not all tables in the ball.
    ``antiphon.preprocessing.check_preprocessing`` looks for data where what is stated does not hold.
    Raises: InvalidArgument for a Δ₂ below 0, a Δ_∞ outside of 0, …, n.
    """

    make: Callable[[], Any]
    stated_furthest: Fraction = attrs.field(alias="furthest", converter=named.fraction)
    stated_moved: int | None = attrs.field(default=None, alias="moved")
    within: Space | None = None

    def __attrs_post_init__(self) -> None:
        if not callable(self.make):
            raise InvalidArgument("make is a function that returns a fresh transformer")
        if self.stated_furthest < 0:
            raise InvalidArgument("furthest must be >= 0: nothing is nearer than equal")

    @property
    def datasets(self) -> Space:
        return super().datasets if self.within is None else self.within

    @property
    def furthest(self) -> Fraction:
        return self.stated_furthest

    @property
    def moved(self) -> int:
        return self.size if self.stated_moved is None else self.stated_moved

    @property
    def premises(self) -> tuple[Premise, ...]:
        text = f"a record moves by at most {self.furthest}"
        return (*super().premises, Premise(text, Mark.ASSUMED, "whoever made it states it"))

    def __call__(self, dataset: Records) -> Records:
        return np.asarray(self.make().fit_transform(dataset), np.float64)
