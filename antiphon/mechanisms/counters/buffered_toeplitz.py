"""The buffered linear Toeplitz counter (Dvijotham, McMahan, Pillutla, Steinke, Thakurta 2024)."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, Final, TypeAlias, Union

import attrs
import numpy as np

from antiphon.mechanisms import fields
from antiphon.mechanisms.counters.correlated import FAR, MORE, CorrelatedCounter, CorrelatedState
from antiphon.mechanisms.counters.factors import rows
from antiphon.mechanisms.counters.factors.blt_parameters import PARAMETERS, WINDOWS
from antiphon.mechanisms.counters.factors.buffers import Buffers, Vector
from antiphon.mechanisms.counters.tails import checked_decay
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol import Coins, column_safe, register, set_derived

Numbers: TypeAlias = tuple[float, ...]

_BUFFERS: Final = 7
"""The largest number of buffers that a counter has."""
_CHUNK: Final = 1 << 16


def _chunks(
    counter: Buffered, values: rows.Stream, coins: Coins
) -> Iterator[tuple[slice, Vector, list[float]]]:
    """Yield for each chunk of a stream: the slice of ``values`` that it covers, the noise drawn for
    its updates, and the divisor of the noise at each update."""
    width, length = counter.dimension or 1, len(values)
    step = max(1, _CHUNK // width)
    for start in range(0, length, step):
        where = range(start, min(length, start + step))
        noise = rows.gaussians(coins, counter.grid, len(where) * width)
        yield slice(start, where.stop), noise, [counter.divisor(time) for time in where]


def one_by_one(counter: Buffered, values: rows.Stream, coins: Coins) -> Vector:
    """The noisy sum after each update of a counter of ints, in units of 1/``counter.unit``. The
    buffers are seven separate variables, which is twice as fast as a loop."""
    rest = (0.0,) * (_BUFFERS - len(counter.buffers))
    t1, t2, t3, t4, t5, t6, t7 = counter.thetas + rest
    keep = counter.keep
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
                s1, s2, s3, s4, s5, s6, s7 = counter.limited(sums)
            released = released * keep + (x * unit + slip)
            found.append(released)
    return np.array(found)


def side_by_side(counter: Buffered, values: rows.Stream, coins: Coins) -> Vector:
    """The noisy sum after each update of a counter of arrays, all coordinates at once."""
    values, width = np.asarray(values), counter.dimension or 1
    found, rolling = np.empty(values.shape), Rolling(counter, counter.initial_state)
    for where, noise, divisors in _chunks(counter, values, coins):
        sums = found[where]
        sums[:] = values[where] * float(counter.unit)
        for own, j, q in zip(sums, noise.reshape(-1, width), divisors, strict=True):
            rolling.push(own, j, q)
    return found


class Rolling:
    """A mutable copy of the state of a counter of arrays, to which updates (arrays) are added in
    place."""

    __slots__ = (
        "_counter", "_drift", "_memory", "_near", "_push", "_released", "_scratch", "_slip",
        "_thetas", "_weights", "updates",
    )  # fmt: skip

    def __init__(self, counter: WithBuffers, state: CorrelatedState[Any]) -> None:
        width = counter.dimension or 1
        self._counter, self.updates = counter, state.updates
        self._memory = np.array(state.memory, float)
        self._released, self._drift = (
            np.array(np.broadcast_to(each, width), float) for each in state[1:3]
        )
        self._thetas, self._weights = _spread(counter.thetas, counter.weights, width)
        self._scratch = np.empty_like(self._memory)
        self._slip, self._push = np.empty((2, width))
        self._near = math.isfinite(self._drift[0])

    def state(self) -> CorrelatedState[Any]:
        """The counter's state after the updates so far. It shares the arrays of this object, so no
        update may be added after this call."""
        values = (self._released, self._drift, self._memory)
        return CorrelatedState(self.updates, *(each.view(rows.Row) for each in values))

    def count(self, x: rows.Array, coins: Coins) -> None:
        """Add one update x, with fresh noise."""
        counter = self._counter
        noise = rows.gaussians(coins, counter.grid, len(x)).view(np.ndarray)
        self.push(x * float(counter.unit), noise, counter.divisor(self.updates))

    def sums(self) -> Vector:
        """The noisy sum of the updates so far, for each coordinate: the answer to ``COUNT``."""
        found: Vector = self._released * (1 / self._counter.unit)
        return found

    def push(self, own: Vector, noise: Vector, q: float) -> None:
        """Add one update in place. ``own`` is the update times ``unit``, and is overwritten by its
        noisy value; ``noise`` is its fresh noise, and ``q`` the divisor of this noise."""
        memory, scratch, slip, push = self._memory, self._scratch, self._slip, self._push
        drift, far = self._drift, self._counter.far
        np.multiply(self._weights, memory, out=scratch)
        np.add.reduce(scratch, axis=0, out=slip, initial=0.5)
        np.floor(slip, out=slip)
        np.subtract(noise, slip, out=slip)
        slip += q / 2
        if self._near and rows.all_below(
            noise, rows.DOUBLES
        ):  # Of numbers so small the floor of a rounded quotient is exact.
            slip /= q
            np.floor(slip, out=slip)
        else:
            np.floor_divide(slip, q, out=slip)
        np.multiply(slip, q, out=push)
        own += slip
        keep = self._counter.keep
        own += self._released if keep == 1 else self._released * keep
        self._released = own
        drift += push
        memory *= self._thetas
        memory += push
        if not rows.all_below(drift, far):
            drift += math.inf
            np.clip(memory, -self._counter.farthest, self._counter.farthest, out=memory)
            self._near = False
        self.updates += 1


@lru_cache(maxsize=8)
def _spread(thetas: Numbers, weights: Numbers, width: int) -> tuple[Vector, Vector]:
    """The decay factors θ_i and the weights ω_i of the buffers, as two arrays with a row for each
    buffer: ``width`` equal entries, or a single one if ``width`` is large, which is faster."""
    copies = width if width < rows.SHORT else 1
    spread = np.array([thetas, weights])[:, :, None].repeat(copies, axis=2)
    return spread[0], spread[1]


Fading: TypeAlias = Union[tuple[float, ...], rows.Array]
"""The type of a counter's buffers: a tuple of numbers, or an array with a row for each buffer."""


