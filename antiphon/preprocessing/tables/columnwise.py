"""Preprocessings of tables: imputation, bins, clusters and scaling, and projections.

A projection keeps records in their space, so that the signs of directions do not matter.
"""

import math
import warnings
from fractions import Fraction
from typing import Any

import attrs
import numpy as np

from antiphon.composition.guarantees.derivation import Mark, Premise
from antiphon.numbers import InvalidArgument, exact, named
from antiphon.preprocessing.tables import record_tables as base
from antiphon.preprocessing.tables.record_tables import Declaration, RecordTables, public_bound
from antiphon.protocol.registry import register
from antiphon.verifiers.preprocessing_distance import Records, lengths


@register("antiphon.MeanImputation/1")
@attrs.frozen(kw_only=True)
class MeanImputation(base.TablePreprocessing):
    """The preprocessing ``SimpleImputer``: each of at most p missing entries (NaN) of an n × d
    table becomes its column's mean.

    *Distance*: τ = 2rp/(n-p), r the radius. *Proof*: let k >= n-p be the larger number of present
    entries of a column, before and after a record is replaced. Its mean moves by |x - x'|/k if the
    record has the entry in both, else by |x - m|/k, m the mean of k-1 others; 2r/(n-p) at most, and
    so does each of at most p entries. A record with several missing entries moves by at most Δ₂ =
    2r·√min(d, p)/(n-p); by 2r/(n-p) only if no record lacks two. Raises: InvalidArgument for p >=
    n: a column might have no mean.
    """

    missing: int

    def __attrs_post_init__(self) -> None:
        if type(self.missing) is not int or not 0 <= self.missing < self.size:
            raise InvalidArgument(
                f"missing is an int from 0 to size - 1 = {self.size - 1}: with more, a column may "
                "have nothing to take the mean of; leave out columns that are mostly missing"
            )

    @property
    def declares(self) -> Declaration:
        entry = 2 * self.radius / (self.size - self.missing)
        text = f"at most {self.missing} values are missing, in both datasets"
        return Declaration(
            entry * exact.root_up(Fraction(min(self.dimension, self.missing))),
            reach=self.radius,
            premises=(Premise(text, Mark.ENFORCED, "others are no datasets of it"),),
            datasets=RecordTables(self.size, self.dimension, self.radius, self.missing),
            moved=self.missing,
            distance=entry * self.missing,
        )

    def __call__(self, dataset: Records) -> Records:
        imputer = base.sklearn("impute").SimpleImputer(strategy="mean")
        found: Records = imputer.fit_transform(dataset)
        return found


@register("antiphon.BinCentres/1")
@attrs.frozen(kw_only=True)
class BinCentres(base.TablePreprocessing):
    """The preprocessing ``KBinsDiscretizer`` (uniform): each entry becomes the middle of its bin.

    *Furthest*: Δ₂ = 2η with η = r√d/bins, and all records may move. *Proof*: the bins of a column
    go from its least entry to its greatest, so that they are at most 2r/bins wide, and an entry is
    at most half of that from its middle; a record is within η of either image.
    """

    bins: int = attrs.field(converter=named.whole)

    @property
    def declares(self) -> Declaration:
        width = 2 * exact.root_up(Fraction(self.dimension)) * self.radius / self.bins
        return Declaration(width, reach=self.radius)

    def __call__(self, dataset: Records) -> Records:
        if self.bins > 1:
            return _binned(dataset, self.bins)
        # scikit-learn does not support a single bin: its middle is each column's midrange.
        return np.tile((dataset.min(axis=0) + dataset.max(axis=0)) / 2, (len(dataset), 1))


def _binned(table: Records, bins: int) -> Records:
    """The table with each entry replaced by the middle of its bin; bins of equal width span each
    column."""
    kind, wide = base.sklearn("preprocessing").KBinsDiscretizer, np.ptp(table, axis=0) > 0
    found = table.copy()  # A constant column has no bins, and stays as it is.
    if wide.any():
        discretiser = kind(bins, encode="ordinal", strategy="uniform", subsample=None)
        codes = discretiser.fit_transform(table[:, wide])
        found[:, wide] = discretiser.inverse_transform(codes)
    return found


