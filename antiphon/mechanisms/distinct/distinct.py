"""The post-processor that turns events of items into changes of a count of distinct items."""

import zlib
from typing import Any, Final, Literal, NamedTuple, TypeAlias, Union

import attrs

from antiphon.composition.complex_mechanism import Lifting
from antiphon.mechanisms import fields
from antiphon.mechanisms.counters.counter import COUNT, QUERIES
from antiphon.numbers.errors import CompositionError, InvalidArgument
from antiphon.numbers.persistent_vector import Vector
from antiphon.protocol import EMPTY, LEFT, RIGHT, Coins, PostProcessor, Side, Status, register
from antiphon.protocol.spaces import Either, Finite, Integers, Signature, Space, Texts, Tuples
from antiphon.verifiers import AddOrRemove, event_level, updates_and_queries
from antiphon.verifiers.alternating import AlternatingDifferences, OneItem

Item: TypeAlias = Union[str, int]
Node: TypeAlias = tuple[Any, ...]
"""The type of an immutable hash tree from items to values, made of tuples: a leaf holds (item,
value) pairs, an inner node None and sixteen children. The position of an item follows from a
checksum that is the same in every process."""

_BITS: Final = 4
_FULL: Final = 16
_DEEPEST: Final = 28

Unit: TypeAlias = Literal["event", "item"]
_ITEMS: Final = Either((Integers(), Texts(64)))
_NOTHING: Final = Finite((EMPTY,))
_ONCE: Final = Either((Tuples((_ITEMS,)), _NOTHING))
_BOTH_WAYS: Final = Either((Tuples((_ITEMS, Finite((True, False)))), _NOTHING))


@register("antiphon.Presence/1", state=True)
class Presence(NamedTuple):
    """The state of ``Distinct``: which items are present now. It is as secret as the data."""

    time: int = 0
    """The number of updates so far; counted only if there is a window."""
    table: Node = ()
    """A table (``Node``) from an item to what is known of it: with a window, the time of its
    last event; else (whether it is present, how often this has changed)."""
    recent: Vector[Item | None] = Vector()
    """The items of the last updates, by time modulo the window; empty without a window."""


