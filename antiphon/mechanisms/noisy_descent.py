"""Full gradient descent with Gaussian noise, in doubles: for simulation, **not for release**."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.mechanisms import fields
from antiphon.mechanisms.noise.discrete import concentrated_at
from antiphon.numbers import exact
from antiphon.numbers.interval import up
from antiphon.numbers.named import set_derived
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.claims import Claim, Status
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Arrays, Signature
from antiphon.verifiers.models import neighbouring_start
from antiphon.verifiers.moved import Moved

_FAR = 1e6
Table = NDArray[np.float64]


@register("antiphon.NoisyDescent/1")
@attrs.frozen(kw_only=True)
class NoisyDescent(NoninteractiveMechanism[Table, Table]):
    """n points -> their middle: T steps θ ← θ - rate·(mean of clipped θ - x_i, + N(0, σ²I)).

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
        """What it costs if rows move by so much in all: with one row replaced, and with none."""
        tau = fields.distance(distance)
        source = "COR, Table 1; in doubles only assumed (Mironov 2012)"
        share = tau / (2 * self.clip)
        return tuple(
            Claim(
                concentrated_at(self.rho, share + replaced),
                neighbouring_start(Moved(tau, replaced)),
                Status.ASSUMED,
                source,
            )
            for replaced in (1, 0)
        )

    def respond(self, dataset: Any, coins: Coins) -> Table:
        clip, point = float(self.clip), np.zeros(self.dimension)
        for _ in range(self.steps):
            gradients = point - dataset
            lengths = np.sqrt(np.einsum("ij,ij->i", gradients, gradients))
            scales = np.minimum(1.0, clip / np.maximum(lengths, clip))
            noise = np.array([coins.gaussian(self.sigma) for _ in range(self.dimension)])
            point = point - self.rate * (scales @ gradients / self.points + noise)
        return point
