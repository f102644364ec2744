"""Discrete Laplace and Gaussian noise on integers: exact, so safe to release."""

import math
from abc import abstractmethod
from collections.abc import Callable
from decimal import ROUND_FLOOR, Decimal
from fractions import Fraction
from statistics import NormalDist
from typing import Any, ClassVar, Final, TypeAlias, Union

import attrs
import numpy as np
import numpy.typing as npt

from antiphon.composition.accounting.bounds import of_measure
from antiphon.composition.accounting.pairs.compose import dominated_measure
from antiphon.composition.accounting.pairs.noise import DiscreteGaussianPair, DiscreteLaplacePair
from antiphon.composition.accounting.pairs.pairs_curve import LossPair
from antiphon.mechanisms import fields
from antiphon.numbers import InvalidArgument, exact
from antiphon.populations.array_columns import int64s
from antiphon.protocol import Claim, Coins, NoninteractiveMechanism, proved
from antiphon.protocol.elsewhere import GAUSSIAN, LAPLACE
from antiphon.protocol.measures.kinds import Dominated, Measure, Pure, ZeroConcentrated
from antiphon.protocol.mechanism import Answer, Query
from antiphon.protocol.registry import column_safe, register, set_derived
from antiphon.protocol.spaces import Arrays, Integers, Signature, Space
from antiphon.verifiers.models import NeighbouringStart, neighbouring_start
from antiphon.verifiers.relations import Near, Within

_HALVINGS: Final = 60
"""The largest number of bisection steps in the search for ρ, which mostly ends sooner."""
_UP: Final = 1 + 2.0**-40
"""A factor slightly above 1, more than the rounding errors of a few operations in double
precision."""


def laplace_bound(scale: Fraction, beta: float) -> int:
    """An m with P(|X| > m) <= beta for discrete Laplace noise X; the least such m, or one more.

    P(|X| > m) = 2e^(-(m+1)/scale) / (1 + e^(-1/scale)).

    >>> laplace_bound(Fraction(1), 0.05)
    3
    """
    ratio = math.exp(-min(1 / scale, Fraction(1000)))
    halvings = Fraction(max(0.0, math.log(2 / (beta * (1 + ratio)))) * _UP)
    return max(0, math.ceil(scale * halvings) - 1)


def gaussian_bound(sigma: Fraction, beta: float) -> int:
    """An m with P(|X| > m) <= beta for discrete Gaussian noise X: the smaller of two bounds.

    P(|X| > m) <= P(|Z| >= m) for the Gaussian Z: Σ_{x>m} e^(-x²/(2sigma²)) is below the integral
    from m on, and Σ_x over all integers is above the whole integral (Canonne, Kamath, Steinke 2020,
    Prop. 25). And P(|X| >= m) <= 2e^(-m²/(2 sigma²)), as X is sub-Gaussian: E e^(tX) =
    e^(t²sigma²/2) times Σ e^(-(x-tsigma²)²/(2sigma²)) / Σ e^(-x²/(2sigma²)), which is at most 1
    (Poisson summation).

    >>> gaussian_bound(Fraction(10), 0.05)
    20
    """
    near = math.ceil(sigma * Fraction(gaussian_quantile(beta)))
    far = math.ceil(sigma * Fraction(math.sqrt(2 * math.log(2 / beta)) * _UP)) - 1
    return max(0, min(near, far))


def gaussian_quantile(beta: float) -> float:
    """The z with P(|Z| > z) = beta for a standard Gaussian, rounded up."""
    return -NormalDist().inv_cdf(beta / 2) * _UP


Ints: TypeAlias = Union[int, npt.NDArray[np.int64]]
"""The type of an int, or of an array of ints."""


def concentrated_at(rho: Fraction, times: Fraction) -> Measure:
    """The measure of privacy of Gaussian noise that is ρ-zCDP, for neighbours ``times`` as far
    apart: (times²·ρ)-zCDP, or 0-DP at 0."""
    return ZeroConcentrated(times**2 * rho) if times else Pure(0)


class Calibrated(NoninteractiveMechanism[Query, Answer]):
    """A mechanism whose noise or weights are calibrated to ``sensitivity``, with claims for
    neighbours at other distances, too."""

    __slots__ = ()
    sensitivity: Any
    """The largest distance of neighbours, for which the mechanism is calibrated."""

    @property
    def claims(self) -> tuple[Claim, ...]:
        return self.claims_at(self.sensitivity)

    @abstractmethod
    def claims_at(self, distance: object) -> tuple[Claim, ...]:
        """The claims for neighbours at another distance: the noise stays as it was calibrated."""