@register("antiphon.ClusterCentres/1")
@attrs.frozen(kw_only=True)
class ClusterCentres(base.TablePreprocessing):
    """The preprocessing ``KMeans``: each record moves to its cluster's centre, or towards it by at
    most η.

    *Furthest*: Δ₂ = 2η, at most 2r, and all records may move: each image is within η of the record.
    No better bound is known for centres found by search; and this one is attained (docs).
    """

    clusters: int = attrs.field(converter=named.whole)
    eta: Fraction = attrs.field(converter=named.positive)

    @property
    def declares(self) -> Declaration:
        text = f"no record is moved by more than {self.eta}"
        stops = Premise(text, Mark.ENFORCED, "a move stops at that distance")
        return Declaration(2 * min(self.eta, self.radius), self.radius, (stops,))

    def __call__(self, dataset: Records) -> Records:
        ways = _clustered(dataset, min(self.clusters, self.size)) - dataset
        far = lengths(ways)
        share = np.minimum(1.0, float(self.eta) / np.maximum(far, float(self.eta)))
        found: Records = dataset + ways * share[:, None]
        return found


def _clustered(table: Records, clusters: int) -> Records:
    """The cluster centre of each record; k-means starts from the same centres each time."""
    means = base.sklearn("cluster").KMeans(clusters, n_init=4, random_state=0)
    from threadpoolctl import threadpool_limits  # ``threadpoolctl`` comes with scikit-learn.

    limits: Any = threadpool_limits
    # With several threads the order of additions, and so the rounding, would vary.
    with limits(1), warnings.catch_warnings():
        # The warning of too few records is expected.
        fewer = base.sklearn("exceptions").ConvergenceWarning
        warnings.simplefilter("ignore", fewer)
        means.fit(table)
    found: Records = means.cluster_centers_[means.labels_]
    return found


@register("antiphon.VaryingTables/1")
@attrs.frozen
class VaryingTables(base.BallTables):
    """The space of tables in which each column has at least the standard deviation ``sigma``."""

    sigma: Fraction = attrs.field(kw_only=True)

    def also(self, table: Records) -> bool:
        return float(table.std(axis=0).min()) * (1 - base.ROUNDED) >= self.sigma


@register("antiphon.StandardScaling/1")
@attrs.frozen(kw_only=True)
class StandardScaling(base.TablePreprocessing):
    """The preprocessing ``StandardScaler``: each column minus its mean, divided by its standard
    deviation.

    *Furthest*: Δ₂ = 4r³/(nσ³), r the radius; at most 4r/σ, as images have norm at most 2r/σ.
    *Proof* (r = 1). For x replaced by x', in each column σ_S² - σ_S'² = δw/n with δ = x - x',
    w = x + x' - μ - μ', and μ - μ' = δ/n. So a record y moves by at most
    (1/n)·(|δ||w||y - μ|/(2σ³) + |δ|/σ), column by column. Let a = 1 + √(1-σ²), so that
    ‖μ‖, ‖μ'‖ <= a - 1 and ‖y - μ‖ <= a; |w| <= 2a - |δ|, so |δ||w| <= a² in a column; ‖δ‖ <= 2.
    With σ² = 2a - a² the norm is at most (a³/2 + 4a - 2a²)/(nσ³), which grows with a to 4/(nσ³).
    Raises: InvalidArgument for a σ that no table in the ball has.
    """

    sigma: Fraction = attrs.field(converter=named.positive)
    """A public lower bound on each column's standard deviation, for *all* datasets."""

    def __attrs_post_init__(self) -> None:
        if self.dimension * self.sigma**2 > self.radius**2:
            raise InvalidArgument(
                "sigma is at most radius/√dimension: no records in the ball vary more in every "
                "column"
            )

    @property
    def declares(self) -> Declaration:
        share = self.radius / self.sigma
        return Declaration(
            min(4 * share**3 / self.size, 4 * share),
            reach=2 * share,
            premises=(public_bound(f"every column has standard deviation {self.sigma} or more"),),
            datasets=VaryingTables(self.size, self.dimension, self.radius, sigma=self.sigma),
        )

    def __call__(self, dataset: Records) -> Records:
        found: Records = base.sklearn("preprocessing").StandardScaler().fit_transform(dataset)
        return found


def eigengap(table: Records, components: int, *, centred: bool = True) -> float:
    """The eigengap λ_k - λ_{k+1} of the records' second moments, about the mean if ``centred``.

    >>> round(eigengap(np.array([[0.9, 0.0], [-0.9, 0.0]]), 1), 2)
    0.81
    """
    middle = table.mean(axis=0) if centred else 0.0
    moments = (table - middle).T @ (table - middle) / len(table)
    values = np.linalg.eigvalsh(moments)[::-1]
    return float(values[components - 1] - values[components])


@register("antiphon.GappedTables/1")
@attrs.frozen
class GappedTables(base.BallTables):
    """The space of tables whose second moments have a k-th eigenvalue that exceeds the next by at
    least ``gap``; k = ``components``."""

    components: int = attrs.field(kw_only=True)
    gap: Fraction = attrs.field(kw_only=True)
    centred: bool = attrs.field(kw_only=True)

    def also(self, table: Records) -> bool:
        found = eigengap(table, self.components, centred=self.centred)
        return found - base.ROUNDED * float(self.radius) ** 2 >= self.gap


