"""Laplace and Gaussian noise for real numbers, on a grid: safe to release."""

from __future__ import annotations

import math
import sys
from abc import abstractmethod
from fractions import Fraction
from typing import Final

import attrs

from antiphon.composition.accounting.pairs.compose import dominated
from antiphon.composition.accounting.pairs.noise import (
    DiscreteGaussianPair,
    DiscreteLaplacePair,
)
from antiphon.mechanisms import fields
from antiphon.mechanisms.noise.discrete import concentrated_at, gaussian_bound, laplace_bound
from antiphon.numbers import exact
from antiphon.numbers.interval import up
from antiphon.numbers.named import set_derived
from antiphon.populations.plain import plain
from antiphon.protocol.adapters import NoninteractiveMechanism
from antiphon.protocol.claims import Claim
from antiphon.protocol.coins.coins import Coins
from antiphon.protocol.coins.column_safety import column_safe
from antiphon.protocol.measures.kinds import Pure
from antiphon.protocol.provenance import proved
from antiphon.protocol.registry import register
from antiphon.protocol.spaces import Multiples, Reals, Signature
from antiphon.verifiers.models import NeighbouringStart, neighbouring_start
from antiphon.verifiers.relations import Within

_LARGEST: Final = sys.float_info.max


@column_safe
@attrs.frozen(kw_only=True)
class GridNoise(NoninteractiveMechanism[float, float]):
    """x ↦ (⌊x/step + ½⌋ + noise)·step for a finite float x. Abstract.

    NIM. x/step is rounded in exact arithmetic, a half upwards, so neighbours at most
    ``sensitivity`` apart are at most ``moves`` = ⌈sensitivity/step⌉ places apart; noise is
    drawn for that many, as integers, and turned into a float only at the end, which is
    post-processing. A float is the number that its shortest decimal says (0.1 is 1/10).
    """

    sensitivity: Fraction = attrs.field(default=Fraction(1), converter=fields.positive)
    step_size: float = attrs.field(converter=fields.double)
    """The grid's step: a small part of the noise's scale costs little."""
    moves: int = attrs.field(init=False, eq=False, repr=False)
    """The sensitivity in steps, rounded up."""
    _most: int = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        step = Fraction(self.step_size)
        set_derived(
            self, moves=self._places(self.sensitivity), _most=math.floor(Fraction(_LARGEST) / step)
        )

    @property
    def signature(self) -> Signature:
        return Signature(Reals(), Multiples(self.step_size), Reals())

    @property
    def verification(self) -> NeighbouringStart:
        """f: two numbers at most the sensitivity apart."""
        return neighbouring_start(Within(self.sensitivity))

    @property
    def claims(self) -> tuple[Claim, ...]:
        return self.claims_at(self.sensitivity)

    @abstractmethod
    def claims_at(self, distance: object) -> tuple[Claim, ...]:
        """What neighbours so far apart cost: the same noise, whatever it was calibrated to."""

    def _places(self, distance: Fraction) -> int:
        """How many places numbers so far apart are apart, at most."""
        return math.ceil(distance / Fraction(self.step_size))

    @abstractmethod
    def _noise(self, coins: Coins) -> int:
        """Noise, in steps."""

    @abstractmethod
    def _tail(self, beta: float) -> int:
        """What it exceeds with probability at most beta."""

    def respond(self, dataset: float, coins: Coins) -> float:
        place = math.floor(
            exact.fraction(plain(dataset)) / Fraction(self.step_size) + Fraction(1, 2)
        )
        noisy = min(max(place + self._noise(coins), -self._most), self._most)
        try:
            answer = noisy * self.step_size
        except OverflowError:  # so many steps that no double holds their number
            answer = float(noisy * Fraction(self.step_size))
        return min(max(answer, -_LARGEST), _LARGEST)

    def error_bound(self, *, beta: float) -> float:
        """What the error, rounding included, exceeds with probability at most beta."""
        steps = self._tail(fields.beta(beta)) + Fraction(1, 2)
        return up(steps * Fraction(self.step_size))


