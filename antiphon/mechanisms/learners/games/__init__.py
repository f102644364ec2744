"""Games: adversaries that ask for advice, and tell a loss, in turn; of experts, and in a body."""

from antiphon.mechanisms.learners.games.blame import BlameShown
from antiphon.mechanisms.learners.games.coined import (
    BatchConstant,
    LowerBoundEpochs,
    RandomLosses,
    ShiftingBest,
    StochasticGap,
)
from antiphon.mechanisms.learners.games.convex_game import ConvexGame
from antiphon.mechanisms.learners.games.data_table import DataTable
from antiphon.mechanisms.learners.games.linear_games import AlongShown, LinearGap, RandomSigns
from antiphon.mechanisms.learners.games.loss_game import LossGame
from antiphon.mechanisms.learners.games.loss_stream import LossStream
from antiphon.mechanisms.learners.games.loss_table import LossTable
from antiphon.mechanisms.learners.games.online_game import ObliviousGame, OnlineGame

__all__ = [
    "AlongShown",
    "BatchConstant",
    "BlameShown",
    "ConvexGame",
    "DataTable",
    "LinearGap",
    "LossGame",
    "LossStream",
    "LossTable",
    "LowerBoundEpochs",
    "ObliviousGame",
    "OnlineGame",
    "RandomLosses",
    "RandomSigns",
    "ShiftingBest",
    "StochasticGap",
]
