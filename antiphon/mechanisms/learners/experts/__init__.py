"""Learners of experts: whom of d to follow."""

from antiphon.mechanisms.learners.experts.lazy import LazyExperts, PrivateDartboard
from antiphon.mechanisms.learners.experts.lazy_policy import LazyPolicy, StayBit
from antiphon.mechanisms.learners.experts.noisy_leader import NoisyLeader, tree_ftrl
from antiphon.mechanisms.learners.experts.softmax import Softmax
from antiphon.mechanisms.learners.experts.weighted import Hedge, ShrinkingDartboard

__all__ = [
    "Hedge",
    "LazyExperts",
    "LazyPolicy",
    "NoisyLeader",
    "PrivateDartboard",
    "ShrinkingDartboard",
    "Softmax",
    "StayBit",
    "tree_ftrl",
]