@attrs.frozen(kw_only=True, repr=False)
class WithBuffers(CorrelatedCounter[Fading]):
    """A correlated counter that keeps its earlier noise in a few buffers s_i; the noise p_t of a
    step changes each to θ_i s_i + p_t. Abstract."""

    thetas: tuple[float, ...] = attrs.field(init=False, eq=False)
    """The decay factor θ_i of each buffer."""
    weights: tuple[float, ...] = attrs.field(init=False, eq=False)
    """The weight ω_i of each buffer in the noise Σ ω_i s_i that is fed back."""

    @property
    def initial_state(self) -> CorrelatedState[Fading]:
        if self.dimension is None:
            return CorrelatedState(0, 0.0, 0.0, (0.0,) * len(self.thetas))
        return CorrelatedState(
            0, 0.0, 0.0, np.zeros((len(self.thetas), self.dimension)).view(rows.Row)
        )

    @property
    def state_size(self) -> int:
        return len(self.thetas) + 2

    # The methods ``feedback``, ``remember`` and ``limited`` are for counters of ints; counters of
    # arrays add updates by the class ``Rolling``.

    def feedback(self, memory: Fading) -> rows.Amount:
        total = 0.5
        for weight, buffer in zip(self.weights, memory):  # noqa: B905
            total = total + weight * buffer
        return total

    def remember(self, memory: Fading, push: rows.Amount) -> Fading:
        return tuple([theta * own + push for theta, own in zip(self.thetas, memory)])  # noqa: B905

    def limited(self, memory: Fading) -> tuple[float, ...]:
        return tuple([rows.clamped(own, self.farthest) for own in memory])

    def _update(
        self, state: CorrelatedState[Fading], x: rows.Amount, coins: Coins
    ) -> CorrelatedState[Fading]:
        if not isinstance(x, np.ndarray):
            return self.stepped(state, x, coins)
        rolling = Rolling(self, state)
        rolling.count(x, coins)
        return rolling.state()


