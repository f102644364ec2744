"""Monotone histogram queries (CM §7), with their sensitivity to one step of the input.

A histogram x ∈ ℕ^d counts the occurrences of each of d items. Neighbouring streams differ in one
step, so from there on their histograms differ by a vector of {-1, 0, 1}^d: all d counts may move at
once. A query q : ℕ^d -> ℤ is *monotone* if q(x) <= q(y) wherever x <= y in every entry, and
*s-sensitive* if |q(x) - q(y)| <= s wherever x - y ∈ {-1, 0, 1}^d. ``checking`` tests both.

For a monotone q one inequality is enough: q(x + 1) <= q(x) + s, where 1 = (1, …, 1). For
y <= x + 1 gives q(y) <= q(x + 1) <= q(x) + s, and the same with x and y exchanged.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any, Final

import attrs

from antiphon.mechanisms import fields
from antiphon.numbers import Intractable, InvalidArgument, exact
from antiphon.protocol.registry import column_safe, register


class HistogramQuery(ABC):
    """A query q : ℕ^d -> ℤ on histograms, monotone and ``sensitivity``-sensitive.

    A query of your own is a frozen attrs class; the sensitivity that it states is then assumed.
    ``check_query`` and ``audit.search_query`` test it.
    """

    __slots__ = ()

    @abstractmethod
    def __call__(self, counts: tuple[int, ...]) -> int:
        """The value of the query on a histogram."""

    @abstractmethod
    def sensitivity(self, dimension: int) -> int:
        """An s for which the query is s-sensitive on histograms of ``dimension`` counts."""


@register("antiphon.KthLargest/1")
@column_safe
@attrs.frozen
class KthLargest(HistogramQuery):
    """The k-th largest of d counts: the maximum for k = 1, the minimum for k = d. 1-sensitive.

    All counts of x + 1 are one larger than those of x, so the k-th largest is, too.

    >>> KthLargest(2)((3, 9, 4))
    4
    """

    rank: int = attrs.field(default=1, converter=fields.size, metadata=fields.COUNTS)

    def __call__(self, counts: tuple[int, ...]) -> int:
        if self.rank == 1:
            return max(counts)
        return sorted(counts)[-self.rank]

    def sensitivity(self, dimension: int) -> int:
        return 1


def quantile(share: float | Fraction, dimension: int) -> KthLargest:
    """A query for a quantile: the least count that at least ``share`` of all d counts do not
    exceed; the median for 0.5.

    >>> quantile(0.5, 5)((3, 9, 4, 1, 7))
    4
    """
    found = exact.probability(share, "share")
    below = max(1, -(-found * exact.whole(dimension, "dimension") // 1))
    return KthLargest(dimension + 1 - int(below))


@register("antiphon.TopSum/1")
@column_safe
@attrs.frozen
class TopSum(HistogramQuery):
    """The sum of the k largest counts. k-sensitive: one step may raise each of them by 1.

    >>> TopSum(2)((3, 9, 4)), TopSum(2).sensitivity(3)
    (13, 2)
    """

    items: int = attrs.field(converter=fields.size, metadata=fields.COUNTS)

    def __call__(self, counts: tuple[int, ...]) -> int:
        return sum(sorted(counts)[-self.items :])

    def sensitivity(self, dimension: int) -> int:
        return min(self.items, dimension)


@register("antiphon.Total/1")
@column_safe
@attrs.frozen
class Total(HistogramQuery):
    """The sum of all counts. d-sensitive: one step may bring all d items.

    >>> Total()((3, 9, 4)), Total().sensitivity(3)
    (16, 3)
    """

    def __call__(self, counts: tuple[int, ...]) -> int:
        return sum(counts)

    def sensitivity(self, dimension: int) -> int:
        return dimension


@register("antiphon.CountAbove/1")
@column_safe
@attrs.frozen
class CountAbove(HistogramQuery):
    """The number of counts >= ``threshold``, exact for ``width`` w = 1; a larger width makes it
    less sensitive.

    A count x_i between threshold - w and threshold counts in part: ⌊Σ_i (x_i - threshold + w)/w⌋,
    each term moved into [0, 1]. So it is at least the number of counts >= threshold and at most
    that of counts > threshold - w. ⌈d/w⌉-sensitive, as Σ_i grows by d/w at most; 1-sensitive from w
    = d on. (One step may take all d counts over a threshold, so no smaller sensitivity holds.)

    >>> CountAbove(5)((3, 9, 4, 5)), CountAbove(5, width=4)((3, 9, 4, 5))
    (2, 3)
    >>> CountAbove(5).sensitivity(4), CountAbove(5, width=4).sensitivity(4)
    (4, 1)
    """

    threshold: int = attrs.field(validator=fields.integer)
    width: int = attrs.field(default=1, converter=fields.size, metadata=fields.COUNTS)

    def __call__(self, counts: tuple[int, ...]) -> int:
        start, width = self.threshold - self.width, self.width
        above = [count - start for count in counts if count > start]
        return sum([part if part < width else width for part in above]) // width

    def sensitivity(self, dimension: int) -> int:
        return -(-dimension // self.width)


def _query(_: object, __: object, value: Any) -> None:
    if not isinstance(value, HistogramQuery):
        raise InvalidArgument("a query is a HistogramQuery, such as KthLargest(1)")


@register("antiphon.Scaled/1")
@column_safe(of="query")
@attrs.frozen
class Scaled(HistogramQuery):
    """⌊q/divisor⌋ of an s-sensitive q: ⌈s/divisor⌉-sensitive, as |⌊a/n⌋ - ⌊b/n⌋| <= ⌈|a - b|/n⌉.

    >>> mean = Scaled(Total(), 3)
    >>> mean((3, 9, 4)), mean.sensitivity(3)
    (5, 1)
    """

    query: HistogramQuery = attrs.field(validator=_query)
    divisor: int = attrs.field(converter=fields.size, metadata=fields.COUNTS)

    def __call__(self, counts: tuple[int, ...]) -> int:
        return self.query(counts) // self.divisor

    def sensitivity(self, dimension: int) -> int:
        return -(-self.query.sensitivity(dimension) // self.divisor)


def one_sensitive(query: object, dimension: int, name: str = "query") -> None:
    """Check that a mechanism's query is a 1-sensitive HistogramQuery.

    Raises: InvalidArgument unless it is a 1-sensitive query on that many counts.
    """
    if not isinstance(query, HistogramQuery):
        raise InvalidArgument(
            f"{name} must be a HistogramQuery, such as KthLargest(1): it promises to be 1-sensitive"
        )
    try:
        value: object = query((0,) * dimension)
    except (LookupError, ArithmeticError, ValueError):
        value = None
    if type(value) is not int:
        raise InvalidArgument(
            f"the {name} must give an int on a histogram of {dimension} counts: are they too few?"
        )
    found = query.sensitivity(dimension)
    if found > 1:
        raise InvalidArgument(
            f"the {name} is {found}-sensitive on {dimension} counts, and must be 1-sensitive: give "
            f"Scaled(query, {found}), and multiply the answers"
        )


_LIMIT: Final = 1_000_000
"""The largest number of histograms that a check goes through."""


@attrs.frozen
class QueryViolation:
    """Two histograms x <= y on which a query is not monotone or exceeds its sensitivity."""

    histograms: tuple[tuple[int, ...], tuple[int, ...]]
    values: tuple[int, int]
    reason: str


def check_query(
    query: HistogramQuery, *, dimension: int, largest: int, sensitivity: int | None = None
) -> QueryViolation | None:
    """Check that a query is monotone and s-sensitive on {0, …, largest}^dimension: the first
    violation, or None.

    Checked for every x: q(x) <= q(x + e_i) for all i, and q(x + 1) <= q(x) + s, which is enough
    (see ``queries``). Args: ``sensitivity``, the s; None: the query's own. Raises: Intractable for
    more than a million histograms: use ``audit.search_query``.

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


def promised(query: HistogramQuery, dimension: int, sensitivity: int | None) -> int:
    """The sensitivity s to check: the argument ``sensitivity``, or for None the query's own."""
    return query.sensitivity(dimension) if sensitivity is None else sensitivity


def first_violation(
    query: HistogramQuery, histograms: Iterable[tuple[int, ...]], sensitivity: int
) -> QueryViolation | None:
    """The first histogram at which the query is not monotone (it falls as one count grows by 1) or
    not ``sensitivity``-sensitive (it grows too much as all counts grow by 1); None if there is
    none."""
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
    """The histograms that have 1 more than x in a single count."""
    return ((*x[:i], each + 1, *x[i + 1 :]) for i, each in enumerate(x))
