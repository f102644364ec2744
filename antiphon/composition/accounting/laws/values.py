"""Losses with finitely many values, and mixtures of losses."""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Final

import attrs
import numpy as np

from antiphon.composition.accounting.laws import loss
from antiphon.composition.accounting.laws.loss import Enough, Logs
from antiphon.numbers.interval import UNIT, Floats

_DIFFERENCES: Final = 16
_CHUNK: Final = 1 << 12


@attrs.frozen(eq=False)
class Values(loss.LossLaw):
    """The sum of ``count`` equal independent losses with finitely many values and their masses.

    |φ|² = 1 - 4Σ_{a<b} m_a m_b sin²(θ(L_a-L_b)/2), m_a the tilted mass of the loss L_a, so that the
    largest few terms of the sum give a bound.
    """

    losses: Floats
    masses: Floats
    count: int
    highest: Fraction
    """An upper bound on each single loss."""
    place: loss.Lattice | None = None
    """The lattice of each single loss; None if it has none."""

    @property
    def most(self) -> Fraction:
        return self.highest * self.count

    @property
    def lattice(self) -> loss.Lattice | None:
        if self.place is None:
            return None
        return loss.Lattice(self.place.offset * self.count, self.place.spacing)

    @property
    def size(self) -> int:
        return len(self.losses)

    @cached_property
    def _top(self) -> float:
        return float(np.max(self.losses))

    def _tilted(self, order: float) -> tuple[Floats, float]:
        weights = self.masses * np.exp(order * (self.losses - self._top))
        return weights, float(np.sum(weights))

    def _lost(self, order: float) -> float:
        """A bound on the total relative error of the tilted masses."""
        weights, total = self._tilted(order)
        gaps = float(np.sum(weights * (self._top - self.losses))) / total
        size = float(np.max(np.abs(self.losses)))
        return UNIT * (len(weights) + 16 + 16 * order * (gaps + size))

    def log_moment(self, order: float) -> loss.Moment:
        total = self._tilted(order)[1]
        value = order * self._top + math.log(total)
        error = self._lost(order) + 8 * UNIT * (1 + abs(order * self._top) + abs(value))
        return loss.Moment(self.count * value, self.count * error)

    def guide(self, order: float) -> tuple[float, float]:
        weights, total = self._tilted(order)
        mean = float(np.sum(weights * self.losses)) / total
        variance = float(np.sum(weights * (self.losses - mean) ** 2)) / total
        return self.count * mean, self.count * variance

    def characteristic(self, order: float, frequencies: Floats, enough: Enough = None) -> Logs:
        weights, total = self._tilted(order)
        factor = np.empty(len(frequencies), dtype=np.complex128)
        for start in range(0, len(frequencies), _CHUNK):
            part = slice(start, start + _CHUNK)
            phase = np.multiply.outer(frequencies[part], self.losses)
            factor[part] = np.exp(1j * phase) @ (weights / total)
        size = float(np.sum(weights * np.abs(self.losses))) / total
        wrong = loss.SLACK + self._lost(order) + 16 * UNIT * frequencies * size
        counts = np.array([float(self.count)])
        return loss.powers(factor[None, :], np.minimum(wrong, 1.0)[None, :], counts)

    def ceiling(self, order: float, low: Floats, high: Floats, enough: Enough = None) -> Floats:
        weights, total = self._tilted(order)
        masses = weights / total * (1 - 2 * self._lost(order))
        a, b = np.triu_indices(len(masses), 1)
        gaps = np.abs(self.losses[a] - self.losses[b])
        shares = 4 * masses[a] * masses[b]
        best = np.argsort(shares * gaps**2)[-_DIFFERENCES:]
        best = best[gaps[best] > 0]
        squared = np.ones(len(low))
        if len(best):
            turn = loss.off_grid(low, high, 2 * np.pi / gaps[best]) * gaps[best][:, None] / 2
            lost = 16 * UNIT * high * float(np.max(np.abs(self.losses)))
            sine = np.sin(np.clip(turn - lost, 0.0, 1.57))
            squared -= np.maximum(shares[best], 0.0) @ sine**2 * (1 - 1e-12)
        return loss.log_ceiling(np.maximum(squared, 0.0)[None, :], np.array([float(self.count)]))


