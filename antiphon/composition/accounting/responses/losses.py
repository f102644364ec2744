"""The privacy loss of Comp[RR_{ε_i,0}] by its moments.

The loss L is a sum of independent ±ε_i, +ε_i w.p. e^ε_i/(1+e^ε_i). With a = s + 1/2,

    M(s) = E[e^(sL)] = Π cosh(aε_i) / cosh(ε_i/2),

which is even in a: the symmetry between the two worlds. For every c > 0, M(c) e^(-ce) bounds
H(e) (Chernoff), and the law tilted by e^(cL) has its mean near e for the best c. Figures
here guide the methods that certify a result; those with an error bound say so.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Final, NamedTuple, TypeVar

import attrs
import numpy as np

from antiphon.composition.accounting.parameters import Parameters
from antiphon.numbers.interval import (
    UNIT,
    Floats,
    Interval,
    nearest,
    outward,
    probability,
)

_RUNGS: Final = 4
"""Orders in one octave."""
_EXTREME: Final = 240
"""Orders reach from 2^-60 to 2^60."""
_KEPT: Final = 24
Key = TypeVar("Key")
Value = TypeVar("Value")
_ALLOWED: Final = 3.0
"""Nats that an order may cost beyond the best."""


def remembered(known: dict[Key, Value], key: Key, make: Callable[[], Value]) -> Value:
    """What was made for a rung, once; the last few dozen are kept."""
    if key not in known:
        if len(known) >= _KEPT:
            del known[next(iter(known))]
        known[key] = make()
    return known[key]


class Rung(NamedTuple):
    """An order c = 2^(rung/4) for all ε near ``saddle``, where M(c) e^(-cε)/(c(c+1)) is least."""

    order: float
    saddle: float
    spread: float
    """The standard deviation of L after tilting by e^(cL)."""
    log: float
    """ln M(c) - cΣε_i - ln(c(c+1))."""

    def cost(self, excess: float) -> float:
        """ln M(c) e^(-cε)/(c(c+1)) at ε = Σε_i - excess."""
        return self.log + self.order * excess


@attrs.frozen(eq=False)
class Losses:
    """The ε_i as doubles (each within one rounding), how many of each, and their exact sum."""

    epsilons: Floats
    counts: Floats
    total: Fraction
    _rungs: dict[int, Rung] = attrs.field(factory=dict[int, Rung], init=False, repr=False)

    @classmethod
    def of(cls, composed: Parameters) -> Losses:
        """The losses of fixed parameters, not all ε_i = 0."""
        epsilons = np.array([nearest(e) for e, _ in composed.epsilons])
        counts = np.array([float(n) for _, n in composed.epsilons])
        return cls(epsilons, counts, composed.sum[0])

    def log_moment(self, order: float) -> float:
        """ln M(s) - sΣε_i for s >= -1/2; its error is ``log_moment_error``."""
        return math.fsum(self.counts * (self._log1p(order) - self._log1p(0.0)))

    def log_moment_error(self, order: float) -> float:
        """A bound on the error of ``log_moment``, the roundings of the ε_i included."""
        a = order + 0.5
        terms = (2 + 2 * a * self.epsilons) * self._log1p(order)
        terms += (2 + self.epsilons) * self._log1p(0.0)
        return 6 * UNIT * float(np.sum(self.counts * terms))

    def _log1p(self, order: float) -> Floats:
        return np.log1p(np.exp(-(2 * order + 1) * self.epsilons))

    def log_complement(self, at: float) -> float:
        """Chernoff's bound on ln (1 - H(at)): ln of M(s) e^(-s·at), least over -1/2 <= s <= 0."""
        low, high = -0.5, 0.0
        for _ in range(20):
            middle = (low + high) / 2
            low, high = (middle, high) if self.mean(middle) < at else (low, middle)
        slack = 1e-9 * (1 + float(self.total)) + self.log_moment_error(low)
        return self.log_moment(low) + low * (float(self.total) - at) + slack

    def top(self, excess: float) -> Interval[float]:
        """H(Σε_i - excess) for 0 < excess <= 2 min ε_i: only L = Σε_i is above."""
        log = -math.fsum(self.counts * self._log1p(0.0))
        slack = 8 * UNIT * (1 + float(np.sum(self.counts * (2 + self.epsilons) * self._log1p(0.0))))
        share = -math.expm1(-excess)
        return probability(outward(math.exp(log - slack) * share, math.exp(log + slack) * share))

    def mean(self, order: float) -> float:
        """The mean of L after tilting by e^(sL)."""
        return float(np.sum(self.counts * self.epsilons * np.tanh((order + 0.5) * self.epsilons)))

    @property
    def wrong_phases(self) -> tuple[float, float]:
        """(x, y) such that a computed M(c+iθ)/M(c) is off by at most x + yθ units.

        A factor cos(θε) + i tanh(aε) sin(θε), at most 1, is wrong by at most 24 units and the
        error 2θε of its argument; the errors of a product of such factors add up.
        """
        return 24 * float(np.sum(self.counts)), 2 * float(self.total)

    # --- the ladder of orders, on which laws and contours are computed once ----------------------

    def rung(self, number: int) -> Rung:
        """The order 2^(number/4)."""
        if number not in self._rungs:
            c = 2.0 ** (number / _RUNGS)
            decay = np.exp(-(c + 0.5) * self.epsilons)
            deviation = self.epsilons * (2 * decay / (1 + decay**2))
            spread = math.sqrt(float(np.sum(self.counts * deviation**2)))
            log = self.log_moment(c) - math.log(c) - math.log1p(c)
            saddle = self.mean(c) - 1 / c - 1 / (c + 1)
            self._rungs[number] = Rung(c, saddle, spread, log)
        return self._rungs[number]

    def rung_near(self, at: float) -> int:
        """The number of the highest rung that costs few nats more at ``at`` than the best.

        A higher order keeps contours away from the pole at 0, and windows to the right.
        """
        low, high = -_EXTREME, _EXTREME
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.rung(middle).saddle < at else (low, middle)
        excess = float(self.total) - at
        number = min(low, high, key=lambda each: self.rung(each).cost(excess))
        allowed = self.rung(number).cost(excess) + _ALLOWED
        while number < _EXTREME and self.rung(number + 1).cost(excess) < allowed:
            number += 1
        return number

    def where(self, stick: float) -> tuple[float, float]:
        """About where H is ``stick``, and the spread there, by the saddle-point formula."""
        aim = math.log(stick)
        low, high = -_EXTREME, _EXTREME
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._height(middle) > aim else (low, middle)
        left, right = self.rung(low), self.rung(high)
        fall = self._height(low) - self._height(high)
        share = (self._height(low) - aim) / fall if fall > 0 else 0.0
        share = min(max(share, 0.0), 1.0)
        return left.saddle + share * (right.saddle - left.saddle), right.spread

    def _height(self, number: int) -> float:
        """ln H at the saddle of a rung, roughly."""
        c, saddle, spread, _ = rung = self.rung(number)
        curvature = spread**2 + c**-2 + (c + 1) ** -2
        return rung.cost(float(self.total) - saddle) - 0.5 * math.log(math.tau * curvature)
