"""The declared counters whose claims hold uniformly: after identical updates as from the start."""

from antiphon.composition.guarantees.rules.uniformly_private import uniform_by
from antiphon.mechanisms.counters.buffered_toeplitz import BufferedToeplitzCounter
from antiphon.mechanisms.counters.square_root import SquareRootCounter

uniform_by(
    "each answer is private given the past (antiphon.mechanisms.counters.correlated)",
    BufferedToeplitzCounter,
    SquareRootCounter,
)
