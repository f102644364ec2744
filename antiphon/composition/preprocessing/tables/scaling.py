"""Features of mean 0 and deviation 1: all records move, by far where a feature hardly varies."""

from __future__ import annotations

from fractions import Fraction

import attrs

from antiphon.composition.guarantees.derivation import Premise
from antiphon.composition.preprocessing.tables import scikit
from antiphon.composition.preprocessing.tables.record_tables import (
    ROUNDED,
    RecordTables,
    TablePreprocessing,
    public_bound,
)
from antiphon.numbers import named
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Arrays
from antiphon.verifiers.moved import Records


@register("antiphon.VaryingTables/1")
@attrs.frozen
class VaryingTables(RecordTables):
    """Tables of which every column has at least this standard deviation (1/n in the variance)."""

    sigma: Fraction = attrs.field(kw_only=True)

    def also(self, table: Records) -> bool:
        return float(table.std(axis=0).min()) * (1 - ROUNDED) >= self.sigma


@register("antiphon.StandardScaling/1")
@attrs.frozen(kw_only=True)
class StandardScaling(TablePreprocessing):
    """``StandardScaler``: each column less its mean μ, by its standard deviation, σ at least.

    *Furthest*: Δ₂ = 4r³/(nσ³), r the radius; at most 4r/σ, as images have norm at most 2r/σ.
    *Proof* (r = 1). For x replaced by x', in each column σ_S² - σ_S'² = δw/n with δ = x - x',
    w = x + x' - μ - μ', and μ - μ' = δ/n. So a record y moves by at most
    (1/n)·(|δ||w||y - μ|/(2σ³) + |δ|/σ), column by column. Let a = 1 + √(1-σ²), so that
    ‖μ‖, ‖μ'‖ <= a - 1 and ‖y - μ‖ <= a; |w| <= 2a - |δ|, so |δ||w| <= a² in a column; ‖δ‖ <= 2.
    With σ² = 2a - a² the norm is at most (a³/2 + 4a - 2a²)/(nσ³), which grows with a to 4/(nσ³).
    Raises: InvalidArgument for a σ that no table in the ball has.
    """

    sigma: Fraction = attrs.field(converter=named.positive)
    """The least standard deviation of a column, in *all* datasets: a public bound."""

    def __attrs_post_init__(self) -> None:
        if self.dimension * self.sigma**2 > self.radius**2:
            raise InvalidArgument(
                "sigma is at most radius/√dimension: no records in the ball vary more in every "
                "column"
            )

    @property
    def datasets(self) -> RecordTables:
        return VaryingTables(self.size, self.dimension, self.radius, sigma=self.sigma)

    @property
    def range(self) -> Arrays:
        return self.box(2 * self.radius / self.sigma)

    @property
    def furthest(self) -> Fraction:
        share = self.radius / self.sigma
        return min(4 * share**3 / self.size, 4 * share)

    @property
    def premises(self) -> tuple[Premise, ...]:
        least = public_bound(f"every column has standard deviation {self.sigma} or more")
        return (*super().premises, least)

    def __call__(self, dataset: Records) -> Records:
        return scikit.standardised(dataset)
