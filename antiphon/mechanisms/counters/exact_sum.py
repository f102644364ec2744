"""The sum itself, to compare with."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import attrs

from antiphon.mechanisms.counters.counter import Counter
from antiphon.mechanisms.counters.factors.rows import Amount, integers
from antiphon.protocol.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.registry import register


@register("antiphon.ExactState/1", state=True)
class ExactState(NamedTuple):
    """How many updates have come, and their sum."""

    updates: int
    total: Amount


@register("antiphon.ExactSum/1")
@column_safe
@attrs.frozen(kw_only=True, repr=False)
class ExactSum(Counter[ExactState]):
    """A counter without noise: what stands on its left is then not private.

    Privacy: none is claimed, so no verifier lets it be created.

    >>> counter = ExactSum(horizon=8).start()
    >>> counter.send(1), counter.send(1), counter.send("count")
    (TOP, TOP, 2)
    """

    norm: ClassVar[int] = 2
    private: ClassVar[bool] = False
    """Whether it claims anything."""

    @property
    def initial_state(self) -> ExactState:
        return ExactState(0, 0)

    def _update(self, state: ExactState, x: Amount, coins: Coins) -> ExactState:
        return ExactState(state.updates + 1, state.total + x)

    def _count(self, state: ExactState, coins: Coins) -> tuple[ExactState, Amount]:
        if self.dimension is None:
            return state, state.total
        return state, integers(state.total, self.dimension)

    # --- errors ------------------------------------------------------------------------------

    @property
    def state_size(self) -> int:
        return 1

    def squared_error(self, updates: int) -> float:
        self._time(updates)
        return 0.0

    @property
    def max_squared_error(self) -> float:
        return 0.0

    @property
    def mean_squared_error(self) -> float:
        return 0.0

    def _tail(self, updates: int, beta: float) -> float:
        return 0.0
