"""Missing values filled by the mean of their column: few records move, a little."""

from __future__ import annotations

from fractions import Fraction

import attrs

from antiphon.composition.guarantees.derivation import Mark, Premise
from antiphon.composition.preprocessing.tables import scikit
from antiphon.composition.preprocessing.tables.record_tables import RecordTables, TablePreprocessing
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Arrays
from antiphon.verifiers.moved import Records


@register("antiphon.MeanImputation/1")
@attrs.frozen(kw_only=True)
class MeanImputation(TablePreprocessing):
    """``SimpleImputer``: of n × d entries, at most p are NaN, and become their column's mean.

    *Distance*: τ = 2rp/(n-p), r the radius. *Proof*: let k >= n-p be the larger number of entries
    of a column that are there, before and after a record is replaced. Its mean moves by
    |x - x'|/k if the record has the entry in both, else by |x - m|/k, m the mean of k-1 others;
    2r/(n-p) at most, and so does each of at most p entries. A record that lacks several moves by
    Δ₂ = 2r·√min(d, p)/(n-p) at most; by 2r/(n-p) only where no record lacks two.
    Raises: InvalidArgument for p >= n: a column might have no mean.
    """

    missing: int

    def __attrs_post_init__(self) -> None:
        if type(self.missing) is not int or not 0 <= self.missing < self.size:
            raise InvalidArgument(
                f"missing is an int from 0 to size - 1 = {self.size - 1}: with more, a column may "
                "have nothing to take the mean of; leave out columns that are mostly missing"
            )

    @property
    def datasets(self) -> RecordTables:
        return RecordTables(self.size, self.dimension, self.radius, self.missing)

    @property
    def range(self) -> Arrays:
        return self.box(self.radius)

    @property
    def moved(self) -> int:
        return self.missing

    @property
    def furthest(self) -> Fraction:
        entries = Fraction(min(self.dimension, self.missing))
        return self._entry * exact.root_up(entries)

    @property
    def distance(self) -> Fraction:
        return self._entry * self.missing

    @property
    def _entry(self) -> Fraction:
        return 2 * self.radius / (self.size - self.missing)

    @property
    def premises(self) -> tuple[Premise, ...]:
        text = f"at most {self.missing} values are missing, in both datasets"
        return (*super().premises, Premise(text, Mark.ENFORCED, "others are no datasets of it"))

    def __call__(self, dataset: Records) -> Records:
        return scikit.imputed(dataset)