@attrs.frozen(kw_only=True, repr=False)
class Buffered(WithBuffers):
    """A correlated counter whose factor is C(x) = Π(1 - λ_i x)/Π(1 - θ_i x), with a buffer for each
    pole θ_i. Abstract."""

    _source: ClassVar[str] = "Dvijotham et al. 2024"
    buffers: Buffers = attrs.field(init=False, eq=False)
    """The poles θ_i and zeros λ_i of the generating function of C."""

    @abstractmethod
    def _chosen(self) -> Buffers:
        """The poles θ_i and zeros λ_i for the parameters. Raises: InvalidArgument past the longest
        tabled horizon."""

    def _factorise(self) -> None:
        buffers = self._chosen()
        thetas = tuple(1.0 - gap for gap in buffers.poles)
        weights = tuple(buffers.weights.tolist())
        set_derived(self, buffers=buffers, thetas=thetas, weights=weights)

    def _norms(self, lengths: Vector) -> Vector:
        return np.sqrt(self.buffers.squared_norms(lengths))

    def _group_norm(self, events: int, length: int) -> float:
        return self.buffers.squared_norm(length, events)

    def _feedback_error(self) -> float:
        """A bound, in grid steps, on the rounding error of ``feedback``: a step rounds each buffer
        twice, which decays by its factor θ_i, and rounds their weighted sum.

        |s_i| <= 2·max |Σ p|, by summing by parts, so within 2·FAR·R while the drift is
        within FAR·R, and by the limit after that; a margin of 2^-20 covers the rest.
        """
        size = 2 * FAR * self.resolution * 2.0**-53 * MORE
        ages = np.minimum(1 / np.array(self.buffers.poles), self.horizon)
        steps = 2 * ages + len(self.buffers) + 1
        return float(size * (self.buffers.weights @ steps))

    def _squared_row(self, length: int, since: int = 0) -> float:
        return self.buffers.squared_row(length, since)

    def _mean_squared_row(self, length: int) -> float:
        return self.buffers.mean_squared_row(length)

    def inverse(self) -> tuple[Vector, Vector]:
        return self.buffers.inverse_weights, np.array(self.buffers.zeros)

    def _counts(self, values: rows.Stream, coins: Coins) -> rows.Array:
        noisy = one_by_one if self.dimension is None else side_by_side
        return noisy(self, values, coins) / self.unit


def for_totals(horizon: int) -> Buffers:
    """The buffers for counts up to a horizon. Raises: InvalidArgument past the longest horizon of
    the table."""
    power = max(min(PARAMETERS), (horizon - 1).bit_length())
    if power not in PARAMETERS:
        raise InvalidArgument(
            f"buffers are tabled for horizons up to 2^{max(PARAMETERS)}; use an "
            "UnboundedCounter, or a tree"
        )
    return _paired(PARAMETERS[power])


def for_windows(horizon: int, window: int) -> Buffers:
    """The tabled buffers with the least error of a sum of the last ``window`` updates. Raises:
    InvalidArgument past the longest window."""
    if window > max(WINDOWS):
        raise InvalidArgument(
            f"buffers are tabled for windows up to {max(WINDOWS):,}; leave window out, and take "
            "differences of a counter of totals"
        )
    near = (each for each in WINDOWS if window <= 2 * each <= 4 * window)
    return min(
        (_paired(WINDOWS[each]) for each in near),
        key=lambda each: each.squared_norm(horizon) * each.squared_row(horizon, horizon - window),
    )


