"""Continual counters: running sums of updates, released with noise (theory: CM §3.2, §7)."""

from antiphon.mechanisms.counters.balanced_tree import BalancedTreeCounter
from antiphon.mechanisms.counters.buffered_toeplitz import BufferedToeplitzCounter
from antiphon.mechanisms.counters.count_after import CountAfter, ExactSum
from antiphon.mechanisms.counters.counter import COUNT, Counter
from antiphon.mechanisms.counters.square_root import SquareRootCounter
from antiphon.mechanisms.counters.tails import lower_bound
from antiphon.mechanisms.counters.tree_counter import (
    GaussianTreeCounter,
    RefinedTreeCounter,
    TreeCounter,
)
from antiphon.mechanisms.counters.unbounded import UnboundedCounter
from antiphon.numbers.public import shows

__all__ = [
    "COUNT",
    "BalancedTreeCounter",
    "BufferedToeplitzCounter",
    "CountAfter",
    "Counter",
    "ExactSum",
    "GaussianTreeCounter",
    "RefinedTreeCounter",
    "SquareRootCounter",
    "TreeCounter",
    "UnboundedCounter",
    "lower_bound",
]
__dir__ = shows(__all__)
