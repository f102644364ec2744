"""Unequal parameters: a certified interval by inverting the moment generating function.

For any law of the loss L and s = c + iθ with c > 0,

    H(e) = E[(1 - e^(e-L))₊] = (1/2π) ∫ M(s) e^(-se) / (s(s+1)) dθ.

M is a product in closed form, so no law is ever convolved. What would keep the integral
from being computed is that M need not decay. So we compose with one more mechanism, the
Gaussian one with loss N(v/2, v), which multiplies M by e^(vs(s+1)/2):

* *Upper end.* One more mechanism can only add to what is leaked: H <= H_v.
* *Lower end.* Let f_u be the density of L + N(u/2, u). Then ∂H_u/∂u = f_u(e)/2, since the
  kernel K(e) = (1 - e^(e-y))₊ solves K'' - K' = δ_y and N(u/2, u) is the fundamental
  solution of 2∂_u = ∂² - ∂. And f_u <= √(v/u) e^((v-u)/8) f_v for u <= v, as that holds for
  the two Gaussian densities at every point. Integrating over u from 0 to v,

      0 <= H_v(e) - H(e) <= v e^(v/8) f_v(e).

  In ε that is about v(1+c), because f_v/|∂H/∂e| ≈ 1 + c; v is chosen from the width asked for.

H_v and f_v are then sums over θ = nτ (the trapezoidal rule). By Poisson's formula the rule
adds e^(cmP) H_v(e+mP), P = 2π/τ, m ≠ 0: never negative, so the upper end stays one, and the
lower end subtracts Chernoff's bound of it. The factors of |M(c+iθ)/M(c)| are at most 1 each,
so a frequency is dropped as soon as some of them make it negligible; all that is dropped,
and every rounding, is added to the error.

The usual way is to convolve on a grid, each loss split over two points of it. That too is
a little noise on every loss, with the same lower end to argue for; but k times of it, so that
a grid has to be finer by √k than v, and with the round-off of an FFT in the tails.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property
from typing import Final, NamedTuple

import attrs
import numpy as np

from antiphon.composition.accounting.responses.frequencies import NATS, Kept, Sieve, product
from antiphon.composition.accounting.responses.losses import Losses, Rung, remembered
from antiphon.numbers import exact
from antiphon.numbers.interval import UNIT, Interval, outward, probability

_ROOM: Final = 2
"""How much narrower than asked the interval is where the law is smooth."""
_FINER: Final = 8.0
"""How much v is reduced where the law is not, and the interval too wide."""
_REFINED: Final = 4
_CHEAP: Final = 1 << 24
"""Factors of the kept frequencies up to which that is done."""


class Contours:
    """H of Comp[RR_{ε_i,0}] to about ``width`` in ε; each contour is computed once.

    The interval may be wider within √v of an atom: v f_v(e) is then √(v/2π) of its mass.
    """

    def __init__(self, losses: Losses, width: float) -> None:
        self._losses, self._width = losses, min(width, 1.0)
        self._least = Fraction(float(np.min(losses.epsilons)) * (1 - UNIT))
        self._known: dict[tuple[int, int], Contour] = {}

    def stick(self, at: exact.ExactEpsilon) -> Interval[float]:
        """Bounds on H(at). Raises: Intractable where ``width`` takes too long."""
        low = exact.bracket(at, 40)[0]
        if 0 < self._losses.total - low <= 2 * self._least:
            return self._losses.top(float(self._losses.total - low))
        e = float(low)
        if self._losses.mean(0.0) > e:
            complement = math.exp(min(0.0, self._losses.log_complement(e) + 1e-6))
            if complement < 2.0**-60:
                return Interval(1 - 2.0**-53, 1.0)
        number = self._losses.rung_near(e)
        contour = self._contour(number, 0)
        for finer in range(1, _REFINED):
            if contour.width(e) <= self._width or contour.work > _CHEAP:
                break
            contour = self._contour(number, finer)
        return contour.stick(at)

    def _contour(self, number: int, finer: int) -> Contour:
        def make() -> Contour:
            rung = self._losses.rung(number)
            scale = max(rung.spread, 1 / rung.order)
            noise = min(self._width / (_ROOM * (1 + rung.order)), scale**2 / 1000)
            return Contour(self._losses, rung, noise / _FINER**finer)

        return remembered(self._known, (number, finer), make)


class Alias(NamedTuple):
    """Chernoff's bound at c + shift on the aliases of one side."""

    shift: float
    log: float
    """ln of M_v(c+shift)/M_v(c), and e^(-shift Σε_i) of it."""


