"""Learners of experts: whom of d to follow."""

from antiphon.mechanisms.learners.experts.dartboard import ShrinkingDartboard
from antiphon.mechanisms.learners.experts.hedge import Hedge
from antiphon.mechanisms.learners.experts.lazy import LazyExperts
from antiphon.mechanisms.learners.experts.lazy_policy import LazyPolicy
from antiphon.mechanisms.learners.experts.noisy_leader import NoisyLeader, tree_ftrl
from antiphon.mechanisms.learners.experts.private_dartboard import PrivateDartboard
from antiphon.mechanisms.learners.experts.softmax import Softmax
from antiphon.mechanisms.learners.experts.stay_bit import StayBit

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
