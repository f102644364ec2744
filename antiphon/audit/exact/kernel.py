"""Laws (distributions) of hidden states, and their updates by a message, in integers, cached."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final, NamedTuple, TypeAlias

import attrs

from antiphon.numbers.errors import READINGS, REFUSALS, AntiphonError, Intractable, crash
from antiphon.numbers.interning import Interner
from antiphon.protocol import HALT, Coins, Refused, message_label, outcomes

Law: TypeAlias = tuple[tuple[int, int], ...]
"""The law of a hidden state, as sorted pairs (state number, weight); its weights are coprime."""
Pushed: TypeAlias = tuple[tuple[int, tuple[int, ...]], tuple[tuple[int, int], ...]]
"""The answers to a message under a law: ((denominator, numbers of the answers), laws). ``laws`` has
for each answer (factor taken out of the next law's weights, number of that law).

Answers are sorted numbers. A factor is the common divisor of the next law's weights. Equal pairs
(denominator, answers) are one object.
"""
Branches: TypeAlias = tuple[int, list[tuple[int, int, int]]]
"""The outcomes of one step: (denominator, [(answer, next state, probability × denominator)])."""
Step: TypeAlias = Callable[[Any, Any, Coins], tuple[object, object]]
IsOver: TypeAlias = Callable[[Any], bool]
Tables: TypeAlias = dict[str, list[Any]]
"""What an exact search has found, to be saved: under the name of each kind of object ("states",
"laws", …) the list of all, each a value or a row of whole numbers."""

END: Final = object()
"""The answer that stands for the end of the whole interaction, after which no message is sent."""
REFUSAL: Final = Refused("the message is refused")
"""The answer that stands for a refused message, after which the state is unchanged."""
DEAD: Final = object()
"""The state of a mechanism that has halted or failed: it answers HALT for ever."""

NOWHERE: Final = 0
"""The number of the empty law: in this world, the answers so far are impossible."""
GONE: Final = 1
"""The number of the law under which the mechanism has surely halted or failed (is DEAD)."""


class Stepper(NamedTuple):
    """The step function of a mechanism, and the answers that stand for its halting and refusing.

    The defaults fit a mechanism behind a verifier: HALT and a refusal end the interaction.
    """

    step: Step
    is_over: IsOver
    """Whether a HALT in this state ends the mechanism."""
    halted: object = END
    """The answer that stands for the mechanism's end; HALT in a composition, which goes on."""
    refused: object = END
    """The answer to a refused message: the end, or REFUSAL where no verifier ends the session."""


@attrs.define(eq=False)
class Kernel:
    """Applies messages to laws of the hidden states of mechanisms; all objects are numbered.

    Raises: Intractable past ``limit`` entries of laws and outcomes of steps.
    """

    limit: int
    states: Interner = attrs.field(factory=Interner)
    messages: Interner = attrs.field(factory=Interner)
    laws: list[Law] = attrs.field(factory=list[Law])
    totals: list[int] = attrs.field(factory=list[int])
    """The total weight of each law of a hidden state."""
    _steppers: list[Stepper] = attrs.field(factory=list[Stepper])
    _ids: dict[Law, int] = attrs.field(factory=dict[Law, int])
    _steps: dict[tuple[int, int, int], Branches] = attrs.field(
        factory=dict[tuple[int, int, int], Branches]
    )
    _pushed: dict[tuple[int, int, int], Pushed] = attrs.field(
        factory=dict[tuple[int, int, int], Pushed]
    )
    _heads: dict[tuple[int, tuple[int, ...]], tuple[int, tuple[int, ...]]] = attrs.field(
        factory=dict[tuple[int, tuple[int, ...]], tuple[int, tuple[int, ...]]]
    )
    _size: int = 0
    """The number of entries of laws and outcomes that are stored; ``limit`` bounds it."""
    end: int = attrs.field(init=False)
    """The number of the answer that stands for the end of the interaction."""

    def __attrs_post_init__(self) -> None:
        self.end = self.messages(END)
        self._law(())
        self.certain(DEAD)

    def tables(self) -> Tables:
        """The states, messages and laws found so far, as tables that can be saved; without those
        that every kernel has."""
        laws = [[number for entry in law for number in entry] for law in self.laws[GONE + 1 :]]
        return {
            "states": self.states.values[1:], "messages": self.messages.values[1:], "laws": laws
        }  # fmt: skip

    def refill(self, tables: Tables) -> None:
        """Load the tables that another kernel with these step functions has saved."""
        self.states.refill(tables["states"])
        self.messages.refill(tables["messages"])
        for flat in tables["laws"]:
            self._law(tuple(zip(flat[::2], flat[1::2], strict=True)))

    def add(self, stepper: Stepper) -> int:
        """Register a mechanism's step function; returns its number."""
        self._steppers.append(stepper)
        return len(self._steppers) - 1

    def certain(self, state: object) -> int:
        """The number of the law that gives one state all probability."""
        return self._law(((self.states(state), 1),))

    def support(self, law: int) -> list[int]:
        """The numbers of the states with positive probability under a law."""
        return [state for state, _ in self.laws[law]]

    def push(self, stepper: int, law: int, query: int) -> Pushed:
        """The answers to a query under a law of the hidden state, each with the next law."""
        key = stepper, law, query
        known = self._pushed.get(key)
        if known is None:
            known = self._pushed[key] = self._push(*key)
        return known

    def _push(self, stepper: int, number: int, query: int) -> Pushed:
        law = self.laws[number]
        steps = [self._branches(stepper, state, query) for state, _ in law]
        common = math.lcm(*(denominator for denominator, _ in steps))
        laws: dict[int, dict[int, int]] = {}
        for (_, weight), (denominator, branches) in zip(law, steps, strict=True):
            weight *= common // denominator
            for answer, to, probability in branches:
                own = laws.setdefault(answer, {})
                own[to] = own.get(to, 0) + weight * probability
        answers = tuple(sorted(laws))
        head = self._heads.setdefault((common, answers), (common, answers))
        return head, tuple([self._reduced(laws[answer]) for answer in answers])

    def _branches(self, stepper: int, state: int, query: int) -> Branches:
        """The outcomes of one step (see ``branches``) in numbers, over a common denominator."""
        key = stepper, state, query
        known = self._steps.get(key)
        if known is None:
            own = self._steppers[stepper]
            before, message = self.states.values[state], self.messages.values[query]
            found = [
                (p, *_heard(own, *result)) for p, result in branches(own.step, before, message)
            ]
            self._grow(len(found))
            common = math.lcm(*(p.denominator for p, _, _ in found))
            known = self._steps[key] = (
                common,
                [(self.messages(a), self.states(to), int(p * common)) for p, to, a in found],
            )
        return known

    def _reduced(self, weights: dict[int, int]) -> tuple[int, int]:
        """(greatest common divisor of the weights, number of the law that is divided by it)."""
        factor = math.gcd(*weights.values())
        law = tuple(sorted([(state, weight // factor) for state, weight in weights.items()]))
        return factor, self._law(law)

    def _law(self, law: Law) -> int:
        number = self._ids.get(law)
        if number is None:
            self._grow(len(law))
            number = len(self._ids)
            self.laws[number:] = [law]  # Drops entries that an interrupted call left.
            self.totals[number:] = [sum(weight for _, weight in law)]
            self._ids[law] = number
        return number

    def _grow(self, entries: int) -> None:
        size = self._size + entries
        if size > self.limit:
            raise Intractable("the hidden states of exact beliefs", size, self.limit)
        self._size = size


def _heard(stepper: Stepper, after: object, answer: object) -> tuple[object, object]:
    """The outcome (next state, answer) of a step; a mechanism that halted or failed gets the state
    DEAD."""
    if answer is REFUSAL and stepper.refused is REFUSAL:
        return after, REFUSAL
    if answer is REFUSAL:
        return DEAD, stepper.refused
    return (DEAD, stepper.halted) if ends(after, answer, stepper.is_over) else (after, answer)


def branches(
    step: Step, state: object, query: object
) -> list[tuple[Fraction, tuple[object, object]]]:
    """Every outcome of one step, with its probability; a refusal counts as the answer REFUSAL.

    An AntiphonError that is raised after a draw is an outcome: the mechanism is DEAD and answers
    HALT (law 1). Raises: PartError where the step crashes (a step that always crashes would count
    as perfectly private); Intractable, and other errors that are no refusal.
    """

    def run(coins: Coins) -> tuple[object, object]:
        try:
            after, answer = step(state, query, coins)
        except Exception as error:
            if not isinstance(error, AntiphonError):
                raise crash(error, message_label(query)) from error
            early = coins.draws == 0
            if early and isinstance(error, REFUSALS):
                return state, REFUSAL
            if early or isinstance(error, READINGS):
                raise
            return DEAD, HALT
        return after, answer

    return [(Fraction(1), (DEAD, HALT))] if state is DEAD else list(outcomes(run))


def ends(state: object, answer: object, is_over: IsOver) -> bool:
    """Whether an answer, with the state after it, ends the interaction with this mechanism."""
    return answer is HALT and (state is DEAD or is_over(state))
