"""Verification functions for counts of distinct items: streams differ in one event, or in one item.

Messages about items are tuples (item, …), or ``EMPTY`` where nothing happened. A post-processor
that counts distinct items sends a counter ±1 whenever an item appears or disappears. If one item's
events change, these numbers change in alternating directions.
"""

from typing import NamedTuple

import attrs

from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol import EMPTY, Refused, Verification, identical, register

_OTHERS = Refused("the pairs differ in more than one item, which one side of all pairs has not")


@register("antiphon.Differed/1", state=True)
class Differed(NamedTuple):
    """The state of ``AlternatingDifferences``: how the pairs so far have differed."""

    total: int = 0
    """The sum of |x - x'| over all pairs (x, x') so far."""
    level: int = 0
    """The sum of x' - x over all pairs (x, x') so far, which is -1, 0 or 1."""
    first: int = 0
    """The sign of the first difference; 0 before it."""
    age: int = 0
    """The number of pairs since ``level`` became 1 or -1; 0 if ``level`` is 0, or if f sets no
    limit to that number (``within`` is None)."""


def _positive(_: object, field: "attrs.Attribute[int]", value: object) -> None:
    if type(value) is not int or not 1 <= value <= 2**200:
        raise InvalidArgument(f"{field.name} must be an int between 1 and 2^200")


@register("antiphon.AlternatingDifferences/1")
@attrs.frozen
class AlternatingDifferences(Verification[Differed, object]):
    """A verification function: updates differ by +1 and -1 in turn, by at most ``changes`` in all.

    In words: the running sum of x' - x over the pairs (x, x') stays in {0, 1}, or in {0, -1}. With
    ``crossing`` it stays in {-1, 0, 1}: both signs may come, and one pair may differ by 2.
    ``within``: the running sum may stay 1, or -1, for at most so many pairs; None: for ever.
    State: ``Differed``.

    >>> from antiphon.protocol import Pair, same
    >>> f = AlternatingDifferences(changes=2)
    >>> f([Pair(0, 1), same(1), Pair(1, 0)]), f([Pair(0, 1), Pair(0, 1)])
    (TOP, BOTTOM)
    """

    swap_symmetric = True
    changes: int = attrs.field(default=2, validator=_positive)
    crossing: bool = attrs.field(
        default=False, kw_only=True, validator=attrs.validators.instance_of(bool)
    )
    within: int | None = attrs.field(
        default=None, kw_only=True, validator=attrs.validators.optional(_positive)
    )

    @property
    def initial_state(self) -> Differed:
        return Differed()

    def step(self, state: Differed, zero: object, one: object, /) -> Differed | Refused:
        if zero is one or identical(zero, one):
            return self._older(state, state.level)
        if type(zero) is not int or type(one) is not int:
            return Refused("a pair differs that is no pair of ints")
        change = one - zero
        level, first = state.level + change, state.first or (1 if change > 0 else -1)
        if abs(level) > 1 or (not self.crossing and level == -first):
            return Refused("two differences in a row have the same direction")
        total = state.total + abs(change)
        if total > self.changes:
            return Refused(f"pairs differ by more than {self.changes} in all")
        return self._older(state._replace(total=total, first=first), level)

    def _older(self, state: Differed, level: int) -> Differed | Refused:
        """The state after one more pair, with the new sum ``level`` of all differences x' - x."""
        if self.within is None or not level:
            return state._replace(level=level, age=0) if state.level != level else state
        age = state.age + 1 if level == state.level else 0
        if age >= self.within:
            return Refused(f"a difference lasts for more than {self.within} pairs")
        return state._replace(level=level, age=age)


@register("antiphon.ItemSeen/1", state=True)
class ItemSeen(NamedTuple):
    """The state of ``OneItem``: the items of the pairs so far while all were identical; then the
    item in whose events the pairs differ."""

    seen: frozenset[object] = frozenset()
    """The items of all pairs so far; empty once a pair has not been identical."""
    item: tuple[object, ...] = ()
    """The item in whose events the pairs differ, as (item,); () while all pairs are identical."""
    absent: int = 0
    """The world, 0 or 1, in which that item has no event."""


@register("antiphon.OneItem/1")
@attrs.frozen
class OneItem(Verification[ItemSeen, object]):
    """A verification function, item level: in one world, all events of one item are absent
    (``EMPTY`` in their place); everything else is the same in both worlds.

    So no identical pair has an event of that item, before or after; ``user_level`` allows such
    pairs. State: ``ItemSeen``.
    """

    swap_symmetric = True

    @property
    def initial_state(self) -> ItemSeen:
        return ItemSeen()

    def step(self, state: ItemSeen, zero: object, one: object, /) -> ItemSeen | Refused:
        if zero is one or identical(zero, one):
            return self._same(state, _items(zero))
        absent = 0 if zero is EMPTY else 1
        items, other = _items(one if zero is EMPTY else zero), one if absent else zero
        if not items or other is not EMPTY:
            return _OTHERS
        if state.item:
            fits = identical(state.item, items) and state.absent == absent
            return state if fits else _OTHERS
        return _OTHERS if items[0] in state.seen else ItemSeen(frozenset(), items, absent)

    def _same(self, state: ItemSeen, items: tuple[object, ...]) -> ItemSeen | Refused:
        """The state after an identical pair; ``items`` holds the item of its event, or nothing if
        it is no event."""
        if state.item:
            return _OTHERS if identical(state.item, items) else state
        return state._replace(seen=state.seen | {*items}) if items else state


def _items(message: object) -> tuple[object, ...]:
    """The item of an event, as (item,); () for a message that is no event."""
    if type(message) is not tuple:
        return ()
    event: tuple[object, ...] = message  # pyright: ignore[reportUnknownVariableType]
    return event[:1]
