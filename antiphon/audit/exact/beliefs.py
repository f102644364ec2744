"""Beliefs (columns): laws of a mechanism's hidden state in both worlds; moves: allowed pairs.

A *column* is (the verifier's state, the law of the hidden state under b = 0, the same under b = 1),
for one mechanism. Laws are unnormalised integer weights, reduced by their greatest common divisors,
which move into the weights of the whole belief. So equal knowledge is one object, however it came
about, and all arithmetic is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import Any, Final, NamedTuple, TypeAlias, Union

import attrs

from antiphon.audit.exact.kernel import END, GONE, NOWHERE, Kernel, Pushed, Stepper, Tables
from antiphon.numbers.errors import Intractable
from antiphon.numbers.interning import Interner
from antiphon.protocol import HALT, Refused

Branch: TypeAlias = tuple[int, int, int]
"""One answer to a pair of messages: (factor of the weight of world 0, of world 1, number of the
next belief). The factors are whole numbers, over the denominator of the ``Move``."""

OVER: Final = 0
"""The number of the belief, and of the position, once the interaction is over."""
SPENT: Final = 1
"""The number of the belief about a mechanism that only answers HALT, within a composition."""


class Move(NamedTuple):
    """A pair of messages that f allows in a belief, with its answers and the beliefs after them."""

    zero: object
    one: object
    differs: bool
    """Whether this pair is the first differing one that the mechanism receives."""
    answers: tuple[int, ...]
    """The numbers of the possible answers, in order."""
    branches: tuple[Branch, ...]
    """For each answer: the factors for both worlds' weights, and the next belief."""
    denominator: int


Judge: TypeAlias = Callable[[Any, object, object], "tuple[object, bool] | Refused"]
"""Applies f: (state of f, q0, q1) -> (next state of f, whether (q0, q1) is the first differing
pair), or a refusal."""
Allowed: TypeAlias = tuple[int, int, int, bool]
"""A pair that f allows: (query in world 0, query in world 1, next state of f, whether this is its
first differing pair)."""
Queries: TypeAlias = Union[tuple[object, ...], Callable[[Any], Sequence[object]]]
"""The messages to try: a tuple, or a function of the mechanism's hidden state that lists them."""


@attrs.frozen(eq=False)
class TrackedPart:
    """A mechanism whose hidden state is tracked, and the verification function f of its game."""

    steppers: tuple[Stepper, Stepper]
    """The step functions under b = 0 and under b = 1: alike, unless two mechanisms are compared."""
    initial_states: tuple[object, object]
    judge: Judge | None
    """The step of the verification function f; None if both worlds always get the same message."""
    judged: object
    """The initial state of the verification function f."""
    queries: Queries


class BeliefColumn(NamedTuple):
    """A belief about one mechanism, as four numbers: of the mechanism, of f's state, and of the
    hidden state's laws in both worlds."""

    part: int
    judged: int
    law0: int
    law1: int


_ENTRIES: Final = 4
"""The limit of the stored entries of laws, as a multiple of the limit of beliefs."""
_NO_COLUMN = BeliefColumn(-1, -1, GONE, GONE)
_NOTHING = 0, NOWHERE


