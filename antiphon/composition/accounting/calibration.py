"""Searches for the parameters that meet a budget (ε, δ)."""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple

from antiphon.composition.accounting.renyi import from_concentrated
from antiphon.numbers import InvalidArgument, exact

_GOLDEN: Final = (math.sqrt(5) - 1) / 2


def budget(epsilon: object, delta: object) -> tuple[Fraction, Fraction]:
    """Check and convert a target (ε, δ) with ε > 0 and 0 < δ < 1. Raises: InvalidArgument."""
    target, chance = exact.positive(epsilon, "epsilon"), exact.probability(delta)
    if not 0 < chance < 1:
        raise InvalidArgument("delta must lie strictly between 0 and 1")
    if float(chance) == 1:
        raise InvalidArgument("delta is nearer to 1 than a double can be: give a smaller one")
    return target, chance


def largest_where(holds: Callable[[float], bool], low: float, high: float, steps: int) -> float:
    """The largest number from ``low`` to ``high`` where ``holds`` is true, by bisecting
    logarithms."""
    if holds(high):
        return high
    for _ in range(steps):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


class Least(NamedTuple):
    """The result of a minimisation: the least value found, and the argument where it was found."""

    value: float
    place: float
    """The argument at which the minimised function is least."""
    middle: float
    """The middle of the last interval that was searched: an estimate of ``place``."""


def golden_section(
    function: Callable[[float], float], low: float, high: float, steps: int
) -> Least:
    """The minimum of a function between two numbers, by golden section on their logarithms."""
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


def at_most_target(spent: float, target: Fraction) -> bool:
    """Whether an ε read off a curve is at most the target; infinity never is."""
    return spent < math.inf and exact.fraction(spent) <= target


def rho_within(epsilon: object, delta: object) -> Fraction:
    """The largest ρ, rounded down, for which ρ-zCDP implies (ε, δ)-DP.

    Raises: InvalidArgument for ε <= 0, or δ outside (0, 1).

    >>> rho = rho_within(1, 1e-6)
    >>> f"{float(rho):.5f}", from_concentrated(rho).epsilon_at(1e-6) <= 1
    ('0.02436', True)
    """
    return largest_rho(*budget(epsilon, delta))


@lru_cache(maxsize=64)
def largest_rho(target: Fraction, chance: Fraction) -> Fraction:
    """The largest ρ, rounded down, for which ρ-zCDP implies (``target``, ``chance``)-DP."""

    def private(rho: float) -> bool:
        curve = from_concentrated(short_rate(rho))
        return at_most_target(curve.epsilon_at(chance), target)

    # The search starts from a ρ that is small enough: ρ-zCDP implies (ρ + 2√(ρ ln(1/δ)), δ)-DP. It
    # ends where ρ is certainly too large, as for large ε the largest ρ is about ε.
    low = min(1.0, float(target)) ** 2 / (16 * (1 - math.log(chance)))
    while not private(low):
        low /= 2
    return short_rate(largest_where(private, low, 2 * float(target) + 16, 40))


def short_rate(rate: float) -> Fraction:
    """A parameter of privacy or noise, rounded down to twenty binary digits, as exact sampling
    takes time for each digit."""
    shift = 20 - math.frexp(rate)[1]
    return Fraction(math.floor(math.ldexp(rate, shift))) / Fraction(2) ** shift
