"""Exponential weights: learners that draw an expert with weight e^(-η·(total loss)), in each round
or seldom."""

import math
from abc import abstractmethod
from fractions import Fraction
from typing import Any, ClassVar, Final, Generic, NamedTuple, Self

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.composition.accounting.calibration import short_rate
from antiphon.learners.learner import InBlocks, Learner, Losses, State
from antiphon.mechanisms import fields
from antiphon.mechanisms.counters.factors.rows import row
from antiphon.numbers import CompositionError, ExactEpsilon, InvalidArgument, Log, exact
from antiphon.populations.each_replica import for_each
from antiphon.protocol import HALT, Coins, column_safe, register
from antiphon.protocol.post_processor import AnswerPostProcessor
from antiphon.protocol.registry import set_derived
from antiphon.protocol.spaces import Arrays, Integers, Signature

_LONGEST: Final = 1 << 17
"""The largest length, in bits, of an integer in the rational probabilities of a coin."""


@register("antiphon.Holding/1", state=True)
class Holding(NamedTuple):
    """The state of a learner that draws an expert by weight, and holds it for a time."""

    rounds: int
    """The number of losses so far."""
    scores: Losses
    """The experts' scores: minus their total losses, in steps of 1/grid."""
    expert: int | None
    """The expert that is followed; None before the first message."""
    batch: int = 0
    """The loss of the followed expert in the current batch, in steps of 1/grid."""
    drawn: int = 0
    """The number of draws of a new expert so far, if they are limited; else 0."""


@attrs.frozen(kw_only=True)
class ByWeight(Learner[State], Generic[State]):
    """A learner that draws experts with weights e^(``unit``·score), for integer scores. Abstract.

    If losses do not depend on the advice, the followed expert has exactly this law.
    """

    law_known: ClassVar[bool] = True
    """Whether ``marginal`` gives the law of the followed expert, if losses do not depend on the
    advice."""

    unit: ExactEpsilon = attrs.field(init=False, eq=False, repr=False)

    def _drawn(self, scores: NDArray[np.int64], coins: Coins) -> int:
        """Draws an expert with probability proportional to e^(``unit``·score)."""
        return coins.categorical_exp(self.unit, scores.view(np.ndarray))

    @property
    @abstractmethod
    def initial_scores(self) -> Losses:
        """The scores of the experts before any loss."""

    @abstractmethod
    def scored(self, scores: Losses, losses: Losses) -> Losses:
        """The scores of the experts after each of the losses, a row for each loss."""

    @property
    @abstractmethod
    def period(self) -> int:
        """The number of rounds for which an expert is followed before the learner may change it."""

    def marginal(self, scores: NDArray[np.int64]) -> NDArray[np.float64]:
        """The probabilities of following each expert, given the experts' ``scores`` when the
        learner last could change its expert.

        A table of scores, one in each row, gives a table.
        """
        exponents = scores * float(self.unit)
        weights = np.exp(exponents - exponents.max(axis=-1, keepdims=True))
        law: NDArray[np.float64] = weights / weights.sum(axis=-1, keepdims=True)
        return law

    def expected_losses(self, scores: NDArray[np.int64], losses: Losses) -> NDArray[np.float64]:
        """The learner's expected loss in each round of the table ``losses``, before whose first
        round it may change its expert, given the experts' ``scores`` then."""
        ends = self.scored(scores, losses)[self.period - 1 : -1 : self.period]
        law = self.marginal(np.concatenate([scores[None, :], ends]))
        held = law.repeat(self.period, axis=0)[: len(losses)]
        expected: NDArray[np.float64] = np.einsum("td,td->t", held, losses)
        return expected


@attrs.frozen(kw_only=True)
class Weighted(ByWeight[Holding]):
    """A learner that draws experts with weights e^(-η·(total loss)), η = ``rate``. Abstract.

    η is rational; or ``Log(q)``, q the ``grid``-th power of a rational: then all weights
    are rational and runs can be enumerated.
    """

    rate: ExactEpsilon = attrs.field(converter=fields.rate)

    def __attrs_post_init__(self) -> None:
        Learner.__attrs_post_init__(self)
        set_derived(self, unit=part(self.rate, self.grid))

    @property
    def initial_scores(self) -> Losses:
        return row(np.zeros(self.experts), np.int64)

    def scored(self, scores: Losses, losses: Losses) -> Losses:
        path: Losses = scores - losses.cumsum(axis=0)
        return path

    @property
    def initial_state(self) -> Holding:
        return Holding(0, self.initial_scores, None)

    def _advise(self, state: Holding, coins: Coins) -> tuple[Holding, int]:
        expert = state.expert
        if expert is None:
            expert = coins.uniform_integer(self.experts)
            state = state._replace(expert=expert)
        return state, expert


