"""The mechanisms of the library: most have a proved privacy claim, and some claim nothing.

* *Noise*: ``Laplace``, ``Gaussian`` (doubles, for simulation), ``DiscreteLaplace``,
  ``DiscreteGaussian``, ``GridLaplace``, ``GridGaussian`` (drawn exactly, for release),
  ``RandomizedResponse``, ``KaryResponse``.
* *Choices*: ``ExponentialMechanism``, ``PermuteAndFlip``, ``ReportNoisyMax``, ``quantile``.
* *Thresholds*: ``AboveThreshold``, ``SparseVector``, ``NumericSparseVector``, ``GapSparseVector``.
* *Running counts*: ``TreeCounter``, ``GaussianTreeCounter``, ``RefinedTreeCounter``,
  ``BalancedTreeCounter``, ``SquareRootCounter``, ``BufferedToeplitzCounter``, ``UnboundedCounter``;
  sums that slide or fade: ``Window``, ``DecayedCounter``.
* *Distinct items, largest keys*: ``Distinct``, ``PresenceCounter``, ``TopKeys``.
* *Histograms*: ``HistogramSVT``, ``ContinualHistogram``, ``HSS``,
  ``HistogramMonitor``, with the monotone queries ``KthLargest``, ``Total``, ``TopSum``, ….
* *Many queries*: ``MultiplicativeWeights``. *A descent*: ``NoisyDescent``.
* *For demonstrations*: ``LeakyBit`` (CM §5.2), ``ExposedResponse``.

Each docstring states the messages, the answers and the promise; ``.claims`` is the promise as data.
Which to use: docs/mechanisms.md. Private online learners are in ``antiphon.learners``.
"""

# pyright: reportUnusedImport=false
from antiphon.mechanisms import counters
from antiphon.mechanisms.counters.balanced_tree import BalancedTreeCounter
from antiphon.mechanisms.counters.buffered_toeplitz import BufferedToeplitzCounter, DecayedCounter
from antiphon.mechanisms.counters.count_after import CountAfter, Window
from antiphon.mechanisms.counters.counter import COUNT
from antiphon.mechanisms.counters.square_root import SquareRootCounter
from antiphon.mechanisms.counters.tree_counter import (
    GaussianTreeCounter,
    RefinedTreeCounter,
    TreeCounter,
)
from antiphon.mechanisms.counters.unbounded import UnboundedCounter

# The module ``alternating_cost`` is imported because it registers rules of ``ap.guarantee``.
from antiphon.mechanisms.distinct import alternating_cost as _alternating_cost
from antiphon.mechanisms.distinct.distinct import Distinct
from antiphon.mechanisms.distinct.presence_counter import PresenceCounter
from antiphon.mechanisms.distinct.top_keys import TopKeys
from antiphon.mechanisms.histograms.continual import ContinualHistogram
from antiphon.mechanisms.histograms.hss import HSS, HSSWithoutTest
from antiphon.mechanisms.histograms.queries import (
    CountAbove,
    HistogramQuery,
    KthLargest,
    QueryViolation,
    Scaled,
    TopSum,
    Total,
    check_query,
    quantile,
)
from antiphon.mechanisms.histograms.svt import HistogramMonitor, HistogramSVT
from antiphon.mechanisms.multiplicative_weights.design import learned_weights
from antiphon.mechanisms.multiplicative_weights.hypothesis import Echo
from antiphon.mechanisms.multiplicative_weights.mechanism import MultiplicativeWeights
from antiphon.mechanisms.noise.continuous import Gaussian, Laplace, NoisyDescent
from antiphon.mechanisms.noise.discrete import DiscreteGaussian, DiscreteLaplace
from antiphon.mechanisms.noise.grid import GridGaussian, GridLaplace, RoundToGrid
from antiphon.mechanisms.noise.selection import ExponentialMechanism, PermuteAndFlip, ReportNoisyMax
from antiphon.mechanisms.randomized_response import (
    ExposedResponse,
    KaryResponse,
    LeakyBit,
    RandomizedResponse,
)
from antiphon.mechanisms.sparse_vector import (
    AboveThreshold,
    GapSparseVector,
    NumericSparseVector,
    SparseVector,
)
from antiphon.numbers.public import shows

__all__ = [
    "COUNT", "HSS", "AboveThreshold", "BalancedTreeCounter", "BufferedToeplitzCounter",
    "ContinualHistogram", "CountAbove", "CountAfter", "DecayedCounter", "DiscreteGaussian",
    "DiscreteLaplace", "Distinct", "Echo", "ExponentialMechanism", "ExposedResponse",
    "GapSparseVector", "Gaussian", "GaussianTreeCounter", "GridGaussian", "GridLaplace",
    "HSSWithoutTest", "HistogramMonitor", "HistogramQuery", "HistogramSVT", "KaryResponse",
    "KthLargest", "Laplace", "LeakyBit", "MultiplicativeWeights", "NoisyDescent",
    "NumericSparseVector", "PermuteAndFlip", "PresenceCounter", "QueryViolation",
    "RandomizedResponse", "RefinedTreeCounter", "ReportNoisyMax", "RoundToGrid", "Scaled",
    "SparseVector", "SquareRootCounter", "TopKeys", "TopSum", "Total", "TreeCounter",
    "UnboundedCounter", "Window", "check_query", "counters", "learned_weights", "quantile",
]  # fmt: skip
__dir__ = shows(__all__)
