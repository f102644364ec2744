"""What answers."""

from antiphon.mechanisms import counters
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
from antiphon.mechanisms.laplace import Laplace, RoundToGrid
from antiphon.mechanisms.leaky_bit import LeakyBit
from antiphon.mechanisms.randomized_response import RandomizedResponse

__all__ = [
    "COUNT",
    "BalancedTreeCounter",
    "BufferedToeplitzCounter",
    "GaussianTreeCounter",
    "Laplace",
    "LeakyBit",
    "RandomizedResponse",
    "RefinedTreeCounter",
    "RoundToGrid",
    "SquareRootCounter",
    "TreeCounter",
    "UnboundedCounter",
    "counters",
]
