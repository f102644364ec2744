"""Odometers: running bounds on the privacy spent, where nothing is refused."""

import math
from abc import abstractmethod
from collections.abc import Iterable
from fractions import Fraction
from typing import Final, NamedTuple, TypeVar

import attrs

from antiphon.composition.filters import concentrated
from antiphon.composition.filters.basic import divergence_delta, fixed_order
from antiphon.composition.filters.budget import NOTHING_SPENT, Budget, Spent, epsilon_delta
from antiphon.composition.filters.sums import Sum, amounts, log_above
from antiphon.numbers import ExactEpsilon, exact, named
from antiphon.protocol import GaussianDP, Measure, View, ZeroConcentrated, register, set_derived

_UP: Final = 1 + 2.0**-40
"""A factor above 1 that exceeds the relative error of the few operations of a reading."""


@register("antiphon.Distance/1", state=True)
class Distance(NamedTuple):
    """The amounts charged to an odometer: Σε (None once a claim had no ε), Σρ (zCDP) and Σδ."""

    epsilon: Sum | None
    rho: Sum
    delta: Sum


class Reading(NamedTuple):
    """An odometer's reading: the interaction is (``epsilon``, ``delta``)-DP, whenever it stops."""

    epsilon: ExactEpsilon | float
    """The ε spent so far; ``math.inf`` once more δ was charged than is allowed for."""
    delta: Fraction


State = TypeVar("State", Distance, Spent)


class AnyOdometer(Budget[State]):
    """The base class of odometers; ``slack``: the δ of a concentration bound. Abstract."""

    __slots__ = ()
    delta: Fraction
    slack: Fraction

    def reading(self, state: State) -> Reading:
        """The bound (ε, δ) on the loss so far. O(1).

        >>> Odometer(delta=0.1).reading(Odometer(delta=0.1).initial_state).epsilon
        Fraction(0, 1)
        """
        if not state.delta.at_most(self.delta - self.slack):
            return Reading(math.inf, self.delta)
        return Reading(self.bound(state), self.delta)

    @abstractmethod
    def bound(self, state: State) -> ExactEpsilon | float:
        """A bound on the privacy loss so far that fails with probability ``slack`` at most."""

    def public_state(self, state: State) -> tuple[tuple[str, str], ...]:
        return (("spent at most, at any time", amounts(self.reading(state))),)

    def readings(self, creations: View | Iterable[object]) -> list[Reading]:
        """The readings after each of the creation queries, in order."""
        return [self.reading(state) for state in self.states(creations)]