def part(rate: ExactEpsilon, grid: int) -> ExactEpsilon:
    """The learning rate for losses in steps of 1/grid: rate/grid. Raises: InvalidArgument for
    Log(q) if q is no grid-th power of a rational."""
    try:
        return exact.epsilon(rate / grid)
    except InvalidArgument:
        raise InvalidArgument(
            f"with rate=Log(q) and grid={grid}, q must be the {grid}-th power of a rational; or "
            "give the rate as a number"
        ) from None


def check_length(unit: ExactEpsilon, steps: Fraction | int, names: str) -> None:
    """Checks that the rational e^(unit·steps), for a ``unit`` that is a Log, has few enough digits
    for an exact coin.

    Raises: InvalidArgument, which names the parameters ``names`` as the cause.
    """
    if isinstance(unit, Log) and steps * unit.argument.numerator.bit_length() > _LONGEST:
        raise InvalidArgument(
            f"rate=Log(q) has too many digits for this {names}; give the rate as a number"
        )


def times(unit: ExactEpsilon, steps: int) -> ExactEpsilon:
    """The exact product of a number, also of the form Log(q), and a number of steps."""
    return exact.epsilon(Log(unit.argument**steps)) if isinstance(unit, Log) else unit * steps


@attrs.frozen(kw_only=True)
class Unprotected(Weighted):
    """A non-private learner that uses every loss, for comparison. Abstract."""

    private: ClassVar[bool] = False

    @classmethod
    def tuned(cls, *, horizon: int, experts: int, grid: int = 1) -> Self:
        """The learner with the rate √(8 ln d/T), d = ``experts`` and T = ``horizon``, for which the
        regret bound is least."""
        return cls(horizon=horizon, experts=experts, grid=grid, rate=best_rate(horizon, experts))

    @property
    def period(self) -> int:
        return 1


@register("antiphon.Hedge/1")
@attrs.frozen(kw_only=True)
class Hedge(Unprotected):
    """The non-private learner Hedge: after each loss it draws an expert x ∝ e^(-η·(total loss of
    x)), η = ``rate``.

    Expected regret: at most ln d/η + ηT/8, and so √(T ln d/2) when ``tuned``.
    Privacy: none is claimed, so no verifier lets it be created.
    Source: Littlestone and Warmuth 1994; Freund and Schapire 1997; the constant: Cesa-Bianchi and
    Lugosi 2006, Thm 2.2.

    >>> import numpy as np
    >>> session = Hedge(horizon=9, experts=2, rate=100).start(seed=1)
    >>> session.send(np.array([1, 0])), session.send("advice")
    (TOP, 1)
    """

    def _learn(self, state: Holding, loss: Losses, coins: Coins) -> Holding:
        scores = state.scores - loss
        return Holding(state.rounds + 1, scores, self._drawn(scores, coins))


def best_rate(horizon: int, experts: int) -> Fraction:
    """The learning rate η = √(8 ln d/T), to twenty bits, at which ln d/η + ηT/8 is least, d =
    ``experts`` and T = ``horizon``. Raises: InvalidArgument."""
    rounds, several = exact.whole(horizon, "horizon"), max(exact.whole(experts, "experts"), 2)
    return short_rate(math.sqrt(8 * math.log(several) / rounds))


@attrs.frozen(kw_only=True)
class Dartboard(Weighted, InBlocks):
    """A learner that follows one expert x for batches of ``period`` rounds; after each batch it
    keeps x or draws anew. Abstract.

    After a batch in which it lost L_b(x), it stays with x with probability e^(-``exponent``(L_b)),
    and else draws anew by weight. If that probability is a constant times e^(-ηL_b(x)), the ratio
    of the new weight of x and the old one, the law of x stays ∝ weight: against losses that do not
    depend on the advice, x has the marginal law of ``Hedge``.
    """

    draws: ClassVar[int | None] = None
    """The number of new draws after which the expert is kept for good; None for no limit."""

    @abstractmethod
    def exponent(self, loss: int) -> ExactEpsilon:
        """The exponent a of the probability e^(-a) to keep an expert with the total loss ``loss``
        in the batch, in steps of 1/grid."""

    def _learn(self, state: Holding, loss: Losses, coins: Coins) -> Holding:
        _, expert = self._advise(state, coins)
        rounds, scores = state.rounds + 1, state.scores - loss
        batch = state.batch + int(loss[expert])
        if rounds % self.period or rounds == self.horizon:
            return Holding(rounds, scores, expert, batch, state.drawn)
        if self._stays(batch, state.drawn, coins):
            return Holding(rounds, scores, expert, 0, state.drawn)
        return Holding(rounds, scores, self._drawn(scores, coins), 0, self._counted(state.drawn))

    def _stays(self, batch: int, drawn: int, coins: Coins) -> bool:
        return drawn == self.draws or coins.bernoulli_exp(self.exponent(batch))

    def _counted(self, drawn: int) -> int:
        return drawn if self.draws is None else drawn + 1

    def _follow(self, state: Holding, losses: Losses, coins: Coins) -> tuple[Holding, Losses]:
        # Scores are updated only before a new draw, by the sum of the losses since the last one:
        # this is faster.
        (rounds, scores, _, batch, drawn), (_, expert) = state, self._advise(state, coins)
        shown, since, period = np.empty(len(losses), np.int64), 0, self.period
        for place, loss in enumerate(losses):
            shown[place], batch, rounds = expert, batch + int(loss[expert]), rounds + 1
            if rounds % period or rounds == self.horizon:
                continue
            if not self._stays(batch, drawn, coins):
                scores, since = scores - losses[since : place + 1].sum(axis=0), place + 1
                expert, drawn = self._drawn(scores, coins), self._counted(drawn)
            batch = 0
        return Holding(rounds, scores - losses[since:].sum(axis=0), expert, batch, drawn), shown


