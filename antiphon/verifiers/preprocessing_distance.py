"""Distances of neighbouring messages, and relations of tables whose rows may also move a little
(smooth Rényi DP)."""

import math
from fractions import Fraction
from typing import Any, Final, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.numbers import named
from antiphon.numbers.interning import has_plain_metaclass
from antiphon.protocol.registry import register
from antiphon.verifiers.relations import EachWithin, Monotone, Near, Relation, Within, natural

_UP: Final = 1 + Fraction(1, 2**52)
_FAR: Final = 2.0**1000
"""The distance above which tables are never neighbours: larger sums count as infinite."""
Records: TypeAlias = NDArray[np.float64]
"""The type of a float table with one record in each row."""


def lengths(table: Records) -> Records:
    """The ℓ₂ norm of each row, computed without squares, which might underflow to 0 or overflow."""
    found: Records = np.hypot.reduce(table, axis=1)
    return found


def _are_tables(zero: Any, one: Any) -> bool:
    """Whether both values are two-dimensional float64 arrays of the same shape."""
    if type(zero) is not np.ndarray or type(one) is not np.ndarray:
        return False
    alike = zero.shape == one.shape and zero.ndim == 2
    return alike and bool(zero.dtype == one.dtype == np.float64)


@register("antiphon.OneRow/1")
@attrs.frozen
class OneRow:
    """The relation of two float tables of one shape, a record in each row, that differ in at most
    one row.

    Compared bit for bit, so that two missing values (NaN) are the same.
    """

    swap_symmetric = True

    def holds(self, zero: Any, one: Any) -> bool:
        """Whether both values are float tables of one shape that differ in at most one row."""
        if not _are_tables(zero, one):
            return False
        differ = zero.view(np.int64) != one.view(np.int64)
        return bool(differ.any(axis=1).sum() <= 1)


@register("antiphon.Moved/1")
@attrs.frozen
class PreprocessingDistance:
    """The relation of two tables S and S' of finite floats, a record in each row, with Σ_i ‖S_i -
    S'_i‖₂ <= ``distance``.

    ``replaced`` further rows may differ arbitrarily. Sums are rounded up, so two tables at exactly
    the distance may not be neighbours.
    """

    swap_symmetric = True

    distance: Fraction = attrs.field(default=Fraction(0), converter=named.fraction)
    replaced: int = attrs.field(default=1, validator=natural)

    def holds(self, zero: Any, one: Any) -> bool:
        """Whether both values are float tables at most ``distance`` apart, not counting the
        ``replaced`` rows that differ most."""
        if not _are_tables(zero, one):
            return False
        if not (np.isfinite(zero).all() and np.isfinite(one).all()):
            return False
        lengths = np.sort(_lengths(zero, one))
        rest = lengths[: max(0, len(lengths) - self.replaced)]
        with np.errstate(over="ignore"):
            summable = bool(rest.sum() < _FAR)
        return summable and Fraction(math.fsum(rest)) * _UP <= self.distance


def _lengths(zero: Records, one: Records) -> Records:
    """The distances ‖S_i - S'_i‖₂ of the rows of two tables, rounded up; 0 only where the rows are
    equal.

    Error bound: a difference has relative error 2^-53, and each step of ``hypot`` two units in the
    last place (2^-1073 for the smallest doubles).
    """
    with np.errstate(over="ignore", under="ignore"):
        found = lengths(zero - one)
        steps = 1 + zero.shape[1]
        raised = found * (1 + steps * 2.0**-50) + steps * 2.0**-1073
    return np.where(found, raised, 0.0)


Spread: TypeAlias = Within | Near | EachWithin | PreprocessingDistance
_METRICS: Final = (Within, Near, EachWithin)
"""The relations of two messages that are at most ``distance`` apart in some metric."""
_SPREADS: Final = (*_METRICS, PreprocessingDistance)
"""The relations whose distance between two messages grows by at most τ if one moves by τ."""


def spread(relation: Relation) -> Spread | None:
    """The relation itself, if its distances grow by at most τ where a message moves by τ (as is
    known of its class); else None."""
    kind = type(relation)
    known = has_plain_metaclass(kind) and any(kind is each for each in _SPREADS)
    return relation if known else None  # type: ignore[return-value]


def distance_of(relation: Relation) -> Fraction | None:
    """The largest distance of two neighbours; None for a relation without a distance.

    >>> distance_of(Monotone(Within(3)))
    Fraction(3, 1)
    """
    if type(relation) is Monotone:
        relation = relation.relation
    found = spread(relation)
    return None if found is None else found.distance


def in_steps(relation: Relation, count: int) -> Fraction | None:
    """The largest distance between the ends of ``count`` steps from neighbour to neighbour; None
    for a relation not defined by a distance alone.

    >>> in_steps(Within(3), 4), in_steps(PreprocessingDistance(), 4)
    (Fraction(12, 1), None)
    """
    found = spread(relation)
    return None if found is None or type(found) is PreprocessingDistance else found.distance * count


def at_distance(relation: Relation, distance: Fraction) -> Relation | None:
    """The relation in the same metric with another distance; None for a relation not defined by a
    distance.

    >>> at_distance(Within(3), Fraction(1, 2)), at_distance(Monotone(Within(3)), Fraction(1))
    (Within(distance=0.5), None)
    """
    found = spread(relation)
    return None if found is None else attrs.evolve(found, distance=distance)
