"""The verification functions of known models, such as continual observation (CM §3, §5.3)."""

from typing import Any, Final, TypeAlias, TypeGuard, Union

import attrs

from antiphon.numbers.errors import InvalidArgument, of_kind, written_as
from antiphon.protocol import EMPTY, Space, column_safe, identical, register
from antiphon.protocol.verification import Message, Refused, State, Verification, read, symmetric_as
from antiphon.verifiers.relations import AnyTwo, Relation, natural, related

Belongs: TypeAlias = Union["tuple[()]", "tuple[object, int]"]
_LONGEST: Final = 2**200


def _count(_: object, attribute: "attrs.Attribute[int]", value: Any) -> None:
    natural(_, attribute, value)
    if value > _LONGEST:
        raise InvalidArgument(f"{attribute.name} must be at most 2^200: no sequence is longer")


def is_verification(_: object, __: object, value: object) -> None:
    """An attrs validator. Raises: InvalidArgument unless the value is a verification function."""
    if not isinstance(value, Verification):
        raise InvalidArgument(
            f"an f is a verification function, event_level(), not {of_kind(value)}"
        )


def _is_space(_: object, field: "attrs.Attribute[Space]", value: object) -> None:
    # A value that is no space has no ``contains``: V[f] would halt at every message.
    if not isinstance(value, Space):
        raise InvalidArgument(
            f"{field.name} is a space, such as Finite((COUNT,)), not {of_kind(value)}"
        )


_NOT_NEIGHBOURS = Refused("the two sides of a pair are not neighbours")
_NOT_INITIAL = Refused("a side of the first pair is no initial state")


@register("antiphon.NeighbouringStart/1")
@column_safe(of=("relation", "initial"))
@attrs.frozen
class NeighbouringStart(Verification[int, object]):
    """The f_∼ of an interactive mechanism: the first pair is neighbouring, all later pairs are
    identical (CM §3.1, §5.3).

    An identical first pair counts as neighbouring iff the relation says so. ``initial``: S^init,
    to which both its sides must belong, where a mechanism also takes other messages (an IM as a
    CM, CM §3.3); None: the relation alone decides.
    State: 0, and 1 once the first pair has come.
    """

    swap_symmetric = symmetric_as("relation")
    first_pair_consistent = True
    relation: Relation = attrs.field(factory=AnyTwo)
    initial: Space | None = attrs.field(
        default=None, validator=attrs.validators.optional(_is_space)
    )

    @property
    def initial_state(self) -> int:
        return 0

    def step(self, state: int, zero: object, one: object, /) -> int | Refused:
        if not state:
            if self.initial is not None and not all(map(self.initial.contains, (zero, one))):
                return _NOT_INITIAL
            return 1 if related(self.relation, zero, one) else _NOT_NEIGHBOURS
        if zero is one or identical(zero, one):
            return state
        return Refused("a pair after the first has two different sides")


@register("antiphon.EventLevel/1")
@column_safe(of="relation")
@attrs.frozen
class EventLevel(Verification[int, object]):
    """Event-level continual observation: at most ``events`` pairs differ, each with neighbouring
    sides (CM §3.2).

    State: the number of differing pairs so far.
    """

    swap_symmetric = symmetric_as("relation")
    relation: Relation = attrs.field(factory=AnyTwo)
    events: int = attrs.field(default=1, validator=_count)

    @property
    def initial_state(self) -> int:
        return 0

    def step(self, state: int, zero: object, one: object, /) -> int | Refused:
        if zero is one or identical(zero, one):
            return state
        if not related(self.relation, zero, one):
            return _NOT_NEIGHBOURS
        if state >= self.events:
            return Refused(f"more than {self.events} pair(s) differ")
        return state + 1


