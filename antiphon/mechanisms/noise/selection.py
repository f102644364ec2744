"""Selection of the best candidate: the exponential mechanism, permute-and-flip, report noisy max.

All take ``candidates`` scores, a tuple of ints or, with ``arrays=True``, an int64 array, and answer
with an index. Neighbours are scores that differ by at most ``sensitivity`` each (ℓ_∞); with
``monotone=True`` all differing scores go up, or all go down, as counts do if a record is added or
removed: then half the noise suffices. No score is released.
"""

import math
from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.mechanisms import fields
from antiphon.mechanisms.noise.discrete import Calibrated, laplace_bound
from antiphon.numbers import ExactEpsilon, InvalidArgument, Log, exact
from antiphon.populations.each_replica import to_scalar
from antiphon.protocol import BoundedRange, Claim, Coins, Pure, proved
from antiphon.protocol.registry import column_safe, register, set_derived
from antiphon.protocol.spaces import Arrays, Integers, Signature, Space, Tuples
from antiphon.verifiers.models import NeighbouringStart, neighbouring_start
from antiphon.verifiers.relations import EachWithin, Monotone, Near

_CANDIDATES: Final = fields.at_most(fields.MOST_COORDINATES, "choose in rounds, among groups first")
_FAINTEST: Final = 128 * math.log(2)
"""The number -ln(2^-128): rational weights below 2^-128 of the best candidate's are raised to
that."""
_LONGEST: Final = 1 << 17
"""The largest number of bits of a rational weight."""


@attrs.frozen(kw_only=True)
class Selection(Calibrated[Any, int]):
    """A mechanism that answers scores with the index of a candidate with a high score. Abstract."""

    candidates: int = attrs.field(converter=fields.size, metadata=_CANDIDATES)
    sensitivity: int = attrs.field(default=1, converter=fields.size, metadata=fields.VALUES)
    arrays: bool = attrs.field(default=False, validator=fields.boolean)
    monotone: bool = attrs.field(default=False, validator=fields.boolean)

    @property
    def signature(self) -> Signature:
        scores: Space
        if self.arrays:
            scores = Arrays((self.candidates,), "int64")
        else:
            scores = Tuples((Integers(),) * self.candidates)
        return Signature(scores, Integers(0, self.candidates - 1), scores)

    @property
    def verification(self) -> NeighbouringStart:
        """The verification function f: each score changes by at most the sensitivity; all in one
        direction, if ``monotone``."""
        return self._apart(Fraction(self.sensitivity))

    def _apart(self, bound: Fraction) -> NeighbouringStart:
        """The verification function f_∼ for scores that change by at most ``bound`` each; in one
        direction, if ``monotone``."""
        near = Near(bound, math.inf) if self.arrays else EachWithin(bound)
        return neighbouring_start(Monotone(near) if self.monotone else near)

    @property
    def swing(self) -> int:
        """The largest change, between neighbours, of the gap between two scores.

        If both scores move in one direction, by 0, …, sensitivity each, the gap changes by at most
        the sensitivity.
        """
        return self._swing(Fraction(self.sensitivity))

    def _swing(self, distance: Fraction) -> int:
        """The largest change of the gap between two integer scores that change by at most
        ``distance`` each."""
        return math.floor(distance) * (1 if self.monotone else 2)

    @abstractmethod
    def error_bound(self, *, beta: float) -> int:
        """A bound on the gap between the best score and the chosen one, with probability at
        least 1 - beta."""


