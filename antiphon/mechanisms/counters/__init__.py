"""Continual counters: running sums of updates, released with noise (theory: CM §3.2, §7)."""

from antiphon.mechanisms.counters.count_after import ExactSum
from antiphon.mechanisms.counters.counter import Counter
from antiphon.mechanisms.counters.tails import lower_bound
from antiphon.numbers.public import shows

__all__ = ["Counter", "ExactSum", "lower_bound"]
__dir__ = shows(__all__)
