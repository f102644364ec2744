"""Whole streams at once: what the steps of a buffered Toeplitz counter do, in one loop."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from antiphon.mechanisms.counters.factors.buffers import Vector
from antiphon.mechanisms.counters.factors.rows import DOUBLES, Stream, clamped, gaussians
from antiphon.protocol.coins import Coins

if TYPE_CHECKING:
    from antiphon.mechanisms.counters.buffered_toeplitz import BufferedToeplitzCounter

_BUFFERS: Final = 7
"""The most buffers in the table."""
_CHUNK: Final = 1 << 16
_SHORT: Final = 1 << 13
"""Vectors whose product NumPy takes in one thread: more would only wait for each other."""


def _chunks(
    counter: BufferedToeplitzCounter, values: Stream, coins: Coins
) -> Iterator[tuple[slice, Vector, list[float]]]:
    """Where, noise and divisors of some updates at a time."""
    width, length = counter.dimension or 1, len(values)
    step = max(1, _CHUNK // width)
    for start in range(0, length, step):
        where = range(start, min(length, start + step))
        noise = gaussians(coins, counter.grid, len(where) * width)
        yield slice(start, where.stop), noise, [counter.divisor(time) for time in where]


def one_by_one(counter: BufferedToeplitzCounter, values: Stream, coins: Coins) -> Vector:
    """For ints: the sums u_1 + … + u_t. Buffers written out are twice as fast as a loop of them."""
    rest = (0.0,) * (_BUFFERS - len(counter.buffers))
    t1, t2, t3, t4, t5, t6, t7 = counter.thetas + rest
    w1, w2, w3, w4, w5, w6, w7 = counter.weights + rest
    s1 = s2 = s3 = s4 = s5 = s6 = s7 = released = drift = 0.0
    found, unit, far = list[float](), counter.unit, counter.far
    for where, noise, divisors in _chunks(counter, values, coins):
        for x, j, q in zip(values[where], noise.tolist(), divisors, strict=True):
            m = 0.5 + w1 * s1 + w2 * s2 + w3 * s3 + w4 * s4 + w5 * s5 + w6 * s6 + w7 * s7
            slip = (j - m // 1.0 + q / 2) // q
            push = slip * q
            drift += push
            s1, s2, s3 = t1 * s1 + push, t2 * s2 + push, t3 * s3 + push
            s4, s5, s6, s7 = t4 * s4 + push, t5 * s5 + push, t6 * s6 + push, t7 * s7 + push
            if not -far < drift < far:
                drift += math.inf
                sums = s1, s2, s3, s4, s5, s6, s7
                s1, s2, s3, s4, s5, s6, s7 = _limited(sums, counter.farthest)
            released += x * unit + slip
            found.append(released)
    return np.array(found)


def _limited(buffers: tuple[float, ...], farthest: float) -> list[float]:
    return [clamped(own, farthest) for own in buffers]


def side_by_side(counter: BufferedToeplitzCounter, values: Stream, coins: Coins) -> Vector:
    """For arrays: all coordinates at once, in place."""
    values, width = np.asarray(values), counter.dimension or 1
    thetas, weights = (np.tile(each, (width, 1)).T.copy() for each in _pairs(counter))
    memory, scratch = np.zeros_like(weights), np.empty_like(weights)
    released, drift, slip, push = np.zeros((4, width))
    found, far, short = np.empty(values.shape), counter.far, width < _SHORT
    for where, noise, divisors in _chunks(counter, values, coins):
        exact = bool(np.einsum("i,i->", noise, noise) < DOUBLES**2)
        sums = found[where]
        sums[:] = values[where] * float(counter.unit)
        for own, j, q in zip(sums, noise.reshape(-1, width), divisors, strict=True):
            np.multiply(weights, memory, out=scratch)
            np.add.reduce(scratch, axis=0, out=slip, initial=0.5)
            np.floor(slip, out=slip)
            np.subtract(j, slip, out=slip)
            slip += q / 2
            if exact:
                slip /= q
                np.floor(slip, out=slip)
            else:
                np.floor_divide(slip, q, out=slip)
            np.multiply(slip, q, out=push)
            own += slip
            own += released
            released = own
            drift += push
            memory *= thetas
            memory += push
            if not ((short and drift @ drift < far * far) or max(drift.max(), -drift.min()) < far):
                drift += math.inf
                memory, exact = np.clip(memory, -counter.farthest, counter.farthest), False
    return found


def _pairs(counter: BufferedToeplitzCounter) -> Vector:
    """θ and ω of each buffer."""
    return np.array([counter.thetas, counter.weights])
