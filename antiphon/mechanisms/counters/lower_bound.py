"""What no factorisation mechanism can beat."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from antiphon.protocol import exact

_PART = 1 << 20


def lower_bound(*, horizon: int, rho: Fraction | float, sensitivity: Fraction | float = 1) -> float:
    """A mean, and so a max, squared error below which no Gaussian factorisation A = B·C gets.

    (‖A‖_*/T)²·sensitivity²/(2ρ), with ‖A‖_* the nuclear norm of the T×T matrix of ones
    that sums prefixes: its singular values are ½/sin((2j-1)π/(4T+2)).
    Source: Edmonds, Nikolov, Ullman 2020; Henzinger, Upadhyay, Upadhyay 2023.
    """
    count = exact.whole(horizon, "horizon")
    scale = exact.positive(sensitivity, "sensitivity") ** 2 / (2 * exact.positive(rho, "rho"))
    nuclear = 0.0
    for start in range(0, count, _PART):
        odd = 2.0 * np.arange(start, min(count, start + _PART)) + 1
        nuclear += float((0.5 / np.sin(odd * (np.pi / (4 * count + 2)))).sum())
    return (nuclear / count) ** 2 * float(scale) * (1 - 1e-9)
