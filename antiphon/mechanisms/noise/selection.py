"""Which candidate scores best: the exponential mechanism, permute-and-flip, report noisy max.

All take a tuple of ``candidates`` scores, ints, and answer with an index. Neighbours are tuples
whose entries are at most ``sensitivity`` apart, each of them (ℓ_∞). No score is told.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from fractions import Fraction
from typing import Final

import attrs

from antiphon.mechanisms import fields
from antiphon.mechanisms.noise.accuracy import laplace_bound
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.exact import ExactEpsilon, Log
from antiphon.populations.plain import plain
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.claims import Claim
from antiphon.protocol.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.measures.kinds import Pure
from antiphon.protocol.provenance import proved
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Integers, Signature, Tuples
from antiphon.verifiers.models import NeighbouringStart, neighbouring_start
from antiphon.verifiers.relations import EachWithin

_CANDIDATES: Final = fields.at_most(fields.MOST_COORDINATES, "choose in rounds, among groups first")
_FAINTEST: Final = 128 * math.log(2)
"""Of rational weights: -ln of the smallest."""
_LONGEST: Final = 1 << 17
"""And how many bits they may have."""


@attrs.frozen(kw_only=True)
class Selection(NoninteractiveMechanism["tuple[int, ...]", int]):
    """(scores) -> the index of a candidate with a high score. Abstract."""

    candidates: int = attrs.field(converter=fields.size, metadata=_CANDIDATES)
    sensitivity: int = attrs.field(default=1, converter=fields.size, metadata=fields.VALUES)

    @property
    def signature(self) -> Signature:
        scores = Tuples((Integers(),) * self.candidates)
        return Signature(scores, Integers(0, self.candidates - 1), scores)

    @property
    def verification(self) -> NeighbouringStart:
        """f: scores at most the sensitivity apart, each."""
        return neighbouring_start(EachWithin(self.sensitivity))

    @abstractmethod
    def error_bound(self, *, beta: float) -> int:
        """How far the chosen score is below the best, at most, with probability 1 - beta."""


@attrs.frozen(kw_only=True)
class Exponential(Selection):
    """Candidates weighed by e^(-rate·gap), for the gap between the best score and theirs. Abstract.

    rate = ε/(2·sensitivity).
    ``epsilon=Log(q)`` makes all weights rational, where q is a square (the 2·sensitivity-th
    power of a rational), so that runs can be enumerated. Scores so low that their weight would be
    below 2^-128 are raised to that: max(score, best - G) has the sensitivity of a score.
    """

    epsilon: ExactEpsilon = attrs.field(converter=fields.log_epsilon)
    rate: ExactEpsilon = attrs.field(init=False, eq=False, repr=False)
    """ε/(2·sensitivity)."""
    _widest: int = attrs.field(init=False, eq=False, repr=False, default=0)
    """G, for a Log."""

    def __attrs_post_init__(self) -> None:
        rate = divided(self.epsilon, 2 * self.sensitivity)
        object.__setattr__(self, "rate", rate)
        if isinstance(rate, Log):
            widest = math.ceil(_FAINTEST / float(rate))
            if widest * rate.argument.numerator.bit_length() > _LONGEST:
                raise InvalidArgument(
                    "epsilon=Log(q) is too close to 0, or q too long, for rational weights; give "
                    "epsilon as a number"
                )
            object.__setattr__(self, "_widest", widest)

    def exponent(self, gap: int) -> ExactEpsilon:
        """rate·gap: a candidate that far below the best has the weight e^(-rate·gap)."""
        if isinstance(self.rate, Log):
            return exact.epsilon(Log(self.rate.argument ** min(gap, self._widest)))
        return self.rate * gap

    def error_bound(self, *, beta: float) -> int:
        """The gap exceeds (2·sensitivity/ε)·ln(candidates/beta) with probability at most beta.

        Source: McSherry and Talwar 2007; for permute-and-flip McKenna and Sheldon 2020, Thm 2.
        """
        halvings = math.log(self.candidates / fields.beta(beta)) * (1 + 2.0**-40)
        rate = exact.bracket(self.rate, 30)[0]
        return max(0, math.ceil(Fraction(halvings) / rate) - 1)


def divided(epsilon: ExactEpsilon, parts: int) -> ExactEpsilon:
    """ε/parts. Raises: InvalidArgument for a Log(q) where q is no such power of a rational.

    >>> divided(Log(9), 2)
    Log(3)
    """
    if not isinstance(epsilon, Log):
        return epsilon / parts
    ends = epsilon.argument.numerator, epsilon.argument.denominator
    top, bottom = (root(end, parts) for end in ends)
    if top**parts != ends[0] or bottom**parts != ends[1]:
        raise InvalidArgument(
            f"with epsilon=Log(q), q must be the power {parts} (2·sensitivity) of a rational, "
            f"such as Log(2**{parts}); or give epsilon as a number"
        )
    return Log(Fraction(top, bottom))


def root(value: int, degree: int) -> int:
    """The largest int whose power of this degree is at most the value."""
    if degree >= value.bit_length():  # 2^degree is more
        return min(value, 1)
    low, high = 0, 1 << -(-value.bit_length() // degree)
    while low < high:
        half = (low + high + 1) // 2
        low, high = (half, high) if half**degree <= value else (low, half - 1)
    return low


@register("antiphon.ExponentialMechanism/1")
@column_safe
@attrs.frozen(kw_only=True)
class ExponentialMechanism(Exponential):
    """i with probability ∝ e^(ε·score_i/(2·sensitivity)), sampled exactly.

    A uniform candidate is kept with probability e^(-rate·gap), else another is tossed: at most
    ``candidates`` tries expected. For a ``Log`` one draw by rational weights.
    Privacy: ε-DP w.r.t. f_∼ with scores at most ``sensitivity`` apart; proved.
    Source: McSherry and Talwar 2007.
    Raises: InvalidArgument for epsilon or sensitivity not positive, and as ``divided``.

    >>> ExponentialMechanism(epsilon=100, candidates=3).start(seed=1).send((1, 5, 2))
    1
    """

    @property
    def claims(self) -> tuple[Claim, ...]:
        source = "McSherry and Talwar 2007"
        return proved(self, Pure(self.epsilon), self.verification, source)

    def respond(self, dataset: tuple[int, ...], coins: Coins) -> int:
        scores = plain(dataset)
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
    """The first candidate, in random order, whose coin of probability e^(-rate·gap) is heads.

    Never errs more than the exponential mechanism. Sampled exactly.
    Privacy: ε-DP w.r.t. f_∼ with scores at most ``sensitivity`` apart; proved.
    Source: McKenna and Sheldon 2020, Algorithm 1, Thm 1.
    Raises: InvalidArgument for epsilon or sensitivity not positive, and as ``divided``.

    >>> PermuteAndFlip(epsilon=100, candidates=3).start(seed=1).send((1, 5, 2))
    1
    """

    @property
    def claims(self) -> tuple[Claim, ...]:
        source = "McKenna and Sheldon 2020, Thm 1"
        return proved(self, Pure(self.epsilon), self.verification, source)

    def respond(self, dataset: tuple[int, ...], coins: Coins) -> int:
        scores = plain(dataset)
        best, left = max(scores), list(range(self.candidates))
        while True:  # the best candidate's coin is always heads
            place = left.pop(coins.uniform_integer(len(left)))
            if coins.bernoulli_exp(self.exponent(best - scores[place])):
                return place


@register("antiphon.ReportNoisyMax/1")
@column_safe
@attrs.frozen(kw_only=True)
class ReportNoisyMax(Selection):
    """The first candidate with the largest score + DLap(2·sensitivity/ε).

    A tie goes to the smallest index. Noise is sampled exactly.
    Privacy: ε-DP w.r.t. f_∼ with scores at most ``sensitivity`` = Δ apart; proved: given the
    noise of the others, i is chosen iff its own is at least some m (ties only decide whether m
    itself will do), and on a neighbour iff it is at least an m' <= m + 2Δ;
    P(noise >= m + 2Δ) >= e^(-ε)·P(noise >= m).
    Source: Dwork and Roth 2014, §3.3, with discrete noise.
    Raises: InvalidArgument for epsilon or sensitivity not positive.

    >>> ReportNoisyMax(epsilon=100, candidates=3).start(seed=1).send((1, 5, 2))
    1
    """

    epsilon: Fraction = attrs.field(converter=fields.positive)
    scale: Fraction = attrs.field(init=False, eq=False, repr=False)
    """Of the noise: 2·sensitivity/ε."""

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "scale", 2 * self.sensitivity / self.epsilon)

    @property
    def claims(self) -> tuple[Claim, ...]:
        source = "Dwork and Roth 2014, §3.3, with discrete noise"
        return proved(self, Pure(self.epsilon), self.verification, source)

    def respond(self, dataset: tuple[int, ...], coins: Coins) -> int:
        noises = coins.discrete_laplaces(self.scale, self.candidates)
        best, place = dataset[0] + noises[0], 0
        for index in range(1, self.candidates):
            noisy = dataset[index] + noises[index]
            if noisy > best:
                best, place = noisy, index
        return place

    def error_bound(self, *, beta: float) -> int:
        """Twice what no noise exceeds with probability 1 - beta (a union bound)."""
        return 2 * laplace_bound(self.scale, fields.beta(beta) / self.candidates)
