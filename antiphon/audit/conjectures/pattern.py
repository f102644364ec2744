"""What a conjecture is about: which mechanisms are composed, and how."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

import attrs

from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.exact import ExactEpsilon, Log
from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.measures.kinds import Approximate
from antiphon.protocol.messages import Pair, identical, same
from antiphon.protocol.registry import register
from antiphon.protocol.verification import Refused, Verification

ONE_SIDED: Final = (Pair(0, 1), same(2))
"""A bit that may differ, one way round only, and a public question."""
BOTH_SIDES: Final = (Pair(0, 1), Pair(1, 0), same(2))
"""The same, either way round."""
_MOST: Final = 4
"""Mechanisms created: the table of all views grows with the power of it."""


@register("antiphon.ListedPairs/1")
@attrs.frozen
class ListedPairs(Verification[int, object]):
    """f' that allows these pairs only, of which at most ``events`` that differ. Prefix-closed.

    State: how many differing pairs have come.
    """

    pairs: tuple[Pair[object], ...] = ONE_SIDED
    events: int = 1

    @property
    def initial_state(self) -> int:
        return 0

    def step(self, state: int, zero: object, one: object, /) -> int | Refused:
        if not any(identical(each, Pair(zero, one)) for each in self.pairs):
            return Refused("a pair that is not listed")
        if identical(zero, one):
            return state
        return state + 1 if state < self.events else Refused("more pairs differ than may")


@attrs.frozen
class Pattern:
    """n mechanisms, each (ε, δ)-DP w.r.t. its own f', of which at most k see a difference.

    f_∞ of CM Def. 5.1 with n creations; k = n is the composition of fixed mechanisms (Def. 4.9).
    ``inner``: f', which lists what may be said to each.
    """

    epsilon: ExactEpsilon = attrs.field(converter=exact.epsilon)
    delta: Fraction = attrs.field(converter=exact.probability)
    creations: int
    sparse: int
    inner: ListedPairs = ListedPairs()

    def __attrs_post_init__(self) -> None:
        if type(self.creations) is not int or not 1 <= self.creations <= _MOST:
            raise InvalidArgument(f"creations is a whole number from 1 to {_MOST}")
        if type(self.sparse) is not int or not 1 <= self.sparse <= self.creations:
            raise InvalidArgument("sparse is a whole number from 1 to the number of creations")

    @property
    def growth(self) -> float:
        """e^ε, for the search; the judgement is exact."""
        return grown(self.epsilon)

    @property
    def claim(self) -> Claim:
        """What each mechanism claims, truly."""
        measure = Approximate(self.epsilon, self.delta)
        return Claim(measure, self.inner, Status.PROVED, "computed exactly (antiphon.audit.exact)")

    @property
    def pairs(self) -> tuple[Pair[object], ...]:
        """What may be said to each mechanism."""
        return self.inner.pairs

    @property
    def inputs(self) -> tuple[object, ...]:
        """What a mechanism may hear."""
        found: list[object] = []
        for side in (side for pair in self.pairs for side in (pair.zero, pair.one)):
            if not any(identical(side, each) for each in found):
                found.append(side)
        return tuple(found)

    def valid(self, said: tuple[Pair[object], ...]) -> bool:
        """Whether f' allows a sequence of pairs."""
        state = self.inner.initial_state
        for pair in said:
            state = self.inner.step(state, pair.zero, pair.one)
            if type(state) is Refused:
                return False
        return True


def grown(epsilon: ExactEpsilon) -> float:
    """e^ε as a double."""
    return float(epsilon.argument) if isinstance(epsilon, Log) else math.exp(epsilon)
