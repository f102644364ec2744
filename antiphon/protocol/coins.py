"""Coins: the only source of randomness a mechanism has.

The same step is *run* (``SampledCoins``), *recorded* (``RecordedCoins``),
*replayed* (``ReplayedCoins``) or *enumerated* (``outcomes``), depending only on
the coins it is handed. Probabilities may be exact (``Fraction``): a sampled
Bernoulli of a rational or of a float p has probability exactly p.
"""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import accumulate
from math import log
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar, Union

import numpy as np
from numpy.typing import NDArray

from antiphon.protocol import discrete_noise, samplers
from antiphon.protocol.errors import InvalidArgument
from antiphon.protocol.exact import Epsilon, ExactEpsilon, Log, epsilon, number, positive, whole
from antiphon.protocol.forks import no_words, tell_of_forks
from antiphon.protocol.inversion import Words
from antiphon.protocol.wide_gaussian import WideGaussian

Number: TypeAlias = Union[int, float, Fraction]
Result = TypeVar("Result")


class Draw(NamedTuple):
    """One draw on a tape: which primitive, its parameter, and the drawn value."""

    kind: str
    parameter: Any
    value: Any


class Coins(ABC):
    """A stream of draws. ``draws`` counts how many have been made.

    Every primitive validates its parameter before anything is drawn and raises
    InvalidArgument otherwise; a refused draw is not counted.
    """

    __slots__ = ("draws",)
    many: bool = False
    """Whether a block of replicas is stepped, by ``step_many``: a composition asks."""
    strict: bool = False
    """Whether this is a study of the mechanism, in which a crash of any part of it raises."""

    def __init__(self) -> None:
        self.draws: int = 0

    @abstractmethod
    def draw(self, kind: str, parameter: Any) -> Any:
        """The next value of the primitive ``kind``; the public methods call it."""

    def _plain(self, value: Any) -> Any:
        """A plain number: it can stand on a tape, and equals what it seems to equal."""
        return number(value)

    def _scale(self, value: Any, name: str) -> Any:
        value = self._plain(value)
        if not 0 < value < math.inf:
            raise InvalidArgument(f"{name} must be positive and finite")
        return value

    def bernoulli(self, p: Number) -> bool:
        """True with probability p in [0, 1]: exactly p, also for a float."""
        p = self._plain(p)
        if not 0 <= p <= 1:
            raise InvalidArgument("a probability must lie in [0, 1]")
        value: bool = self.draw("bernoulli", p)
        return value

    def bernoulli_exp(self, exponent: Epsilon) -> bool:
        """True with probability exactly e^(-exponent), for a rational exponent >= 0 or a ``Log``.

        Source: Canonne, Kamath, Steinke 2020, Algorithm 1.
        """
        value: bool = self.draw("bernoulli_exp", _exponent(exponent))
        return value

    def categorical(self, weights: Sequence[Number]) -> int:
        """Index i with probability weights[i] / sum(weights); weights >= 0, not all 0."""
        weights = tuple(map(self._plain, weights))
        # The chained comparison is False for NaN.
        if not all(0 <= weight < math.inf for weight in weights) or not any(weights):
            raise InvalidArgument("weights must be finite, >= 0 and not all 0")
        value: int = self.draw("categorical", weights)
        return value

    def uniform_integer(self, n: int) -> int:
        """Uniform on 0, …, n-1, for n >= 1."""
        if type(n) is not int or n < 1:
            raise InvalidArgument("uniform_integer takes an int n >= 1")
        value: int = self.draw("uniform_integer", n)
        return value

    def laplace(self, scale: Number) -> float:
        """Laplace noise of density e^(-|x|/scale)/(2 scale), in double precision.

        For simulation: the gaps between doubles reveal data (Mironov 2012), so
        release ``discrete_laplace`` noise instead.
        """
        value: float = self.draw("laplace", self._scale(scale, "scale"))
        return value

    def gaussian(self, sigma: Number) -> float:
        """Normal noise with standard deviation sigma. For simulation, as ``laplace``."""
        value: float = self.draw("gaussian", self._scale(sigma, "sigma"))
        return value

    def discrete_laplace(self, scale: Number) -> int:
        """Integer x with probability proportional to e^(-|x|/scale), sampled exactly.

        Source: Canonne, Kamath, Steinke 2020, Algorithm 2.
        """
        value: int = self.draw("discrete_laplace", _exact(scale, "scale"))
        return value

    def discrete_gaussian(self, sigma: Number) -> int:
        """Integer x with probability proportional to e^(-x²/(2 sigma²)), sampled exactly.

        Source: Canonne, Kamath, Steinke 2020, Algorithm 3.
        """
        value: int = self.draw("discrete_gaussian", _exact(sigma, "sigma"))
        return value

    def discrete_laplaces(self, scale: Number, count: int) -> tuple[int, ...]:
        """``count`` independent ``discrete_laplace`` as one draw; many times faster for many."""
        parameter = _exact(scale, "scale"), whole(count, "count")
        value: tuple[int, ...] = self.draw("discrete_laplaces", parameter)
        return value

    def discrete_gaussians(self, sigma: Number, count: int) -> tuple[int, ...]:
        """``count`` independent ``discrete_gaussian`` as one draw."""
        parameter = _exact(sigma, "sigma"), whole(count, "count")
        value: tuple[int, ...] = self.draw("discrete_gaussians", parameter)
        return value

    def gaussian_array(self, sigma: Number, count: int) -> NDArray[np.int64]:
        """``discrete_gaussians`` as an array, which need not be made into ints first."""
        return np.array(self.discrete_gaussians(sigma, count), np.int64)


