"""The law of the highest noise among the counts of a tree counter: in doubles.

The count after t updates has the noise of one node for each 1 in the binary form of t. Let H_n be
the highest over t = 1, …, n, and 2^k the largest power of two that is at most n. For t < 2^k the
nodes lie below the first of size 2^k; from t = 2^k on that one is there, of noise L, and the rest
is as in a tree of n - 2^k updates. So H_n = max(H_{2^k - 1}, L + max(0, H'_{n - 2^k})), all three
independent. Only max(0, H_n) is needed, of which the law is that of H_n above 0.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import numpy as np

from antiphon.mechanisms.learners.littlestone.crossing import Figures

_FAR = 45
"""Scales past which one noise is left out: e^(-45)."""
_MORE = 3
"""Scales more for each further node: a sum of n noises has the tail e^-x x^(n-1)/(n-1)!, about."""


def highest_noise(updates: int, scale: Fraction) -> Figures:
    """P(the noise of some count, after 1, …, ``updates`` updates, is at least x): x = 0, 1, …

    Each node has noise DLap(scale). That for x = 0 is set to 1.
    """
    ratio = math.exp(-1 / float(scale))
    nothing = np.zeros(math.ceil((_FAR + _MORE * updates.bit_length()) * scale) + 1)
    nothing[0] = 1

    @cache
    def tails(most: int) -> Figures:
        if not most:
            return nothing
        first = 1 << most.bit_length() - 1
        before, later = tails(first - 1), _with_noise(tails(most - first), ratio)
        found: Figures = before + later - before * later
        return found

    return tails(updates)


def _with_noise(tails: Figures, ratio: float) -> Figures:
    """P(L + Z >= x) from P(Z >= x), which is 1 for x <= 0: L has weights ratio^|l|."""
    up, down = tails.copy(), tails.copy()
    up[0] = 1 / (1 - ratio)  # with all that is to its left
    step = 1
    while step < len(tails):
        part = ratio**step
        up[step:] += part * up[:-step]
        down[:-step] += part * down[step:]
        step *= 2
    found: Figures = (1 - ratio) / (1 + ratio) * (up + down - tails)
    found[0] = 1
    return found
