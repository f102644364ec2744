"""Certified intervals of the hockey-stick divergence H of a composition, by Fourier inversion.

With L the loss, s = c + iθ, c > 0, and M(s) = E[e^(sL)],

    H(e) = E[(1 - e^(e-L))₊] = (1/2π) ∫ M(s) e^(-se) K(s) dθ.

* *Losses on a lattice* (offset + nh): the integral is over one period of length 2π/h. With y the
  next loss above e, x = y - e, u = e^(-sh), κ = e^(-x) and ρ = e^(-h), e^(-se) K(s) becomes
  e^(-sy) h Σ_n u^n (1 - κρ^n) = e^(-sy) h [(1-κ) + u(κ-ρ)]/((1-u)(1-uρ)).
* *Other losses*: the integral is over an infinite line, K(s) = 1/(s(s+1)), and one more Gaussian
  mechanism of loss N(v/2, v) makes M decay, by e^(vs(s+1)/2). Where there are Gaussian mechanisms
  among those composed, none is added. One more mechanism can only add privacy loss: H <= H_v, the
  upper end. For the lower one let f_u be the density of L + N(u/2, u). Then ∂H_u/∂u = f_u(e)/2,
  since the kernel K(e) = (1 - e^(e-y))₊ solves K'' - K' = δ_y and N(u/2, u) is the fundamental
  solution of 2∂_u = ∂² - ∂. And f_u <= √(v/u) e^((v-u)/8) f_v for u <= v, as that holds for the two
  Gaussian densities at every point. Integrating over u from 0 to v,

      0 <= H_v(e) - H(e) <= v e^(v/8) f_v(e).

  In ε that is about v(1+c), because f_v/|∂H/∂e| ≈ 1 + c; v is chosen from the width asked for.

Either way the integral is a sum over θ = nτ (trapezoidal rule). By Poisson's formula that adds
e^(cmP) H(e+mP), P = 2π/τ, for all m ≠ 0: never negative, so the upper end stays valid; the lower
end subtracts Chernoff's bound of that sum. All dropped terms and roundings are in the error bound.

The usual way is to convolve on a grid, each loss split over two points of it. That, too, adds a
little noise to every loss, but k times, so that the grid must be finer by √k than v, and the
round-off of an FFT spoils the tails.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property
from typing import Final, NamedTuple

import attrs
import numpy as np

from antiphon.composition.accounting.composed_loss import ALLOWED, HIGH, Product, order
from antiphon.composition.accounting.contour_frequencies import (
    NATS,
    SiftedFrequencies,
    on_a_lattice,
    on_the_line,
    sift,
)
from antiphon.composition.accounting.laws.loss import Complexes, Lattice, cached
from antiphon.composition.accounting.laws.responses import Responses
from antiphon.numbers import Intractable, exact
from antiphon.numbers.interval import UNIT, Floats, Interval, down, outward, probability

_ROOM: Final = Fraction(21, 10)
"""The quotient of the width asked for and the width that added noise may cause, about v(1+c) for
noise of variance v at the tilting order c."""
_FINER: Final = 8
_REFINED: Final = 4
_COARSER: Final = 4
"""The largest number of times that the noise of a slow inversion is made 64 times larger."""
_CHEAP: Final = {True: 1 << 20, False: 1 << 24}
"""The largest cost, in evaluated factors, of an inversion that is repeated with less noise."""
_LONGEST: Final = 1 << 16
"""The largest number of frequencies in a lattice's period; past it noise is added instead."""
_NOTHING: Final = -750.0
"""A logarithm below that of the least positive double."""
_END: Final = 60.0
"""The decay of the Gaussian factor, in nats, at which a line of integration ends."""


class Overlap(NamedTuple):
    """A Chernoff bound on H's tails, by tilting at c + ``shift``, c the order of the inversion."""

    shift: float
    log: float
    """The logarithm ln M(c+shift)/M(c) of the moments M(s) = E[e^(sL)], L the loss, rounded up."""


class HockeyStickBounds(NamedTuple):
    """Bounds on the divergence H, the width that noise adds to them, and an estimate of |H'|, in
    units of M(c)e^(-cy), M(c) = E[e^(cL)]: c is the order of the inversion, L the loss, and y its
    next possible value (``Target.next``)."""

    lower: float
    upper: float
    smoothing: float
    slope: float