@register("antiphon.ShrinkingDartboard/1")
@attrs.frozen(kw_only=True)
class ShrinkingDartboard(Dartboard, Unprotected):
    """A non-private learner that keeps its expert x after each loss ℓ(x) with probability
    e^(-ηℓ(x)), η = ``rate``.

    Expected regret as for ``Hedge``, against losses that do not depend on the advice, with O(√(T ln
    d)) switches. Privacy: none is claimed: a switch reveals that x had a loss. Source: Geulen,
    Vöcking and Winkler 2010, with e^(-ηℓ) for (1-η)^ℓ.
    """

    def exponent(self, loss: int) -> ExactEpsilon:
        return times(self.unit, loss)


STEPS: Final = 1 << 8
"""Sums in doubles are rounded to multiples of 1/``STEPS``."""
_FARTHEST: Final = 1 << 52
"""The largest absolute value of an integer score of ``Softmax``; to clip it is post-processing."""


@register("antiphon.Softmax/1")
@column_safe
@attrs.frozen(kw_only=True)
class Softmax(AnswerPostProcessor):
    """A post-processor that answers a loss by an expert x ∝ e^(-η·sum_x), η = ``rate``, where the
    mechanism on its right provides noisy sums.

    (LEFT, loss) -> (RIGHT, loss); (RIGHT, sums) -> (LEFT, the expert to follow in the next round).
    η = ``rate`` for one unit of a sum. On its right: a mechanism that answers each update by an
    array of sums, such as ``CountAfter`` of a counter with a ``dimension``: follow the regularised
    leader, on noisy sums. HALT goes left unchanged. Sums in doubles are rounded to 1/256. Privacy:
    that of the mechanism on its right, w.r.t. the same verification function (CM Lemma 2.15),
    because Softmax uses answers only. Source: Agarwal and Singh 2017 (on a tree). Raises:
    CompositionError for a mechanism that answers anything but arrays of one axis.
    """

    rate: ExactEpsilon = attrs.field(converter=fields.rate)
    _fine: Fraction | None = attrs.field(init=False, eq=False, repr=False)
    """η/``STEPS``: the learning rate if sums are doubles, which are rounded to whole steps of
    1/``STEPS``; None if η is a Log(q), with which doubles are refused."""

    def __attrs_post_init__(self) -> None:
        fine = None if isinstance(self.rate, Log) else self.rate / STEPS
        set_derived(self, _fine=fine)

    def signature(self, right: Signature) -> Signature:
        sums = right.answers
        if not isinstance(sums, Arrays) or len(sums.shape) != 1:
            raise CompositionError(
                "Softmax reads arrays of sums, one for each expert; the right answers "
                f"{sums}: put CountAfter() between it and a counter with a dimension"
            )
        if isinstance(self.rate, Log) and sums.dtype != "int64":
            raise CompositionError("rate=Log(q) is for sums of whole numbers: give it as a number")
        return Signature(right.queries, Integers(0, sums.shape[0] - 1), right.updates)

    def replaced(self, answer: Any, coins: Coins) -> object:
        return HALT if answer is HALT else self.drawn(answer, coins)

    def drawn(self, sums: NDArray[np.generic], coins: Coins) -> int:
        """Draws the expert to follow, given the noisy sum of each expert."""
        rate = self.rate if sums.dtype == np.int64 else self._fine
        assert rate is not None  # Sums in doubles with a rate Log(q) are refused by ``signature``.
        return coins.categorical_exp(rate, for_each(_scores, sums))


def _scores(sums: NDArray[Any]) -> NDArray[np.int64]:
    """The experts' integer scores: minus the sums, in whole steps of 1/``STEPS`` for doubles."""
    scores: NDArray[np.int64]
    if sums.dtype == np.int64:
        scores = -np.clip(sums.astype(np.int64, copy=False), -_FARTHEST, _FARTHEST)
        return scores
    steps = np.multiply(sums, -float(STEPS), dtype=np.float64)
    np.rint(steps, out=steps)
    # Clipping is slow in NumPy, so it is done only where a sum is beyond the bounds.
    if not -_FARTHEST <= steps[steps.argmin()] <= steps[steps.argmax()] <= _FARTHEST:
        np.clip(steps, -_FARTHEST, _FARTHEST, out=steps)
    scores = steps.astype(np.int64)
    return scores
