"""Laws of the losses of Gaussian, discrete Gaussian and bounded-range mechanisms."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Final

import attrs
import numpy as np

from antiphon.composition.accounting.laws import loss
from antiphon.composition.accounting.laws.loss import Enough, Logs
from antiphon.numbers.interval import UNIT, Floats


@attrs.frozen(eq=False)
class Ranges(loss.GroupedLosses):
    """The loss of bounded-range mechanisms: the sum of groups of n_i independent losses with
    density e^((x-η)/2)/(2(1-e^(-η))) on [-η, η], η = η_i.

    With c and M as in ``LossLaw``, a = c + 1/2 and φ the Φ of one loss,
    M(c) = sinh(aη)/(2a sinh(η/2)) and
    φ(θ) = (cos θη + i coth(aη) sin θη)/(1 + iθ/a). |φ| falls until θη = π, since
    sin x cos x (x²+y²) <= x (sinh²y + sin²x) there; and always
    |φ|² <= coth²(aη)/(1 + θ²/a²), with equality at θη = π/2.
    """

    given: tuple[tuple[Fraction, int], ...]
    lattice: ClassVar[Any] = None

    @cached_property
    def _etas(self) -> Floats:
        return np.array([float(eta) for eta, _ in self.given])

    @property
    def most(self) -> Fraction:
        return sum((eta * n for eta, n in self.given), Fraction(0))

    def log_moment(self, order: float) -> loss.Moment:
        x, y = (order + 0.5) * self._etas, self._etas / 2
        value = self.counts * (_log_sinhc(x) - _log_sinhc(y))
        lost = self.counts * (4 * loss.SLACK + 8 * UNIT * (x + y))
        rest = self.size * UNIT * float(np.sum(np.abs(value)))
        return loss.Moment(float(np.sum(value)), float(np.sum(lost)) + rest)

    def guide(self, order: float) -> tuple[float, float]:
        a = order + 0.5
        x = np.minimum(a * self._etas, 300.0)
        near = x < 1e-2
        x = np.maximum(x, 1e-2)
        means = np.where(near, a * self._etas**2 / 3, self._etas / np.tanh(x) - 1 / a)
        spread = np.where(near, self._etas**2 / 3, 1 / a**2 - (self._etas / np.sinh(x)) ** 2)
        return float(np.sum(self.counts * means)), float(np.sum(self.counts * spread))

    def characteristic(self, order: float, frequencies: Floats, enough: Enough = None) -> Logs:
        a = order + 0.5
        x = np.multiply.outer(self._etas, frequencies)
        coth = 1 / np.tanh(a * self._etas)[:, None]
        below = 1 + 1j * frequencies / a
        factor = (np.cos(x) + 1j * coth * np.sin(x)) / below
        wrong = (loss.SLACK + 8 * UNIT * x) * (1 + coth * np.minimum(x, 1.0)) / np.abs(below)
        return loss.powers(factor, np.minimum(wrong + loss.SLACK, 1.0), self.counts)

    def ceiling(self, order: float, low: Floats, high: Floats, enough: Enough = None) -> Floats:
        a = order + 0.5
        y = np.minimum(a * self._etas, 300.0)[:, None]
        sine = np.sin(np.minimum(np.multiply.outer(self._etas, low), np.pi / 2))
        squared = (1 + (sine / np.sinh(y)) ** 2) * (1 + 4 * loss.SLACK) / (1 + (low / a) ** 2)
        return loss.log_ceiling(squared, self.counts)


def _log_sinhc(x: Floats) -> Floats:
    """The function ln (sinh x / x) for x > 0."""
    near = np.minimum(x, 20.0)
    return np.where(
        x < 20.0,
        np.log(np.sinh(near) / near),
        x + np.log1p(-np.exp(-2 * x)) - np.log(2 * x),
    )


@attrs.frozen(eq=False)
class Normal(loss.LossLaw):
    """The loss L ~ N(v/2, v) of Gaussian mechanisms with Σμ² = v; E[e^(sL)] = e^(vs(s+1)/2)."""

    variance: Fraction
    most: ClassVar[Any] = None
    lattice: ClassVar[Any] = None
    size: ClassVar[Any] = 1

    @cached_property
    def _variance(self) -> float:
        return float(self.variance)

    def log_moment(self, order: float) -> loss.Moment:
        value = self._variance * order * (order + 1) / 2
        return loss.Moment(value, 8 * UNIT * value)

    def guide(self, order: float) -> tuple[float, float]:
        return self._variance * (order + 0.5), self._variance

    def characteristic(self, order: float, frequencies: Floats, enough: Enough = None) -> Logs:
        square = self._variance * frequencies**2 / 2
        phase = self._variance * (order + 0.5) * frequencies
        return Logs(-square + 1j * phase, loss.SLACK * (1 + square + phase))

    def ceiling(self, order: float, low: Floats, high: Floats, enough: Enough = None) -> Floats:
        return -self._variance * low**2 / 2 * (1 - 1e-9)


_TERMS: Final = np.arange(-10.0, 11.0)
"""The indices n at which discrete Gaussian weights are summed where σ < 1 (the ϑ of ``Thetas``):
others are below e^-50 of the largest."""
_WAVES: Final = 2 * np.pi * np.arange(-1.0, 2.0)
"""The frequencies 2πm at which Poisson's formula sums discrete Gaussian weights where σ >= 1 (the ϑ
of ``Thetas``): others are below 2e^-44 of the largest."""
_CHUNK: Final = 1 << 7


@attrs.frozen(eq=False)
class Thetas(loss.GroupedLosses):
    """The loss of discrete Gaussian noise: the sum of groups of n_i independent losses L =
    Δ(Δ-2x)/(2σ²) of x ~ N_Z(0,σ²) against N_Z(Δ,σ²), each group with a σ and a Δ.

    Tilted by e^(cL), x is again a discrete Gaussian, about -cΔ. With
    ϑ(a,ω) = Σ_n e^(-(n+a)²/(2σ²)) e^(-iωn) and h = Δ/σ²,

        M(c) = e^(c(c+1)Δ²/(2σ²)) ϑ(cΔ,0)/ϑ(0,0),  φ(θ) = e^(iθhΔ/2) ϑ(cΔ,θh)/ϑ(cΔ,0).

    ϑ is summed as it stands for σ < 1, by Poisson's formula for σ >= 1:
    ϑ(a,ω) = √(2π)σ Σ_m e^(-σ²(ω+2πm)²/2) e^(ia(ω+2πm)). By Jacobi's product |ϑ(a,ω)| is made of
    factors |1 + ρe^(iω)|, so it falls from ω = 0 to π: a range of frequencies is bounded at the
    one nearest to a multiple of 2π/h. All σ are on one side of 1.
    """

    given: tuple[tuple[Fraction, int, int], ...]
    """The groups of equal losses, each (noise parameter σ, sensitivity Δ, number)."""
    most: ClassVar[Any] = None

    @cached_property
    def _sigmas(self) -> Floats:
        return np.array([float(sigma) for sigma, _, _ in self.given])

    @cached_property
    def _shifts(self) -> Floats:
        return np.array([float(shift) for _, shift, _ in self.given])

    @cached_property
    def _steps(self) -> Floats:
        """The lattice step h = Δ/σ² of each group's losses."""
        return np.array([float(shift / sigma**2) for sigma, shift, _ in self.given])

    @property
    def lattice(self) -> loss.Lattice | None:
        if len(self.given) > 64:
            return None
        spacing = loss.divisor([Fraction(shift) / sigma**2 for sigma, shift, _ in self.given])
        offset = sum(d * d * n / (2 * sigma**2) for sigma, d, n in self.given)
        return loss.Lattice(Fraction(offset), spacing)

    def _theta(self, part: slice, place: Floats, waves: Floats) -> loss.Complexes:
        """For the groups ``part``, the sum ϑ(a,ω) of discrete Gaussian weights, a in ``place`` and
        ω in ``waves``, up to a factor that is the same for all ω.

        For σ < 1 that factor is e^(a²/(2σ²)), else 1/(√(2π)σ).
        """
        sigma, a = self._sigmas[part][:, None, None], place[:, None, None]
        omega = waves[:, :, None]
        if self._narrow:
            weights = np.exp(-_TERMS * (_TERMS + 2 * a) / (2 * sigma**2))
            direct: loss.Complexes = np.sum(weights * np.exp(-1j * omega * _TERMS), axis=2)
            return direct
        each = omega + _WAVES
        waved: loss.Complexes = np.sum(np.exp(-((sigma * each) ** 2) / 2 + 1j * a * each), axis=2)
        return waved

    @property
    def _narrow(self) -> bool:
        return bool(self._sigmas[0] < 1)

    def _places(self, order: float) -> tuple[Floats, Floats, Floats]:
        """Each sensitivity Δ times c = ``order``: the integer nearest to cΔ, the remainder, and a
        bound on the effect of its rounding."""
        exactly = order * self._shifts
        whole = np.rint(exactly)
        return whole, exactly - whole, 8 * UNIT * (1 + exactly) * (1 + 1 / self._sigmas**2)

    def log_moment(self, order: float) -> loss.Moment:
        _, place, lost = self._places(order)
        none, every = np.zeros((self.size, 1)), slice(None)
        linear = order * (order + 1) * self._steps * self._shifts / 2
        top = np.log(self._theta(every, place, none)[:, 0].real)
        bottom = np.log(self._theta(every, 0 * place, none)[:, 0].real)
        scale = place**2 / (2 * self._sigmas**2) if self._narrow else 0.0
        value = self.counts * (linear + (top - bottom - scale))
        wrong = self.counts * (4 * loss.SLACK + lost + 8 * UNIT * (linear + scale))
        rest = self.size * UNIT * float(np.sum(np.abs(value)))
        return loss.Moment(float(np.sum(value)), float(np.sum(wrong)) + rest)

    def guide(self, order: float) -> tuple[float, float]:
        whole, place, _ = self._places(order)
        mean, variance = -order * self._shifts, self._sigmas**2
        if self._narrow:
            sigma, a = self._sigmas[:, None], place[:, None]
            weights = np.exp(-_TERMS * (_TERMS + 2 * a) / (2 * sigma**2))
            weights /= np.sum(weights, axis=1, keepdims=True)
            at = np.sum(weights * _TERMS, axis=1)
            mean = at - whole
            variance = np.sum(weights * (_TERMS - at[:, None]) ** 2, axis=1)
        losses = self._steps * (self._shifts / 2 - mean)
        spread = self._steps**2 * variance
        return float(np.sum(self.counts * losses)), float(np.sum(self.counts * spread))

    def characteristic(self, order: float, frequencies: Floats, enough: Enough = None) -> Logs:
        total = Logs(np.zeros(len(frequencies), dtype=np.complex128), np.zeros(len(frequencies)))
        whole, place, lost = self._places(order)
        for part in self._chunks:
            phase = np.multiply.outer(self._steps[part], frequencies)
            waves = phase - 2 * np.pi * np.rint(phase / (2 * np.pi))
            middle = (self._shifts[part] / 2 + whole[part])[:, None]
            factor = self._ratio(part, place, waves) * np.exp(1j * phase * middle)
            turned = 8 * UNIT * phase * (np.abs(middle) + self._sigmas[part][:, None] + 1)
            wrong = np.minimum(4 * loss.SLACK + lost[part][:, None] + turned, 1.0)
            each = loss.powers(factor, wrong, self.counts[part])
            total = Logs(total.value + each.value, total.slack + each.slack)
        return total

    def _ratio(self, part: slice, place: Floats, waves: Floats) -> loss.Complexes:
        """The characteristic function of the tilted losses of the groups ``part``, ϑ(a,ω)/ϑ(a,0) up
        to a phase; ϑ is the sum ``_theta``, a is in ``place``, and ω in ``waves``."""
        a = place[part]
        return self._theta(part, a, waves) / self._theta(part, a, np.zeros((len(a), 1)))

    @property
    def _chunks(self) -> Iterator[slice]:
        for start in range(0, self.size, _CHUNK):
            yield slice(start, start + _CHUNK)

    def ceiling(self, order: float, low: Floats, high: Floats, enough: Enough = None) -> Floats:
        total = np.zeros(len(low))
        _, place, lost = self._places(order)
        for part in self._chunks:
            steps = self._steps[part]
            waves = np.minimum(loss.off_grid(low, high, 2 * np.pi / steps) * steps[:, None], np.pi)
            modulus = np.abs(self._ratio(part, place, waves)) + 4 * loss.SLACK + lost[part][:, None]
            total += loss.log_ceiling(modulus**2, self.counts[part])
        return total
