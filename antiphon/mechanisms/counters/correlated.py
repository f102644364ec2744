"""Counters with correlated noise: for a factorisation A = B·C of the matrix A that sums prefixes,
Gaussian noise is added to Cx, and B is applied.

**The mechanism.** With c the coefficients of C (c_0 = 1, decreasing, positive), in steps of
a grid on which one standard deviation is R = ``resolution`` steps:

    M_t = ⌊Σ_{k>=1} c_k p_{t-k}⌉,   ν_t = ⌊(J_t - M_t)/q_t⌉,   p_t = q_t·ν_t,

J_t discrete Gaussian with σ = R and q_t a whole number; u_t = ``unit``·x_t + ν_t is released,
and the count is Σ u_t/unit. Since (Cp)_t = J_t up to rounding, the noise ν is D·C⁻¹z for
Gaussian z of variance 1 and D = diag(R/q_t): this is the factorisation mechanism of A·D·C⁻¹
and C·D⁻¹. ``normalised`` chooses q_t so that all columns of C·D⁻¹ have the same norm.

**Privacy.** Given u_1, …, u_{t-1}, the answer u_t = ⌊(J_t + q_t·unit·x_t - M_t)/q_t⌉ (the rounding
is of exact integers, so it moves with x_t) is a function of a discrete Gaussian answer with centre
q_t·unit·x_t - M_t. Let x_s change by Δ and the released u be the same: then p_s changes by
-q_s·unit·Δ, and the centre at t by q_s·unit·Δ·c_{t-s}, up to the rounding of M_t, which is less
than 1 + 2·``_feedback_error``. In ℓ₂ all centres together move by at most

    max_s q_s·unit·distance·‖c_0, …, c_{T-1-s}‖ + (1 + 2·error)·√(T·dimension) <= R·√(2ρ),

by the choice of q_t; changes at k times add up. So each step is ρ_t-zCDP given the past
(Canonne, Kamath, Steinke 2020, Thm 4) with Σ ρ_t <= ρ on every path, however the
adversary chooses updates: a fully adaptive composition, ρ-zCDP (Feldman and Zrnic 2021,
Whitehouse et al. 2023). Real Gaussian noise: Denisov et al. 2022, Thm 2.1.
"""

import math
from abc import abstractmethod
from fractions import Fraction
from typing import Any, ClassVar, Final, Generic, NamedTuple

import attrs
import numpy as np
from typing_extensions import TypeVar

from antiphon.mechanisms import fields
from antiphon.mechanisms.counters.counter import Counter, fractions_of
from antiphon.mechanisms.counters.factors import rows
from antiphon.mechanisms.counters.factors.buffers import Vector
from antiphon.mechanisms.counters.tails import added, gaussian_tail
from antiphon.numbers import Intractable, InvalidArgument, exact
from antiphon.protocol import Claim, Coins, Space, ZeroConcentrated, freeze, proved
from antiphon.protocol.registry import register, set_derived
from antiphon.verifiers.models import UntilAge

FAR: Final = 256
"""The limit, in standard deviations, on the sum of all noise; hardly ever reached."""
_BLOCK: Final = 1 << 12
_LONGEST: Final = 1 << 22
_DOUBLES: Final = 2.0**51
_MOST_RHO: Final = 1 << 100
MORE: Final = 1 + 2.0**-20
_SAFE: Final = 1 - 2.0**-30
"""A factor below 1 that outweighs the rounding errors of sums in double precision."""


Memory = TypeVar("Memory", default=Any)


@register("antiphon.CorrelatedState/1", state=True)
class CorrelatedState(NamedTuple, Generic[Memory]):
    """The state of a correlated counter."""

    updates: int
    released: rows.Amount
    """The exact sum of the updates plus its noise, in units of 1/unit."""
    drift: rows.Amount
    """The sum of the noise of all steps so far; infinite once it has exceeded its limit ``far``."""
    memory: Memory
    """The noise of earlier steps, in the form in which the subclass computes ``feedback`` from
    it."""


def _rho(value: object) -> Fraction:
    found = fields.check_positive(value, "rho")
    if found > _MOST_RHO:
        raise InvalidArgument("rho must be at most 2^100: less noise would be rounded away")
    return found


