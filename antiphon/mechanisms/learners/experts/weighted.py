"""Draws by weight; and exponential weights, by which an expert is worth e^(-η·(its losses))."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import ClassVar, Generic, NamedTuple

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.mechanisms import fields
from antiphon.mechanisms.counters.factors.rows import row
from antiphon.mechanisms.learners.learner import Learner, Losses
from antiphon.mechanisms.learners.online import State
from antiphon.mechanisms.noise.selection import root
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.exact import ExactEpsilon, Log
from antiphon.protocol.coins import Coins
from antiphon.protocol.registry import register


@register("antiphon.Holding/1", state=True)
class Holding(NamedTuple):
    """What is over, and who is followed."""

    rounds: int
    """Losses that have come."""
    scores: Losses
    """Minus the sums of the losses, each expert's."""
    expert: int | None
    """Who is followed; None before the first message, when nobody has been drawn."""
    batch: int = 0
    """The losses of that expert in the batch that is under way."""
    drawn: int = 0
    """How often it drew anew, where that is counted."""


@attrs.frozen(kw_only=True)
class ByWeight(Learner[State], Generic[State]):
    """A learner that draws experts by the weights e^(``unit``·score), scores whole. Abstract.

    Whom it follows has just this law where losses do not depend on what is shown.
    """

    law_known: ClassVar[bool] = True
    """Whether that law is ``marginal``."""

    unit: ExactEpsilon = attrs.field(init=False, eq=False, repr=False)

    def _drawn(self, scores: NDArray[np.int64], coins: Coins) -> int:
        """An expert by its weight."""
        return coins.categorical_exp(self.unit, scores.view(np.ndarray))

    @property
    def initial_scores(self) -> Losses:
        """Before any loss."""
        return row(np.zeros(self.experts), np.int64)

    def scored(self, scores: Losses, losses: Losses) -> Losses:
        """The scores after each of some losses: here, minus the sums."""
        path: Losses = scores - losses.cumsum(axis=0)
        return path

    @property
    @abstractmethod
    def period(self) -> int:
        """The rounds between two times at which it may change its mind."""

    def marginal(self, scores: NDArray[np.int64]) -> NDArray[np.float64]:
        """The law of who is followed, by the scores at the last time it could change its mind.

        A table of scores, one in each row, gives a table.
        """
        exponents = scores * float(self.unit)
        weights = np.exp(exponents - exponents.max(axis=-1, keepdims=True))
        law: NDArray[np.float64] = weights / weights.sum(axis=-1, keepdims=True)
        return law

    def expected_losses(self, scores: NDArray[np.int64], losses: Losses) -> NDArray[np.float64]:
        """The expected loss in each round, of whole periods, after those that gave the scores."""
        ends = self.scored(scores, losses)[self.period - 1 : -1 : self.period]
        law = self.marginal(np.concatenate([scores[None, :], ends]))
        held = law.repeat(self.period, axis=0)[: len(losses)]
        expected: NDArray[np.float64] = np.einsum("td,td->t", held, losses)
        return expected


@attrs.frozen(kw_only=True)
class Weighted(ByWeight[Holding]):
    """A learner that draws experts by the weights e^(-η·(sum of losses)), η = ``rate``. Abstract.

    η is rational; or ``Log(q)``, q the ``grid``-th power of a rational: then all weights
    are rational and runs can be enumerated.
    """

    rate: ExactEpsilon = attrs.field(converter=fields.rate)

    def __attrs_post_init__(self) -> None:
        Learner.__attrs_post_init__(self)
        self._set(unit=part(self.rate, self.grid))

    @property
    def initial_state(self) -> Holding:
        return Holding(0, self.initial_scores, None)

    def rounds(self, state: Holding) -> int:
        return state.rounds

    def _advise(self, state: Holding, coins: Coins) -> tuple[Holding, int]:
        expert = state.expert
        if expert is None:
            expert = coins.uniform_integer(self.experts)
            state = state._replace(expert=expert)
        return state, expert


def part(rate: ExactEpsilon, grid: int) -> ExactEpsilon:
    """rate/grid. Raises: InvalidArgument for a Log of what is no such power of a rational."""
    if not isinstance(rate, Log):
        return rate / grid
    ends = rate.argument.numerator, rate.argument.denominator
    top, bottom = (root(end, grid) for end in ends)
    if (top**grid, bottom**grid) != ends:
        raise InvalidArgument(
            f"with rate=Log(q) and grid={grid}, q must be the {grid}-th power of a rational; or "
            "give the rate as a number"
        )
    return exact.epsilon(Log(Fraction(top, bottom)))


def times(unit: ExactEpsilon, steps: int) -> ExactEpsilon:
    """unit·steps."""
    return exact.epsilon(Log(unit.argument**steps)) if isinstance(unit, Log) else unit * steps
