"""Adversaries: the party that speaks first (CM Def. 2.11)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeAlias, overload

import attrs
from typing_extensions import TypeVar

from antiphon.numbers.errors import check_arity, listed
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.mechanism import ContinualMechanism, State
from antiphon.protocol.messages import EMPTY, HALT, as_messages
from antiphon.protocol.registry import Named, column_safe, register
from antiphon.protocol.spaces import Anything, Signature

Item = TypeVar("Item", default=Any)


class Adversary(ContinualMechanism[State]):
    """An interactive mechanism that speaks first: its first message is EMPTY (CM Def. 2.11).

    ``step`` takes the last answer (EMPTY at first) and gives the next message, or HALT to end the
    interaction. Its coins are part of the view.
    """

    __slots__ = ()

    listens: bool = True
    """Whether the adversary's messages may depend on the answers."""

    def __init_subclass__(cls, **options: object) -> None:
        # A class that defines ``step`` uses the answers unless it says otherwise, even if its base
        # class ignores them.
        super().__init_subclass__(**options)
        if "step" in vars(cls) and "listens" not in vars(cls):
            cls.listens = True

    @property
    def signature(self) -> Signature:
        return Signature(Anything(), Anything())


class History(Sequence[Item], Generic[Item]):
    """An immutable sequence to which an item is added in O(1): earlier and later versions of a
    sequence share one list.

    Appending to the newest version extends the shared list; appending to an older version copies
    the list.
    """

    __slots__ = ("_items", "_length")

    def __init__(self, items: Iterable[Item] = ()) -> None:
        self._items = list(items)
        self._length = len(self._items)

    def append(self, item: Item) -> History[Item]:
        """A sequence with one more item; this sequence stays unchanged."""
        items, length = self._items, self._length
        if len(items) == length:
            items.append(item)
        # If another version of this sequence has appended to the shared list, the items are copied.
        if len(items) <= length or items[length] is not item:
            items = [*items[:length], item]
        longer: History[Item] = History.__new__(History)
        longer._items, longer._length = items, length + 1
        return longer

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Item, ...]: ...
    def __getitem__(self, index: int | slice) -> Item | tuple[Item, ...]:
        if isinstance(index, slice):
            return tuple(self._items[i] for i in range(*index.indices(self._length)))
        place = index + self._length if index < 0 else index
        if not 0 <= place < self._length:
            raise IndexError(index)
        return self._items[place]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, History) and self[:] == other[:]

    def __hash__(self) -> int:
        return hash(self[:])

    def __repr__(self) -> str:
        return f"History({list(self)!r})"


@register("antiphon.Scripted/1")
@column_safe
@attrs.frozen
class Scripted(Adversary[int]):
    """An adversary that sends the given messages in order, whatever the answers, then HALT."""

    messages: tuple[object, ...] = attrs.field(converter=as_messages)
    listens = False

    @property
    def initial_state(self) -> int:
        return 0

    def step(self, state: int, message: object, coins: Coins) -> tuple[int, object]:
        if state == len(self.messages):
            return state, HALT
        return state + 1, self.messages[state]


def scripted(messages: Iterable[object]) -> Scripted:
    """An adversary that sends the given messages in order, whatever the answers, then HALT."""
    return Scripted(listed(messages, "messages", "ap.scripted([1, 0, 1])"))


Says: TypeAlias = "Callable[[Sequence[Any], Coins], object]"
"""A function (answers so far, coins) -> next message."""


@column_safe(of="function")
@attrs.frozen(eq=False, repr=False)
class FunctionAdversary(Named, Adversary["History"]):
    """An adversary made of one plain function of (answers so far, coins)."""

    function: Says

    @property
    def initial_state(self) -> History:
        return History()

    def step(self, state: History, message: object, coins: Coins) -> tuple[History, object]:
        answers = state if message is EMPTY else state.append(message)
        return answers, self.function(answers, coins)


def adversary(function: Says) -> FunctionAdversary:
    """Decorator: an adversary from a function (answers so far, coins) -> next message.

    Raises: InvalidArgument for a function of other arguments.

    >>> @adversary
    ... def curious(answers, coins):
    ...     return HALT if len(answers) == 3 else len(answers)
    """
    return FunctionAdversary(check_arity(function, "@ap.adversary", "answers", "coins"))
