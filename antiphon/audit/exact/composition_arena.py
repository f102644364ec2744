"""The arena of a composition: ExtConComp under an f of ``composition``.

Given the transcript the created mechanisms are independent, so there is one column for
each, and interchangeable ones are the same number. What a filter of this library has charged
follows from the creations, which are the same in both worlds: it is public, as the purse is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, Union

import attrs

from antiphon.audit.exact.arena import RAISED, Live, messages_to_try
from antiphon.audit.exact.beliefs import OVER, SPENT, Branch, Columns, Judge, Move, TrackedPart
from antiphon.audit.exact.kernel import Stepper
from antiphon.composition import Budget, Create, Filter, Refusal
from antiphon.composition.suitable import Checked, Purse, Suitable
from antiphon.numbers.errors import Intractable, InvalidArgument, PartError
from antiphon.numbers.interning import Interner
from antiphon.numbers.persistent_vector import Vector
from antiphon.protocol import HALT, TOP, Ask, Pair, Refused, identical, same
from antiphon.protocol.provenance import is_library_code


class Position(NamedTuple):
    """The public part of a game: the purse, the number of creations, the live columns (sorted), and
    the number of what a filter has charged."""

    purse: Purse
    created: int
    columns: tuple[int, ...]
    charged: int = 0


_NO_POSITION: Final = Position(Vector(), 0, ())
_OURS: Final = "antiphon.composition."
_BUDGETS: Final = f"{_OURS}filters."
_DEEPEST, _LOOKED_AT = 200, 100_000
"""How far, and among how many columns, the end of a child is looked for."""


class Option(NamedTuple):
    """A message to a composition."""

    column: int
    """The column asked, or SPENT for a creation."""
    move: Move | Create
    branches: tuple[Branch, ...]
    """The position that each answer leads to."""
    denominator: int
    told: object = TOP
    """The answer to a creation: ⊤, or a filter's refusal."""


