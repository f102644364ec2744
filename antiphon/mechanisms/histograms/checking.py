"""Whether a histogram query is monotone and as sensitive as it says: tried out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import product
from typing import Any, Final

import attrs

from antiphon.mechanisms.histograms.queries import HistogramQuery
from antiphon.numbers import exact
from antiphon.numbers.errors import Intractable

_LIMIT: Final = 1_000_000
"""Histograms to look at."""


@attrs.frozen
class QueryViolation:
    """Two histograms x <= y on which a query does not do what it promises."""

    histograms: tuple[tuple[int, ...], tuple[int, ...]]
    values: tuple[int, int]
    reason: str


def check_query(
    query: HistogramQuery, *, dimension: int, largest: int, sensitivity: int | None = None
) -> QueryViolation | None:
    """Check a query on all of {0, …, largest}^dimension; the first violation, or None.

    Of every x: q(x) <= q(x + e_i) for all i, and q(x + 1) <= q(x) + s, which is enough (see
    ``queries``). Args: ``sensitivity``, the s; None: what the query itself says.
    Raises: Intractable for more than a million histograms: use ``search_query``.

    >>> from antiphon.mechanisms import Total
    >>> check_query(Total(), dimension=2, largest=5)
    >>> check_query(Total(), dimension=2, largest=5, sensitivity=1)
    QueryViolation(histograms=((0, 0), (1, 1)), values=(0, 2), reason='not 1-sensitive')
    """
    dimension, largest = exact.whole(dimension, "dimension"), exact.whole(largest, "largest")
    size = (largest + 1) ** dimension
    if size > _LIMIT:
        raise Intractable("histograms", size, _LIMIT)
    box = product(range(largest + 1), repeat=dimension)
    return first_violation(query, box, promised(query, dimension, sensitivity))


def search_query(
    query: HistogramQuery,
    *,
    dimension: int,
    largest: int = 10**6,
    sensitivity: int | None = None,
    examples: int = 500,
) -> QueryViolation | None:
    """``antiphon.audit.search_query``, under the name it has always had."""
    # Searching is audit's, which stands to the right of this room: found when it is called.
    search: Any = import_module("antiphon.audit.searches").search_query
    options = {"largest": largest, "sensitivity": sensitivity, "examples": examples}
    found: QueryViolation | None = search(query, dimension=dimension, **options)
    return found


def promised(query: HistogramQuery, dimension: int, sensitivity: int | None) -> int:
    """The s to check: as given, or what the query itself says."""
    return query.sensitivity(dimension) if sensitivity is None else sensitivity


def first_violation(
    query: HistogramQuery, histograms: Iterable[tuple[int, ...]], sensitivity: int
) -> QueryViolation | None:
    """The first of the histograms, with what is above it, on which the query breaks its word."""
    for x in histograms:
        value = query(x)
        for y in _steps(x):
            if query(y) < value:
                return QueryViolation((x, y), (value, query(y)), "not monotone")
        beyond = tuple(each + 1 for each in x)
        if query(beyond) > value + sensitivity:
            reason = f"not {sensitivity}-sensitive"
            return QueryViolation((x, beyond), (value, query(beyond)), reason)
    return None


def _steps(x: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """x + e_i for all i."""
    return ((*x[:i], each + 1, *x[i + 1 :]) for i, each in enumerate(x))
