"""Which frequencies of a contour matter: all others are bounded, range by range."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from antiphon.composition.accounting.pairs.product import Product
from antiphon.numbers.errors import Intractable
from antiphon.numbers.interval import Floats

NATS: Final = 36.0
"""A term of H is neglected below e^-36 of the largest one (its bound is added)."""
_DENSITY_NATS: Final = 23.0
"""The same for a term of f_v, which matters for the width only."""
LIMIT: Final = 1 << 27
"""Factors evaluated, at most."""
MOST: Final = 1 << 18
"""Frequencies kept, at most."""
_CURE: Final = "(ask for a larger `width`, or account for fewer distinct pairs)"

Indices = npt.NDArray[np.int64]
Kernel = Callable[[Floats], Floats]
"""A bound on the kernel at a frequency, which falls."""


class Sifted(NamedTuple):
    """Frequencies nτ, n >= 0, and bounds on Σ|ΦK| and Σ|Φ| over all that are left out."""

    indices: Floats
    kernel: float
    plain: float


def sifted(
    product: Product, order: float, step: float, end: int, kernel: Kernel, *, density: bool
) -> Sifted:
    """Sift n = 0 … end-1: ranges that may matter are split until they are single.

    Raises: Intractable for too many frequencies, or too much work.
    """
    least = np.log(kernel(np.zeros(1)))[0] - NATS
    edges = [0, *(1 << i for i in range(end.bit_length()) if 1 << i < end), end]
    low, high = np.array(edges[:-1]), np.array(edges[1:])
    found: list[Indices] = []
    dropped, work = np.zeros(2), 0
    while len(low):
        start = low.astype(np.float64) * step
        stop = (high - 1).astype(np.float64) * step
        logs = np.log(kernel(start))
        enough = least - logs
        if density:
            enough = np.minimum(enough, -_DENSITY_NATS)
        bound = product.ceiling(order, start, stop, enough)
        gone = bound < enough
        many = (high - low)[gone] * np.exp(np.maximum(bound[gone], -300.0))
        dropped += [float(np.sum(many * np.exp(logs[gone]))), float(np.sum(many))]
        low, high, single = low[~gone], high[~gone], (high - low)[~gone] == 1
        found.append(low[single])
        low, high = _split(low[~single], high[~single])
        work += product.size * (len(gone) + 4 * len(found[-1]))
        if work > LIMIT:
            raise Intractable(f"factors of a certified interval {_CURE}", work, LIMIT)
        if (total := len(low) + sum(map(len, found))) > MOST:
            raise Intractable(f"frequencies of a certified interval {_CURE}", total, MOST)
    dropped *= 1.01
    indices = np.sort(np.concatenate(found)).astype(np.float64)
    return Sifted(indices, float(dropped[0]), float(dropped[1]))


def _split(low: Indices, high: Indices) -> tuple[Indices, Indices]:
    middle = (low + high) // 2
    return np.concatenate([low, middle]), np.concatenate([middle, high])
