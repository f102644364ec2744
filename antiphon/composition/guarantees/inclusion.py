"""Which verification functions allow no more than others: f ⊆ g."""

from __future__ import annotations

from typing import Any

from antiphon.protocol.messages import identical
from antiphon.verifiers.functions import (
    Bounded,
    EventLevel,
    NeighbouringStart,
    UpdatesAndQueries,
    UserLevel,
)
from antiphon.verifiers.relations import AnyTwo, Within


def includes(outer: Any, inner: Any) -> bool:
    """Whether every sequence that is valid for ``inner`` surely is for ``outer``.

    Then what is private w.r.t. ``outer`` is so w.r.t. ``inner``: there are fewer adversaries.
    False means "not known to be". Exact types only: a subclass may do as it likes.

    >>> from antiphon.verifiers.functions import bounded, event_level, neighbouring_start
    >>> includes(event_level(), bounded(neighbouring_start(), 3))
    True
    >>> includes(event_level(), event_level(events=2))
    False
    """
    if identical(outer, inner):
        return True
    if type(inner) is Bounded:
        if type(outer) is Bounded and inner.pairs <= outer.pairs:
            return includes(outer.verification, inner.verification)
        return includes(outer, inner.verification)
    if type(outer) is EventLevel:
        return _within_events(outer, inner)
    if type(outer) is type(inner) is UpdatesAndQueries:
        same = identical(outer.queries, inner.queries)
        return same and includes(outer.updates, inner.updates)
    if type(outer) is type(inner) and type(outer) in (NeighbouringStart, UserLevel):
        return _implies(outer.relation, inner.relation)
    return False


def _within_events(outer: EventLevel, inner: Any) -> bool:
    if type(inner) is EventLevel:
        alike = _implies(outer.relation, inner.relation)
        return inner.events == 0 or (alike and inner.events <= outer.events)
    if type(inner) is NeighbouringStart:
        return outer.events >= 1 and _implies(outer.relation, inner.relation)
    return False


def _implies(outer: Any, inner: Any) -> bool:
    """Whether what is related by ``inner`` is related by ``outer``."""
    if type(outer) is AnyTwo or identical(outer, inner):
        return True
    return bool(type(outer) is type(inner) is Within and inner.distance <= outer.distance)


def group(outer: Any, inner: Any) -> int | None:
    """k if ``inner`` is ``outer`` with k differing pairs in place of one; else None.

    >>> from antiphon.verifiers.functions import bounded, event_level
    >>> group(event_level(), bounded(event_level(events=3), 9))
    3
    """
    if type(inner) is Bounded:
        if type(outer) is Bounded and inner.pairs <= outer.pairs:
            outer = outer.verification
        size = group(outer, inner.verification)
        return None if size is None else min(size, inner.pairs)
    if type(outer) is type(inner) is UpdatesAndQueries:
        same = identical(outer.queries, inner.queries)
        return group(outer.updates, inner.updates) if same else None
    if type(outer) is type(inner) is EventLevel and outer.events >= 1:
        one = _implies(outer.relation, inner.relation)
        return -(-inner.events // outer.events) if one else None
    return None
