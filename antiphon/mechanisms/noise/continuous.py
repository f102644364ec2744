"""Laplace and Gaussian noise, and a noisy descent, in doubles: for simulation, **not for release**.

The gaps between doubles reveal data (Mironov 2012), so every claim here is only *assumed*. To
release an answer use the discrete mechanisms, or those on a grid.
"""

import math
import sys
from fractions import Fraction
from typing import Any, Final

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.mechanisms import fields
from antiphon.mechanisms.noise.discrete import Calibrated, concentrated_at, gaussian_quantile
from antiphon.numbers import InvalidArgument, exact, up
from antiphon.protocol import Arrays, Claim, Coins, Reals, Signature, Status
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.measures.kinds import GaussianDP, Measure, Pure, ZeroConcentrated
from antiphon.protocol.registry import column_safe, register, set_derived
from antiphon.verifiers import Within, neighbouring_start
from antiphon.verifiers.preprocessing_distance import PreprocessingDistance

_LARGEST: Final = sys.float_info.max
_SMALLEST: Final = sys.float_info.min


def _as_double(scale: Fraction, what: str) -> float:
    if not _SMALLEST <= scale <= _LARGEST:
        raise InvalidArgument(f"{what} must be a number that a double can hold")
    return float(scale)


class RealNoise(Calibrated[float, float]):
    """An additive-noise mechanism, x ↦ x + noise, for a finite float x. Abstract."""

    __slots__ = ()

    @property
    def signature(self) -> Signature:
        return Signature(Reals(), Reals(), Reals())


@register("antiphon.Laplace/1")
@column_safe
@attrs.frozen
class Laplace(RealNoise):
    """x ↦ x + Lap(sensitivity/ε): the Laplace mechanism on a real number. *Not for release.*

    NIM: a finite float -> a float, then HALT.
    Privacy: ε-DP w.r.t. f_∼ with |x - x'| <= sensitivity; *assumed*: proved for real
    arithmetic, while doubles leave gaps that reveal data (Mironov 2012). Simulation
    only; ``GridLaplace`` is for release. Source: Dwork, McSherry, Nissim, Smith 2006.
    Raises: InvalidArgument for epsilon or sensitivity not positive.
    """

    epsilon: Fraction = attrs.field(converter=fields.positive, kw_only=True)
    sensitivity: Fraction = attrs.field(
        default=Fraction(1), converter=fields.positive, kw_only=True
    )
    _scale: float = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        scale = _as_double(self.sensitivity / self.epsilon, "sensitivity/epsilon")
        set_derived(self, _scale=scale)

    def claims_at(self, distance: object) -> tuple[Claim, ...]:
        tau = fields.distance(distance)
        source = "Dwork et al. 2006; in doubles only assumed (Mironov 2012)"
        loss = Pure(self.epsilon * tau / self.sensitivity)
        return (Claim(loss, neighbouring_start(Within(tau)), Status.ASSUMED, source),)

    def respond(self, dataset: float, coins: Coins) -> float:
        return min(max(dataset + coins.laplace(self._scale), -_LARGEST), _LARGEST)

    def error_bound(self, *, beta: float) -> float:
        """A bound that the error exceeds with probability at most beta: scale·ln(1/beta)."""
        return -math.log(fields.beta(beta)) * self._scale * (1 + 1e-12)


@register("antiphon.Gaussian/1")
@column_safe
@attrs.frozen
class Gaussian(RealNoise):
    """x ↦ x + N(0, σ²), σ = sensitivity/√(2ρ): the Gaussian mechanism. *Not for release.*

    NIM: a finite float -> a float, then HALT.
    Privacy: ρ-zCDP and √(2ρ)-GDP w.r.t. f_∼ with |x - x'| <= sensitivity; *assumed*, as for
    ``Laplace``. Simulation only; ``GridGaussian`` is for release. Instead of ``rho`` give
    ``sigma``. Source: Bun and Steinke 2016, Prop. 1.6. Raises: InvalidArgument for rho, sigma or
    sensitivity not positive, or for rho and sigma together.

    >>> Gaussian(sigma=2, sensitivity=3).claims[0].measure
    ZeroConcentrated(rho=1.125)
    """

    rho: Fraction = attrs.field(converter=fields.positive, kw_only=True)
    sensitivity: Fraction = attrs.field(
        default=Fraction(1), converter=fields.positive, kw_only=True
    )
    sigma: float = attrs.field(init=False, eq=False)
    """The standard deviation of the noise."""

    def __init__(
        self, *, rho: object = None, sigma: object = None, sensitivity: object = 1
    ) -> None:
        if (rho is None) == (sigma is None):
            raise InvalidArgument("Gaussian takes rho, or sigma: write Gaussian(sigma=10)")
        distance = fields.check_positive(sensitivity, "sensitivity")
        if sigma is not None:
            rho = (distance / fields.check_positive(sigma, "sigma")) ** 2 / 2
        make: Any = self
        make.__attrs_init__(rho=rho, sensitivity=distance)

    def __attrs_post_init__(self) -> None:
        sigma = exact.root_up(self.sensitivity**2 / (2 * self.rho))
        set_derived(self, sigma=_as_double(sigma, "sensitivity/√(2 rho)"))

    def claims_at(self, distance: object) -> tuple[Claim, ...]:
        tau = fields.distance(distance)
        source = "Bun and Steinke 2016; in doubles only assumed (Mironov 2012)"
        loss = concentrated_at(self.rho, tau / self.sensitivity)
        measures: list[Measure] = [loss]
        if isinstance(loss, ZeroConcentrated):
            measures.append(GaussianDP(exact.root_up(2 * loss.rho)))
        f = neighbouring_start(Within(tau))
        return tuple(Claim(each, f, Status.ASSUMED, source) for each in measures)

    def respond(self, dataset: float, coins: Coins) -> float:
        return min(max(dataset + coins.gaussian(self.sigma), -_LARGEST), _LARGEST)

    def error_bound(self, *, beta: float) -> float:
        """A bound that the error exceeds with probability at most beta."""
        return self.sigma * gaussian_quantile(fields.beta(beta))


