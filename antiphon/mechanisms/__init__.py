"""What answers: mechanisms with a proved claim, and some that claim nothing.

* *Noise*: ``Laplace``, ``Gaussian`` (doubles, for simulation), ``DiscreteLaplace``,
  ``DiscreteGaussian``, ``GridLaplace``, ``GridGaussian`` (drawn exactly, for release),
  ``RandomizedResponse``, ``KaryResponse``, ``StayBit``.
* *Choices*: ``ExponentialMechanism``, ``PermuteAndFlip``, ``ReportNoisyMax``, ``quantile``.
* *Thresholds*: ``AboveThreshold``, ``SparseVector``, ``NumericSparseVector``, ``GapSparseVector``.
* *Running counts* (``counters``): ``TreeCounter``, ``GaussianTreeCounter``, ``RefinedTreeCounter``,
  ``BalancedTreeCounter``, ``SquareRootCounter``, ``BufferedToeplitzCounter``, ``UnboundedCounter``.
* *Histograms* (``histograms``): ``HistogramSVT``, ``ContinualHistogram``, ``HSS``,
  ``HistogramMonitor``, with the monotone queries ``KthLargest``, ``Total``, ``TopSum``, ….
* *Learners* (``learners``): ``LazyToPrivate``, ``LazyExperts``, ``PrivateDartboard``,
  ``NoisyLeader``, ``NoisyDescent``, ``DPOCO``, ``PointLearner``, ….
* *Many queries*: ``MultiplicativeWeights``.
* *For demonstrations*: ``LeakyBit`` (CM §5.2), ``ExposedResponse``, ``NameAndShame``.

Each says in its docstring what it takes, what it answers and what it promises; ``.claims`` is the
promise as data. Which to use: docs/mechanisms.md.
"""

from antiphon import learners
from antiphon.learners import (
    ADVICE,
    Hedge,
    LazyExperts,
    LazyPolicy,
    LazyToPrivate,
    NoisyLeader,
    PrivateDartboard,
    ShrinkingDartboard,
    Softmax,
    StayBit,
)
from antiphon.learners.convex import GradientDescent, Origin
from antiphon.learners.distribution import (
    AllScores,
    LocalMixture,
    OneScore,
    ScheffeKnockout,
)
from antiphon.learners.littlestone import (
    CountIsAbove,
    FiniteLearner,
    Halving,
    NameAndShame,
    OnceAbove,
    PointLearner,
)
from antiphon.learners.oco import DPOCO, LazyGibbs, LazyLeader
from antiphon.mechanisms import counters, histograms, noise
from antiphon.mechanisms.counters import (
    COUNT,
    BalancedTreeCounter,
    BufferedToeplitzCounter,
    CountAfter,
    GaussianTreeCounter,
    RefinedTreeCounter,
    SquareRootCounter,
    TreeCounter,
    UnboundedCounter,
)
from antiphon.mechanisms.histograms import (
    HSS,
    ContinualHistogram,
    CountAbove,
    HistogramMonitor,
    HistogramQuery,
    HistogramSVT,
    HSSWithoutTest,
    KthLargest,
    Scaled,
    TopSum,
    Total,
    check_query,
    quantile,
    search_query,
)
from antiphon.mechanisms.leaky_bit import ExposedResponse, LeakyBit
from antiphon.mechanisms.multiplicative_weights import (
    Echo,
    MultiplicativeWeights,
    learned_weights,
)
from antiphon.mechanisms.noise import (
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    GridGaussian,
    GridLaplace,
    Laplace,
    PermuteAndFlip,
    ReportNoisyMax,
)
from antiphon.mechanisms.noisy_descent import NoisyDescent
from antiphon.mechanisms.randomized_response import KaryResponse, RandomizedResponse
from antiphon.mechanisms.rounding import RoundToGrid
from antiphon.mechanisms.sparse_vector import (
    AboveThreshold,
    GapSparseVector,
    NumericSparseVector,
    SparseVector,
)
from antiphon.numbers.public import shows
from antiphon.preprocessing.imputation import ImputedSum

__all__ = [
    "ADVICE",
    "COUNT",
    "DPOCO",
    "HSS",
    "AboveThreshold",
    "AllScores",
    "BalancedTreeCounter",
    "BufferedToeplitzCounter",
    "ContinualHistogram",
    "CountAbove",
    "CountAfter",
    "CountIsAbove",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "Echo",
    "ExponentialMechanism",
    "ExposedResponse",
    "FiniteLearner",
    "GapSparseVector",
    "Gaussian",
    "GaussianTreeCounter",
    "GradientDescent",
    "GridGaussian",
    "GridLaplace",
    "HSSWithoutTest",
    "Halving",
    "Hedge",
    "HistogramMonitor",
    "HistogramQuery",
    "HistogramSVT",
    "ImputedSum",
    "KaryResponse",
    "KthLargest",
    "Laplace",
    "LazyExperts",
    "LazyGibbs",
    "LazyLeader",
    "LazyPolicy",
    "LazyToPrivate",
    "LeakyBit",
    "LocalMixture",
    "MultiplicativeWeights",
    "NameAndShame",
    "NoisyDescent",
    "NoisyLeader",
    "NumericSparseVector",
    "OnceAbove",
    "OneScore",
    "Origin",
    "PermuteAndFlip",
    "PointLearner",
    "PrivateDartboard",
    "RandomizedResponse",
    "RefinedTreeCounter",
    "ReportNoisyMax",
    "RoundToGrid",
    "Scaled",
    "ScheffeKnockout",
    "ShrinkingDartboard",
    "Softmax",
    "SparseVector",
    "SquareRootCounter",
    "StayBit",
    "TopSum",
    "Total",
    "TreeCounter",
    "UnboundedCounter",
    "check_query",
    "counters",
    "histograms",
    "learned_weights",
    "learners",
    "noise",
    "quantile",
    "search_query",
]
__dir__ = shows(__all__, "counters", "histograms", "learners", "multiplicative_weights", "noise")