@column_safe
@attrs.frozen(kw_only=True)
class IntegerNoise(Calibrated[Any, Ints]):
    """An additive-noise mechanism, x ↦ x + noise, on an int or an int64 array of length
    ``dimension``. Abstract.

    NIM. The noise of each coordinate is drawn independently and unbounded; an entry of an array
    that leaves 64 bits is clipped, which is post-processing.
    """

    sensitivity: Fraction = attrs.field(default=Fraction(1), converter=fields.positive)
    dimension: int | None = attrs.field(
        default=None, converter=attrs.converters.optional(fields.size), metadata=fields.COORDINATES
    )
    norm: ClassVar[int]
    """The p of the ℓ_p distance in which neighbours are at most ``sensitivity`` apart."""

    @property
    def signature(self) -> Signature:
        space: Space = Integers()
        if self.dimension is not None:
            space = Arrays((self.dimension,), "int64")
        return Signature(space, space, space)

    @property
    def verification(self) -> NeighbouringStart:
        """The verification function f: two datasets at most the sensitivity apart."""
        return self._apart(self.sensitivity)

    def _apart(self, distance: Fraction) -> NeighbouringStart:
        """The verification function f_∼ for datasets at most ``distance`` apart."""
        if self.dimension is None:
            return neighbouring_start(Within(distance))
        return neighbouring_start(Near(distance, self.norm))

    def _dominated(
        self, kind: Callable[..., LossPair], size: Fraction, distance: Fraction
    ) -> tuple[Dominated, ...]:
        """The claim that the mechanism is dominated by the pair of its noise, of scale ``size``,
        and the same noise shifted by ``distance``; ``kind`` makes this pair. Empty for arrays, and
        for distances below 1."""
        shift = math.floor(distance)
        return dominated_measure(kind, size, shift) if self.dimension is None and shift else ()

    @abstractmethod
    def _noise(self, coins: Coins) -> int:
        """One draw of the noise."""

    @abstractmethod
    def _noises(self, coins: Coins, count: int) -> tuple[int, ...]:
        """A tuple of ``count`` draws of the noise."""

    @abstractmethod
    def _tail(self, beta: float) -> int:
        """A bound on the size of one draw of the noise, exceeded with probability at most beta."""

    def respond(self, dataset: Any, coins: Coins) -> Ints:
        if self.dimension is None:
            noisy: int = dataset + self._noise(coins)
            return noisy
        values, noises = dataset.tolist(), self._noises(coins, self.dimension)
        sums: Ints = int64s([value + noise for value, noise in zip(values, noises, strict=True)])
        return sums

    def error_bound(self, *, beta: float) -> int:
        """A bound on the error of every coordinate, with probability at least 1 - beta."""
        return self._tail(fields.beta(beta) / (self.dimension or 1))


@register("antiphon.DiscreteLaplace/1")
@column_safe
@attrs.frozen(kw_only=True)
class DiscreteLaplace(IntegerNoise):
    """The discrete Laplace mechanism on integers: x ↦ x + DLap(sensitivity/ε), P(noise = n) ∝
    e^(-|n|ε/sensitivity).

    An int, or with a ``dimension`` an int64 array, whose neighbours are at most
    ``sensitivity`` apart in ℓ₁. Noise is sampled exactly.
    Privacy: ε-DP w.r.t. f_∼ with that distance, τε/sensitivity with another τ (``claims_at``);
    proved. On an int also dominated by the pair of its noise and its noise shifted by τ. Source:
    Ghosh, Roughgarden, Sundararajan 2012; sampled by Canonne, Kamath, Steinke 2020. Raises:
    InvalidArgument for epsilon or sensitivity not positive.

    >>> DiscreteLaplace(epsilon=100).start(seed=1).send(7)
    7
    >>> DiscreteLaplace(epsilon=0.1).error_bound(beta=0.05)
    30
    """

    checked_elsewhere = LAPLACE
    norm: ClassVar[int] = 1
    epsilon: Fraction = attrs.field(converter=fields.positive)
    scale: Fraction = attrs.field(init=False, eq=False, repr=False)
    """The scale of the noise: sensitivity/ε."""

    def __attrs_post_init__(self) -> None:
        set_derived(self, scale=self.sensitivity / self.epsilon)

    def claims_at(self, distance: object) -> tuple[Claim, ...]:
        source, tau = "Ghosh, Roughgarden, Sundararajan 2012", fields.distance(distance)
        pairs = self._dominated(DiscreteLaplacePair, self.scale, tau)
        return proved(self, Pure(tau / self.scale), self._apart(tau), source, *pairs)

    def _noise(self, coins: Coins) -> int:
        return coins.discrete_laplace(self.scale)

    def _noises(self, coins: Coins, count: int) -> tuple[int, ...]:
        return coins.discrete_laplaces(self.scale, count)

    def _tail(self, beta: float) -> int:
        return laplace_bound(self.scale, beta)


