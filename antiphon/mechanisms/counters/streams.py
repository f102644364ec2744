"""Whole streams at once: what the steps of a buffered Toeplitz counter do, in one loop."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from antiphon.mechanisms.counters.correlated import CorrelatedState
from antiphon.mechanisms.counters.factors.buffers import Vector
from antiphon.mechanisms.counters.factors.rows import (
    DOUBLES,
    Array,
    Row,
    Stream,
    clamped,
    gaussians,
)
from antiphon.protocol.coins import Coins

if TYPE_CHECKING:
    from antiphon.mechanisms.counters.buffered_toeplitz import BufferedToeplitzCounter

Round: TypeAlias = "tuple[Vector, Vector, float, bool]"
"""unit·x_t, J_t, q_t, and whether a quotient of doubles has the right floor."""

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
    found = np.empty(values.shape)

    def rounds() -> Iterator[Round]:
        for where, noise, divisors in _chunks(counter, values, coins):
            exact = bool(np.einsum("i,i->", noise, noise) < DOUBLES**2)
            sums = found[where]
            sums[:] = values[where] * float(counter.unit)
            for own, j, q in zip(sums, noise.reshape(-1, width), divisors, strict=True):
                yield own, j, q, exact

    for _ in _Rolling(counter, counter.initial_state).over(rounds()):
        pass
    return found


def rolled(
    counter: BufferedToeplitzCounter,
    state: CorrelatedState[Any],
    values: Array,
    coins: Coins,
    read: Callable[[Vector], None],
) -> CorrelatedState[Any]:
    """The state after some updates; ``read`` is given the count after each, before the next draw.

    So whoever reads may toss in between, as in a session.
    """
    width, first = counter.dimension or 1, state.updates

    def rounds() -> Iterator[Round]:
        for time, own in enumerate(values * float(counter.unit), first):
            noise = gaussians(coins, counter.grid, width)
            yield own, noise, counter.divisor(time), bool(noise @ noise < DOUBLES**2)

    rolling, per_unit = _Rolling(counter, state), 1 / counter.unit
    for released in rolling.over(rounds()):
        read(released * per_unit)
    return rolling.state(first + len(values))


class _Rolling:
    """The state of a counter of arrays, changed in place."""

    def __init__(self, counter: BufferedToeplitzCounter, state: CorrelatedState[Any]) -> None:
        self._counter, width = counter, counter.dimension or 1
        self._memory = np.array(state.memory, float)
        self._released, self._drift = (
            np.array(np.broadcast_to(np.asarray(each, float), width))
            for each in (state.released, state.drift)
        )

    def state(self, updates: int) -> CorrelatedState[Any]:
        """As a step leaves it; nothing may roll on after it."""
        values = (self._released, self._drift, self._memory)
        return CorrelatedState(updates, *(each.view(Row) for each in values))

    def over(self, rounds: Iterable[Round]) -> Iterator[Vector]:
        """The sums u_1 + … + u_t after each round, into the array that came with it."""
        counter, memory, drift = self._counter, self._memory, self._drift
        width = len(drift)
        thetas, weights = (np.tile(each, (width, 1)).T.copy() for each in _pairs(counter))
        scratch, (slip, push) = np.empty_like(weights), np.zeros((2, width))
        far, short, near = counter.far, width < _SHORT, True
        for own, j, q, exact in rounds:
            np.multiply(weights, memory, out=scratch)
            np.add.reduce(scratch, axis=0, out=slip, initial=0.5)
            np.floor(slip, out=slip)
            np.subtract(j, slip, out=slip)
            slip += q / 2
            if exact and near:
                slip /= q
                np.floor(slip, out=slip)
            else:
                np.floor_divide(slip, q, out=slip)
            np.multiply(slip, q, out=push)
            own += slip
            own += self._released
            self._released = own
            drift += push
            memory *= thetas
            memory += push
            if not ((short and drift @ drift < far * far) or max(drift.max(), -drift.min()) < far):
                drift += math.inf
                np.clip(memory, -counter.farthest, counter.farthest, out=memory)
                near = False
            yield own


def _pairs(counter: BufferedToeplitzCounter) -> Vector:
    """θ and ω of each buffer."""
    return np.array([counter.thetas, counter.weights])
