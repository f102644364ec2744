"""What measures of several mechanisms add up to: divergences of every order, ρ, μ².

Concurrently too: Lyu 2022 and Vadhan and Zhang 2023.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Final, TypeAlias

import attrs

from antiphon.composition.accounting.renyi import bounded_divergence
from antiphon.numbers import exact
from antiphon.numbers.interval import UNIT
from antiphon.protocol.measures.conversions import converted
from antiphon.protocol.measures.kinds import (
    Approximate,
    GaussianDP,
    Measure,
    Pure,
    Renyi,
    ZeroConcentrated,
)

Divergence: TypeAlias = Callable[[float], float]
_UP: Final = 1 + 8 * UNIT


def divergence_of(measure: Measure) -> Divergence:
    """A bound on the Rényi divergence of every order α > 1, in nats; of RR_{ε,0} for (ε, δ)."""
    if isinstance(measure, Approximate):
        measure = Pure(measure.epsilon)
    implied = converted(measure, Renyi)
    assert implied is not None  # every other measure implies one
    return bounded_divergence(implied.curve)


@attrs.frozen
class Summed:
    """α ↦ Σ_i D_i(α), rounded up, with D_i the least that the measures of mechanism i imply.

    A value: two are equal if they add up the same. ``most``: of so many, the largest at each α.
    """

    measures: tuple[tuple[Measure, ...], ...]
    most: int | None = None
    _counted: tuple[tuple[tuple[Divergence, ...], int], ...] = attrs.field(
        init=False, eq=False, repr=False
    )

    def __attrs_post_init__(self) -> None:
        counts = Counter(self.measures)
        counted = ((tuple(map(divergence_of, each)), n) for each, n in counts.items())
        object.__setattr__(self, "_counted", tuple(counted))

    def __call__(self, order: float) -> float:
        found = [(min(each(order) for each in own), count) for own, count in self._counted]
        left = len(self.measures) if self.most is None else self.most
        if left < len(self.measures):
            found.sort(reverse=True)
        terms: list[float] = []
        for value, count in found:
            taken = min(count, left)
            if taken:
                terms.append(value * taken * _UP)
                left -= taken
        return math.fsum(terms) * _UP


def total(measures: Sequence[Measure], most: int | None = None) -> Measure:
    """What all of a purse of one kind come to: Σρ, √Σμ², or the sum of their curves.

    ``most``: so many of them, the largest.

    >>> total([GaussianDP(3), GaussianDP(4)])
    GaussianDP(mu=Fraction(5, 1))
    """
    if all(isinstance(each, ZeroConcentrated) for each in measures):
        return ZeroConcentrated(_largest((each.rho for each in measures), most))  # type: ignore[union-attr]
    if all(isinstance(each, GaussianDP) for each in measures):
        squares = (each.mu**2 for each in measures)  # type: ignore[union-attr]
        return GaussianDP(exact.root_up(_largest(squares, most)))
    return Renyi(Summed(tuple((each,) for each in measures), most))


def _largest(sizes: Iterable[Fraction], most: int | None) -> Fraction:
    return sum(sorted(sizes, reverse=True)[:most], Fraction(0))
