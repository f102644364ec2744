"""Principal components as a projection: records stay in their space, and signs do not matter."""

from __future__ import annotations

from fractions import Fraction

import attrs
import numpy as np

from antiphon.composition.guarantees.derivation import Premise
from antiphon.numbers import named
from antiphon.numbers.errors import InvalidArgument
from antiphon.preprocessing.tables import scikit
from antiphon.preprocessing.tables.record_tables import (
    ROUNDED,
    RecordTables,
    TablePreprocessing,
    gap,
    public_bound,
)
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Arrays
from antiphon.verifiers.moved import Records


def eigengap(table: Records, components: int, *, centred: bool = True) -> float:
    """λ_k - λ_{k+1} of the second moments, of n records less their mean if ``centred``.

    >>> round(eigengap(np.array([[0.9, 0.0], [-0.9, 0.0]]), 1), 2)
    0.81
    """
    middle = table.mean(axis=0) if centred else 0.0
    moments = (table - middle).T @ (table - middle) / len(table)
    values = np.linalg.eigvalsh(moments)[::-1]
    return float(values[components - 1] - values[components])


@register("antiphon.GappedTables/1")
@attrs.frozen
class GappedTables(RecordTables):
    """Tables of which the k-th eigenvalue is that much above the next."""

    components: int = attrs.field(kw_only=True)
    gap: Fraction = attrs.field(kw_only=True)
    centred: bool = attrs.field(kw_only=True)

    def also(self, table: Records) -> bool:
        found = eigengap(table, self.components, centred=self.centred)
        return found - ROUNDED * float(self.radius) ** 2 >= self.gap


@register("antiphon.PrincipalProjection/1")
@attrs.frozen(kw_only=True)
class PrincipalProjection(TablePreprocessing):
    """x ↦ Px, P the projection on the first k principal directions: of ``PCA`` if ``centred``.

    Of ``PCA.transform``'s coordinates nothing is known: a direction may become its opposite, and
    every coordinate its negative, when one record is replaced.
    *Furthest*: Δ₂ = 8r³/(nδ) centred, 2r³/(nδ) not, δ the gap and r the radius; at most r.
    *Proof* (r = 1). For x replaced by x' the moments differ by E. Not centred, nE = xxᵀ - x'x'ᵀ,
    so ‖E‖ <= 1/n. Centred, uᵀEu = (s - s')(s + s' - m - m')/n for s = u·x and means m; these are
    in [-1, 1], so |uᵀEu| <= 4/n. ‖P - P'‖ <= ‖E‖/(δ - ‖E‖) (Davis and Kahan 1970, with Weyl: the
    gap of one dataset is enough), and at most 1; both together, at most 2‖E‖/δ.
    Raises: InvalidArgument for a gap of 0, or one that no table in the ball has; k not below d.
    """

    components: int = attrs.field(converter=named.whole)
    gap: Fraction = attrs.field(converter=gap)
    """δ, at least this in *all* datasets: a public bound."""
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
    def datasets(self) -> RecordTables:
        return GappedTables(
            self.size, self.dimension, self.radius,
            components=self.components, gap=self.gap, centred=self.centred,
        )  # fmt: skip

    @property
    def range(self) -> Arrays:
        return self.box(self.radius)

    @property
    def furthest(self) -> Fraction:
        turns = (8 if self.centred else 2) * self.radius**3 / (self.size * self.gap)
        return min(turns, self.radius)

    @property
    def premises(self) -> tuple[Premise, ...]:
        text = f"eigenvalue {self.components} is {self.gap} or more above the next"
        return (*super().premises, public_bound(text))

    def __call__(self, dataset: Records) -> Records:
        if self.centred:
            axes = scikit.principal(dataset, self.components)
        else:
            axes = np.linalg.svd(dataset, full_matrices=False)[2][: self.components]
        found: Records = dataset @ axes.T @ axes
        return found