@attrs.define(eq=False)
class CompositionArena:
    """V[f] ∘* I(·) ∘* ExtConComp, f suitable, creations from a finite catalogue.

    The HALT of a child ends that child only, and the adversary may go on with the others;
    a message that a child refuses ends the interaction. A creation that the ``budget`` refuses
    counts as one, and what it was to create answers HALT alike in both worlds.
    """

    columns: Columns
    verification: Suitable
    catalogue: tuple[Create, ...]
    max_creations: int
    queries: tuple[object, ...] | None = None
    """The messages to try on each mechanism that takes them; None for all."""
    budget: Budget[Any] | None = None
    """One whose ``charge`` depends on what it has charged and on the measure alone."""
    totals: tuple[list[int], list[int]] = attrs.field(factory=lambda: ([1], [1]))
    _positions: list[Position] = attrs.field(factory=lambda: [_NO_POSITION])
    _ids: dict[Position, int] = attrs.field(factory=dict[Position, int])
    _choices: dict[int, tuple[Option, ...]] = attrs.field(factory=lambda: {OVER: ()})
    _at_once: dict[int, tuple[Option | None, float]] = attrs.field(
        factory=lambda: {OVER: (None, 0.0)}
    )
    _lengths: dict[int, float] = attrs.field(factory=dict[int, float])
    _parts: list[int] = attrs.field(factory=list[int])
    _spent: dict[tuple[Purse, int], Purse | Refused] = attrs.field(
        factory=dict[tuple[Purse, int], Union[Purse, Refused]]
    )
    _ledger: Interner = attrs.field(factory=Interner)
    """States of the budget, numbered."""
    _charges: dict[tuple[int, int], int | Refusal | None] = attrs.field(
        factory=dict[tuple[int, int], Union[int, Refusal, None]]
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
                messages_to_try(create.mechanism, self.queries),
            )
            self._parts.append(self.columns.add_part(part))
        self._may_grow = not only_spends(type(self.verification))

    def start(self) -> int:
        """The position before any message."""
        nothing = self._ledger(None if self.budget is None else self.budget.initial_state)
        return self._number(Position(self.verification.purse, 0, (), nothing))

    def choices(self, position: int) -> tuple[Option, ...]:
        """The moves of the adversary."""
        known = self._choices.get(position)
        if known is None:
            known = self._choices[position] = tuple(self._options(self._positions[position]))
        return known

    def worth_saying(self, position: int, rounds: int) -> tuple[Option, ...]:
        """Some of what may be said, among which is the best: one message alone, where it is best
        asked at once."""
        if position not in self._at_once:
            self._at_once[position] = self._asked_at_once(self._positions[position])
        option, least = self._at_once[position]
        return (option,) if option and rounds >= least else self.choices(position)

    def _options(self, position: Position) -> Iterator[Option]:
        yield from self._creations(position)
        if position.created < self.verification.prescribed:
            return
        columns = position.columns
        for place, column in enumerate(columns):
            if place and columns[place - 1] == column:
                continue  # interchangeable with the one before
            for move in self.columns.moves(column):
                after = self._spend(position.purse, column) if move.differs else position.purse
                if type(after) is not Refused:
                    yield self._ask(position._replace(purse=after), column, move)

    def _ask(self, position: Position, column: int, move: Move) -> Option:
        """A move of a column, in a position whose purse has paid for it."""
        place = position.columns.index(column)
        others = (*position.columns[:place], *position.columns[place + 1 :])
        left = position._replace(columns=others)
        branches = [self._branch(left, each) for each in move.branches]
        return Option(column, move, tuple(branches), move.denominator)

    # --- a child's only message is asked at once --------------------------------------------------
    #
    # Let there be exactly one message that a child may be asked next; let it cost no purse and end
    # nothing; and let the rounds suffice for it and for all that anybody may be asked after it,
    # future creations included; f only spends. Then to ask it now is optimal, for δ, for Rényi
    # divergences and for the range. *Proof.* Whatever strategy σ, let σ' ask it first, keep the
    # answer, and play σ, who is given it when σ asks. σ' is valid, since f reads children
    # separately and the purse is as under σ; it needs one round more only if σ never asks, and
    # there are enough. What σ sees is a function of what σ' sees. ∎
    #
    # Identical pairs count as much as differing ones: one of them may lead on. Only those are left
    # out that tell nothing and after which nothing can be asked: public coins, tossed elsewhere.

    def _asked_at_once(self, position: Position) -> tuple[Option | None, float]:
        """A message that is best asked now, and from how many rounds on; None where none is."""
        if self._may_grow or position.created < self.verification.prescribed:
            return None, 0
        for column in position.columns:
            moves = self._telling(column)
            if len(moves) == 1 and all(to != OVER for _, _, to in moves[0].branches):
                paid = self._spend(position.purse, column) if moves[0].differs else position.purse
                if paid == position.purse:
                    return self._ask(position, column, moves[0]), self._most_messages(position)
        return None, 0

    def _is_done(self, column: int) -> bool:
        """Whether nothing may be asked of it any more."""
        return not self.columns.moves(column)

    def _telling(self, column: int) -> list[Move]:
        """The moves of a column without those that only toss public coins."""
        return [
            move
            for move in self.columns.moves(column)
            if not all(one == two and self._is_done(to) for one, two, to in move.branches)
        ]

    def _most_messages(self, position: Position) -> float:
        """The most messages that are of any use from here on."""
        own = sum(map(self._length, position.columns))
        if next(self._creations(position), None) is None:
            return own  # nor is any later: what pays for one only shrinks
        longest = max(self._length(self.columns.first(part)) for part in self._parts)
        return own + (self.max_creations - position.created) * (1 + longest)

    def _length(self, column: int, deep: int = 0) -> float:
        """The longest way to its end; infinite if there is none, or if it is long to find."""
        known = self._lengths.get(column)
        if known is None:
            self._lengths[column] = known = math.inf  # of what comes back to itself
            if deep < _DEEPEST and len(self._lengths) < _LOOKED_AT:
                ways = {to for move in self._telling(column) for _, _, to in move.branches}
                known = max((1 + self._length(to, deep + 1) for to in ways), default=0)
                self._lengths[column] = known
        return known

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
        purse, created, columns, charged = position
        if created >= self.max_creations:
            return
        for part, create in zip(self._parts, self.catalogue, strict=True):
            if create.claim is None or not self.verification.takes(create):
                continue
            after = self.verification.admit(purse, created, create)
            told: object
            spent = self._charge(charged, part, create)
            if type(after) is Refused or spent is None:
                continue
            useful = self._may_grow or created < self.verification.prescribed
            if isinstance(spent, Refusal):
                told, column, spent = spent, SPENT, charged
            else:
                told, column = TOP, self.columns.first(part)
                useful = useful or self._informative(column, after)
            if useful:
                branch = self._branch(Position(after, created + 1, columns, spent), (1, 1, column))
                yield Option(SPENT, create, (branch,), 1, told)

    def _charge(self, charged: int, part: int, create: Create) -> int | Refusal | None:
        """The number of the charged amounts after a creation, or its refusal; None if it cannot be
        charged."""
        if self.budget is None or create.claim is None:
            return charged
        key = charged, part
        if key not in self._charges:
            try:
                after = self.budget.charge(self._ledger.values[charged], create.claim.measure)
            except InvalidArgument:
                self._charges[key] = None
            else:
                counts = isinstance(self.budget, Filter)  # an odometer never refuses
                made = self._ledger(after) if counts else charged
                self._charges[key] = after if type(after) is Refusal else made
        return self._charges[key]

    def _branch(self, left: Position, outcome: Branch) -> Branch:
        """Put the new column in its place; drop columns that can tell nothing any more."""
        purse, created, others, charged = left
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
        if created >= self.max_creations:
            charged = 0  # nothing is charged any more
        return factor0, factor1, self._number(Position(purse, created, tuple(kept), charged))

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
        """The answer that the adversary hears on a branch."""
        move = choice.move
        return choice.told if isinstance(move, Create) else self.columns.answer(move.answers[place])

    def follow(self, live: Live, choice: Option, place: int) -> Live:
        """The live columns by the index of their mechanism, after a branch of a choice."""
        _, created, columns, _ = self._positions[choice.branches[place][2]]
        after = dict(live)
        if choice.told is not TOP:
            return live
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


def charges_in_public(budget: Budget[Any] | None) -> bool:
    """Whether what a budget has charged follows from the creations: in those of this library.

    A creation that such a budget refuses, or charges, is the same in both worlds (CM Def. 4.4).
    """
    kind = type(budget)
    return budget is None or (kind.__module__.startswith(_BUDGETS) and is_library_code(kind))
