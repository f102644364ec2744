"""The adversary of CM §5.2 for given parameters, by name: its room is to the right of this one."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Final

import attrs

from antiphon.composition.validity import SparseParallel, sparse_parallel
from antiphon.numbers.exact import ExactEpsilon
from antiphon.protocol.adversary import Adversary
from antiphon.protocol.registry import lookup

_NAME: Final = "antiphon.CounterexampleAdversary/1"


@attrs.frozen
class Counterexample:
    """CM §5.2: 1-sparse parallel composition of copies of M_δ, claimed as (ε, δ)-DP.

    With ℓ copies the adversary learns the bit w.p. 1-(1-δ)^ℓ; ``copies`` is the least ℓ with
    an even chance. ``adversary`` plays against ``verification``; it is found by its registered
    name.
    """

    epsilon: ExactEpsilon
    delta: Fraction

    @property
    def copies(self) -> int:
        """The least number of copies that gives the bit away with probability 1/2."""
        if self.delta >= Fraction(1, 2):
            return 1
        least = math.ceil(math.log(2) / -math.log1p(-float(self.delta)))
        return max(1, least)

    @property
    def verification(self) -> SparseParallel:
        """f_∞ with the one parameter (ε, δ)."""
        return sparse_parallel([(self.epsilon, self.delta)])

    @property
    def adversary(self) -> Adversary:
        """A ``CounterexampleAdversary``."""
        make: Callable[..., Adversary] = lookup(_NAME)
        return make(epsilon=self.epsilon, delta=self.delta, copies=self.copies)

    def __str__(self) -> str:
        return (
            f"{self.copies:,} copies of M_δ, δ = {self.delta}, give the bit away every other time"
        )
