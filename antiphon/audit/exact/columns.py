"""Beliefs: what an adversary knows of one mechanism's hidden state in both worlds.

A *column* is (the verifier's state, the law of the hidden state under b = 0, the
same under b = 1), for one mechanism. Laws are unnormalised integer weights, reduced
by their greatest common divisors, which move into the weights of the whole belief.
So equal knowledge is one object, however it came about, and all arithmetic is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any, NamedTuple, TypeAlias

import attrs

from antiphon.audit.exact.kernel import (
    NOWHERE,
    PASSED_ON,
    IsOver,
    Kernel,
    Pushed,
    Step,
    Stepper,
)
from antiphon.protocol.errors import CompositionError, Intractable
from antiphon.protocol.interning import Interner
from antiphon.protocol.messages import HALT
from antiphon.verifiers.verification import Refused

_NOTHING = 0, NOWHERE


class Outcome(NamedTuple):
    """One answer to a pair: factors for the weights of both worlds, and the next column.

    The factors are over the denominator of the move.
    """

    answer: Any
    factor0: int
    factor1: int
    column: int
    """Its id, or SPENT."""


class Move(NamedTuple):
    """A pair that f allows, and what it may lead to."""

    zero: Any
    one: Any
    differs: bool
    """Whether this is the first pair of the mechanism that differs."""
    outcomes: tuple[Outcome, ...]
    denominator: int


SPENT = -1
"""Stands for a column that no valid message can use any more."""

Judge: TypeAlias = Callable[[Any, Any, Any], "tuple[Any, bool] | Refused"]
"""(verifier state, q0, q1) -> (verifier state', whether the pair is the first to differ)."""
Allowed: TypeAlias = tuple[int, int, int, bool]
"""(query of b = 0, query of b = 1, verifier state', whether the pair is the first to differ)."""


@attrs.frozen(eq=False)
class Part:
    """A mechanism whose hidden state is tracked, with the f that guards it."""

    steps: tuple[Step, Step]
    """The step under b = 0 and under b = 1: one function, unless two mechanisms are compared."""
    initial_states: tuple[Any, Any]
    is_over: tuple[IsOver, IsOver]
    """Whether a HALT with this state ends the part."""
    judge: Judge
    judged: Any
    """The verifier's first state."""
    queries: Callable[[Any], Sequence[Any]]
    """Hidden state -> the messages to try in it."""
    tells_refusals: bool = False
    """Whether to refuse a message is an answer: so where two mechanisms are compared."""


class Column(NamedTuple):
    """What is known of one part, by number. Compared by value."""

    part: int
    judged: int
    law0: int
    law1: int


@attrs.define(eq=False)
class Columns:
    """All columns met, numbered, with their moves computed once each."""

    limit: int
    symmetric: bool = True
    """Whether f allows (q, q') wherever it allows (q', q), to the same effect, so far."""
    columns: list[Column] = attrs.field(factory=list[Column])
    totals: list[tuple[int, int]] = attrs.field(factory=list[tuple[int, int]])
    _parts: list[tuple[Part, int, int]] = attrs.field(factory=list[tuple[Part, int, int]])
    """Each part, and the numbers of its steppers in both worlds."""
    _ids: dict[tuple[int, int, int, int], int] = attrs.field(
        factory=dict[tuple[int, int, int, int], int]
    )
    _kernel: Kernel = attrs.field(factory=Kernel)
    _verified: Interner = attrs.field(factory=Interner)
    _allowed: dict[Any, list[Allowed]] = attrs.field(factory=dict[Any, list[Allowed]])
    _listed: dict[int, tuple[Any, tuple[int, ...]]] = attrs.field(
        factory=dict[int, tuple[Any, tuple[int, ...]]]
    )
    """The last list of messages to try on each part, with their numbers."""
    _moves: dict[int, tuple[Move, ...]] = attrs.field(factory=dict[int, tuple[Move, ...]])

    def add_part(self, part: Part) -> int:
        """A new part's number."""
        zero, one = (
            Stepper(step, is_over, part.tells_refusals)
            for step, is_over in zip(part.steps, part.is_over, strict=True)
        )
        first = self._kernel.add(zero)
        second = first if zero == one else self._kernel.add(one)
        self.symmetric &= first == second
        self._parts.append((part, first, second))
        return len(self._parts) - 1

    def first(self, part: int) -> int:
        """The column of a part before any message."""
        own = self._parts[part][0]
        law0, law1 = map(self._kernel.certain, own.initial_states)
        self.symmetric &= law0 == law1
        return self._column(part, self._verified(own.judged), law0, law1)

    def judged(self, column: int) -> Any:
        """The verifier's state in a column."""
        return self._verified.values[self.columns[column].judged]

    def known_equal(self, column: int) -> bool:
        """Whether the hidden state has the same law in both worlds."""
        _, _, law0, law1 = self.columns[column]
        return law0 == law1

    def moves(self, column: int) -> tuple[Move, ...]:
        """What can be asked of the part, alike moves listed once."""
        known = self._moves.get(column)
        if known is None:
            known = self._moves[column] = tuple(self._explore(self.columns[column]))
        return known

    def respond(self, column: int, zero: Any, one: Any) -> Move | Refused:
        """What one pair may lead to, answers in a fixed order."""
        part, state, law0, law1 = self.columns[column]
        own, stepper0, stepper1 = self._parts[part]
        judged = own.judge(self._verified.values[state], zero, one)
        if type(judged) is Refused:
            return judged
        messages = self._kernel.messages
        pushed0 = self._kernel.push(stepper0, law0, messages(zero))
        pushed1 = self._kernel.push(stepper1, law1, messages(one))
        if pushed0 is None or pushed1 is None:
            _refused_alike(law0, law1, pushed0, pushed1)
            return Refused("the mechanism refuses the message")
        after = self._verified(judged[0])
        outcomes, denominator = self._answers(part, after, pushed0, pushed1)
        ordered = sorted(outcomes, key=lambda outcome: messages(outcome.answer))
        return Move(zero, one, judged[1], tuple(ordered), denominator)

    def _explore(self, column: Column) -> Iterable[Move]:
        part, state, law0, law1 = column
        _, stepper0, stepper1 = self._parts[part]
        push, values = self._kernel.push, self._kernel.messages.values
        seen: set[Any] = set()
        for zero, one, after, differs in self._pairs(part, state, self._queries(column)):
            pushed0, pushed1 = push(stepper0, law0, zero), push(stepper1, law1, one)
            if pushed0 is None or pushed1 is None:
                _refused_alike(law0, law1, pushed0, pushed1)
                continue
            found, denominator = self._answers(part, after, pushed0, pushed1)
            if len(found) == 1 and found[0].column == SPENT:
                continue  # HALT for certain in both worlds: no more than to stop
            # Two pairs with the same consequences are one move; as a multiset, because
            # two answers that lead alike count twice.
            alike = differs, denominator, tuple(sorted([outcome[1:] for outcome in found]))
            if alike not in seen:
                seen.add(alike)
                yield Move(values[zero], values[one], differs, found, denominator)

    def _pairs(self, part: int, state: int, queries: tuple[int, ...]) -> list[Allowed]:
        """The pairs of these queries that f allows in a state of its own."""
        key = part, state, queries
        known = self._allowed.get(key)
        if known is None:
            judge, before = self._parts[part][0].judge, self._verified.values[state]
            values = self._kernel.messages.values
            known = self._allowed[key] = []
            for zero, one in product(queries, repeat=2):
                judged = judge(before, values[zero], values[one])
                if type(judged) is not Refused:
                    known.append((zero, one, self._verified(judged[0]), judged[1]))
            mirrored = {(one, zero, after, differs) for zero, one, after, differs in known}
            self.symmetric &= mirrored == set(known)
        return known

    def _queries(self, column: Column) -> tuple[int, ...]:
        """The messages to try, by number: those of every state that it may be in."""
        kernel, queries = self._kernel, self._parts[column.part][0].queries
        states = dict.fromkeys((*kernel.support(column.law0), *kernel.support(column.law1)))
        lists = {id(each): each for each in (queries(kernel.states.values[s]) for s in states)}
        listed, numbers = self._listed.get(column.part, (None, ()))
        if len(lists) == 1 and id(listed) in lists:
            return numbers
        numbers = tuple({kernel.messages(q): None for each in lists.values() for q in each})
        if len(lists) == 1:
            self._listed[column.part] = next(iter(lists.values())), numbers
        return numbers

    def _answers(
        self, part: int, state: int, pushed0: Pushed, pushed1: Pushed
    ) -> tuple[tuple[Outcome, ...], int]:
        (denominator0, laws0), (denominator1, laws1) = pushed0, pushed1
        common = math.lcm(denominator0, denominator1)
        by0, by1 = common // denominator0, common // denominator1
        values, totals = self._kernel.messages.values, self._kernel.totals
        known, found = self._ids, list[Outcome]()
        for number in laws0 if laws0.keys() == laws1.keys() else laws0 | laws1:
            factor0, law0 = laws0.get(number, _NOTHING)
            factor1, law1 = laws1.get(number, _NOTHING)
            answer, to = values[number], SPENT
            if answer is HALT:
                factor0, factor1 = factor0 * totals[law0], factor1 * totals[law1]
            else:
                to = known.get((part, state, law0, law1), SPENT)
                if to == SPENT:
                    to = self._column(part, state, law0, law1)
                if answer is PASSED_ON:
                    answer = HALT
            found.append(Outcome(answer, factor0 * by0, factor1 * by1, to))
        return tuple(found), common

    def _column(self, part: int, judged: int, law0: int, law1: int) -> int:
        column, count = Column(part, judged, law0, law1), len(self.columns)
        number = self._ids.setdefault(column, count)
        if number == count:
            if count >= self.limit:
                raise Intractable("exact beliefs of single mechanisms", count + 1, self.limit)
            self.columns.append(column)
            self.totals.append((self._kernel.totals[law0], self._kernel.totals[law1]))
        return number


def _refused_alike(law0: int, law1: int, pushed0: Pushed | None, pushed1: Pushed | None) -> None:
    """A refusal that tells the worlds apart is no refusal."""
    answered0 = law0 != NOWHERE and pushed0 is not None
    answered1 = law1 != NOWHERE and pushed1 is not None
    if answered0 or answered1:
        raise CompositionError(
            "a message is refused in one world and answered in the other, so the refusal itself "
            "tells them apart: let f (its relation) allow only pairs of which the mechanism takes "
            "both sides, or try other queries=[…]"
        )
