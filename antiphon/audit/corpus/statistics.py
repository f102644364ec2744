"""Statistics of a view's numbers on which near-optimal tests can be built."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from antiphon.audit.corpus.entry import Statistic
from antiphon.audit.statistical.sample import Numbers


def first(numbers: Numbers) -> Numbers:
    """The first number: where only one coordinate tells the worlds apart."""
    return numbers[:, :1]


def between(low: float, high: float) -> Statistic:
    """Σ clamp(y_i, low, high): the likelihood ratio of Laplace noise on ``low`` or ``high``."""

    def statistic(numbers: Numbers) -> Numbers:
        total: Numbers = np.clip(numbers, low, high).sum(axis=1, keepdims=True)
        return total

    return statistic


def summands(low: float, high: float) -> Statistic:
    """The same of partial sums: of the first number and the differences of the others."""

    def statistic(numbers: Numbers) -> Numbers:
        return between(low, high)(np.diff(numbers, axis=1, prepend=0.0))

    return statistic


def difference(ahead: Iterable[int], behind: Iterable[int]) -> Statistic:
    """How many more of the bits at the places ``ahead`` are set than of those ``behind``."""
    plus, minus = sorted(ahead), sorted(behind)

    def statistic(numbers: Numbers) -> Numbers:
        gap: Numbers = numbers[:, plus].sum(axis=1) - numbers[:, minus].sum(axis=1)
        return gap[:, None]

    return statistic


def trailing_bits(numbers: Numbers) -> Numbers:
    """(exponent, trailing zeros of the 53-bit significand) of the first number; 53 of 0.0."""
    significand, exponent = np.frexp(numbers[:, 0])
    whole = np.abs(significand * 2.0**53).astype(np.int64)
    lowest = whole & -whole  # the lowest set bit
    zeros = np.where(whole == 0, 53, np.frexp(lowest.astype(np.float64))[1] - 1)
    return np.stack([exponent.astype(np.float64), zeros.astype(np.float64)], axis=1)


def third_less_the_others(numbers: Numbers) -> Numbers:
    """c₃ − c₂ − c₁ of three counts."""
    return (numbers[:, 2] - numbers[:, 1] - numbers[:, 0])[:, None]
