"""Which frequencies of a contour matter, and the integrand there (see ``contour``)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final, TypeAlias

import attrs
import numpy as np
import numpy.typing as npt

from antiphon.composition.accounting.responses.losses import Losses
from antiphon.numbers.errors import Intractable
from antiphon.numbers.interval import UNIT, Floats

Complexes: TypeAlias = npt.NDArray[np.complex128]

NATS: Final = 33.0
"""A term of H is neglected below e^-33 = 5e-15 of the largest one (its bound is added)."""
_DENSITY_NATS: Final = 21.0
"""The same for a term of f_v, which matters for the width only: e^-21 = 8e-10."""
_HALF_CELL: Final = 0.15
"""Largest change of a phase θε from the middle of a cell of frequencies to its end."""
_CHUNK: Final = 1 << 13
_BLOCK: Final = 8
LIMIT: Final = 1 << 32
"""Factors evaluated, at most: about half a minute."""
MOST: Final = 1 << 22
"""Frequencies kept, at most: 160 MB."""
_CURE: Final = "(ask for a larger `width` in epsilon, or account for fewer distinct parameters)"


@attrs.frozen(eq=False)
class Kept:
    """The frequencies θ >= 0 that matter, and the integrand there but for e^(-iθe).

    ``plain`` is M(c+iθ)/M(c) e^(-vθ²/2), half of that at θ = 0; ``kernel``, that over s(s+1);
    ``slope``, that over s+1.
    ``dropped`` bounds the sums of |kernel| and of |plain| over all other multiples of τ.
    """

    frequencies: Floats
    kernel: Complexes
    slope: Complexes
    plain: Complexes
    dropped: tuple[float, float]


class Sieve:
    """Goes through θ = 0, τ, 2τ, … and drops what some factors already make negligible.

    With a = c + 1/2, the factor of RR_ε is cos(θε) + i tanh(aε) sin(θε), so its squared
    modulus is 1 - sin²(θε)/cosh²(aε) <= 1. Neighbouring frequencies are first judged by
    cells: |sin| changes by no more than its argument.
    """

    def __init__(self, losses: Losses, order: float, noise: float, step: float) -> None:
        self.order, self.noise, self.step = order, noise, step
        a = (order + 0.5) * losses.epsilons
        self._decay = 1 / np.cosh(np.minimum(a, 300.0)) ** 2
        importance = losses.counts * self._decay * losses.epsilons**2
        # Strong factors first; among equals unlike ones, as equal phases drop the same cells.
        scattered = np.modf(np.arange(len(a)) * 0.6180339887498949)[0]
        importance = np.floor(np.log2(np.maximum(importance, 1e-300)) / 2)
        place = np.lexsort((scattered, -importance))
        self._epsilons, self._counts = losses.epsilons[place], losses.counts[place]
        self._decay, self._tanh = self._decay[place], np.tanh(a[place])
        self._wrong = losses.wrong_phases
        self._work = self._held = 0
        self._dropped = [0.0, 0.0]

    def keep(self) -> Kept:
        """Raises: Intractable past ``LIMIT`` factors."""
        end = math.ceil(math.sqrt(2 * _DENSITY_NATS / self.noise) / self.step)
        chunks = [self._values(each) for each in self._candidates(end)]
        self._tail(end * self.step)
        frequencies = np.concatenate([each for each, _ in chunks])
        values = np.concatenate([each for _, each in chunks])
        values[frequencies == 0] /= 2
        values *= np.exp(-self.noise * frequencies**2 / 2)
        kernel = values / product(self.order, frequencies)
        slope = kernel * (self.order + 1j * frequencies)
        return Kept(frequencies, kernel, slope, values, (self._dropped[0], self._dropped[1]))

    def _negligible(self, frequencies: Floats) -> Floats:
        """|M(c+iθ)/M(c)|² below which a frequency is dropped."""
        kernel = np.abs(product(self.order, frequencies)) / (self.order * (self.order + 1))
        least: Floats = np.minimum(kernel * math.exp(-NATS), math.exp(-_DENSITY_NATS)) ** 2
        return least

    def _weight(self, frequencies: Floats) -> tuple[Floats, Floats]:
        """|1/(s(s+1))| e^(-vθ²/2) and e^(-vθ²/2), both falling in θ."""
        plain = np.exp(-self.noise * frequencies**2 / 2)
        return plain / np.abs(product(self.order, frequencies)), plain

    def _drop(self, frequencies: Floats, modulus: Floats, each: int = 1) -> None:
        modulus = 1.01 * each * np.maximum(modulus, 1e-150)
        for i, weight in enumerate(self._weight(frequencies)):
            self._dropped[i] += float(np.sum(modulus * weight))

    def _tail(self, start: float) -> None:
        """All θ >= start: Σ e^(-vθ²/2) <= e^(-v start²/2)(1 + 1/(vτ start))."""
        total = math.exp(-self.noise * start**2 / 2) * (1 + 1 / (self.noise * start * self.step))
        self._dropped[0] += 1.01 * total / start**2
        self._dropped[1] += 1.01 * total

    def _count(self, factors: int) -> None:
        self._work += factors
        if self._work > LIMIT:
            raise Intractable(f"factors of a certified interval {_CURE}", self._work, LIMIT)

    def _candidates(self, end: int) -> Iterator[Floats]:
        """Frequencies nτ, 0 <= n < end or somewhat more, of cells that are not negligible."""
        widest = float(np.max(self._epsilons)) * self.step
        size = max(1, math.floor(2 * _HALF_CELL / widest)) if widest else 1
        inside = np.arange(size, dtype=np.float64)
        if end // size * _BLOCK > LIMIT:
            self._count(end // size * _BLOCK)
        for start in range(0, end, size * _CHUNK):
            cells = np.arange(start, min(end, start + size * _CHUNK), size, dtype=np.float64)
            yield from self._split(self._sift(cells, size), inside)

    def _sift(self, cells: Floats, size: int) -> Floats:
        """The first indices of the cells that are left."""
        squared, negligible = np.ones_like(cells), self._negligible(cells * self.step)
        for start in range(0, len(self._epsilons), _BLOCK):
            self._count(_BLOCK * len(cells))
            middles = (cells + (size - 1) / 2) * self.step
            slack = 1e-8 + 8 * UNIT * float(middles[-1] * np.max(self._epsilons))
            for epsilon, decay, count in self._factors(start, self._decay):
                sure = np.abs(np.sin(middles * epsilon))
                sure -= slack + epsilon * self.step * (size - 1) / 2
                np.maximum(sure, 0.0, out=sure)
                sure *= sure
                factor = 1 - decay * sure
                squared *= factor if count == 1 else factor**count
            gone = squared < negligible
            if gone.any():
                self._drop(cells[gone] * self.step, np.sqrt(squared[gone]), size)
                cells, squared, negligible = cells[~gone], squared[~gone], negligible[~gone]
            if not len(cells):
                break
        return cells

    def _split(self, cells: Floats, inside: Floats) -> Iterator[Floats]:
        at_once = max(1, _CHUNK // len(inside))
        for start in range(0, len(cells), at_once):
            yield np.add.outer(cells[start : start + at_once], inside).ravel() * self.step

    def _factors(self, start: int, other: Floats) -> zip[tuple[float, float, float]]:
        part = slice(start, start + _BLOCK)
        each = (self._epsilons[part], other[part], self._counts[part])
        return zip(*(column.tolist() for column in each), strict=True)

    def _values(self, frequencies: Floats) -> tuple[Floats, Complexes]:
        """The product of all factors, where it is not negligible."""
        values = np.ones(len(frequencies), dtype=np.complex128)
        negligible = self._negligible(frequencies)
        for start in range(0, len(self._epsilons), _BLOCK):
            self._count(4 * _BLOCK * len(frequencies))
            for epsilon, tanh, count in self._factors(start, self._tanh):
                phases = frequencies * epsilon
                factor = np.empty_like(values)
                factor.real, factor.imag = np.cos(phases), tanh * np.sin(phases)
                values *= factor if count == 1 else _power(factor, int(count))
            squared = values.real**2 + values.imag**2
            gone = squared < negligible
            if gone.any():
                wrong = UNIT * (self._wrong[0] + self._wrong[1] * frequencies[gone])
                self._drop(frequencies[gone], np.sqrt(squared[gone]) + wrong)
                frequencies, values = frequencies[~gone], values[~gone]
                negligible = negligible[~gone]
            if not len(values):
                break
        self._held += len(values)
        if self._held > MOST:
            raise Intractable(f"frequencies of a certified interval {_CURE}", self._held, MOST)
        return frequencies, values


def product(order: float, frequencies: Floats) -> Complexes:
    """s(s+1) for s = c + iθ, without cancellation for small c."""
    result = np.empty(len(frequencies), dtype=np.complex128)
    result.real = order * (order + 1) - frequencies**2
    result.imag = (2 * order + 1) * frequencies
    return result


def _power(base: Complexes, exponent: int) -> Complexes:
    """base^exponent by squaring: at most two roundings for every factor."""
    result = np.ones_like(base)
    while exponent:
        if exponent & 1:
            result = result * base
        exponent >>= 1
        base = base * base
    return result
