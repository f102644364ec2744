"""What no factorisation mechanism can beat."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

import numpy as np

from antiphon.numbers import exact

_SUMMED: Final = 1 << 18


def lower_bound(*, horizon: int, rho: Fraction | float, sensitivity: Fraction | float = 1) -> float:
    """A mean, and so a max, squared error that no Gaussian factorisation A = B·C gets below.

    (‖A‖_*/T)²·sensitivity²/(2ρ), with ‖A‖_* the nuclear norm of the T×T matrix of ones
    that sums prefixes: its singular values are ½/sin((2j-1)π/(4T+2)). Rounded down.
    Source: Edmonds, Nikolov, Ullman 2020; Henzinger, Upadhyay, Upadhyay 2023.
    Raises: InvalidArgument for a horizon, rho or sensitivity that is not positive.
    """
    count = exact.whole(horizon, "horizon")
    scale = exact.positive(sensitivity, "sensitivity") ** 2 / (2 * exact.positive(rho, "rho"))
    step, summed = math.pi / (2 * count + 1), min(count, _SUMMED)
    nuclear = float((0.5 / np.sin((np.arange(summed) + 0.5) * step)).sum())
    if count > summed:
        # ½/sin is convex, so a midpoint sum is below its integral, by at most step·|f'|/12.
        start, end = summed * step / 2, count * step / 2
        nuclear += (math.log(math.tan(end)) - math.log(math.tan(start))) / (2 * step)
        nuclear -= step / 12 * 0.5 / (summed * step) ** 2
    return (nuclear / count) ** 2 * float(scale) * (1 - 1e-9)