@attrs.define(eq=False)
class Columns:
    """All beliefs about single mechanisms that were found so far, numbered, with their moves."""

    limit: int
    symmetric: bool = True
    """Whether f, so far, allows (q', q) wherever it allows (q, q'), with the same next state."""
    columns: list[BeliefColumn] = attrs.field(factory=lambda: [_NO_COLUMN] * 2)
    totals: tuple[list[int], list[int]] = attrs.field(factory=lambda: ([1, 1], [1, 1]))
    """The probability mass (unnormalised) of each belief under b = 0 and under b = 1."""
    _parts: list[tuple[TrackedPart, int, int]] = attrs.field(
        factory=list[tuple[TrackedPart, int, int]]
    )
    """Each mechanism, with the numbers of its step functions in both worlds."""
    _ids: dict[tuple[int, int, int, int], int] = attrs.field(
        factory=dict[tuple[int, int, int, int], int]
    )
    _kernel: Kernel = attrs.field(init=False)
    _verified: Interner = attrs.field(factory=Interner)
    _allowed: dict[object, list[Allowed]] = attrs.field(factory=dict[object, list[Allowed]])
    _listed: dict[object, tuple[int, ...]] = attrs.field(factory=dict[object, tuple[int, ...]])
    _moves: dict[int, tuple[Move, ...]] = attrs.field(factory=lambda: {OVER: (), SPENT: ()})

    def __attrs_post_init__(self) -> None:
        self._kernel = Kernel(_ENTRIES * self.limit)

    def give_room(self, limit: int) -> None:
        """Set the limit of beliefs to this number, and that of stored laws in proportion."""
        self.limit, self._kernel.limit = limit, _ENTRIES * limit

    def tables(self) -> Tables:
        """The beliefs found so far, as tables that can be saved."""
        return {
            **self._kernel.tables(),
            "verified": [*self._verified.values],
            "columns": [[*each] for each in self._ids],
            "symmetric": [[int(self.symmetric)]],
        }

    def refill(self, tables: Tables) -> None:
        """Load the beliefs that another object about the same mechanisms has saved."""
        self._kernel.refill(tables)
        self._verified.refill(tables["verified"])
        for row in tables["columns"]:
            self._column(BeliefColumn(*row))
        ((symmetric,),) = tables["symmetric"]
        self.symmetric = bool(symmetric)

    def add_part(self, part: TrackedPart) -> int:
        """Register a mechanism; returns its number."""
        zero, one = part.steppers
        first = self._kernel.add(zero)
        second = first if zero == one else self._kernel.add(one)
        self.symmetric &= first == second
        self._parts.append((part, first, second))
        return len(self._parts) - 1

    def first(self, part: int) -> int:
        """The belief about a mechanism before any message."""
        own = self._parts[part][0]
        law0, law1 = map(self._kernel.certain, own.initial_states)
        self.symmetric &= law0 == law1
        return self._column(BeliefColumn(part, self._verified(own.judged), law0, law1))

    def judged(self, column: int) -> Any:
        """The state of the verification function f in a belief."""
        return self._verified.values[self.columns[column].judged]

    def answer(self, number: int) -> object:
        """The answer with this number, as the adversary receives it."""
        answer = self._kernel.messages.values[number]
        return HALT if answer is END else answer

    def moves(self, column: int) -> tuple[Move, ...]:
        """The pairs of messages that may be sent in a belief, as moves; of pairs with equal
        outcomes only one."""
        known = self._moves.get(column)
        if known is None:
            known = self._moves[column] = self.found_moves(column)
        return known

    def found_moves(self, column: int) -> tuple[Move, ...]:
        """The moves in a belief, computed without the cache of ``moves``."""
        return () if column <= SPENT else tuple(self._explore(self.columns[column]))

    def respond(self, column: int, zero: object, one: object) -> Move | Refused:
        """The move of one pair of messages in a belief; a refusal if f refuses the pair."""
        part, state, law0, law1 = self.columns[column]
        own, stepper0, stepper1 = self._parts[part]
        assert own.judge is not None
        judged = own.judge(self._verified.values[state], zero, one)
        if type(judged) is Refused:
            return judged
        messages, push = self._kernel.messages, self._kernel.push
        pushed = push(stepper0, law0, messages(zero)), push(stepper1, law1, messages(one))
        return Move(zero, one, judged[1], *self._answers(part, self._verified(judged[0]), *pushed))

    def alphabet(self, part: int) -> tuple[int, ...]:
        """The numbers of a mechanism's messages to try, if they are the same in all states."""
        return self._queries(BeliefColumn(part, -1, GONE, GONE))

    def of_one_mechanism(self, part: int) -> bool:
        """Whether a mechanism is the same under b = 0 and under b = 1."""
        _, zero, one = self._parts[part]
        return zero == one

    def outcomes(
        self, part: int, world: int, law: int, query: int
    ) -> Iterator[tuple[int, tuple[int, int], int]]:
        """The possible answers to a query in a world: (answer, its probability as a fraction,
        number of the next law of the hidden state)."""
        kernel, stepper = self._kernel, self._parts[part][1:][world]
        (denominator, answers), laws = kernel.push(stepper, law, query)
        whole = denominator * kernel.totals[law]
        for answer, (factor, after) in zip(answers, laws, strict=True):
            yield answer, (factor * kernel.totals[after], whole), after

    def _explore(self, column: BeliefColumn) -> Iterator[Move]:
        part, state, law0, law1 = column
        _, stepper0, stepper1 = self._parts[part]
        push, values = self._kernel.push, self._kernel.messages.values
        queries = self._queries(column)
        after0 = {query: push(stepper0, law0, query) for query in queries}
        after1 = {query: push(stepper1, law1, query) for query in queries}
        seen: set[object] = set()
        for zero, one, after, differs in self.allowed(part, state, queries):
            answers, branches, common = self._answers(part, after, after0[zero], after1[one])
            if len(branches) == 1 and branches[0][2] <= SPENT:
                # A pair whose only answer ends the mechanism tells nothing: to stop is as good.
                continue
            # Pairs with equal branches are one move. Branches are compared as a multiset, because
            # two answers with equal branches count twice.
            alike = differs, common, *sorted(branches)
            if alike not in seen:
                seen.add(alike)
                yield Move(values[zero], values[one], differs, answers, branches, common)

    def allowed(self, part: int, state: int, queries: tuple[int, ...]) -> list[Allowed]:
        """The pairs of the given queries that f allows in its state with the number ``state``."""
        key = part, state, queries
        known = self._allowed.get(key)
        if known is None:
            judge = self._parts[part][0].judge
            if judge is None:
                known = [(query, query, state, False) for query in queries]
            else:
                known = self._judged(judge, self._verified.values[state], queries)
            self._allowed[key] = known
        return known

    def _judged(self, judge: Judge, before: object, queries: tuple[int, ...]) -> list[Allowed]:
        if len(queries) ** 2 > self.limit:
            raise Intractable("the pairs of messages to try", len(queries) ** 2, self.limit)
        values, found = self._kernel.messages.values, list[Allowed]()
        for zero, one in product(queries, repeat=2):
            judged = judge(before, values[zero], values[one])
            if type(judged) is not Refused:
                found.append((zero, one, self._verified(judged[0]), judged[1]))
        mirrored = {(one, zero, after, differs) for zero, one, after, differs in found}
        self.symmetric &= mirrored == set(found)
        return found

    def _queries(self, column: BeliefColumn) -> tuple[int, ...]:
        """The numbers of the messages to try in a belief: those of every possible hidden state."""
        queries, laws = self._parts[column.part][0].queries, column[2:]
        key = laws if callable(queries) else column.part
        known = self._listed.get(key)
        if known is None:
            found = self._found(queries, laws) if callable(queries) else queries
            known = self._listed[key] = tuple(dict.fromkeys(map(self._kernel.messages, found)))
        return known

    def _found(
        self, queries: Callable[[object], Sequence[object]], laws: Iterable[int]
    ) -> Iterator[object]:
        states = dict.fromkeys(state for law in laws for state in self._kernel.support(law))
        return (query for state in states for query in queries(self._kernel.states.values[state]))

    def _answers(
        self, part: int, state: int, pushed0: Pushed, pushed1: Pushed
    ) -> tuple[tuple[int, ...], tuple[Branch, ...], int]:
        """The possible answers to a pair of messages, a branch for each, and the common denominator
        of the factors in the branches."""
        if pushed0[0] is not pushed1[0]:
            pushed0, pushed1 = _alike(pushed0, pushed1)
        (denominator, answers), laws0 = pushed0
        known, found = self._ids, list[Branch]()
        for (factor0, law0), (factor1, law1) in zip(laws0, pushed1[1], strict=True):
            to = SPENT
            if law0 > GONE or law1 > GONE:
                own = part, state, law0, law1
                to = known.get(own) or self._column(BeliefColumn(*own))
            elif answers[len(found)] == self._kernel.end:
                to = OVER
            found.append((factor0, factor1, to))
        return answers, tuple(found), denominator

    def _column(self, column: BeliefColumn) -> int:
        number = self._ids.get(column)
        if number is None:
            number = SPENT + 1 + len(self._ids)
            if number >= self.limit:
                raise Intractable("exact beliefs of single mechanisms", number + 1, self.limit)
            self.columns[number:] = [column]  # Drops entries that an interrupted call left.
            for totals, law in zip(self.totals, column[2:], strict=True):
                totals[number:] = [self._kernel.totals[law]]
            self._ids[column] = number
        return number


def _alike(*pushed: Pushed) -> tuple[Pushed, Pushed]:
    """The answers to a pair of messages in both worlds, with one denominator and one list of
    answers for both."""
    common = math.lcm(*(denominator for (denominator, _), _ in pushed))
    every = tuple(sorted({answer for (_, answers), _ in pushed for answer in answers}))
    found: list[Pushed] = []
    for (denominator, answers), laws in pushed:
        by, own = common // denominator, dict(zip(answers, laws, strict=True))
        parts = (own.get(answer, _NOTHING) for answer in every)
        found.append(((common, every), tuple((factor * by, law) for factor, law in parts)))
    zero, one = found
    return zero, one
