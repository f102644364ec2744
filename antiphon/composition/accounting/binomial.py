"""The binomial law of wrong answers, term by term, with certified errors.

Of k randomized responses RR_ε, J ~ Bin(k, 1/(1+e^ε)) answer wrongly. Terms are built from
one of them, the *anchor*, by exact ratios: pmf(j+1)/pmf(j) = (k-j)/(j+1)·e^(-ε). All are
positive, so relative errors only add up, four roundings a step; the anchor itself is
computed in forty digits. Only terms above 2^-75 of the anchor are kept; beyond the mode
the ratios fall, so what is left out is bounded by a geometric series.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal, localcontext
from functools import lru_cache
from typing import Final

import attrs
import numpy as np

from antiphon.composition.accounting.interval import UNIT, Floats
from antiphon.protocol import exact
from antiphon.protocol.errors import Intractable

LARGEST: Final = 1 << 24
"""Terms of one window, at most: 128 MB an array."""
_CUT: Final = 52.0
"""Nats below the anchor at which a window ends: 2^-75."""
_SLACK: Final = 60
"""Further terms, for windows too narrow to be bell-shaped."""
_STEP: Final = 4.5 * UNIT
"""Relative error of a ratio of neighbours, times the product so far."""


@attrs.frozen(eq=False)
class Window:
    """pmf(first), pmf(first+1), … in units of pmf(anchor), each within ``relative``."""

    first: int
    terms: Floats
    relative: Floats
    below: float
    """Upper bound on all terms before the window, same units; ``above``: after it."""
    above: float

    @property
    def wrong(self) -> Floats:
        """The numbers of wrong answers, as doubles."""
        return np.arange(self.first, self.first + len(self.terms), dtype=np.float64)


def window(count: int, odds: float, anchor: int, last: int) -> Window:
    """The terms of Bin(count, odds/(1+odds)) around ``anchor`` and up to ``last``.

    ``odds`` is within one rounding of the true ones, and not above 1; ``anchor`` is at
    or below the mode, or at ``last``. Terms after ``last`` are left out unbounded.
    """
    share = odds / (1 + odds)
    spread = math.sqrt(count * share * (1 - share))
    offset = max(0.0, count * share - anchor)
    wide = math.sqrt(2 * _CUT) * spread
    falling = math.hypot(offset, wide) - offset if offset < 1e8 * wide else 0.0
    first = max(0, anchor - math.ceil(falling) - _SLACK)
    end = min(last, math.ceil(max(anchor, count * share) + wide) + _SLACK)
    if end - first >= LARGEST:
        raise Intractable(
            "the terms of a binomial law (account for fewer mechanisms at a time)",
            end - first, LARGEST,
        )  # fmt: skip
    down = np.arange(anchor, first, -1, dtype=np.float64)
    before = np.cumprod(down / ((count + 1 - down) * odds))[::-1] if len(down) else down
    up = np.arange(anchor, end, dtype=np.float64)
    after = np.cumprod((count - up) * odds / (up + 1))
    distance = np.abs(np.arange(first - anchor, end - anchor + 1, dtype=np.float64))
    terms = np.concatenate((before, [1.0], after))
    below = _tail(float(terms[0]), first / ((count + 1 - first) * odds) if first else 0.0)
    rest = (count - end) * odds / (end + 1)
    above = _tail(float(terms[-1]), rest) if end < last else 0.0
    return Window(first, terms, _STEP * (distance + 1), below, above)


def _tail(term: float, ratio: float) -> float:
    """term·(ratio + ratio² + …), rounded up; inf where it does not fall."""
    ratio = math.nextafter(ratio * (1 + 8 * UNIT), 1) if ratio else 0.0
    if ratio >= 1:
        return math.inf
    return math.nextafter(1.001 * term * ratio / (1 - ratio), math.inf) if ratio else 0.0


# --- in forty digits -------------------------------------------------------------------------

CONTEXT: Final = Context(prec=50, Emin=-(10**15), Emax=10**15)
"""Absolute errors stay below 1e-30 for compositions of up to 10^15 mechanisms."""


def decimal(value: exact.ExactEpsilon) -> Decimal:
    """Fifty digits of an exact number; to be called, like all here, with ``CONTEXT`` set."""
    if isinstance(value, exact.Log):
        return decimal(value.argument).ln()
    return Decimal(value.numerator) / Decimal(value.denominator)


@lru_cache(maxsize=256)
def log_term(epsilon: exact.ExactEpsilon, count: int, wrong: int) -> Decimal:
    """ln pmf(wrong): so many wrong answers of ``count`` RR_ε; absolute error 1e-30."""
    with localcontext(CONTEXT):
        e = decimal(epsilon)
        choose = log_factorial(count) - log_factorial(wrong) - log_factorial(count - wrong)
        return choose - wrong * e - count * (1 + (-e).exp()).ln()


def log_factorial(n: int) -> Decimal:
    """ln n!: Stirling's series, whose error is below the first term left out."""
    if n < 64:
        return Decimal(math.factorial(n)).ln()
    x = Decimal(n)
    result, power = (x + _HALF) * x.ln() - x + _HALF_LOG_TAU, 1 / x
    for numerator, denominator in _STIRLING:
        result += power * numerator / denominator
        power /= x * x
    return result


_HALF: Final = Decimal("0.5")
_STIRLING: Final = (
    (1, 12), (-1, 360), (1, 1260), (-1, 1680), (1, 1188), (-691, 360360), (1, 156), (-3617, 122400),
    (43867, 244188), (-174611, 125400), (77683, 5796), (-236364091, 1506960),
)  # fmt: skip
"""B_2m/(2m(2m-1)), m = 1, …, 12; past them the error is below 1e-40 for n >= 64."""
_HALF_LOG_TAU: Final = Decimal("0.91893853320467274178032973640561763986139747363778341")
