"""How learners' parameters are looked for: within a budget, by the logarithm of a number."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple

from antiphon.composition.accounting.renyi import from_concentrated, from_renyi
from antiphon.composition.guarantees import guarantee
from antiphon.learners.learner import ROUNDS
from antiphon.mechanisms import fields
from antiphon.numbers import exact
from antiphon.numbers.errors import InvalidArgument
from antiphon.numbers.printed import shown_up
from antiphon.protocol.mechanism import Mechanism

_GOLDEN: Final = (math.sqrt(5) - 1) / 2
_NEAR: Final = 1 / 32
"""By so much a bound may be worse for the sake of a larger batch."""


def budget(epsilon: object, delta: object) -> tuple[Fraction, Fraction]:
    """ε > 0 and 0 < δ < 1. Raises: InvalidArgument."""
    target, chance = exact.positive(epsilon, "epsilon"), exact.probability(delta)
    if not 0 < chance < 1:
        raise InvalidArgument("delta must lie strictly between 0 and 1")
    if float(chance) == 1:
        raise InvalidArgument("delta is nearer to 1 than a double can be: no learner needs it")
    return target, chance


def rounds(horizon: object) -> int:
    """T, at least 1. Raises: InvalidArgument."""
    return fields.check_size(horizon, "horizon", ROUNDS)


def largest(holds: Callable[[float], bool], low: float, high: float, steps: int) -> float:
    """The largest number between two where something holds that holds below; by its logarithm."""
    if holds(high):
        return high
    for _ in range(steps):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


class Least(NamedTuple):
    """What a search for the least value has found."""

    value: float
    place: float
    """Where it is."""
    middle: float
    """Of the places that are left."""


def golden(function: Callable[[float], float], low: float, high: float, steps: int) -> Least:
    """Where a function is least between two numbers, by golden section on their logarithms."""
    low, high = math.log(low), math.log(high)
    places = [high - (high - low) * _GOLDEN, low + (high - low) * _GOLDEN]
    values = [function(math.exp(each)) for each in places]
    for _ in range(steps):
        if values[0] < values[1]:
            high = places[1]
            places = [high - (high - low) * _GOLDEN, places[0]]
            values = [function(math.exp(places[0])), values[0]]
        else:
            low = places[0]
            places = [places[1], low + (high - low) * _GOLDEN]
            values = [values[1], function(math.exp(places[1]))]
    value, place = min(zip(values, places, strict=True))
    return Least(value, math.exp(place), math.exp((low + high) / 2))


class ParameterSearch(NamedTuple):
    """For the largest x that is private beside a y, and for the y whose merit is least then.

    By plain floats: what is found is held to the claim.
    """

    private: Callable[[float, float], bool]
    merit: Callable[[float, float], float]
    xs: tuple[float, float, int]
    """From where to where, in how many steps."""
    ys: tuple[float, float, int]

    def largest(self, y: float) -> float:
        """The largest x beside this y."""
        return largest(lambda x: self.private(x, y), *self.xs)

    def bound(self, y: float) -> float:
        """The least merit with this y."""
        return self.merit(self.largest(y), y)

    def least(self) -> Least:
        """The least merit, and where it is."""
        return golden(self.bound, *self.ys)


def of_rates(
    private: Callable[[float, float], bool], horizon: int, experts: int, batch: int, steps: int,
    ys: tuple[float, float, int],
) -> ParameterSearch:  # fmt: skip
    """For the least ``regret_bound``: of rates up to the best without privacy."""
    best = math.sqrt(8 * math.log(experts) / (batch * horizon))

    def merit(rate: float, _: float) -> float:
        return regret_bound(horizon, experts, rate, batch)

    return ParameterSearch(private, merit, (best * 2.0**-30, best, steps), ys)


def regret_bound(horizon: int, experts: int, rate: float, batch: int) -> float:
    """ln d/η + ηBT/8: Hedge on losses of batches (Cesa-Bianchi and Lugosi 2006, Thm 2.2)."""
    return math.log(experts) / rate + rate * batch * horizon / 8 if rate else math.inf


def best_batch(horizon: int, bound: Callable[[int], float]) -> int:
    """B: the largest near the best whose bound is no worse than by a part of 32.

    The larger the batch, the larger the rate may be; and where one expert is better than the others
    by a gap, regret is about ln d/η, whatever B is.
    """
    best = min((*(1 << k for k in range(horizon.bit_length())), horizon), key=bound)
    near = {max(1, best * parts // 8) for parts in range(5, 17)}
    bounds = {batch: bound(batch) for batch in near if batch <= horizon}
    enough = min(bounds.values()) * (1 + _NEAR)
    return max(batch for batch, found in bounds.items() if found <= enough)


def keeps(curve: Callable[[float], float], epsilon: Fraction, delta: Fraction) -> bool:
    """Whether a claim with this Rényi bound is (ε, δ)-DP: what decides."""
    return within(from_renyi(curve).epsilon_at(delta), epsilon)


def within(spent: float, target: Fraction) -> bool:
    """Whether an ε that was read off a curve is at most the target; infinity never is."""
    return spent < math.inf and exact.fraction(spent) <= target


@lru_cache(maxsize=64)
def largest_rho(target: Fraction, chance: Fraction) -> Fraction:
    """About the largest ρ with which ρ-zCDP is (ε, δ)-DP, never more."""

    def private(rho: float) -> bool:
        curve = from_concentrated(short(rho))
        return within(curve.epsilon_at(chance), target)

    # ρ-zCDP is (ρ + 2√(ρ ln(1/δ)), δ)-DP; the law of large ε is ε >= ρ.
    low = min(1.0, float(target)) ** 2 / (16 * (1 - math.log(chance)))
    while not private(low):
        low /= 2
    return short(largest(private, low, 2 * float(target) + 16, 40))


def short(rate: float) -> Fraction:
    """A rate of twenty bits, not above the given one: exact draws take time for each digit."""
    shift = 20 - math.frexp(rate)[1]
    return Fraction(math.floor(math.ldexp(rate, shift))) / Fraction(2) ** shift


def keep_to(learner: Mechanism, epsilon: object, delta: object) -> None:
    """Raises: InvalidArgument for a learner that spends more than (ε, δ)."""
    spent = guarantee(learner).epsilon_at(exact.probability(delta))
    if not within(spent, exact.positive(epsilon, "epsilon")):
        raise InvalidArgument(f"the counter that was made costs ε = {shown_up(spent)}: use its rho")
