"""The post-processor of a board with one Gaussian counter of all keys together, for δ > 0."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import attrs
import numpy as np

from antiphon.boards.bounded_sums import BoundedSums, SumsState
from antiphon.boards.units import Batch, Batches, SingleRow, SingleUser, Unit
from antiphon.composition import Create, Lifting, fixed_mechanisms
from antiphon.mechanisms import COUNT, BufferedToeplitzCounter
from antiphon.mechanisms.counters.counter import Counter
from antiphon.mechanisms.counters.gaussian_curve import AtGaussianCurve, largest_gaussian_rho
from antiphon.numbers import exact
from antiphon.protocol import HALT, Approximate, Ask, Status, register, spaces
from antiphon.protocol.exchanges.processor import Exchanged, ExchangePostProcessor

_LARGEST: Final = 2**50
"""The largest absolute value of a total; a larger int may not be exact as a double."""
_MANY: Final = 2**16
"""The largest number of windows for which the counter's matrix is normalised, which takes long."""
_SHARE: Final = 1 - Fraction(1, 2**39)
"""The part of δ for which the noise is chosen; the rest is for rounding the promised δ up."""


@register("antiphon.VectorSums/1")
@attrs.frozen(kw_only=True)
class VectorSums(ExchangePostProcessor[SumsState]):
    """The post-processor P: bounds and sums rows as ``BoundedSums``, for one counter of vectors.

    A message is the whole batch of a window; the counter gets the sums of all keys as one vector,
    each in its range, and is asked. Answer: the counts so far, rounded, in the order of the keys.
    State: ``SumsState``. Privacy: w.r.t. the unit of ``bounds`` what the counter promises w.r.t.
    one update that differs by ``distance(bounds)`` in ℓ₂, by CM Thm 6.1. *Proof.* The same messages
    are sent whatever the rows are (destination, response). One batch differs, and rows are not
    counted over windows, so that one vector differs. Its ℓ₁ norm is at most B, so its ℓ₂ norm is.
    *Replaced*, where a user's rows are all that differs: both sides add up c vectors of the convex
    hull of 0, low·e_k and high·e_k (of all keys k); the distance of two sums is convex, and so
    largest at corners of the hull: c·max(√2·A, high - low), as two corners are 0 apart, A, √2·A or
    high - low. ∎
    """

    bounds: BoundedSums
    """The rule by which rows are bounded, clipped and summed; its own counter is not used."""
    counter: Counter
    promise: Approximate | None = None
    """The (ε, δ) that the counter promises, by its exact curve; None: the counter's own claim."""

    @property
    def initial_state(self) -> SumsState:
        return SumsState(0, ())

    @property
    def created(self) -> Create:
        """The message that creates the counter."""
        counter: Any = self.counter
        if self.promise is None:
            return Create(counter)
        epsilon, delta = exact.fraction(self.promise.epsilon), self.promise.delta
        return Create(AtGaussianCurve(mechanism=counter, epsilon=epsilon, delta=delta))

    @property
    def unit(self) -> Unit:
        """The verification function f: which streams of batches are neighbours."""
        return self.bounds.unit

    @property
    def lifting(self) -> Lifting:
        """The claim that streams of batches that differ in one unit of privacy become one differing
        update."""
        inner = fixed_mechanisms([self.created])
        return Lifting(self.bounds.unit, inner, Status.PROVED, "antiphon.boards.VectorSums")

    def signature(self, right: spaces.Signature) -> spaces.Signature:
        batches = Batches(self.bounds.keys)
        counts = spaces.Tuples((spaces.Integers(),) * len(self.bounds.keys))
        return spaces.Signature(batches, counts, batches)

    def exchange(self, state: SumsState, batch: Batch) -> Exchanged[SumsState]:
        """Process one window: bound and sum its rows, send the counter all sums, and answer."""
        self.bounds.check_window(state.windows)
        if not state.windows:
            yield self.created
        sums, _ = self.bounds.bounded(batch, ())
        low, high = self.counter.smallest, self.counter.largest
        vector = [min(max(sums.get(key, 0), low), high) for key in self.bounds.keys]
        told = yield Ask(np.array(vector, np.int64), 0)
        counts = HALT if told is HALT else (yield Ask(COUNT, 0))
        if counts is HALT:
            return state, HALT
        return SumsState(state.windows + 1, ()), tuple([round(float(each)) for each in counts])


def distance(bounds: BoundedSums) -> Fraction | None:
    """A bound on the ℓ₂ distance between the vectors of sums of two neighbouring streams; None if
    the vectors of several windows may differ."""
    unit, rows = bounds.unit, bounds.per_user
    if isinstance(unit, SingleUser) or bounds.in_total:
        return None
    if not unit.replaced or (isinstance(unit, SingleRow) and rows is not None):
        return Fraction(bounds.units)
    largest = max(abs(bounds.low), abs(bounds.high))
    apart = max(exact.root_up(Fraction(2 * largest**2)), Fraction(bounds.high - bounds.low))
    return min(Fraction(bounds.units), (rows or 1) * apart)


def gaussian_counter(
    bounds: BoundedSums, epsilon: Fraction, delta: Fraction, window: int | None = None
) -> Counter | None:
    """The Gaussian counter of all keys that keeps to (ε, δ), for totals or for sums of ``window``
    windows; None if the unit of privacy lets several windows differ, or no noise is large
    enough."""
    apart = distance(bounds)
    if apart is None:
        return None
    most, keys = _LARGEST // bounds.windows, len(bounds.keys)
    rho = largest_gaussian_rho(epsilon, delta * _SHARE, bounds.windows * keys, 2**32)
    if rho is None:
        return None
    return BufferedToeplitzCounter(
        horizon=bounds.windows, rho=rho, dimension=keys, sensitivity=apart, smallest=-most,
        largest=most, window=window, normalised=window is None and bounds.windows <= _MANY,
    )  # fmt: skip
