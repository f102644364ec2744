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
from antiphon.mechanisms.learners.games.loss_stream import LossStream
from antiphon.mechanisms.learners.games.loss_table import LossTable

__all__ = [
    "BatchConstant",
    "BlameShown",
    "LossGame",
    "LossStream",
    "LossTable",
    "LowerBoundEpochs",
    "RandomLosses",
    "ShiftingBest",
    "StochasticGap",
]
