"""The units of privacy of a board, as verification functions of streams of batches.

A message is a whole window's batch: a tuple of rows (user, key, amount), in order. Two streams are
neighbours if they differ in all rows of one user in a window, in all rows of one user, or in one
row; *added or removed* (present on one side only), or *replaced*. Identical pairs may hold rows of
that user, too, unless stated otherwise.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias, Union, cast

import attrs

from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol import Refused, Space, Verification, identical, register

User: TypeAlias = Union[str, int]
Key: TypeAlias = Union[str, int]
Row: TypeAlias = "tuple[User, Key, int]"
Batch: TypeAlias = "tuple[Row, ...]"

LONGEST_KEY: Final = 64
"""The largest number of characters of a key that is found in the data."""
NAMES: Final = (str, int)
"""The types of which a user or a key may be."""


def public_keys(value: Iterable[Key]) -> tuple[Key, ...]:
    """The public keys, checked to be distinct texts or ints, at least one. Raises:
    InvalidArgument."""
    keys = tuple(value)
    if not keys or any(type(each) not in NAMES for each in keys):
        raise InvalidArgument("keys are texts or ints, at least one, all of them public")
    if len(set(keys)) < len(keys):
        raise InvalidArgument("keys are listed once each")
    return keys


@register("antiphon.Batches/1")
@attrs.frozen
class Batches(Space):
    """The space of batches: tuples of rows (user, key, amount); a user is a text or an int, an
    amount an int. Keys None: any text of 1 to 64 characters is a key."""

    discrete = True
    keys: tuple[Key, ...] | None = attrs.field(converter=attrs.converters.optional(public_keys))
    _known: frozenset[Key] = attrs.field(
        init=False, eq=False, repr=False,
        default=attrs.Factory(lambda space: frozenset(space.keys or ()), takes_self=True),
    )  # fmt: skip

    def contains(self, value: object) -> bool:
        return type(value) is tuple and all(map(self._is_row, cast("tuple[object, ...]", value)))

    def _is_row(self, row: object) -> bool:
        if type(row) is not tuple or len(cast("tuple[object, ...]", row)) != 3:
            return False
        user, key, amount = cast("tuple[object, object, object]", row)
        if type(amount) is not int or type(user) not in NAMES:
            return False
        if self.keys is None:
            return type(key) is str and 0 < len(key) <= LONGEST_KEY
        return type(key) in NAMES and key in self._known


def without(batch: Batch, user: User) -> Batch:
    """The rows of a batch that are not this user's, in their order."""
    return tuple([row for row in batch if row[0] != user])


def _sends(batch: Batch, user: User) -> bool:
    return any(row[0] == user for row in batch)


def _suspects(zero: Batch, one: Batch) -> Iterator[User]:
    """The users (at most two) of the first rows in which two batches differ."""
    for row0, row1 in zip(zero, one, strict=False):
        if row0 != row1:
            yield row0[0]
            yield row1[0]
            return
    longer = max(zero, one, key=len)
    yield longer[min(len(zero), len(one))][0]


def differing(zero: Batch, one: Batch) -> list[User]:
    """Each user (at most two) without whose rows two different batches are equal."""
    found = dict.fromkeys(_suspects(zero, one))
    return [user for user in found if without(zero, user) == without(one, user)]


MESSAGES: Final = (
    "When each window is published is public; how many rows it has, and when they come, is not."
)
"""The sentence of a privacy statement that says which facts about a board's windows are public."""
_OTHERS: Final = Refused("two batches differ in more than the rows of one user")


@attrs.frozen
class _OneBatch(Verification[int, Batch]):
    """A verification function: one batch may differ. State: the number that have. Abstract."""

    swap_symmetric = True
    messages = MESSAGES
    replaced: bool = False

    @property
    def initial_state(self) -> int:
        return 0

    def step(self, state: int, zero: Batch, one: Batch, /) -> int | Refused:
        if zero is one or identical(zero, one):
            return state
        if state:
            return Refused("a second batch differs")
        return self._differ(zero, one)

    @abstractmethod
    def _differ(self, zero: Batch, one: Batch) -> int | Refused:
        """The state 1 (one batch has differed) if the batches are neighbours; else a refusal."""


