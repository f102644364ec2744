"""What answers."""

from antiphon.mechanisms import counters, histograms, noise
from antiphon.mechanisms.counters import (
    COUNT,
    BalancedTreeCounter,
    BufferedToeplitzCounter,
    GaussianTreeCounter,
    RefinedTreeCounter,
    SquareRootCounter,
    TreeCounter,
    UnboundedCounter,
)
from antiphon.mechanisms.exposed_response import ExposedResponse
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
from antiphon.mechanisms.leaky_bit import LeakyBit
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
from antiphon.mechanisms.randomized_response import KaryResponse, RandomizedResponse
from antiphon.mechanisms.rounding import RoundToGrid
from antiphon.mechanisms.sparse_vector import (
    AboveThreshold,
    GapSparseVector,
    NumericSparseVector,
    SparseVector,
)

__all__ = [
    "COUNT",
    "HSS",
    "AboveThreshold",
    "BalancedTreeCounter",
    "BufferedToeplitzCounter",
    "ContinualHistogram",
    "CountAbove",
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
    "search_query",
]
