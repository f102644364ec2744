"""Regret against the best fixed expert, and its expectation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from antiphon.mechanisms.learners.experts.weighted import ByWeight
from antiphon.mechanisms.learners.games.meters import Figures, Meter, Scored
from antiphon.mechanisms.learners.learner import Losses
from antiphon.mechanisms.learners.online import OnlineLearner
from antiphon.mechanisms.learners.regret import BestInTurn


class ExpertMeter(Meter):
    """Of losses of experts, in units of the largest; expected regret of a learner by weights."""

    def __init__(
        self,
        times: tuple[int, ...],
        experts: int,
        grid: int,
        learner: OnlineLearner | None,
        shifts: int | None,
    ) -> None:
        super().__init__(times)
        self._grid, self._learner = grid, learner
        self._sums = np.zeros(experts, np.int64)
        self._waiting: Losses = np.empty((0, experts), np.int64)
        self._scores: Losses | None = None
        self._expected = list[Figures]()
        self._turns = None if shifts is None else BestInTurn(shifts, experts)
        self._in_turn = list[Losses]()

    def add(self, losses: Losses, shown: NDArray[np.int64]) -> None:
        super().add(losses, shown)
        if self._turns is not None:
            self._in_turn.append(self._turns.after(losses))
        if isinstance(self._learner, ByWeight):
            self._expect(self._learner, losses)

    def _lost(self, losses: Losses, shown: NDArray[np.int64]) -> Losses:
        return losses[np.arange(len(losses)), shown]

    def _note(self, losses: Losses) -> None:
        self._sums = self._sums + losses.sum(axis=0)

    def _least(self) -> int:
        return int(self._sums.min())

    def _expect(self, learner: ByWeight[Any], losses: Losses) -> None:
        """Expected losses of whole periods; the rest waits, unless it is the end."""
        waiting = np.concatenate([self._waiting, losses])
        whole = len(waiting) // learner.period * learner.period
        ready = waiting if self._rounds == self._times[-1] else waiting[:whole]
        if len(ready):
            first = np.asarray(learner.initial_scores)
            scores = first if self._scores is None else self._scores
            self._expected.append(learner.expected_losses(scores, ready))
            self._scores = learner.scored(scores, ready)[-1]
        self._waiting = waiting[len(ready) :]

    def scored(self) -> Scored:
        expected = self._beyond(self._expected) / self._grid if self._expected else None
        return Scored(self._beyond(self._own) / self._grid, expected, shifting=self._shifting())

    def _shifting(self) -> Figures | None:
        if not self._in_turn:
            return None
        best = np.concatenate(self._in_turn)[np.array(self._times) - 1]
        found: Figures = (self._at_times(self._own) - best) / self._grid
        return found
