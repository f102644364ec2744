"""Missing values filled by the mean of the others, and summed: a preprocessing, exactly."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import attrs

from antiphon.composition.guarantees.derivation import Mark, Premise
from antiphon.mechanisms import fields
from antiphon.numbers.errors import InvalidArgument
from antiphon.preprocessing.preprocessed import Preprocessing
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.messages import EMPTY
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Either, Finite, Integers, Space, Tuples
from antiphon.verifiers.relations import OneEntry, Within


@column_safe
@attrs.frozen
class _Known(Space):
    """Records of which at most so many are missing."""

    records: Tuples
    missing: int

    def contains(self, value: Any) -> bool:
        return self.records.contains(value) and _missing(value) <= self.missing

    @property
    def discrete(self) -> bool:  # type: ignore[override]
        return True

    @property
    def finite(self) -> bool:  # type: ignore[override]
        return self.records.finite

    def enumerate(self) -> Any:
        return filter(self.contains, self.records.enumerate())


def _missing(dataset: tuple[Any, ...]) -> int:
    return sum(each is EMPTY for each in dataset)


@register("antiphon.ImputedSum/1")
@column_safe
@attrs.frozen(kw_only=True)
class ImputedSum(Preprocessing):
    """n ints of 0, …, high, of which at most p are ``EMPTY`` -> their sum, those as ⌊mean⌋ each.

    Of neighbours, which differ in one entry; for a mechanism on one int.
    *Images*: with one filling for both, the entry that differs changes the sum by ``high`` at most.
    *Distance*: τ = p·⌈high/(n-p)⌉. *Proof*: let k be the larger number of entries that are there,
    so k >= n-p. If both have k, their means differ by |x - x'|/k; if x is missing in one, by
    |x - m|/k, with m the mean of the k-1 others. Either is at most high/k, so the floors differ by
    ⌈high/(n-p)⌉ at most, and at most p entries are filled.
    Raises: InvalidArgument for p >= n: the mean of nothing.

    >>> ImputedSum(size=4, missing=2, high=9)((1, EMPTY, 4, EMPTY))
    9
    """

    size: int = attrs.field(converter=fields.size, metadata=fields.COORDINATES)
    missing: int = attrs.field(validator=fields.integer)
    high: int = attrs.field(converter=fields.size, metadata=fields.VALUES)

    def __attrs_post_init__(self) -> None:
        if not 0 <= self.missing < self.size:
            raise InvalidArgument(
                "missing is an int from 0 to size - 1: a mean is one of records that are there"
            )

    @property
    def datasets(self) -> Space:
        record = Either((Integers(0, self.high), Finite((EMPTY,))))
        return _Known(Tuples((record,) * self.size), self.missing)

    @property
    def neighbours(self) -> OneEntry:
        return OneEntry()

    @property
    def images(self) -> Within:
        return Within(Fraction(self.high))

    @property
    def range(self) -> Integers:
        return Integers(0, self.size * self.high)

    @property
    def moved(self) -> int:
        return self.missing

    @property
    def distance(self) -> Fraction:
        return Fraction(self.missing * math.ceil(Fraction(self.high, self.size - self.missing)))

    @property
    def premises(self) -> tuple[Premise, ...]:
        text = f"at most {self.missing} of {self.size} are missing, in both datasets"
        return (Premise(text, Mark.ENFORCED, "others are no datasets of it"),)

    def __call__(self, dataset: tuple[Any, ...]) -> int:
        known: list[int] = [each for each in dataset if each is not EMPTY]
        return sum(known) + (len(dataset) - len(known)) * (sum(known) // len(known))
