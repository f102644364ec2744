"""From zCDP to (ε, δ): sound, rounded up."""

from __future__ import annotations

import math
from fractions import Fraction

from antiphon.protocol.errors import InvalidArgument

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
