"""Rows: arrays with one number for each coordinate of a counter, used in formulas like a single
number.

Errors when the columns of a factor are normalised: B = A·D·C⁻¹, which is not Toeplitz.

Noise v = C⁻¹z is scaled by d_t and summed: n_t = Σ_{i<=t} d_i v_i. With C⁻¹ = 1 - Σ α_i
x/(1 - λ_i x) it is driven by r_i ← λ_i r_i + z, and Var n_t follows from Cov(r_i, r_j)
(closed form) and Cov(r_i, n_t) (a first-order recursion in t).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final, TypeAlias, Union, overload

import numpy as np
import numpy.typing as npt

from antiphon.mechanisms.counters.factors.buffers import Vector
from antiphon.populations.array_columns import ArrayColumn, float64s, int64s
from antiphon.protocol import Coins, freeze, register

Array: TypeAlias = npt.NDArray[Any]
Amount: TypeAlias = Union[float, Array]
"""A number, or an array with one number for each coordinate."""
Stream: TypeAlias = Union[Sequence[Any], Array]
"""A sequence of updates, in order."""

DOUBLES: Final = 2.0**50
"""A bound below which the floor of a rounded quotient of whole numbers is the exact floor."""
SHORT: Final = 1 << 13
"""The length below which NumPy computes a dot product in one thread; for longer arrays it would
wait for other threads."""


@register("antiphon.Row/1", state=True)
class Row(np.ndarray[Any, np.dtype[Any]]):
    """An array that a state can hold in place of a number: it is hashable, equal to another only if
    all entries are, and true only if all entries are.

    So it can replace a number in a state, and one step serves both. Made by ``row`` and never
    modified.
    """

    def __eq__(self, other: object) -> bool:
        return type(other) is Row and bool(np.array_equal(self, other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self.ravel().tolist()))

    def __bool__(self) -> bool:
        return bool(self.view(np.ndarray).all())

    def __fingerprint__(self) -> tuple[object, ...]:
        return self.dtype.str, self.shape, tuple(self.ravel().tolist())

    __keep__ = __fingerprint__

    @classmethod
    def __restore__(cls, dtype: str, shape: tuple[int, ...], values: tuple[Any, ...]) -> Row:
        return np.array(values, dtype).reshape(shape).view(cls)


def row(values: Any, dtype: type) -> Row:
    """A ``Row`` of Python ints (``object``: exact, whatever their size) or of floats."""
    if type(values) is ArrayColumn and dtype is object:
        values = values.tolist()
    return np.array(values, dtype).view(Row)


def bare(values: Any) -> Any:
    """A ``Row`` as a plain NumPy array; any other value is returned unchanged."""
    return values.view(np.ndarray) if type(values) is Row else values


def held(values: Any) -> Any:
    """The values as a read-only ``Row``, to be kept in a state; an ``ArrayColumn``, which holds an
    array for each of many replicas of a play, is returned unchanged."""
    return values if type(values) is ArrayColumn else freeze(values).view(Row)


def integers(values: Amount, dimension: int) -> Array:
    """Exact ints as an int64 array with ``dimension`` entries, the form of an answer. An int that
    does not fit 64 bits is clipped, which is post-processing."""
    made: Array = int64s(_listed(values, dimension))
    return made


def floats(values: Amount, unit: int, dimension: int) -> Array:
    """Whole multiples of 1/unit as an array of ``dimension`` floats, the form of an answer."""
    made: Array = float64s([value / unit for value in _listed(values, dimension)])
    return made


def _listed(values: Amount, dimension: int) -> list[Any]:
    """The numbers of a row as a list; a single number is repeated ``dimension`` times."""
    return values.tolist() if isinstance(values, np.ndarray) else [values] * dimension


def message_of(before: Amount, count: Any) -> Amount:
    """The sum of an earlier total and a counter's answer ``count``, in the type of the answer."""
    kind: Any = type(count)  # pyright: ignore[reportUnknownVariableType]
    if kind is not np.ndarray and kind is not ArrayColumn:
        total: Amount = before + count
        return total
    if count.dtype == np.int64:
        return integers(row(count, object) + before, len(count))
    return floats(row(count, float) + before, 1, len(count))


