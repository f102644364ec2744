"""An f' that lists what may be said: the pairs of a search are finitely many."""

from __future__ import annotations

from typing import Any, Final

import attrs

from antiphon.mechanisms.fields import boolean
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.messages import Pair, identical, same
from antiphon.protocol.registry import register
from antiphon.protocol.verification import Refused, Verification

MOST_PAIRS: Final = 64
"""As many may be said to a mechanism."""
ONE_SIDED: Final[tuple[Pair[Any], ...]] = (Pair(0, 1), same(2))
"""A bit that may differ, one way round only, and a public question."""
BOTH_SIDES: Final = (Pair(0, 1), Pair(1, 0), same(2))
"""The same, either way round."""
TWO_PUBLIC: Final = (Pair(0, 1), same(2), same(3))
"""One way round, and two public questions."""


def _pairs(_: object, __: object, value: object) -> None:
    if type(value) is not tuple or not all(type(each) is Pair for each in value):  # pyright: ignore
        raise InvalidArgument("pairs is a tuple of Pair, such as (Pair(0, 1), same(2))")


@register("antiphon.ListedPairs/1")
@attrs.frozen
class ListedPairs(Verification[int, object]):
    """f' that allows these pairs only, of which at most ``events`` that differ. Prefix-closed.

    ``at_first``: none differs later if the first does not (CM Def. 5.3). ``at_last``: nothing may
    follow the last that may differ. State: how many have differed, -1 before any pair, and -2
    where no more may come.
    """

    pairs: tuple[Pair[Any], ...] = attrs.field(default=ONE_SIDED, validator=_pairs)
    events: int = attrs.field(default=1, validator=lambda _, __, n: exact.natural(n, "events"))
    at_first: bool = attrs.field(default=False, validator=boolean)
    at_last: bool = attrs.field(default=False, validator=boolean)

    @property
    def initial_state(self) -> int:
        return -1

    @property
    def first_pair_consistent(self) -> bool:
        return self.at_first

    @property
    def swap_symmetric(self) -> bool:
        turned = [Pair(each.one, each.zero) for each in self.pairs]
        return all(any(identical(each, own) for own in self.pairs) for each in turned)

    def step(self, state: int, zero: object, one: object, /) -> int | Refused:
        if state == -2 or not any(identical(each, Pair(zero, one)) for each in self.pairs):
            return Refused("a pair that is not listed, or that comes after the last")
        if identical(zero, one):
            return self.events if self.at_first and state < 0 else max(state, 0)
        if max(state, 0) >= self.events:
            return Refused("more pairs differ than may")
        after = max(state, 0) + 1
        return -2 if self.at_last and after == self.events else after


def pairs_of(inner: Verification) -> tuple[Pair[Any], ...]:
    """What f' lists, if it lists anything."""
    return inner.pairs if type(inner) is ListedPairs else ()


def finite(_: object, __: object, given: tuple[Pair[Any], ...]) -> None:
    """An attrs validator: a list of pairs that can be searched. Raises: InvalidArgument."""
    count = len(given) if type(given) is tuple else 0  # pyright: ignore[reportUnnecessaryComparison]
    if not count or not all(type(each) is Pair for each in given):  # pyright: ignore
        raise InvalidArgument(
            "the alphabet of a search is finite: pass pairs=(Pair(0, 1), same(2), …), the pairs "
            "that may be said to each mechanism"
        )
    if count > MOST_PAIRS:
        raise InvalidArgument(f"at most {MOST_PAIRS} pairs may be said, not {count}")
