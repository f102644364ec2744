"""Multiplicative weights over experts, or Hedge. Not private."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import ClassVar, Self

import attrs

from antiphon.mechanisms.learners.experts.weighted import Holding, Weighted
from antiphon.mechanisms.learners.learner import Losses
from antiphon.mechanisms.learners.searching import short
from antiphon.numbers import exact
from antiphon.protocol.coins import Coins
from antiphon.protocol.registry import register


@attrs.frozen(kw_only=True)
class Unprotected(Weighted):
    """Learns of every loss at the rate that is best for it, and claims nothing. Abstract."""

    private: ClassVar[bool] = False

    @classmethod
    def tuned(cls, *, horizon: int, experts: int, grid: int = 1) -> Self:
        """With the rate √(8 ln d/T), the best for the bound."""
        return cls(horizon=horizon, experts=experts, grid=grid, rate=best_rate(horizon, experts))

    @property
    def period(self) -> int:
        return 1


@register("antiphon.Hedge/1")
@attrs.frozen(kw_only=True)
class Hedge(Unprotected):
    """After each loss, the expert to follow is drawn anew, x ∝ e^(-η·(sum of its losses)).

    Expected regret: at most ln d/η + ηT/8, and so √(T ln d/2) when ``tuned``.
    Privacy: none is claimed, so no verifier lets it be created.
    Source: Littlestone and Warmuth 1994; Freund and Schapire 1997; the constant: Cesa-Bianchi and
    Lugosi 2006, Thm 2.2.

    >>> import numpy as np
    >>> session = Hedge(horizon=9, experts=2, rate=100).start(seed=1)
    >>> session.send(np.array([1, 0])), session.send("advice")
    (TOP, 1)
    """

    def _learn(self, state: Holding, loss: Losses, coins: Coins) -> Holding:
        scores = state.scores - loss
        return Holding(state.rounds + 1, scores, self._drawn(scores, coins))


def best_rate(horizon: int, experts: int) -> Fraction:
    """√(8 ln d/T), to twenty bits: ln d/η + ηT/8 is least there. Raises: InvalidArgument."""
    rounds, several = exact.whole(horizon, "horizon"), max(exact.whole(experts, "experts"), 2)
    return short(math.sqrt(8 * math.log(several) / rounds))
