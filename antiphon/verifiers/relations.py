"""Neighbouring relations: they decide which two datasets or records may differ.

A relation is data, so that it can be named in a transcript. A user's own
relation is any object with ``holds(zero, one)``; ``@ap.column_safe`` on its class declares that it
works on columns (one number per replica) as on numbers, ``swap_symmetric = True`` that zero ∼ one
iff one ∼ zero (not inherited: a subclass may override ``holds``).
"""

import math
import operator
from fractions import Fraction
from typing import Any, Protocol, TypeGuard

import attrs
import numpy as np

from antiphon.numbers import arrays, named
from antiphon.numbers.errors import InvalidArgument, PartError, of_kind
from antiphon.numbers.exact import fraction
from antiphon.populations.columns import Column
from antiphon.populations.each_replica import to_scalar
from antiphon.protocol import column_safe, identical, register
from antiphon.protocol.verification import Message, symmetric_as


class Relation(Protocol[Message]):
    """A neighbouring relation ∼ on messages."""

    def holds(self, zero: Message, one: Message, /) -> bool:
        """Whether the messages ``zero`` and ``one`` are neighbours."""
        ...


def related(relation: Relation, zero: object, one: object) -> bool:
    """Whether two messages are neighbours. Raises: PartError if ``holds`` returns no truth value.

    ⊥, ``Refused('why')`` and a text count as true in Python, so a verifier would let the pair pass.
    """
    verdict: object = relation.holds(zero, one)
    if verdict is True or verdict is False:
        return verdict
    if type(verdict) is np.bool_ or (type(verdict) is Column and verdict.kind is bool):
        return bool(verdict)
    raise PartError(
        f"{type(relation).__name__}.holds returned {of_kind(verdict)}: a relation answers "
        "True, if the two are neighbours, or False; wrap what it returns in bool(…)"
    )


def _is_tuple(message: object) -> TypeGuard[tuple[object, ...]]:
    return type(message) is tuple


@register("antiphon.AnyTwo/1")
@column_safe
@attrs.frozen
class AnyTwo:
    """The relation by which any two messages are neighbours (record against record)."""

    swap_symmetric = True

    def holds(self, zero: object, one: object) -> bool:
        """True: all messages are neighbours."""
        return True


@register("antiphon.AddOrRemove/1")
@column_safe
@attrs.frozen
class AddOrRemove:
    """The relation by which two messages are neighbours if one of them is the ``empty`` record:
    presence against absence (CM §3.2)."""

    swap_symmetric = True

    empty: object = 0

    def holds(self, zero: object, one: object) -> bool:
        """Whether one of the two messages is the empty record."""
        return identical(zero, self.empty) or identical(one, self.empty)


@register("antiphon.Within/1")
@column_safe
@attrs.frozen
class Within:
    """The relation by which two numbers are neighbours if they are at most ``distance`` apart."""

    swap_symmetric = True

    distance: Fraction = attrs.field(default=Fraction(1), converter=named.fraction)

    def holds(self, zero: object, one: object) -> bool:
        """Whether both messages are numbers, at most ``distance`` apart."""
        if type(zero) is int and type(one) is int:  # For speed: ints need no Fraction.
            return abs(zero - one) * self.distance.denominator <= self.distance.numerator
        try:
            return bool(abs(fraction(to_scalar(zero)) - fraction(to_scalar(one))) <= self.distance)
        except InvalidArgument:  # Messages that are not numbers are not neighbours.
            return False


def _norm(_: object, field: "attrs.Attribute[Any]", value: object) -> None:
    if (type(value), value) not in ((int, 1), (int, 2), (float, math.inf)):
        raise InvalidArgument("norm must be 1, 2 or math.inf: the ℓ₁, ℓ₂ or ℓ_∞ distance")


def _are_integers(zero: object, one: object) -> bool:
    """Whether both messages are arrays of signed integers, of one shape."""
    if type(zero) is not np.ndarray or type(one) is not np.ndarray or zero.shape != one.shape:
        return False
    return bool(zero.dtype.kind == one.dtype.kind == "i")


@register("antiphon.Near/1")
@attrs.frozen
class Near:
    """The relation of integer arrays of one shape that are within ``distance`` in the ℓ_p norm,
    with p = ``norm``.

    p is 1, 2 or ``math.inf``.
    """

    swap_symmetric = True

    distance: Fraction = attrs.field(converter=named.fraction)
    norm: float = attrs.field(default=2, validator=_norm)

    def holds(self, zero: Any, one: Any) -> bool:
        """Whether both messages are integer arrays of one shape within ``distance``, exactly."""
        if not _are_integers(zero, one):
            return False
        gaps = arrays.gaps(zero, one)
        if arrays.largest(gaps) > self.distance:
            return False
        if self.norm == 1:
            return bool(arrays.total(gaps) <= self.distance)
        return self.norm == math.inf or bool(arrays.squares(gaps) <= self.distance**2)


