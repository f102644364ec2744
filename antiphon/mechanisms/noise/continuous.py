"""Laplace and Gaussian noise in doubles: for simulation, **not for release**.

The gaps between doubles reveal data (Mironov 2012), so every claim here is only *assumed*. To
release an answer take the discrete mechanisms, or those on a grid.
"""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from typing import Final

import attrs

from antiphon.mechanisms import fields
from antiphon.mechanisms.noise.discrete import concentrated_at, gaussian_quantile
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.named import set_derived
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.measures.kinds import GaussianDP, Measure, Pure, ZeroConcentrated
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Reals, Signature
from antiphon.verifiers.models import neighbouring_start
from antiphon.verifiers.relations import Within

_LARGEST: Final = sys.float_info.max
_SMALLEST: Final = sys.float_info.min


def _held(scale: Fraction, what: str) -> float:
    if not _SMALLEST <= scale <= _LARGEST:
        raise InvalidArgument(f"{what} must be a number that a double can hold")
    return float(scale)


@register("antiphon.Laplace/1")
@column_safe
@attrs.frozen
class Laplace(NoninteractiveMechanism[float, float]):
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
        scale = _held(self.sensitivity / self.epsilon, "sensitivity/epsilon")
        set_derived(self, _scale=scale)

    @property
    def signature(self) -> Signature:
        return Signature(Reals(), Reals(), Reals())

    @property
    def claims(self) -> tuple[Claim, ...]:
        return self.claims_at(self.sensitivity)

    def claims_at(self, distance: object) -> tuple[Claim, ...]:
        """What neighbours so far apart cost: ε·distance/sensitivity."""
        tau = fields.distance(distance)
        source = "Dwork et al. 2006; in doubles only assumed (Mironov 2012)"
        loss = Pure(self.epsilon * tau / self.sensitivity)
        return (Claim(loss, neighbouring_start(Within(tau)), Status.ASSUMED, source),)

    def respond(self, dataset: float, coins: Coins) -> float:
        return min(max(dataset + coins.laplace(self._scale), -_LARGEST), _LARGEST)

    def error_bound(self, *, beta: float) -> float:
        """What the error exceeds with probability at most beta: scale·ln(1/beta)."""
        return -math.log(fields.beta(beta)) * self._scale * (1 + 1e-12)


@register("antiphon.Gaussian/1")
@column_safe
@attrs.frozen
class Gaussian(NoninteractiveMechanism[float, float]):
    """x ↦ x + N(0, σ²), σ = sensitivity/√(2ρ): the Gaussian mechanism. *Not for release.*

    NIM: a finite float -> a float, then HALT.
    Privacy: ρ-zCDP and √(2ρ)-GDP w.r.t. f_∼ with |x - x'| <= sensitivity; *assumed*, as of
    ``Laplace``.
    Simulation only; ``GridGaussian`` is for release. Source: Bun and Steinke 2016, Prop. 1.6.
    Raises: InvalidArgument for rho or sensitivity not positive.
    """

    rho: Fraction = attrs.field(converter=fields.positive, kw_only=True)
    sensitivity: Fraction = attrs.field(
        default=Fraction(1), converter=fields.positive, kw_only=True
    )
    sigma: float = attrs.field(init=False, eq=False)
    """The standard deviation of the noise."""

    def __attrs_post_init__(self) -> None:
        sigma = exact.root_up(self.sensitivity**2 / (2 * self.rho))
        set_derived(self, sigma=_held(sigma, "sensitivity/√(2 rho)"))

    @property
    def signature(self) -> Signature:
        return Signature(Reals(), Reals(), Reals())

    @property
    def claims(self) -> tuple[Claim, ...]:
        return self.claims_at(self.sensitivity)

    def claims_at(self, distance: object) -> tuple[Claim, ...]:
        """What neighbours so far apart cost: ρ·(distance/sensitivity)², and that GDP."""
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
        """What the error exceeds with probability at most beta."""
        return self.sigma * gaussian_quantile(fields.beta(beta))