class Sums(NamedTuple):
    """The terms of the inversion sum that do not depend on ε, with their error bounds."""

    here: Complexes
    after: Complexes | None
    slope: Complexes
    last: float
    """The largest kept frequency θ."""
    wrong: float
    wrong_by_turns: float
    """The sum's error per radian of phase error at the frequency 1; ``wrong`` bounds the rest."""
    wrong_density: float
    wrong_density_by_turns: float


class Target(NamedTuple):
    """A requested ε: ``next`` - ``gap``, with no possible loss between it and ``next``."""

    next: float
    gap: float
    rest: float
    """The lattice's spacing minus ``gap``."""


@attrs.frozen(eq=False)
class Inversions:
    """The divergence H of a composition, in intervals of about ``width``; contours are cached.

    ``relatively``: the width is relative to δ, too, not only absolute in ε. The interval may be
    wider within √v of an atom, v the noise's variance: v f_v(e) is then √(v/2π) of its mass.
    """

    product: Product
    width: float
    relatively: bool = attrs.field(kw_only=True)
    _known: dict[tuple[int, int, bool], Inversion] = attrs.field(
        factory=lambda: dict[tuple[int, int, bool], Inversion](), init=False
    )
    _refused: set[Inversion] = attrs.field(factory=lambda: set[Inversion](), init=False)

    def stick(self, at: exact.ExactEpsilon) -> Interval[float]:
        """Certified bounds on H(at). Raises: Intractable where ``width`` takes too long."""
        only = self.product.laws[0] if len(self.product.laws) == 1 else None
        if type(only) is Responses and (known := only.stick(at)) is not None:
            return known
        if self._is_nothing(down(at)):
            return Interval(0.0, 5e-324)
        if (lattice := self.product.lattice) is not None:
            place = placed(at, lattice)
            found = self._contour(0, place, lattice)
            if found.lattice is not None:
                return found.stick(place)
        return self._on_the_line(placed(at, None)).stick(placed(at, None))

    def _is_nothing(self, at: float) -> bool:
        """Whether H(at) is below the least positive double, by Chernoff's bound."""
        c = order(self.product.rung_near(at))
        log, error = self.product.log_moment(c)
        return log + error - c * at * (1 - 8 * UNIT) < _NOTHING

    def _on_the_line(self, place: Target) -> Inversion:
        """An inversion along an infinite line, with the least added noise that is affordable."""
        if (best := self._sifted(0, place)) is None:
            coarser = (self._sifted(-each, place) for each in range(1, _COARSER))
            found = next((each for each in coarser if each is not None), None)
            return found or self._contour(-_COARSER, place, None)
        for finer in range(1, _REFINED):
            wide = best.is_wide(place, self.width, relatively=self.relatively)
            if not wide or best.work > _CHEAP[self.relatively]:
                break
            best = self._sifted(finer, place) or best
        return best

    def _sifted(self, finer: int, place: Target) -> Inversion | None:
        """An inversion, after the selection of its frequencies; None if it would take too long."""
        found = self._contour(finer, place, None)
        try:
            return found if found not in self._refused and found.work else None
        except Intractable:
            self._refused.add(found)
            return None

    def _contour(self, finer: int, place: Target, lattice: Lattice | None) -> Inversion:
        number = self.product.rung_near(place.next, ALLOWED if self.relatively else HIGH)

        def made() -> Inversion:
            c = order(number)
            spread = math.sqrt(self.product.guide(c)[1])
            noise = self._noise(c, spread) / Fraction(_FINER if finer > 0 else _FINER**2) ** finer
            return make(self.product, c, place.next, spread, noise, lattice)

        key = number, finer, lattice is None
        found = cached(self._known, key, made)
        if not found.reaches(place):
            found = self._known[key] = made()
        return found

    def _noise(self, c: float, spread: float) -> Fraction:
        aim = Fraction(min(self.width, 1.0)) / (_ROOM * Fraction(1 + c))
        if self.relatively:
            aim /= Fraction(max(1.0, c))
        if self.product.variance >= aim:
            return Fraction(0)
        scale = Fraction(max(spread, 1 / c))
        return Fraction(float(min(aim, scale**2 / 1000)))


def placed(at: exact.ExactEpsilon, lattice: Lattice | None) -> Target:
    """A requested ε (``at``), with the next loss above it if all losses lie on a lattice."""
    e = exact.bracket(at, 40)[0]
    if lattice is None:
        return Target(float(e), 0.0, 0.0)
    offset, spacing = lattice
    above = offset + (math.floor((e - offset) / spacing) + 1) * spacing
    return Target(float(above), float(above - e), float(spacing - (above - e)))


