"""Games of experts: adversaries that ask for advice, and tell a loss, in turn."""

from antiphon.mechanisms.learners.games.blame import BlameShown
from antiphon.mechanisms.learners.games.coined import (
    BatchConstant,
    LowerBoundEpochs,
    RandomLosses,
    ShiftingBest,
    StochasticGap,
)
from antiphon.mechanisms.learners.games.loss_game import LossGame
from antiphon.mechanisms.learners.games.loss_table import LossTable
from antiphon.mechanisms.learners.games.online_game import ObliviousGame, OnlineGame

__all__ = [
    "BatchConstant",
    "BlameShown",
    "LossGame",
    "LossTable",
    "LowerBoundEpochs",
    "ObliviousGame",
    "OnlineGame",
    "RandomLosses",
    "ShiftingBest",
    "StochasticGap",
]