@register("antiphon.Odometer/1")
@attrs.frozen
class Odometer(AnyOdometer[Distance]):
    """A running bound on the privacy spent, valid at all times simultaneously.

    For an adversary that stops at any time, chosen by the answers: over its final views v,
    Σ_v max(0, P(v) - e^reading(v)·Q(v)) <= ``delta``, with ``reading(state).epsilon`` at that time.
    While no claim has a δ_i, the privacy loss itself is at no time above its reading, with
    probability 1 - ``delta``. With a δ_i the statement is about the loss of the RR_{ε_i,δ_i} of
    which the mechanism is a post-processing, not of the view: a (0, 1/10)-DP mechanism may lose
    more than 0 in half of its views (``antiphon verify --theorem Odometers``). It never refuses. As
    a budget it promises nothing in advance, unlike a filter. The reading is the smaller of Σε_i and
    ½V + √((V + y)(2 ln(1/δ') + ln(1 + V/y))), V = Σε_i² (a ρ-zCDP claim adds 2ρ), where δ' =
    ``slack``, by default delta/2; if the δ_i add up to more than delta - slack, infinity. Any y > 0
    is sound; it is chosen to be sharp where the loss is ``near`` (nats). Source: the normal mixture
    of Robbins 1970; Whitehouse, Ramdas, Rogers, Wu 2023 (odometers); proof as in ``RogersFilter``,
    with Ville's inequality at 1/δ'.

    >>> from antiphon.protocol import Pure
    >>> odometer = Odometer(delta=1e-6, slack=1e-6)
    >>> state = odometer.initial_state
    >>> for _ in range(1000):
    ...     state = odometer.charge(state, Pure(0.01))
    >>> round(float(odometer.reading(state).epsilon), 3)         # Σε_i is 10
    1.851
    """

    delta: Fraction = attrs.field(converter=exact.probability, kw_only=True)
    slack: Fraction = concentrated.SLACK
    near: Fraction = attrs.field(default=Fraction(1), converter=named.positive, kw_only=True)
    _width: float = attrs.field(init=False, eq=False, repr=False)
    """The width y of the mixture bound, a positive number; the bound holds for any y."""
    _twice_log: float = attrs.field(init=False, eq=False, repr=False)
    """The number 2 ln(1/slack) of the mixture bound, rounded up."""

    def __attrs_post_init__(self) -> None:
        twice_log = 2 * float(log_above(1 / self.slack)) * _UP
        width = 2 * float(concentrated.rho_limit(self.near, self.slack)) / (twice_log + 1)
        set_derived(self, _width=max(width, 1e-300), _twice_log=twice_log)

    @property
    def initial_state(self) -> Distance:
        return Distance(Sum(), Sum(), Sum())

    def charge(self, state: Distance, measure: Measure) -> Distance:
        epsilon = state.epsilon
        if type(measure) is ZeroConcentrated or type(measure) is GaussianDP:
            epsilon = None
        elif epsilon is not None:
            epsilon = epsilon.plus(
                epsilon_delta(measure, "and no rho: a RenyiOdometer adds it up")[0]
            )
        rho, delta = concentrated.rho_delta(measure)
        lost = state.delta.plus(delta) if delta else state.delta
        return Distance(epsilon, state.rho.plus(rho), lost)

    def bound(self, state: Distance) -> ExactEpsilon | float:
        mixture = self._mixture(float(state.rho))
        if state.epsilon is not None and float(state.epsilon) <= mixture:
            return state.epsilon.value
        return mixture

    def _mixture(self, rho: float) -> float:
        """The bound ½V + √((V+y)(2 ln(1/slack) + ln(1+V/y))), rounded up; V = 2ρ, y: ``_width``."""
        spread = 2 * rho + self._width
        square = spread * (self._twice_log + math.log1p(2 * rho / self._width))
        return (rho + math.sqrt(square)) * _UP


@register("antiphon.RenyiOdometer/1")
@attrs.frozen
class RenyiOdometer(AnyOdometer[Spent]):
    """A running bound on the privacy spent, from Rényi divergences at one order α.

    Like ``Odometer``, but for claims of every measure: a claim costs the D_α that ``RenyiFilter``
    charges for it. The reading is ΣD_i + ln(1/δ')/(α-1), where δ' = ``slack``, by default delta/2;
    if the δ_i add up to more than delta - slack, infinity. It is sharp where (α-1)ΣD_i is about
    ln(1/δ'). Proof: with L the privacy loss, e^((α-1)(L - ΣD_i)) is at most the potential of
    ``RenyiFilter`` over P(h), for a budget of 0: in the world P a supermartingale >= 0 that starts
    at 1. By Ville's inequality it ever reaches 1/δ' with probability at most δ'.

    >>> from antiphon.protocol import GaussianDP
    >>> odometer = RenyiOdometer(order=16, delta=1e-6, slack=1e-6)
    >>> state = odometer.after(())
    >>> for _ in range(100):
    ...     state = odometer.charge(state, GaussianDP(0.03))
    >>> round(float(odometer.reading(state).epsilon), 3)
    1.641
    """

    order: Fraction = attrs.field(converter=fixed_order, kw_only=True)
    delta: Fraction = attrs.field(converter=exact.probability, kw_only=True)
    slack: Fraction = concentrated.SLACK
    _tail: Fraction = attrs.field(init=False, eq=False, repr=False)
    """The number ln(1/slack)/(order-1) that a reading adds to the divergence, rounded up."""

    def __attrs_post_init__(self) -> None:
        tail = Fraction(log_above(1 / self.slack)) / (self.order - 1)
        set_derived(self, _tail=tail)

    @property
    def initial_state(self) -> Spent:
        return NOTHING_SPENT

    def charge(self, state: Spent, measure: Measure) -> Spent:
        amount, delta = divergence_delta(measure, self.order)
        lost = state.delta.plus(delta) if delta else state.delta
        return Spent(state.amount.plus(amount), lost)

    def bound(self, state: Spent) -> ExactEpsilon:
        # If no divergence was charged, there is no loss, so nothing is added.
        if not state.amount.numerator:
            return Fraction(0)
        return state.amount.rational + self._tail
