"""The arena (positions, messages) of a composition's game: ExtConComp under an f made for it.

Given the transcript the created mechanisms are independent: there is one belief (column) for each,
and interchangeable mechanisms have the same one. Filters of this library charge by the creations,
which are the same in both worlds: charges are public, as is the purse (unused parameters).

There are two games with the same value: ``choices`` lists all messages, from which a strategy is
read off; ``worth_saying`` lists fewer, among which is an optimal one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, TypeAlias, Union

import attrs

from antiphon.audit.exact.arena import KEPT, Live, messages_to_try, refused_if_raised
from antiphon.audit.exact.beliefs import OVER, SPENT, Branch, Columns, Judge, Move, TrackedPart
from antiphon.audit.exact.futures import Futures, Settled, settled
from antiphon.audit.exact.kernel import Stepper, Tables
from antiphon.audit.exact.purses import REFUSED, Purses, adds_nothing_up, only_spends
from antiphon.composition import Budget, Create, Refusal
from antiphon.composition.suitable import Checked, Suitable
from antiphon.numbers.errors import Intractable
from antiphon.protocol import HALT, TOP, Ask, Pair, Refused, identical, same


class Position(NamedTuple):
    """A position in a composition's game: all that the adversary knows and that still matters."""

    purse: int
    """The number of the purse: the fixed privacy parameters that are still unused."""
    created: int
    """The number of mechanisms created so far."""
    columns: tuple[int, ...]
    """The beliefs about the mechanisms that may still tell the worlds apart, sorted."""
    charged: int = 0
    """The number of the filter's state, which holds the charges so far."""
    due: int = OVER
    """The belief about a mechanism just created, to be queried next; 0 if there is none."""


_NO_POSITION: Final = Position(0, 0, ())
_VIEWS: Final = 1 << 15
"""The largest number of views for which a position's value is one sum over all, no recursion."""
_FEW: Final = 3
"""The least number of mechanisms, each with one message left, for which a position's value is
summed in closed form."""


class Option(NamedTuple):
    """A message to a composition, with the positions to which its answers lead."""

    column: int
    """The belief about the mechanism that is queried; a stand-in for a creation."""
    move: Move | Create
    branches: tuple[Branch, ...]
    """For each answer: the factors for both worlds' weights, and the next position."""
    denominator: int
    told: object = TOP
    """The answer to a creation: ⊤, or a filter's refusal."""


Options: TypeAlias = tuple[Option, ...]


