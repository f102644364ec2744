"""What answers: mechanisms with a proved claim, and some that claim nothing.

* *Noise*: ``Laplace``, ``Gaussian`` (doubles, for simulation), ``DiscreteLaplace``,
  ``DiscreteGaussian``, ``GridLaplace``, ``GridGaussian`` (drawn exactly, for release),
  ``RandomizedResponse``, ``KaryResponse``.
* *Choices*: ``ExponentialMechanism``, ``PermuteAndFlip``, ``ReportNoisyMax``, ``quantile``.
* *Thresholds*: ``AboveThreshold``, ``SparseVector``, ``NumericSparseVector``, ``GapSparseVector``.
* *Running counts* (``counters``): ``TreeCounter``, ``GaussianTreeCounter``, ``RefinedTreeCounter``,
  ``BalancedTreeCounter``, ``SquareRootCounter``, ``BufferedToeplitzCounter``, ``UnboundedCounter``.
* *Histograms* (``histograms``): ``HistogramSVT``, ``ContinualHistogram``, ``HSS``,
  ``HistogramMonitor``, with the monotone queries ``KthLargest``, ``Total``, ``TopSum``, ….
* *Many queries*: ``MultiplicativeWeights``. *A descent*: ``NoisyDescent``.
* *For demonstrations*: ``LeakyBit`` (CM §5.2), ``ExposedResponse``.

Each says in its docstring what it takes, what it answers and what it promises; ``.claims`` is the
promise as data. Which to use: docs/mechanisms.md.
Private online learners are in ``antiphon.learners``.
"""

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
from antiphon.mechanisms.noise.continuous import NoisyDescent
from antiphon.mechanisms.noise.grid import RoundToGrid
from antiphon.mechanisms.randomized_response import KaryResponse, RandomizedResponse
from antiphon.mechanisms.sparse_vector import (
    AboveThreshold,
    GapSparseVector,
    NumericSparseVector,
    SparseVector,
)
from antiphon.numbers.public import shows

__all__ = [
    "COUNT",
    "HSS",
    "AboveThreshold",
    "BalancedTreeCounter",
    "BufferedToeplitzCounter",
    "ContinualHistogram",
    "CountAbove",
    "CountAfter",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "Echo",
    "ExponentialMechanism",
    "ExposedResponse",
    "GapSparseVector",
    "Gaussian",
    "GaussianTreeCounter",
    "GridGaussian",
    "GridLaplace",
    "HSSWithoutTest",
    "HistogramMonitor",
    "HistogramQuery",
    "HistogramSVT",
    "KaryResponse",
    "KthLargest",
    "Laplace",
    "LeakyBit",
    "MultiplicativeWeights",
    "NoisyDescent",
    "NumericSparseVector",
    "PermuteAndFlip",
    "RandomizedResponse",
    "RefinedTreeCounter",
    "ReportNoisyMax",
    "RoundToGrid",
    "Scaled",
    "SparseVector",
    "SquareRootCounter",
    "TopSum",
    "Total",
    "TreeCounter",
    "UnboundedCounter",
    "check_query",
    "counters",
    "histograms",
    "learned_weights",
    "noise",
    "quantile",
]
__dir__ = shows(__all__, "counters", "histograms", "multiplicative_weights", "noise")
