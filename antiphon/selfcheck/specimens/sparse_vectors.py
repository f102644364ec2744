"""Sparse vectors: which of many queries are above a threshold."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

import numpy as np

from antiphon.mechanisms.sparse_vector import (
    AboveThreshold,
    GapSparseVector,
    NumericSparseVector,
    SparseVector,
)
from antiphon.protocol.messages import Pair
from antiphon.selfcheck.corpus.entry import Truth
from antiphon.selfcheck.corpus.inputs import one_by_one, saying
from antiphon.selfcheck.corpus.specimen import NOT_INTS, Example, Specimen, as_claimed, broken

_NOT_INTS: Final = (*NOT_INTS, np.array([1, 2]))


def specimens() -> Iterator[Specimen]:
    """The four of them."""
    yield _above_threshold()
    crossing = saying("0⁴1 | 1⁴0", [*[Pair(0, 1)] * 4, Pair(1, 0)])
    twice = SparseVector(epsilon=1, threshold=1, tops=2)
    yield Specimen(
        SparseVector,
        (Example(SparseVector(epsilon=1, tops=3, share=Fraction(1, 5)), _NOT_INTS),),
        (as_claimed("sparse vector, two tops", twice, crossing, Truth(), *one_by_one(5)),),
    )
    yield Specimen(
        GapSparseVector,
        (Example(GapSparseVector(epsilon=1, tops=2, sensitivity=3), _NOT_INTS),),
        (as_claimed("gap sparse vector", GapSparseVector(epsilon=1, threshold=1), crossing),),
    )
    numeric = NumericSparseVector(epsilon=1, threshold=1)
    yield Specimen(
        NumericSparseVector,
        (Example(NumericSparseVector(epsilon=1, tops=2, threshold=1), _NOT_INTS),),
        (as_claimed("numeric sparse vector", numeric, crossing),),
    )


def _above_threshold() -> Specimen:
    crossing = saying("0⁴1 | 1⁴0", [*[Pair(0, 1)] * 4, Pair(1, 0)])
    up = saying("0⁵ | 1⁵", [Pair(0, 1)] * 5)
    above = AboveThreshold(epsilon=1, threshold=1)
    rising = AboveThreshold(epsilon=1, threshold=1, monotone=True)
    low = AboveThreshold(epsilon=Fraction(1, 3), threshold=-2, monotone=True)
    return Specimen(
        AboveThreshold,
        (Example(AboveThreshold(epsilon=1), _NOT_INTS), Example(low, _NOT_INTS)),
        (
            as_claimed("above threshold", above, crossing, Truth(0.8255)),
            as_claimed("above threshold, monotone", rising, up, Truth(0.4904)),
            broken("above threshold, monotone noise for any queries", rising, above.claims[0],
                   crossing, Truth(1.3970)),
        ),
    )  # fmt: skip
