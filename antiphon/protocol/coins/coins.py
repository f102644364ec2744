"""Coins: the only source of randomness of a mechanism.

The same step is *run* (``SampledCoins``), *recorded* (``RecordedCoins``),
*replayed* (``ReplayedCoins``) or *enumerated* (``outcomes``), depending only on
the coins it is handed. Probabilities may be exact (``Fraction``): a sampled
Bernoulli of a rational or of a float p has probability exactly p.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeAlias, TypeGuard, Union

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypeVar

from antiphon.numbers.errors import Intractable, InvalidArgument
from antiphon.numbers.exact import (
    Epsilon,
    ExactEpsilon,
    epsilon,
    fraction,
    number,
    positive,
    whole,
)  # fmt: skip
from antiphon.numbers.symbolic import Symbolic
from antiphon.protocol.registry import register

if TYPE_CHECKING:
    from antiphon.protocol.spaces import Space

Number: TypeAlias = Union[int, float, Fraction]
Result = TypeVar("Result")
Step = TypeVar("Step", covariant=True)


class Stepped(Protocol[Step]):
    """The interface that coins need of a mechanism, post-processor or adversary: its ``step``."""

    @property
    def step(self) -> Step: ...


@register("antiphon.Draw/1", state=True)
class Draw(NamedTuple):
    """One draw on a tape: the name of the sampling method, its parameter, and the drawn value."""

    kind: str
    parameter: object
    value: object


def _as_it_is(value: Any) -> Any:
    """The value itself: no conversion, since only one run is stepped."""
    return value


def _int64s(drawn: tuple[int, ...]) -> NDArray[np.int64]:
    """The drawn integers as one int64 array."""
    return np.array(drawn, np.int64)


def as_exponent(value: object) -> ExactEpsilon:
    """The parameter x of a probability e^-x: a positive rational, 0 or a ``Log``. Raises:
    InvalidArgument for any other value."""
    try:
        return epsilon(value)
    except InvalidArgument:
        raise InvalidArgument("an exponent must be a finite number >= 0, or a Log") from None


class Coins(ABC):
    """A source of random draws. ``draws`` counts how many have been made.

    Every sampling method validates its parameter before anything is drawn and raises
    InvalidArgument otherwise; a refused draw is not counted.
    """

    __slots__ = ("deaths", "draws", "many")
    _coins: Any = None
    """The coins whose draws these coins pass on and record; None for coins that draw themselves."""
    strict: bool = False
    """Whether an exception in a step is raised, as in a study of the mechanism, instead of counting
    as the outcome HALT."""
    shared: Callable[[Any], Any] = staticmethod(_as_it_is)
    """A conversion of a parameter that all replicas (parallel runs) share; the identity for one
    run."""
    stacked: Callable[[Any], NDArray[np.int64]] = staticmethod(_int64s)
    """A conversion of a tuple of drawn integers to an array; with replicas (parallel runs), each
    item holds the integers of all replicas."""
    accepts: Callable[[Space], Callable[[object], bool]] = attrgetter("contains")
    """A function from a space to a test whether a message is in it, for one run or for columns."""
    _plain: Callable[[Any], Number] = staticmethod(number)
    """A conversion of a parameter to a plain Python number, which can be written on a tape."""
    _exponent: Callable[[Any], ExactEpsilon] = staticmethod(as_exponent)
    """A conversion of the parameter x of a probability e^-x to an exact number."""

    def __init__(self) -> None:
        self.draws: int = 0
        self.deaths: int = 0
        self.many: bool = False
        """Whether several replicas (parallel runs) are stepped together; compositions then take the
        step functions from ``steps``."""

    def steps(self, part: Stepped[Step]) -> Step:
        """The step function of a part, in the form that these coins need; it may be cached."""
        return part.step

    def note_death(self) -> None:
        """Count one more part of the mechanism that was ended by an exception: a durable session
        then stores no state, since in a rerun the exception may not occur."""
        self.deaths += 1
        if self._coins is not None:
            self._coins.note_death()

    @abstractmethod
    def draw(self, kind: str, parameter: object) -> Any:
        """Draw the next value by the sampling method named ``kind`` with this parameter. The public
        methods, such as ``bernoulli``, call this method."""

    def _scale(self, value: Number, name: str) -> Number:
        value = self._plain(value)
        if not 0 < value < math.inf:
            raise InvalidArgument(f"{name} must be positive and finite")
        return value

    def bernoulli(self, p: Number) -> bool:
        """True with probability exactly p in [0, 1]; a float p counts as the rational it equals."""
        p = self._plain(p)
        if not 0 <= p <= 1:
            raise InvalidArgument("a probability must lie in [0, 1]")
        value: bool = self.draw("bernoulli", p)
        return value

    def bernoulli_exp(self, exponent: Epsilon) -> bool:
        """True with probability exactly e^(-exponent), for a rational exponent >= 0 or a ``Log``.

        Source: Canonne, Kamath, Steinke 2020, Algorithm 1.
        """
        value: bool = self.draw("bernoulli_exp", self._exponent(exponent))
        return value

    def categorical(self, weights: Sequence[Number] | NDArray[Any]) -> int:
        """Index i with probability weights[i] / sum(weights); weights >= 0, not all 0."""
        if is_array(weights):
            weights = tuple(check_weights(weights).tolist())
        else:
            weights = tuple(map(self._plain, weights))
        # A weight that is NaN fails this comparison.
        if not all(0 <= weight < math.inf for weight in weights) or not any(weights):
            raise InvalidArgument("weights must be finite, >= 0 and not all 0")
        value: int = self.draw("categorical", weights)
        return value

    def categorical_exp(self, rate: Epsilon, scores: NDArray[np.int64]) -> int:
        """Index i with probability exactly ∝ e^(rate·scores[i]), for an int64 array of scores.

        The distribution of the exponential mechanism (McSherry and Talwar 2007) as one draw, at
        some nanoseconds per candidate. A rate is a rational >= 0 or a ``Log``.
        """
        parameter = as_exponent(rate), check_scores(scores).tobytes()
        value: int = self.draw("categorical_exp", parameter)
        return value

    def clamped_geometric(self, center: int, ratio: Number, low: int, high: int) -> int:
        """center + Z, clamped to [low, high], where the integer Z = z has probability ∝ ratio^|z|.

        Finite noise, one ``categorical`` draw with exact probabilities: it can be enumerated. With
        ratio = e^(-ε) it makes an integer of sensitivity 1 ε-DP. ``ratio`` is a rational in (0, 1);
        ``low`` <= ``center`` <= ``high``, of at most 4,096 values. Source: Ghosh, Roughgarden and
        Sundararajan 2009, Def. 2.1 and the truncated mechanism.
        """
        center, ratio, low, high = map(self.shared, (center, ratio, low, high))
        return low + self.categorical(clamped_weights(center, exactly(ratio, "ratio"), low, high))

    def uniform_integer(self, n: int) -> int:
        """An integer drawn uniformly from 0, …, n-1, for n >= 1."""
        n = self.shared(n)
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
        """Normal noise of standard deviation sigma in doubles; for simulation, as ``laplace``."""
        value: float = self.draw("gaussian", self._scale(sigma, "sigma"))
        return value

    def discrete_laplace(self, scale: Number) -> int:
        """An integer x with probability proportional to e^(-|x|/scale), sampled exactly.

        Source: Canonne, Kamath, Steinke 2020, Algorithm 2.
        """
        value: int = self.draw("discrete_laplace", exactly(self.shared(scale), "scale"))
        return value

    def discrete_gaussian(self, sigma: Number) -> int:
        """An integer x with probability proportional to e^(-x²/(2 sigma²)), sampled exactly.

        Source: Canonne, Kamath, Steinke 2020, Algorithm 3.
        """
        value: int = self.draw("discrete_gaussian", exactly(self.shared(sigma), "sigma"))
        return value

    def discrete_laplaces(self, scale: Number, count: int) -> tuple[int, ...]:
        """``count`` independent values of ``discrete_laplace`` as one draw, which is faster."""
        parameter = exactly(self.shared(scale), "scale"), whole(count, "count")
        value: tuple[int, ...] = self.draw("discrete_laplaces", parameter)
        return value

    def discrete_gaussians(self, sigma: Number, count: int) -> tuple[int, ...]:
        """``count`` independent values of ``discrete_gaussian`` as one draw."""
        parameter = exactly(self.shared(sigma), "sigma"), whole(count, "count")
        value: tuple[int, ...] = self.draw("discrete_gaussians", parameter)
        return value

    def laplace_array(self, scale: Number, count: int) -> NDArray[np.int64]:
        """``count`` discrete Laplace values as an array. Raises: OverflowError past 64 bits."""
        return self.stacked(self.discrete_laplaces(scale, count))

    def gaussian_array(self, sigma: Number, count: int) -> NDArray[np.int64]:
        """``count`` discrete Gaussian values as an int64 array, without making Python ints."""
        return self.stacked(self.discrete_gaussians(sigma, count))

    def foreign(self, source: str, argument: object, toss: Callable[[], object]) -> Any:
        """Draw by calling ``toss()``, which takes its randomness from elsewhere; the result is
        recorded like any other draw.

        ``source`` and ``argument`` name the distribution; both are recorded on the tape, and a
        replay reads the value without calling ``toss``. The draw does not follow the seed and
        cannot be enumerated. Raises: Intractable where its distribution is needed; any exception of
        ``toss``, after the draw was counted.
        """
        raise Intractable(
            f"enumerating a draw of {source} (its law is not known here: test it on samples with "
            "game.audit, or take a mechanism of this library)",
            "unknown",
            "finite",
        )


def clamped_weights(center: int, ratio: Fraction, low: int, high: int) -> tuple[Fraction, ...]:
    """The weights of the values x in [low, high] of clamped geometric noise: ratio^|x - center|·(1
    - ratio), and at both ends the weight of the whole tail.

    Raises: InvalidArgument, whose text does not show the center, which may come from data.
    """
    if not all(type(each) is int for each in (center, low, high)) or not low <= center <= high:
        raise InvalidArgument("clamped_geometric takes ints low <= center <= high")
    if high - low >= _MOST_CLAMPED or ratio >= 1:
        raise InvalidArgument(
            f"clamped_geometric takes a ratio below 1 and at most {_MOST_CLAMPED:,} values"
        )
    if low == high:
        return (Fraction(1),)
    powers = [ratio ** abs(x - center) for x in range(low, high + 1)]
    return (powers[0], *(power * (1 - ratio) for power in powers[1:-1]), powers[-1])


_MOST_CLAMPED: Final = 4096


def is_array(weights: object) -> TypeGuard[NDArray[Any]]:
    """Whether the weights are a one-dimensional int64 or float64 array."""
    return type(weights) is np.ndarray and weights.ndim == 1 and weights.dtype.str in _PLAIN


def check_weights(weights: NDArray[Any]) -> NDArray[Any]:
    """The weights, if they are finite, >= 0 and not all 0. Raises: InvalidArgument otherwise."""
    # Weights with a NaN fail this comparison.
    if not weights.size or not 0 <= weights.min() <= weights.max() < math.inf or not weights.any():
        raise InvalidArgument("weights must be finite, >= 0 and not all 0")
    return weights


_PLAIN: Final = ("<i8", "<f8")
_INT64: Final = np.dtype("<i8")


def check_scores(scores: NDArray[np.int64]) -> NDArray[np.int64]:
    """The scores, if they are a nonempty 1-dimensional int64 array. Raises: InvalidArgument."""
    kind: object = type(scores)
    if kind is not np.ndarray or scores.dtype != _INT64 or scores.ndim != 1 or not scores.size:
        raise InvalidArgument("scores must be an int64 array of one axis, not empty")
    return scores


def told_scores(parameter: bytes) -> NDArray[np.int64]:
    """The int64 array of scores that a tape holds as bytes (the parameter of a draw)."""
    return np.frombuffer(parameter, _INT64)


def exactly(value: Number, name: str) -> Fraction:
    """A positive number as an exact Fraction. The error hides the value: it may come from data."""
    if isinstance(value, Symbolic) and value > 0:
        return fraction(value, name, symbols=True)
    try:
        return positive(value, name)
    except InvalidArgument:
        raise InvalidArgument(f"{name} must be a positive, finite number") from None


def integer_weights(weights: Iterable[Number]) -> list[int]:
    """The weights as integers over a common denominator; floats count as exact rationals."""
    exact = [Fraction(weight) for weight in weights]
    common = math.lcm(*(weight.denominator for weight in exact))
    return [weight.numerator * (common // weight.denominator) for weight in exact]