def _exponent(value: object) -> ExactEpsilon:
    """As ``_exact``, but 0 and logarithms may be exponents."""
    try:
        return epsilon(value)
    except InvalidArgument:
        raise InvalidArgument("an exponent must be a finite number >= 0, or a Log") from None


def _exact(value: Number, name: str) -> Fraction:
    """A positive rational. The error does not show the value: it may come from data."""
    try:
        return positive(value, name)
    except InvalidArgument:
        raise InvalidArgument(f"{name} must be a positive, finite number") from None


# --- sampled -------------------------------------------------------------------------

_SMALL_BLOCK: Final = 64
_LARGE_BLOCK: Final = 4096
_READY: Final = 1 << 14
"""How many draws for arrays are made together."""
_FITS: Final = 2**50
"""Noise up to this scale fits 64 bits, but for a probability below e^(-2^12)."""
_KNOWN: Final = 256
"""How many scales of noise coins remember by the object that was given."""


def system_words(count: int) -> NDArray[np.uint64]:
    """Words from the operating system's entropy."""
    return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)


def seed_sequence(seed: int | Sequence[int] | np.random.SeedSequence) -> np.random.SeedSequence:
    """The seed as NumPy's SeedSequence. Raises: InvalidArgument for what is no seed."""
    if isinstance(seed, np.random.SeedSequence):
        return seed
    try:
        return np.random.SeedSequence(seed)
    except (TypeError, ValueError):
        raise InvalidArgument("a seed is an int >= 0 or a numpy SeedSequence") from None


def generator(seed: int | Sequence[int] | np.random.SeedSequence) -> np.random.Generator:
    """Many draws at once, for populations and their tests: NumPy's Generator around a PCG64."""
    return np.random.Generator(np.random.PCG64(seed_sequence(seed)))


def seeded_words(seed: int | Sequence[int] | np.random.SeedSequence) -> Words:
    """Words of PCG64, whose raw stream NumPy keeps stable for a seed."""
    return np.random.PCG64(seed_sequence(seed)).random_raw


