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
from antiphon.mechanisms.histograms import (
    CountAbove,
    HistogramMonitor,
    HistogramQuery,
    HistogramSVT,
    KthLargest,
    Scaled,
    TopSum,
    Total,
    check_query,
    quantile,
    search_query,
)
from antiphon.mechanisms.leaky_bit import LeakyBit
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
    "AboveThreshold",
    "BalancedTreeCounter",
    "BufferedToeplitzCounter",
    "CountAbove",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "ExponentialMechanism",
    "GapSparseVector",
    "Gaussian",
    "GaussianTreeCounter",
    "GridGaussian",
    "GridLaplace",
    "HistogramMonitor",
    "HistogramQuery",
    "HistogramSVT",
    "KaryResponse",
    "KthLargest",
    "Laplace",
    "LeakyBit",
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
    "noise",
    "quantile",
    "search_query",
]
