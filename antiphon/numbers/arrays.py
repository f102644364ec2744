"""Exact computations on arrays: the range of their entries, and the distance of two arrays.

An int64 difference can need 65 bits and a sum of squares 146: nothing here overflows or rounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, Final, TypeAlias, Union

import attrs
import numpy as np
from numpy.typing import NDArray

from antiphon.numbers.errors import InvalidArgument

Gaps: TypeAlias = "NDArray[np.uint64]"
Bound: TypeAlias = Union[int, float, Fraction]
"""The type of one end of a range: an exact number, or an infinity for an end that is open."""
_WHOLE: Final = "biu"
"""The kinds (letters) of NumPy dtypes whose entries are whole numbers."""
_LOW: Final = np.uint64(2**32 - 1)
_HALF: Final = np.uint64(32)


def inside(values: NDArray[Any], low: Bound, high: Bound) -> bool:
    """Whether all entries are finite and in [low, high]; compared exactly, whatever the dtype.

    Unbounded integer arrays are not scanned; otherwise the least and the greatest entry are
    compared as Python numbers, so neither a bound nor an entry is rounded. A column of arrays is
    handled like an array if its entries are int64 or float64.
    """
    kind, bounded = values.dtype.kind, low != -math.inf or high != math.inf
    if not values.size or (kind in _WHOLE and not bounded):
        return True
    # Complex numbers have no order: such an array is inside only if there is no bound, and both
    # parts of each entry are finite.
    if kind == "c":
        return not bounded and bool(np.isfinite(values).all())
    if kind not in _WHOLE and kind != "f":
        return False
    with np.errstate(invalid="ignore"):
        least, most = values.min().item(), values.max().item()
    if kind == "f" and not (bool(-math.inf < least) and bool(most < math.inf)):
        return False
    # NumPy would round the bound to compare it with a longdouble, so Fractions are compared.
    if values.dtype.char == "g":
        least, most = (Fraction(*end.as_integer_ratio()) for end in (least, most))
    return bool(low <= least) and bool(most <= high)


def multiples(values: NDArray[Any], step: float) -> bool:
    """Whether all entries are multiples of ``step``, a power of two; ints are, if it is below 1."""
    whole = values.dtype.kind in _WHOLE
    return not np.any(values % (max(1, int(step)) if whole else step))


def bound(_: object, field: attrs.Attribute[Any], value: object) -> None:
    """An attrs validator: the end of a range must be an int, a float or a Fraction, and not NaN."""
    if type(value) not in (int, float, Fraction) or value != value:
        raise InvalidArgument(f"{field.name} must be an int, a float or a Fraction, and not NaN")


def power_of_two(_: object, field: attrs.Attribute[Any], value: Any) -> None:
    """An attrs validator: a step must be None or a power of two, exact for doubles."""
    if value is not None and (type(value) not in (int, float) or math.frexp(value)[0] != 0.5):
        raise InvalidArgument(f"{field.name} must be a power of two, as a float, or None")


def gaps(zero: NDArray[np.signedinteger[Any]], one: NDArray[np.signedinteger[Any]]) -> Gaps:
    """The differences |zero - one| of two int64 arrays, entry by entry, as unsigned 64-bit
    integers, so that none overflows."""
    sides = [side.astype(np.int64, copy=False).ravel() for side in (zero, one)]
    larger = np.maximum(*sides)
    # The subtraction wraps modulo 2^64; read as unsigned, its result is right.
    np.subtract(larger, np.minimum(*sides), out=larger)
    return larger.view(np.uint64)


def largest(gaps: Gaps) -> int:
    """The greatest entry of ``gaps``, an array of unsigned integers; 0 if the array is empty."""
    return int(gaps.max(initial=0))


def total(gaps: Gaps) -> int:
    """The sum of the entries of ``gaps``, an unsigned array, as a Python int (no overflow)."""
    if largest(gaps) * gaps.size < 1 << 64:
        return int(gaps.sum())
    return (int((gaps >> _HALF).sum()) << 32) + int((gaps & _LOW).sum())


def squares(gaps: Gaps) -> int:
    """The sum of the squares of ``gaps``, an unsigned array, as a Python int (no overflow)."""
    if largest(gaps) ** 2 * gaps.size < 1 << 64:
        return int(np.dot(gaps, gaps))
    return sum(gap * gap for gap in gaps[gaps > 0].tolist())


_NO_MORE: Final = object()


def product(factors: Sequence[Callable[[], Iterator[Any]]]) -> Iterator[tuple[Any, ...]]:
    """The Cartesian product of several sequences: all tuples with one item from each; the last item
    changes fastest. A factor is a function that lists its items anew at each call.

    ``itertools.product`` lists every factor first.

    >>> list(product([lambda: iter("ab"), lambda: iter((1, 2))]))
    [('a', 1), ('a', 2), ('b', 1), ('b', 2)]
    """
    turning = [factor() for factor in factors]
    items: list[Any] = [next(each, _NO_MORE) for each in turning]
    if any(item is _NO_MORE for item in items):
        return
    while True:
        yield tuple(items)
        for place in reversed(range(len(factors))):
            items[place] = next(turning[place], _NO_MORE)
            if items[place] is not _NO_MORE:
                break
            turning[place] = factors[place]()
            items[place] = next(turning[place])
        else:
            return
