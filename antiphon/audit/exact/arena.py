"""Where the game is played: which columns there are, and what an adversary may say.

``SingleArena`` follows one mechanism under any f. ``CompositionArena`` follows
ExtConComp under an f of ``composition``: given the transcript the created
mechanisms are independent, so there is one column for each, and interchangeable
ones are the same number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

import attrs

from antiphon.audit.exact.columns import SPENT, Columns, Judge, Outcome, Part
from antiphon.audit.exact.kernel import Step
from antiphon.composition.creation import Create
from antiphon.composition.functions import Checked, Purse, Suitable
from antiphon.protocol.errors import Intractable, InvalidArgument
from antiphon.protocol.mechanism import Mechanism
from antiphon.protocol.messages import TOP, Ask, Pair, identical, same
from antiphon.verifiers.verification import Refused, Verification


class Position(NamedTuple):
    """What is public and undecided: the purse, the creations so far, the live columns (sorted).

    Where there is one part, its column is all there is to a position; SPENT, if it is over.
    """

    purse: Any
    created: int
    columns: tuple[int, ...]


class Branch(NamedTuple):
    """One answer: factors for both weights, and where the game goes on."""

    answer: Any
    factor0: int
    factor1: int
    position: Position


Place: TypeAlias = Position | int
"""Where a game stands."""


class Option(NamedTuple):
    """A message the adversary may send: to which column, what, and what may follow."""

    column: int
    """The column asked, or SPENT for a creation."""
    move: Any
    """The Move, or the Create."""
    branches: tuple[Any, ...]
    """A Branch for each answer; where there is one part, an Outcome."""
    denominator: int
    """What the factors of the branches are over."""


Live: TypeAlias = tuple[tuple[int, int], ...]
"""(index of a mechanism, its column), for the columns that matter."""


class Arena(Protocol):
    """The rules of one game."""

    columns: Columns

    def start(self) -> Any: ...
    def options(self, position: Any) -> Iterator[Option]: ...
    def live(self, position: Any) -> tuple[int, ...]: ...
    def message(self, option: Option, index: int) -> Any: ...
    def follow(self, live: Live, option: Option, place: int) -> Live: ...


class OneColumn:
    """What the arenas of a single part share: the one column that is there, or none."""

    columns: Columns
    _part: int

    def start(self) -> int:
        """The position before any message."""
        return self.columns.first(self._part)

    def options(self, position: int) -> Iterator[Option]:
        """What may be said."""
        if position != SPENT:
            for move in self.columns.moves(position):
                yield Option(position, move, move.outcomes, move.denominator)

    def live(self, position: int) -> tuple[int, ...]:
        """The columns that matter."""
        return () if position == SPENT else (position,)

    def follow(self, live: Live, option: Option, place: int) -> Live:
        """The live columns by index, after a branch: there is one, of index 0."""
        return tuple((0, column) for column in self.live(option.move.outcomes[place].column))


@attrs.define(eq=False)
class SingleArena(OneColumn):
    """V[f] ∘* I(·) ∘* M for one mechanism M whose messages can be listed."""

    columns: Columns
    mechanism: Mechanism[Any, Any, Any]
    initial_state: Any
    verification: Verification[Any]
    queries: Callable[[Any], Sequence[Any]]
    _part: int = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        first, step, start = (
            self.verification.initial_state,
            self.mechanism.step,
            self.initial_state,
        )
        over, judge = self.mechanism.is_over, _judge(self.verification)
        part = Part((step, step), (start, start), (over, over), judge, first, self.queries)
        self._part = self.columns.add_part(part)

    def message(self, option: Option, index: int) -> Any:
        """The message of an option."""
        return _pair(option.move.zero, option.move.one)


@attrs.define(eq=False)
class ComparisonArena(OneColumn):
    """Two mechanisms against each other: "b = 0" is the first, "b = 1" the second.

    Messages are single. The tight δ at ε = 0 is the largest total variation
    distance of the two view laws, so it is 0 iff the mechanisms are equivalent.
    """

    columns: Columns
    mechanisms: tuple[Mechanism[Any, Any, Any], Mechanism[Any, Any, Any]]
    initial_states: tuple[Any, Any]
    queries: tuple[Any, ...]
    _part: int = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        first, second = self.mechanisms
        queries = self.queries
        part = Part(
            (guarded(first), guarded(second)),
            self.initial_states,
            (first.is_over, second.is_over),
            _alike,
            None,
            lambda _: queries,
            tells_refusals=True,
        )
        self._part = self.columns.add_part(part)

    def message(self, option: Option, index: int) -> Any:
        """The message of an option."""
        return option.move.zero


def guarded(mechanism: Mechanism[Any, Any, Any]) -> Step:
    """The step behind the query space, where a session stands."""
    accepts, step = mechanism.signature.queries.contains, mechanism.step

    def guarded(state: Any, message: Any, coins: Any) -> tuple[Any, Any]:
        if accepts(message):
            return step(state, message, coins)
        raise InvalidArgument("the message is outside the query space")

    return guarded


# Judges hold f and no arena, so that a question that is dropped is gone at once: a part of
# a cycle would wait for the cycle collector, with all of its beliefs.


def _judge(verification: Verification[Any]) -> Judge:
    def judge(state: Any, zero: Any, one: Any) -> Any:
        try:
            after = verification.step(state, zero, one)
        except Exception:
            return RAISED
        return after if type(after) is Refused else (after, False)

    return judge


def _judge_child(verification: Suitable, create: Create) -> Judge:
    def judge(state: Any, zero: Any, one: Any) -> Any:
        try:
            child = verification.judge(Checked(create, *state), zero, one)
        except Exception:
            return RAISED
        if type(child) is Refused:
            return child
        return (child.state, child.differed), child.differed and not state[1]

    return judge


def _alike(state: Any, zero: Any, one: Any) -> Any:
    return (None, False) if zero is one else _UNEQUAL


RAISED = Refused("checking the message raised")
"""As a verifier does: f that raises has not allowed the pair."""
_UNEQUAL = Refused("the same message goes to both")


@attrs.define(eq=False)
class CompositionArena:
    """V[f] ∘* I(·) ∘* ExtConComp, f suitable, creations from a finite catalogue.

    The HALT of a child ends that child only; the adversary may go on with the others.
    """

    columns: Columns
    verification: Suitable
    catalogue: tuple[Create, ...]
    max_creations: int
    queries: tuple[Any, ...] | None = None
    """The messages to try on each mechanism that takes them; None for all."""
    _parts: list[int] = attrs.field(factory=list[int])
    _spent: dict[tuple[Any, int], Any] = attrs.field(factory=dict[tuple[Any, int], Any])
    _useful: dict[tuple[int, bool], bool] = attrs.field(factory=dict[tuple[int, bool], bool])

    def __attrs_post_init__(self) -> None:
        for create in self.catalogue:
            part = Part(
                (create.step, create.step),
                (create.mechanism.initial_state,) * 2,
                (create.mechanism.is_over, create.mechanism.is_over),
                _judge_child(self.verification, create),
                (create.claim and create.claim.verification.initial_state, False),
                listed(create.mechanism, self.queries),
            )
            self._parts.append(self.columns.add_part(part))

    def start(self) -> Position:
        return Position(self.verification.purse, 0, ())

    def options(self, position: Position) -> Iterator[Option]:
        yield from self._creations(position)
        purse, created, columns = position
        if created < self.verification.prescribed:
            return
        for place, column in enumerate(columns):
            if place and columns[place - 1] == column:
                continue  # interchangeable with the one before
            others = (*columns[:place], *columns[place + 1 :])
            for move in self.columns.moves(column):
                after = self._spend(purse, column) if move.differs else purse
                if type(after) is Refused:
                    continue
                branches = (
                    self._branch(after, created, others, outcome) for outcome in move.outcomes
                )
                yield Option(column, move, tuple(branches), move.denominator)

    def live(self, position: Position) -> tuple[int, ...]:
        """The columns that matter."""
        return position.columns

    def _spend(self, purse: Purse, column: int) -> Purse | Refused:
        key = purse, self.columns.columns[column].part
        known = self._spent.get(key)
        if known is None:
            create = self.catalogue[self._parts.index(key[1])]
            known = self._spent[key] = self.verification.differ(purse, create)
        return known

    def _creations(self, position: Position) -> Iterator[Option]:
        purse, created, columns = position
        if created >= self.max_creations:
            return
        for part, create in zip(self._parts, self.catalogue, strict=True):
            if not create.asserts:
                continue
            after = self.verification.admit(purse, created, create)
            if type(after) is Refused:
                continue
            column = self.columns.first(part)
            if created >= self.verification.prescribed and not self._informative(column, after):
                continue
            branch = self._branch(after, created + 1, columns, Outcome(TOP, 1, 1, column))
            yield Option(SPENT, create, (branch,), 1)

    def _branch(
        self, purse: Any, created: int, others: tuple[int, ...], outcome: Outcome
    ) -> Branch:
        """Put the new column in its place; drop columns that can tell nothing any more."""
        live = others if outcome.column == SPENT else (*others, outcome.column)
        factor0, factor1 = outcome.factor0, outcome.factor1
        kept: list[int] = []
        for column in live:
            if self._informative(column, purse):
                kept.append(column)
            else:
                total0, total1 = self.columns.totals[column]
                factor0, factor1 = factor0 * total0, factor1 * total1
        return Branch(
            outcome.answer, factor0, factor1, Position(purse, created, tuple(sorted(kept)))
        )

    def _informative(self, column: int, purse: Any) -> bool:
        """Whether some valid message to this part could still tell the worlds apart.

        Not if its state has one law in both worlds and no differing pair can be
        paid for (then every answer has one law too: a purse never grows), or if it
        takes no message.
        """
        _, differed = self.columns.judged(column)
        may_differ = differed or type(self._spend(purse, column)) is not Refused
        key = column, may_differ
        known = self._useful.get(key)
        if known is None:
            known = bool(self.columns.moves(column)) and (
                may_differ or not self.columns.known_equal(column)
            )
            self._useful[key] = known
        return known

    def message(self, option: Option, index: int) -> Any:
        """The message of an option, to the mechanism of that index."""
        if option.column == SPENT:
            return same(option.move)
        if identical(option.move.zero, option.move.one):
            return same(Ask(option.move.zero, index))
        return Pair(Ask(option.move.zero, index), Ask(option.move.one, index))

    def follow(self, live: Live, option: Option, place: int) -> Live:
        """The live columns by the index of their mechanism, after a branch of an option."""
        _, created, columns = option.branches[place].position
        after = dict(live)
        if option.column == SPENT:
            after[created - 1] = self.columns.first(self._part_of(option.move))
        else:
            index = next(i for i, column in live if column == option.column)
            after[index] = option.move.outcomes[place].column
        return tuple((i, c) for i, c in after.items() if c != SPENT and c in columns)

    def _part_of(self, create: Create) -> int:
        return next(
            part for part, own in zip(self._parts, self.catalogue, strict=True) if own is create
        )


def listed(
    mechanism: Mechanism[Any, Any, Any], given: tuple[Any, ...] | None = None
) -> Callable[[Any], Sequence[Any]]:
    """The same messages in every state: those given that lie in Q, or all of a finite Q."""
    space = mechanism.signature.queries
    if given is None and not space.finite:
        raise Intractable(
            f"listing the messages of {type(mechanism).__name__}, whose alphabet is infinite "
            "(pass queries=[…], the finite list of messages to try)",
            "infinite",
            "finite",
        )
    messages = tuple(space.enumerate() if given is None else filter(space.contains, given))
    return lambda state: messages


def _pair(zero: Any, one: Any) -> Pair[Any]:
    return same(zero) if identical(zero, one) else Pair(zero, one)
