"""Binomial laws term by term, with certified errors.

Of k randomized responses RR_ε, J ~ Bin(k, 1/(1+e^ε)) answer wrongly. Terms are built up from
the *anchor*, near the mode, by exact ratios: pmf(j+1)/pmf(j) = (k-j)/(j+1)·odds. All are
positive, so relative errors only add up, a few roundings a step. Only terms above 2^-75 of
the anchor are kept; as the ratios fall with j, what is left out is bounded by a geometric series.
"""

from __future__ import annotations

import math
from typing import Final

import attrs
import numpy as np

from antiphon.numbers.errors import Intractable
from antiphon.numbers.interval import UNIT, Floats, Interval

LARGEST: Final = 1 << 22
"""Terms of one window, at most: 32 MB an array."""
_NATS: Final = 52.0
"""How far below the anchor a window ends: e^-52 = 2^-75."""
_SLACK: Final = 60
"""Further terms, for windows too narrow to be bell-shaped."""


@attrs.frozen(eq=False)
class Window:
    """Bounds on pmf(first), pmf(first+1), …, and on the mass outside, relative to the anchor."""

    first: int
    terms: Interval[Floats]
    outside: float

    def normalised(self) -> Window:
        """The same as probabilities: divided by the sum of everything."""
        slack = 300 * UNIT
        least = float(np.sum(self.terms.lower)) * (1 - slack)
        most = (float(np.sum(self.terms.upper)) + self.outside) * (1 + slack)
        lower = self.terms.lower / most * (1 - 2 * UNIT)
        upper = self.terms.upper / least * (1 + 2 * UNIT)
        return Window(self.first, Interval(lower, upper), 1.01 * self.outside / least)


def window(count: int, odds: float, units: float) -> Window:
    """The terms of Bin(count, odds/(1+odds)) that matter, for 0 <= odds <= 1.

    The true odds are relatively within ``units`` · 2^-53 of those given, or underflowed.
    O(√count) time and memory. Raises: Intractable for counts past about 10^11.
    """
    odds = max(odds, 1e-280)  # then upper ends are too high, and lower ends are cut below
    mean = count * (odds / (1 + odds))
    spread = math.sqrt(mean / (1 + odds))
    reach = math.ceil(math.sqrt(2 * _NATS) * spread) + _SLACK
    anchor = min(count, math.floor(mean))
    first, last = max(0, anchor - reach), min(count, anchor + reach)
    if last - first >= LARGEST:
        raise Intractable(
            "terms of a binomial law (account for fewer mechanisms)", last - first, LARGEST
        )
    down = np.arange(anchor, first, -1, dtype=np.float64)
    before = np.cumprod(down / ((count + 1 - down) * odds))[::-1]
    up = np.arange(anchor, last, dtype=np.float64)
    after = np.cumprod((count - up) * odds / (up + 1))
    terms = np.concatenate((before, [1.0], after))
    steps = np.abs(np.arange(first - anchor, last - anchor + 1, dtype=np.float64))
    relative = 1.01 * (4 + units) * UNIT * steps
    below = _tail(float(terms[0]), first / ((count + 1 - first) * odds) if first else 0.0)
    above = _tail(float(terms[-1]), (count - last) * odds / (last + 1))
    lower = np.where(terms > 1e-250, terms * (1 - relative), 0.0)
    upper = terms * (1 + relative) + 1e-290  # terms that small are not as precise
    return Window(first, Interval(lower, upper), below + above)


def _tail(term: float, ratio: float) -> float:
    """term·(ratio + ratio² + …), rounded up; inf where that does not fall."""
    if not ratio:
        return 0.0
    ratio *= 1.0001
    return 1.0001 * term * ratio / (1 - ratio) + 5e-324 if ratio < 1 else math.inf
