"""Noise for real numbers on a grid, which is safe to release, and rounding of answers to a grid.

Rounding makes answers discrete, as the theorems of CM §4-5 require.
"""

import math
import sys
from abc import abstractmethod
from fractions import Fraction
from typing import Any, Final

import attrs

from antiphon.composition.accounting.pairs.compose import dominated_measure
from antiphon.composition.accounting.pairs.noise import DiscreteGaussianPair, DiscreteLaplacePair
from antiphon.mechanisms import fields
from antiphon.mechanisms.noise import discrete
from antiphon.numbers import CompositionError, exact, up
from antiphon.populations.each_replica import to_scalar
from antiphon.protocol import Claim, Coins, Pure, column_safe, proved, register, set_derived, spaces
from antiphon.protocol.messages import HALT, STAND_IN, distinct
from antiphon.protocol.post_processor import AnswerPostProcessor
from antiphon.verifiers.models import NeighbouringStart, neighbouring_start
from antiphon.verifiers.relations import Within

_LARGEST: Final = sys.float_info.max


@column_safe
@attrs.frozen(kw_only=True)
class GridNoise(discrete.Calibrated[float, float]):
    """An additive-noise mechanism on a grid, x ↦ (⌊x/step + ½⌋ + noise)·step, for a finite float x.
    Abstract.

    NIM. x/step is rounded in exact arithmetic, a half upwards, so neighbours at most
    ``sensitivity`` apart are at most ``moves`` = ⌈sensitivity/step⌉ places apart; noise is
    drawn for that many, as integers, and turned into a float only at the end, which is
    post-processing. A float is read as its shortest decimal (0.1 is 1/10).
    """

    sensitivity: Fraction = attrs.field(default=Fraction(1), converter=fields.positive)
    step_size: float = attrs.field(converter=fields.double)
    """The distance of neighbouring grid points; if small beside the noise, it costs little."""
    moves: int = attrs.field(init=False, eq=False, repr=False)
    """The sensitivity in grid steps, rounded up."""
    _most: int = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        step = Fraction(self.step_size)
        set_derived(
            self, moves=self._places(self.sensitivity), _most=math.floor(Fraction(_LARGEST) / step)
        )

    @property
    def signature(self) -> spaces.Signature:
        return spaces.Signature(spaces.Reals(), spaces.Multiples(self.step_size), spaces.Reals())

    @property
    def verification(self) -> NeighbouringStart:
        """The verification function f: two numbers at most the sensitivity apart."""
        return neighbouring_start(Within(self.sensitivity))

    def _places(self, distance: Fraction) -> int:
        """The largest number of grid steps between two rounded numbers at most ``distance``
        apart."""
        return math.ceil(distance / Fraction(self.step_size))

    @abstractmethod
    def _noise(self, coins: Coins) -> int:
        """One draw of the noise, in grid steps."""

    @abstractmethod
    def _tail(self, beta: float) -> int:
        """A bound on the size of the noise, in grid steps, exceeded with probability at most
        beta."""

    def respond(self, dataset: float, coins: Coins) -> float:
        place = math.floor(
            exact.fraction(to_scalar(dataset)) / Fraction(self.step_size) + Fraction(1, 2)
        )
        noisy = min(max(place + self._noise(coins), -self._most), self._most)
        try:
            answer = noisy * self.step_size
        except OverflowError:  # The number of grid steps is too large for a double.
            answer = float(noisy * Fraction(self.step_size))
        return min(max(answer, -_LARGEST), _LARGEST)

    def error_bound(self, *, beta: float) -> float:
        """A bound that the error, rounding included, exceeds with probability at most beta."""
        steps = self._tail(fields.beta(beta)) + Fraction(1, 2)
        return up(steps * Fraction(self.step_size))


@register("antiphon.GridLaplace/1")
@column_safe
@attrs.frozen(kw_only=True)
class GridLaplace(GridNoise):
    """The Laplace mechanism on the multiples of ``step_size``: x ↦ x + noise of about
    Lap(sensitivity/ε).

    Discrete Laplace noise of scale ⌈sensitivity/step⌉/ε in steps, sampled exactly.
    Privacy: ε-DP w.r.t. f_∼ with |x - x'| <= sensitivity, and dominated by the pair of its noise
    and its noise shifted by ``moves``; with |x - x'| <= τ it is ε·⌈τ/step⌉/moves (``claims_at``);
    proved. Source: Ghosh, Roughgarden, Sundararajan 2012; the grid avoids the leak of Mironov 2012.
    Raises: InvalidArgument for epsilon, sensitivity or step_size not positive.

    >>> GridLaplace(epsilon=1000, step_size=0.25).start(seed=1).send(3.1)
    3.0
    """

    epsilon: Fraction = attrs.field(converter=fields.positive)
    scale: Fraction = attrs.field(init=False, eq=False, repr=False)
    """The scale of the noise, in steps."""

    def __attrs_post_init__(self) -> None:
        GridNoise.__attrs_post_init__(self)
        set_derived(self, scale=self.moves / self.epsilon)

    def claims_at(self, distance: object) -> tuple[Claim, ...]:
        source, tau = "Ghosh, Roughgarden, Sundararajan 2012, on a grid", fields.distance(distance)
        places, f = self._places(tau), neighbouring_start(Within(tau))
        pairs = dominated_measure(DiscreteLaplacePair, self.scale, places) if places else ()
        return proved(self, Pure(places / self.scale), f, source, *pairs)

    def _noise(self, coins: Coins) -> int:
        return coins.discrete_laplace(self.scale)

    def _tail(self, beta: float) -> int:
        return discrete.laplace_bound(self.scale, beta)


