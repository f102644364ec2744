"""Which verification functions allow no more than others: f ⊆ g."""

from __future__ import annotations

import math
from typing import Any

from antiphon.composition.creation import Create
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.claims import Claim
from antiphon.protocol.messages import identical
from antiphon.protocol.records.labels import message_label
from antiphon.protocol.verification import Verification
from antiphon.verifiers import models
from antiphon.verifiers.relations import AnyTwo, Monotone, Relation, Within


def includes(outer: Verification, inner: Verification) -> bool:
    """Whether every sequence that is valid for ``inner`` surely is for ``outer``.

    Then what is private w.r.t. ``outer`` is so w.r.t. ``inner``: there are fewer adversaries.
    False means "not known to be". Exact types only: a subclass may do as it likes.

    >>> from antiphon.verifiers.models import bounded, event_level, neighbouring_start
    >>> includes(event_level(), bounded(neighbouring_start(), 3))
    True
    >>> includes(event_level(), event_level(events=2))
    False
    """
    if identical(outer, inner):
        return True
    if type(inner) is models.Bounded:
        if type(outer) is models.Bounded and inner.pairs <= outer.pairs:
            return includes(outer.verification, inner.verification)
        return includes(outer, inner.verification)
    if type(outer) is models.UpdatesAndQueries and type(inner) is models.UpdatesAndQueries:
        same = identical(outer.queries, inner.queries)
        return same and includes(outer.updates, inner.updates)
    if type(inner) is models.UpdatesAndQueries and (
        type(outer) is models.EventLevel or type(outer) is models.UserLevel
    ):
        return includes(outer, inner.updates)  # which passes over pairs that do not differ
    if type(outer) is models.NeighbouringStart and type(inner) is models.NeighbouringStart:
        starts = outer.initial is None or identical(outer.initial, inner.initial)
        return starts and _implies(outer.relation, inner.relation)
    if type(outer) is models.EveryPair and type(inner) is models.EveryPair:
        directions = inner.monotone or not outer.monotone
        return directions and _implies(outer.relation, inner.relation)
    return _has_room(outer, inner) and differing(inner) <= differing(outer)


def _has_room(outer: Verification, inner: Verification) -> bool:
    """Whether every pair that differs in ``inner`` may differ in ``outer``, but for their number.

    Event level: whatever pairs are neighbours. User level: if one user's in both.
    """
    narrower: tuple[type[Verification], ...] = ()
    if type(outer) is models.EventLevel:
        narrower = (models.EventLevel, models.UserLevel, models.NeighbouringStart)
    elif type(outer) is models.UserLevel:
        narrower = (models.UserLevel,)
    if type(inner) not in narrower:
        return False
    return differing(inner) == 0 or _implies(_relation(outer), _relation(inner))


def _relation(f: Any) -> Relation:
    """What relates the sides of a pair in one of the f above."""
    relation: Relation = f.relation
    return relation


def differing(f: Verification) -> float:
    """How many pairs may differ at most; inf if that is not bounded, or not known."""
    if type(f) is models.Bounded:
        return min(f.pairs, differing(f.verification))
    if type(f) is models.NeighbouringStart:
        return 1
    if (type(f) is models.EventLevel or type(f) is models.UserLevel) and f.events is not None:
        return f.events
    return math.inf


def _implies(outer: Relation, inner: Relation) -> bool:
    """Whether what is related by ``inner`` is related by ``outer``."""
    if type(outer) is AnyTwo or identical(outer, inner):
        return True
    if type(inner) is Monotone:
        wider = outer.relation if type(outer) is Monotone else outer
        return _implies(wider, inner.relation)
    if type(outer) is not Within or type(inner) is not Within:
        return False
    return bool(inner.distance <= outer.distance)


def group(outer: Verification, inner: Verification, most: float = math.inf) -> int | None:
    """k if ``inner`` is ``outer`` with k differing pairs in place of one; else None.

    ``most`` bounds how many pairs there are.

    >>> from antiphon.verifiers.models import bounded, event_level
    >>> group(event_level(), bounded(event_level(events=3), 9))
    3
    """
    if type(inner) is models.Bounded:
        if type(outer) is models.Bounded and inner.pairs <= outer.pairs:
            outer = outer.verification
        return group(outer, inner.verification, min(most, inner.pairs))
    if type(outer) is models.UpdatesAndQueries and type(inner) is models.UpdatesAndQueries:
        same = identical(outer.queries, inner.queries)
        return group(outer.updates, inner.updates, most) if same else None
    most, single = min(most, differing(inner)), differing(outer)
    if not _has_room(outer, inner) or math.isinf(most) or not 1 <= single < math.inf:
        return None
    return max(1, math.ceil(most / single))


def says(first: Verification, f: Verification) -> bool:
    """Whether what is known w.r.t. ``first`` says anything of f."""
    return includes(first, f) or group(first, f) is not None


def about(claim: Claim) -> Verification:
    """The f of a claim."""
    f: Any = claim.verification
    verification: Verification = f
    return verification


def needs(create: Create, verification: Verification, whole: str) -> None:
    """Check that what is created is private w.r.t. the f that a proof assumes.

    Of the creation itself: a mechanism may claim otherwise when it is asked again. One without a
    claim is left to the theorem.
    Raises: InvalidArgument if the claim is about fewer sequences than ``verification``.
    """
    claim = create.claim
    if claim is not None and not includes(about(claim), verification):
        raise InvalidArgument(
            f"{whole} needs a {type(create.mechanism).__name__} that claims with respect to "
            f"{message_label(verification)} or more, first of its claims, but that is with "
            f"respect to {message_label(claim.verification)}"
        )