@register("antiphon.OfUpdates/1")
@column_safe(of="relation")
@attrs.frozen
class OfUpdates:
    """The relation of tuples of one length, such as records (user, …, x), whose last entries are
    neighbours by ``relation``."""

    swap_symmetric = symmetric_as("relation")

    relation: Relation

    def holds(self, zero: object, one: object) -> bool:
        """Whether both messages are nonempty tuples of one length whose last entries are
        neighbours."""
        if not (_is_tuple(zero) and _is_tuple(one)) or len(zero) != len(one) or not zero:
            return False
        return related(self.relation, zero[-1], one[-1])


@register("antiphon.EachWithin/1")
@column_safe
@attrs.frozen
class EachWithin:
    """The relation of tuples of numbers, of one length, whose entries differ by at most
    ``distance`` each (ℓ_∞)."""

    swap_symmetric = True

    distance: Fraction = attrs.field(default=Fraction(1), converter=named.fraction)

    def holds(self, zero: object, one: object) -> bool:
        """Whether both are tuples of one length whose numbers differ by at most ``distance``."""
        if not (_is_tuple(zero) and _is_tuple(one)) or len(zero) != len(one):
            return False
        near = Within(self.distance)
        return all(map(near.holds, zero, one))


@register("antiphon.Monotone/1")
@column_safe(of="relation")
@attrs.frozen
class Monotone:
    """The relation of neighbours by ``relation`` in which no entry rises, or no entry falls.

    For scores that count records, where neighbours have one record more or one less.
    """

    swap_symmetric = symmetric_as("relation")

    relation: Relation

    def holds(self, zero: Any, one: Any) -> bool:
        """Whether the two are neighbours by ``relation``, and no entry falls, or none rises."""
        if not related(self.relation, zero, one):
            return False
        if _are_integers(zero, one):
            return bool(np.all(zero <= one) or np.all(zero >= one))
        if not (_is_tuple(zero) and _is_tuple(one)) or len(zero) != len(one):
            return False
        try:
            sides = [[fraction(to_scalar(each)) for each in side] for side in (zero, one)]
        except InvalidArgument:  # Tuples with an entry that is no number are not neighbours.
            return False
        return any(all(map(operator.le, *pair)) for pair in (sides, sides[::-1]))


def natural(_: object, field: "attrs.Attribute[int]", value: object) -> None:
    """An attrs validator. Raises: InvalidArgument unless the value is an int >= 0."""
    if type(value) is not int or value < 0:
        raise InvalidArgument(f"{field.name} must be an int >= 0")


@register("antiphon.OnlyEntry/1")
@column_safe(of="relation")
@attrs.frozen
class OnlyEntry:
    """The relation of tuples of one length that agree except for the entry at ``index``, whose two
    values are neighbours by ``relation``.

    For messages with a secret part and a public one, such as (update, threshold).
    """

    swap_symmetric = symmetric_as("relation")

    index: int = attrs.field(validator=natural)
    relation: Relation = attrs.field(factory=AnyTwo)

    def holds(self, zero: object, one: object) -> bool:
        """Whether both are tuples that agree except at ``index``, where entries are neighbours."""
        if not (_is_tuple(zero) and _is_tuple(one)) or not self.index < len(zero) == len(one):
            return False
        rest = [each for each in range(len(zero)) if each != self.index]
        same = all(identical(zero[each], one[each]) for each in rest)
        return same and related(self.relation, zero[self.index], one[self.index])


@register("antiphon.OneEntry/1")
@column_safe
@attrs.frozen
class OneEntry:
    """The relation of tuples of one length that differ in at most one entry."""

    swap_symmetric = True

    def holds(self, zero: object, one: object) -> bool:
        """Whether both messages are tuples of one length that differ in at most one entry."""
        if not (_is_tuple(zero) and _is_tuple(one)) or len(zero) != len(one):
            return False
        return sum(not identical(a, b) for a, b in zip(zero, one, strict=True)) <= 1


@register("antiphon.ReplacedRow/1")
@attrs.frozen
class ReplacedRow:
    """The relation of two tables' histograms (integer arrays of one length), if the tables differ
    in one replaced row."""

    swap_symmetric = True

    def holds(self, zero: Any, one: Any) -> bool:
        """Whether both are integer arrays of one length, equal or with 1 moved between entries."""
        if not _are_integers(zero, one) or zero.ndim != 1:
            return False
        places = np.flatnonzero(zero != one)[:3]
        pairs = zip(zero[places].tolist(), one[places].tolist(), strict=True)
        return sorted(b - a for a, b in pairs) in ([], [-1, 1])
