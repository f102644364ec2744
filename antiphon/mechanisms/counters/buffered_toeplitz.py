"""The buffered linear Toeplitz counter (Dvijotham, McMahan, Pillutla, Steinke, Thakurta 2024)."""

from __future__ import annotations

from typing import ClassVar, TypeAlias, Union

import attrs
import numpy as np

from antiphon.mechanisms import fields
from antiphon.mechanisms.counters.correlated import FAR, MORE, CorrelatedCounter, CorrelatedState
from antiphon.mechanisms.counters.factors.blt_parameters import PARAMETERS
from antiphon.mechanisms.counters.factors.buffers import Buffers, Vector
from antiphon.mechanisms.counters.factors.rows import Amount, Array, Row, Stream, clamped
from antiphon.mechanisms.counters.streams import Rolling, one_by_one, side_by_side
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.registry import register

Fading: TypeAlias = Union[tuple[float, ...], Array]
"""The buffers: a number each, or a row of an array."""


@register("antiphon.BufferedToeplitzCounter/1")
@column_safe
@attrs.frozen(kw_only=True, repr=False)
class BufferedToeplitzCounter(CorrelatedCounter[Fading]):
    """Noise that is nearly that of the square root of A, from three to seven numbers.

    c_k = Σ ω_i θ_i^(k-1): Σ_{k>=1} c_k p_{t-k} = Σ ω_i s_i with the *buffers*
    s_i ← θ_i s_i + p_t. Poles and zeros by the horizon, from a table; its max squared error
    is within 1 % of the square root's. With ``normalised`` it is within 8 % of the lower
    bound for all factorisations at 2^20 (7.2 %), which the square root misses by 15 %.

    State: the buffers and two numbers for each coordinate. O(buffers) work an update.
    Privacy: ρ-zCDP w.r.t. ``verification``, against adaptive adversaries (see
    ``correlated``); proved, answers are multiples of 1/unit with integer noise.
    Source: Dvijotham et al. 2024, *Efficient and Near-Optimal Noise Generation for
    Streaming Differential Privacy*; columns: McMahan and Pillutla 2025.

    >>> counter = BufferedToeplitzCounter(horizon=256, rho=10**9).start(seed=1)
    >>> counter.send(1), counter.send(1), round(counter.send("count"), 3)
    (TOP, TOP, 2.0)
    """

    _source: ClassVar[str] = "Dvijotham et al. 2024"
    buffers: Buffers = attrs.field(init=False, eq=False)
    """The poles and zeros of C."""
    thetas: tuple[float, ...] = attrs.field(init=False, eq=False)
    """How each buffer fades."""
    weights: tuple[float, ...] = attrs.field(init=False, eq=False)
    """What each buffer adds to the coefficients of C."""

    def _prepare(self) -> None:
        power = max(min(PARAMETERS), (self.horizon - 1).bit_length())
        if power not in PARAMETERS:
            raise InvalidArgument(
                f"buffers are tabled for horizons up to 2^{max(PARAMETERS)}; use an "
                "UnboundedCounter, or a tree"
            )
        buffers = Buffers(*zip(*PARAMETERS[power], strict=True))
        thetas = tuple(1.0 - gap for gap in buffers.poles)
        weights = tuple(buffers.weights.tolist())
        fields.set_derived(self, buffers=buffers, thetas=thetas, weights=weights)
        CorrelatedCounter._prepare(self)

    @property
    def initial_state(self) -> CorrelatedState[Fading]:
        if self.dimension is None:
            return CorrelatedState(0, 0.0, 0.0, (0.0,) * len(self.buffers))
        return CorrelatedState(0, 0.0, 0.0, np.zeros((len(self.buffers), self.dimension)).view(Row))

    @property
    def state_size(self) -> int:
        return len(self.buffers) + 2

    def _norms(self, lengths: Vector) -> Vector:
        return np.sqrt(self.buffers.squared_norms(lengths))

    def _group_norm(self, events: int) -> float:
        return self.buffers.squared_norm(self.horizon, events)

    def _feedback_error(self) -> float:
        """Two roundings a step, each by 2^-53 of at most 2·FAR·R, fade as θ; then the sum's.

        |s_i| <= 2·max |Σ p|, by summing by parts, so within 2·FAR·R while the drift is
        within FAR·R, and by the limit after that; a margin of 2^-20 covers the rest.
        """
        size = 2 * FAR * self.resolution * 2.0**-53 * MORE
        ages = np.minimum(1 / np.array(self.buffers.poles), self.horizon)
        steps = 2 * ages + len(self.buffers) + 1
        return float(size * (self.buffers.weights @ steps))

    # Of ints, without a dimension; ``Rolling`` does the same with arrays.

    def feedback(self, memory: Fading) -> Amount:
        total = 0.5
        for weight, buffer in zip(self.weights, memory):  # noqa: B905
            total = total + weight * buffer
        return total

    def remember(self, memory: Fading, push: Amount) -> Fading:
        return tuple([theta * own + push for theta, own in zip(self.thetas, memory)])  # noqa: B905

    def limited(self, memory: Fading) -> Fading:
        return tuple([clamped(own, self.farthest) for own in memory])

    def _squared_rows(self, length: int) -> tuple[float, float]:
        return self.buffers.squared_row(length), self.buffers.mean_squared_row(length)

    def inverse(self) -> tuple[Vector, Vector]:
        return self.buffers.inverse_weights, np.array(self.buffers.zeros)

    # --- all coordinates at once, in place -----------------------------------------------------

    def _update(
        self, state: CorrelatedState[Fading], x: Amount, coins: Coins
    ) -> CorrelatedState[Fading]:
        if not isinstance(x, np.ndarray):
            return CorrelatedCounter._update(self, state, x, coins)
        rolling = Rolling(self, state)
        rolling.count(x, coins)
        return rolling.state()

    # --- a whole stream --------------------------------------------------------------------------

    def _counts(self, values: Stream, coins: Coins) -> Array:
        noisy = one_by_one if self.dimension is None else side_by_side
        return noisy(self, values, coins) / self.unit
