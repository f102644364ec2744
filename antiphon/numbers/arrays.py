"""What is asked of whole arrays: where their entries lie and how far apart two are, exactly.

An int64 difference can need 65 bits and a sum of squares 146: nothing here overflows or rounds.
"""

from __future__ import annotations

import math
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Gaps: TypeAlias = "NDArray[np.uint64]"
_LOW: Final = np.uint64(2**32 - 1)
_HALF: Final = np.uint64(32)


def inside(values: NDArray[Any], low: float, high: float) -> bool:
    """Whether all entries are finite and in [low, high].

    Without a pass over whole numbers that have no bounds; else by the least and the greatest
    entry, which are NaN where an entry is. Whole numbers are compared exactly with their bounds.
    What stands for an array is asked as arrays are, if its entries are int64 or float64.
    """
    kind = values.dtype.kind
    if not values.size or (kind in "biu" and low == -math.inf and high == math.inf):
        return True
    if kind in "biu":
        return bool(low <= values.min().item() and values.max().item() <= high)
    with np.errstate(invalid="ignore"):
        if values.dtype == np.float64:
            least, most = values.min().item(), values.max().item()
            finite = bool(-math.inf < least) and bool(most < math.inf)
            return finite and bool(low <= least) and bool(most <= high)
        if kind == "f":
            values = np.array([values.min(), values.max()], values.dtype)
    return bool(np.all(np.isfinite(values) & (values >= low) & (values <= high)))


def gaps(zero: NDArray[np.signedinteger[Any]], one: NDArray[np.signedinteger[Any]]) -> Gaps:
    """|zero - one|, entry by entry: below 2^64, so of unsigned integers."""
    sides = [side.astype(np.int64, copy=False).ravel() for side in (zero, one)]
    larger = np.maximum(*sides)
    np.subtract(larger, np.minimum(*sides), out=larger)  # modulo 2^64
    return larger.view(np.uint64)


def largest(gaps: Gaps) -> int:
    """The greatest entry; 0 of none."""
    return int(gaps.max(initial=0))


def total(gaps: Gaps) -> int:
    """The sum of all entries."""
    if largest(gaps) * gaps.size < 1 << 64:
        return int(gaps.sum())
    return (int((gaps >> _HALF).sum()) << 32) + int((gaps & _LOW).sum())


def squares(gaps: Gaps) -> int:
    """The sum of the squares of all entries."""
    if largest(gaps) ** 2 * gaps.size < 1 << 64:
        return int(np.dot(gaps, gaps))
    return sum(gap * gap for gap in gaps[gaps > 0].tolist())
