"""The dominating pairs of noise: discrete Gaussian, discrete Laplace, Gaussian."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

import attrs
import numpy as np

from antiphon.composition.accounting.pairs.laws.loss import Lattice, LossLaw
from antiphon.composition.accounting.pairs.laws.ranges import Normal
from antiphon.composition.accounting.pairs.laws.responses import Responses
from antiphon.composition.accounting.pairs.laws.thetas import Thetas
from antiphon.composition.accounting.pairs.laws.values import Values
from antiphon.composition.accounting.pairs.pair import LossPair
from antiphon.numbers import named
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.registry import register

LARGEST: Final = Fraction(10**9)
"""Nats of a loss, or units of a parameter, at most: past it a pair promises nothing."""
_MOST_SHIFT: Final = 1 << 12


def sized(what: str, value: Fraction) -> None:
    """Raises: InvalidArgument unless 10^-9 <= value <= 10^9."""
    if not 1 / LARGEST <= value <= LARGEST:
        raise InvalidArgument(f"{what} must lie between 1e-9 and 1e9 to be accounted for")


@register("antiphon.DiscreteGaussianPair/1")
@attrs.frozen
class DiscreteGaussianPair(LossPair):
    """N_Z(0, sigma²) against N_Z(shift, sigma²), for noise on an integer of sensitivity ``shift``.

    A smaller shift d is dominated: the mass p is log-concave, so that p(x)/p(x-d) falls in x and
    the best event for s is T = {x <= t}. P(T) - s·Q_d(T) = F(t) - s·F(t-d) grows with d. The pair
    of -shift is the mirror image, so both orders of worlds are dominated.
    Canonne, Kamath and Steinke 2020, Thm 7. Raises: InvalidArgument for sigma <= 0, or a shift
    that is no int >= 1.
    """

    sigma: Fraction = attrs.field(converter=named.positive)
    shift: int = attrs.field(default=1, converter=named.whole)

    def __attrs_post_init__(self) -> None:
        sized("sigma", self.sigma)
        sized("shift² / sigma²", max(self.shift**2 / self.sigma**2, 1 / LARGEST))

    def losses(self, count: int) -> LossLaw:
        return Thetas(((self.sigma, self.shift, count),))


@register("antiphon.DiscreteLaplacePair/1")
@attrs.frozen
class DiscreteLaplacePair(LossPair):
    """P(x) ∝ e^(-|x|/scale) against the same about ``shift``.

    The loss is ±shift/scale outside 0 … shift and (shift-2x)/scale inside. Smaller shifts are
    dominated, as for every log-concave mass (see ``DiscreteGaussianPair``). A shift of 1 is
    RR_{1/scale,0}. Ghosh, Roughgarden and Sundararajan 2012. Raises: InvalidArgument for
    scale <= 0, or a shift that is no int between 1 and 4096.
    """

    scale: Fraction = attrs.field(converter=named.positive)
    shift: int = attrs.field(default=1, converter=named.whole)

    def __attrs_post_init__(self) -> None:
        sized("scale", self.scale)
        if self.shift > _MOST_SHIFT:
            raise InvalidArgument(f"shift is at most {_MOST_SHIFT}: divide scale and shift alike")

    def losses(self, count: int) -> LossLaw:
        if self.shift == 1:
            return Responses(((1 / self.scale, count),))
        unit, ends = 1 / self.scale, self.shift / self.scale
        inside = np.arange(self.shift + 1, dtype=np.float64)
        rate = float(unit)
        masses = np.exp(-rate * inside) / (1 + math.exp(-rate))
        masses[1:-1] *= -math.expm1(-rate)
        losses = (self.shift - 2 * inside) * rate
        return Values(losses, masses, count, ends, Lattice(ends, 2 * unit))


@register("antiphon.GaussianPair/1")
@attrs.frozen
class GaussianPair(LossPair):
    """N(0, 1) against N(mu, 1): what μ-Gaussian differential privacy means.

    Composed, they are one with √Σμ², δ(ε) = Φ(-ε/μ+μ/2) - e^ε Φ(-ε/μ-μ/2).
    Dong, Roth and Su 2022, Def. 2.6, Cor. 3.3. Raises: InvalidArgument for mu <= 0.
    """

    mu: Fraction = attrs.field(converter=named.positive)

    def __attrs_post_init__(self) -> None:
        sized("mu", self.mu)

    def losses(self, count: int) -> LossLaw:
        return Normal(self.mu**2 * count)