@register("antiphon.GridLaplace/1")
@column_safe
@attrs.frozen(kw_only=True)
class GridLaplace(GridNoise):
    """x ↦ x + noise of about Lap(sensitivity/ε), on the multiples of ``step_size``.

    Discrete Laplace noise of scale ⌈sensitivity/step⌉/ε in steps, sampled exactly.
    Privacy: ε-DP w.r.t. f_∼ with |x - x'| <= sensitivity, and dominated by the pair of its noise
    and of that shifted by the moves; with |x - x'| <= τ it is ε·⌈τ/step⌉/moves (``claims_at``);
    proved.
    Source: Ghosh, Roughgarden, Sundararajan 2012; the grid as Mironov 2012 asks for.
    Raises: InvalidArgument for epsilon, sensitivity or step_size not positive.

    >>> GridLaplace(epsilon=1000, step_size=0.25).start(seed=1).send(3.1)
    3.0
    """

    epsilon: Fraction = attrs.field(converter=fields.positive)
    scale: Fraction = attrs.field(init=False, eq=False, repr=False)
    """Of the noise, in steps."""

    def __attrs_post_init__(self) -> None:
        GridNoise.__attrs_post_init__(self)
        set_derived(self, scale=self.moves / self.epsilon)

    def claims_at(self, distance: object) -> tuple[Claim, ...]:
        source, tau = "Ghosh, Roughgarden, Sundararajan 2012, on a grid", fields.distance(distance)
        places, f = self._places(tau), neighbouring_start(Within(tau))
        pairs = dominated(DiscreteLaplacePair, self.scale, places) if places else ()
        return proved(self, Pure(places / self.scale), f, source, *pairs)

    def _noise(self, coins: Coins) -> int:
        return coins.discrete_laplace(self.scale)

    def _tail(self, beta: float) -> int:
        return laplace_bound(self.scale, beta)


@register("antiphon.GridGaussian/1")
@column_safe
@attrs.frozen(kw_only=True)
class GridGaussian(GridNoise):
    """x ↦ x + noise of about N(0, sensitivity²/(2ρ)), on the multiples of ``step_size``.

    Discrete Gaussian noise of σ = moves/√(2ρ) in steps, rounded up, sampled exactly.
    Privacy: ρ-zCDP w.r.t. f_∼ with |x - x'| <= sensitivity, and dominated by the pair of its
    noise and of that shifted by the moves; with |x - x'| <= τ it is ρ·(⌈τ/step⌉/moves)²
    (``claims_at``); proved.
    Source: Canonne, Kamath, Steinke 2020, Thm 4, on a grid.
    Raises: InvalidArgument for rho, sensitivity or step_size not positive.

    >>> GridGaussian(rho=10**7, step_size=0.25).start(seed=1).send(3.1)
    3.0
    """

    rho: Fraction = attrs.field(converter=fields.positive)
    sigma: Fraction = attrs.field(init=False, eq=False, repr=False)
    """Of the noise, in steps, rounded up."""

    def __attrs_post_init__(self) -> None:
        GridNoise.__attrs_post_init__(self)
        set_derived(self, sigma=exact.root_up(self.moves**2 / (2 * self.rho)))

    def claims_at(self, distance: object) -> tuple[Claim, ...]:
        source, tau = "Canonne, Kamath, Steinke 2020, Thm 4, on a grid", fields.distance(distance)
        places, f = self._places(tau), neighbouring_start(Within(tau))
        pairs = dominated(DiscreteGaussianPair, self.sigma, places) if places else ()
        loss = concentrated_at(self.rho, Fraction(places, self.moves))
        return proved(self, loss, f, source, *pairs)

    def _noise(self, coins: Coins) -> int:
        return coins.discrete_gaussian(self.sigma)

    def _tail(self, beta: float) -> int:
        return gaussian_bound(self.sigma, beta)
