"""Continual counters: running sums of updates, released with noise (theory: CM §3.2, §7)."""

from antiphon.composition.guarantees.rules.uniformly_private import uniform_by
from antiphon.mechanisms.counters.buffered_toeplitz import BufferedToeplitzCounter
from antiphon.mechanisms.counters.count_after import ExactSum
from antiphon.mechanisms.counters.counter import Counter
from antiphon.mechanisms.counters.square_root import SquareRootCounter
from antiphon.mechanisms.counters.tails import lower_bound
from antiphon.numbers.public import shows

__all__ = ["Counter", "ExactSum", "lower_bound"]
__dir__ = shows(__all__)

_PROOF = "each answer is private given the past (antiphon.mechanisms.counters.correlated)"
uniform_by(_PROOF, BufferedToeplitzCounter, SquareRootCounter)
