"""Learners of experts: whom of d to follow."""

from antiphon.mechanisms.learners.experts.dartboard import ShrinkingDartboard
from antiphon.mechanisms.learners.experts.hedge import Hedge
from antiphon.mechanisms.learners.experts.lazy import LazyExperts
from antiphon.mechanisms.learners.experts.noisy_leader import NoisyLeader, tree_ftrl
from antiphon.mechanisms.learners.experts.private_dartboard import PrivateDartboard
from antiphon.mechanisms.learners.experts.softmax import Softmax

__all__ = [
    "Hedge",
    "LazyExperts",
    "NoisyLeader",
    "PrivateDartboard",
    "ShrinkingDartboard",
    "Softmax",
    "tree_ftrl",
]
