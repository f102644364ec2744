"""Which messages are neighbours, for the targets of the corpus."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import attrs

from antiphon.protocol.errors import InvalidArgument
from antiphon.protocol.exact import fraction
from antiphon.protocol.messages import identical
from antiphon.protocol.registry import register
from antiphon.verifiers.relations import Relation, Within
from antiphon.verifiers.verification import Refused, Verification


def _distance(value: object) -> Fraction:
    return fraction(value, "distance")


@register("antiphon.corpus.EachWithin/1")
@attrs.frozen
class EachWithin:
    """Tuples of one length whose entries are numbers, each at most ``distance`` apart (ℓ_∞)."""

    distance: Any = attrs.field(default=Fraction(1), converter=_distance)

    def holds(self, zero: Any, one: Any) -> bool:
        """Whether every entry of one is within the distance of that of the other."""
        if not (type(zero) is type(one) is tuple) or len(zero) != len(one):
            return False
        near = Within(self.distance)
        return all(near.holds(a, b) for a, b in zip(zero, one, strict=True))


@register("antiphon.corpus.TotalWithin/1")
@attrs.frozen
class TotalWithin:
    """Tuples of one length whose entries are numbers, at most ``distance`` apart in all (ℓ₁)."""

    distance: Any = attrs.field(default=Fraction(1), converter=_distance)

    def holds(self, zero: Any, one: Any) -> bool:
        """Whether the distances of the entries sum to no more than ``distance``."""
        if not (type(zero) is type(one) is tuple) or len(zero) != len(one):
            return False
        try:
            gaps = [abs(fraction(a) - fraction(b)) for a, b in zip(zero, one, strict=True)]
        except InvalidArgument:  # not all of them numbers
            return False
        return bool(sum(gaps) <= self.distance)


@register("antiphon.corpus.SameHead/1")
@attrs.frozen
class SameHead:
    """Pairs (a, b) with the same a: what is chosen in public, beside what is secret."""

    def holds(self, zero: Any, one: Any) -> bool:
        """Whether both are tuples of two with the same first entry."""
        if not (type(zero) is type(one) is tuple) or len(zero) != 2 or len(one) != 2:
            return False
        return identical(zero[0], one[0])


@register("antiphon.corpus.EveryPair/1")
@attrs.frozen
class EveryPair(Verification[None]):
    """f of a stream of queries on two neighbouring datasets: every pair may differ, by neighbours.

    The pairs (q₀ᵢ, q₁ᵢ) are the answers of the i-th query on the two datasets: within the
    query's sensitivity, as for sparse vector (Lyu, Su and Li 2017, §2). Stateless.
    """

    relation: Relation

    @property
    def initial_state(self) -> None:
        return None

    def step(self, state: None, zero: Any, one: Any, /) -> Refused | None:
        return state if self.relation.holds(zero, one) else _NOT_NEIGHBOURS


_NOT_NEIGHBOURS = Refused("the two sides of a pair are not neighbours")
