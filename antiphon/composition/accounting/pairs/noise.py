"""The dominating pairs of noise, and those that represent a claim: (ε, δ), a bounded range."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

import attrs
import numpy as np

from antiphon.composition.accounting.laws.loss import Lattice, LossLaw
from antiphon.composition.accounting.laws.noise_laws import Normal, Ranges, Thetas
from antiphon.composition.accounting.laws.responses import Responses
from antiphon.composition.accounting.laws.values import Values
from antiphon.composition.accounting.pairs.pairs_curve import FiniteLosses, LossPair, Points
from antiphon.numbers import InvalidArgument, exact, named
from antiphon.protocol.registry import register

LARGEST: Final = Fraction(10**9)
"""The largest loss in nats, or parameter, of a pair; a larger one would promise nothing."""
_MOST_SHIFT: Final = 1 << 12


def _check_size(what: str, value: Fraction) -> None:
    """Check that 10^-9 <= value <= 10^9. Raises: InvalidArgument."""
    if not 1 / LARGEST <= value <= LARGEST:
        raise InvalidArgument(f"{what} must lie between 1e-9 and 1e9 to be accounted for")


def _sized(_: object, field: attrs.Attribute[Fraction], value: Fraction) -> None:
    _check_size(field.name, value)


@register("antiphon.DiscreteGaussianPair/1")
@attrs.frozen
class DiscreteGaussianPair(FiniteLosses):
    """The discrete Gaussian pair: N_Z(0, sigma²) against N_Z(shift, sigma²), at sensitivity
    ``shift``.

    A smaller shift d is dominated: the mass p is log-concave, so that p(x)/p(x-d) falls in x and
    the best event for s is T = {x <= t}. P(T) - s·Q_d(T) = F(t) - s·F(t-d) grows with d. The pair
    of -shift is the mirror image, so both orders of worlds are dominated. Canonne, Kamath and
    Steinke 2020, Thm 7. Raises: InvalidArgument for sigma <= 0, or a shift that is no int >= 1.
    """

    sigma: Fraction = attrs.field(converter=named.positive)
    shift: int = attrs.field(default=1, converter=named.whole)

    def __attrs_post_init__(self) -> None:
        _check_size("sigma", self.sigma)
        _check_size("shift² / sigma²", max(self.shift**2 / self.sigma**2, 1 / LARGEST))

    def losses(self, count: int) -> LossLaw:
        return Thetas(((self.sigma, self.shift, count),))


@register("antiphon.DiscreteLaplacePair/1")
@attrs.frozen
class DiscreteLaplacePair(FiniteLosses):
    """The discrete Laplace pair: P(x) ∝ e^(-|x|/scale) against the same centred at ``shift``.

    The loss is ±shift/scale outside 0 … shift and (shift-2x)/scale inside. Smaller shifts are
    dominated, as for every log-concave mass (see ``DiscreteGaussianPair``). A shift of 1 is
    RR_{1/scale,0}. Ghosh, Roughgarden and Sundararajan 2012. Raises: InvalidArgument for
    scale <= 0, or a shift that is no int between 1 and 4096.
    """

    scale: Fraction = attrs.field(converter=named.positive, validator=_sized)
    shift: int = attrs.field(default=1, converter=named.whole)

    def __attrs_post_init__(self) -> None:
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
class GaussianPair(FiniteLosses):
    """The Gaussian pair N(0, 1) against N(mu, 1), which defines μ-Gaussian differential privacy.

    A composition of such pairs is one with √Σμ², δ(ε) = Φ(-ε/μ+μ/2) - e^ε Φ(-ε/μ-μ/2).
    Dong, Roth and Su 2022, Def. 2.6, Cor. 3.3. Raises: InvalidArgument for mu <= 0.
    """

    mu: Fraction = attrs.field(converter=named.positive, validator=_sized)

    def losses(self, count: int) -> LossLaw:
        return Normal(self.mu**2 * count)


@register("antiphon.ResponsePair/1")
@attrs.frozen
class ResponsePair(LossPair):
    """The randomized-response pair RR_{ε,δ}(0) against RR_{ε,δ}(1), which dominates (ε, δ)-DP (CM
    Def. 2.3, Thm 2.5).

    Raises: InvalidArgument for ε < 0 or past 10^9, or δ outside [0, 1].
    """

    epsilon: exact.ExactEpsilon = attrs.field(converter=exact.epsilon)
    delta: Fraction = attrs.field(default=Fraction(0), converter=exact.probability)

    def __attrs_post_init__(self) -> None:
        if not exact.at_most(self.epsilon, LARGEST):
            raise InvalidArgument("an epsilon past 1e9 promises nothing; give a smaller one")

    @property
    def infinite(self) -> Fraction:
        return self.delta

    def losses(self, count: int) -> LossLaw:
        return Responses(((self.epsilon, count),))

    @property
    def atoms(self) -> Points | None:
        growth, none = exact.exp(self.epsilon), Fraction(0)
        if not isinstance(growth, Fraction):
            return None
        right, wrong = ((1 - self.delta) * share / (1 + growth) for share in (growth, 1))
        return (self.delta, none), (right, wrong), (wrong, right), (none, self.delta)


@register("antiphon.BoundedRangePair/1")
@attrs.frozen
class BoundedRangePair(FiniteLosses):
    """The dominating pair of one use of an η-bounded-range mechanism, for all ε together.

    δ(ε) = (1-e^((ε-η)/2))²/(1-e^(-η)) for |ε| <= η; 0 above, 1-e^ε below. As P has the density δ''
    - δ' at a loss of ε, that is e^((ε-η)/2)/(2(1-e^(-η))), without atoms. It dominates every
    η-bounded-range mechanism, so its products dominate their adaptive compositions; the bound is
    not tight for many uses, where η²/8-zCDP is sharper (docs/accounting.md). Source for one use:
    Dong, Durfee and Rogers 2020, Lemma 3.2 at t = (ε+η)/2. Raises: InvalidArgument for eta <= 0.
    """

    eta: Fraction = attrs.field(converter=named.positive, validator=_sized)

    def losses(self, count: int) -> LossLaw:
        return Ranges(((self.eta, count),))
