"""Several hypotheses at once: what each p-value has to be held against.

The audits prefer to need none of this: they choose one adversary and one event on training
samples and test that alone. Where several are tested, errors are bounded for all together.
P-values are never averaged: a mean of them is no p-value (the average of two uniform ones
falls below α less often than α, but that of dependent ones up to twice as often).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from antiphon.numbers.errors import InvalidArgument

Correction: TypeAlias = Literal["select", "holm", "bonferroni"]
CORRECTIONS: Final = ("select", "holm", "bonferroni")


def bonferroni(p_values: Sequence[float]) -> tuple[float, ...]:
    """Adjusted p-values k p: rejecting those <= α errs anywhere with probability <= α.

    >>> bonferroni([0.25, 0.5])
    (0.5, 1.0)
    """
    _check(p_values)
    return tuple(min(1.0, len(p_values) * p) for p in p_values)


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Adjusted p-values by Holm's step-down method (Holm 1979): never above Bonferroni's.

    The i-th smallest of k is multiplied by k − i + 1, and none is below a smaller one's.
    Valid whatever the dependence between the tests.

    >>> holm([0.5, 0.125, 0.25])
    (0.5, 0.375, 0.5)
    """
    _check(p_values)
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted, least = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(order):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = least
    return tuple(adjusted)


def _check(p_values: Sequence[float]) -> None:
    if not p_values or not all(0 <= p <= 1 for p in p_values):
        raise InvalidArgument("p-values are numbers in [0, 1], at least one")