@attrs.frozen(eq=False)
class Mixture(loss.LossLaw):
    """The sum of ``count`` independent losses, each drawn from one of ``laws`` with
    probabilities ``weights``."""

    weights: Sequence[Fraction]
    laws: Sequence[loss.LossLaw]
    count: int

    @property
    def most(self) -> Fraction | None:
        highest = [law.most for law in self.laws]
        known = [each for each in highest if each is not None]
        return max(known) * self.count if len(known) == len(highest) else None

    @property
    def lattice(self) -> loss.Lattice | None:
        """The mixture's lattice: the common divisor of all spacings and of gaps between offsets."""
        given = [law.lattice for law in self.laws]
        known = [each for each in given if each is not None]
        if len(known) < len(given):
            return None
        gaps = [abs(each.offset - known[0].offset) for each in known]
        spacing = loss.divisor([*(each.spacing for each in known), *(gap for gap in gaps if gap)])
        return loss.Lattice(known[0].offset * self.count, spacing)

    @property
    def size(self) -> int:
        return sum(law.size for law in self.laws)

    def _moments(self, order: float) -> tuple[loss.Moment, Floats, float]:
        """The ln E[e^(cL)] of one loss L, c = ``order``, the part of each law in that moment, and a
        bound on the error of these parts."""
        moments = [law.log_moment(order) for law in self.laws]
        logs = np.array([each.value for each in moments])
        top = float(np.max(logs))
        terms = np.array([float(weight) for weight in self.weights]) * np.exp(logs - top)
        total = float(np.sum(terms))
        wrong = max(each.error for each in moments)
        wrong += loss.SLACK * (len(terms) + float(np.max(np.abs(logs))))
        return loss.Moment(top + math.log(total), wrong), terms / total, 3 * wrong

    def log_moment(self, order: float) -> loss.Moment:
        value, error = self._moments(order)[0]
        return loss.Moment(self.count * value, self.count * (error + loss.SLACK * (1 + abs(value))))

    def guide(self, order: float) -> tuple[float, float]:
        shares = self._moments(order)[1]
        guides = np.array([law.guide(order) for law in self.laws])
        mean = float(shares @ guides[:, 0])
        variance = float(shares @ (guides[:, 1] + (guides[:, 0] - mean) ** 2))
        return self.count * mean, self.count * variance

    def characteristic(self, order: float, frequencies: Floats, enough: Enough = None) -> Logs:
        _, shares, wrong = self._moments(order)
        factor: loss.Complexes = np.zeros(len(frequencies), dtype=np.complex128)
        errors = np.full(len(frequencies), wrong + loss.SLACK)
        for share, law in zip(shares.tolist(), self.laws, strict=True):
            logs = law.characteristic(order, frequencies)
            each = share * np.exp(logs.value)
            factor += each
            errors += np.abs(each) * np.expm1(np.minimum(logs.slack, 700.0)) * (1 + 1e-9)
        counts = np.array([float(self.count)])
        return loss.powers(factor[None, :], np.minimum(errors, 1.0)[None, :], counts)

    def ceiling(self, order: float, low: Floats, high: Floats, enough: Enough = None) -> Floats:
        _, shares, wrong = self._moments(order)
        total = np.full(len(low), wrong)
        for share, law in zip(shares.tolist(), self.laws, strict=True):
            total += share * np.exp(law.ceiling(order, low, high))
        return loss.log_ceiling(total[None, :] ** 2, np.array([float(self.count)]))


def log_ratio(ratio: Fraction) -> float:
    """The logarithm of a rational, with a relative error of at most 16 · 2^-53."""
    if abs(ratio - 1) < Fraction(1, 2):
        return math.log1p(float(ratio - 1))
    return math.log(ratio.numerator) - math.log(ratio.denominator)
