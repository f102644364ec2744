"""What looks like a filter or an odometer and is none, for the broken twins."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import attrs

from antiphon.composition.filters.budget import Budget, Filter, Refusal
from antiphon.numbers.exact import ExactEpsilon
from antiphon.protocol.adversary import Adversary, adversary
from antiphon.protocol.coins import Coins
from antiphon.protocol.measures.kinds import Measure, parameters_of
from antiphon.protocol.messages import HALT, Ask, Pair, same
from antiphon.selfcheck.theorems.statements import Parameters, composed

Charged = tuple[Parameters, ...]
_NOTHING = (Fraction(0), Fraction(0))


@attrs.frozen
class NaturalFilter(Budget[Charged]):
    """Go on while Comp[RR_{ε_i,δ_i}] of what was charged, as if fixed in advance, is (ε, δ)-DP."""

    epsilon: ExactEpsilon
    delta: Fraction

    @property
    def initial_state(self) -> Charged:
        return ()

    def charge(self, state: Charged, measure: Measure) -> Charged | Refusal:
        parameters = parameters_of(measure)
        assert parameters is not None
        after = (*state, parameters)
        [(_, delta)] = composed(after, [self.epsilon])
        return after if delta <= self.delta else Refusal(parameters, _NOTHING, _NOTHING)


@attrs.frozen
class Forgetful(Budget[Any]):
    """Charges each creation as if it were the first."""

    budget: Filter

    @property
    def initial_state(self) -> Any:
        return self.budget.initial_state

    def charge(self, state: Any, measure: Measure) -> Any:
        after = self.budget.charge(state, measure)
        return after if type(after) is Refusal else state


def quantile(growth: int, number: int, beta: Fraction) -> int:
    """The least whole m with P(loss > m ln q) <= beta after so many RR_{ln q}, q = ``growth``."""
    weights = [math.comb(number, lies) * growth ** (number - lies) for lies in range(number + 1)]
    worse = list(itertools.accumulate(weights))  # with at most so many lies
    allowed = beta * (growth + 1) ** number
    fits = max((lies for lies in range(number + 1) if worse[lies] <= allowed), default=-1)
    return number - 2 * (fits + 1)


def stopping(creation: object, readings: Sequence[int]) -> Adversary:
    """Asks RR after RR for (0, 1) until the loss is above its reading, ``readings[n-1]`` after n.

    The answer (0, ⊥) of an RR is a loss of one, (1, ⊥) of minus one.
    """

    @adversary
    def attack(answers: Sequence[object], coins: Coins) -> object:
        asked, creating = divmod(len(answers), 2)
        if creating:
            return Pair(Ask(0, asked), Ask(1, asked))
        if asked and (asked == len(readings) or exceeds(answers, readings)):
            return HALT
        return same(creation)

    return attack


def exceeds(answers: Sequence[object], readings: Sequence[int]) -> bool:
    """Whether the loss is now above its reading."""
    told = _bits(answers[1::2])
    return bool(told) and len(told) - 2 * sum(told) > readings[len(told) - 1]


def _bits(answers: Sequence[Any]) -> list[int]:
    return [answer[0] for answer in answers if answer is not HALT]
