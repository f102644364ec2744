"""Filters that add up the ρ of zCDP (Whitehouse et al. 2023), or the μ² of Gaussian DP."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

import attrs

from antiphon.composition.filters.budget import NO_DELTA, Amounts, Filter, epsilon_delta
from antiphon.composition.filters.sums import (
    DIGITS,
    DOWN,
    UP,
    above,
    below,
    log_above,
    root_above,
    rounded_down,
)
from antiphon.numbers import ExactEpsilon, Log, exact, named
from antiphon.numbers.errors import InvalidArgument, of_kind
from antiphon.protocol import converted, register, set_derived
from antiphon.protocol.measures import kinds


def rho_delta(measure: kinds.Measure) -> Amounts:
    """The amounts (ρ, δ) that a claim costs; ε-DP is ε²/2-zCDP (Bun and Steinke 2016).

    η-BR is η²/8-zCDP, μ-GDP μ²/2-zCDP. Raises: InvalidArgument for a Rényi claim or a pair.
    """
    if type(measure) is kinds.ZeroConcentrated:
        return measure.rho, NO_DELTA
    if type(measure) is kinds.BoundedRange or type(measure) is kinds.GaussianDP:
        implied = converted(measure, kinds.ZeroConcentrated)
        return (Fraction(0) if implied is None else implied.rho), NO_DELTA
    epsilon, delta = epsilon_delta(measure, "and no rho: charge it to a RenyiFilter")
    return half_square(epsilon), delta


def half_square(epsilon: ExactEpsilon) -> Fraction:
    """The ρ = ε²/2 of an ε-DP claim: exact for a rational ε, else rounded up."""
    high = _log_above(epsilon) if isinstance(epsilon, Log) else epsilon
    return Fraction(high.numerator**2, 2 * high.denominator**2)


@lru_cache(maxsize=1024)
def _log_above(epsilon: Log) -> Fraction:
    return exact.bracket(epsilon, DIGITS)[1]


def _part_of_delta(budget: Any, _: object, slack: Fraction) -> None:
    """Check that ``slack`` is a part of δ, above 0 and at most δ. Raises: InvalidArgument."""
    if not 0 < slack <= budget.delta:
        raise InvalidArgument(
            f"slack is a part of delta, above 0 and at most {budget.delta}; with no delta at all "
            "use BasicFilter"
        )


SLACK: Final[Any] = attrs.field(
    default=attrs.Factory(lambda budget: budget.delta / 2, takes_self=True),  # pyright: ignore
    converter=exact.probability,
    validator=_part_of_delta,
    kw_only=True,
)
"""The attrs field for the part of δ that the concentration bound uses: by default half."""
_GIVEN: Final[Any] = attrs.field(
    default=attrs.Factory(lambda budget: (budget.epsilon, budget.delta), takes_self=True),  # pyright: ignore
    init=False,
    eq=False,
    repr=False,
)
"""The attrs field for the (ε, δ) that a filter of ρ is built to promise."""


class RhoFilter(Filter):
    """A filter of ρ: charges while Σρ_i <= ρ and Π(1-δ_i) >= 1-δ, with ρ_i = ε_i²/2 for an
    (ε_i, δ_i) claim. Abstract.

    On the event that no RR answers ⊤ (as in ``BasicFilter``; probability at least 1 - δ), the
    composition is ρ-zCDP: with L the privacy loss so far, E[exp(λL - λ(λ+1)Σρ_i)] stays at most 1
    for every λ >= 0, because each charge depends on the past alone; and Σρ_i <= ρ on every path
    (Whitehouse et al. 2023, Thm 1).
    """

    __slots__ = ()
    unit = "rho"

    def cost(self, measure: kinds.Measure) -> Amounts:
        return rho_delta(measure)


@register("antiphon.ConcentratedFilter/1")
@attrs.frozen
class ConcentratedFilter(RhoFilter):
    """The zCDP filter: charges while Σρ_i <= ρ and Π(1-δ_i) >= 1-δ; all together is
    δ-approximately ρ-zCDP.

    Takes zCDP, pure and approximate claims, GDP by μ²/2 and bounded range by η²/8.
    ``ap.guarantee`` gives the curve of (ε, δ).
    Source: Whitehouse, Ramdas, Rogers, Wu 2023, Thm 1; Haney et al. 2023 (concurrent).

    >>> from antiphon.protocol import Pure, ZeroConcentrated
    >>> budget = ConcentratedFilter(rho=0.5)
    >>> state = budget.charge(budget.initial_state, Pure(0.6))          # costs 0.6²/2
    >>> budget.remaining(state)[0]
    Fraction(8, 25)
    >>> budget.charge(state, ZeroConcentrated(0.4)).unit
    'rho'
    """

    rho: Fraction = attrs.field(converter=named.positive, kw_only=True)
    delta: Fraction = attrs.field(default=Fraction(0), converter=exact.probability, kw_only=True)
    source = "Whitehouse et al. 2023, Thm 1; concurrent: Haney et al. 2023"

    @property
    def limits(self) -> Amounts:
        return self.rho, self.delta


@register("antiphon.WhitehouseFilter/1")
@attrs.frozen
class WhitehouseFilter(RhoFilter):
    """The filter of Whitehouse et al.: charges while √(2 ln(1/δ') Σε_i²) + ½Σε_i² <= ε and
    Π(1-δ_i) >= 1-δ''; then (ε, δ'+δ'')-DP.

    ``delta`` is δ'+δ'' and ``slack`` is δ', by default half of it; with slack = delta only
    pure and zCDP claims fit (the pure version). What is added up is ρ_i = ε_i²/2, or the ρ_i
    of a zCDP claim: the condition is ρ + 2√(ρ ln(1/δ')) <= ε, that is
    ρ <= (√(ε + ln(1/δ')) - √ln(1/δ'))², rounded down once, so every charge is exact.
    Source: Whitehouse, Ramdas, Rogers, Wu 2023, Thm 2, stated there for mechanisms that are (ε_i,
    δ_i)-DP given the past; the mechanisms here are, as post-processings of RR_{ε_i,δ_i}. Proof:
    with ρ the limit, Markov's inequality for the supermartingale of ``RhoFilter`` at λ = (ε - ρ)/2ρ
    gives Pr[L > ε] <= e^{-(ε-ρ)²/4ρ} = δ'.

    >>> budget = WhitehouseFilter(epsilon=1, delta=1e-6)
    >>> round(float(budget.limits[0]), 6), budget.limits[1]
    (0.016662, Fraction(1, 2000000))
    """

    epsilon: ExactEpsilon = attrs.field(converter=exact.epsilon, kw_only=True)
    delta: Fraction = attrs.field(converter=exact.probability, kw_only=True)
    slack: Fraction = SLACK
    limits: Amounts = attrs.field(init=False, eq=False, repr=False)  # pyright: ignore[reportIncompatibleMethodOverride]
    own: Amounts | None = _GIVEN
    source = "Whitehouse et al. 2023, Thm 2; concurrent: Haney et al. 2023"

    def __attrs_post_init__(self) -> None:
        limits = rho_limit(self.epsilon, self.slack), self.delta - self.slack
        set_derived(self, limits=limits)


def rho_limit(epsilon: ExactEpsilon, slack: Fraction) -> Fraction:
    """The largest ρ with ρ + 2√(ρ ln(1/slack)) <= ε, rounded down.

    As (ε / (√(ε+l) + √l))² with l = ln(1/slack): nothing cancels.
    """
    low, log = below(epsilon), log_above(1 / slack)
    roots = UP.add(root_above(UP.add(low, log)), root_above(log))
    ratio = DOWN.divide(low, roots) if low else Decimal(0)
    return rounded_down(DOWN.multiply(ratio, ratio))


ROGERS: Final = Fraction(2804, 100)
"""The constant of the filter of Rogers et al. (2016, Thm 5.1), there 28.04."""
_LARGEST_DELTA: Final = Fraction(36787, 100_000)
"""The largest δ that the filter of Rogers et al. takes, just below 1/e."""


def _small(value: object) -> Fraction:
    delta = exact.probability(value)
    if not 0 < delta <= _LARGEST_DELTA:
        raise InvalidArgument(f"the filter of Rogers et al. takes 0 < delta < 1/e, not {delta}")
    return delta


@register("antiphon.RogersFilter/1")
@attrs.frozen
class RogersFilter(RhoFilter):
    """The filter of Rogers et al.: charges while K <= ε and Π(1-δ_i) >= 1-δ/2, K a bound on the
    loss in terms of V = Σε_i²; then all is (ε, δ)-DP.

    K = ½V + √(2 (V + y)(1 + ½ ln(V/y + 1)) ln(2/δ)),  y = ε²/(28.04 ln(1/δ)), δ < 1/e.
    ``WhitehouseFilter`` admits more; this one is here to compare with.
    Source: Rogers, Roth, Ullman, Vadhan 2016, Thm 5.1, whose drift term Σε_i(e^{ε_i}-1)/2 is
    larger than our ½V, so this filter admits every sequence that theirs does (and zCDP claims, V +=
    2ρ_i). Proof for every y > 0 fixed in advance: with A = L - ½V, averaging the supermartingale
    exp(λA - ½λ²V) over λ = |N(0, 1/y)| gives one that is at least √(y/(V+y)) e^{A²/2(V+y)} where A
    >= 0; by Ville's inequality it ever reaches 2/δ w.p. at most δ/2, and A > √(…) of K implies that
    it does, since ln(2/δ) >= 1.
    """

    epsilon: ExactEpsilon = attrs.field(converter=exact.epsilon, kw_only=True)
    delta: Fraction = attrs.field(converter=_small, kw_only=True)
    limits: Amounts = attrs.field(init=False, eq=False, repr=False)  # pyright: ignore[reportIncompatibleMethodOverride]
    own: Amounts | None = _GIVEN
    source = "Rogers et al. 2016, Thm 5.1; concurrent: Haney et al. 2023"

    def __attrs_post_init__(self) -> None:
        limit = rogers_limit(self.epsilon, self.delta)
        set_derived(self, limits=(limit, self.delta / 2))


def rogers_limit(epsilon: ExactEpsilon, delta: Fraction) -> Fraction:
    """The largest ρ = ½Σε_i² with a bound K of ``RogersFilter`` of at most ε, rounded down."""
    target = below(epsilon)
    if not target:
        return Fraction(0)
    y = DOWN.divide(
        DOWN.multiply(target, target),
        UP.multiply(above(ROGERS), log_above(1 / delta)),
    )
    low, high = Decimal(0), target
    for _ in range(60):
        middle = DOWN.divide(DOWN.add(low, high), Decimal(2))
        low, high = (middle, high) if _rogers(middle, y, delta) <= target else (low, middle)
    return rounded_down(low)


def _rogers(rho: Decimal, y: Decimal, delta: Fraction) -> Decimal:
    """The bound K of ``RogersFilter`` on the privacy loss for V = Σε_i² = 2ρ, rounded up."""
    spread = UP.add(UP.multiply(Decimal(2), rho), y)
    growth = log_above(max(Fraction(1), Fraction(UP.divide(spread, y))))
    factor = UP.add(Decimal(1), UP.divide(growth, Decimal(2)))
    square = UP.multiply(UP.multiply(UP.multiply(Decimal(2), spread), factor), log_above(2 / delta))
    return UP.add(rho, root_above(square))


@attrs.frozen
class MuFilter(Filter):
    """A filter of the μ² of GDP: all is μ-GDP but for an event of probability δ. Abstract."""

    mu: Fraction = attrs.field(converter=named.positive, kw_only=True)
    delta: Fraction = attrs.field(default=Fraction(0), converter=exact.probability, kw_only=True)
    unit = "mu squared"

    @property
    def limits(self) -> Amounts:
        return self.mu**2, self.delta

    def cost(self, measure: kinds.Measure) -> Amounts:
        if type(measure) is kinds.GaussianDP:
            return measure.mu**2, NO_DELTA
        if type(measure) is kinds.Approximate:
            return _square(kinds.Pure(measure.epsilon)), measure.delta
        if type(measure) is kinds.Pure or type(measure) is kinds.BoundedRange:
            return _square(measure), NO_DELTA
        raise InvalidArgument(
            f"{of_kind(measure)} claim has no μ of GDP: charge it to a "
            "ConcentratedFilter or a RenyiFilter"
        )


@register("antiphon.GaussianFilter/1")
@attrs.frozen
class GaussianFilter(MuFilter):
    """The GDP filter: charges while Σμ_i² <= μ² and Π(1-δ_i) >= 1-δ; all is μ-GDP but for an
    event of probability δ.

    Takes claims of GDP, and of pure DP and bounded range, each by the μ that it implies, rounded
    up; (ε_i, δ_i) counts as RR_{ε_i,0}, given that no RR answers ⊤. A zCDP or Rényi claim implies
    no known μ: charge it to a ``ConcentratedFilter`` or a ``RenyiFilter``. Proof: a μ_i-GDP
    mechanism is an interactive post-processing of one draw of N(bμ_i, 1) (Vadhan and Zhang 2023).
    Let B be a Brownian motion of drift b, and let the i-th draw be its increment over a time of
    μ_i², divided by μ_i: that is N(bμ_i, 1) given any past, and μ_i may depend on the past. All
    draws are then a function of B up to time Σμ_i² <= μ², of which B(μ²), N(bμ², μ²), is sufficient
    for b: no easier to tell apart than N(0, 1) and N(μ, 1). Source: Smith and Thakurta 2022 (arXiv
    2210.17520).

    >>> from antiphon.protocol import GaussianDP
    >>> budget = GaussianFilter(mu=1)
    >>> state = budget.charge(budget.initial_state, GaussianDP(0.6))
    >>> budget.remaining(state)[0], budget.charge(state, GaussianDP(0.9)).unit
    (Fraction(16, 25), 'mu squared')
    """

    source = "Smith and Thakurta 2022 (arXiv 2210.17520); concurrent: Vadhan and Zhang 2023"


@lru_cache(maxsize=1024)
def _square(measure: kinds.Pure | kinds.BoundedRange) -> Fraction:
    """The μ² of GDP that a pure or bounded-range claim implies, rounded up."""
    implied = converted(measure, kinds.GaussianDP)
    return Fraction(0) if implied is None else implied.mu**2