def _resolution(value: object) -> int:
    found = exact.whole(value, "resolution")
    if not 4 <= found <= 2**36:
        raise InvalidArgument("resolution must lie between 4 and 2^36")
    return found


@attrs.frozen(kw_only=True, repr=False)
class CorrelatedCounter(Counter[CorrelatedState[Memory]], Generic[Memory]):
    """A counter by a factorisation A = B·C of prefix sums A: Gaussian noise, drawn in grid steps
    and divided by a *divisor* q, is added to Cx, x the updates. Abstract: a subclass gives C.

    Answers are floats, multiples of 1/unit. A draw is made for each update.
    """

    norm: ClassVar[int] = 2
    numbers: ClassVar[type] = float
    rho: Fraction = attrs.field(converter=_rho)
    normalised: bool = attrs.field(default=False, validator=fields.boolean)
    resolution: int = attrs.field(default=2**32, converter=_resolution)
    unit: int = attrs.field(init=False, eq=False)
    """The number of units in 1, a power of two: answers are multiples of 1/unit."""
    _room: float = attrs.field(init=False, eq=False)
    """The largest q·‖c‖ that the budget ρ allows, for q the divisor of an update's noise and ‖c‖
    the ℓ₂ norm of its column of C."""
    _blocks: dict[int, list[float]] = attrs.field(init=False, eq=False)
    """A cache from the number of a block of times to the divisors of the noise in this block."""
    _found: list[Vector] = attrs.field(init=False, eq=False, factory=list[Vector])
    """A cache of the expected squared errors at all times; empty until they are needed."""
    _only: float = attrs.field(init=False, eq=False)
    """The divisor of every update's noise; with ``normalised`` columns, of the first update's."""
    grid: Fraction = attrs.field(init=False, eq=False)
    """The standard deviation R of the noise, in grid steps: ``resolution`` as a Fraction."""
    far: float = attrs.field(init=False, eq=False)
    """The limit, in grid steps, on the ``drift``, the sum of the noise of all steps."""
    keep: float = attrs.field(init=False, eq=False, default=1.0)
    """The factor by which each later update multiplies the sum so far: 1, unless sums decay."""

    def _prepare(self) -> Space:
        self._factorise()
        if not 1 <= self.distance * _MOST_RHO <= _MOST_RHO**2:
            raise InvalidArgument(
                "sensitivity must lie between 2^-100 and 2^100: count in other units"
            )
        root = math.sqrt(2 * self.rho) * _SAFE
        rounding = (1 + 2 * self._feedback_error()) * math.sqrt(self.horizon * self._width)
        room = (self.resolution * root - rounding) / float(self.distance) * _SAFE
        widest = room / self._largest_norm()
        if not widest >= 1:
            raise InvalidArgument(
                "the noise is too large for its grid: count in larger units, or give a larger "
                "rho (or a larger resolution)"
            )
        largest = self.horizon * max(abs(self.smallest), abs(self.largest))
        limit = min(widest / math.isqrt(self.resolution), _DOUBLES / largest)
        if largest > _DOUBLES:
            raise InvalidArgument("sums past 2^51 are no doubles: count in larger units")
        unit = 1 << max(0, math.frexp(limit)[1] - 1)
        far = float(FAR * self.resolution)
        set_derived(
            self, unit=unit, _room=room / unit, _blocks={}, far=far, grid=Fraction(self.resolution)
        )
        set_derived(self, _only=self.divisor(0))
        return fractions_of(unit if self.keep == 1 else None, self.dimension)

    @property
    def farthest(self) -> float:
        """A bound on the numbers in the memory while ``drift``, the sum of noise, is at most
        ``far`` in size."""
        return 2 * self.far * MORE

    @property
    def _width(self) -> int:
        return self.dimension or 1

    def _largest_norm(self) -> float:
        """A bound on the ℓ₂ distance of Cx and Cx', for neighbouring streams x and x' in which the
        updates that differ do so by 1."""
        if self.normalised:
            return float(self.events * self._norms(np.array([float(self.horizon)]))[0] / _SAFE)
        return math.sqrt(self._group_norm(self.events, self.horizon)) / _SAFE

    @property
    def claims(self) -> tuple[Claim, ...]:
        source = (
            f"{self._source}; adaptive since C is lower-triangular (Denisov et al. 2022, Thm "
            "2.1), on a grid by Canonne, Kamath, Steinke 2020 and a zCDP filter"
        )
        return proved(self, ZeroConcentrated(self.rho), self.verification, source)

    def rho_by_age(self, age: int) -> Fraction:
        """The ρ that is spent on an update once ``age`` later updates have come; rounded up.

        It is the ρ of ``claim_by_age(age)``, whose proof is that of the counter's claim with sums
        up to this age. From age horizon - 1 on it is ``rho``. Raises: InvalidArgument with
        ``normalised`` columns, where the last updates cost all of ρ at once.
        """
        if type(age) is not int or age < 0:
            raise InvalidArgument("an age is a number of later updates, an int >= 0")
        if self.normalised:
            raise InvalidArgument(
                "with normalised columns the last updates cost all of ρ at once: leave normalised "
                "out, and earlier ones cost less"
            )
        length = min(age + 1, self.horizon)
        norm = math.sqrt(self._group_norm(self.events, length)) / _SAFE
        rounding = (1 + 2 * self._feedback_error()) * math.sqrt(length * self._width)
        moved = self._only * self.unit * float(self.distance) * norm + rounding
        return min(self.rho, Fraction(moved**2 / (2 * self.resolution**2) / _SAFE))

    def claim_by_age(self, age: int) -> Claim:
        """The claim for an adversary who stops ``age`` updates after the first that differs:
        ``rho_by_age(age)``-zCDP w.r.t. ``UntilAge``, which refuses later updates."""
        (whole,) = self.claims
        measure = ZeroConcentrated(self.rho_by_age(age))
        return attrs.evolve(
            whole, measure=measure, verification=UntilAge(self.verification, age),
            source=f"{whole.source}; sums up to this age",
        )  # fmt: skip

    # --- the factors B and C, given by a subclass ------------------------------------------------

    _source: ClassVar[str]

    @abstractmethod
    def _factorise(self) -> None:
        """Set the fields of the factor C. Raises: InvalidArgument past the longest horizon."""

    @abstractmethod
    def _norms(self, lengths: Vector) -> Vector:
        """The ℓ₂ norm of the first n coefficients c_0, …, c_{n-1} of C, for each n of an array."""

    @abstractmethod
    def _group_norm(self, events: int, length: int) -> float:
        """The squared ℓ₂ norm of the sum of C's first ``events`` columns, each cut to its first
        ``length`` rows. For as many later columns it is no larger."""

    @abstractmethod
    def _feedback_error(self) -> float:
        """A bound, in grid steps, on the rounding error of ``feedback`` in double precision."""

    @abstractmethod
    def feedback(self, memory: Memory) -> rows.Amount:
        """The noise Σ_{k>=1} c_k p_{t-k} that the noise p of earlier steps feeds back into step t
        (c_k: coefficients of C), plus ½: its floor is the rounded feedback."""

    @abstractmethod
    def remember(self, memory: Memory, push: rows.Amount) -> Memory:
        """The memory after the noise ``push`` of one step is added to it."""

    @abstractmethod
    def limited(self, memory: Memory) -> Memory:
        """The memory with its numbers clipped to [-farthest, farthest]."""

    @abstractmethod
    def _squared_row(self, length: int, since: int = 0) -> float:
        """The squared ℓ₂ norm of a difference of rows of B: the row at time ``length`` less the row
        at time ``since``."""

    @abstractmethod
    def _mean_squared_row(self, length: int) -> float:
        """The mean, over the times 1, …, length, of the squared ℓ₂ norm of the row of B."""

    @abstractmethod
    def inverse(self) -> tuple[Vector, Vector]:
        """The numbers α_i and 1 - λ_i in C⁻¹(x) = 1 - Σ α_i x/(1 - λ_i x), the inverse factor."""

    # --- one update and its noise ----------------------------------------------------------------

    def divisor(self, time: int) -> float:
        """The divisor q_t of the noise at t = ``time``, from 0: a number of grid steps."""
        number, place = divmod(time, _BLOCK) if self.normalised else (0, 0)
        block = self._blocks.get(number)
        if block is None:
            if len(self._blocks) > 4:
                self._blocks.clear()
            block = self._blocks[number] = self.divisors(number)
        return block[place]

    def divisors(self, block: int) -> list[float]:
        """The divisors q_t of the noise at the times of a block; unless columns are normalised, a
        list of the one divisor for all times."""
        if not self.normalised:
            return [float(self._room // self._largest_norm())]
        start = block * _BLOCK
        lengths = np.arange(self.horizon - start, max(0, self.horizon - start - _BLOCK), -1.0)
        norms = self.events * self._norms(lengths) / _SAFE
        found: list[float] = np.floor(self._room / norms).tolist()
        return found

    def stepped(
        self, state: CorrelatedState[Memory], x: rows.Amount, coins: Coins
    ) -> CorrelatedState[Memory]:
        """The state after one more update x, a number or an array over the coordinates."""
        updates, released, drift, memory = state
        divisor = self.divisor(updates) if self.normalised else self._only
        noise: rows.Amount
        if self.dimension is None:
            noise = coins.discrete_gaussian(self.grid)
        else:
            noise = rows.gaussians(coins, self.grid, self.dimension).view(rows.Row)
        slip = rows.nearest(noise, self.feedback(memory), divisor)
        push = slip * divisor
        drift, memory = drift + push, self.remember(memory, push)
        if not -self.far < drift < self.far:
            # Clipped memories of two worlds are no further apart, and their doubles stay exact.
            drift, memory = drift + math.inf, self.limited(memory)
        # An in-place ``released +=`` would change the array of an earlier state.
        released = released * self.keep + (x * self.unit + slip)
        return CorrelatedState(updates + 1, released, drift, memory)

    def _count(
        self, state: CorrelatedState[Memory], coins: Coins
    ) -> tuple[CorrelatedState[Memory], rows.Amount]:
        count = state.released / self.unit
        if type(count) is rows.Row:
            count = freeze(count.view(np.ndarray))
        elif self.dimension is not None:  # Before the first update the sum is a plain number 0.
            count = freeze(np.broadcast_to(np.asarray(count), (self.dimension,)))
        return state, count

    def deviations(self, divisors: Any, rounding: float) -> Any:
        """For each divisor q, the standard deviation of an update's noise, in counts: about
        R/(q·unit), as noise of R grid steps is divided by q, and ``unit`` units make 1.
        ``rounding`` is the variance of rounding to an int: noise is rounded to grid steps, and then
        to multiples of q."""
        square = self.resolution**2 + rounding * (divisors * divisors + 1)
        return square**0.5 / (divisors * self.unit)

    def _single(self, rounding: float = 1 / 12) -> float:
        return float(self.deviations(self._only, rounding))

    def squared_error(self, updates: int, since: int = 0) -> float:
        if self._time(updates, since) == since:
            return 0.0
        if since and self.keep != 1:
            raise InvalidArgument("decayed sums have no difference that sums the updates between")
        if not self.normalised:
            return self._single() ** 2 * self._squared_row(updates, since)
        if since:
            return added(self.squared_error(updates), self.squared_error(since))
        return float(self._errors()[updates - 1])

    def max_squared_window(self, window: int) -> float:
        if self.normalised:
            return self._searched(window)
        # B's rows grow longer with time, and so do their squared norms: the error is largest at the
        # horizon.
        return self.squared_error(self.horizon, max(0, self.horizon - window))

    def _errors(self) -> Vector:
        """The expected squared errors at all times, cached. Raises: Intractable past 2^22."""
        if self.horizon > _LONGEST:
            raise Intractable("errors under normalised columns, by horizon", self.horizon, _LONGEST)
        if not self._found:
            blocks = range(-(-self.horizon // _BLOCK))
            divisors = np.concatenate([self.divisors(block) for block in blocks])
            scales = self.deviations(divisors, 1 / 12)
            self._found.append(rows.squared_errors(scales, *self.inverse()))
        return self._found[0]

    @property
    def max_squared_error(self) -> float:
        if self.normalised:
            return float(self._errors().max())
        return self.squared_error(self.horizon)

    @property
    def mean_squared_error(self) -> float:
        if self.normalised:
            return float(self._errors().mean())
        return self._single() ** 2 * self._mean_squared_row(self.horizon)

    def _tail(self, updates: int, beta: float, since: int) -> float:
        # Rounding changes the noise by at most ½ of a step, so the norm of the noise grows by a
        # factor of ``loose`` at most.
        loose = 1 + (self._only + 1) / self.resolution
        return gaussian_tail(self.squared_error(updates, since) * loose**2, beta)