@lru_cache(maxsize=64)
def for_decay(horizon: int, decay: Fraction) -> Buffers:
    """The buffers for sums that decay by λ = ``decay`` a step. They are those entries of the table,
    with each pole and zero multiplied by λ, that have the least error."""
    loss, left = float(1 - decay), float(decay)
    every = (_paired([loss + left * gap for gap in gaps], loss) for gaps in PARAMETERS.values())
    return min(every, key=lambda each: each.squared_norm(horizon) * each.squared_row(horizon))


def _paired(gaps: Sequence[float], loss: float = 0.0) -> Buffers:
    return Buffers(gaps[0::2], gaps[1::2], loss)


@register("antiphon.BufferedToeplitzCounter/1")
@column_safe
@attrs.frozen(kw_only=True, repr=False)
class BufferedToeplitzCounter(Buffered):
    """A counter with nearly the noise of the square-root factorisation, which keeps earlier noise
    in three to seven numbers, the buffers.

    C has coefficients c_k = Σ ω_i θ_i^(k-1), so the feedback Σ_{k>=1} c_k p_{t-k} is Σ ω_i s_i with
    the *buffers* s_i ← θ_i s_i + p_t. Poles and zeros are from a table, by the horizon; the max
    squared error is within 1 % of the square root's. With ``normalised`` it is within 8 % of the
    lower bound for all factorisations at 2^20 (7.2 %), which the square root misses by 15 %.

    ``window``: the number W of updates whose sums are wanted, as ``Window(W) @ counter`` gives
    them. The buffers are then the best for differences of counts W apart: the standard deviation
    of a sum is within 11 % of the least there is, and does not grow with the horizon. The counts
    themselves drift.

    State: the buffers and two numbers for each coordinate. O(buffers) work an update.
    Privacy: ρ-zCDP w.r.t. ``verification``, against adaptive adversaries (see
    ``correlated``); proved, answers are multiples of 1/unit with integer noise.
    Source: Dvijotham et al. 2024, *Efficient and Near-Optimal Noise Generation for
    Streaming Differential Privacy*; columns: McMahan and Pillutla 2025.

    >>> counter = BufferedToeplitzCounter(horizon=256, rho=10**9).start(seed=1)
    >>> counter.send(1), counter.send(1), round(counter.send("count"), 3)
    (TOP, TOP, 2.0)
    """

    window: int | None = attrs.field(
        default=None, converter=attrs.converters.optional(fields.size), metadata=fields.STREAM
    )

    def _chosen(self) -> Buffers:
        if self.window is None or self.window >= self.horizon:
            return for_totals(self.horizon)
        if self.normalised:
            raise InvalidArgument("normalised columns serve totals: leave it out with window=…")
        return for_windows(self.horizon, self.window)


@register("antiphon.DecayedCounter/1")
@column_safe
@attrs.frozen(kw_only=True, repr=False)
class DecayedCounter(Buffered):
    """A counter whose sums forget: an update counts ``decay`` times as much after each later one.

    ``COUNT`` is answered by Σ decay^(t-s)·x_s. An update's weight is halved after about
    0.69/(1 - decay) later ones. The buffers are those of a counter of totals with θ·decay for each
    pole and zero θ: the largest standard deviation is within 0.3 % of the least there is, if
    0.9 <= decay <= 0.9999, and does not grow with the horizon.

    State: the buffers and two numbers for each coordinate. O(buffers) work an update.
    Privacy: ρ-zCDP w.r.t. ``verification``, against adaptive adversaries (see ``correlated``);
    proved. Answers are floats: a sum of what is released, in doubles, which is post-processing.
    Source: docs/windows.md.

    >>> counter = DecayedCounter(horizon=256, rho=10**9, decay=0.5).start(seed=1)
    >>> counter.send(1), counter.send(1), round(counter.send("count"), 3)
    (TOP, TOP, 1.5)
    """

    decay: Fraction = attrs.field(converter=checked_decay)

    def _chosen(self) -> Buffers:
        if self.normalised:
            raise InvalidArgument("normalised columns serve totals: leave it out of DecayedCounter")
        set_derived(self, keep=float(self.decay))
        return for_decay(self.horizon, self.decay)