@register("antiphon.UserLevel/1")
@column_safe(of="relation")
@attrs.frozen
class UserLevel(Verification[Belongs, object]):
    """User-level continual observation: all differing pairs belong to one user. Records are tuples
    (user, …) or ``EMPTY``.

    A pair that differs belongs to a user if each side is a record of that user or
    empty; at most ``events`` pairs differ, if that is given. State: () until a pair differs, then
    (user, number of differing pairs).
    """

    swap_symmetric = symmetric_as("relation")
    relation: Relation = attrs.field(factory=AnyTwo)
    events: int | None = attrs.field(default=None, validator=attrs.validators.optional(_count))

    @property
    def initial_state(self) -> Belongs:
        return ()

    def step(self, state: Belongs, zero: object, one: object, /) -> Belongs | Refused:
        if zero is one or identical(zero, one):
            return state
        users = [record[0] for record in (zero, one) if _has_user(record)]
        empties = sum(record is EMPTY for record in (zero, one))
        if not users or len(users) + empties != 2:
            return Refused("a differing pair is not made of records (user, …) or EMPTY")
        if not all(identical(users[0], user) for user in (*users, *state[:1])):
            return Refused("differing pairs belong to more than one user")
        if not related(self.relation, zero, one):
            return _NOT_NEIGHBOURS
        if self.events is None:
            # Without the limit ``events`` the differing pairs are not counted.
            return state or (users[0], 1)
        count = state[1] if state else 0
        if count >= self.events:
            return Refused(f"more than {self.events} pair(s) differ")
        return users[0], count + 1


def _has_user(record: object) -> TypeGuard[tuple[object, ...]]:
    return type(record) is tuple and record != ()


@register("antiphon.EveryPair/1")
@column_safe(of="relation")
@attrs.frozen
class EveryPair(Verification[int]):
    """Any number of pairs may differ, each with neighbouring sides; messages are query values.

    The i-th pair holds the values of the i-th query on two neighbouring datasets, so the
    relation is the sensitivity of one query (Lyu, Su, Li 2017, §2). ``monotone``: all are numbers,
    and those that differ all go up or all go down, as counts do if a record is added or removed; 0
    and 0.0 do not differ, and NaN is no number. State: 0, or 1 or -1 once a monotone sequence has
    gone up or down.
    """

    swap_symmetric = symmetric_as("relation")
    relation: Relation = attrs.field(factory=AnyTwo)
    monotone: bool = False

    @property
    def initial_state(self) -> int:
        return 0

    def step(self, state: int, zero: Any, one: Any, /) -> int | Refused:
        if not related(self.relation, zero, one):
            return _NOT_NEIGHBOURS
        if not self.monotone or one == zero:
            return state
        try:
            direction = 1 if one > zero else -1 if one < zero else 0
        except TypeError:
            direction = 0
        if not direction:
            return Refused("a side of a monotone pair is not a number")
        return direction if state in (0, direction) else Refused("pairs differ in both directions")


@register("antiphon.UpdatesAndQueries/1")
@column_safe(of=("updates", "queries"))
@attrs.frozen
class UpdatesAndQueries(Verification[State, Message]):
    """Updates are checked by the function ``updates``; a pair with a query on either side must be
    identical (theory: CM §3.3).

    The inner f reads the update pairs only. Not first-pair consistent, whatever
    the inner f: the first pair may be a query.
    """

    swap_symmetric = symmetric_as("updates")
    updates: Verification[State, Message] = attrs.field(validator=is_verification)
    queries: Space = attrs.field(validator=_is_space)

    @property
    def initial_state(self) -> State:
        return self.updates.initial_state

    def step(self, state: State, zero: Message, one: Message, /) -> State | Refused:
        is_query = self.queries.contains
        if not is_query(zero) and (one is zero or not is_query(one)):
            return read(self.updates, state, zero, one)
        if zero is one or identical(zero, one):
            return state
        return Refused("a query must be the same on both sides of a pair")


