"""The adversaries that refute sparse compositions, by name: their room is right of this one."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

import attrs

from antiphon.composition.validity import SparseMeasures, SparseParallel, sparse_parallel
from antiphon.numbers import exact
from antiphon.numbers.exact import ExactEpsilon
from antiphon.protocol.adversary import Adversary
from antiphon.protocol.measures.conversions import implies
from antiphon.protocol.measures.kinds import GaussianDP, ZeroConcentrated
from antiphon.protocol.registry import lookup

_NAME: Final = "antiphon.CounterexampleAdversary/1"
_EXPOSING: Final = "antiphon.ExposingAdversary/1"
_EXPOSED: Final = "antiphon.ExposedResponse/1"


def _even_chance(probability: Fraction) -> int:
    """The least number of copies one of which breaks with probability 1/2."""
    if probability >= Fraction(1, 2):
        return 1
    return max(1, math.ceil(math.log(2) / -math.log1p(-float(probability))))


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
        return _even_chance(self.delta)

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


@attrs.frozen(slots=False)
class ExposedCounterexample:
    """docs/sparse.md: 1-sparse parallel composition of copies of M_{p,E}, of a ρ or a μ.

    E is about three times the loss that is claimed, 3√(2ρ) or 3μ; p a power of two for which
    M_{p,E} keeps to the claim. With ``copies`` the adversary gets RR_E of the bit every other
    time, and with more always. (Any E will do: however large, there is a p.)
    """

    measure: ZeroConcentrated | GaussianDP

    @property
    def epsilon(self) -> ExactEpsilon:
        """E."""
        measure = self.measure
        if isinstance(measure, ZeroConcentrated):
            scale = exact.root_up(2 * measure.rho)
        else:
            scale = measure.mu
        growth = Fraction(math.expm1(min(3 * float(scale), 300.0)))
        return exact.Log(1 + growth.limit_denominator(1000 + math.ceil(1000 / growth)))

    @cached_property
    def probability(self) -> Fraction:
        """p."""
        make: Callable[..., Any] = lookup(_EXPOSED)
        p, epsilon = Fraction(1, 2), self.epsilon
        while not any(
            implies(claim.measure, self.measure)
            for claim in make(probability=p, epsilon=epsilon).claims
        ):
            p /= 2
        return p

    @property
    def copies(self) -> int:
        """The least number of copies one of which is exposed with probability 1/2."""
        return _even_chance(self.probability)

    @property
    def verification(self) -> SparseMeasures:
        """f_∞ with the one measure."""
        return sparse_parallel([self.measure])

    @property
    def adversary(self) -> Adversary:
        """An ``ExposingAdversary``."""
        make: Callable[..., Adversary] = lookup(_EXPOSING)
        return make(
            probability=self.probability,
            epsilon=self.epsilon,
            measure=self.measure,
            copies=self.copies,
        )

    def __str__(self) -> str:
        return "copies of M_{p,E}, of which one is exposed in the end"
