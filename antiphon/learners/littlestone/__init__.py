"""Learners of {0, 1}-valued functions, and the number of mistakes that privacy costs them.

*The game.* In round t the learner holds a hypothesis f̂_t, and is told a sample (x_t, f*(x_t)); it
errs if f̂_t(x_t) ≠ f*(x_t). f̂₁ = f⁽⁰⁾ is public, and the answer to sample t is f̂_{t+1}: so what a
sample does to the next hypothesis is seen, in the last round, too. (Were f̂_t answered, a
learner for one round would leak nothing.) Functions and samples: ``mistake_learner``.

*Neighbours* are streams of which one sample differs, by any two samples: event level, against
adversaries that choose each sample after the hypothesis. A learner is *β-concentrated* for T rounds
if, where all samples are ⊥, f̂₁, …, f̂_T are all f⁽⁰⁾ with probability at least 1 - β.

``antiphon.learners.mistakes`` computes what sequences cost a learner; ``mistakes_lower_bound`` is
what they cost every private one.
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
    hard_shape,
    mistakes_lower_bound,
    mistakes_of,
)
from antiphon.learners.littlestone.point_learner import PointLearner, point_learner

__all__ = [
    "BLANK", "HIT", "CountIsAbove", "FiniteLearner", "Halving", "HardShape", "MistakeLearner",
    "Mistakes", "NameAndShame", "OnceAbove", "PointLearner", "hard_shape", "mistakes_lower_bound",
    "mistakes_of", "point_learner", "sparse_vector_learner", "tree_counter_learner",
]  # fmt: skip
