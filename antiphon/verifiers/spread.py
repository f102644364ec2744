"""How far apart the neighbours of a relation are, and the relation of neighbours further apart."""

from __future__ import annotations

from fractions import Fraction
from typing import Final, TypeAlias

import attrs

from antiphon.numbers.interning import honest
from antiphon.verifiers.moved import Moved
from antiphon.verifiers.relations import EachWithin, Monotone, Near, Relation, Within

Spread: TypeAlias = "Within | Near | EachWithin | Moved"
_METRICS: Final = (Within, Near, EachWithin)
"""Relations that are a distance and no more."""
_SPREADS: Final = (*_METRICS, Moved)
"""Relations that have a distance: who is τ from a neighbour is a neighbour at distance + τ."""


def spread(relation: Relation) -> Spread | None:
    """The relation, if it is a distance: exact types, as a subclass may do as it likes."""
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
    found = spread(relation)
    return None if found is None else found.distance


def in_steps(relation: Relation, count: int) -> Fraction | None:
    """How far so many steps lead, from neighbour to neighbour; None where distance is not all.

    >>> in_steps(Within(3), 4), in_steps(Moved(), 4)
    (Fraction(12, 1), None)
    """
    found = spread(relation)
    return None if found is None or type(found) is Moved else found.distance * count


def at_distance(relation: Relation, distance: Fraction) -> Relation | None:
    """Who is so far apart, in the same metric; None where there is none that we know.

    >>> at_distance(Within(3), Fraction(1, 2)), at_distance(Monotone(Within(3)), Fraction(1))
    (Within(distance=0.5), None)
    """
    found = spread(relation)
    return None if found is None else attrs.evolve(found, distance=distance)
