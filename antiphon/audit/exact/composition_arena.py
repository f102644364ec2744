"""The arena of a composition: ExtConComp under an f of ``composition``.

Given the transcript the created mechanisms are independent, so there is one column for
each, and interchangeable ones are the same number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final, NamedTuple, Union

import attrs

from antiphon.audit.exact.arena import RAISED, Live, listed
from antiphon.audit.exact.beliefs import OVER, SPENT, Branch, Columns, Judge, Move, TrackedPart
from antiphon.audit.exact.kernel import Stepper
from antiphon.composition.creation import Create
from antiphon.composition.suitable import Checked, Purse, Suitable
from antiphon.numbers.errors import Intractable, PartError
from antiphon.numbers.vector import Vector
from antiphon.protocol.messages import HALT, TOP, Ask, Pair, identical, same
from antiphon.protocol.verification import Refused


class Position(NamedTuple):
    """What is public and undecided: the purse, the creations so far, the live columns (sorted)."""

    purse: Purse
    created: int
    columns: tuple[int, ...]


_NO_POSITION: Final = Position(Vector(), 0, ())
_OURS: Final = "antiphon.composition."


class Option(NamedTuple):
    """A message to a composition."""

    column: int
    """The column asked, or SPENT for a creation."""
    move: Move | Create
    branches: tuple[Branch, ...]
    """What each answer leads to: a position."""
    denominator: int


@attrs.define(eq=False)
class CompositionArena:
    """V[f] ∘* I(·) ∘* ExtConComp, f suitable, creations from a finite catalogue.

    The HALT of a child ends that child only, and the adversary may go on with the others;
    a message that a child refuses ends the interaction.
    """

    columns: Columns
    verification: Suitable
    catalogue: tuple[Create, ...]
    max_creations: int
    queries: tuple[object, ...] | None = None
    """The messages to try on each mechanism that takes them; None for all."""
    totals: tuple[list[int], list[int]] = attrs.field(factory=lambda: ([1], [1]))
    _positions: list[Position] = attrs.field(factory=lambda: [_NO_POSITION])
    _ids: dict[Position, int] = attrs.field(factory=dict[Position, int])
    _choices: dict[int, tuple[Option, ...]] = attrs.field(factory=lambda: {OVER: ()})
    _parts: list[int] = attrs.field(factory=list[int])
    _spent: dict[tuple[Purse, int], Purse | Refused] = attrs.field(
        factory=dict[tuple[Purse, int], Union[Purse, Refused]]
    )
    _useful: dict[tuple[int, bool], bool] = attrs.field(factory=dict[tuple[int, bool], bool])
    _may_grow: bool = attrs.field(init=False)
    """Whether a purse might pay later for what it cannot pay for now: not in our own f."""

    def __attrs_post_init__(self) -> None:
        for create in self.catalogue:
            stepper = Stepper(create.step, create.mechanism.is_over, halted=HALT)
            part = TrackedPart(
                (stepper, stepper),
                (create.mechanism.initial_state,) * 2,
                _judge_child(self.verification, create),
                Checked(create, create.claim and create.claim.verification.initial_state)[1:],
                listed(create.mechanism, self.queries),
            )
            self._parts.append(self.columns.add_part(part))
        self._may_grow = not only_spends(type(self.verification))

    def start(self) -> int:
        """The position before any message."""
        return self._number(Position(self.verification.purse, 0, ()))

    def choices(self, position: int) -> tuple[Option, ...]:
        """What may be said."""
        known = self._choices.get(position)
        if known is None:
            known = self._choices[position] = tuple(self._options(self._positions[position]))
        return known

    def _options(self, position: Position) -> Iterator[Option]:
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
                branches = [self._branch(after, created, others, each) for each in move.branches]
                yield Option(column, move, tuple(branches), move.denominator)

    def live(self, position: int) -> Live:
        """The columns that matter."""
        return tuple(enumerate(self._positions[position].columns))

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
            if create.claim is None or not self.verification.takes(create):
                continue
            after = self.verification.admit(purse, created, create)
            if type(after) is Refused:
                continue
            column = self.columns.first(part)
            useful = self._may_grow or created < self.verification.prescribed
            if not useful and not self._informative(column, after):
                continue
            branch = self._branch(after, created + 1, columns, (1, 1, column))
            yield Option(SPENT, create, (branch,), 1)

    def _branch(
        self, purse: Purse, created: int, others: tuple[int, ...], outcome: Branch
    ) -> Branch:
        """Put the new column in its place; drop columns that can tell nothing any more."""
        factor0, factor1, own = outcome
        live = others if own in (OVER, SPENT) else (*others, own)
        totals0, totals1 = self.columns.totals
        kept: list[int] = []
        for column in live:
            if own != OVER and self._informative(column, purse):
                kept.append(column)
            else:
                factor0, factor1 = factor0 * totals0[column], factor1 * totals1[column]
        if own == OVER:
            return factor0, factor1, OVER
        kept.sort()
        return factor0, factor1, self._number(Position(purse, created, tuple(kept)))

    def _number(self, position: Position) -> int:
        count = len(self._positions)
        number = self._ids.setdefault(position, count)
        if number == count:
            if count >= self.columns.limit:
                raise Intractable("the exact solver's positions", count + 1, self.columns.limit)
            self._positions.append(position)
            for totals, own in zip(self.totals, self.columns.totals, strict=True):
                totals.append(math.prod([own[column] for column in position.columns]))
        return number

    def _informative(self, column: int, purse: Purse) -> bool:
        """Whether some valid message to this part could still tell the worlds apart.

        Not if its state has one law in both worlds and no differing pair can be
        paid for (then every answer has one law too), or if it takes no message.
        """
        differed = self.columns.judged(column)[1]
        may_differ = differed or self._may_grow or type(self._spend(purse, column)) is not Refused
        key = column, may_differ
        known = self._useful.get(key)
        if known is None:
            known = bool(self.columns.moves(column)) and (
                may_differ or not self.columns.known_equal(column)
            )
            self._useful[key] = known
        return known

    def message(self, choice: Option, live: Live) -> object:
        """The message of a choice, to the first mechanism that has its column."""
        if isinstance(choice.move, Create):
            return same(choice.move)
        index, (zero, one) = self._index(choice, live), choice.move[:2]
        if identical(zero, one):
            return same(Ask(zero, index))
        return Pair(Ask(zero, index), Ask(one, index))

    def _index(self, choice: Option, live: Live) -> int:
        return next(index for index, column in live if column == choice.column)

    def answer(self, choice: Option, place: int) -> object:
        """What the adversary hears on a branch."""
        move = choice.move
        return TOP if isinstance(move, Create) else self.columns.answer(move.answers[place])

    def follow(self, live: Live, choice: Option, place: int) -> Live:
        """The live columns by the index of their mechanism, after a branch of a choice."""
        _, created, columns = self._positions[choice.branches[place][2]]
        after = dict(live)
        if isinstance(choice.move, Create):
            own = next(i for i, each in enumerate(self.catalogue) if each is choice.move)
            after[created - 1] = self.columns.first(self._parts[own])
        else:
            after[self._index(choice, live)] = choice.move.branches[place][2]
        return tuple((index, column) for index, column in after.items() if column in columns)


def only_spends(kind: type[Suitable]) -> bool:
    """Whether all that judges and pays is our own: then a purse never grows."""
    methods = [getattr(kind, name, None) for name in ("judge", "admit", "differ", "spend")]
    return all(method.__module__.startswith(_OURS) for method in methods if method)


def _judge_child(verification: Suitable, create: Create) -> Judge:
    def judge(
        state: tuple[object, bool, bool], zero: object, one: object
    ) -> tuple[object, bool] | Refused:
        try:
            child = verification.judge(Checked(create, *state), zero, one)
        except PartError:
            raise
        except Exception:
            return RAISED
        if type(child) is Refused:
            return child
        return child[1:], child.differed and not state[1]

    return judge
