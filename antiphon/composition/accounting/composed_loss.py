"""The privacy loss of a whole composition: the sum of its mechanisms' independent losses."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property
from typing import Final

import attrs
import numpy as np

from antiphon.composition.accounting.laws.loss import Lattice, Logs, LossLaw, Moment, divisor
from antiphon.composition.accounting.laws.noise_laws import Normal
from antiphon.composition.accounting.laws.responses import Responses
from antiphon.composition.accounting.parameters import Parameters
from antiphon.numbers.interval import UNIT, Floats

_RUNGS: Final = 4
"""The number of tilting orders c between one power of two and the next; a loss L tilted at the
order c is weighted by e^(cL)."""
_EXTREME: Final = 160
"""The largest ``number`` of a tilting order c = 2^(number/4): orders reach from 2^-40 to 2^40."""
_DIGITS: Final = 26
"""The base-2 logarithm of the largest product c · ε that is allowed, c a tilting order: so many
bits of precision are lost in e^(cε)."""
ALLOWED: Final = 1.0
HIGH: Final = 3.0
"""The nats by which the Chernoff bound at the chosen tilting order may exceed the least one, where
only the absolute error of δ matters."""


@attrs.frozen(eq=False)
class Product:
    """The privacy loss of a composition: the sum of independent losses, whose moments multiply."""

    laws: tuple[LossLaw, ...]
    _moments: dict[float, Moment] = attrs.field(factory=dict[float, Moment], init=False)
    _guides: dict[float, tuple[float, float]] = attrs.field(
        factory=dict[float, tuple[float, float]], init=False
    )

    def with_noise(self, variance: Fraction) -> Product:
        """The composition with one more Gaussian mechanism, of loss N(v/2, v), v = ``variance``."""
        return Product((Normal(variance), *self.laws)) if variance else self

    @cached_property
    def variance(self) -> Fraction:
        """The total variance of the losses that are Gaussian."""
        return sum((law.variance for law in self.laws if type(law) is Normal), Fraction(0))

    @cached_property
    def most(self) -> Fraction | None:
        """An upper bound on the composition's total privacy loss; None if it is unbounded."""
        highest = [law.most for law in self.laws]
        known = [each for each in highest if each is not None]
        return sum(known, Fraction(0)) if len(known) == len(highest) else None

    @cached_property
    def lattice(self) -> Lattice | None:
        """The lattice of the total loss; None unless all losses lie on commensurable lattices."""
        given = [law.lattice for law in self.laws]
        known = [each for each in given if each is not None]
        if not known or len(known) < len(given):
            return None
        offset = sum((each.offset for each in known), Fraction(0))
        return Lattice(offset, divisor(each.spacing for each in known))

    @cached_property
    def size(self) -> int:
        """The number of factors of the loss's characteristic function, a cost of evaluation."""
        return sum(law.size for law in self.laws)

    def characteristic(self, order: float, frequencies: Floats, enough: Floats) -> Logs:
        """The logarithms of the tilted loss's characteristic function at ``frequencies``."""
        value = np.zeros(len(frequencies), dtype=np.complex128)
        slack, gone = np.zeros(len(frequencies)), np.zeros(len(frequencies), dtype=bool)
        for law in self.laws:
            logs = law.characteristic(order, frequencies, enough - value.real)
            value += logs.value
            gone |= np.isinf(logs.slack)
            slack += np.where(np.isinf(logs.slack), 0.0, logs.slack)
            slack += 2 * UNIT * len(self.laws) * np.abs(logs.value)
        slack *= 1 + 1e-9
        value.real[gone] += slack[gone]
        slack[gone] = math.inf
        return Logs(value, slack)

    def cell(self, order: float) -> float:
        """The length of a range of frequencies that is not worth splitting further."""
        return min(_cell(law, order) for law in self.laws)

    def ceiling(self, order: float, low: Floats, high: Floats, enough: Floats) -> Floats:
        """Upper bounds on ln |Φ|, Φ the tilted loss's characteristic function, in frequency
        ranges."""
        total = np.zeros(len(low))
        for law in self.laws:
            stay = total > enough
            if not stay.any():
                break
            left = enough[stay] - total[stay]
            total[stay] += law.ceiling(order, low[stay], high[stay], left)
        return total * (1 - 1e-9)

    def log_moment(self, order: float) -> Moment:
        """The logarithm of E[e^(cL)], L the total loss and c = ``order``, with an error bound."""
        if order not in self._moments:
            each = [law.log_moment(order) for law in self.laws]
            value = math.fsum(moment.value for moment in each)
            error = math.fsum(moment.error for moment in each) * (1 + 1e-9)
            self._moments[order] = Moment(value, error + 2 * UNIT * abs(value))
        return self._moments[order]

    def guide(self, order: float) -> tuple[float, float]:
        """The approximate mean and variance of the loss tilted at ``order``."""
        if order not in self._guides:
            each = [law.guide(order) for law in self.laws]
            mean, variance = (math.fsum(column) for column in zip(*each, strict=True))
            self._guides[order] = mean, variance
        return self._guides[order]

    def cost(self, number: int, at: float) -> float:
        """The logarithm of Chernoff's bound on the hockey-stick divergence at ε = ``at``, by the
        tilting order 2^(number/4)."""
        c = order(number)
        return self.log_moment(c).value - c * at - math.log(c) - math.log1p(c)

    def _saddle(self, number: int) -> float:
        """The ε for which the tilting order 2^(number/4) gives the least bound ``cost``."""
        c = order(number)
        return self.guide(c)[0] - 1 / c - 1 / (c + 1)

    def rung_near(self, at: float, allowed: float = ALLOWED) -> int:
        """The number of the highest tilting order whose Chernoff bound (``cost``) at ε = ``at`` is
        within ``allowed`` nats of the least."""
        low = -_EXTREME
        high = last = math.floor(_RUNGS * (_DIGITS - math.log2(max(at, 2.0**-14))))
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._saddle(middle) < at else (low, middle)
        number = min(low, high, key=lambda each: self.cost(each, at))
        most = self.cost(number, at) + allowed
        while number < last and self.cost(number + 1, at) < most:
            number += 1
        return number

    def where(self, stick: float) -> tuple[float, float]:
        """The approximate ε where the hockey-stick divergence is ``stick``, and the standard
        deviation of the loss tilted for that ε."""
        aim, low, high = math.log(stick), -_EXTREME, _EXTREME
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._height(middle) > aim else (low, middle)
        fall = self._height(low) - self._height(high)
        share = (self._height(low) - aim) / fall if fall > 0 else 0.0
        left, right = self._saddle(low), self._saddle(high)
        at = left + min(max(share, 0.0), 1.0) * (right - left)
        return at, math.sqrt(self.guide(order(high))[1])

    def near(self, delta: float, reveal: Parameters, most: float) -> tuple[float, float] | None:
        """Two guesses around the ε at which δ is ``delta``; None unless ``delta`` is above the
        probability of an infinite loss (``reveal``) and below 1."""
        room, survival = delta - reveal.floor.upper, reveal.survival.lower
        if not 0 < room < survival:
            return None
        at, spread = self.where(room / survival)
        low, high = (min(max(at + end, 0.0), most) for end in (-spread / 64, spread / 64))
        return low, high

    def _height(self, number: int) -> float:
        """The approximate ln H, H the hockey-stick divergence, at the ε for which the tilting order
        2^(number/4) is best."""
        c = order(number)
        curvature = self.guide(c)[1] + c**-2 + (c + 1) ** -2
        return self.cost(number, self._saddle(number)) - 0.5 * math.log(math.tau * curvature)


def _cell(law: LossLaw, order: float) -> float:
    """The length of frequency ranges for which the law's upper bounds ``ceiling`` on its
    characteristic function are nearly exact; 0 if unknown."""
    if type(law) is Normal:
        return math.inf
    return law.cell(order) if type(law) is Responses else 0.0


def order(number: int) -> float:
    """The tilting order c = 2^(number/4). Only these orders are used, so that integrals along the
    same contour are reused."""
    return float(2.0 ** (number / _RUNGS))