def _largest_rho(
    epsilon: exact.ExactEpsilon, delta: Fraction, distance: Fraction, dimension: int | None
) -> Fraction:
    """A ρ of three significant digits for which a ρ-zCDP discrete Gaussian mechanism is (ε, δ)-DP;
    nearly the largest one.

    Raises: InvalidArgument if there is none, as for ε = 0 or δ = 0.
    """
    if not delta or not (isinstance(epsilon, exact.Log) or epsilon):
        raise InvalidArgument("Gaussian noise needs epsilon and delta > 0, such as delta=1e-6")

    def keeps(rho: Fraction) -> bool:
        claims = DiscreteGaussian(rho=rho, sensitivity=distance, dimension=dimension).claims
        return any(of_measure(each.measure).delta_at(epsilon) <= delta for each in claims)

    low, high = Fraction(0), exact.bracket(epsilon, 20)[1] + 1
    for _ in range(_HALVINGS):
        middle = (low + high) / 2 if low else high / 16
        low, high = (middle, high) if keeps(middle) else (low, middle)
        if low and high - low < low / 1000:
            break
    digits = Decimal(float(low))
    unit = Decimal(1).scaleb(digits.adjusted() - 2)
    rho = digits.quantize(unit, ROUND_FLOOR)
    # With discrete Gaussian noise of small σ, a smaller ρ need not give a smaller ε.
    while not keeps(Fraction(rho)):
        rho -= unit
    return Fraction(rho)


@register("antiphon.DiscreteGaussian/1")
@column_safe
@attrs.frozen(kw_only=True)
class DiscreteGaussian(IntegerNoise):
    """The discrete Gaussian mechanism on integers: x ↦ x + noise, P(noise = n) ∝ e^(-n²/(2σ²)), σ =
    sensitivity/√(2ρ).

    An int, or with a ``dimension`` an int64 array, whose neighbours are at most
    ``sensitivity`` apart in ℓ₂. σ is rounded up to a rational, noise is sampled exactly.
    Privacy: ρ-zCDP w.r.t. f_∼ with that distance, (τ/sensitivity)²ρ with another τ
    (``claims_at``); proved. ``claims[0].at(delta)`` is the (ε, δ). On an int also dominated by the
    pair of its noise and its noise shifted by τ. Instead of ``rho`` give ``sigma``, or ``epsilon``
    and ``delta``: then ρ is nearly the largest of three digits whose claims imply (ε, δ). Source:
    Canonne, Kamath, Steinke 2020, Thm 4, coordinate by coordinate. Raises: InvalidArgument for rho
    or sensitivity not positive, or more than one way to set the noise.

    >>> DiscreteGaussian(rho=10**6).start(seed=1).send(7)
    7
    >>> DiscreteGaussian(sigma=10)
    DiscreteGaussian(sensitivity=1, dimension=None, rho=0.005)
    >>> DiscreteGaussian(epsilon=1, delta=1e-6)
    DiscreteGaussian(sensitivity=1, dimension=None, rho=0.0279)
    """

    checked_elsewhere = GAUSSIAN
    norm: ClassVar[int] = 2
    rho: Fraction = attrs.field(converter=fields.positive)
    sigma: Fraction = attrs.field(init=False, eq=False, repr=False)
    """The σ of the noise, rounded up."""

    def __init__(
        self,
        *,
        rho: object = None,
        sigma: object = None,
        epsilon: exact.Epsilon | None = None,
        delta: object = None,
        sensitivity: object = 1,
        dimension: int | None = None,
    ) -> None:
        named = {"rho": rho, "sigma": sigma, "epsilon": epsilon, "delta": delta}
        given = [name for name, value in named.items() if value is not None]
        distance = fields.check_positive(sensitivity, "sensitivity")
        if given == ["sigma"]:
            rho = (distance / fields.check_positive(sigma, "sigma")) ** 2 / 2
        elif given == ["epsilon", "delta"]:
            assert epsilon is not None
            rho = _largest_rho(
                exact.epsilon(epsilon), exact.probability(delta), distance, dimension
            )
        elif given != ["rho"]:
            raise InvalidArgument(
                "DiscreteGaussian takes rho, or sigma, or epsilon and delta: write "
                "DiscreteGaussian(sigma=10)"
            )
        make: Any = self
        make.__attrs_init__(rho=rho, sensitivity=distance, dimension=dimension)

    def __attrs_post_init__(self) -> None:
        set_derived(self, sigma=exact.root_up(self.sensitivity**2 / (2 * self.rho)))

    def claims_at(self, distance: object) -> tuple[Claim, ...]:
        source, tau = "Canonne, Kamath, Steinke 2020, Thm 4", fields.distance(distance)
        pairs = self._dominated(DiscreteGaussianPair, self.sigma, tau)
        loss = concentrated_at(self.rho, tau / self.sensitivity)
        return proved(self, loss, self._apart(tau), source, *pairs)

    def _noise(self, coins: Coins) -> int:
        return coins.discrete_gaussian(self.sigma)

    def _noises(self, coins: Coins, count: int) -> tuple[int, ...]:
        return coins.discrete_gaussians(self.sigma, count)

    def _tail(self, beta: float) -> int:
        return gaussian_bound(self.sigma, beta)