@register("antiphon.SingleUserWindow/1")
@attrs.frozen
class SingleUserWindow(_OneBatch):
    """A verification function: one batch differs, in one user's rows. State: the number of
    differing batches.

    Added or removed: one side of it has no rows of the user; ``replaced``: both may have some.
    """

    @property
    def protects(self) -> str:
        """The unit of privacy in words, as statements print it."""
        how = "whatever else they had been" if self.replaced else "whether they are there or not"
        return f"all rows of one user in one window, {how}"

    def _differ(self, zero: Batch, one: Batch) -> int | Refused:
        users = differing(zero, one)
        if not self.replaced:
            users = [each for each in users if not (_sends(zero, each) and _sends(one, each))]
        return 1 if users else _OTHERS


Suspect: TypeAlias = "tuple[User, int]"
"""A user whose rows may be the only difference, and the world that has none of these rows, or -1 if
both worlds may have some."""
UserSeen: TypeAlias = "tuple[frozenset[User], tuple[Suspect, ...]]"
"""The users seen so far, until a batch differs; from then on, the users whose rows may be the only
difference."""


@register("antiphon.SingleUser/1")
@attrs.frozen
class SingleUser(Verification[UserSeen, Batch]):
    """A verification function: any number of batches differ, all in the rows of one user.

    Added or removed: one side of the whole stream has no row of the user, so no pair that does not
    differ has one, before or after. ``replaced``: there is no such condition.
    State: the users seen on both sides, then the users who may account for the whole difference
    (``UserSeen``).
    """

    swap_symmetric = True
    messages = MESSAGES
    replaced: bool = False

    @property
    def protects(self) -> str:
        """The unit of privacy in words, as statements print it."""
        how = "whatever else they had been" if self.replaced else "whether they are there or not"
        return f"all rows of one user in all windows together, {how}"

    @property
    def initial_state(self) -> UserSeen:
        return frozenset(), ()

    def step(self, state: UserSeen, zero: Batch, one: Batch, /) -> UserSeen | Refused:
        seen, suspects = state
        alike = zero is one or identical(zero, one)
        if alike and not suspects:
            fresh = () if self.replaced else {row[0] for row in zero} - seen
            return (seen | fresh, ()) if fresh else state
        if not suspects:
            sides = (-1,) if self.replaced else (0, 1)
            users = [each for each in differing(zero, one) if each not in seen]
            suspects = tuple([(each, side) for each in users for side in sides])
        left = tuple([each for each in suspects if _fits(each, zero, one)])
        return (frozenset(), left) if left else _OTHERS


def _fits(suspect: Suspect, zero: Batch, one: Batch) -> bool:
    user, side = suspect
    if side >= 0 and _sends((zero, one)[side], user):
        return False
    return without(zero, user) == without(one, user)


@register("antiphon.SingleRow/1")
@attrs.frozen
class SingleRow(_OneBatch):
    """A verification function: one batch differs, in one row. State: the number of differing
    batches.

    Added or removed: one side has one row more. ``replaced``: one row is replaced by another;
    ``same_user``: by another of the same user.
    """

    same_user: bool = False

    @property
    def protects(self) -> str:
        """The unit of privacy in words, as statements print it."""
        if not self.replaced:
            return "one row, whether it is there or not"
        of = "of the same user" if self.same_user else "of any user"
        return f"one row, which might be any other {of}, in its place among those of its window"

    def _differ(self, zero: Batch, one: Batch) -> int | Refused:
        fits = self._one_other if self.replaced else _one_more
        return 1 if fits(zero, one) else Refused("two batches differ in more than one row")

    def _one_other(self, zero: Batch, one: Batch) -> bool:
        if len(zero) != len(one):
            return False
        differ = [pair for pair in zip(zero, one, strict=True) if pair[0] != pair[1]]
        return len(differ) == 1 and (not self.same_user or differ[0][0][0] == differ[0][1][0])


def _one_more(zero: Batch, one: Batch) -> bool:
    shorter, longer = sorted((zero, one), key=len)
    if len(longer) != len(shorter) + 1:
        return False
    place = next((i for i, row in enumerate(shorter) if row != longer[i]), len(shorter))
    return shorter[place:] == longer[place + 1 :]


Unit: TypeAlias = Union[SingleUserWindow, SingleUser, SingleRow]
