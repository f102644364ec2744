"""Exact accounting in Fractions, for small compositions with rational e^ε_i."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property
from typing import Final

import attrs

from antiphon.composition.accounting.parameters import Given, Parameters, parameters
from antiphon.numbers import exact
from antiphon.numbers.errors import Intractable, InvalidArgument

LIMIT: Final = 1 << 13
"""Distinct losses, at most."""
_BITS: Final = 1 << 17
"""Digits (binary) of 1-Π(1-δ_i), at most."""


@attrs.frozen
class ExactCurve:
    """The tight curve of Comp[RR_{ε_i,δ_i}] where every ε_i is 0 or ``Log(q)``.

    Murtagh and Vadhan 2016, Thm 1.5. With x = e^ε, δ is piecewise linear in x.
    """

    composed: Parameters

    def delta_at(self, epsilon: exact.Epsilon) -> Fraction:
        """The least δ at ``epsilon``, 0 or ``Log(x)``. Raises: InvalidArgument otherwise."""
        x = growth(exact.epsilon(epsilon))
        stick = sum((mass * (1 - x / ratio) for ratio, mass in self._law if ratio > x), Fraction(0))
        return self.floor + (1 - self.floor) * stick

    def epsilon_at(self, delta: float | Fraction) -> exact.ExactEpsilon:
        """The least ε at ``delta``: 0 or ``Log(x)``. Raises: InvalidArgument below the floor."""
        target = exact.probability(delta)
        if target < self.floor:
            raise InvalidArgument(f"delta is below the floor, {self.floor}; ask for that or more")
        if self.floor == 1:
            return Fraction(0)
        stick = (target - self.floor) / (1 - self.floor)
        mass = other = Fraction(0)
        for place, (ratio, each) in enumerate(self._law):
            mass, other = mass + each, other + each / ratio
            below = self._law[place + 1][0] if place + 1 < len(self._law) else Fraction(0)
            if mass - other * below >= stick or below < 1:
                return exact.epsilon(exact.Log(max((mass - stick) / other, Fraction(1))))
        return Fraction(0)

    @property
    def floor(self) -> Fraction:
        """1-Π(1-δ_i), which no ε gets under."""
        if self.composed.exact_floor is not None:
            return self.composed.exact_floor
        raise Intractable("digits of 1-Π(1-δ_i); use `optimal`", self.composed.count, _BITS)

    @cached_property
    def _law(self) -> list[tuple[Fraction, Fraction]]:
        """e^L and its probability under one world, the largest first."""
        law = {Fraction(1): Fraction(1)}
        for epsilon, count in self.composed.epsilons:
            if len(law) * (count + 1) > LIMIT:
                raise Intractable("distinct losses; use `optimal`", len(law) * (count + 1), LIMIT)
            q, after = growth(epsilon), dict[Fraction, Fraction]()
            for ratio, mass in law.items():
                for wrong in range(count + 1):
                    place = ratio * q ** (count - 2 * wrong)
                    share = math.comb(count, wrong) * q ** (count - wrong) / (1 + q) ** count
                    after[place] = after.get(place, Fraction(0)) + mass * share
            law = after
        return sorted(law.items(), reverse=True)


def growth(epsilon: exact.ExactEpsilon) -> Fraction:
    """E = e^ε. Raises: InvalidArgument where it is not rational."""
    value = exact.exp(epsilon)
    if isinstance(value, Fraction):
        return value
    raise InvalidArgument(
        f"exact accounting needs a rational e^ε: write ε as Log(q), not {float(epsilon)!r}"
    )


def exactly(given: Parameters | Given, *, times: int = 1) -> ExactCurve:
    """The tight curve in Fractions, for small compositions; every ε_i is 0 or ``Log(q)``.

    Raises: InvalidArgument for an irrational e^ε; Intractable past 2^13 distinct losses.

    >>> curve = exactly([(exact.Log(3), 0)], times=2)
    >>> curve.delta_at(exact.Log(3)), curve.epsilon_at(Fraction(3, 8))
    (Fraction(3, 8), Log(3))
    """
    composed = parameters(given, times)
    for epsilon, _ in composed.epsilons:
        growth(epsilon)
    return ExactCurve(composed)
