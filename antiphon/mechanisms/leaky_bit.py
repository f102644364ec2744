"""Counterexamples of sparse parallel composition: M_δ (CM §5.2, Thm 1.4), and M_{p,E} for zCDP."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Final

import attrs

from antiphon.mechanisms import fields
from antiphon.mechanisms.randomized_response import RandomizedResponse
from antiphon.numbers import exact
from antiphon.numbers.interval import up
from antiphon.numbers.named import set_derived
from antiphon.numbers.normal import gaussian_delta, quantile_above
from antiphon.protocol.claims import Claim
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.measures.divergences import SLACK, response_divergence
from antiphon.protocol.measures.kinds import Approximate, GaussianDP, Pure, Renyi, ZeroConcentrated
from antiphon.protocol.mechanism import ContinualMechanism
from antiphon.protocol.messages import BOTTOM, EMPTY, TOP, Symbol
from antiphon.protocol.provenance import proved
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import BITS, Finite, Signature
from antiphon.verifiers.models import bounded, event_level

_ANSWERS = Finite((TOP, BOTTOM, 0, 1))
TWO_BITS = bounded(event_level(), 2)
"""g of CM §5.2: at most two pairs of bits, at most one of which differs."""


@register("antiphon.LeakyBit/1")
@column_safe
@attrs.frozen
class LeakyBit(ContinualMechanism[Symbol, int, int | Symbol]):
    """M_δ: until it breaks it answers ⊤; it breaks w.p. δ (answer ⊥), and then echoes bits.

    State: ⊤ (whole) or ⊥ (broken). (⊤, bit) -> ⊤ w.p. 1-δ, ⊥ w.p. δ; (⊥, bit) -> the bit.
    Privacy: (0, δ)-DP w.r.t. g (``TWO_BITS``), which is not first-pair consistent; proved.
    Source: CM §5.2, the counterexample of Thm 1.4.
    Raises: InvalidArgument for delta outside [0, 1].
    """

    delta: Fraction = attrs.field(converter=fields.probability, kw_only=True)

    @property
    def initial_state(self) -> Symbol:
        return TOP

    @property
    def signature(self) -> Signature:
        return Signature(BITS, _ANSWERS, BITS)

    @property
    def claims(self) -> tuple[Claim, ...]:
        return proved(self, Approximate(0, self.delta), TWO_BITS, "CM §5.2")

    def step(self, state: Symbol, message: int, coins: Coins) -> tuple[Symbol, int | Symbol]:
        if state is BOTTOM:
            return state, message
        return (BOTTOM, BOTTOM) if coins.bernoulli(self.delta) else (TOP, TOP)


_SHOWN: Final = Finite((TOP, BOTTOM, 0, 1))
_STEP: Final = 1 + 2.0**-7
_LARGE: Final = 700.0
_FAR: Final = 60
"""An E past which the figures are those of RR_E: a p makes little difference there."""
_SOURCE: Final = "docs/sparse.md, In Rényi DP"


def _probability(value: object) -> Fraction:
    return fields.probability(exact.probability(value, "probability"))


@register("antiphon.ExposedDivergence/1", state=True)
@attrs.frozen
class ExposedDivergence:
    """α ↦ ln(1 - p + p·e^((α-1)·D_α(RR_E)))/(α-1), rounded up: of M_{p,E} w.r.t. its f."""

    probability: Fraction
    epsilon: exact.ExactEpsilon

    def __call__(self, order: float) -> float:
        p, whole = up(self.probability), response_divergence(self.epsilon, order)
        size = (order - 1) * whole
        if not p or math.isinf(order):
            return whole if p else 0.0
        if size < _LARGE:
            found = math.log1p(p * math.expm1(size)) * (1 + SLACK)
        else:
            found = size + math.log(p) + math.exp(-_LARGE) / p + SLACK * (size - math.log(p))
        return min(found / (order - 1) * (1 + SLACK), whole)


@register("antiphon.ExposedResponse/1")
@column_safe
@attrs.frozen
class ExposedResponse(ContinualMechanism[Symbol, int, int | Symbol]):
    """M_{p,E}: asked first, it is exposed w.p. p and says so; exposed, it answers by RR_E.

    State: ⊤ (fresh), ⊥ (exposed), λ (done). (⊤, bit) -> ⊥ w.p. p, else ⊤ and done; (⊥, bit) ->
    the bit w.p. e^E/(1+e^E), else the other, and done; (λ, bit) -> ⊤.
    Privacy: D_α = ln(1-p+p·w)/(α-1), w = (e^(αE)+e^((1-α)E))/(1+e^E), w.r.t. at most two pairs of
    which at most one differs (``TWO_BITS``), which is not first-pair consistent; proved. So ρ-zCDP,
    μ-GDP and E-DP with the ρ and μ of its claims; but of n copies, one of which gets a differing
    pair, e^((α-1)D_α) = (1-p)^n + (1-(1-p)^n)·w: it grows to that of RR_E.
    Source: docs/sparse.md, derived for this project.
    Raises: InvalidArgument for a probability outside [0, 1], epsilon <= 0.
    """

    probability: Fraction = attrs.field(converter=_probability, kw_only=True)
    epsilon: exact.ExactEpsilon = attrs.field(converter=fields.log_epsilon, kw_only=True)
    truth: Fraction | float = attrs.field(init=False, eq=False, repr=False)
    """e^E/(1+e^E)."""

    def __attrs_post_init__(self) -> None:
        set_derived(self, truth=RandomizedResponse(epsilon=self.epsilon).truth)

    @property
    def initial_state(self) -> Symbol:
        return TOP

    @property
    def signature(self) -> Signature:
        return Signature(BITS, _SHOWN, BITS)

    @property
    def claims(self) -> tuple[Claim, ...]:
        p, epsilon = self.probability, self.epsilon
        if not p:
            return proved(self, Pure(0), TWO_BITS, _SOURCE)
        measures = (
            Pure(epsilon),
            ZeroConcentrated(concentrated(p, epsilon)),
            GaussianDP(gaussian(p, epsilon)),
            Renyi(ExposedDivergence(p, epsilon)),
        )
        return tuple(proved(self, each, TWO_BITS, _SOURCE)[0] for each in measures)

    def step(self, state: Symbol, message: int, coins: Coins) -> tuple[Symbol, int | Symbol]:
        if state is TOP:
            return (BOTTOM, BOTTOM) if coins.bernoulli(self.probability) else (EMPTY, TOP)
        if state is BOTTOM:
            return EMPTY, message if coins.bernoulli(self.truth) else 1 - message
        return EMPTY, TOP


@lru_cache(maxsize=64)
def concentrated(probability: Fraction, epsilon: exact.ExactEpsilon) -> Fraction:
    """ρ >= sup_α D_α/α: as D_α rises, D_β/α bounds it between α and β, and E/α from α on."""
    end = exact.bracket(epsilon, 20)[1]
    if end > _FAR:
        return end  # D_α <= E
    divergence, most = ExposedDivergence(probability, epsilon), up(end)
    rho, order = 0.0, 1.0
    while most / order > rho:
        after = order * _STEP
        rho, order = max(rho, divergence(after) / order), after
    return Fraction(math.nextafter(rho * (1 + SLACK), math.inf))


@lru_cache(maxsize=64)
def gaussian(probability: Fraction, epsilon: exact.ExactEpsilon) -> Fraction:
    """A μ with p <= δ_μ(E): then p·δ(ε) of RR_E, which is 0 from E on, is at most δ_μ(ε).

    At most that of RR_E itself, 2Φ⁻¹(e^E/(1+e^E)).
    """
    low, high, end = Fraction(0), 2 * quantile_above(epsilon), exact.bracket(epsilon, 20)[1]
    if end > _FAR:
        return high
    for _ in range(12):
        middle = (low + high) / 2
        enough = gaussian_delta(middle, end)[0] >= probability
        low, high = (low, middle) if enough else (middle, high)
    return high
