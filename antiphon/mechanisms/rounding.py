"""A grid for real answers: what makes them discrete, as the theorems of CM §4-5 ask."""

from __future__ import annotations

import sys
from typing import Any, Final

import attrs

from antiphon.mechanisms import fields
from antiphon.numbers.errors import CompositionError
from antiphon.protocol.chain import PostProcessor
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.cursor import LEFT, RIGHT, Side
from antiphon.protocol.messages import HALT, STAND_IN, distinct
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import (
    DENSE,
    Either,
    Finite,
    Integers,
    Multiples,
    Reals,
    Signature,
    Space,
    Tuples,
)

_LARGEST: Final = sys.float_info.max


@register("antiphon.RoundToGrid/1")
@column_safe
@attrs.frozen
class RoundToGrid(PostProcessor[None]):
    """IPM: rounds numbers on their way left to the nearest multiple of ``step``.

    Makes real answers discrete, as the theorems of CM §4-5 ask; other answers and
    all queries pass unchanged, so the claims of the mechanism carry over (CM Lemma 2.15).
    Raises: InvalidArgument for step not positive; CompositionError if the mechanism
    on the right answers no numbers.
    """

    step_size: float = attrs.field(default=1.0, converter=fields.double)
    deterministic = True
    forwards_queries = True

    @property
    def initial_state(self) -> None:
        return None

    def signature(self, right: Signature) -> Signature:
        return Signature(right.queries, self._rounded(right.answers), right.updates)

    def _rounded(self, answers: Space) -> Space:
        if isinstance(answers, Reals):
            return Either((Multiples(self.step_size), Finite((HALT,))))
        if isinstance(answers, Either):
            return Either(tuple(map(self._rounded, answers.spaces)))
        if isinstance(answers, Multiples):
            return Multiples(self.step_size)
        if isinstance(answers, Finite):
            return Finite(distinct(map(self._round, answers.values)))
        if isinstance(answers, Integers | Tuples):
            return answers
        raise CompositionError(f"RoundToGrid rounds numbers; the mechanism answers {answers}")

    def is_over(self, state: None) -> None:
        return None

    def step(
        self, state: None, side: Side, message: object, coins: Coins
    ) -> tuple[None, Side, object]:
        if side is LEFT:
            return None, RIGHT, message
        return None, LEFT, self._round(message)

    def _round(self, answer: Any) -> Any:
        if STAND_IN.number(answer) is float and abs(answer / self.step_size) < DENSE:
            place = round(answer / self.step_size)
            rounded = place * self.step_size
            if abs(rounded) > _LARGEST:  # the nearest multiple is past the largest double
                rounded = (place - 1 if place > 0 else place + 1) * self.step_size
            return rounded
        return answer
