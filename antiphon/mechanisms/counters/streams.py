"""Whole streams at once: what the steps of a buffered Toeplitz counter do, in one loop."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from antiphon.mechanisms.counters.buffers import Vector
from antiphon.mechanisms.counters.rows import gaussians
from antiphon.protocol.coins import Coins

if TYPE_CHECKING:
    from antiphon.mechanisms.counters.buffered_toeplitz import BufferedToeplitzCounter

_BUFFERS: Final = 7
"""The most buffers in the table."""
_CHUNK: Final = 1 << 16
_DOUBLES: Final = 2.0**50
"""Below it, the floor of a rounded quotient of whole numbers is that of the true one."""


def _chunks(counter: BufferedToeplitzCounter, length: int, coins: Coins) -> Iterator[Any]:
    """Noise and divisors, some thousand numbers at a time: (start, end, noise, divisors)."""
    step = max(1, _CHUNK // (counter.dimension or 1))
    for start in range(0, length, step):
        end = min(length, start + step)
        noise = gaussians(coins, counter.grid, (end - start) * (counter.dimension or 1))
        yield start, end, noise, [counter.divisor(time) for time in range(start, end)]


def one_by_one(counter: BufferedToeplitzCounter, updates: Any, coins: Coins) -> Vector:
    """For ints: the sums u_1 + … + u_t. Buffers written out are twice as fast as a loop of them."""
    rest = (0.0,) * (_BUFFERS - len(counter.buffers))
    t1, t2, t3, t4, t5, t6, t7 = counter.thetas + rest
    w1, w2, w3, w4, w5, w6, w7 = counter.weights + rest
    s1 = s2 = s3 = s4 = s5 = s6 = s7 = released = drift = 0.0
    found, unit, far = list[float](), counter.unit, counter.far
    for start, end, noise, divisors in _chunks(counter, len(updates), coins):
        for x, j, q in zip(updates[start:end], noise.tolist(), divisors, strict=True):
            m = w1 * s1 + w2 * s2 + w3 * s3 + w4 * s4 + w5 * s5 + w6 * s6 + w7 * s7
            slip = (j - (m + 0.5) // 1.0 + q / 2) // q
            push = slip * q
            drift += push
            s1, s2, s3 = t1 * s1 + push, t2 * s2 + push, t3 * s3 + push
            s4, s5, s6, s7 = t4 * s4 + push, t5 * s5 + push, t6 * s6 + push, t7 * s7 + push
            if not -far < drift < far:
                drift += math.inf
                s1, s2, s3, s4, s5, s6, s7 = counter.limited((s1, s2, s3, s4, s5, s6, s7))
            released += x * unit + slip
            found.append(released)
    return np.array(found)


def side_by_side(counter: BufferedToeplitzCounter, updates: Any, coins: Coins) -> Vector:
    """For arrays: all coordinates at once, in place."""
    updates = np.array(updates)
    width = updates.shape[1]
    thetas, weights = np.array(counter.thetas)[:, None], np.array(counter.weights)[:, None]
    memory, scratch = np.zeros((2, len(counter.buffers), width))
    released, drift, steps = np.zeros((3, width))
    found = np.empty(updates.shape)
    for start, end, noise, divisors in _chunks(counter, len(updates), coins):
        exact = max(noise.max(), -noise.min()) < _DOUBLES
        for time, j, q in zip(range(start, end), noise.reshape(-1, width), divisors, strict=True):
            np.multiply(weights, memory, out=scratch)
            np.add.reduce(scratch, axis=0, out=steps)
            steps += 0.5
            np.floor(steps, out=steps)
            np.subtract(j, steps, out=steps)
            steps += q / 2
            slip = np.floor(steps / q) if exact else steps // q
            push = slip * q
            drift += push
            memory *= thetas
            memory += push
            if not max(drift.max(), -drift.min()) < counter.far:
                drift += math.inf
                memory, exact = np.clip(memory, -counter.farthest, counter.farthest), False
            slip += updates[time] * counter.unit
            released += slip
            found[time] = released
    return found
