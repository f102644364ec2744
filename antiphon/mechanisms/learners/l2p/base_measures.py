"""Measures: what L2P asks of a base algorithm (Assumption 3.1), and exponential weights."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction

import attrs
import numpy as np

from antiphon.mechanisms import fields
from antiphon.mechanisms.learners.experts.weighted import part, times
from antiphon.mechanisms.learners.learner import GRID, Losses
from antiphon.numbers.exact import ExactEpsilon
from antiphon.protocol.registry import register


@attrs.frozen(kw_only=True)
class Measures(ABC):
    """μ_t(x) = e^(``unit``·s_t(x)) for experts x, with whole scores s_t(x). Abstract.

    Assumption 3.1, where η = ``unit``·``reach`` and δ₀ = ``loose``:

    (i)  D_∞^{δ₀}(μ̄_{t+1}, μ̄_t) <= η after any losses, and so the other way round (μ̄: normalised);
    (ii) s_{t+1}(x) - s_t(x) is a function of (ℓ_t, x): it knows nothing of other losses.

    Where δ₀ = 0, (i) is read as: no loss moves two experts apart by more than ``reach``. By (ii)
    μ̄_{t+1}/μ̄_t is r(x)/Σ μ̄_t r, so that implies (i); and as μ̄_t may come close to a point, it is
    implied. A loss replaced by another then moves log-ratios of two experts by at most 2η.

    ``after`` is written by whoever adds a base algorithm; ``check_assumption`` tries it.
    """

    experts: int = attrs.field(converter=fields.size, metadata=fields.COORDINATES)
    grid: int = attrs.field(default=1, converter=fields.size, metadata=GRID)

    @property
    @abstractmethod
    def unit(self) -> ExactEpsilon:
        """The logarithm of what one step of a score is worth."""

    @property
    @abstractmethod
    def reach(self) -> int:
        """By how many steps one loss can move two experts apart."""

    @property
    def loose(self) -> Fraction:
        """δ₀."""
        return Fraction(0)

    @property
    def rate(self) -> ExactEpsilon:
        """η."""
        return times(self.unit, self.reach)

    @property
    def first(self) -> Losses:
        """s_1: an int64 array; public."""
        return np.zeros(self.experts, np.int64)

    @abstractmethod
    def after(self, scores: Losses, loss: Losses) -> Losses:
        """s_{t+1}, of s_t and ℓ_t; a new array."""

    def through(self, scores: Losses, losses: Losses) -> Losses:
        """The scores after all of some losses."""
        for loss in losses:
            scores = self.after(scores, loss)
        return scores

    def path(self, scores: Losses, losses: Losses) -> Losses:
        """The scores after each of some losses: a row for each."""
        found = np.empty_like(losses)
        for place, loss in enumerate(losses):
            found[place] = scores = self.after(scores, loss)
        return found


@register("antiphon.ExponentialWeights/1")
@attrs.frozen(kw_only=True)
class ExponentialWeights(Measures):
    """μ_t(x) = e^(-η·(the sum of the losses of x)), η = ``rate``: multiplicative weights.

    (i): losses lie in [0, 1]; (ii): the ratio is e^(-ηℓ_t(x)). δ₀ = 0. Any two losses together
    move two experts apart by at most 2η.
    Source: Asi, Koren, Liu and Talwar, Lemma 3.9.
    Raises: InvalidArgument for ``rate=Log(q)`` if q is no ``grid``-th power of a rational.
    """

    rate: ExactEpsilon = attrs.field(converter=fields.rate)  # pyright: ignore[reportIncompatibleMethodOverride]
    unit: ExactEpsilon = attrs.field(init=False, eq=False, repr=False)  # pyright: ignore[reportIncompatibleMethodOverride]

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "unit", part(self.rate, self.grid))

    @property
    def reach(self) -> int:
        return self.grid

    def after(self, scores: Losses, loss: Losses) -> Losses:
        less: Losses = scores - loss
        return less

    def through(self, scores: Losses, losses: Losses) -> Losses:
        less: Losses = scores - losses.sum(axis=0)
        return less

    def path(self, scores: Losses, losses: Losses) -> Losses:
        less: Losses = scores - losses.cumsum(axis=0)
        return less