@attrs.define(eq=False)
class CompositionArena:
    """The arena of V[f] ∘* I(·) ∘* ExtConComp, for a suitable f and a finite catalogue.

    The HALT of a child ends that child only, and the adversary may go on with the others; a message
    that a child refuses ends the interaction. A creation that the ``budget`` refuses counts as a
    creation, and its mechanism answers HALT in both worlds.
    """

    columns: Columns
    verification: Suitable
    catalogue: tuple[Create, ...]
    max_creations: int
    queries: tuple[object, ...] | None = None
    """The messages to try on every mechanism; None for the whole query spaces."""
    budget: Budget[Any] | None = None
    """A budget whose charges are public; None if there is none."""
    kept: int = 4 * KEPT
    totals: tuple[list[int], list[int]] = attrs.field(factory=lambda: ([1], [1]))
    _positions: list[Position] = attrs.field(factory=lambda: [_NO_POSITION])
    _ids: dict[Position, int] = attrs.field(factory=dict[Position, int])
    _useful: dict[int, tuple[Options, Options, float]] = attrs.field(
        factory=dict[int, tuple[Options, Options, float]]
    )
    """For each position: (its useful messages, one of them that is optimal if enough rounds are
    left, the least number of rounds for that)."""
    _settled: dict[int, Settled | None] = attrs.field(factory=dict[int, Union[Settled, None]])
    _parts: list[int] = attrs.field(factory=list[int])
    _purses: Purses = attrs.field(init=False)
    _informed: dict[tuple[int, int], bool] = attrs.field(factory=dict[tuple[int, int], bool])
    _futures: tuple[Futures, Futures] | None = None
    """The ``Futures`` of beliefs (what messages may follow), twice: in the first a message that
    reveals only public coins counts as useless, in the second as useful."""
    _may_grow: bool = attrs.field(init=False)
    """Whether f's purse (its unused parameters) may grow; under this library's f it never does."""

    def __attrs_post_init__(self) -> None:
        self._purses = Purses(self.verification, self.budget)
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
            self._purses.add(self._parts[-1], create)
        self._may_grow = not only_spends(type(self.verification))

    def tables(self) -> Tables:
        plain = [] if self._futures is None else self._futures[0].rows()
        return {
            **self.columns.tables(),
            **self._purses.tables(),
            "positions": [[*at[:2], *at[3:], *at.columns] for at in self._ids],
            "futures": plain,
        }

    def refill(self, tables: Tables) -> None:
        self.columns.refill(tables)
        self._purses.refill(tables)
        for purse, created, charged, due, *columns in tables["positions"]:
            self._number(Position(purse, created, tuple(columns), charged, due))
        if tables["futures"]:
            plain = Futures.of_rows(self.columns, tables["futures"])
            self._futures = plain, Futures(self.columns, plain.horizon, True)

    def start(self) -> int:
        purse, charged = self._purses.first()
        return self._number(Position(purse, 0, (), charged))

    def choices(self, position: int) -> Options:
        at = self._positions[position]
        return *self._creations(at), *self._asks(at, self.columns)

    def worth_saying(self, position: int, rounds: int, coins: bool = False) -> Options:
        key = ~position if coins else position
        known = self._useful.get(key)
        if known is None:
            if len(self._useful) >= self.kept:
                # The whole cache is emptied: positions with many rounds left recur soon, those with
                # few hardly ever.
                self._useful.clear()
            if self._futures is None or rounds > self._futures[coins].horizon:
                self._futures = Futures(self.columns, rounds), Futures(self.columns, rounds, True)
            futures = self._futures[coins]
            known = self._useful[key] = self._worth_saying(self._positions[position], futures)
        every, alone, least = known
        return alone if alone and rounds >= least else every

    def _worth_saying(self, position: Position, futures: Futures) -> tuple[Options, Options, float]:
        if position.due:
            asked = position._replace(due=OVER)
            return (*self._asked(asked, position.due, futures),), (), 0
        position = position._replace(columns=tuple(sorted(map(futures.alike, position.columns))))
        alone = self._asked_at_once(position, futures)
        created = self._creations(position, asked_next=self._adds_nothing_up(position))
        return (*self._asks(position, futures), *created), *alone

    # --- a new mechanism is asked next --------------------------------------------------------
    #
    # It is optimal to query each mechanism right after its creation. *Proof.* For any strategy σ of
    # the adversary, let σ' create each mechanism just before σ queries it first, and none that σ
    # never queries. No answer changes, for the answer to a creation is ⊤ for certain; the purse is
    # at each message as under σ, or larger; and what may be created in one order may be created in
    # any, where no filter adds up the charges and f prescribes no creation. σ' needs no more rounds
    # than σ. ∎

    def _adds_nothing_up(self, position: Position) -> bool:
        own = position.created >= self.verification.prescribed and not self._may_grow
        return own and adds_nothing_up(self.budget)

    def _asks(self, position: Position, told: Columns | Futures) -> Iterator[Option]:
        if position.created >= self.verification.prescribed:
            # Of mechanisms with equal beliefs only one has to be tried.
            for column in dict.fromkeys(position.columns):
                yield from self._asked(position, column, told)

    def _asked(self, position: Position, column: int, told: Columns | Futures) -> Iterator[Option]:
        for move in told.moves(column):
            after = self._spend(position.purse, column) if move.differs else position.purse
            if after != REFUSED:
                yield self._ask(position, column, move, after)

    def _ask(self, position: Position, column: int, move: Move, purse: int) -> Option:
        """The option of sending the pair ``move`` to the mechanism of the belief ``column``;
        ``purse`` is the number of the purse afterwards."""
        place = position.columns.index(column)
        others = (*position.columns[:place], *position.columns[place + 1 :])
        left, lost0, lost1 = self._left(position._replace(columns=others), purse)
        branches = [
            self._branch(left, factor0 * lost0, factor1 * lost1, to)
            for factor0, factor1, to in move.branches
        ]
        return Option(column, move, tuple(branches), move.denominator)

    def _left(self, position: Position, purse: int) -> tuple[Position, int, int]:
        """The position with the purse ``purse``, without the beliefs that can then no longer tell
        the worlds apart; and the product of these beliefs' masses in each world."""
        if purse == position.purse:
            return position, 1, 1
        kept = tuple([each for each in position.columns if self._informative(each, purse)])
        lost = [each for each in position.columns if not self._informative(each, purse)]
        zero, one = ([totals[each] for each in lost] for totals in self.columns.totals)
        left = position._replace(purse=purse, columns=kept)
        return left, math.prod(zero), math.prod(one)

    def _branch(
        self, left: Position, factor0: int, factor1: int, own: int, due: bool = False
    ) -> Branch:
        """The branch to the position ``left`` with a new belief ``own`` added, unless this belief
        can no longer tell the worlds apart."""
        purse, created, kept, charged, _ = left
        zero, one = self.columns.totals
        if own == OVER:
            for each in kept:
                factor0, factor1 = factor0 * zero[each], factor1 * one[each]
            return factor0, factor1, OVER
        if self._informative(own, purse):
            kept = tuple(sorted((*kept, own)))
        else:
            factor0, factor1 = factor0 * zero[own], factor1 * one[own]
        if created >= self.max_creations:
            charged = 0  # No creation is left, so the charges no longer matter.
        to = Position(purse, created, kept, charged, own if due else OVER)
        return factor0, factor1, self._number(to)

    # --- the only message of a mechanism is sent at once ------------------------------------------
    #
    # Let there be exactly one message that a created mechanism may be sent next; let it cost no
    # purse and end nothing; let the rounds suffice for it and for all that any mechanism may be
    # asked after it, future creations included; and let f's purse never grow. Then to send it now
    # is optimal, for δ, for Rényi divergences and for the range. *Proof.* For any strategy σ, let
    # σ' send it first, keep the answer, and play σ, which gets the answer when it asks for it. σ'
    # is valid, since f reads mechanisms separately and the purse is as under σ; it needs one round
    # more only if σ never asks, and there are enough. The view of σ is a function of that of σ'. ∎
    #
    # An identical pair, too, may be that message, as it may lead to others. Pairs are left out only
    # if neither their answers nor any later ones tell the worlds apart.

    def _asked_at_once(self, position: Position, futures: Futures) -> tuple[Options, float]:
        """(an optimal message, the least rounds for which it is one); ((), 0) if none is known."""
        if self._may_grow or position.created < self.verification.prescribed:
            return (), 0
        for column in position.columns:
            found = futures.moves(column)
            if len(found) == 1 and all(to != OVER for _, _, to in found[0].branches):
                purse = position.purse
                paid = self._spend(purse, column) if found[0].differs else purse
                if paid == purse:
                    option = self._ask(position, column, found[0], purse)
                    return (option,), self._most_messages(position, futures)
        return (), 0

    def settled(self, position: int, rounds: int) -> Settled | None:
        if self._may_grow or self._futures is None:
            return None
        at = self._positions[position]
        if position not in self._settled:
            self._settled[position] = self._all_heard(at, self._futures[0])
        return self._settled[position] if rounds >= len(at.columns) else None

    def _all_heard(self, position: Position, futures: Futures) -> Settled | None:
        columns, views, purse = position.columns, 1, position.purse
        found = [futures.moves(column) for column in columns]
        for column, moves in zip(columns, found, strict=True):
            views *= max((len(move.branches) for move in moves), default=0)
            pays = len(moves) == 1 and moves[0].differs and self._spend(purse, column) != purse
            if len(moves) != 1 or pays or any(to != SPENT for _, _, to in moves[0].branches):
                return None
        more = next(self._creations(position), None)
        if len(columns) < _FEW or views > _VIEWS or more is not None:
            return None
        return settled([move for (move,) in found])

    def _most_messages(self, position: Position, futures: Futures) -> float:
        """The largest number of useful messages from a position on."""
        own = sum(map(futures.length, position.columns))
        if next(self._creations(position), None) is None:
            # If no creation is possible here, none is possible later: the purse only shrinks.
            return own
        longest = max(futures.length(self.columns.first(part)) for part in self._parts)
        return own + (self.max_creations - position.created) * (1 + longest)

    def live(self, position: int) -> Live:
        return tuple(enumerate(self._positions[position].columns))

    def _spend(self, purse: int, column: int) -> int:
        """The number of the purse once the mechanism of belief no. ``column`` sees a difference."""
        return self._purses.spend(purse, self.columns.columns[column].part)

    def _creations(self, position: Position, asked_next: bool = False) -> Iterator[Option]:
        purse, created, _, charged, _ = position
        if created >= self.max_creations:
            return
        for part, create in zip(self._parts, self.catalogue, strict=True):
            after = self._purses.admit(purse, created, part)
            if after == REFUSED:
                continue
            spent = self._purses.charge(charged, part)
            if spent is None:
                continue
            useful = self._may_grow or created < self.verification.prescribed
            if isinstance(spent, Refusal):
                told: object = spent
                column, spent = SPENT, charged
            else:
                told, column = TOP, self.columns.first(part)
                useful = useful or self._informative(column, after)
            if useful:
                more = position._replace(created=created + 1, charged=spent)
                left, lost0, lost1 = self._left(more, after)
                branch = self._branch(left, lost0, lost1, column, asked_next)
                yield Option(SPENT, create, (branch,), 1, told)

    def _number(self, position: Position) -> int:
        number = self._ids.get(position)
        if number is None:
            number = OVER + 1 + len(self._ids)
            if number >= self.columns.limit:
                raise Intractable("the exact solver's positions", number + 1, self.columns.limit)
            self._positions[number:] = [position]  # Drops entries that an interrupted call left.
            for totals, own in zip(self.totals, self.columns.totals, strict=True):
                totals[number:] = [math.prod([own[column] for column in position.columns])]
            self._ids[position] = number
        return number

    def _informative(self, column: int, purse: int) -> bool:
        """Whether a valid message to the mechanism of a belief may still tell the worlds apart.

        False if its state has the same law in both worlds and f allows it no differing pair (then
        every answer has the same law, too), or if it takes no message.
        """
        if column <= SPENT:
            return False
        key = column, purse
        known = self._informed.get(key)
        if known is None:
            _, _, law0, law1 = self.columns.columns[column]
            differs = law0 != law1 or self._may_grow or self.columns.judged(column)[1]
            known = bool(self.columns.moves(column)) and (
                differs or self._spend(purse, column) != REFUSED
            )
            self._informed[key] = known
        return known

    def message(self, choice: Option, live: Live) -> object:
        if isinstance(choice.move, Create):
            return same(choice.move)
        index, (zero, one) = self._index(choice, live), choice.move[:2]
        if identical(zero, one):
            return same(Ask(zero, index))
        return Pair(Ask(zero, index), Ask(one, index))

    def _index(self, choice: Option, live: Live) -> int:
        return next(index for index, column in live if column == choice.column)

    def answer(self, choice: Option, place: int) -> object:
        move = choice.move
        return choice.told if isinstance(move, Create) else self.columns.answer(move.answers[place])

    def follow(self, live: Live, choice: Option, place: int) -> Live:
        _, created, columns, *_ = self._positions[choice.branches[place][2]]
        after = dict(live)
        if choice.told is not TOP:
            return live
        if isinstance(choice.move, Create):
            own = next(i for i, each in enumerate(self.catalogue) if each is choice.move)
            after[created - 1] = self.columns.first(self._parts[own])
        else:
            after[self._index(choice, live)] = choice.move.branches[place][2]
        return tuple((index, column) for index, column in after.items() if column in columns)


def _judge_child(verification: Suitable, create: Create) -> Judge:
    def judge(
        state: tuple[object, bool, bool], zero: object, one: object
    ) -> tuple[object, bool] | Refused:
        child = refused_if_raised(verification.judge, Checked(create, *state), zero, one)
        if type(child) is Refused:
            return child
        return child[1:], child.differed and not state[1]

    return judge
