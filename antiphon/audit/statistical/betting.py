"""An anytime-valid test of (ε, δ)-DP: bets against the claim, at stakes chosen beforehand.

Sources: Ville 1939; Waudby-Smith and Ramdas 2024 (betting); González, Dulce Rubio,
Ramdas and Ribero 2025 (e-processes that audit privacy).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import attrs

from antiphon.audit.statistical.estimators import down, growth, up
from antiphon.numbers.errors import InvalidArgument


class Batch(NamedTuple):
    """Pairs of indicators (X, Y) of an event in both worlds, by how many of each kind."""

    both: int
    ahead: int
    """X = 1, Y = 0."""
    behind: int
    """X = 0, Y = 1."""
    neither: int


@attrs.define
class EProcess:
    """An anytime-valid test of "(ε, δ)-DP": reject once K >= 1/α, at any time.

    K_t = Π(1 + λ_i (X_i − e^ε Y_i − δ)) with X_i the indicator of an event under b and
    Y_i of the same event under 1−b. Under the claim each factor has mean at most 1 given
    all that came before, whatever event, inputs, adversary and stake were chosen from
    that; so by Ville's inequality K ever reaches 1/α with probability at most α.
    """

    epsilon: float
    delta: float
    log_wealth: float = 0.0
    pairs: int = 0

    def __attrs_post_init__(self) -> None:
        if not 0 <= self.delta < 1:
            raise InvalidArgument(f"delta must lie in [0, 1), not {self.delta!r}")
        growth(self.epsilon)

    @property
    def most(self) -> float:
        """What λ stays below, so that every factor is positive: at most 1/(e^ε + δ)."""
        return 1 / up(up(growth(self.epsilon) + self.delta))

    @property
    def gains(self) -> tuple[float, float, float, float]:
        """X − e^ε Y − δ of each kind of pair, rounded down."""
        rate = growth(self.epsilon)
        both, ahead, behind, neither = (1 - rate, 1.0, -rate, 0.0)
        return (both - self.delta, ahead - self.delta, behind - self.delta, neither - self.delta)

    def update(self, batch: Batch, *, stake: float) -> float:
        """Add a batch at λ = stake, chosen before it was drawn; the log of K.

        Raises: InvalidArgument unless 0 <= stake < 1/(e^ε + δ).
        """
        if not 0 <= stake < self.most:
            raise InvalidArgument(f"stake must lie in [0, {self.most}), not {stake!r}")
        for count, gain in zip(batch, self.gains, strict=True):
            if count:
                self.log_wealth = down(self.log_wealth + count * down(math.log1p(stake * gain)))
        self.pairs += sum(batch)
        return self.log_wealth

    def rejects(self, *, alpha: float) -> bool:
        """Whether the claim is refuted at level α."""
        return self.log_wealth >= -down(math.log(alpha))

    def best_stake(self, batch: Batch) -> float:
        """The λ that would have grown most on a batch: a choice for the *next* one."""
        low, high = 0.0, self.most * 0.999
        for _ in range(30):
            third = (high - low) / 3
            if self._growth_at(batch, low + third) < self._growth_at(batch, high - third):
                low += third
            else:
                high -= third
        return (low + high) / 2

    def _growth_at(self, batch: Batch, stake: float) -> float:
        return sum(n * math.log1p(stake * gain) for n, gain in zip(batch, self.gains, strict=True))