@attrs.frozen(eq=False)
class Contour:
    """H and its bounds from the line Re s = c, with the noise variance v.

    Sums are in units of M_v(c) e^(-ce).
    """

    losses: Losses
    rung: Rung
    noise: float

    def stick(self, at: exact.ExactEpsilon) -> Interval[float]:
        """Bounds on H(at); the nearer ``at`` to the saddle, the better."""
        e = exact.bracket(at, 40)[0]
        excess = float(self.losses.total - e)
        value, density, _ = self._sums(float(e))
        error, density_error = self._errors(float(e))
        smoothing = self.noise * (1 + self.noise) * (density + density_error)
        lower = value - error - self._aliases(excess) - smoothing
        log, slack = self._log_scale(excess)
        return probability(
            outward(_scaled(lower, log - slack), _scaled(value + error, log + slack))
        )

    def width(self, at: float) -> float:
        """The width of the interval at ``at``, as an ε; roughly."""
        _, density, slope = self._sums(at)
        return self.noise * density / max(slope, 1e-300)

    @property
    def work(self) -> float:
        """How many factors are behind what is kept; a frequency itself counts as some."""
        return len(self.kept.frequencies) * max(len(self.losses.epsilons), 16)

    def _sums(self, at: float) -> tuple[float, float, float]:
        """H_v(at), f_v(at) and -∂H_v/∂e, all with their aliases."""
        kept, share = self.kept, self.step / math.pi
        phases = kept.frequencies * (at - self.noise * (self.rung.order + 0.5))
        cosine, sine = np.cos(phases), np.sin(phases)
        value, density, slope = (
            share * float(np.sum(each.real * cosine + each.imag * sine))
            for each in (kept.kernel, kept.plain, kept.slope)
        )
        return value, density, slope

    @cached_property
    def kept(self) -> Kept:
        """The frequencies that matter."""
        return Sieve(self.losses, self.rung.order, self.noise, self.step).keep()

    # --- rounding ------------------------------------------------------------------------------

    def _errors(self, at: float) -> tuple[float, float]:
        """Bounds on the errors of ``_sums``: what was dropped, and rounding.

        To those of ``kept`` come, for every frequency, the phase θe and the sum itself.
        """
        fixed, slope = self.losses.wrong_phases
        fixed, slope = fixed + 256, slope + 4 * at + 4
        share = 1.01 * self.step / math.pi
        value, density = (
            share * (UNIT * (fixed * weights + slope * weighted) + dropped)
            for (weights, weighted), dropped in zip(self._weights, self.kept.dropped, strict=True)
        )
        return value, density

    @cached_property
    def _weights(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Σ w and Σ θw over what is kept, for w = |1/s(s+1)| e^(-vθ²/2) and e^(-vθ²/2)."""
        frequencies = self.kept.frequencies
        plain = np.exp(-self.noise * frequencies**2 / 2)
        kernel = plain / np.abs(product(self.rung.order, frequencies))
        value, density = (
            (float(np.sum(each)), float(np.sum(frequencies * each))) for each in (kernel, plain)
        )
        return value, density

    def _log_scale(self, excess: float) -> tuple[float, float]:
        """ln M_v(c) e^(-ce) for e = Σε_i - excess, and a bound on its error."""
        (log, slack), linear = self._scale, self.rung.order * excess
        return log + linear, slack + 8 * UNIT * (1 + abs(linear) + abs(log))

    @cached_property
    def _scale(self) -> tuple[float, float]:
        return self._log_moment(0.0), self.losses.log_moment_error(self.rung.order)

    def _log_moment(self, shift: float) -> float:
        """ln M_v(c+shift) - (c+shift)Σε_i."""
        order = self.rung.order + shift
        return self.losses.log_moment(order) + self.noise * order * (order + 1) / 2

    # --- aliases -------------------------------------------------------------------------------

    def _aliases(self, excess: float) -> float:
        """Bound on Σ e^(cmP) H_v(e+mP), m ≠ 0."""
        total = 0.0
        for shift, log in self._spacing[1]:
            decay = -abs(shift) * (math.tau / self.step)
            total += math.exp(min(log + shift * excess + decay, 700.0)) / -math.expm1(decay)
        return 1.01 * total

    @cached_property
    def _spacing(self) -> tuple[float, tuple[Alias, Alias]]:
        """P, and the shifts with which aliases are e^-33 of H(e).

        For e from three spreads below the saddle to one above.
        """
        c, at, spread, _ = self.rung
        total, base = float(self.losses.total), self._log_moment(0.0)
        ends = [total - e for e in (max(at - 3 * spread, 0.0), at + spread)]
        above = [c * 2.0 ** (i / 2) for i in range(-16, 12)]
        below = [-d for d in above if d <= c]
        aim = -NATS - math.log(c) - math.log1p(c)

        def needed(alias: Alias) -> float:
            grown = max(alias.log + alias.shift * excess for excess in ends)
            return (grown - aim) / abs(alias.shift)

        left, right = (
            min((Alias(d, self._log_moment(d) - base) for d in side), key=needed)
            for side in (below, above)
        )
        return max(needed(left), needed(right)), (left, right)

    @cached_property
    def step(self) -> float:
        """τ = 2π/P or somewhat less, with so few bits that nτ is exact."""
        mantissa, exponent = math.frexp(math.tau / self._spacing[0])
        return math.ldexp(math.floor(mantissa * 2**20), exponent - 20)


def _scaled(value: float, log: float) -> float:
    """value · e^log, within two units of its size where that is not tiny."""
    return math.copysign(math.exp(min(log + math.log(abs(value)), 700.0)), value) if value else 0.0