@overload
def clamped(value: float, bound: float) -> float: ...
@overload
def clamped(value: Array, bound: float) -> Array: ...
@overload
def clamped(value: Amount, bound: float) -> Amount: ...
def clamped(value: Amount, bound: float) -> Amount:
    """A number, or each number of a row, clipped to [-bound, bound]."""
    if isinstance(value, np.ndarray):
        return np.clip(value, -bound, bound)
    return min(max(value, -bound), bound)


def all_below(values: Array, bound: float) -> bool:
    """Whether all values are below ``bound`` in size; short arrays are first tested by the sum of
    their squares, which is faster."""
    if len(values) < SHORT and values.dot(values) < bound * bound:
        return True
    return bool(-bound < values[values.argmin()] <= values[values.argmax()] < bound)


def nearest(noise: Amount, feedback: Amount, divisor: float) -> Amount:
    """The noise of a step, less the rounded ``feedback`` of earlier noise, divided and rounded:
    ⌊(noise - ⌊feedback⌋)/divisor + ½⌋, for a number or each number of a row."""
    if type(noise) is not Row:
        return (noise - feedback // 1.0 + divisor / 2) // divisor
    shifted = noise - np.floor(feedback) + divisor / 2
    # For arrays NumPy's ``//`` takes several times as long as the floor of a quotient.
    small = shifted @ shifted < DOUBLES**2
    return np.floor(shifted / divisor) if small else shifted // divisor


def gaussians(coins: Coins, sigma: Fraction, count: int) -> Array:
    """An array of ``count`` draws of discrete Gaussian noise, as floats."""
    return coins.gaussian_array(sigma, count).astype(float)


_CHUNK: Final = 1 << 10
"""The number of times whose variances are computed at once, so few that they fit the cache."""


def squared_errors(scales: Vector, weights: Vector, gaps: Vector) -> Vector:
    """The variances of a counter's errors at the times 1, …, n with normalised columns: ``scales``
    are the factors d_t of its noise, ``weights`` and ``gaps`` the numbers α_i and 1 - λ_i of C⁻¹
    (see the module).

    O(len(scales)·len(gaps)) memory and a little more time.
    """
    logs = np.log1p(-gaps)
    ratio = weights / -np.expm1(logs[:, None] + logs)
    stationary = ratio.sum(axis=1)
    carry, found = np.zeros(len(gaps)), np.empty(len(scales))
    for start in range(0, len(scales), _CHUNK):
        own = scales[start : start + _CHUNK]
        powers = np.exp(logs[:, None] * np.arange(start, start + len(own)))
        # The covariances Σ_j α_j Cov(r_i, r_j) at each time, for the recursion r_i of the module:
        # they start at 0 and tend to ``stationary``.
        spread = stationary[:, None] - powers * _product(ratio, powers)
        inputs = own * (1 - (1 - gaps)[:, None] * spread)
        with_sum = _scan(logs, inputs, carry)
        before = np.concatenate([carry[:, None], with_sum[:, :-1]], axis=1)
        carry = with_sum[:, -1]
        variance, covariance = (_product(weights[None], each)[0] for each in (spread, before))
        found[start : start + len(own)] = own**2 * (1 + variance) - 2 * own * covariance
    return np.cumsum(found)


def _product(left: Vector, right: Vector) -> Vector:
    """The matrix product left @ right, in one thread: the matrices are too small for more."""
    return np.asarray(np.einsum("ij,jt->it", left, right))


def _scan(logs: Vector, inputs: Vector, carry: Vector) -> Vector:
    """The solution of the recurrence y_t = λ y_{t-1} + x_t from y_{-1} = ``carry``, in each row:
    ``logs`` has each row's ln λ, ``inputs`` the x_t.

    By doubling: after j passes y_t has the last 2^j inputs.
    """
    found = inputs.copy()
    found[:, 0] += np.exp(logs) * carry
    lag = 1
    while lag < inputs.shape[1]:
        found[:, lag:] += np.exp(logs * lag)[:, None] * found[:, :-lag]
        lag *= 2
    return found
