"""Beliefs: what an adversary knows of one mechanism's hidden state in both worlds.

A *column* is (the verifier's state, the law of the hidden state under b = 0, the
same under b = 1), for one mechanism. Laws are unnormalised integer weights; a
column is reduced by the greatest common divisor of each law, and the divisors move
into the weights of the whole belief. So equal knowledge is one object, however
it came about, and all arithmetic is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple, TypeAlias

import attrs

from antiphon.protocol.coins import Coins
from antiphon.protocol.enumeration import outcomes
from antiphon.protocol.errors import AntiphonError, CompositionError, Intractable
from antiphon.protocol.interning import Interner
from antiphon.protocol.messages import HALT
from antiphon.verifiers.verification import Refused

Law: TypeAlias = tuple[tuple[int, int], ...]
"""(state id, weight), sorted by state id, weights without a common divisor."""

Pushed: TypeAlias = tuple[int, dict[int, tuple[int, Law]]]
"""(denominator, answer -> (common divisor, law of the next state without it)) of one query."""
Branches: TypeAlias = tuple[int, list[tuple[int, int, int]]]
"""(denominator, [(answer, next state, probability × denominator)]) of one step."""
Place: TypeAlias = tuple[int, int, int, int]
"""(part, world, state, query)."""
_NOTHING: tuple[int, Law] = (0, ())


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

Step: TypeAlias = Callable[[Any, Any, Any], tuple[Any, Any]]
IsOver: TypeAlias = Callable[[Any], bool]
Judge: TypeAlias = Callable[[Any, Any, Any], "tuple[Any, bool] | Refused"]
"""(verifier state, q0, q1) -> (verifier state', whether the pair is the first to differ)."""


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
    """What is known of one part. Compared by value."""

    part: int
    judged: int
    """Number of the verifier's state."""
    law0: Law
    law1: Law


@attrs.define(eq=False)
class Columns:
    """All columns met, numbered, with their moves computed once each."""

    limit: int
    parts: list[Part] = attrs.field(factory=list[Part])
    columns: list[Column] = attrs.field(factory=list[Column])
    totals: list[tuple[int, int]] = attrs.field(factory=list[tuple[int, int]])
    _ids: dict[Column, int] = attrs.field(factory=dict[Column, int])
    _states: Interner = attrs.field(factory=Interner)
    _messages: Interner = attrs.field(factory=Interner)
    _verified: Interner = attrs.field(factory=Interner)
    _kernel: dict[Place, Branches] = attrs.field(factory=dict[Place, Branches])
    _moves: dict[int, tuple[Move, ...]] = attrs.field(factory=dict[int, tuple[Move, ...]])

    def add_part(self, part: Part) -> int:
        """A new part's number."""
        self.parts.append(part)
        return len(self.parts) - 1

    def first(self, part: int) -> int:
        """The column of a part before any message."""
        law0, law1 = (((self._states(s), 1),) for s in self.parts[part].initial_states)
        judged = self._verified(self.parts[part].judged)
        return self._column(Column(part, judged, law0, law1))

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
        judged = self.parts[part].judge(self._verified.values[state], zero, one)
        if type(judged) is Refused:
            return judged
        pushed0 = self._push(part, 0, law0, self._messages(zero))
        pushed1 = self._push(part, 1, law1, self._messages(one))
        if pushed0 is None or pushed1 is None:
            _refused_alike(law0, law1, pushed0, pushed1)
            return Refused("the mechanism refuses the message")
        outcomes, denominator = self._answers(part, judged[0], pushed0, pushed1)
        ordered = sorted(outcomes, key=lambda outcome: self._messages(outcome.answer))
        return Move(zero, one, judged[1], tuple(ordered), denominator)

    def _explore(self, column: Column) -> Iterable[Move]:
        part = self.parts[column.part]
        state = self._verified.values[column.judged]
        queries = self._queries(column)
        # Each side is pushed forward once, not once a pair.
        pushed0 = [self._push(column.part, 0, column.law0, number) for _, number in queries]
        pushed1 = [self._push(column.part, 1, column.law1, number) for _, number in queries]
        seen: set[Any] = set()
        for ((zero, _), laws0), ((one, _), laws1) in product(
            zip(queries, pushed0, strict=True), zip(queries, pushed1, strict=True)
        ):
            judged = part.judge(state, zero, one)
            if type(judged) is Refused:
                continue
            if laws0 is None or laws1 is None:
                _refused_alike(column.law0, column.law1, laws0, laws1)
                continue
            found, denominator = self._answers(column.part, judged[0], laws0, laws1)
            if len(found) == 1 and found[0].column == SPENT:
                continue  # HALT for certain in both worlds: no more than to stop
            # Two pairs with the same consequences are one move; as a multiset, because
            # two answers that lead alike count twice.
            alike = judged[1], denominator, tuple(sorted(outcome[1:] for outcome in found))
            if alike not in seen:
                seen.add(alike)
                yield Move(zero, one, judged[1], found, denominator)

    def _queries(self, column: Column) -> list[tuple[Any, int]]:
        """The messages to try, with their numbers: those of every state that it may be in."""
        queries, values = self.parts[column.part].queries, self._states.values
        states = dict.fromkeys(state for state, _ in (*column.law0, *column.law1))
        lists = [queries(values[state]) for state in states]
        if all(each is lists[0] for each in lists):
            return [(q, self._messages(q)) for q in lists[0]]
        numbered = {self._messages(q): q for each in lists for q in each}
        return [(q, number) for number, q in numbered.items()]

    def _answers(
        self, part: int, judged: Any, pushed0: Pushed, pushed1: Pushed
    ) -> tuple[tuple[Outcome, ...], int]:
        (denominator0, laws0), (denominator1, laws1) = pushed0, pushed1
        common = math.lcm(denominator0, denominator1)
        state = self._verified(judged)
        by0, by1 = common // denominator0, common // denominator1
        found: list[Outcome] = []
        for number in laws0 | laws1:
            factor0, law0 = laws0.get(number, _NOTHING)
            factor1, law1 = laws1.get(number, _NOTHING)
            factor0, factor1 = factor0 * by0, factor1 * by1
            answer = self._messages.values[number]
            if answer is _PASSED_ON:
                to = self._column(Column(part, state, law0, law1))
                found.append(Outcome(HALT, factor0, factor1, to))
            elif answer is HALT:
                total0, total1 = (sum(w for _, w in law) for law in (law0, law1))
                found.append(Outcome(answer, factor0 * total0, factor1 * total1, SPENT))
            else:
                to = self._column(Column(part, state, law0, law1))
                found.append(Outcome(answer, factor0, factor1, to))
        return tuple(found), common

    def _push(self, part: int, world: int, law: Law, query: int) -> Pushed | None:
        """What a query makes of a law; None if it is refused."""
        steps = [self._branches(part, world, state, query) for state, _ in law]
        refused = sum(not branches for _, branches in steps)
        if refused and refused < len(law):
            raise CompositionError(
                "the mechanism refuses a message depending on its hidden state; "
                "a refusal must be a function of what is public"
            )
        if refused and self.parts[part].tells_refusals:
            return 1, {self._messages(REFUSAL): (1, law)}
        if refused:
            return None
        common = math.lcm(*(denominator for denominator, _ in steps))
        laws: dict[int, dict[int, int]] = {}
        for (_, weight), (denominator, branches) in zip(law, steps, strict=True):
            weight *= common // denominator
            for answer, to, probability in branches:
                own = laws.setdefault(answer, {})
                own[to] = own.get(to, 0) + weight * probability
        return common, {answer: _reduced(own) for answer, own in laws.items()}

    def _branches(self, part: int, world: int, state: int, query: int) -> Branches:
        """As ``branches``, in numbers, over a common denominator."""
        key = part, world, state, query
        known = self._kernel.get(key)
        if known is None:
            step = self.parts[part].steps[world]
            found = branches(step, self._states.values[state], self._messages.values[query])
            over = self.parts[part].is_over[world]
            common = math.lcm(*(p.denominator for p, _ in found))
            known = self._kernel[key] = (
                common,
                [
                    (self._answer(after, answer, over), self._states(after), int(p * common))
                    for p, (after, answer) in found
                ],
            )
        return known

    def _answer(self, state: Any, answer: Any, is_over: IsOver) -> int:
        """Its number; a HALT that does not end the interaction is told from one that does."""
        passed_on = answer is HALT and not ends(state, answer, is_over)
        return self._messages(_PASSED_ON if passed_on else answer)

    def _column(self, column: Column) -> int:
        known = self._ids.get(column)
        if known is None:
            known = self._ids[column] = len(self.columns)
            if known >= self.limit:
                raise Intractable("exact beliefs of single mechanisms", known + 1, self.limit)
            self.columns.append(column)
            self.totals.append((sum(w for _, w in column.law0), sum(w for _, w in column.law1)))
        return known


def _refused_alike(law0: Law, law1: Law, pushed0: Pushed | None, pushed1: Pushed | None) -> None:
    """A refusal that tells the worlds apart is no refusal."""
    if (law0 and pushed0 is not None) or (law1 and pushed1 is not None):
        raise CompositionError(
            "a message is refused in one world and answered in the other, so the refusal itself "
            "tells them apart: let f (its relation) allow only pairs of which the mechanism takes "
            "both sides, or try other queries=[…]"
        )


def _reduced(weights: dict[int, int]) -> tuple[int, Law]:
    """The greatest common divisor, and the law without it; (0, ()) for nothing."""
    factor = math.gcd(*weights.values())
    if factor == 0:
        return 0, ()
    return factor, tuple(sorted((state, w // factor) for state, w in weights.items() if w))


def branches(step: Any, state: Any, query: Any) -> list[tuple[Fraction, tuple[Any, Any]]]:
    """Every outcome of one step; none if the message is refused.

    A step that fails later is an outcome: the mechanism is dead and answers HALT (law 1).
    """

    def run(coins: Coins) -> tuple[Any, Any]:
        try:
            after, answer = step(state, query, coins)
        except Intractable:
            raise
        except Exception as error:
            if isinstance(error, AntiphonError) and coins.draws == 0:
                raise _RefusedStep from error
            return _FAILED, HALT
        return after, answer

    try:
        return list(outcomes(run))
    except _RefusedStep:
        return []


def ends(state: Any, answer: Any, is_over: IsOver) -> bool:
    """Whether an answer with this state ends the interaction."""
    return answer is HALT and (state is _FAILED or is_over(state))


_FAILED = object()
"""The state of a mechanism whose step raised."""
_PASSED_ON = object()
"""The HALT of a part of the mechanism, which goes on."""


REFUSAL = Refused("the message is refused")
"""Stands for the answer of a mechanism that refuses a message; its state is unchanged."""


class _RefusedStep(Exception):
    """The mechanism refused the message before drawing a coin."""
