"""What a law of a learner's mistakes answers, whichever way it was found.

Streams are of ⊥ and (1, 1) only, told as the rounds of the (1, 1): ``hits``, ascending, from 1, …,
T. τ is the first round whose hypothesis is not f⁽⁰⁾.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar, Literal, TypeAlias, Union

import attrs

from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.interval import down, up
from antiphon.numbers.printed import shown_up

How: TypeAlias = Literal["exact", "in doubles", "simulated"]
Number: TypeAlias = Union[Fraction, float]
Hits: TypeAlias = Sequence[int]
"""The rounds of the samples (1, 1)."""


@attrs.frozen
class MistakeFigure:
    """A probability or an expectation, and an interval for it: a point unless it is simulated."""

    value: Number
    low: Number
    high: Number
    how: How

    @classmethod
    def at(cls, value: Number, how: How) -> MistakeFigure:
        """Without an interval."""
        return cls(value, value, value, how)

    def to_dict(self) -> dict[str, object]:
        """For JSON; exact figures are fractions in words, too."""
        told = {"value": _safe(self.value, up), "low": _safe(self.low, down)}
        told["high"] = _safe(self.high, up)
        exactly = {"exactly": str(self.value)} if isinstance(self.value, Fraction) else {}
        return {**told, "how": self.how, **exactly}

    def __str__(self) -> str:
        value = shown_up(self.value, 4)
        if not self.low < self.high:
            return value
        if self.high == math.inf:
            return f"{value} ± inf"
        middle = Fraction(value)
        low, high = exact.fraction(self.low), exact.fraction(self.high)
        return f"{value} ± {shown_up(max(middle - low, high - middle), 2)}"


def _safe(value: Number, rounded: Callable[[Fraction], float]) -> float:
    return rounded(value) if isinstance(value, Fraction) else float(value)


class MistakeLaw(ABC):
    """Of one learner, for ``rounds`` rounds. Abstract."""

    how: ClassVar[How]
    rounds: int

    @abstractmethod
    def left(self, hits: Hits, times: Sequence[int]) -> list[Number]:
        """P(τ <= t) for some times t >= 0, on the stream with these hits."""

    @abstractmethod
    def mistakes(self, hits: Hits) -> MistakeFigure:
        """E[M] on the stream with these hits."""

    def concentration(self) -> MistakeFigure:
        """The least β with which it is β-concentrated: P(τ <= T) where all samples are ⊥."""
        return MistakeFigure.at(self.left((), [self.rounds])[0], self.how)

    def check(self, hits: Hits) -> Hits:
        """Raises: InvalidArgument for hits that are no rounds, ascending."""
        if isinstance(hits, range) and hits.step == 1:
            ascending = not hits or (hits.start >= 1 and hits.stop <= self.rounds + 1)
        else:
            told = [0, *hits, self.rounds + 1]
            ascending = all(a < b for a, b in pairwise(told))
        if not ascending:
            raise InvalidArgument(f"hits are ascending rounds from 1, …, {self.rounds}")
        return hits


def every_round(rounds: int) -> range:
    """The hits of the adversary that is wrong every round for f⁽⁰⁾."""
    return range(1, rounds + 1)