@register("antiphon.PrincipalProjection/1")
@attrs.frozen(kw_only=True)
class PrincipalProjection(base.TablePreprocessing):
    """The preprocessing x ↦ Px, P the projection on the first k principal directions; ``PCA`` if
    ``centred``.

    Of ``PCA.transform``'s coordinates nothing is known: a direction may become its opposite, and
    every coordinate its negative, when one record is replaced.
    *Furthest*, with δ the gap and r the radius, at most r: Δ₂ = r³/(nδ) not centred; centred, the
    lesser of (3√3/2)(n-1)r³/(n²δ) and (2r³/(nδ))·max_t √(1-t²)(t+M), with M² = 1 - kδ/r².
    *Proof* (r = 1). *Lemma*: if E = A - B and both gaps are δ or more, ‖P_A - P_B‖ <= s/(2δ), s the
    greatest eigenvalue of E minus the least. For B' = B + cI with c in the middle of them,
    P_B' = P_B and ‖A - B'‖ = s/2. λ_k(A) - λ_{k+1}(B') and λ_k(B') - λ_{k+1}(A) add up to both
    gaps, so one is δ or more: say the first. Then ‖P_A(I - P_B)‖ <= (s/2)/δ (Davis and Kahan 1970:
    spectra on two half-lines), which is ‖P_A - P_B‖, as the ranks agree.
    Let x be replaced by x', and t = |x + x'|/2, so that |x - x'| <= 2√(1-t²). Not centred,
    nE = xxᵀ - x'x'ᵀ and ns = |x - x'||x + x'| <= 2. Centred, ns = ((n-1)/n)|x - x'||x + x' - 2m|
    with m the mean of the others, so |x + x' - 2m| <= 2(t + 1), and the most is at t = 1/2. It is
    |x - x'||x + x' - m₁ - m₂|, too, with the two means of all: kδ <= tr Cov <= 1 - |m₁|², so
    |m₁|, |m₂| <= M.
    Raises: InvalidArgument for a gap of 0, or one that no table in the ball has; k not below d.
    """

    components: int = attrs.field(converter=named.whole)
    gap: Fraction = attrs.field(converter=base.gap)
    """A public lower bound on the eigengap δ, for *all* datasets."""
    centred: bool = True

    def __attrs_post_init__(self) -> None:
        if type(self.centred) is not bool:
            raise InvalidArgument("centred is True or False")
        if self.components >= self.dimension:
            raise InvalidArgument("components is below dimension: on all of them nothing changes")
        if self.gap * self.components > self.radius**2:
            raise InvalidArgument(
                "gap is at most radius²/components: no records in the ball have a larger one"
            )

    @property
    def declares(self) -> Declaration:
        turns = self._spread * self.radius**3 / (self.size * self.gap)
        text = f"eigenvalue {self.components} is {self.gap} or more above the next"
        gapped = GappedTables(
            self.size, self.dimension, self.radius,
            components=self.components, gap=self.gap, centred=self.centred,
        )  # fmt: skip
        return Declaration(min(turns, self.radius), self.radius, (public_bound(text),), gapped)

    @property
    def _spread(self) -> Fraction:
        """A bound, at radius 1, on (n/2)·(λ_max - λ_min) of the matrix E by which one replaced
        record changes the second moments (E in the proof above)."""
        if not self.centred:
            return Fraction(1)
        share = self.components * self.gap / self.radius**2
        near_mean = 2 * _longest(exact.root_up(1 - share))
        return min(exact.root_up(Fraction(27, 4)) * Fraction(self.size - 1, self.size), near_mean)

    def __call__(self, dataset: Records) -> Records:
        if self.centred:
            analysis = base.sklearn("decomposition").PCA(self.components, svd_solver="full")
            axes = analysis.fit(dataset).components_
        else:
            axes = np.linalg.svd(dataset, full_matrices=False)[2][: self.components]
        found: Records = dataset @ axes.T @ axes
        return found


def _longest(mean: Fraction) -> Fraction:
    """An upper bound on the maximum over t of √(1-t²)(t+M), for M = ``mean`` <= 1: at most 1e-9 too
    large.

    By the AM-GM inequality for a(1-t), b(1+t), t+M, t+M with a = b + 2, it is (1+b+M)²/(4√(ab)) at
    most for every b > 0; and that is the maximum for b = (t+M)/(1+t), t the best.
    """
    best = (math.sqrt(mean**2 + 8) - float(mean)) / 4
    b = Fraction((best + float(mean)) / (1 + best)).limit_denominator(10**6)
    return (1 + b + mean) ** 2 / 4 * exact.root_up(1 / (b * (b + 2)))
