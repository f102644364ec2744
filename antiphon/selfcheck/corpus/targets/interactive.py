# pyright: reportIncompatibleMethodOverride=false, reportAssignmentType=false
"""Interactive and continual mechanisms with a bug, and their correct twins."""

import math
from fractions import Fraction
from typing import Any, Final, NamedTuple

import attrs

from antiphon.mechanisms.counters import Counter
from antiphon.mechanisms.counters.counter import COUNT
from antiphon.numbers import InvalidArgument, Log, named
from antiphon.protocol import BOTTOM, TOP, Claim, Coins, Status, column_safe, register
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.spaces import BITS, Either, Finite, Integers, Reals, Signature
from antiphon.selfcheck.corpus.targets.neighbours import SameHead, claimed, whole
from antiphon.verifiers import Within, models

_QUERIES: Final = Finite((COUNT,))
_PRICED: Final = Finite(((2, 0), (2, 1), (3, 0), (3, 1)))
"""The messages (g, bit) to a ``ResponseFilter``: a randomized response to the bit, at ε = ln g."""


class SharedNoiseState(NamedTuple):
    """The state of ``SharedNoiseCounter``: the tree nodes that cover the updates so far, as
    (height, sum), and the noise of each height, None before its draw."""

    subtrees: tuple[tuple[int, int], ...]
    noises: tuple[int | None, ...]


@register("antiphon.corpus.SharedNoiseCounter/1")
@column_safe
@attrs.frozen
class SharedNoiseCounter(ContinualMechanism[SharedNoiseState, Any, object]):
    """A broken binary-tree counter, in which all nodes of one height share one noise.

    A bit is answered ⊤, ``COUNT`` by the noisy sum; noise as in ``TreeCounter``.
    Privacy: *claims* ε-DP w.r.t. ``updates_and_queries(event_level())``; refuted: the counts at 1,
    2 and 3 have noises n₀, n₁ and n₁ + n₀, so count₃ − count₂ − count₁ is x₃ − x₁ exactly.
    """

    horizon: int = attrs.field(validator=whole, kw_only=True)
    epsilon: Fraction = attrs.field(converter=named.positive, kw_only=True)
    signature = Signature(Either((BITS, _QUERIES)), Either((Finite((TOP,)), Integers())), BITS)

    @property
    def initial_state(self) -> SharedNoiseState:
        return SharedNoiseState((), (None,) * self.horizon.bit_length())

    @property
    def claims(self) -> tuple[Claim, ...]:
        f = models.updates_and_queries(models.event_level(), _QUERIES)
        return claimed(f, Status.REFUTED, "reused noise cancels", epsilon=self.epsilon)

    def step(
        self, state: SharedNoiseState, message: Any, coins: Coins
    ) -> tuple[SharedNoiseState, object]:
        if message == COUNT:
            return self._count(state, coins)
        subtrees, noises = state
        height, total = 0, message
        while subtrees and subtrees[0][0] == height:
            height, total, subtrees = height + 1, total + subtrees[0][1], subtrees[1:]
        if height == len(noises):
            raise InvalidArgument(f"the horizon of {self.horizon} updates is reached")
        return SharedNoiseState(((height, total), *subtrees), noises), TOP

    def _count(self, state: SharedNoiseState, coins: Coins) -> tuple[SharedNoiseState, int]:
        scale = self.horizon.bit_length() / self.epsilon
        noises, noisy = list(state.noises), 0
        for height, total in state.subtrees:
            noise = noises[height]
            if noise is None:
                noise = noises[height] = coins.discrete_laplace(scale)
            noisy = noisy + total + noise
        return SharedNoiseState(state.subtrees, tuple(noises)), noisy


class LaggingState(NamedTuple):
    """The state of ``LaggingCounter``: the inner counter's state, and the last update, which the
    inner counter has not got yet."""

    inner: object
    waiting: object


