"""The Rényi odometer: how much has been spent, from divergences of one order."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

import attrs

from antiphon.composition.filters.amounts import amounts
from antiphon.composition.filters.budget import NOTHING_SPENT, Budget, Spent
from antiphon.composition.filters.concentrated import half_of_delta
from antiphon.composition.filters.decimals import log_above
from antiphon.composition.filters.odometer import Reading
from antiphon.composition.filters.renyi_filter import divergence_delta, fixed_order
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.protocol.measures.kinds import Measure
from antiphon.protocol.records.view import View
from antiphon.protocol.registry import register


@register("antiphon.RenyiOdometer/1")
@attrs.frozen
class RenyiOdometer(Budget[Spent]):
    """A running bound on what has been spent, from divergences of one order α.

    As ``Odometer``, for claims of every measure: a claim costs the D_α that ``RenyiFilter`` charges
    for it. The reading is ΣD_i + ln(1/δ')/(α-1), where δ' = ``slack``, by default delta/2; if the
    δ_i add up to more than delta - slack, infinity. It is sharp where (α-1)ΣD_i is about ln(1/δ').
    Proof: with L the privacy loss, e^((α-1)(L - ΣD_i)) is at most the potential of ``RenyiFilter``
    over P(h), for a budget of 0: in the world P a supermartingale >= 0 that starts at 1. By Ville's
    inequality it ever reaches 1/δ' with probability at most δ'.

    >>> from antiphon.protocol.measures import GaussianDP
    >>> odometer = RenyiOdometer(order=16, delta=1e-6, slack=1e-6)
    >>> state = odometer.after(())
    >>> for _ in range(100):
    ...     state = odometer.charge(state, GaussianDP(0.03))
    >>> round(float(odometer.reading(state).epsilon), 3)
    1.641
    """

    order: Fraction = attrs.field(converter=fixed_order, kw_only=True)
    delta: Fraction = attrs.field(converter=exact.probability, kw_only=True)
    slack: Fraction = attrs.field(
        default=attrs.Factory(half_of_delta, takes_self=True),
        converter=exact.probability,
        kw_only=True,
    )
    _tail: Fraction = attrs.field(init=False, eq=False, repr=False)
    """ln(1/δ')/(α-1), rounded up."""

    def __attrs_post_init__(self) -> None:
        if not 0 < self.slack <= self.delta:
            raise InvalidArgument(f"slack is a part of delta, above 0 and at most {self.delta}")
        object.__setattr__(self, "_tail", Fraction(log_above(1 / self.slack)) / (self.order - 1))

    @property
    def initial_state(self) -> Spent:
        return NOTHING_SPENT

    def charge(self, state: Spent, measure: Measure) -> Spent:
        amount, delta = divergence_delta(measure, self.order)
        lost = state.delta.plus(delta) if delta else state.delta
        return Spent(state.amount.plus(amount), lost)

    def reading(self, state: Spent) -> Reading:
        """The bound on the loss so far. O(1)."""
        if not state.delta.at_most(self.delta - self.slack):
            return Reading(math.inf, self.delta)
        if not state.amount.numerator:  # no divergence, no loss
            return Reading(Fraction(0), self.delta)
        return Reading(state.amount.rational + self._tail, self.delta)

    def public_state(self, state: Spent) -> tuple[tuple[str, str], ...]:
        return (("spent at most, at any time", amounts(self.reading(state))),)

    def readings(self, creations: View | Iterable[object]) -> list[Reading]:
        """The running curve: the reading after each creation query, as ``states``."""
        return [self.reading(state) for state in self.states(creations)]