@attrs.frozen(kw_only=True)
class Exponential(Selection):
    """A selection that weighs candidates by e^(-rate·gap), gap = best score - a candidate's score.
    Abstract.

    rate = ε/(2·sensitivity); ε/sensitivity if ``monotone``. ``epsilon=Log(q)`` makes all weights
    rational, where q is the 2·sensitivity-th power of a rational (the sensitivity-th, if
    ``monotone``), so that runs can be enumerated. Scores so low that their weight would be below
    2^-128 are raised: max(score, best - G) has the sensitivity of a score, and moves in the same
    direction.
    """

    epsilon: ExactEpsilon = attrs.field(converter=fields.log_epsilon)
    rate: ExactEpsilon = attrs.field(init=False, eq=False, repr=False)
    """The rate ε/swing of the weights e^(-rate·gap); swing: how far neighbours' gaps may differ."""
    _widest: int = attrs.field(init=False, eq=False, repr=False, default=0)
    """The largest gap to the best score, if ε is a ``Log``: scores with a larger gap are raised to
    this one."""

    def __attrs_post_init__(self) -> None:
        rate = divided(self.epsilon, self.swing)
        set_derived(self, rate=rate)
        if isinstance(rate, Log):
            widest = math.ceil(_FAINTEST / float(rate))
            if widest * rate.argument.numerator.bit_length() > _LONGEST:
                raise InvalidArgument(
                    "epsilon=Log(q) is too close to 0, or q too long, for rational weights; give "
                    "epsilon as a number"
                )
            set_derived(self, _widest=widest)

    def exponent(self, gap: int) -> ExactEpsilon:
        """The product rate·gap, where e^(-rate·gap) is the weight of a candidate with this gap."""
        if isinstance(self.rate, Log):
            return exact.epsilon(Log(self.rate.argument ** min(gap, self._widest)))
        return self.rate * gap

    def _cost(self, swing: int) -> ExactEpsilon:
        """The privacy loss rate·swing, for gaps that change by ``swing``; rounded up to a rational
        if it would be a ``Log`` with too many digits."""
        if not isinstance(self.rate, Log):
            return self.rate * swing
        if swing * self.rate.argument.numerator.bit_length() > _LONGEST:
            return exact.bracket(self.rate, 30)[1] * swing
        return exact.epsilon(Log(self.rate.argument**swing))

    def _raised(self, scores: NDArray[np.int64]) -> NDArray[np.int64]:
        """The scores, those far below the best raised to within ``_widest`` of it, so that the
        rational weights of a ``Log`` stay short."""
        if not isinstance(self.rate, Log):
            return scores
        least = int(scores.max()) - self._widest
        if int(scores.min()) >= least:
            return scores
        return np.maximum(scores, least)

    def error_bound(self, *, beta: float) -> int:
        """The bound (swing/ε)·ln(candidates/beta) on the gap between the best score and the chosen
        one, exceeded with probability at most beta; swing: how far neighbours' gaps
        may differ.

        Source: McSherry and Talwar 2007; for permute-and-flip McKenna and Sheldon 2020, Thm 2.
        """
        halvings = math.log(self.candidates / fields.beta(beta)) * (1 + 2.0**-40)
        rate = exact.bracket(self.rate, 30)[0]
        return max(0, math.ceil(Fraction(halvings) / rate) - 1)


def divided(epsilon: ExactEpsilon, parts: int) -> ExactEpsilon:
    """The quotient ε/parts. Raises: InvalidArgument for a Log(q) if q is not the ``parts``-th power
    of a rational.

    >>> divided(Log(9), 2)
    Log(3)
    """
    try:
        return epsilon / parts
    except InvalidArgument:
        raise InvalidArgument(
            f"with epsilon=Log(q), q must be the power {parts} (2·sensitivity, or sensitivity "
            "for monotone scores) of a rational, "
            f"such as Log(2**{parts}); or give epsilon as a number"
        ) from None


@register("antiphon.ExponentialMechanism/1")
@column_safe
@attrs.frozen(kw_only=True)
class ExponentialMechanism(Exponential):
    """The exponential mechanism: i with probability ∝ e^(ε·score_i/(2·sensitivity)), sampled
    exactly.

    With ``monotone`` ∝ e^(ε·score_i/sensitivity).
    Sampling: a uniform candidate is kept with probability e^(-rate·gap), else another is drawn: at
    most ``candidates`` tries expected. For a ``Log``, and for arrays, one draw by all weights: some
    milliseconds for a million. Privacy: ε-bounded range, so ε-DP, w.r.t. f_∼ with scores at most
    ``sensitivity`` apart; proved: no log-ratio of two weights changes by more than rate·swing = ε.
    Source: McSherry and Talwar 2007; Dong, Durfee, Rogers 2020, §3 (the range; monotone scores).
    Raises: InvalidArgument for epsilon or sensitivity not positive, and as ``divided``.

    >>> ExponentialMechanism(epsilon=100, candidates=3).start(seed=1).send((1, 5, 2))
    1
    """

    def claims_at(self, distance: object) -> tuple[Claim, ...]:
        source = "McSherry and Talwar 2007; the range: Dong, Durfee, Rogers 2020"
        if self.monotone:
            source += ", of monotone scores"
        tau = fields.distance(distance)
        cost = self._cost(self._swing(tau))
        return proved(self, Pure(cost), self._apart(tau), source, BoundedRange(cost))

    def respond(self, dataset: Any, coins: Coins) -> int:
        if self.arrays:
            return coins.categorical_exp(self.rate, self._raised(dataset))
        scores: tuple[int, ...] = to_scalar(dataset)
        best = max(scores)
        if isinstance(self.rate, Log):
            gaps = [min(best - score, self._widest) for score in scores]
            return coins.categorical([1 / self.rate.argument**gap for gap in gaps])
        while True:
            place = coins.uniform_integer(self.candidates)
            if coins.bernoulli_exp(self.exponent(best - scores[place])):
                return place


