"""Private multiplicative weights (Hardt and Rothblum 2010)."""

from antiphon.mechanisms.multiplicative_weights.design import learned_weights, updates_for
from antiphon.mechanisms.multiplicative_weights.hypothesis import Echo
from antiphon.mechanisms.multiplicative_weights.mechanism import MultiplicativeWeights

__all__ = ["Echo", "MultiplicativeWeights", "learned_weights", "updates_for"]
