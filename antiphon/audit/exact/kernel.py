"""Laws of a hidden state, and what a message makes of them: integers, each computed once."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
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
Pushed: TypeAlias = tuple[int, dict[int, tuple[int, int]]]
"""(denominator, answer -> (common divisor, number of the law of the next state without it))."""
Branches: TypeAlias = tuple[int, list[tuple[int, int, int]]]
"""(denominator, [(answer, next state, probability × denominator)]) of one step."""
Step: TypeAlias = Callable[[Any, Any, Any], tuple[Any, Any]]
IsOver: TypeAlias = Callable[[Any], bool]

NOWHERE = 0
"""The number of the empty law: this world does not come here."""


class Stepper(NamedTuple):
    """How a mechanism steps."""

    step: Step
    is_over: IsOver
    """Whether a HALT with this state ends it."""
    tells_refusals: bool = False
    """Whether to refuse a message is an answer."""


@attrs.define(eq=False)
class Kernel:
    """The steps of some mechanisms on laws, all of them by number."""

    states: Interner = attrs.field(factory=Interner)
    messages: Interner = attrs.field(factory=Interner)
    laws: list[Law] = attrs.field(factory=lambda: [()])
    totals: list[int] = attrs.field(factory=lambda: [0])
    """The weight of each law."""
    _steppers: list[Stepper] = attrs.field(factory=list[Stepper])
    _ids: dict[Law, int] = attrs.field(factory=lambda: {(): NOWHERE})
    _steps: dict[tuple[int, int, int], Branches] = attrs.field(
        factory=dict[tuple[int, int, int], Branches]
    )
    _pushed: dict[tuple[int, int, int], Any] = attrs.field(factory=dict[tuple[int, int, int], Any])

    def add(self, stepper: Stepper) -> int:
        """A new stepper's number."""
        self._steppers.append(stepper)
        return len(self._steppers) - 1

    def certain(self, state: Any) -> int:
        """The law of a state that is known."""
        return self._law(((self.states(state), 1),))

    def support(self, law: int) -> list[int]:
        """The numbers of the states that may be."""
        return [state for state, _ in self.laws[law]]

    def push(self, stepper: int, law: int, query: int) -> Pushed | None:
        """What a query makes of a law; None if it is refused."""
        key = stepper, law, query
        if key not in self._pushed:
            self._pushed[key] = self._push(*key)
        known: Pushed | None = self._pushed[key]
        return known

    def _push(self, stepper: int, number: int, query: int) -> Pushed | None:
        law = self.laws[number]
        steps = [self._branches(stepper, state, query) for state, _ in law]
        refused = sum(not branches for _, branches in steps)
        if refused and refused < len(law):
            raise CompositionError(
                "the mechanism refuses a message depending on its hidden state; "
                "a refusal must be a function of what is public"
            )
        if refused and self._steppers[stepper].tells_refusals:
            return 1, {self.messages(REFUSAL): (1, number)}
        if refused:
            return None
        common = math.lcm(*(denominator for denominator, _ in steps))
        laws: dict[int, dict[int, int]] = {}
        for (_, weight), (denominator, branches) in zip(law, steps, strict=True):
            weight *= common // denominator
            for answer, to, probability in branches:
                own = laws.setdefault(answer, {})
                own[to] = own.get(to, 0) + weight * probability
        return common, {answer: self._reduced(own) for answer, own in laws.items()}

    def _branches(self, stepper: int, state: int, query: int) -> Branches:
        """As ``branches``, in numbers, over a common denominator."""
        key = stepper, state, query
        known = self._steps.get(key)
        if known is None:
            step, is_over, _ = self._steppers[stepper]
            found = branches(step, self.states.values[state], self.messages.values[query])
            common = math.lcm(*(p.denominator for p, _ in found))
            known = self._steps[key] = (
                common,
                [
                    (self._answer(after, answer, is_over), self.states(after), int(p * common))
                    for p, (after, answer) in found
                ],
            )
        return known

    def _answer(self, state: Any, answer: Any, is_over: IsOver) -> int:
        """Its number; a HALT that does not end the interaction is told from one that does."""
        passed_on = answer is HALT and not ends(state, answer, is_over)
        return self.messages(PASSED_ON if passed_on else answer)

    def _reduced(self, weights: dict[int, int]) -> tuple[int, int]:
        """The greatest common divisor, and the number of the law without it."""
        factor = math.gcd(*weights.values())
        law = tuple(sorted((state, w // factor) for state, w in weights.items() if w))
        return factor, self._law(law)

    def _law(self, law: Law) -> int:
        number = self._ids.setdefault(law, len(self.laws))
        if number == len(self.laws):
            self.laws.append(law)
            self.totals.append(sum(weight for _, weight in law))
        return number


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
PASSED_ON = object()
"""The HALT of a part of the mechanism, which goes on."""
REFUSAL = Refused("the message is refused")
"""Stands for the answer of a mechanism that refuses a message; its state is unchanged."""


class _RefusedStep(Exception):
    """The mechanism refused the message before drawing a coin."""