@register("antiphon.UntilAge/1")
@column_safe(of="verification")
@attrs.frozen
class UntilAge(Verification[tuple[State, int], Message]):
    """The verification function f_d, d = ``age``: what ``verification`` allows, with at most d
    updates after the first that differs.

    Queries are free. State: that of ``verification``, and the number of updates from the first
    differing one on; 0 before it.
    """

    swap_symmetric = symmetric_as("verification")
    verification: UpdatesAndQueries[State, Message]
    age: int = attrs.field(validator=_count)

    @property
    def initial_state(self) -> tuple[State, int]:
        return self.verification.initial_state, 0

    def step(
        self, state: tuple[State, int], zero: Message, one: Message, /
    ) -> tuple[State, int] | Refused:
        inner, since = state
        after = read(self.verification, inner, zero, one)
        if type(after) is Refused:
            return after
        if not self.verification.queries.contains(zero) and (since or not identical(zero, one)):
            since += 1
        if since > self.age + 1:
            return Refused(f"more than {self.age} update(s) after the first that differs")
        return after, since


@register("antiphon.Bounded/1")
@column_safe(of="verification")
@attrs.frozen
class Bounded(Verification[tuple[int, State], Message]):
    """A verification function that also limits the number of messages to ``pairs``. State:
    (messages so far, state of f)."""

    swap_symmetric = symmetric_as("verification")
    verification: Verification[State, Message] = attrs.field(validator=is_verification)
    pairs: int = attrs.field(validator=_count)

    @property
    def initial_state(self) -> tuple[int, State]:
        return 0, self.verification.initial_state

    def step(
        self, state: tuple[int, State], zero: Message, one: Message, /
    ) -> tuple[int, State] | Refused:
        count, inner = state
        if count >= self.pairs:
            return Refused(f"more than {self.pairs} messages")
        after = read(self.verification, inner, zero, one)
        return after if type(after) is Refused else (count + 1, after)

    @property
    def first_pair_consistent(self) -> bool:  # type: ignore[override]
        return self.verification.first_pair_consistent or self.pairs <= 1


def _or_any_two(relation: Relation | None) -> Relation:
    if relation is None:
        return AnyTwo()
    given: object = relation
    if isinstance(given, type) or not callable(getattr(given, "holds", None)):
        raise InvalidArgument(
            f"a relation says which two messages are neighbours, such as Within(1), not "
            f"{of_kind(given)}; a number of events is named: events=3"
        )
    return relation


def neighbouring_start(
    relation: Relation | None = None, *, initial: Space | None = None
) -> NeighbouringStart:
    """f_∼ for a (non)interactive mechanism: the sides of the first pair are neighbours (and in
    ``initial``), later pairs are identical."""
    return NeighbouringStart(_or_any_two(relation), initial)


def event_level(relation: Relation | None = None, *, events: int = 1) -> EventLevel:
    """Event level: at most ``events`` pairs differ, each with neighbouring sides."""
    return EventLevel(_or_any_two(relation), events)


def user_level(relation: Relation | None = None, *, events: int | None = None) -> UserLevel:
    """User-level continual observation: all differing pairs, at most ``events``, are one user's.

    Identical pairs may hold records of that user, too. So with pairs (record, ``EMPTY``) this is
    not "the user was never there", unless a sequence has no other record of the user.
    """
    return UserLevel(_or_any_two(relation), events)


def every_pair(relation: Relation | None = None, *, monotone: bool = False) -> EveryPair:
    """Any number of pairs may differ, each with neighbouring sides; messages are query values."""
    return EveryPair(_or_any_two(relation), monotone)


@written_as("updates_and_queries(event_level(), Finite((COUNT,)))")
def updates_and_queries(
    updates: Verification[State, Message], queries: Space
) -> UpdatesAndQueries[State, Message]:
    """A stream of updates and queries: ``updates`` checks the updates, and queries must be the
    same on both sides."""
    return UpdatesAndQueries(updates, queries)


@written_as("bounded(event_level(), 3)")
def bounded(verification: Verification[State, Message], pairs: int) -> Bounded[State, Message]:
    """A verification function that refuses what ``verification`` refuses, and every message after
    the first ``pairs``."""
    return Bounded(verification, pairs)
