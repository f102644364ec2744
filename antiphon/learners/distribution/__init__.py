"""Locally private online distribution learning: predicting labels from users' noisy answers.

*The protocol.* A class f_1, …, f_K has hypotheses on the distribution on [M] of a label in a public
context x (``Hypotheses``). An update is a user's context and label (x_t, y_t), and its answer is ⊤;
the query ("predict", x) is answered by a distribution p̂ on [M]. A round is ("predict", x_t) and
then (x_t, y_t). *Neighbours* are streams that differ in one user's label. The learner sees each
label only through a private mechanism, made for this user (local privacy).
"""

from antiphon.learners.distribution.clipping_map import AllScores, ClippingMap, OneScore
from antiphon.learners.distribution.gains import AllCoordinates, Channel, OneCoordinate, WholeLabel
from antiphon.learners.distribution.hypotheses import Hypotheses, hadamard, tilt
from antiphon.learners.distribution.local_mixture import (
    PREDICT,
    LabelRisk,
    LocalLearner,
    LocalMixture,
    risk_of,
)
from antiphon.learners.distribution.scheffe import Knockout, ScheffeKnockout

__all__ = [
    "PREDICT", "AllCoordinates", "AllScores", "Channel", "ClippingMap", "Hypotheses", "Knockout",
    "LabelRisk", "LocalLearner", "LocalMixture", "OneCoordinate", "OneScore", "ScheffeKnockout",
    "WholeLabel", "hadamard", "risk_of", "tilt",
]  # fmt: skip
