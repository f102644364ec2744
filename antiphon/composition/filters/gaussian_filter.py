"""The Gaussian filter: the squares of μ add up."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import attrs

from antiphon.composition.filters.budget import NO_DELTA, Amounts, Filter
from antiphon.numbers import exact, named
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.exact import ExactEpsilon
from antiphon.protocol.measures.conversions import converted
from antiphon.protocol.measures.kinds import (
    Approximate,
    BoundedRange,
    GaussianDP,
    Measure,
    Pure,
)
from antiphon.protocol.registry import register


@register("antiphon.GaussianFilter/1")
@attrs.frozen
class GaussianFilter(Filter):
    """Charge while Σμ_i² <= μ² and Σδ_i <= δ: then all is μ-GDP but for an event of probability δ.

    Takes claims of GDP, and of pure DP and bounded range, each by the μ that it implies, rounded
    up; (ε_i, δ_i) counts as RR_{ε_i,0}, given that no RR says ⊤. No μ is known to follow from a
    zCDP or Rényi claim: charge it to a ``ConcentratedFilter`` or a ``RenyiFilter``.
    Proof: a μ_i-GDP mechanism is an interactive post-processing of one draw of N(bμ_i, 1)
    (Vadhan and Zhang 2023). Let B be a Brownian motion of drift b, and let the i-th draw be its
    increment over a time of μ_i², divided by μ_i: that is N(bμ_i, 1) whatever was before, and μ_i
    may depend on it. All draws are then a function of B up to time Σμ_i² <= μ², of which B(μ²),
    N(bμ², μ²), is sufficient for b: no easier to tell apart than N(0, 1) and N(μ, 1).
    Source: Smith and Thakurta 2022 (arXiv 2210.17520).

    >>> from antiphon.protocol.measures import GaussianDP
    >>> budget = GaussianFilter(mu=1)
    >>> state = budget.charge(budget.initial_state, GaussianDP(0.6))
    >>> budget.remaining(state)[0], budget.charge(state, GaussianDP(0.9)).unit
    (Fraction(16, 25), 'mu squared')
    """

    mu: Fraction = attrs.field(converter=named.positive, kw_only=True)
    delta: Fraction = attrs.field(default=Fraction(0), converter=exact.probability, kw_only=True)
    limits: Amounts = attrs.field(init=False, eq=False, repr=False)  # pyright: ignore[reportIncompatibleMethodOverride]
    unit = "mu squared"
    source = "Smith and Thakurta 2022 (arXiv 2210.17520); concurrent: Vadhan and Zhang 2023"

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "limits", (self.mu**2, self.delta))

    def cost(self, measure: Measure) -> Amounts:
        if type(measure) is GaussianDP:
            return measure.mu**2, NO_DELTA
        if type(measure) is Pure:
            return _of_pure(measure.epsilon), NO_DELTA
        if type(measure) is Approximate:
            return _of_pure(measure.epsilon), measure.delta
        if type(measure) is BoundedRange:
            return _of_range(measure.eta), NO_DELTA
        raise InvalidArgument(
            f"a {type(measure).__name__} claim has no μ of GDP: charge it to a "
            "ConcentratedFilter or a RenyiFilter"
        )


@lru_cache(maxsize=1024)
def _of_pure(epsilon: ExactEpsilon) -> Fraction:
    return _square(converted(Pure(epsilon), GaussianDP))


@lru_cache(maxsize=1024)
def _of_range(eta: ExactEpsilon) -> Fraction:
    return _square(converted(BoundedRange(eta), GaussianDP))


def _square(implied: GaussianDP | None) -> Fraction:
    return Fraction(0) if implied is None else implied.mu**2