@register("antiphon.Distinct/1")
@attrs.frozen(kw_only=True)
class Distinct(PostProcessor[Presence]):
    """A post-processor by which any counter on its right counts distinct items, so far or in a
    window.

    A post-processor P. An update is (item,), an event of the item (a text or an int), or ``EMPTY``,
    a time without an event. P sends the counter the change of the number of present items: -1, 0 or
    1, zeros included. All else goes to the counter and back unchanged, so ``COUNT`` is answered by
    the noisy number of items, with the counter's own error bound.

    * Without further parameters an item stays present from its first event on (insert-only).
    * ``window=W``: it is present if one of the last W updates is an event of it. Use a
      ``PresenceCounter(window=W, …)``, whose noise is made for that; others are private, but err
      more.
    * ``deletions=True``: updates are (item, True), which adds the item, and (item, False), which
      removes it. ``flips=w``: after w changes an item stays as it is.

    Privacy: w.r.t. ``lifting.outer`` that of the counter w.r.t. ``lifting.inner``, by CM Thm 6.1,
    against adaptive adversaries. By a Toeplitz counter that is ρ-zCDP (``alternating_cost``):

    * insert-only: 2ρ for one event, added, removed or replaced; ρ for one item (``unit="item"``),
      all events of which are there or not;
    * in a window: 2ρ for one event, added or removed; by a ``PresenceCounter`` ρ;
    * deletions: 2ρ for one event; with flips=w 4wρ for one event, and wρ for one item.

    *Proof.* P's next message goes to the right exactly after a message from the left, and what it
    sends left is the counter's answer (destination, response). Validity: let V be the number of
    items in world 1 minus that in world 0, after each update; its changes are the differences that
    the counter sees. *One item, of which one side has no event*: V, or -V, is the presence of that
    item, 0 or 1; so differences alternate; there is one in insert-only streams, and at most w with
    flips=w. *One event of a, added or removed*: V is the presence of a on one side minus that on
    the other. Insert-only: it begins at the event and ends at the next event of a: one interval.
    *Replaced* by one of b: two such intervals with opposite signs, which begin together, so the
    shorter one cancels: one interval. In a window: the event makes a present for W updates, minus
    those at which another event does: as other events cover whole stretches of W updates, one
    interval of at most W is left. Deletions: the next event of a decides its presence on both
    sides: one interval. With flips=w, V is a difference of two presences that change w times each:
    it stays in {-1, 0, 1} and changes by 2w in all. ∎ With flips an event costs more than without,
    and an event that is *replaced* may exceed 4wρ: tests/exact has both figures. In windows and
    with deletions, an event replaced is not covered.

    Memory: one entry for each item ever seen; with a window, for each of its last W updates.
    Raises: InvalidArgument for parameters that do not go together.

    >>> from antiphon.mechanisms import BufferedToeplitzCounter
    >>> counter = BufferedToeplitzCounter(horizon=256, rho=10**9, sensitivity=1)
    >>> session = (Distinct() @ counter).start(seed=1)
    >>> for name in ("ada", "bob", "ada"):
    ...     _ = session.send((name,))
    >>> round(session.send("count"), 3)
    2.0
    """

    deterministic = True
    window: int | None = attrs.field(
        default=None, converter=attrs.converters.optional(fields.size), metadata=fields.COORDINATES
    )
    deletions: bool = attrs.field(default=False, validator=fields.boolean)
    flips: int | None = attrs.field(
        default=None, converter=attrs.converters.optional(fields.size), metadata=fields.COUNTS
    )
    unit: Unit = attrs.field(default="event", validator=attrs.validators.in_(("event", "item")))

    def __attrs_post_init__(self) -> None:
        if self.window is not None and self.deletions:
            raise InvalidArgument(
                "a window forgets items by itself: leave deletions out, or the window"
            )
        if self.flips is not None and not self.deletions:
            raise InvalidArgument("flips=… goes with deletions=True: without, no item disappears")
        endless = self.window is not None or (self.deletions and self.flips is None)
        if self.unit == "item" and endless:
            raise InvalidArgument(
                "one item may appear and disappear without end, so no figure protects all of its "
                "events: use unit='event', or bound its changes by deletions=True, flips=…"
            )

    @property
    def initial_state(self) -> Presence:
        return Presence()

    @property
    def lifting(self) -> Lifting:
        """The claim that messages on the left which differ in one event, or in one item, become
        updates on the right whose differences alternate in sign."""
        insert_only = self.window is None and not self.deletions
        outer: Any = event_level(None if insert_only else AddOrRemove(EMPTY))
        inner = AlternatingDifferences(2, within=self.window)
        if self.unit == "item":
            outer, inner = OneItem(), AlternatingDifferences(self.flips or 1)
        elif self.flips is not None:
            inner = AlternatingDifferences(2 * self.flips, crossing=True)
        left, right = updates_and_queries(outer, QUERIES), updates_and_queries(inner, QUERIES)
        return Lifting(left, right, Status.PROVED, "antiphon.mechanisms.Distinct")

    @property
    def changes(self) -> tuple[int, ...]:
        """The numbers that the counter on the right must take as updates."""
        return (0, 1) if self.window is None and not self.deletions else (-1, 0, 1)

    @property
    def events(self) -> Space:
        """The space of updates: events of items, and ``EMPTY``."""
        return _BOTH_WAYS if self.deletions else _ONCE

    def signature(self, right: Signature) -> Signature:
        if not all(map(right.updates.contains, self.changes)):
            low, high = self.changes[0], self.changes[-1]
            raise CompositionError(
                f"Distinct counts with ints between {low} and {high}; the mechanism on its right "
                f"takes {right.updates}: build it with smallest={low}, largest={high}, "
                "sensitivity=1"
            )
        if not right.queries.contains(COUNT):
            raise CompositionError(
                "Distinct stands before a counter, which answers COUNT; what answers each update "
                "by a count belongs on its left: CountAfter() @ Distinct() @ counter. A sum over a "
                "window is another thing than the items in it: Distinct(window=…) counts these"
            )
        return Signature(Either((self.events, QUERIES)), right.answers, self.events)

    def is_over(self, state: Presence) -> None:
        return None

    def step(
        self, state: Presence, side: Side, message: Any, coins: Coins
    ) -> tuple[Presence, Side, object]:
        if side is not LEFT:
            return state, LEFT, message
        if message is not EMPTY and type(message) is not tuple:
            return state, RIGHT, message
        state, change = (self._for_ever if self.window is None else self._in_window)(state, message)
        return state, RIGHT, change

    def _for_ever(self, state: Presence, message: Any) -> tuple[Presence, int]:
        """The state after an event, and the change of the count of present items; without a
        window."""
        if message is EMPTY:
            return state, 0
        item, present = message if self.deletions else (message[0], True)
        before, flips = value_of(state.table, item) or (False, 0)
        if before is present or flips == self.flips:
            return state, 0
        # An item's changes (flips) are counted only if their number is limited.
        known = (present, 0 if self.flips is None else flips + 1)
        forgotten = self.flips is None and not present
        table = with_value(state.table, item, None if forgotten else known)
        return state._replace(table=table), 1 if present else -1

    def _in_window(self, state: Presence, message: Any) -> tuple[Presence, int]:
        """The state after an event, and the change of the count of present items; with a window."""
        time, table, recent = state
        assert self.window is not None
        item = None if message is EMPTY else message[0]
        old, place, change = recent.get(time % self.window), time % self.window, 0
        fresh = item is not None and value_of(table, item) is None
        if item is not None:
            table, change = with_value(table, item, time), int(fresh)
        if old is not None and value_of(table, old) == time - self.window:
            table, change = with_value(table, old, None), change - 1
        full = len(recent) == self.window
        recent = recent.set(place, item) if full else recent.append(item)
        return Presence(time + 1, table, recent), change


def value_of(table: Node, item: Item) -> Any:
    """The value of an item; None if the table has none."""
    node, place = table, _place(item)
    while node and node[0] is None:
        node, place = node[1 + place % _FULL], place >> _BITS
    return next((value for known, value in node if known == item), None)


def with_value(table: Node, item: Item, value: object) -> Node:
    """A table in which the item has this value; for None, it has none. O(log n) time and new
    memory."""
    return _with(table, item, value, _place(item), 0)


def _with(node: Node, item: Item, value: object, place: int, depth: int) -> Node:
    if node and node[0] is None:
        at = 1 + place % _FULL
        below = _with(node[at], item, value, place >> _BITS, depth + _BITS)
        return (*node[:at], below, *node[at + 1 :])
    rest = tuple([each for each in node if each[0] != item])
    leaf = rest if value is None else (*rest, (item, value))
    return leaf if len(leaf) <= _FULL or depth > _DEEPEST else _split(leaf, depth)


def _split(leaf: Node, depth: int) -> Node:
    """The inner node of a table (``Node``) that takes the place of a leaf with too many entries."""
    parts: list[Node] = [()] * _FULL
    for entry in leaf:
        at = (_place(entry[0]) >> depth) % _FULL
        parts[at] = (*parts[at], entry)
    return (None, *parts)


def _place(item: Item) -> int:
    return zlib.crc32(repr(item).encode())
