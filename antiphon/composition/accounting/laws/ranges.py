"""Losses of a bounded-range mechanism, and of the Gaussian one: laws with a density."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property

import attrs
import numpy as np

from antiphon.composition.accounting.laws.loss import (
    SLACK,
    Logs,
    LossLaw,
    Moment,
    log_ceiling,
    powers,
)
from antiphon.numbers.interval import UNIT, Floats


@attrs.frozen(eq=False)
class Ranges(LossLaw):
    """Σ of n_i losses with density e^((x-η)/2)/(2(1-e^(-η))) on [-η, η].

    With a = c + 1/2, M(c) = sinh(aη)/(2a sinh(η/2)) and
    φ(θ) = (cos θη + i coth(aη) sin θη)/(1 + iθ/a). |φ| falls until θη = π, since
    sin x cos x (x²+y²) <= x (sinh²y + sin²x) there; and always
    |φ|² <= coth²(aη)/(1 + θ²/a²), with equality at θη = π/2.
    """

    given: tuple[tuple[Fraction, int], ...]

    @cached_property
    def _etas(self) -> Floats:
        return np.array([float(eta) for eta, _ in self.given])

    @cached_property
    def _counts(self) -> Floats:
        return np.array([float(n) for _, n in self.given])

    @property
    def most(self) -> Fraction:
        return sum((eta * n for eta, n in self.given), Fraction(0))

    @property
    def size(self) -> int:
        return len(self.given)

    def log_moment(self, order: float) -> Moment:
        x, y = (order + 0.5) * self._etas, self._etas / 2
        value = self._counts * (_log_sinhc(x) - _log_sinhc(y))
        lost = self._counts * (4 * SLACK + 8 * UNIT * (x + y))
        rest = self.size * UNIT * float(np.sum(np.abs(value)))
        return Moment(float(np.sum(value)), float(np.sum(lost)) + rest)

    def guide(self, order: float) -> tuple[float, float]:
        a = order + 0.5
        x = np.minimum(a * self._etas, 300.0)
        near = x < 1e-2
        x = np.maximum(x, 1e-2)
        means = np.where(near, a * self._etas**2 / 3, self._etas / np.tanh(x) - 1 / a)
        spread = np.where(near, self._etas**2 / 3, 1 / a**2 - (self._etas / np.sinh(x)) ** 2)
        return float(np.sum(self._counts * means)), float(np.sum(self._counts * spread))

    def characteristic(
        self, order: float, frequencies: Floats, enough: Floats | None = None
    ) -> Logs:
        a = order + 0.5
        x = np.multiply.outer(self._etas, frequencies)
        coth = 1 / np.tanh(a * self._etas)[:, None]
        below = 1 + 1j * frequencies / a
        factor = (np.cos(x) + 1j * coth * np.sin(x)) / below
        wrong = (SLACK + 8 * UNIT * x) * (1 + coth * np.minimum(x, 1.0)) / np.abs(below)
        return powers(factor, np.minimum(wrong + SLACK, 1.0), self._counts)

    def ceiling(
        self, order: float, low: Floats, high: Floats, enough: Floats | None = None
    ) -> Floats:
        a = order + 0.5
        y = np.minimum(a * self._etas, 300.0)[:, None]
        sine = np.sin(np.minimum(np.multiply.outer(self._etas, low), np.pi / 2))
        squared = (1 + (sine / np.sinh(y)) ** 2) * (1 + 4 * SLACK) / (1 + (low / a) ** 2)
        return log_ceiling(squared, self._counts)


def _log_sinhc(x: Floats) -> Floats:
    """ln (sinh x / x) for x > 0."""
    near = np.minimum(x, 20.0)
    return np.where(
        x < 20.0,
        np.log(np.sinh(near) / near),
        x + np.log1p(-np.exp(-2 * x)) - np.log(2 * x),
    )


@attrs.frozen(eq=False)
class Normal(LossLaw):
    """N(v/2, v): the losses of Gaussian mechanisms with Σμ² = v; M(s) = e^(vs(s+1)/2)."""

    variance: Fraction

    @property
    def most(self) -> None:
        return None

    @property
    def size(self) -> int:
        return 1

    @cached_property
    def _variance(self) -> float:
        return float(self.variance)

    def log_moment(self, order: float) -> Moment:
        value = self._variance * order * (order + 1) / 2
        return Moment(value, 8 * UNIT * value)

    def guide(self, order: float) -> tuple[float, float]:
        return self._variance * (order + 0.5), self._variance

    def characteristic(
        self, order: float, frequencies: Floats, enough: Floats | None = None
    ) -> Logs:
        square = self._variance * frequencies**2 / 2
        phase = self._variance * (order + 0.5) * frequencies
        return Logs(-square + 1j * phase, SLACK * (1 + square + phase))

    def ceiling(
        self, order: float, low: Floats, high: Floats, enough: Floats | None = None
    ) -> Floats:
        return -self._variance * low**2 / 2 * (1 - 1e-9)

    def cell(self, order: float) -> float:
        return math.inf

    def beyond(self, nats: float) -> float:
        """The frequency from which on |Φ| <= e^-nats."""
        return math.sqrt(2 * nats / self._variance) * (1 + 1e-9)