@register("antiphon.corpus.LaggingCounter/1")
@column_safe
@attrs.frozen
class LaggingCounter(ContinualMechanism[LaggingState, object, object]):
    """A counter whose counts leave out the last update: inaccurate, but private as it claims.

    It equals the counter on the stream shifted by one, so no audit of privacy may refute it.
    """

    counter: Counter

    @property
    def initial_state(self) -> LaggingState:
        return LaggingState(self.counter.initial_state, None)

    @property
    def signature(self) -> Signature:
        return self.counter.signature

    @property
    def claims(self) -> tuple[Claim, ...]:
        return self.counter.claims

    def step(
        self, state: LaggingState, message: object, coins: Coins
    ) -> tuple[LaggingState, object]:
        inner, waiting = state
        if message == COUNT:
            inner, count = self.counter.step(inner, message, coins)
            return LaggingState(inner, waiting), count
        if waiting is not None:
            inner, _ = self.counter.step(inner, waiting, coins)
        return LaggingState(inner, message), TOP


@register("antiphon.corpus.GaussianNoise/1")
@column_safe
@attrs.frozen
class GaussianNoise(NoninteractiveMechanism[float, float]):
    """The Gaussian mechanism x ↦ x + N(0, σ²); ``takes_variance`` is a bug: deviation σ².

    NIM: a float -> a float.
    Privacy: claims (1, δ)-DP w.r.t. numbers at most ``sensitivity`` apart, δ the Gaussian
    mechanism's own at σ (Balle and Wang 2018, Thm 8), rounded up; in doubles only assumed. With
    ``takes_variance`` and σ < 1 it is refuted, as the noise is too small.
    """

    sigma: Fraction = attrs.field(default=Fraction(1, 5), converter=named.positive, kw_only=True)
    sensitivity: Fraction = attrs.field(
        default=Fraction(1, 10), converter=named.positive, kw_only=True
    )
    takes_variance: bool = attrs.field(default=False, kw_only=True)
    signature = Signature(Reals(), Reals(), Reals())

    @property
    def claims(self) -> tuple[Claim, ...]:
        delta = Fraction(math.ceil(1e6 * gaussian_delta(self.sigma / self.sensitivity)), 10**6)
        f = models.neighbouring_start(Within(self.sensitivity))
        status = Status.REFUTED if self.takes_variance and self.sigma < 1 else Status.ASSUMED
        return claimed(f, status, "Balle and Wang 2018, Thm 8", epsilon=1, delta=delta)

    def respond(self, dataset: float, coins: Coins) -> float:
        deviation = self.sigma**2 if self.takes_variance else self.sigma
        noisy: float = dataset + coins.gaussian(float(deviation))
        return noisy


def gaussian_delta(ratio: Fraction, *, epsilon: float = 1.0) -> float:
    """The least δ at ε of Gaussian noise with σ = ratio × sensitivity (Balle and Wang 2018)."""
    half, shift = 1 / (2 * float(ratio)), epsilon * float(ratio)
    return _normal(half - shift) - math.exp(epsilon) * _normal(-half - shift)


def _normal(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2


@register("antiphon.corpus.ResponseFilter/1")
@column_safe
@attrs.frozen
class ResponseFilter(ContinualMechanism[int, "tuple[int, int]", object]):
    """A filter of randomized responses to bits, whose ε add up to at most ln ``budget``.

    (spent, (g, bit)) -> the bit with probability g/(1+g), else the other, at the price ln g;
    ⊥ where the budget does not suffice. State: e^spent. ``late`` charges after running: it
    refuses only once nothing is left, so the last answer may overdraw.
    Privacy: claims ln budget-DP w.r.t. streams of bits with public prices; proved for the correct
    one (a pure filter, Rogers et al. 2016), refuted for ``late``.
    """

    budget: int = attrs.field(default=6, validator=whole, kw_only=True)
    late: bool = attrs.field(default=False, kw_only=True)
    initial_state = 1
    signature = Signature(_PRICED, Finite((0, 1, BOTTOM)), _PRICED)

    @property
    def claims(self) -> tuple[Claim, ...]:
        f = models.every_pair(SameHead())
        status = Status.REFUTED if self.late else Status.PROVED
        return claimed(f, status, "Rogers et al. 2016, pure filter", epsilon=Log(self.budget))

    def step(self, state: int, message: tuple[int, int], coins: Coins) -> tuple[int, object]:
        growth, bit = message
        spent = state if self.late else state * growth
        if spent > self.budget or (self.late and spent == self.budget):
            return state, BOTTOM
        truth = coins.bernoulli(Fraction(growth, 1 + growth))
        return state * growth, bit if truth else 1 - bit
