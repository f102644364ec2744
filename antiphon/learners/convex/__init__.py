"""Online learners in a convex body K, which choose a point each round, before its convex loss is
known.

*The protocol.* As for experts, with points in place of experts: an update is the datum z_t of round
t, which determines the loss ℓ(·; z_t) of a point; the answer to an update is ⊤. The query
``ADVICE`` is answered by the point x_t in K for the round whose datum has not come yet, an array of
doubles. The point is decided when a datum comes. Neighbours are streams of data that differ in one
datum, replaced by any other. *Regret* is Σ ℓ(x_t; z_t) - min_{x in K} Σ ℓ(x; z_t).
"""

from antiphon.learners.convex.convex_learner import ConvexLearner, GradientDescent, Origin
from antiphon.learners.convex.convex_losses import (
    AbsoluteLoss,
    Ball,
    Body,
    Box,
    ConvexLoss,
    LinearLoss,
    LogisticLoss,
    RegressionLoss,
    SquaredLoss,
)
from antiphon.learners.convex.dp_ftrl import dp_ftrl, follow, ftrl
from antiphon.learners.convex.function_loss import FunctionLoss, convex_loss
from antiphon.learners.convex.leader import HedgedLeader, RegularisedLeader
from antiphon.learners.regret import ConvexRegret, Optimum, optimum

__all__ = [
    "AbsoluteLoss", "Ball", "Body", "Box", "ConvexLearner", "ConvexLoss", "ConvexRegret",
    "FunctionLoss", "GradientDescent", "HedgedLeader", "LinearLoss", "LogisticLoss", "Optimum",
    "Origin", "RegressionLoss", "RegularisedLeader", "SquaredLoss", "convex_loss", "dp_ftrl",
    "follow", "ftrl", "optimum",
]  # fmt: skip
