"""Learners of {0, 1}-valued functions, and the number of mistakes that privacy costs them.

*The game.* In round t the learner holds a hypothesis f̂_t, and receives a sample (x_t, f*(x_t));
the learner makes a mistake if f̂_t(x_t) ≠ f*(x_t). The first hypothesis f̂₁ = f⁽⁰⁾, the function
that is 0 everywhere, is public, and the answer to sample t is f̂_{t+1}: so the effect of a sample
on the next hypothesis is visible even in the last round. (If the answer were f̂_t, a learner for
one round would leak nothing.) Functions and samples: ``mistake_learner``.

*Neighbours* are streams that differ in one sample, replaced by any other: event level, against
adversaries that choose each sample after the hypothesis. A learner is *β-concentrated* for T rounds
if, where all samples are ⊥, f̂₁, …, f̂_T are all f⁽⁰⁾ with probability at least 1 - β.

``antiphon.learners.mistakes`` computes a learner's mistakes on a stream; ``mistakes_lower_bound``
bounds them for every private learner.
"""

from antiphon.learners.littlestone.counting_learners import (
    CountIsAbove,
    OnceAbove,
    sparse_vector_learner,
    tree_counter_learner,
)
from antiphon.learners.littlestone.finite_learner import FiniteLearner, Halving, NameAndShame
from antiphon.learners.littlestone.mistake_learner import (
    BLANK,
    HIT,
    HardShape,
    MistakeLearner,
    Mistakes,
    few_mistakes_upper_bound,
    hard_shape,
    mistakes_lower_bound,
    mistakes_of,
)
from antiphon.learners.littlestone.point_learner import PointLearner, point_learner

__all__ = [
    "BLANK", "HIT", "CountIsAbove", "FiniteLearner", "Halving", "HardShape", "MistakeLearner",
    "Mistakes", "NameAndShame", "OnceAbove", "PointLearner", "few_mistakes_upper_bound",
    "hard_shape", "mistakes_lower_bound", "mistakes_of", "point_learner", "sparse_vector_learner",
    "tree_counter_learner",
]  # fmt: skip
