"""Whether a histogram query is monotone and as sensitive as it says: tried out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any, Final

import attrs

from antiphon.mechanisms.histograms.queries import HistogramQuery
from antiphon.protocol import exact
from antiphon.protocol.errors import Intractable, MissingExtra

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
    return _first(query, box, _promised(query, dimension, sensitivity))


def search_query(
    query: HistogramQuery,
    *,
    dimension: int,
    largest: int = 10**6,
    sensitivity: int | None = None,
    examples: int = 500,
) -> QueryViolation | None:
    """Search {0, …, largest}^dimension for a violation; finding none proves nothing.

    Half of the histograms have all counts close together, where queries by rank change.
    Raises: MissingExtra without Hypothesis.
    """
    try:
        import hypothesis
        from hypothesis import strategies
    except ImportError:
        raise MissingExtra("hypothesis", "test") from None
    dimension, largest = exact.whole(dimension, "dimension"), exact.whole(largest, "largest")
    promised = _promised(query, dimension, sensitivity)
    counts, near = strategies.integers(0, largest), strategies.integers(0, 2)
    rows = strategies.tuples(*[counts] * dimension)
    ties = strategies.tuples(counts, strategies.tuples(*[near] * dimension))
    close = ties.map(lambda tie: tuple(tie[0] + each for each in tie[1]))

    @hypothesis.settings(max_examples=examples, deadline=None, database=None, derandomize=True)
    @hypothesis.given(rows | close)
    def search(x: Any) -> None:
        violation = _first(query, (x,), promised)
        if violation is not None:
            raise _Found(violation)

    try:
        search()
    except _Found as found:
        return found.violation
    return None


def _promised(query: HistogramQuery, dimension: int, sensitivity: int | None) -> int:
    return query.sensitivity(dimension) if sensitivity is None else sensitivity


def _first(
    query: HistogramQuery, histograms: Iterable[tuple[int, ...]], sensitivity: int
) -> QueryViolation | None:
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


class _Found(Exception):
    """A violation, on its way out of a search."""

    def __init__(self, violation: QueryViolation) -> None:
        super().__init__(violation.reason)
        self.violation = violation
