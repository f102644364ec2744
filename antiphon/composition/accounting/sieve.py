"""Which frequencies of a contour matter: all others are bounded, range by range."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from antiphon.composition.accounting.product import Product
from antiphon.numbers.errors import Intractable
from antiphon.numbers.interval import Floats

NATS: Final = 36.0
"""A term of H is neglected below e^-36 of the largest one (its bound is added)."""
_DENSITY_NATS: Final = 23.0
"""The same for a term of f_v, which matters for the width only."""
_BLOCK: Final = 1 << 12
"""Ranges that are looked at together, at most."""
_FEW: Final = 64
"""Factors that drop a range, about."""
LIMIT: Final = 1 << 32
"""Factors evaluated, at most: about half a minute."""
MOST: Final = 1 << 22
"""Frequencies kept, at most: 200 MB."""
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
    if end > LIMIT:
        raise Intractable(f"frequencies of a certified interval {_CURE}", end, LIMIT)
    least = np.log(kernel(np.zeros(1)))[0] - NATS
    edges = [0, *(1 << i for i in range(end.bit_length()) if 1 << i < end), end]
    waiting = [(np.array(edges[:-1]), np.array(edges[1:]))]
    found: list[Indices] = [np.zeros(0, np.int64)]
    dropped, work, total = np.zeros(2), 0, 0
    while waiting:
        low, high = waiting.pop()
        if len(low) > _BLOCK:
            waiting += [(low[half], high[half]) for half in (slice(_BLOCK), slice(_BLOCK, None))]
            continue
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
        total += len(found[-1])
        if not single.all():
            waiting.append(_split(low[~single], high[~single]))
        work += min(product.size, _FEW) * len(gone) + 4 * product.size * len(found[-1])
        if work > LIMIT:
            raise Intractable(f"factors of a certified interval {_CURE}", work, LIMIT)
        if total > MOST:
            raise Intractable(f"frequencies of a certified interval {_CURE}", total, MOST)
    dropped *= 1.01
    indices = np.sort(np.concatenate(found)).astype(np.float64)
    return Sifted(indices, float(dropped[0]), float(dropped[1]))


def _split(low: Indices, high: Indices) -> tuple[Indices, Indices]:
    middle = (low + high) // 2
    return np.concatenate([low, middle]), np.concatenate([middle, high])
