"""What answers."""

from antiphon.mechanisms.laplace import Laplace, RoundToGrid
from antiphon.mechanisms.leaky_bit import LeakyBit
from antiphon.mechanisms.randomized_response import RandomizedResponse
from antiphon.mechanisms.tree_counter import COUNT, TreeCounter

__all__ = ["COUNT", "Laplace", "LeakyBit", "RandomizedResponse", "RoundToGrid", "TreeCounter"]