@register("antiphon.PermuteAndFlip/1")
@column_safe
@attrs.frozen(kw_only=True)
class PermuteAndFlip(Exponential):
    """Permute-and-flip: the first candidate, in random order, whose coin of probability
    e^(-rate·gap) is heads; gap = best score - the candidate's score.

    Never errs more than the exponential mechanism. Sampled exactly.
    Privacy: ε-DP w.r.t. f_∼ with scores at most ``sensitivity`` apart; proved: it has the law
    of the largest score + exponential noise of that rate, and given the others' noise, i is chosen
    iff its own noise exceeds some m, which changes by ``swing`` at most. Source: McKenna and
    Sheldon 2020, Algorithm 1, Thm 1; Ding et al. 2021 (noisy max). Raises: InvalidArgument for
    epsilon or sensitivity not positive, and as ``divided``.

    >>> PermuteAndFlip(epsilon=100, candidates=3).start(seed=1).send((1, 5, 2))
    1
    """

    def claims_at(self, distance: object) -> tuple[Claim, ...]:
        source, tau = "McKenna and Sheldon 2020, Thm 1", fields.distance(distance)
        return proved(self, Pure(self._cost(self._swing(tau))), self._apart(tau), source)

    def respond(self, dataset: Any, coins: Coins) -> int:
        told = to_scalar(dataset)
        scores: Sequence[int] = told.tolist() if self.arrays else told
        best, left = max(scores), list(range(self.candidates))
        while True:  # The loop ends, as the best candidate's coin is always heads.
            place = left.pop(coins.uniform_integer(len(left)))
            if coins.bernoulli_exp(self.exponent(best - scores[place])):
                return place


@attrs.frozen(kw_only=True)
class ByNoisyScores(Selection):
    """A selection of the candidate with the largest noisy score. The noise is discrete Laplace, of
    scale swing/ε; the swing is the most by which the gap of two scores differs between neighbours.
    A subclass defines the answer. Abstract."""

    epsilon: Fraction = attrs.field(converter=fields.positive)
    scale: Fraction = attrs.field(init=False, eq=False, repr=False)
    """The scale of the noise: swing/ε."""

    def __attrs_post_init__(self) -> None:
        set_derived(self, scale=self.swing / self.epsilon)

    def claims_at(self, distance: object) -> tuple[Claim, ...]:
        source, tau = "Dwork and Roth 2014, §3.3, with discrete noise", fields.distance(distance)
        return proved(self, Pure(self._swing(tau) / self.scale), self._apart(tau), source)

    def error_bound(self, *, beta: float) -> int:
        """A bound on the gap between the best score and the chosen one: twice a bound that all
        noises keep with probability 1 - beta (a union bound)."""
        return 2 * laplace_bound(self.scale, fields.beta(beta) / self.candidates)


@register("antiphon.ReportNoisyMax/1")
@column_safe
@attrs.frozen(kw_only=True)
class ReportNoisyMax(ByNoisyScores):
    """Report noisy max: the first candidate with the largest score + discrete Laplace noise of
    scale swing/ε, swing = 2·sensitivity.

    With ``monotone`` swing = sensitivity. A tie goes to the smallest index. Noise is sampled
    exactly.
    Privacy: ε-DP w.r.t. f_∼ with scores at most ``sensitivity`` apart; proved: given the others'
    noise, i is chosen iff its own noise is at least some m (ties decide only about m itself), and
    on a neighbour iff it is at least an m' <= m + swing; P(noise >= m + swing) >= e^(-ε)·P(noise >=
    m). Source: Dwork and Roth 2014, §3.3, with discrete noise. Raises: InvalidArgument for epsilon
    or sensitivity not positive.

    >>> ReportNoisyMax(epsilon=100, candidates=3).start(seed=1).send((1, 5, 2))
    1
    """

    def respond(self, dataset: Any, coins: Coins) -> int:
        noises = coins.discrete_laplaces(self.scale, self.candidates)
        scores: Sequence[int] = dataset.tolist() if self.arrays else dataset
        best, place = scores[0] + noises[0], 0
        for index in range(1, self.candidates):
            noisy = scores[index] + noises[index]
            if noisy > best:
                best, place = noisy, index
        return place
