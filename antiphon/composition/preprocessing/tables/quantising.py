"""Records put in bins or clusters: none goes far, but all of them may jump."""

from __future__ import annotations

from fractions import Fraction

import attrs
import numpy as np

from antiphon.composition.guarantees.derivation import Mark, Premise
from antiphon.composition.preprocessing.tables import scikit
from antiphon.composition.preprocessing.tables.record_tables import TablePreprocessing
from antiphon.numbers import exact, named
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Arrays
from antiphon.verifiers.moved import Records, lengths


@register("antiphon.BinCentres/1")
@attrs.frozen(kw_only=True)
class BinCentres(TablePreprocessing):
    """``KBinsDiscretizer``, uniform: each entry becomes the middle of its bin.

    *Furthest*: Δ₂ = 2η with η = r√d/bins, and all records may move. *Proof*: the bins of a column
    go from its least entry to its greatest, so that they are at most 2r/bins wide, and an entry is
    half of that from its middle; a record η, from either of its images.
    """

    bins: int = attrs.field(converter=named.whole)

    @property
    def range(self) -> Arrays:
        return self.box(self.radius)

    @property
    def furthest(self) -> Fraction:
        return 2 * exact.root_up(Fraction(self.dimension)) * self.radius / self.bins

    def __call__(self, dataset: Records) -> Records:
        return scikit.binned(dataset, self.bins) if self.bins > 1 else _middles(dataset)


def _middles(table: Records) -> Records:
    """One bin, which scikit-learn does not have."""
    middle = (table.min(axis=0) + table.max(axis=0)) / 2
    return np.tile(middle, (len(table), 1))


@register("antiphon.ClusterCentres/1")
@attrs.frozen(kw_only=True)
class ClusterCentres(TablePreprocessing):
    """``KMeans``: each record goes to the centre of its cluster, or as far towards it as η.

    *Furthest*: Δ₂ = 2η, at most 2r, and all records may move: η from where they were, to either
    side. No more is known of centres that are found by search; and it is reached (docs).
    """

    clusters: int = attrs.field(converter=named.whole)
    eta: Fraction = attrs.field(converter=named.positive)

    @property
    def range(self) -> Arrays:
        return self.box(self.radius)

    @property
    def furthest(self) -> Fraction:
        return 2 * min(self.eta, self.radius)

    @property
    def premises(self) -> tuple[Premise, ...]:
        text = f"no record is moved by more than {self.eta}"
        return (*super().premises, Premise(text, Mark.ENFORCED, "it stops on its way"))

    def __call__(self, dataset: Records) -> Records:
        ways = scikit.clustered(dataset, min(self.clusters, self.size)) - dataset
        far = lengths(ways)
        share = np.minimum(1.0, float(self.eta) / np.maximum(far, float(self.eta)))
        found: Records = dataset + ways * share[:, None]
        return found
