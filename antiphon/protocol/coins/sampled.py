"""Coins that are really tossed: from the operating system, or from a seed."""

import math
import os
import weakref
from bisect import bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate
from math import log
from typing import Any, Final, NoReturn, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from antiphon.numbers.errors import InvalidArgument, ProtocolError
from antiphon.numbers.exact import Epsilon, ExactEpsilon, Log, whole
from antiphon.numbers.interning import all_are
from antiphon.protocol.coins import choices, coins, discrete_noise, samplers
from antiphon.protocol.coins.coins import Coins, Number, exactly, is_array
from antiphon.protocol.coins.discrete_noise import Gaussian
from antiphon.protocol.coins.inversion import Words
from antiphon.protocol.coins.wide_gaussian import WideGaussian
from antiphon.protocol.messages import freeze


class Undoubled(Protocol):
    """Base class of objects that must not be used in both processes after a fork, because parent
    and child would draw the same coins."""

    def forked(self) -> None:
        """Called in the child process right after a fork."""


_alive: Final[weakref.WeakSet[Undoubled]] = weakref.WeakSet()

tell_of_forks: Final = _alive.add
"""Register an object, so that after a fork its method ``forked`` is called in the child process."""


def _tell() -> None:
    for each in list(_alive):
        each.forked()


def no_words(count: int) -> NoReturn:
    """A source of random words that only raises ProtocolError: in a forked child it replaces the
    source of seeded coins."""
    raise ProtocolError(
        "seeded coins were carried through a fork, where both processes would toss alike: make "
        "coins from a seed of its own in each (numpy's SeedSequence.spawn gives them)"
    )


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_tell)


_SMALL_BLOCK: Final = 64
_LARGE_BLOCK: Final = 4096
_READY: Final = 1 << 14
"""The number of draws that a ``WideGaussian`` sampler (discrete Gaussian noise of large standard
deviation) makes at once, in advance."""
_FITS: Final = 2**50
"""The largest scale at which discrete noise fits 64 bits, except for a chance below e^(-2^12)."""
_MANY: Final = 64
"""The number of weights from which on ``categorical`` is faster with a NumPy array."""
Exact = TypeVar("Exact", bound=ExactEpsilon)
Made = TypeVar("Made")
_KNOWN: Final = 256
"""The number of samplers that coins cache, each under the identity (``id``) of its parameter."""


def system_words(count: int) -> NDArray[np.uint64]:
    """``count`` random 64-bit words from the operating system's entropy."""
    return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)


def seed_sequence(seed: int | Sequence[int] | np.random.SeedSequence) -> np.random.SeedSequence:
    """The seed as NumPy's SeedSequence. Raises: InvalidArgument if it is no seed."""
    if isinstance(seed, np.random.SeedSequence):
        return seed
    try:
        return np.random.SeedSequence(seed)
    except (TypeError, ValueError):
        raise InvalidArgument("a seed is an int >= 0 or a numpy SeedSequence") from None


def generator(seed: int | Sequence[int] | np.random.SeedSequence) -> np.random.Generator:
    """NumPy's random Generator around a PCG64 with this seed, for populations and tests."""
    return np.random.Generator(np.random.PCG64(seed_sequence(seed)))


def seeded_words(seed: int | Sequence[int] | np.random.SeedSequence) -> Words:
    """A source of 64-bit words from PCG64, whose raw stream NumPy keeps stable for a seed."""
    return np.random.PCG64(seed_sequence(seed)).random_raw


def _doubles_or_words(weights: tuple[Number, ...]) -> NDArray[Any] | None:
    """The weights as an array, if all are floats or all are 64-bit integers; otherwise None."""
    if all_are(float, weights):
        return np.array(weights, np.float64)
    if all_are(int, weights) and max(weights) < 1 << 63:
        return np.array(weights, np.int64)
    return None


def _kept(
    known: dict[int, tuple[Exact, Made]], given: object, exact: Exact, made: Made
) -> tuple[Exact, Made]:
    """The pair of a parameter's exact value and its sampler. If the parameter as ``given`` is that
    exact value itself, the pair is cached under its identity (``id``)."""
    if exact is given:  # The cache keeps the number alive, so that no other object gets its ``id``.
        if len(known) >= _KNOWN:
            known.clear()
        known[id(given)] = exact, made
    return exact, made


