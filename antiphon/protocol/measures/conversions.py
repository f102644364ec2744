"""Implications between measures of privacy: one table, in which each implication has its source.

Every implied parameter is exact, or rounded towards the weaker promise.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final, TypeVar

import attrs

from antiphon.numbers import ExactEpsilon, InvalidArgument, PartError, exact, up
from antiphon.numbers.errors import written_as
from antiphon.numbers.normal import gaussian_delta, quantile_above
from antiphon.protocol.measures import kinds
from antiphon.protocol.measures.divergences import SLACK, order_of, range_curve, response_curve
from antiphon.protocol.messages import identical

Kind = TypeVar("Kind", bound=kinds.Measure)
_DIGITS: Final = 40


@attrs.frozen
class Conversion:
    """An implication in the table: a measure of the class ``of`` implies one of class ``to``."""

    of: type[kinds.Measure]
    to: type[kinds.Measure]
    figure: str
    """The formula of the implied parameter, as it is written on paper."""
    source: str
    rounding: str
    convert: Callable[[Any], kinds.Measure | None] = attrs.field(repr=False)
    """The function that computes the implied measure; it returns None where none is implied, as a
    pure one by (ε, δ) with δ > 0."""


def _pure(measure: kinds.Approximate) -> kinds.Pure | None:
    return None if measure.delta else kinds.Pure(measure.epsilon)


def _half_square(epsilon: ExactEpsilon, parts: int = 2) -> kinds.ZeroConcentrated | None:
    """The measure ρ-zCDP with ρ = ε²/parts, rounded up; None for ε = 0, as ρ must be positive."""
    high = exact.bracket(epsilon, _DIGITS)[1]
    return kinds.ZeroConcentrated(high**2 / parts) if high else None


def _gaussian(epsilon: ExactEpsilon) -> kinds.GaussianDP | None:
    """The measure μ-GDP that ε-DP implies, μ = 2Φ⁻¹(e^ε/(1+e^ε)); None for ε = 0, as then μ = 0."""
    x = quantile_above(epsilon)
    return kinds.GaussianDP(2 * x) if x else None


def _double(epsilon: ExactEpsilon) -> ExactEpsilon:
    if isinstance(epsilon, exact.Log):
        return exact.Log(epsilon.argument**2)
    return 2 * epsilon


def _linear(rho: Fraction) -> kinds.Renyi:
    slope = up(rho)
    return kinds.Renyi(lambda order: slope * order_of(order) * (1 + SLACK))


_EXACT: Final = "exact"
_UP: Final = "rounded up"
_UP_LOG: Final = "exact; rounded up for a Log"
_BUN: Final = "Bun and Steinke 2016, "
_DONG: Final = "Dong, Roth and Su 2022, "

CONVERSIONS: Final = (
    Conversion(kinds.Pure, kinds.Approximate, "(ε, 0)", "CM Def. 2.1", _EXACT,
               lambda m: kinds.Approximate(m.epsilon, Fraction(0))),
    Conversion(kinds.Approximate, kinds.Pure, "ε, if δ = 0", "CM Def. 2.1", _EXACT, _pure),
    Conversion(kinds.Pure, kinds.BoundedRange, "η = 2ε", "Durfee and Rogers 2019", _EXACT,
               lambda m: kinds.BoundedRange(_double(m.epsilon))),
    Conversion(kinds.BoundedRange, kinds.Pure, "ε = η", "Durfee and Rogers 2019", _EXACT,
               lambda m: kinds.Pure(m.eta)),
    Conversion(kinds.Pure, kinds.ZeroConcentrated, "ρ = ε²/2", _BUN + "Prop. 1.4", _UP_LOG,
               lambda m: _half_square(m.epsilon)),
    Conversion(kinds.BoundedRange, kinds.ZeroConcentrated, "ρ = η²/8", "Cesar and Rogers 2021",
               _UP_LOG, lambda m: _half_square(m.eta, 8)),
    Conversion(kinds.Pure, kinds.GaussianDP, "μ = 2Φ⁻¹(e^ε/(1+e^ε))",
               "RR_{ε,0} (CM Thm 2.5) is a rounding of N(±μ/2, 1)", _UP,
               lambda m: _gaussian(m.epsilon)),
    Conversion(kinds.BoundedRange, kinds.GaussianDP, "μ = 2Φ⁻¹(e^(η/2)/(1+e^(η/2)))",
               "a logistic law and its shift by η; van Zwet 1964 (docs/measures.md)", _UP,
               lambda m: _gaussian(exact.bracket(m.eta, _DIGITS)[1] / 2)),
    Conversion(kinds.GaussianDP, kinds.ZeroConcentrated, "ρ = μ²/2", _DONG + "Cor. B.6",
               _EXACT, lambda m: kinds.ZeroConcentrated(m.mu**2 / 2)),
    Conversion(kinds.Pure, kinds.Renyi, "ln(cosh((α-½)ε)/cosh(ε/2))/(α-1)",
               "of RR_{ε,0} (CM Thm 2.5)", _UP, lambda m: kinds.Renyi(response_curve(m.epsilon))),
    Conversion(kinds.BoundedRange, kinds.Renyi, "that of losses t, t-η with the worst t",
               "Dong, Durfee and Rogers 2020", _UP,
               lambda m: kinds.Renyi(range_curve(m.eta))),
    Conversion(kinds.ZeroConcentrated, kinds.Renyi, "αρ", _BUN + "Def. 1.1", _UP,
               lambda m: _linear(m.rho)),
    Conversion(kinds.GaussianDP, kinds.Renyi, "αμ²/2", _DONG + "Cor. B.6", _UP,
               lambda m: _linear(m.mu**2 / 2)),
    Conversion(kinds.Dominated, kinds.Renyi, "D_α(P‖Q)", "data processing", _UP,
               lambda m: kinds.Renyi(m.pair.divergence_at)),
)  # fmt: skip
"""The table of implications between measures, which can be chained; for (ε, δ) at a chosen δ see
``approximate``."""


def converted(measure: kinds.Measure, kind: type[Kind]) -> Kind | None:
    """A measure of the class ``kind`` that the given measure implies, by the fewest conversions of
    the table; None if there is none.

    >>> converted(kinds.BoundedRange(1), kinds.ZeroConcentrated)
    ZeroConcentrated(rho=0.125)
    """
    known: dict[type, kinds.Measure] = {type(measure): measure}
    waiting = list(known)
    for at in waiting:
        if at is kind:
            return known[at]  # type: ignore[return-value]
        for row in CONVERSIONS:
            if row.of is at and row.to not in known:
                found = row.convert(known[at])
                if found is not None:
                    known[row.to] = found
                    waiting.append(row.to)
    return None


def implies(measure: kinds.Measure, other: kinds.Measure) -> bool:
    """Whether the first measure implies the second, as far as the table of conversions and
    ``approximate`` can tell."""
    if identical(measure, other):
        return True
    if isinstance(other, kinds.Approximate):
        point = at_delta(measure, other.delta)
        return point is not None and exact.at_most(point.epsilon, other.epsilon)
    found = converted(measure, type(other))
    if found is None or isinstance(other, kinds.Renyi | kinds.Dominated):
        return False
    # The remaining measures have a single parameter, and a smaller one promises more.
    mine, asked = (attrs.astuple(each, recurse=False)[0] for each in (found, other))
    return exact.at_most(mine, asked)


# --- conversion of a measure to (ε, δ) at a given δ -----------------------------------------------


@written_as("approximate(ZeroConcentrated(0.1), 1e-6)")
def approximate(measure: kinds.Measure, delta: float | Fraction) -> kinds.Approximate | None:
    """The (ε, δ)-DP at this δ that a measure implies, with ε rounded up; None if there is none.

    Pure and (ε, δ): the stated ε; zCDP: Canonne, Kamath and Steinke 2020, Prop. 12; μ-GDP: Balle
    and Wang 2018, Thm 8; a dominating pair: its hockey-stick divergence. Raises: InvalidArgument
    for a δ outside [0, 1], and for a Rényi curve, which ``accounting.from_renyi`` converts.
    """
    target = exact.probability(delta)
    if isinstance(measure, kinds.Renyi):
        raise InvalidArgument(
            "approximate converts no Rényi curve; write ap.composition.accounting."
            f"from_renyi(curve).epsilon_at({float(target)!r}), curve that of Renyi(curve)"
        )
    return at_delta(measure, target)


def at_delta(measure: kinds.Measure, delta: Fraction) -> kinds.Approximate | None:
    """As ``approximate``; None for a Rényi curve, too."""
    stated = kinds.parameters_of(measure)
    if stated is not None:
        return kinds.Approximate(stated[0], delta) if stated[1] <= delta else None
    if delta == 1:
        return kinds.Approximate(Fraction(0), delta)
    if isinstance(measure, kinds.GaussianDP) and measure.mu > _LARGE:
        measure = kinds.ZeroConcentrated(measure.mu**2 / 2)
    if isinstance(measure, kinds.ZeroConcentrated):
        told = delta and measure.rho <= _MOST
        return kinds.Approximate(zcdp_epsilon(measure.rho, delta), delta) if told else None
    if isinstance(measure, kinds.GaussianDP):
        mu = measure.mu
        found = _least(lambda e: gaussian_delta(mu, e)[1] <= delta) if delta else None
    elif isinstance(measure, kinds.Dominated):
        pair = measure.pair
        found = _least(lambda e: _stated_delta(pair, e) <= delta)
    else:
        return None
    return None if found is None else kinds.Approximate(found, delta)


def _stated_delta(pair: kinds.DominatingPair, epsilon: Fraction) -> Fraction:
    """The hockey-stick divergence H_ε(P‖Q) that a dominating pair (P, Q) states. Raises: PartError
    if it is no probability."""
    try:
        return exact.probability(pair.delta_at(epsilon))
    except InvalidArgument as error:
        raise PartError(
            f"{type(pair).__name__}.delta_at gives no probability at epsilon = {epsilon}: {error}"
        ) from error


_LARGE: Final = 64
"""Parameter μ above which the formula of μ-GDP is slow and the conversion by zCDP is as good."""
_MOST: Final = 10**12
"""The parameter ρ above which no (ε, δ) is computed for ρ-zCDP."""


def _least(enough: Callable[[Fraction], bool]) -> Fraction | None:
    """The least ε for which ``enough(ε)`` is true, up to a relative excess of 2^-40; None if it is
    false for all ε up to 2^30."""
    if enough(Fraction(0)):
        return Fraction(0)
    high = Fraction(1)
    while not enough(high):
        high *= 2
        if high > 1 << 30:
            return None
    low = high / 2 if high > 1 else Fraction(0)
    for _ in range(44):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


_MARGIN: Final = 1e-12
"""A bound above the relative error of a few dozen operations in double precision."""


def zcdp_epsilon(rho: Fraction, delta: Fraction) -> Fraction:
    """An ε such that ρ-zCDP implies (ε, δ)-DP; at most 1e-9 above the formula's minimum.

    ε = ρα + (ln(1/δ) + (α-1)·ln(1-1/α) - ln α)/(α-1), for the best order α > 1 that a
    ternary search finds: every α gives a valid ε.
    Source: Canonne, Kamath, Steinke 2020, Prop. 12 (ρ(α) = αρ).
    Raises: InvalidArgument for δ outside (0, 1).
    """
    if not 0 < delta < 1:
        raise InvalidArgument(f"delta must lie strictly between 0 and 1, not {delta}")
    log_delta = math.log(delta.numerator) - math.log(delta.denominator)
    scale = float(rho)

    def at(log: float) -> float:
        """The ε of the (ε, δ)-DP that the Rényi order α = 1 + e^log gives."""
        less = math.exp(log)  # α - 1, for the Rényi order α
        spread = less * -math.log1p(1 / less) - math.log1p(less)
        return scale * (1 + less) + (spread - log_delta) / less

    low, high = -40.0, 80.0
    for _ in range(200):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, right) if at(left) <= at(right) else (left, high)
    less = math.exp(low)
    size = scale * (1 + less) + (math.log1p(1 / less) * less + math.log1p(less) - log_delta) / less
    return Fraction(max(0.0, at(low)) + size * _MARGIN)
