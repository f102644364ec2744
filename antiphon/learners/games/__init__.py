"""Games of online learning: adversaries that in turn ask a learner for advice and send a loss; with
experts or in a convex body."""

from antiphon.learners.games.convex_game import (
    AlongShown,
    ConvexGame,
    DataTable,
    LinearGap,
    RandomSigns,
)
from antiphon.learners.games.loss_game import (
    BatchConstant,
    BlameShown,
    LossGame,
    LowerBoundEpochs,
    RandomLosses,
    ShiftingBest,
    StochasticGap,
)
from antiphon.learners.games.loss_table import LossStream, LossTable
from antiphon.learners.games.online_game import ObliviousGame, OnlineGame

__all__ = [
    "AlongShown", "BatchConstant", "BlameShown", "ConvexGame", "DataTable", "LinearGap",
    "LossGame", "LossStream", "LossTable", "LowerBoundEpochs", "ObliviousGame", "OnlineGame",
    "RandomLosses", "RandomSigns", "ShiftingBest", "StochasticGap",
]  # fmt: skip
