"""The Laplace mechanism, and a grid for its answers."""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import Any

import attrs

from antiphon.protocol import exact
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.claims import Claim, Pure, Status
from antiphon.protocol.coins import Coins
from antiphon.protocol.columns import is_number
from antiphon.protocol.errors import CompositionError, InvalidArgument
from antiphon.protocol.messages import HALT
from antiphon.protocol.post_processor import LEFT, RIGHT, PostProcessor, Side
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
    distinct,
)
from antiphon.verifiers.functions import neighbouring_start
from antiphon.verifiers.relations import Within

_LARGEST = sys.float_info.max
_SMALLEST = sys.float_info.min


def _epsilon(value: object) -> Fraction:
    return exact.positive(value, "epsilon")


def _sensitivity(value: object) -> Fraction:
    return exact.positive(value, "sensitivity")


@register("antiphon.Laplace/1")
@attrs.frozen
class Laplace(NoninteractiveMechanism[float, float]):
    """x ↦ x + Lap(sensitivity/ε): the Laplace mechanism on a real number.

    NIM: a finite float -> a float, then HALT.
    Privacy: ε-DP w.r.t. f_∼ with |x - x'| <= sensitivity; *assumed*: proved for real
    arithmetic, while doubles leave gaps that reveal data (Mironov 2012). Simulation
    only, not for release. Source: Dwork, McSherry, Nissim, Smith 2006.
    Raises: InvalidArgument for epsilon or sensitivity not positive.
    """

    epsilon: Fraction = attrs.field(converter=_epsilon, kw_only=True)
    sensitivity: Fraction = attrs.field(default=Fraction(1), converter=_sensitivity, kw_only=True)
    _scale: float = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        scale = self.sensitivity / self.epsilon
        if not _SMALLEST <= scale <= _LARGEST:
            raise InvalidArgument("sensitivity/epsilon must be a number that a double can hold")
        object.__setattr__(self, "_scale", float(scale))

    @property
    def signature(self) -> Signature:
        return Signature(Reals(), Reals(), Reals())

    @property
    def claims(self) -> tuple[Claim, ...]:
        f = neighbouring_start(Within(self.sensitivity))
        source = "Dwork et al. 2006; in doubles only assumed (Mironov 2012)"
        return (Claim(Pure(self.epsilon), f, Status.ASSUMED, source),)

    def respond(self, dataset: float, coins: Coins) -> float:
        return min(max(dataset + coins.laplace(self._scale), -_LARGEST), _LARGEST)

    respond_many = respond


def _step_size(value: object) -> float:
    return float(exact.positive(value, "step_size"))


@register("antiphon.RoundToGrid/1")
@attrs.frozen
class RoundToGrid(PostProcessor[None]):
    """IPM: rounds numbers on their way left to the nearest multiple of ``step``.

    Makes real answers discrete, as the theorems of CM §4-5 ask; other answers and
    all queries pass unchanged, so the claims of the mechanism carry over (CM Lemma 2.15).
    Raises: InvalidArgument for step not positive; CompositionError if the mechanism
    on the right answers no numbers.
    """

    step_size: float = attrs.field(default=1.0, converter=_step_size)
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

    def step(self, state: None, side: Side, message: Any, coins: Any) -> tuple[None, Side, Any]:
        if side is LEFT:
            return None, RIGHT, message
        return None, LEFT, self._round(message)

    step_many = step

    def _round(self, answer: Any) -> Any:
        if is_number(answer, float) and abs(answer / self.step_size) < DENSE:
            place = round(answer / self.step_size)
            rounded = place * self.step_size
            if abs(rounded) > _LARGEST:  # the nearest multiple is past the largest double
                rounded = (place - 1 if place > 0 else place + 1) * self.step_size
            return rounded
        return answer
