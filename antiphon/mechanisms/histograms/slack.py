"""How much noise a partition into intervals has to allow for: α, γ_H and the shares of β.

One failure probability β is spread over families of events, one event for each step t or each
interval j: the n-th of each family of k gets p_n = 6β/(kπ²n²), since Σ 1/n² = π²/6. All figures
are ints: tails of the discrete noise that is really drawn, rounded up.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

import attrs

from antiphon.mechanisms.histograms.continual import MOST, ContinualHistogram
from antiphon.mechanisms.noise.accuracy import laplace_bound
from antiphon.numbers import exact

_DOWN: Final = 1 - 2.0**-40
"""Shares of β are rounded down."""


@attrs.frozen(kw_only=True)
class Slack:
    """What noise exceeds with a small probability, each of these for itself.

    ``threshold`` and ``query`` are the scales of the SVTs' noise τ and ν, ``test`` that of the
    Laplace tests; ``families`` is k.
    """

    beta: float
    families: int
    threshold: Fraction
    query: Fraction
    test: Fraction
    histogram: ContinualHistogram
    _gammas: list[int] = attrs.field(init=False, eq=False, repr=False, factory=lambda: [0])

    def share(self, n: int) -> float:
        """p_n. Raises: InvalidArgument unless n is an int >= 1."""
        n = exact.whole(n, "a step or an interval")
        return 6 * self.beta / (self.families * (math.pi * n) ** 2) * _DOWN

    def alpha(self, t: int, j: int) -> int:
        """α(t, j): |τ_j| + |ν_t| is at most this, w.p. 1 - p_j - p_t."""
        return self.of_query(t) + laplace_bound(self.threshold, self.share(j))

    def of_query(self, t: int) -> int:
        """The part of α(t, j) that depends on t."""
        return laplace_bound(self.query, self.share(t))

    def until(self, t: int) -> int:
        """The last step up to ``MOST`` at which ``of_query`` is what it is at t."""
        value, low, high = self.of_query(t), t, 2 * t
        while self.of_query(min(high, MOST)) == value:
            if high >= MOST:
                return MOST
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.of_query(middle) == value else (low, middle)
        return low

    def of_test(self, j: int) -> int:
        """α_Lap(j): the j-th test's noise is at most this, w.p. 1 - p_j."""
        return laplace_bound(self.test, self.share(j))

    def of_histogram(self, j: int) -> int:
        """γ_H(j): no entry of H's j-th answer errs by more, w.p. 1 - p_j; never less for more j."""
        known = self._gammas
        for n in range(len(known), j + 1):
            bound = self.histogram.error_bound(n, beta=self.share(n))
            known[n : n + 1] = [max(known[n - 1], bound)]
        return known[j]