_FAR = 1e6
Table = NDArray[np.float64]


@attrs.frozen(kw_only=True)
class AlongGradients(NoninteractiveMechanism[Table, Table]):
    """A noninteractive mechanism that gets a table of points and answers with one point, found by
    gradient steps with noise; a subclass defines a step. Abstract."""

    points: int = attrs.field(converter=fields.size, metadata=fields.COORDINATES)
    dimension: int = attrs.field(converter=fields.size, metadata=fields.COORDINATES)
    steps: int = attrs.field(converter=fields.size, metadata=fields.ITEMS)
    rho: Fraction = attrs.field(converter=fields.positive)
    clip: Fraction = attrs.field(default=Fraction(1), converter=fields.positive)
    rate: float = attrs.field(default=1.0, converter=fields.double)
    sigma: float = attrs.field(init=False, eq=False)
    """The standard deviation of the noise of a step, rounded up."""

    def __attrs_post_init__(self) -> None:
        square = (2 * self.clip / self.points) ** 2 * self.steps / (2 * self.rho)
        set_derived(self, sigma=up(exact.root_up(square)))

    @property
    def signature(self) -> Signature:
        table = Arrays((self.points, self.dimension), "float64", -_FAR, _FAR)
        return Signature(table, Arrays((self.dimension,), "float64"), table)

    @property
    def claims(self) -> tuple[Claim, ...]:
        return self.claims_at(0)[:1]

    def claims_at(self, distance: object) -> tuple[Claim, ...]:
        """The two privacy claims for neighbouring tables whose rows move by ``distance`` in all:
        one where also one row is replaced, one where none is."""
        tau = fields.distance(distance)
        source = "COR, Table 1; in doubles only assumed (Mironov 2012)"

        def claim(replaced: int) -> Claim:
            loss = concentrated_at(self.rho, tau / (2 * self.clip) + replaced)
            f = neighbouring_start(PreprocessingDistance(tau, replaced))
            return Claim(loss, f, Status.ASSUMED, source)

        return claim(1), claim(0)


@register("antiphon.NoisyDescent/1")
@attrs.frozen(kw_only=True)
class NoisyDescent(AlongGradients):
    """Noisy gradient descent to the centre of n points x_i: T steps θ ← θ - rate·(the mean of all
    clipped θ - x_i, plus N(0, σ²I)).

    From the origin. θ - x_i, clipped to the ℓ₂ norm L, is the gradient of a Huber loss: L-Lipschitz
    in θ, and its gradient is 1-Lipschitz in x_i, as a projection on a ball moves no two points
    further apart. σ = (2L/n)·√(T/(2ρ)). *Not for release.*
    NIM: an n × d table of floats, |x| <= 1e6 -> a float array, then HALT.
    Privacy: ρ-zCDP w.r.t. f_∼ with one row replaced; and if the others move by τ in all, too,
    (1 + τ/(2L))²ρ; (τ/(2L))²ρ if none is replaced (``claims_at``: smooth Rényi DP). *Proof*: given
    θ the mean moves by (2L + τ)/n at most, so each step is a Gaussian mechanism, and T of them
    compose adaptively. *Assumed*, as doubles leave gaps. Source: COR, Table 1, with μ = 1.
    Raises: InvalidArgument for rho, rate or clip not positive.
    """

    def respond(self, dataset: Any, coins: Coins) -> Table:
        clip, point = float(self.clip), np.zeros(self.dimension)
        for _ in range(self.steps):
            gradients = point - dataset
            lengths = np.sqrt(np.einsum("ij,ij->i", gradients, gradients))
            scales = np.minimum(1.0, clip / np.maximum(lengths, clip))
            noise = np.array([coins.gaussian(self.sigma) for _ in range(self.dimension)])
            point = point - self.rate * (scales @ gradients / self.points + noise)
        return point