@register("antiphon.GridGaussian/1")
@column_safe
@attrs.frozen(kw_only=True)
class GridGaussian(GridNoise):
    """The Gaussian mechanism on the multiples of ``step_size``: x ↦ x + noise of about N(0,
    sensitivity²/(2ρ)).

    Discrete Gaussian noise of σ = moves/√(2ρ) in steps, rounded up, sampled exactly.
    Privacy: ρ-zCDP w.r.t. f_∼ with |x - x'| <= sensitivity, and dominated by the pair of its noise
    and its noise shifted by ``moves``; with |x - x'| <= τ it is ρ·(⌈τ/step⌉/moves)²
    (``claims_at``); proved. Source: Canonne, Kamath, Steinke 2020, Thm 4, on a grid. Raises:
    InvalidArgument for rho, sensitivity or step_size not positive.

    >>> GridGaussian(rho=10**7, step_size=0.25).start(seed=1).send(3.1)
    3.0
    """

    rho: Fraction = attrs.field(converter=fields.positive)
    sigma: Fraction = attrs.field(init=False, eq=False, repr=False)
    """The σ of the noise, in steps, rounded up."""

    def __attrs_post_init__(self) -> None:
        GridNoise.__attrs_post_init__(self)
        set_derived(self, sigma=exact.root_up(self.moves**2 / (2 * self.rho)))

    def claims_at(self, distance: object) -> tuple[Claim, ...]:
        source, tau = "Canonne, Kamath, Steinke 2020, Thm 4, on a grid", fields.distance(distance)
        places, f = self._places(tau), neighbouring_start(Within(tau))
        pairs = dominated_measure(DiscreteGaussianPair, self.sigma, places) if places else ()
        loss = discrete.concentrated_at(self.rho, Fraction(places, self.moves))
        return proved(self, loss, f, source, *pairs)

    def _noise(self, coins: Coins) -> int:
        return coins.discrete_gaussian(self.sigma)

    def _tail(self, beta: float) -> int:
        return discrete.gaussian_bound(self.sigma, beta)


@register("antiphon.RoundToGrid/1")
@column_safe
@attrs.frozen
class RoundToGrid(AnswerPostProcessor):
    """A post-processor (IPM) that rounds answers, on their way left, to the nearest multiple of
    ``step``.

    It makes real answers discrete, as the theorems of CM §4-5 require; other answers and
    all queries pass unchanged, so the claims of the mechanism carry over (CM Lemma 2.15).
    Raises: InvalidArgument for step not positive; CompositionError if the mechanism
    on the right answers no numbers.
    """

    step_size: float = attrs.field(default=1.0, converter=fields.double)
    deterministic = True

    def signature(self, right: spaces.Signature) -> spaces.Signature:
        return spaces.Signature(right.queries, self._rounded(right.answers), right.updates)

    def _rounded(self, answers: spaces.Space) -> spaces.Space:
        if isinstance(answers, spaces.Reals):
            return spaces.Either((spaces.Multiples(self.step_size), spaces.Finite((HALT,))))
        if isinstance(answers, spaces.Either):
            return spaces.Either(tuple(map(self._rounded, answers.spaces)))
        if isinstance(answers, spaces.Multiples):
            return spaces.Multiples(self.step_size)
        if isinstance(answers, spaces.Finite):
            return spaces.Finite(distinct(map(self._round, answers.values)))
        if isinstance(answers, spaces.Integers | spaces.Tuples):
            return answers
        raise CompositionError(f"RoundToGrid rounds numbers; the mechanism answers {answers}")

    def replaced(self, answer: Any, coins: Coins) -> object:
        return self._round(answer)

    def _round(self, answer: Any) -> Any:
        if STAND_IN.number(answer) is float and abs(answer / self.step_size) < spaces.DENSE:
            place = round(answer / self.step_size)
            rounded = place * self.step_size
            # The nearest multiple may exceed the largest double: then the next one towards 0 is
            # taken.
            if abs(rounded) > _LARGEST:
                rounded = (place - 1 if place > 0 else place + 1) * self.step_size
            return rounded
        return answer