@attrs.frozen(eq=False)
class Inversion:
    """A numerical inversion along the line Re s = c, c = ``order``; ``noise`` is the variance of
    the added Gaussian loss."""

    product: Product
    order: float
    noise: float
    lattice: Lattice | None
    step: float
    end: int
    aliases: tuple[Overlap, Overlap]
    _known: dict[Target, HockeyStickBounds] = attrs.field(
        factory=dict[Target, HockeyStickBounds], init=False
    )

    def stick(self, place: Target) -> Interval[float]:
        """Certified bounds on the hockey-stick divergence H at a requested ε."""
        bounds = self._stick(place)
        linear = self.order * place.next
        log, slack = self.product.log_moment(self.order)
        slack += 8 * UNIT * (1 + abs(linear) + abs(log))
        ends = [
            _scaled(value, log - linear + math.copysign(slack, sign * value))
            for value, sign in ((bounds.lower, -1), (bounds.upper, 1))
        ]
        return probability(outward(*ends))

    def is_wide(self, place: Target, width: float, *, relatively: bool) -> bool:
        """Whether added noise makes an interval wider than ``width``: ``relatively`` to δ, or in
        ε."""
        bounds = self._stick(place)
        return bounds.smoothing > width * (bounds.upper if relatively else bounds.slope)

    @property
    def work(self) -> int:
        """The cost of an inversion: the kept frequencies times the factors of each."""
        return len(self._frequencies) * max(self.product.size, 16)

    def reaches(self, place: Target) -> bool:
        """Whether the aliasing error is small at this requested ε."""
        scale = -math.log(self.order) - math.log1p(self.order)
        return self._aliases(place.next) <= math.exp(scale - NATS / 1.5)

    def _stick(self, place: Target) -> HockeyStickBounds:
        return cached(self._known, place, lambda: self._summed(place))

    def _summed(self, place: Target) -> HockeyStickBounds:
        sums, share = self._sums, self.step / math.tau
        phases = self._frequencies * place.next
        cosine, sine = np.cos(phases), np.sin(phases)

        def turned(values: Complexes) -> float:
            """The sum Re Σ values · e^(-iθy) over the frequencies θ, y = ``place.next``."""
            return float(np.sum(values.real * cosine + values.imag * sine))

        worst = 8 * UNIT * sums.last * abs(place.next)  # The largest rounding error of a phase θy.
        growth = math.expm1(worst) / worst if 0 < worst < 1 else 1.0
        turns = 8 * UNIT * abs(place.next) * growth if worst < 1 else math.inf
        value = turned(sums.here)
        if sums.after is not None:
            value *= -math.expm1(-place.gap)
            value -= math.exp(-place.gap) * math.expm1(-place.rest) * turned(sums.after)
        error = sums.wrong + turns * sums.wrong_by_turns + 2 * self._dropped[0]
        smoothing = slope = wrong = 0.0
        if self.noise:
            scale = self.noise * math.exp(self.noise / 8) * (1 + 1e-9) * share
            smoothing, slope = scale * turned(self._weights), share * turned(sums.slope)
            wrong = sums.wrong_density + turns * sums.wrong_density_by_turns
            wrong = scale * (wrong + 2 * self._dropped[1])
        value, error = share * value, share * error * (1 + 1e-9)
        lower = value - error - self._aliases(place.next) - smoothing - wrong
        return HockeyStickBounds(lower, value + error, smoothing, slope)

    @cached_property
    def _kept(self) -> SiftedFrequencies:
        density = self.noise > 0
        return sift(self.product, self.order, self.step, self.end, self._ceiling, density=density)

    @cached_property
    def _dropped(self) -> tuple[float, float]:
        """Bounds on the sums of |ΦK| and |Φ| over all frequencies not kept; Φ is the characteristic
        function, K the kernel."""
        if self.lattice is not None:
            return self._kept.kernel, self._kept.plain
        start, v = self.end * self.step, float(self.product.variance)
        tail = 1.01 * math.exp(-v * start**2 / 2) * (1 + 1 / (v * start * self.step))
        edge = float(self._ceiling(np.array([start]))[0])
        return self._kept.kernel + tail * edge, self._kept.plain + tail

    @cached_property
    def _frequencies(self) -> Floats:
        return self._kept.indices * self.step

    @cached_property
    def _weights(self) -> Complexes:
        """The values of the characteristic function at the kept frequencies; all but that at 0 are
        doubled, for their conjugates."""
        doubled: Complexes = np.where(self._kept.indices > 0, 2.0, 1.0) * np.exp(
            self._kept.logs.value
        )
        return doubled

    @cached_property
    def _sums(self) -> Sums:
        theta, weights, ceiling = self._frequencies, self._weights, self._ceiling(self._frequencies)
        value, slack = self._kept.logs
        # NumPy sums over frequencies pairwise, so that rounding errors stay small.
        slack = slack + (64 + min(2 * len(theta), 192)) * UNIT
        most = 2 * np.exp(np.minimum(value.real + slack, 700.0)) * (1 + 1e-9)
        wrong = np.where(slack < 1, np.abs(weights) * np.expm1(np.minimum(slack, 1.0)), most)
        turned = most * theta
        here, after = self._terms()
        slope, last = here * (self.order + 1j * theta), float(np.max(theta, initial=0.0))
        kernels, plain = (float(wrong @ ceiling), float(turned @ ceiling)), float(np.sum(wrong))
        return Sums(here, after, slope, last, *kernels, plain, float(np.sum(turned)))

    def _ceiling(self, theta: Floats) -> Floats:
        """A bound on the kernel |K|, decreasing in the frequency (on a lattice, for half a
        period)."""
        if self.lattice is None:
            line: Floats = 1 / np.abs(on_the_line(self.order, theta))
            return line
        h = float(self.lattice.spacing)
        size: Floats = (1 + 1e-9) * -h * np.expm1(-h) / np.abs(on_a_lattice(self.order, h, theta))
        return size

    def _terms(self) -> tuple[Complexes, Complexes | None]:
        """The products ΦK of characteristic function and kernel at the kept frequencies; on a
        lattice of spacing h in two terms, the second with the factor e^(-sh)."""
        theta = self._frequencies
        if self.lattice is None:
            return self._weights / on_the_line(self.order, theta), None
        h = float(self.lattice.spacing)
        here = self._weights * h / on_a_lattice(self.order, h, theta)
        return here, here * np.exp(-self.order * h - 1j * theta * h)

    def _aliases(self, at: float) -> float:
        """A bound on the error by aliases, the copies of H that the trapezoidal rule adds at
        multiples of its period; in the units of ``HockeyStickBounds``."""
        total = 0.0
        for shift, log in self.aliases:
            decay = -abs(shift) * (math.tau / self.step) * (1 - 1e-12)
            slack = 1e-9 + 1e-12 * abs(shift * at)
            total += math.exp(min(log - shift * at + decay + slack, 700.0)) / -math.expm1(decay)
        return 1.01 * total


