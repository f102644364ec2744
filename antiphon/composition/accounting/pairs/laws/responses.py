"""Losses of randomized response: ±ε."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from typing import Final

import attrs
import numpy as np

from antiphon.composition.accounting.pairs.laws.loss import (
    SLACK,
    Lattice,
    Logs,
    LossLaw,
    Moment,
    apart,
    common,
    log_ceiling,
    powers,
)
from antiphon.numbers import exact
from antiphon.numbers.interval import UNIT, Floats, nearest

_CHUNK: Final = 1 << 10
_FEWEST: Final = 1 << 12
"""Factors times frequencies from which on interpolating is thought of."""
_MOST_NODES: Final = 61


@attrs.frozen(eq=False)
class Responses(LossLaw):
    """Σ of n_i losses ±ε_i, +ε_i w.p. e^ε_i/(1+e^ε_i) (RR_{ε_i,0}; CM Def. 2.3).

    With a = c + 1/2, M(c) = Π cosh(aε)/cosh(ε/2) and φ(θ) = cos θε + i tanh(aε) sin θε, so
    |φ|² = 1 - sin²(θε)/cosh²(aε).
    """

    given: tuple[tuple[exact.ExactEpsilon, int], ...]

    @cached_property
    def _epsilons(self) -> Floats:
        return np.array([nearest(e) for e, _ in self.given])

    @cached_property
    def _counts(self) -> Floats:
        return np.array([float(n) for _, n in self.given])

    @property
    def most(self) -> Fraction:
        numerators: Counter[int] = Counter()
        for e, n in self.given:
            high = exact.bracket(e, 40)[1]
            numerators[high.denominator] += n * high.numerator
        return sum((Fraction(n, d) for d, n in numerators.items()), Fraction(0))

    @property
    def lattice(self) -> Lattice | None:
        rational = [(e, n) for e, n in self.given if isinstance(e, Fraction)]
        if len(rational) < len(self.given) or len(rational) > 64:
            return None
        spacing = common(2 * e for e, _ in rational)
        return Lattice(sum((e * n for e, n in rational), Fraction(0)), spacing)

    @property
    def size(self) -> int:
        return len(self.given)

    def log_moment(self, order: float) -> Moment:
        e, n = self._epsilons, self._counts
        terms = order * e, np.log1p(np.exp(-(2 * order + 1) * e)), np.log1p(np.exp(-e))
        value = float(np.sum(n * (terms[0] + (terms[1] - terms[2]))))
        error = 8 * UNIT * float(np.sum(n * (sum(terms) * (1 + e))))
        return Moment(value, error + 40 * UNIT * abs(value))

    def guide(self, order: float) -> tuple[float, float]:
        e, n = self._epsilons, self._counts
        tanh = np.tanh((order + 0.5) * e)
        return float(np.sum(n * e * tanh)), float(np.sum(n * e**2 * self._decay(order)))

    def _decay(self, order: float) -> Floats:
        decay: Floats = 1 / np.cosh(np.minimum((order + 0.5) * self._epsilons, 300.0)) ** 2
        return decay

    def characteristic(self, order: float, frequencies: Floats) -> Logs:
        if len(self.given) * len(frequencies) >= _FEWEST:
            found = self._interpolated(order, frequencies)
            if found is not None:
                return found
        return self._directly(order, frequencies)

    def _directly(self, order: float, frequencies: Floats) -> Logs:
        total = Logs(np.zeros(len(frequencies), dtype=np.complex128), np.zeros(len(frequencies)))
        for e, n in self._chunks:
            phase = np.multiply.outer(e, frequencies)
            factor = np.empty(phase.shape, dtype=np.complex128)
            factor.real = np.cos(phase)
            factor.imag = np.sin(phase) * np.tanh((order + 0.5) * e)[:, None]
            part = powers(factor, SLACK + 8 * UNIT * phase, n)
            total = Logs(total.value + part.value, total.slack + part.slack)
        return total

    @property
    def _chunks(self) -> Iterator[tuple[Floats, Floats]]:
        for start in range(0, len(self.given), _CHUNK):
            part = slice(start, start + _CHUNK)
            yield self._epsilons[part], self._counts[part]

    def _interpolated(self, order: float, frequencies: Floats) -> Logs | None:
        """ln Φ from its values at Chebyshev's nodes of [-T, T], where they are the fewer.

        Let X be a tilted loss less its mean, |X| <= 2ε. For |z| <= r, 2εr <= 1,

            |E e^(zX) - 1| <= E[2cosh(rX) - 2] <= r² Var X · cosh 1 <= 0.39,

        so ln Φ, but for a term linear in z that any interpolation keeps, is analytic there and
        at most B = 2.6 r² ΣVar. Bernstein's ellipse of parameter ρ about [-iT, iT] lies in that
        disc if (ρ + 1/ρ)/2 <= r/T; a polynomial through N+1 nodes is then within
        4Bρ^-N/(ρ-1) of it (Trefethen 2013, Thm 8.2), and errors at nodes grow fourfold at most.
        """
        reach = float(np.max(frequencies)) * (1 + 1e-9)
        radius = 0.5 * (1 - 1e-9) / float(np.max(self._epsilons))
        if not 0 < 2 * reach < radius:
            return None
        rho = (radius / reach) * (1 + math.sqrt(1 - (reach / radius) ** 2)) * (1 - 1e-9)
        bound = 2.6 * radius**2 * self.guide(order)[1] * (1 + 1e-6) * 4 / (rho - 1)
        last = 2 * math.ceil(max(1.0, math.log(max(bound, 1e-14) * 1e15) / math.log(rho)) / 2)
        if last + 1 > _MOST_NODES or last // 2 >= len(frequencies):
            return None
        angles = np.pi * np.arange(last // 2 + 1) / last
        half = reach * np.cos(angles)
        half[-1] = 0.0
        logs = self._directly(order, half)  # the factors are near 1: no phase has gone round
        mean = self.guide(order)[0]
        values = logs.value - 1j * mean * half
        values = np.concatenate([values, np.conj(values[-2::-1])])
        nodes = np.concatenate([half, -half[-2::-1]])
        weights = np.where(np.arange(last + 1) % 2, -1.0, 1.0)
        weights[[0, -1]] /= 2
        gaps = frequencies[:, None] - nodes
        shares = weights / np.where(gaps == 0, 1e-30 * reach, gaps)
        result = (shares @ values) / np.sum(shares, axis=1) + 1j * mean * frequencies
        slack = 4 * float(np.max(logs.slack)) + bound * rho**-last
        slack += 64 * (last + 1) ** 2 * UNIT * float(np.max(np.abs(values)))
        return Logs(result, slack + 8 * UNIT * abs(mean) * frequencies)

    def ceiling(self, order: float, low: Floats, high: Floats) -> Floats:
        """Near 0 by sin²x >= x² - x⁴/3, in two sums; elsewhere factor by factor."""
        square, fourth = self._powers(order)
        ends = [-0.5 * t**2 * (square - t**2 * fourth / 3) for t in (low, high)]
        bound = np.minimum(np.maximum(*ends), 0.0) * (1 - 1e-9)
        far = high * self._largest > 1
        if len(self.given) <= 16:
            far[:] = True
        if far.any():
            bound[far] = self._far(order, low[far], high[far])
        return bound

    @cached_property
    def _largest(self) -> float:
        return float(np.max(self._epsilons))

    def _powers(self, order: float) -> tuple[float, float]:
        """Σ n d ε² and Σ n d ε⁴, d = 1/cosh²(aε)."""
        squares = self._counts * self._decay(order) * self._epsilons**2
        return float(np.sum(squares)), float(np.sum(squares * self._epsilons**2))

    def _far(self, order: float, low: Floats, high: Floats) -> Floats:
        total = np.zeros(len(low))
        decay, start = self._decay(order), 0
        for e, n in self._chunks:
            stay = total > -ENOUGH
            if not stay.any():
                break
            sine = np.sin(np.minimum(apart(low[stay], high[stay], np.pi / e) * e[:, None], 1.57))
            d = decay[start : start + len(e), None]
            total[stay] += log_ceiling(1 - d * (1 - 1e-12) * sine**2, n)
            start += len(e)
        return total


ENOUGH: Final = 200.0
"""A ceiling that many nats down is low enough for anything."""
