"""What reads off regret, some rounds at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from antiphon.mechanisms.learners.learner import Losses

Figures: TypeAlias = "NDArray[np.float64]"


class Scored(NamedTuple):
    """Of one game, at each checkpoint."""

    regrets: Figures
    expected: Figures | None = None
    """Regret, of which the learner's own coins are averaged out."""
    gaps: Figures | None = None
    """By how much regret may be larger: the best in hindsight is known as far as that."""
    shifting: Figures | None = None
    """Regret against the best sequence of experts that changes so often at most."""


class Meter(ABC):
    """Is told of losses, and of what was shown; knows what is best in hindsight at given times.

    Abstract.
    """

    def __init__(self, times: tuple[int, ...]) -> None:
        self._times = times
        self._own, self._best = list[NDArray[Any]](), list[float]()
        self._rounds = 0

    def add(self, losses: Losses, shown: NDArray[Any]) -> None:
        """Some rounds more."""
        self._own.append(self._lost(losses, shown))
        begun = 0
        for time in self._times[len(self._best) :]:
            if time > self._rounds + len(losses):
                break
            end = time - self._rounds
            self._note(losses[begun:end])
            self._best.append(self._least())
            begun = end
        self._note(losses[begun:])
        self._rounds += len(losses)

    @abstractmethod
    def scored(self) -> Scored:
        """Regret at the times."""

    @abstractmethod
    def _lost(self, losses: Losses, shown: NDArray[Any]) -> NDArray[Any]:
        """What was lost in each of these rounds."""

    @abstractmethod
    def _note(self, losses: Losses) -> None:
        """Some rounds, for what is best in hindsight."""

    @abstractmethod
    def _least(self) -> float:
        """The least loss in hindsight."""

    def _beyond(self, lost: list[NDArray[Any]]) -> NDArray[Any]:
        """How much more was lost than the least, at the times."""
        found: NDArray[Any] = self._at_times(lost) - np.array(self._best)
        return found

    def _at_times(self, lost: list[NDArray[Any]]) -> NDArray[Any]:
        """What was lost until the times."""
        found: NDArray[Any] = np.concatenate(lost).cumsum()[np.array(self._times) - 1]
        return found