def make(
    product: Product, c: float, at: float, spread: float, noise: Fraction, lattice: Lattice | None
) -> Inversion:
    """An inversion of order c for every ε within two standard deviations (``spread``) of ``at``.

    It is on the lattice of the losses, if one is given and its period is not long; otherwise noise
    is added.
    """
    if lattice is not None:
        period, aliases = _spaced(product, c, at, spread)
        if period / lattice.spacing <= _LONGEST:
            count = 2 * math.ceil(period / float(lattice.spacing) / 2) + 1
            step = math.tau / (count * float(lattice.spacing))
            return Inversion(product, c, 0.0, lattice, step, count // 2 + 1, aliases)
    noisy = product.with_noise(noise)
    period, aliases = _spaced(noisy, c, at, spread)
    step = math.tau / period
    end = math.ceil(math.sqrt(2 * _END / float(noisy.variance)) / step) + 1
    return Inversion(noisy, c, float(noise), None, step, end, aliases)


def _spaced(
    product: Product, c: float, at: float, spread: float
) -> tuple[float, tuple[Overlap, Overlap]]:
    """A period with aliases below e^-36·H, H the divergence, and two Chernoff bounds for it."""
    base, aim = product.log_moment(c), -NATS - math.log(c) - math.log1p(c)
    ends = at - 2 * spread, at + 2 * spread

    def alias(shift: float) -> Overlap:
        moved = product.log_moment(c + shift)
        return Overlap(shift, moved.value - base.value + moved.error + base.error)

    def needed(each: Overlap) -> float:
        return max(each.log - each.shift * end - aim for end in ends) / abs(each.shift)

    steps = [2.0**i for i in range(-8, 6)]
    left, right = (
        min((alias(sign * c * step) for step in steps if step <= 1 or sign > 0), key=needed)
        for sign in (-1, 1)
    )
    return max(needed(left), needed(right), 1e-300), (left, right)


def _scaled(value: float, log: float) -> float:
    """The product value · e^log, within two units in the last place unless it is tiny."""
    return math.copysign(math.exp(min(log + math.log(abs(value)), 700.0)), value) if value else 0.0