class SampledCoins(Coins):
    """Coins that are really tossed: from the operating system, or from a seed.

    After a fork, parent and child must not toss alike: in the child, coins of the system drop
    what they had in stock, and seeded ones toss no more (ProtocolError).

    >>> SampledCoins(seed=1).uniform_integer(6) == SampledCoins(seed=1).uniform_integer(6)
    True
    """

    __slots__ = (
        "__weakref__", "_block", "_known", "_known_wide", "_ready", "_samplers", "_source",
        "_words", "seeded",
    )  # fmt: skip

    def __init__(self, seed: int | np.random.SeedSequence | None = None) -> None:
        super().__init__()
        self.seeded: Final = seed is not None
        self._source: Words = system_words if seed is None else seeded_words(seed)
        self._words: list[int] = []
        self._block = _SMALL_BLOCK
        self._known: dict[int, tuple[Fraction, Any]] = {}
        self._known_wide: dict[int, tuple[Fraction, WideGaussian]] = {}
        self._ready: dict[Fraction, NDArray[np.int64]] = {}
        self._samplers: dict[str, Callable[[Any], Any]] = {
            "bernoulli": self._bernoulli,
            "bernoulli_exp": self._bernoulli_exp,
            "categorical": self._categorical,
            "uniform_integer": self._below,
            "laplace": self._laplace,
            "gaussian": self._gaussian,
            "discrete_laplace": self._discrete_laplace,
            "discrete_gaussian": self._discrete_gaussian,
            "discrete_laplaces": lambda parameter: self._many("discrete_laplace", *parameter),
            "discrete_gaussians": lambda parameter: self._many("discrete_gaussian", *parameter),
        }

        tell_of_forks(self)

    def forked(self) -> None:
        """In a forked child: nothing that the parent will toss, too."""
        self._words, self._block = [], _SMALL_BLOCK
        self._ready.clear()
        if self.seeded:
            self._source = no_words

    def __repr__(self) -> str:
        return f"SampledCoins({'seeded' if self.seeded else 'operating system'})"

    def __reduce_ex__(self, protocol: object) -> Any:
        raise TypeError("coins cannot be copied or pickled: two copies would toss alike")

    def draw(self, kind: str, parameter: Any) -> Any:
        self.draws += 1
        return self._samplers[kind](parameter)

    def laplace(self, scale: Number) -> float:
        # The hot path of live sessions: the same as the base class, without its calls.
        if type(scale) is not float or not 0 < scale < math.inf:
            scale = self._scale(scale, "scale")
        self.draws += 1
        word = (self._words or self._refill()).pop()
        size = log(((word >> 11) + 0.5) * 2.0**-53)
        return scale * size if word & 1 else -scale * size

    def discrete_laplace(self, scale: Number) -> int:
        # The other hot path: a scale that was given before is known by its object.
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
        # And the third: the grids of correlated noise.
        known = self._known_wide.get(id(sigma))
        if known is None:
            exact = _exact(sigma, "sigma")
            sampler = discrete_noise.discrete_gaussian(exact)
            if not isinstance(sampler, WideGaussian):
                value: int = self.draw("discrete_gaussian", exact)
                return value
            known = exact, sampler
            if exact is sigma and len(self._known_wide) < _KNOWN:
                self._known_wide[id(sigma)] = known
        self.draws += 1
        return known[1].draw(self._word)

    def gaussian_array(self, sigma: Number, count: int) -> NDArray[np.int64]:
        parameter = _exact(sigma, "sigma"), whole(count, "count")
        self.draws += 1
        return self._array("discrete_gaussian", *parameter)

    def _remember(self, scale: Number) -> tuple[Fraction, Any]:
        exact = _exact(scale, "scale")
        known = exact, discrete_noise.discrete_laplace(exact)
        if exact is scale:  # kept alive beside its sampler, so its id is its own
            if len(self._known) >= _KNOWN:
                self._known.clear()
            self._known[id(scale)] = known
        return known

    def _refill(self) -> list[int]:
        self._words = self._source(self._block).tolist()
        self._block = _LARGE_BLOCK
        return self._words

    def _word(self) -> int:
        return (self._words or self._refill()).pop()

    def _unit(self) -> float:
        """Uniform on (0, 1), never an end point."""
        return ((self._word() >> 11) + 0.5) * 2.0**-53

    def _below(self, n: int) -> int:
        return samplers.below(n, self._word)

    def _bernoulli(self, p: Number) -> bool:
        """Compare p with a uniform real, 64 bits at a time, until they differ."""
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
        counts = integer_weights(weights)
        ticket = self._below(sum(counts))
        return next(i for i, end in enumerate(accumulate(counts)) if ticket < end)

    def _laplace(self, scale: Number) -> float:
        word = self._word()
        size = log(((word >> 11) + 0.5) * 2.0**-53)
        return float(scale * size if word & 1 else -scale * size)

    def _gaussian(self, sigma: Number) -> float:
        radius = math.sqrt(-2.0 * log(self._unit()))
        return float(sigma * radius * math.cos(math.tau * self._unit()))

    def _discrete_laplace(self, scale: Fraction) -> int:
        return discrete_noise.discrete_laplace(scale).draw(self._word)

    def _discrete_gaussian(self, sigma: Fraction) -> int:
        return discrete_noise.discrete_gaussian(sigma).draw(self._word)

    def _many(self, kind: str, parameter: Fraction, count: int) -> tuple[int, ...]:
        return tuple(self._array(kind, parameter, count).tolist())

    def _array(self, kind: str, parameter: Fraction, count: int) -> NDArray[np.int64]:
        if kind == "discrete_gaussian" and count < _READY:
            sampler = discrete_noise.discrete_gaussian(parameter)
            if isinstance(sampler, WideGaussian):
                return self._from_stock(sampler, parameter, count)
        drawn = discrete_noise.many(kind, parameter, count, self._source)
        if drawn is None:
            values = [self._samplers[kind](parameter) for _ in range(count)]
            return np.array(values, object if parameter > _FITS else np.int64)
        return drawn

    def _from_stock(self, sampler: WideGaussian, sigma: Fraction, count: int) -> NDArray[np.int64]:
        """A few of many that are made together: NumPy is fast for thousands only."""
        stock = self._ready.get(sigma)
        if stock is None or len(stock) < count:
            fresh = sampler.many(_READY, self._source)
            stock = fresh if stock is None else np.concatenate([stock, fresh])
        self._ready[sigma] = stock[count:]
        return stock[:count]


def integer_weights(weights: Iterable[Number]) -> list[int]:
    """The weights over a common denominator; a float counts as the rational it is."""
    exact = [Fraction(weight) for weight in weights]
    common = math.lcm(*(weight.denominator for weight in exact))
    return [weight.numerator * (common // weight.denominator) for weight in exact]
