"""Learners that throw a dart, and throw again only where the board has shrunk. One not private."""

from __future__ import annotations

from abc import abstractmethod

import attrs
import numpy as np

from antiphon.mechanisms.learners.experts.hedge import Unprotected
from antiphon.mechanisms.learners.experts.weighted import Holding, Weighted, times
from antiphon.mechanisms.learners.learner import Losses
from antiphon.numbers.exact import ExactEpsilon
from antiphon.protocol.coins import Coins
from antiphon.protocol.registry import register


@attrs.frozen(kw_only=True)
class Dartboard(Weighted):
    """Follows one expert x for batches of ``period`` rounds. Abstract.

    After a batch in which it lost L_b(x), it stays with x with probability e^(-``exponent``(L_b)),
    and else draws anew by weight. If that probability is a constant times e^(-ηL_b(x)), the ratio
    of the new weight of x and the old one, the law of x stays ∝ weight: against losses that do
    not depend on what is shown, x has the marginal law of ``Hedge``.
    """

    @abstractmethod
    def exponent(self, loss: int) -> ExactEpsilon:
        """Minus the logarithm of the probability to stay, after a batch with so much loss."""

    @property
    def budget(self) -> int | None:
        """How often it may draw anew: after that it stays. None: as often as it comes to it."""
        return None

    def _learn(self, state: Holding, loss: Losses, coins: Coins) -> Holding:
        _, expert = self._advise(state, coins)
        rounds, scores = state.rounds + 1, state.scores - loss
        batch = state.batch + int(loss[expert])
        if rounds % self.period or rounds == self.horizon:
            return Holding(rounds, scores, expert, batch, state.drawn)
        if self._stays(batch, state.drawn, coins):
            return Holding(rounds, scores, expert, 0, state.drawn)
        return Holding(rounds, scores, self._drawn(scores, coins), 0, self._counted(state.drawn))

    def _stays(self, batch: int, drawn: int, coins: Coins) -> bool:
        return drawn == self.budget or coins.bernoulli_exp(self.exponent(batch))

    def _counted(self, drawn: int) -> int:
        return drawn if self.budget is None else drawn + 1

    def _follow(self, state: Holding, losses: Losses, coins: Coins) -> tuple[Holding, Losses]:
        # The scores are needed where it draws anew only: the sums of what came since.
        (rounds, scores, _, batch, drawn), (_, expert) = state, self._advise(state, coins)
        shown, since, period = np.empty(len(losses), np.int64), 0, self.period
        for place, loss in enumerate(losses):
            shown[place], batch, rounds = expert, batch + int(loss[expert]), rounds + 1
            if rounds % period or rounds == self.horizon:
                continue
            if not self._stays(batch, drawn, coins):
                scores, since = scores - losses[since : place + 1].sum(axis=0), place + 1
                expert, drawn = self._drawn(scores, coins), self._counted(drawn)
            batch = 0
        return Holding(rounds, scores - losses[since:].sum(axis=0), expert, batch, drawn), shown


@register("antiphon.ShrinkingDartboard/1")
@attrs.frozen(kw_only=True)
class ShrinkingDartboard(Dartboard, Unprotected):
    """After each loss ℓ(x) of the expert x that it follows it stays with probability e^(-ηℓ(x)).

    Expected regret as that of ``Hedge``, against losses that do not depend on what is shown, with
    O(√(T ln d)) switches.
    Privacy: none is claimed: that it switched tells that x had a loss.
    Source: Geulen, Vöcking and Winkler 2010, with e^(-ηℓ) for (1-η)^ℓ.
    """

    def exponent(self, loss: int) -> ExactEpsilon:
        return times(self.unit, loss)
