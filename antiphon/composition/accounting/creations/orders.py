"""k-sparse parallel composition of bounded creations in Rényi DP (docs/sparse.md).

e^((α-1)D_α) <= Σ_{S, S pays} Π_{j∈S} (c_j - 1), c_j = e^((α-1)D_j), S over the sets of created
mechanisms that the purse can pay for. If all n creations are alike: Σ_{i<=k} C(n,i) (c-1)^i.
"""

from __future__ import annotations

import math
from functools import lru_cache

import attrs
import numpy as np

from antiphon.composition.accounting.summed import Divergence, divergence_of, grouped
from antiphon.numbers import exact
from antiphon.numbers.interval import UNIT, Floats
from antiphon.numbers.named import set_derived
from antiphon.protocol.measures.divergences import SLACK
from antiphon.protocol.measures.kinds import Measure

_LARGE = 700.0
"""A logarithm whose exponential is a double."""


@attrs.frozen
class SparseDivergence:
    """α ↦ a bound on D_α of k-sparse parallel composition, of n created; rounded up. A value.

    Of an unequal purse with k_i slots of kind i the adversary decides the kinds of the n on the
    way. Both bounds hold, and the least is taken: that n of *every* kind were there from the
    start, Π_i Σ_{s<=k_i} C(n,s) (c_i-1)^s; and that all n are of the worst kind.
    Raises: InvalidArgument for n < 1.

    >>> from antiphon.protocol import ZeroConcentrated
    >>> one = SparseDivergence((ZeroConcentrated(0.5),), 1)
    >>> 1 <= one(2) < 1.0000001
    True
    """

    measures: tuple[Measure, ...]
    creations: int = attrs.field(validator=lambda _, __, value: _whole(value))
    _kinds: tuple[tuple[Divergence, int], ...] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        counts = grouped((each,) for each in self.measures)
        kinds = tuple((divergence_of(each), slots) for (each,), slots in counts)
        set_derived(self, _kinds=kinds)

    def __call__(self, order: float) -> float:
        less = order - 1
        sizes = [(less * each(order) * (1 + 4 * UNIT), slots) for each, slots in self._kinds]
        n, k = self.creations, len(self.measures)
        each = math.fsum(log_elementary(size, n, slots) for size, slots in sizes)
        worst = log_elementary(max(size for size, _ in sizes), n, k)
        return min(each, worst) / less * (1 + SLACK)


def _whole(value: int) -> None:
    exact.whole(value, "creations")


def log_elementary(size: float, n: int, k: int) -> float:
    """ln Σ_{s<=k} C(n,s) (e^size - 1)^s for size >= 0, rounded up; n·size where k >= n.

    >>> 3 * log_elementary(0.1, 1, 1) <= log_elementary(0.1, 3, 3) < 0.3000001
    True
    """
    all_differ = n * size * (1 + 2 * UNIT)
    if k >= n or not size or math.isinf(size):
        return all_differ
    step = size if size > _LARGE else math.log(math.expm1(size))
    counts, places, spread = _logs_of_binomials(n, k)
    terms = places * step + counts
    # each of them is off by no more than this
    error = SLACK * (k * (abs(step) + 1) + spread * k)
    highest = float(terms.max())
    if highest + error < _LARGE:
        return min(math.log1p(float(np.exp(terms + error).sum()) * (1 + SLACK)), all_differ)
    rest = float(np.exp(terms - highest).sum())  # 1, the term of s = 0, is not felt beside it
    return min((highest + math.log(rest)) * (1 + SLACK) + error, all_differ)


@lru_cache(maxsize=16)
def _logs_of_binomials(n: int, k: int) -> tuple[Floats, Floats, float]:
    """ln C(n,s) for s = 1..k; the s; and how large the numbers are whose sum these are."""
    places = np.arange(1.0, k + 1)
    steps = np.log((n + 1 - places) / places)
    return np.cumsum(steps), places, float(np.abs(steps).max())