class SampledCoins(Coins):
    """Coins with true or seeded randomness: from the operating system, or from a seed.

    After a fork, parent and child must not toss alike: in the child, unseeded coins drop their
    stored random words, and seeded coins refuse to draw (ProtocolError).

    >>> SampledCoins(seed=1).uniform_integer(6) == SampledCoins(seed=1).uniform_integer(6)
    True
    """

    __slots__ = (
        "__weakref__", "_block", "_known", "_known_gaussians", "_known_rates", "_ready",
        "_samplers", "_source", "_words", "seeded",
    )  # fmt: skip

    def __init__(self, seed: int | np.random.SeedSequence | None = None) -> None:
        super().__init__()
        self.seeded: Final = seed is not None
        self._source: Words = system_words if seed is None else seeded_words(seed)
        self._words: list[int] = []
        self._block = _SMALL_BLOCK
        self._known: dict[int, tuple[Fraction, Any]] = {}
        self._known_gaussians: dict[int, tuple[Fraction, Gaussian]] = {}
        self._known_rates: dict[int, tuple[ExactEpsilon, choices.Speeds]] = {}
        self._ready: dict[int, NDArray[np.int64]] = {}
        """Draws from ``WideGaussian`` samplers, made in advance; the key is the exponent of the
        sampler's standard deviation 2^exponent."""
        self._samplers: dict[str, Callable[[Any], object]] = {
            "bernoulli": self._bernoulli,
            "bernoulli_exp": self._bernoulli_exp,
            "categorical": self._categorical,
            "categorical_exp": lambda parameter: self._scored(*parameter),
            "uniform_integer": self._below,
            "laplace": self._laplace,
            "gaussian": self._gaussian,
            "discrete_laplace": lambda scale: self._one("discrete_laplace", scale),
            "discrete_gaussian": lambda sigma: self._one("discrete_gaussian", sigma),
            "discrete_laplaces": lambda parameter: self._many("discrete_laplace", *parameter),
            "discrete_gaussians": lambda parameter: self._many("discrete_gaussian", *parameter),
        }
        tell_of_forks(self)

    def forked(self) -> None:
        """In a forked child, drop the stored randomness, which the parent will use."""
        self._words, self._block = [], _SMALL_BLOCK
        self._ready.clear()
        if self.seeded:
            self._source = no_words

    def __repr__(self) -> str:
        return f"SampledCoins({'seeded' if self.seeded else 'operating system'})"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("coins cannot be copied or pickled: two copies would toss alike")

    def draw(self, kind: str, parameter: object) -> Any:
        self.draws += 1
        return self._samplers[kind](parameter)

    def laplace(self, scale: Number) -> float:
        # Live sessions call this method often, so it repeats the base class's code with fewer
        # calls.
        if type(scale) is not float or not 0 < scale < math.inf:
            scale = self._scale(scale, "scale")
        self.draws += 1
        word = (self._words or self._refill()).pop()
        size = log(((word >> 11) + 0.5) * 2.0**-53)
        return scale * size if word & 1 else -scale * size

    def discrete_laplace(self, scale: Number) -> int:
        # This method is called often, so a known scale's sampler is looked up by the identity of
        # the scale's object.
        known = self._known.get(id(scale))
        if known is None:
            known = self._remember(scale)
        self.draws += 1
        sampler = known[1]
        if not sampler.answers:
            drawn: int = sampler.draw(self._word)
            return drawn
        table, answers = sampler.table, sampler.answers
        while True:
            word = (self._words or self._refill()).pop()
            place = bisect_right(table, word)
            tie = table[place - 1] == word
            answer: int | None = sampler.begun(word, self._word) if tie else answers[place]
            if answer is not None:
                return answer

    def discrete_gaussian(self, sigma: Number) -> int:
        # Mechanisms with correlated noise call this method often, so a sampler is looked up by the
        # identity of ``sigma``.
        known = self._known_gaussians.get(id(sigma)) or self._gaussian_of(sigma)
        self.draws += 1
        return known[1].draw(self._word)

    def categorical(self, weights: Sequence[Number] | NDArray[Any]) -> int:
        if not is_array(weights) or len(weights) < _MANY:
            return super().categorical(weights)
        found = choices.by_weights(coins.check_weights(weights))
        self.draws += 1
        return found.draw(self._word)

    def categorical_exp(self, rate: Epsilon, scores: NDArray[np.int64]) -> int:
        # Unlike the base class's method, this one records nothing, so the scores need not be turned
        # into bytes.
        known = self._known_rates.get(id(rate)) or self._rate_of(rate)
        coins.check_scores(scores)
        self.draws += 1
        return choices.by_scores(known[0], scores, known[1]).draw(self._word)

    def _rate_of(self, rate: Epsilon) -> tuple[ExactEpsilon, choices.Speeds]:
        exact = coins.as_exponent(rate)
        return _kept(self._known_rates, rate, exact, choices.speeds_of(exact))

    def gaussian_array(self, sigma: Number, count: int) -> NDArray[np.int64]:
        known = self._known_gaussians.get(id(sigma)) or self._gaussian_of(sigma)
        whole(count, "count")
        self.draws += 1
        return self._drawn("discrete_gaussian", *known, count)

    def _gaussian_of(self, sigma: Number) -> tuple[Fraction, Gaussian]:
        exact = exactly(sigma, "sigma")
        return _kept(self._known_gaussians, sigma, exact, discrete_noise.discrete_gaussian(exact))

    def foreign(self, source: str, argument: object, toss: Callable[[], object]) -> Any:
        self.draws += 1
        return freeze(toss())

    def _remember(self, scale: Number) -> tuple[Fraction, Any]:
        exact = exactly(scale, "scale")
        return _kept(self._known, scale, exact, discrete_noise.discrete_laplace(exact))

    def _refill(self) -> list[int]:
        self._words = self._source(self._block).tolist()
        self._block = _LARGE_BLOCK
        return self._words

    def _word(self) -> int:
        return (self._words or self._refill()).pop()

    def _unit(self) -> float:
        """A uniform double strictly between 0 and 1."""
        return ((self._word() >> 11) + 0.5) * 2.0**-53

    def _below(self, n: int) -> int:
        return samplers.below(n, self._word)

    def _bernoulli(self, p: Number) -> bool:
        """True with probability exactly p: a uniform real is compared with p, 64 bits at a time."""
        numerator, denominator = p.as_integer_ratio()
        while True:
            numerator <<= 64
            left = self._word() * denominator
            if left + denominator <= numerator:
                return True
            if left >= numerator:
                return False
            numerator -= left

    def _bernoulli_exp(self, exponent: ExactEpsilon) -> bool:
        if isinstance(exponent, Log):
            return self._bernoulli(1 / exponent.argument)
        return samplers.bernoulli_exp(*exponent.as_integer_ratio(), self._below)

    def _categorical(self, weights: tuple[Number, ...]) -> int:
        if len(weights) >= _MANY and (array := _doubles_or_words(weights)) is not None:
            return choices.by_weights(array).draw(self._word)
        counts = coins.integer_weights(weights)
        ticket = self._below(sum(counts))
        return next(i for i, end in enumerate(accumulate(counts)) if ticket < end)

    def _scored(self, rate: ExactEpsilon, scores: bytes) -> int:
        known = self._known_rates.get(id(rate)) or self._rate_of(rate)
        return choices.by_scores(known[0], coins.told_scores(scores), known[1]).draw(self._word)

    def _laplace(self, scale: Number) -> float:
        word = self._word()
        size = log(((word >> 11) + 0.5) * 2.0**-53)
        return float(scale * size if word & 1 else -scale * size)

    def _gaussian(self, sigma: Number) -> float:
        radius = math.sqrt(-2.0 * log(self._unit()))
        return float(sigma * radius * math.cos(math.tau * self._unit()))

    def _one(self, kind: str, parameter: Fraction) -> int:
        return discrete_noise.SAMPLERS[kind](parameter).draw(self._word)

    def _many(self, kind: str, parameter: Fraction, count: int) -> tuple[int, ...]:
        drawn = self._drawn(kind, parameter, discrete_noise.SAMPLERS[kind](parameter), count)
        return tuple(drawn.tolist())

    def _drawn(
        self, kind: str, parameter: Fraction, sampler: object, count: int
    ) -> NDArray[np.int64]:
        if count < _READY and isinstance(sampler, WideGaussian):
            return self._from_stock(sampler, count)
        drawn = discrete_noise.many(kind, parameter, count, self._source)
        if drawn is None:
            values = [self._one(kind, parameter) for _ in range(count)]
            return np.array(values, object if parameter > _FITS else np.int64)
        return drawn

    def _from_stock(self, sampler: WideGaussian, count: int) -> NDArray[np.int64]:
        """Some wide Gaussian draws from a stock that is drawn in bulk: NumPy is fast only for
        thousands at once."""
        stock = self._ready.get(sampler.exponent)
        if stock is None or len(stock) < count:
            fresh = sampler.many(_READY, self._source)
            stock = fresh if stock is None else np.concatenate([stock, fresh])
        self._ready[sampler.exponent] = stock[count:]
        return stock[:count]
