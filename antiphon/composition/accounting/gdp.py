"""The privacy curve of Gaussian DP."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

import attrs

from antiphon.composition.accounting.curve import PrivacyCurve
from antiphon.numbers import exact
from antiphon.numbers.interval import Interval, down, up
from antiphon.numbers.normal import density, gaussian_delta, tail

_LARGEST: Final = 700
_FARTHEST: Final = 38


@attrs.frozen
class GaussianCurve(PrivacyCurve):
    """δ(ε) = Φ(μ/2 - ε/μ) - e^ε Φ(-μ/2 - ε/μ): of N(0, 1) and N(μ, 1), and so of μ-GDP.

    Source: Dong, Roth and Su 2022, Cor. 1 (Balle and Wang 2018, Thm 8).
    """

    mu: Fraction

    @property
    def method(self) -> str:
        return "GDP"

    @property
    def source(self) -> str:
        return "Dong, Roth and Su 2022, Cor. 1"

    @property
    def floor(self) -> Interval[float]:
        return Interval(0.0, 0.0)

    @property
    def _exact_floor(self) -> Fraction | None:
        return Fraction(0)

    @property
    def _enough(self) -> float:
        return math.inf

    def _delta(self, epsilon: exact.ExactEpsilon) -> Interval[float]:
        far = exact.bracket(epsilon, 20)[1] > _LARGEST
        low, high = _far(self.mu, epsilon) if far else gaussian_delta(self.mu, epsilon)
        return Interval(max(0.0, down(low)), min(1.0, up(high)))

    def _epsilon(self, delta: Fraction) -> Interval[float]:
        if not delta:
            return Interval(math.inf, math.inf)
        return PrivacyCurve._epsilon(self, delta)

    @property
    def _near(self) -> float:
        """Each point takes a series: a search as fine as a double's last bits is not worth it."""
        return 2.0**-40


def _far(mu: Fraction, epsilon: exact.ExactEpsilon) -> tuple[Fraction, Fraction]:
    """Rationals around δ(ε) where e^ε has too many digits.

    With a = ε/μ - μ/2 and b = a + μ: e^ε Φ(-b) is φ(a)/b·[1 - 1/b², 1], as e^ε φ(b) = φ(a).
    """
    low, high = exact.bracket(epsilon, 60)
    near = low / mu - mu / 2
    if abs(near) > _FARTHEST:
        return tail(high / mu - mu / 2)[0] if near < 0 else Fraction(0), tail(near)[1]
    far = near + mu
    least, most = density(abs(near))
    if low < high:
        return Fraction(0), tail(near)[1]
    return tail(near)[0] - most / far, tail(near)[1] - least / far * (1 - 1 / far**2)
