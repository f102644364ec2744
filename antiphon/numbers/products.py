"""Products of what can be listed, of which nothing is listed beforehand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

_NO_MORE: Final = object()


def product(factors: Sequence[Callable[[], Iterator[Any]]]) -> Iterator[tuple[Any, ...]]:
    """All tuples of the factors' items, the last entry turning fastest; each lists its own anew.

    ``itertools.product`` lists every factor first.

    >>> list(product([lambda: iter("ab"), lambda: iter((1, 2))]))
    [('a', 1), ('a', 2), ('b', 1), ('b', 2)]
    """
    turning = [factor() for factor in factors]
    items: list[Any] = [next(each, _NO_MORE) for each in turning]
    if any(item is _NO_MORE for item in items):
        return
    while True:
        yield tuple(items)
        for place in reversed(range(len(factors))):
            items[place] = next(turning[place], _NO_MORE)
            if items[place] is not _NO_MORE:
                break
            turning[place] = factors[place]()
            items[place] = next(turning[place])
        else:
            return
