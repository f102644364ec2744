"""Correlated counters with the privacy curve of real Gaussian noise, which is better than ρ-zCDP's.

**Theorem.** A correlated counter with resolution R, horizon T and d coordinates that is ρ-zCDP is
(ε, δ_μ(ε) + (1 + e^ε)·Td/(16R²))-DP w.r.t. the same f, for every ε >= 0, where μ = √(2ρ) and δ_μ is
the curve of μ-GDP. *Proof.* Given the past, a released number is a function of J_t + m_t, J_t
discrete Gaussian with σ = R and m_t whole; between the two worlds all m_t together move by at most
R√(2ρ) in ℓ₂, on every path (``correlated``). *With rounded noise* ⌊G_t⌉ in place of J_t, G_t normal
with σ = R, it is a function of G_t + m_t, as m_t is whole: Gaussian mechanisms in turn, chosen
adaptively, whose squared shifts sum to at most μ² on every path, so that all is a post-processing
of a Brownian motion with drift, and μ-GDP (``GaussianFilter``). *The difference*: let g be the
density of G_t, Z = Σ_k g(k) and q_k = Pr[⌊G_t⌉ = k]; J_t is k with probability g(k)/Z. By the
midpoint rule |q_k - g(k)| <= max|g₂|/24 on the unit interval around k, g₂ and g₃ the second and
third derivative. The sum of these maxima is at most ∫|g₂| + ∫|g₃| <= 0.97/R² + 1.52/R³ <= 1.35/R²
for R >= 4. So Σ|q_k - g(k)| and |Z - 1| are at most 1.35/(24R²), and the total variation distance
of J_t and ⌊G_t⌉ is at most 1/(16R²). With Td draws a world's views are at most Td/(16R²) apart,
which adds to δ once, and e^ε times. ∎

At (1, 10⁻⁶) this is σ = 4.23 per unit of ℓ₂ distance, where zCDP takes 4.53.
"""

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

import attrs

from antiphon.composition.accounting.calibration import largest_where, short_rate
from antiphon.composition.complex_mechanism import Delegating
from antiphon.mechanisms import fields
from antiphon.mechanisms.counters.correlated import CorrelatedCounter
from antiphon.numbers import InvalidArgument, exact, shown_up
from antiphon.numbers.normal import gaussian_delta
from antiphon.protocol import Approximate, Claim, ZeroConcentrated, proved, register

SOURCE: Final = "antiphon.mechanisms.counters.gaussian_curve"
_STEPS: Final = 40
_LARGEST: Final = 64
"""The largest ε for which a ρ is sought; for larger ε counters with Laplace noise are as good."""


def delta_of(rho: Fraction, epsilon: Fraction, draws: int, resolution: int) -> Fraction:
    """The δ, rounded up, at ``epsilon``, of a ρ-zCDP correlated counter that makes ``draws`` draws
    of noise, by the module's theorem."""
    bits = 64 + math.ceil(2 * epsilon)
    # The theorem's factor e^ε is rounded up.
    growth = Fraction(1 << bits, exact.exp_bracket(epsilon, bits)[0])
    slack = Fraction(draws, 16 * resolution**2) * (1 + growth)
    return gaussian_delta(exact.root_up(2 * rho), epsilon)[1] + slack


@lru_cache(maxsize=64)
def largest_gaussian_rho(
    epsilon: Fraction, delta: Fraction, draws: int, resolution: int
) -> Fraction | None:
    """The largest ρ, rounded down, for which a correlated counter that makes ``draws`` draws of
    noise is (ε, δ)-DP by the theorem of this module; None if even a very small ρ is not."""

    def private(rho: float) -> bool:
        return delta_of(short_rate(rho), epsilon, draws, resolution) <= delta

    low = float(epsilon) ** 2 / 2**20
    if not low or epsilon > _LARGEST or not private(low):
        return None
    return short_rate(largest_where(private, low, 2 * float(epsilon) + 16, _STEPS))


@register("antiphon.AtGaussianCurve/1")
@attrs.frozen(kw_only=True)
class AtGaussianCurve(Delegating[Any, Any, Any]):
    """A correlated counter, with the claim (ε, δ) that the curve of Gaussian noise gives.

    Behaves exactly as ``mechanism``. Privacy: (ε, δ)-DP w.r.t. the same f, by the theorem of this
    module; and ρ-zCDP. Raises: InvalidArgument if its noise is less than that takes.
    """

    mechanism: CorrelatedCounter
    epsilon: Fraction = attrs.field(converter=fields.positive)
    delta: Fraction = attrs.field(converter=fields.probability)

    def __attrs_post_init__(self) -> None:
        counter = self.mechanism
        draws = counter.horizon * (counter.dimension or 1)
        found = delta_of(counter.rho, self.epsilon, draws, counter.resolution)
        if found > self.delta:
            raise InvalidArgument(
                f"at ε = {self.epsilon} its δ is {shown_up(found)}, more than claimed: give a "
                "smaller rho"
            )

    @property
    def claims(self) -> tuple[Claim, ...]:
        counter = self.mechanism
        stated, also = Approximate(self.epsilon, self.delta), ZeroConcentrated(counter.rho)
        return proved(self, stated, counter.verification, SOURCE, also)
