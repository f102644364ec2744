"""Claims: what a mechanism promises, as data (law 10)."""

from __future__ import annotations

import enum
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias, Union

import attrs

from antiphon.numbers import exact, named
from antiphon.numbers.errors import CompositionError, InvalidArgument
from antiphon.protocol.messages import identical
from antiphon.protocol.registry import register
from antiphon.protocol.verification import Verification


@register("antiphon.Pure/1")
@attrs.frozen
class Pure:
    """ε-DP; ε in nats."""

    epsilon: exact.ExactEpsilon = attrs.field(converter=exact.epsilon)


@register("antiphon.Approximate/1")
@attrs.frozen
class Approximate:
    """(ε, δ)-DP (CM Def. 2.1); ε in nats."""

    epsilon: exact.ExactEpsilon = attrs.field(converter=exact.epsilon)
    delta: Fraction = attrs.field(converter=exact.probability)


@register("antiphon.ZeroConcentrated/1")
@attrs.frozen
class ZeroConcentrated:
    """ρ-zCDP (Bun and Steinke 2016)."""

    rho: Fraction = attrs.field(converter=named.positive)


@attrs.frozen
class Renyi:
    """RDP: order α > 1 ↦ Rényi divergence bound in nats (Mironov 2017)."""

    curve: Callable[[float], float]


Measure: TypeAlias = Union[Pure, Approximate, ZeroConcentrated, Renyi]


@register("antiphon.Status/1")
class Status(enum.Enum):
    """How far a claim can be relied on."""

    PROVED = "proved"
    ASSUMED = "assumed"
    REFUTED = "refuted"

    @property
    def certainty(self) -> int:
        """How sure it is: refuted 0, assumed 1, proved 2."""
        return ("refuted", "assumed", "proved").index(self.value)


def _plain(*kinds: type) -> Callable[[object, attrs.Attribute[Any], object], None]:
    """A validator: one of these types exactly. A subclass may say something else later."""

    def check(_: object, field: attrs.Attribute[Any], value: object) -> None:
        if type(value) not in kinds:
            names = " or ".join(kind.__name__ for kind in kinds)
            raise InvalidArgument(
                f"the {field.name} of a claim is a plain {names}, not a {type(value).__name__}"
            )

    return check


@register("antiphon.Claim/1")
@attrs.frozen
class Claim:
    """The mechanism is ``measure``-DP w.r.t. the verification function f (CM Def. 3.7).

    Raises: InvalidArgument for a measure, status or source of another type, subclasses included.
    """

    measure: Measure = attrs.field(validator=_plain(Pure, Approximate, ZeroConcentrated, Renyi))
    verification: Verification
    status: Status = attrs.field(validator=_plain(Status))
    source: str = attrs.field(validator=_plain(str))

    @property
    def parameters(self) -> tuple[exact.ExactEpsilon, Fraction]:
        """(ε, δ), normalised, as creation queries carry them.

        Raises: CompositionError for a measure without a single (ε, δ).
        """
        if isinstance(self.measure, Pure):
            return self.measure.epsilon, Fraction(0)
        if isinstance(self.measure, Approximate):
            return self.measure.epsilon, self.measure.delta
        raise CompositionError(
            f"a {type(self.measure).__name__} claim has no single (epsilon, delta); "
            "pass Create(mechanism, claim.at(delta))"
        )

    def at(self, delta: object) -> Claim:
        """The (ε, δ) claim that this one implies for a δ; zCDP is converted, ε rounded up.

        Raises: CompositionError if it implies none with this δ.
        """
        given = exact.probability(delta)
        if isinstance(self.measure, ZeroConcentrated):
            measure = Approximate(zcdp_epsilon(self.measure.rho, given), given)
            source = f"{self.source}; (ε, δ) by Canonne, Kamath, Steinke 2020, Prop. 12"
            return attrs.evolve(self, measure=measure, source=source)
        if self.parameters[1] <= given:
            return self
        raise CompositionError(f"with δ = {self.parameters[1]} it implies none for δ = {given}")

    def follows_from(self, other: Claim) -> bool:
        """Whether the other claim implies this one: the same f, ε and δ (or ρ) no smaller.

        Nothing is implied with more certainty than it is known: an assumed claim proves
        nothing, and a refuted one implies no claim but refuted ones.
        """
        if self is other:
            return True
        if self.status.certainty > other.status.certainty:
            return False
        if not identical(self.verification, other.verification):
            return False
        if isinstance(self.measure, Pure | Approximate) and isinstance(
            other.measure, Pure | Approximate
        ):
            (epsilon, delta), (epsilon0, delta0) = self.parameters, other.parameters
            return exact.at_most(epsilon0, epsilon) and delta0 <= delta
        if isinstance(other.measure, ZeroConcentrated):
            return _implied(self.measure, other.measure.rho)
        return identical(self.measure, other.measure)


def _implied(measure: Measure, rho: Fraction) -> bool:
    """Whether ρ-zCDP implies a measure."""
    if isinstance(measure, ZeroConcentrated):
        return rho <= measure.rho
    if isinstance(measure, Approximate) and 0 < measure.delta < 1:
        return exact.at_most(zcdp_epsilon(rho, measure.delta), measure.epsilon)
    return False


# --- from zCDP to (ε, δ): sound, rounded up ---------------------------------------------------

_MARGIN = 1e-12
"""More than a few dozen operations in double precision lose, relatively."""


def zcdp_epsilon(rho: Fraction, delta: Fraction) -> Fraction:
    """An ε such that every ρ-zCDP mechanism is (ε, δ)-DP; at most 1e-9 above the formula's.

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
        """ε for the order α = 1 + e^log."""
        less = math.exp(log)  # α - 1
        spread = less * -math.log1p(1 / less) - math.log1p(less)
        return scale * (1 + less) + (spread - log_delta) / less

    low, high = -40.0, 80.0
    for _ in range(200):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, right) if at(left) <= at(right) else (left, high)
    less = math.exp(low)
    size = scale * (1 + less) + (math.log1p(1 / less) * less + math.log1p(less) - log_delta) / less
    return Fraction(max(0.0, at(low)) + size * _MARGIN)
