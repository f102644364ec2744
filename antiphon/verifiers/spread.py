"""How far apart the neighbours of a relation are, and the relation of neighbours further apart."""

from __future__ import annotations

from fractions import Fraction
from typing import Final, TypeAlias

import attrs

from antiphon.numbers.interning import honest
from antiphon.verifiers.relations import EachWithin, Monotone, Near, Relation, Within

Spread: TypeAlias = "Within | Near | EachWithin"
_SPREADS: Final = (Within, Near, EachWithin)
"""Relations that are a distance, which the triangle inequality holds for."""


def _spread(relation: Relation) -> Spread | None:
    """The relation, if it is one of those: exact types, as a subclass may do as it likes."""
    kind = type(relation)
    known = honest(kind) and any(kind is each for each in _SPREADS)
    return relation if known else None  # type: ignore[return-value]


def distance_of(relation: Relation) -> Fraction | None:
    """How far apart two neighbours are at most; None where that is not what relates them.

    >>> distance_of(Monotone(Within(3)))
    Fraction(3, 1)
    """
    if type(relation) is Monotone:
        relation = relation.relation
    found = _spread(relation)
    return None if found is None else found.distance


def further(relation: Relation, by: Fraction) -> Relation | None:
    """Whatever lies within ``by`` of a neighbour; None where that is no relation that we know.

    >>> further(Within(3), Fraction(1, 2)), further(Monotone(Within(3)), Fraction(1))
    (Within(distance=Fraction(7, 2)), None)
    """
    found = _spread(relation)
    return None if found is None else attrs.evolve(found, distance=found.distance + by)
